# SPDX-License-Identifier: BSD-2-Clause
#
# tbb.sh - the tests of oneTBB's containers and locks (source package onetbb), with the library

unpacked onetbb
common="-std=c++14 -mrtm -mwaitpkg -I$source/include -I$source/test -D__TBB_BUILD=1"
mkdir -p library
for of in "$source"/src/tbb/*.cpp; do
	# shellcheck disable=SC2086 # words on purpose
	compile_cxx "library/$(basename "$of").o" $common -c "$of"
done
for test in tbb/test_mutex tbb/test_semaphore conformance/conformance_collaborative_call_once \
	tbb/test_concurrent_queue conformance/conformance_concurrent_queue \
	tbb/test_concurrent_priority_queue conformance/conformance_concurrent_priority_queue \
	tbb/test_concurrent_vector conformance/conformance_concurrent_vector \
	tbb/test_concurrent_hash_map tbb/test_concurrent_unordered_set tbb/test_concurrent_unordered_map; do
	name=$(basename "$test")
	# shellcheck disable=SC2086
	compile_cxx "tbb-${name#test_}-run" $common "$source/test/$test.cpp" library/*.o -ldl
done
