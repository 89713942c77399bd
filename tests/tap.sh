# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# tap.sh - what the shell tests share; sourced
#
#	. "$srcdir/tests/tap.sh"
#	ok 'what is claimed' command...		passes when the command does
#	not 'what is claimed' command...	passes when the command fails
#	skip 'what is claimed' why
#	left_behind PATTERN			passes when a process of this test, whose command matches, runs
#	finish					the plan; status 1 if anything failed
#
# A test that ends before finish(), by a signal or by itself, has failed in the claim that it was at.
#
# A failed command's output follows as TAP comments. $work is a folder of the test's own that
# goes away at the end, and is the current folder; $bin holds the commands under test.

set -u
# Shorter executions of each bug are tried where they are what a test is about, which unsets this: they take most of the time.
HEDDLE_OPTIONS=minimise=0
export HEDDLE_OPTIONS
# A make that a test runs knows nothing of the one that runs the tests.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES TESTS TEST_LOGS
srcdir=$(cd "${srcdir:-.}" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
bin=$builddir/bin
work=$(mktemp -d "${TMPDIR:-/tmp}/heddle-test.XXXXXX") || exit 99
trap 'tap_end $?' EXIT
for tap_signal in HUP INT TERM; do
	# shellcheck disable=SC2064 # the signal of now
	trap "tap_why=SIG$tap_signal; exit 99" $tap_signal
done
cd "$work" || exit 99
tap_count=0
tap_failed=0
tap_claim='the beginning'
tap_why=
tap_finished=

tap_end()
{
	test -n "$tap_finished" ||
		echo "not ok $((tap_count + 1)) - ends early (${tap_why:-status $1}), at or after: $tap_claim"
	cd / && chmod -R u+w "$work" && rm -rf "$work"
}

tap_result()
{
	tap_count=$((tap_count + 1))
	echo "$1 $tap_count - $2"
	if test "$1" != ok; then
		tap_failed=$((tap_failed + 1))
		sed 's/^/# /' "$work/.tap-output"
	fi
}

ok()
{
	tap_claim=$1
	shift
	if "$@" >"$work/.tap-output" 2>&1 </dev/null; then
		tap_result ok "$tap_claim"
	else
		echo "status $?: $*" >>"$work/.tap-output"
		tap_result 'not ok' "$tap_claim"
	fi
}

not()
{
	tap_claim=$1
	shift
	if "$@" >"$work/.tap-output" 2>&1 </dev/null; then
		echo "should have failed: $*" >>"$work/.tap-output"
		tap_result 'not ok' "$tap_claim"
	else
		tap_result ok "$tap_claim"
	fi
}

skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

left_behind()
{
	for tap_pid in $(pgrep -f "$1"); do
		test "$(readlink "/proc/$tap_pid/cwd")" = "$work" && ps -o pid=,stat=,args= "$tap_pid" && return
	done
	return 1
}

# The whole test is left out, with the reason.
skip_all()
{
	tap_finished=yes
	echo "1..0 # SKIP $1"
	exit 0
}

finish()
{
	tap_finished=yes
	echo "1..$tap_count"
	test "$tap_failed" = 0
	exit
}
