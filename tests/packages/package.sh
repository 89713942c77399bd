# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# package.sh - what the package tests share; sourced

. "$srcdir/tests/tap.sh"

# finds STATUS VERDICT KIND PROGRAM: heddle explore ends with that status and verdict, and with
# a bug of that kind unless KIND is -
finds()
{
	"$bin/heddle" explore --json result.json -o heddle-out -- "./$4"
	status=$?
	cat result.json
	test "$status" = "$1" && grep -q "\"verdict\": *\"$2\"" result.json || return 1
	test "$3" = - || grep -q "\"kind\": *\"$3\"" result.json
}

# there COMMAND...: all of them are
there()
{
	for tool; do
		command -v "$tool" >/dev/null || return 1
	done
}
