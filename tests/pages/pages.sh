# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# pages.sh - what the tests of manual pages share; sourced
#
#	shown PAGE	the page of man/ shows what happens (page.py, TAP)

srcdir=$(cd "${srcdir:-.}" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
export srcdir builddir

shown()
{
	command -v python3 >/dev/null || { echo '1..0 # SKIP python3 is not there' && exit 0; }
	exec python3 "$srcdir/tests/pages/page.py" run "$srcdir/man/$1"
}
