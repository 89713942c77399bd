# SPDX-License-Identifier: BSD-2-Clause
#
# tbb.sh - the tests of oneTBB's containers (source package onetbb), with the library

unpacked onetbb
common="-std=c++14 -mrtm -mwaitpkg -I$source/include -I$source/test -D__TBB_BUILD=1"
mkdir library
for of in "$source"/src/tbb/*.cpp; do
	# shellcheck disable=SC2086 # words on purpose
	compile_cxx "library/$(basename "$of").o" $common -c "$of"
done
for kind in queue priority_queue hash_map; do
	# shellcheck disable=SC2086
	compile_cxx "tbb-$kind-run" $common "$source/test/tbb/test_concurrent_$kind.cpp" library/*.o -ldl
done
