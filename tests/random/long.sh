#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# long.sh BUILDDIR FROM TO [OPTION]... - random programs with these seeds, in as many processes as processors
#
# What differs is printed in full, and lies in heddle-random/ of the build; the last lines sum up. Where libc's
# debug information is installed, to read it for each bug is half of the work: it is hidden, if the system allows that.
set -u
builddir=$1
from=$2
to=$3
shift 3
out=$builddir/heddle-random
jobs=$(nproc)
mkdir -p "$out" || exit 2
quiet=
if unshare -m mount -t tmpfs none /usr/lib/debug 2>/dev/null; then
	quiet=yes
fi
# hidden COMMAND [ARGUMENT]...: without debug information of libraries
hidden()
{
	if test "$quiet"; then
		unshare -m sh -c 'mount -t tmpfs none /usr/lib/debug && exec "$@"' sh "$@"
	else
		"$@"
	fi
}
step=$(((to - from + jobs - 1) / jobs))
at=$from
while test "$at" -lt "$to"; do
	end=$((at + step))
	test "$end" -le "$to" || end=$to
	hidden nice "$builddir/tests/random/fuzz_programs" -b "$builddir/bin" -o "$out" "$@" "$at" "$end" \
		>"$out/$at.log" 2>&1 &
	at=$end
done
wait
grep -h -v '^# [a-z]* *[0-9]* programs' "$out"/[0-9]*.log
cat "$out"/[0-9]*.log | awk '
	/^# [a-z]* *[0-9]* programs/ {
		programs[$2] += $3; runs[$2] += $5; large[$2] += $7; open[$2] += $10; differ[$2] += $12
		counts[$2] += $14; endless[$2] += $18; races[$2] += $21
	}
	END {
		for (s in programs)
			printf "%-8s %d programs, %d runs, %d too large, %d inconclusive, %d differ, %d counts by compiler, %d without end, %d with races\n",
				s, programs[s], runs[s], large[s], open[s], differ[s], counts[s],
				endless[s], races[s] | "sort"
		close("sort")
		exit !programs["all"] || differ["all"]
	}'
status=$?
rm -f "$out"/[0-9]*.log
exit $status
