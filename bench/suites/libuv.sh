# SPDX-License-Identifier: BSD-2-Clause
#
# libuv.sh - the tests of libuv (source package libuv1), the library and its runner

unpacked libuv1
mkdir configured
(
	cd configured &&
		cmake -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER="$CC" -DLIBUV_BUILD_TESTS=ON "$source" &&
		make -k -j2 uv_run_tests_a
)
cp configured/uv_run_tests_a libuv-run
