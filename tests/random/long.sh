#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# long.sh BUILDDIR FROM TO - random programs with these seeds, in as many processes as processors
#
# What differs is printed in full, and lies in heddle-random/ of the build; the last line sums up.
set -u
builddir=$1
from=$2
to=$3
out=$builddir/heddle-random
jobs=$(nproc)
mkdir -p "$out" || exit 2
step=$(((to - from + jobs - 1) / jobs))
at=$from
while test "$at" -lt "$to"; do
	end=$((at + step))
	test "$end" -le "$to" || end=$to
	nice "$builddir/tests/random/fuzz_programs" -b "$builddir/bin" -o "$out" -t "$at" "$end" \
		>"$out/$at.log" 2>&1 &
	at=$end
done
wait
grep -h -v '^# [a-z]* *[0-9]* programs' "$out"/[0-9]*.log
cat "$out"/[0-9]*.log | awk '
	/^# [a-z]* *[0-9]* programs/ {
		programs[$2] += $3; runs[$2] += $5; large[$2] += $7; open[$2] += $10; differ[$2] += $12
	}
	END {
		for (s in programs)
			printf "%-8s %d programs, %d runs, %d too large, %d inconclusive, %d differ\n",
				s, programs[s], runs[s], large[s], open[s], differ[s] | "sort"
		close("sort")
		exit !programs["all"] || differ["all"]
	}'
status=$?
rm -f "$out"/[0-9]*.log
exit $status
