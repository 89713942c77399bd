# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# show.sh - what the tests of the main job share; sourced
#
# They build a program, run heddle on it and look at what it says in JSON, for each compiler
# that is there. `result` names the JSON file of the last run.

. "$srcdir/tests/tap.sh"
show=$srcdir/tests/show
result=$work/result.json

# The compiler "" stands for the default one.
build_c()
{
	build_compiler=$1
	shift
	HEDDLE_CC=$build_compiler "$bin/heddle-cc" -g -Wall -Wextra -I"$srcdir/include" "$@" -pthread
}

build_cxx()
{
	build_compiler=$1
	shift
	HEDDLE_CXX=$build_compiler "$bin/heddle-c++" -g -Wall -Wextra -I"$srcdir/include" "$@" -pthread
}

# compilers NAME...: those that are there, with a word about the others
compilers()
{
	present=
	for compiler; do
		if command -v "$compiler" >/dev/null; then
			present="$present $compiler"
		else
			echo "# $compiler is not there"
		fi
	done
}

# run_heddle STATUS ARGUMENT...: heddle ends with that status; its JSON is in $result
run_heddle()
{
	want_status=$1
	command=$2
	shift 2
	rm -f "$result"
	"$bin/heddle" "$command" --json "$result" --progress=never "$@"
	test $? = "$want_status"
}

# counts N COMMAND...: no bug, the whole space visited, N complete executions
counts()
{
	want_count=$1
	shift
	run_heddle 0 "$@" && test "$(field verdict)" = ok && test "$(field executions)" = "$want_count"
}

# finds KIND COMMAND...: a bug of that kind, first of all
finds()
{
	want_kind=$1
	shift
	run_heddle 1 "$@" && test "$(field verdict)" = bug && test "$(field kind)" = "$want_kind"
}

# field NAME: a number or word of the last run's JSON, first of its name
field()
{
	tr ',{' '\n\n' <"$result" | sed -n "s/^\"$1\":\"\{0,1\}\([^\"}]*\).*/\1/p" | head -n 1
}
