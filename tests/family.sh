#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# family.sh - every case of one program, natively and under heddle (see cases.h)
#
# The build makes a test of its own from this for each program in families.am: tests/hooks/lock/mutex.test
# runs tests/hooks/lock/mutex.c. CASES_COMPILERS names other compilers than heddle-cc (by hand).

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/cases.sh"

source=$srcdir/@program@.c
test -f "$source" || source=$srcdir/@program@.cc

run()
{
	for compiler in ${CASES_COMPILERS:-heddle-cc}; do
		family "$source" "$@"
	done
}

run -O1
sed -n 's/^ \* also \([^:]*\): .*/\1/p' "$source" >also
while read -r how <&3; do
	case $how in
	-*)
		run "$how"
		;;
	'ulimit '*)
		if $how 2>/dev/null; then # it stays so
			run -O1
		else
			skip "$how" 'not allowed here'
		fi
		;;
	*)
		ok "it is known what \"also $how\" is" false
		;;
	esac
done 3<also
finish
