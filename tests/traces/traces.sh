# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# traces.sh - what the tests of traces share; sourced after tap.sh
#
#	says WORDS N command...		passes when its exit status is N and its output holds WORDS
#	quick command...		runs it; it fails when that takes more than a few seconds
#	./seal				gives the trace that it reads a checksum that fits
#	made_of NAME SCRIPT		NAME.hdt: $trace, edited by a script of sed
#	id_of FILE			its build-id
#
# ./sbbug is a program with a bug, $trace its trace.

heddle=$bin/heddle
unset HEDDLE_OPTIONS

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

quick()
{
	timeout 15 "$@"
}

made_of()
{
	sed "$2" "$trace" | ./seal >"$1.hdt"
}

id_of()
{
	readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p'
}

cp "$srcdir/tests/traces/seal.c" seal.c
ok 'seal.c compiles' gcc -O2 -o seal seal.c
ok 'sbbug.c compiles' "$bin/heddle-cc" -O1 -g -o sbbug "$srcdir/tests/cli/sbbug.c" -lpthread
trace=heddle-out/bug-0.hdt
ok 'its bug is found' says 'heddle replay heddle-out/bug-0.hdt' 1 "$heddle" explore ./sbbug
