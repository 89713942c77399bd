# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# cases.sh - runs the cases of programs that are made with hooks/cases.h; sourced after tap.sh
#
#	family SOURCE OPTION...		compiles it with these options and runs each of its cases,
#					natively if it ends well, and under heddle
#
# $compiler is heddle-cc or the like; a source in C++ is compiled with its C++ counterpart.

# explored CASE EXPECTATION...: what heddle finds in ./program with $options
explored()
{
	# shellcheck disable=SC2086 # options
	"$bin/heddle" explore --progress=never --timeout=60 --json=result.json -o out $options \
		-- ./program "$1" >output 2>&1
	status=$?
	cat output
	case $2 in
	ok)
		test "$status" = 0 && grep -q '"verdict": *"ok"' result.json &&
			{ test "$3" = '*' || grep -q "\"executions\": *$3[,}]" result.json; }
		;;
	bug)
		test "$status" = 1 && grep -Eq "\"kind\": *\"(${3})\"" result.json
		;;
	refused)
		test "$status" = 4 && grep -q "$3" output
		;;
	esac
}

family()
{
	source=$1
	shift
	family=$(basename "$source")
	case $family in
	*.cc) command="$(echo "$compiler" | sed 's/-cc$/-c++/') -std=c++20" ;;
	*) command=$compiler ;;
	esac
	# shellcheck disable=SC2086 # a command and its options
	ok "$family compiles with $*" "$bin"/$command "$@" -g -Wall -Wno-deprecated-declarations \
		-o program "$source" -lpthread -latomic
	family=${family%.*}
	sed -n 's/^ \* case \([A-Za-z0-9_]*\)\( [^:]*\)*: \(.*\)$/\1:\2:\3/p' "$source" >cases
	while IFS=: read -r name options expected; do
		kind=${expected%% *}
		what=${expected#* }
		set -f
		if test "$kind" = ok; then
			ok "$family $name, natively" \
				timeout 60 env HEDDLE_TEST_NATIVELY=1 ./program "$name"
		fi
		ok "$family $name$options: $kind $what" explored "$name" "$kind" "$what"
		set +f
	done <cases
}
