# SPDX-License-Identifier: BSD-2-Clause
#
# urcu.sh - the tests and benchmarks of Userspace RCU (source package liburcu), with the library
#
# With its port for compilers' builtins, which it has for RISC-V: each operation of the inline assembly of the one for
# x86 is a signal. Its header of the architecture is kept out for that.

unpacked liburcu
port='-D_GNU_SOURCE -D_URCU_ARCH_H -DURCU_ARCH_RISCV=1 -include urcu/arch/generic.h'
mkdir configured
(
	cd configured || exit
	"$source/configure" -q --disable-shared CFLAGS='-O2 -g -w' && make -k -j2 CPPFLAGS="$port" -C src &&
		make -k -j2 CPPFLAGS="$port" -C tests
)
for folder in benchmark regression unit; do
	for made in configured/tests/"$folder"/*; do
		name=${made##*/}
		if test -f "$made" && test -x "$made" && test "$name" = "${name%.*}"; then
			cp "$made" "urcu-${name#test_}"
		fi
	done
done
