# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# showing.sh - what the tests of heddle show share; sourced after tap.sh
#
#	says WORDS N command...		passes when its exit status is N and its output holds WORDS
#	sealed FILE			a trace from standard input, with a checksum that fits
#	same WANT command...		its output is what the file WANT holds
#
# ./message is a program with a bug, and its trace is heddle-out/bug-0.hdt.

heddle=$bin/heddle
trace=heddle-out/bug-0.hdt
unset HEDDLE_OPTIONS COLUMNS NO_COLOR LC_CTYPE LANG
LC_ALL=C
export LC_ALL

says()
{
	words=$1
	want=$2
	shift 2
	"$@" >said 2>&1
	got=$?
	cat said
	test "$got" = "$want" || { echo "exit status $got, not $want" && return 1; }
	grep -q -e "$words" said || { echo "does not say '$words'" && return 1; }
}

sealed()
{
	./seal >"$1"
}

same()
{
	wanted=$1
	shift
	"$@" >said 2>&1
	diff -u "$wanted" said
}

cp "$srcdir/tests/traces/seal.c" seal.c
cp "$srcdir/tests/showing/message.c" message.c
ok 'seal.c compiles' gcc -O2 -o seal seal.c
ok 'message.c compiles' "$bin/heddle-cc" -O1 -g -o message message.c -pthread
ok 'its bug is found' says 'heddle replay heddle-out/bug-0.hdt' 1 "$heddle" explore ./message
