# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# tap.sh - what the shell tests share; sourced
#
#	. "$srcdir/tests/tap.sh"
#	ok 'what is claimed' command...		passes when the command does
#	not 'what is claimed' command...	passes when the command fails
#	skip 'what is claimed' why
#	finish					the plan; status 1 if anything failed
#
# A failed command's output follows as TAP comments. $work is a folder of the test's own that
# goes away at the end, and is the current folder; $bin holds the commands under test.

set -u
# A make that a test runs knows nothing of the one that runs the tests.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES TESTS TEST_LOGS
srcdir=$(cd "${srcdir:-.}" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
bin=$builddir/bin
work=$(mktemp -d "${TMPDIR:-/tmp}/heddle-test.XXXXXX") || exit 99
trap 'cd / && chmod -R u+w "$work" && rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
cd "$work" || exit 99
tap_count=0
tap_failed=0

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

# The whole test is left out, with the reason.
skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

finish()
{
	echo "1..$tap_count"
	test "$tap_failed" = 0
	exit
}
