# SPDX-License-Identifier: BSD-2-Clause
#
# boost.sh - the tests of Boost.Lockfree (source package boost1.74)

unpacked boost1.74
common="-std=c++14 -I$source -I$source/libs/lockfree/test -DBOOST_ALL_NO_LIB -DBOOST_THREAD_BUILD_LIB -DBOOST_LOCKFREE_INCLUDE_TESTS"
for of in pthread/thread pthread/once future; do
	# shellcheck disable=SC2086 # words on purpose
	compile_cxx "$(basename $of).o" $common -c "$source/libs/thread/src/$of.cpp"
done
for kind in spsc_queue_stress_test queue_bounded_stress_test stack_bounded_stress_test; do
	# shellcheck disable=SC2086
	compile_cxx "boost-$kind" $common "$source/libs/lockfree/test/$kind.cpp" ./*.o -latomic
done
