/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * native_atomic128.c - atomic operations of 16 bytes, run natively
 *
 * Everything is a loop around cmpxchg16b, which the compiler puts in place for __sync builtins
 * under -mcx16 (the __atomic ones would call libatomic). A load is a cmpxchg16b as well, since
 * older processors promise nothing else to be atomic: like libatomic's it writes back what
 * it reads, and so faults on read-only memory.
 */
#include "native.h"

#include <stdbool.h>

typedef unsigned __int128 word;

static word cas(volatile word *p, word expected, word desired)
{
	return __sync_val_compare_and_swap(p, expected, desired);
}

NATIVE(word, __tsan_atomic128_load, const volatile word *p, int order)
{
	(void)order;
	return cas((volatile word *)p, 0, 0);
}

#define RMW(name, expression)                                                      \
	NATIVE(word, __tsan_atomic128_##name, volatile word *p, word v, int order) \
	{                                                                          \
		word old = *p, seen;                                               \
                                                                                   \
		(void)order;                                                       \
		while ((seen = cas(p, old, (expression))) != old)                  \
			old = seen;                                                \
		return old;                                                        \
	}

RMW(exchange, v)
RMW(fetch_add, old + v)
RMW(fetch_sub, old - v)
RMW(fetch_and, old &v)
RMW(fetch_or, old | v)
RMW(fetch_xor, old ^ v)
RMW(fetch_nand, ~(old &v))

NATIVE(void, __tsan_atomic128_store, volatile word *p, word v, int order)
{
	word old = *p, seen;

	(void)order;
	while ((seen = cas(p, old, v)) != old)
		old = seen;
}

#define CAS(name)                                                                                \
	NATIVE(bool, __tsan_atomic128_compare_exchange_##name, volatile word *p, word *expected, \
	       word desired, int order, int fail_order)                                          \
	{                                                                                        \
		word seen = cas(p, *expected, desired);                                          \
		bool done = seen == *expected;                                                   \
                                                                                                 \
		(void)order;                                                                     \
		(void)fail_order;                                                                \
		if (!done)                                                                       \
			*expected = seen;                                                        \
		return done;                                                                     \
	}

CAS(strong)
CAS(weak)

NATIVE(word, __tsan_atomic128_compare_exchange_val, volatile word *p, word expected, word desired,
       int order, int fail_order)
{
	(void)order;
	(void)fail_order;
	return cas(p, expected, desired);
}
