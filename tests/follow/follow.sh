# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# follow.sh - what the tests of programs that others start share; sourced after tap.sh

heddle=$bin/heddle
unset HEDDLE_OPTIONS HEDDLE_FOLLOW LD_PRELOAD

build()
{
	for name in good leaves racy skipped slow starts; do
		"$bin/heddle-cc" -g -o "$name" "$srcdir/tests/follow/$name.c" -pthread || return
	done
}

# comes_to STATUS COMMAND...: explores that; its words are in said
comes_to()
{
	want=$1
	shift
	"$heddle" explore --progress=never "$@" >said 2>&1
	got=$?
	cat said
	test "$got" = "$want" || { echo "exit status $got, not $want" && return 1; }
}

# says PATTERN...: each is in said
says()
{
	for pattern in "$@"; do
		grep -q -e "$pattern" said || { cat said && echo "does not say '$pattern'" && return 1; }
	done
}
