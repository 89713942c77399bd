# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# cases.sh - runs the cases of programs that are made with cases.h; sourced after tap.sh
#
#	family SOURCE OPTION...		compiles it with these options and runs each of its cases,
#					natively if it ends well, and under heddle
#
# $compiler is heddle-cc or the like; a source in C++ is compiled with its C++ counterpart.
#
# By values (-e value) a case comes to the same, but for the number of executions, which is no greater, and for where its bug
# is. Of the cases that name no equivalence one in eight is run so as well; CASES_BY_VALUES=all: each (make check-values), no: none.

# line_of TEXT: the number of the one line of $source that holds it, the lists of cases apart
line_of()
{
	TEXT=$1 awk '
		!index($0, ENVIRON["TEXT"]) || /^ \* case / { next }
		{ found = found FNR ":" $0 "\n"; line = FNR; n++ }
		END {
			if (n == 1)
				print line
			else
				printf "not one line has: %s\n%s", ENVIRON["TEXT"], found
			exit (n != 1)
		}' "$source"
}

# place: the line of $source that the bug is at. What a library or a header found wrong is at the line that
# called it, which the report has.
place()
{
	name=${source##*/}
	case $result in
	*'"bugs":[{'*) site=${result#*'"bugs":[{'} && site=${site%%\}*} ;;
	*) site= ;;
	esac
	case $site in
	*'"site":"'"$name":*) site=${site#*'"site":"'"$name":} && echo "${site%%[ \"]*}" ;;
	*) sed -n "s|^ *#[0-9][0-9]* .*[/ ]$name:\([0-9][0-9]*\) .*|\1|p" output | head -n 1 ;;
	esac
}

# waits_at LINE: of a deadlock, a thread of it waits there; who only waits for the end of others comes last
waits_at()
{
	grep -q '"kind":"deadlock"' result.json &&
		sed 's/.*"sides":\[//; s/"steps":\[.*//' result.json | grep -q "\"file\":\"[^\"]*${source##*/}\",\"line\":$1,"
}

# is_at CASE TEXT: the bug is at the line with that text, or without one at the line that is marked
is_at()
{
	wanted=$(line_of "${2:-bug: $1 */}") || { echo "$wanted" && return 1; }
	got=$(place)
	test "$got" = "$wanted" || waits_at "$wanted" || { echo "the bug is at line ${got:-?}, not $wanted" && return 1; }
}

# came_to CASE KIND WHAT: what heddle found is that; $result is one line of JSON
came_to()
{
	case $2 in
	ok)
		test "$status" = 0 || return 1
		case $result in
		*'"verdict":"ok"'*) ;;
		*) return 1 ;;
		esac
		case $3 in
		'* ('*')') return 0 ;;
		esac
		case $result in
		*"\"executions\":$3"[,}]*) ;;
		*) return 1 ;;
		esac
		;;
	bug)
		case $3 in
		*' at '*) text=${3#* at } ;;
		*) text= ;;
		esac
		test "$status" = 1 && grep -Eq "\"kind\":\"(${3%% at *})\"" result.json &&
			is_at "$1" "$text"
		;;
	'bug anywhere')
		test "$status" = 1 && grep -Eq "\"kind\":\"(${3%% at *})\"" result.json
		;;
	inconclusive)
		test "$status" = 3 && grep -q "$3" output
		;;
	refused)
		test "$status" = 4 && grep -q "$3" output
		;;
	esac
}

# explored CASE KIND WHAT: what heddle finds in ./program with $options
explored()
{
	rm -f result.json
	# shellcheck disable=SC2086 # options
	HEDDLE_CHECK_RESET=yes "$bin/heddle" explore --progress=never --minimise=0 --timeout=60 --json=result.json -o out $options \
		-- ./program "$1" >output 2>&1
	status=$?
	result=
	test ! -e result.json || IFS= read -r result <result.json
	came_to "$@" || { cat output && return 1; }
}

# count_of RESULT: its executions, those of other processes included
count_of()
{
	count=${1#*'"executions":'} && echo "${count%%,*}"
}

# by_values CASE KIND WHAT: likewise by values, behind explored()
by_values()
{
	most=$(count_of "$result")
	options="$options -e value"
	case $2 in
	ok) explored "$1" ok '* (by values)' ;;
	bug) explored "$1" 'bug anywhere' "$3" ;; # of several, another may be the first
	*) explored "$@" ;;
	esac || return 1
	test "$2" != ok || test "$(count_of "$result")" -le "$most" || { echo "more than $most" && return 1; }
}

# has_turn NUMBER OPTIONS: is the case with that number to be run by values as well?
has_turn()
{
	case " $2" in
	*' -e '*) return 1 ;;
	esac
	case ${CASES_BY_VALUES:-} in
	all) return 0 ;;
	no) return 1 ;;
	esac
	test $(($1 % 8)) = 0
}

natively()
{
	HEDDLE_TEST_NATIVELY=1 timeout 60 ./program "$1"
}

case_number=0

# compiles COMPILER OPTION...: ./program. A source that says `without notes:' has inline assembly for what nobody announces: it is as another
# compiler would have made it, in which nothing says where it lies.
compiles()
{
	command=$1
	shift
	set -- "$@" -I"$srcdir/tests" -g -Wall -Wno-deprecated-declarations
	if grep -q '^ \* without notes:' "$source"; then
		"$bin/$command" "$@" -c -o program.o "$source" && objcopy -R .note.heddle program.o &&
			"$bin/$command" "$@" -o program program.o -lpthread -latomic
	else
		"$bin/$command" "$@" -o program "$source" -lpthread -latomic
	fi
}

family()
{
	source=$1
	shift
	family=${source##*/}
	case $family in
	*.cc) ok "$family compiles with $*" compiles "$(echo "$compiler" | sed 's/-cc$/-c++/')" -std=c++20 "$@" ;;
	*) ok "$family compiles with $*" compiles "$compiler" "$@" ;;
	esac
	family=${family%.*}
	sed -n 's/^ \* case \([A-Za-z0-9_]*\)\( [^:]*\)*: \(.*\)$/\1:\2:\3/p' "$source" >cases
	while IFS=: read -r name options expected; do
		kind=${expected%% *}
		what=${expected#* }
		set -f
		if test "$kind" = ok; then
			ok "$family $name, natively" natively "$name"
		fi
		ok "$family $name$options: $kind $what" explored "$name" "$kind" "$what"
		case_number=$((case_number + 1))
		if has_turn $case_number "$options"; then
			ok "$family $name$options -e value: $kind $what" by_values "$name" "$kind" "$what"
		fi
		set +f
	done <cases
}
