/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * native_atomic.c - atomic operations of 1 to 8 bytes and fences, run natively
 *
 * The order asked for is known only at run time. Loads are sequentially consistent whatever
 * was asked, since that costs nothing on x86; so is every read-modify-write. A store
 * that is not seq_cst is a release store, which saves the locked instruction.
 */
#include "native.h"

#include <stdbool.h>
#include <stdint.h>

#define RMW(bits, type, name, builtin)                                                  \
	NATIVE(type, __tsan_atomic##bits##_##name, volatile type *p, type v, int order) \
	{                                                                               \
		(void)order;                                                            \
		return builtin(p, v, __ATOMIC_SEQ_CST);                                 \
	}

/* The caller's expected value is replaced when the comparison fails. */
#define CAS(bits, type, name)                                                                     \
	NATIVE(bool, __tsan_atomic##bits##_compare_exchange_##name, volatile type *p,             \
	       type *expected, type desired, int order, int fail_order)                           \
	{                                                                                         \
		(void)order;                                                                      \
		(void)fail_order;                                                                 \
		return __atomic_compare_exchange_n(p, expected, desired, false, __ATOMIC_SEQ_CST, \
						   __ATOMIC_SEQ_CST);                             \
	}

#define ATOMICS(bits, type)                                                                       \
	NATIVE(type, __tsan_atomic##bits##_load, const volatile type *p, int order)               \
	{                                                                                         \
		(void)order;                                                                      \
		return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                      \
	}                                                                                         \
	NATIVE(void, __tsan_atomic##bits##_store, volatile type *p, type v, int order)            \
	{                                                                                         \
		if (order == __ATOMIC_SEQ_CST)                                                    \
			__atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                 \
		else                                                                              \
			__atomic_store_n(p, v, __ATOMIC_RELEASE);                                 \
	}                                                                                         \
	RMW(bits, type, exchange, __atomic_exchange_n)                                            \
	RMW(bits, type, fetch_add, __atomic_fetch_add)                                            \
	RMW(bits, type, fetch_sub, __atomic_fetch_sub)                                            \
	RMW(bits, type, fetch_and, __atomic_fetch_and)                                            \
	RMW(bits, type, fetch_or, __atomic_fetch_or)                                              \
	RMW(bits, type, fetch_xor, __atomic_fetch_xor)                                            \
	RMW(bits, type, fetch_nand, __atomic_fetch_nand)                                          \
	CAS(bits, type, strong)                                                                   \
	CAS(bits, type, weak)                                                                     \
	NATIVE(type, __tsan_atomic##bits##_compare_exchange_val, volatile type *p, type expected, \
	       type desired, int order, int fail_order)                                           \
	{                                                                                         \
		(void)order;                                                                      \
		(void)fail_order;                                                                 \
		__atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_SEQ_CST,       \
					    __ATOMIC_SEQ_CST);                                    \
		return expected;                                                                  \
	}

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

NATIVE(void, __tsan_atomic_thread_fence, int order)
{
	(void)order;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

NATIVE(void, __tsan_atomic_signal_fence, int order)
{
	(void)order;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
