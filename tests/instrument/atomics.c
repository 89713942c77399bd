/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * atomics.c - every atomic operation of every size, against plain arithmetic
 *
 * Compiled with heddle-cc and run alone, it tests the native library. Status 0 when all is well.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef unsigned __int128 wide;

#define EXPECT(cond)                                              \
	do {                                                      \
		if (!(cond)) {                                    \
			printf("line %d: %s\n", __LINE__, #cond); \
			failed = 1;                               \
		}                                                 \
	} while (0)

static int failed;

/* a and b differ in every byte. */
#define TEST_SIZE(type)                                                                            \
	static void test_##type(void)                                                              \
	{                                                                                          \
		static type x;                                                                     \
		const type a = (type)0x8182838485868788u * (type)3, b = (type)~a;                  \
		type e;                                                                            \
                                                                                                   \
		__atomic_store_n(&x, a, __ATOMIC_RELAXED);                                         \
		EXPECT(__atomic_load_n(&x, __ATOMIC_RELAXED) == a);                                \
		__atomic_store_n(&x, b, __ATOMIC_SEQ_CST);                                         \
		EXPECT(__atomic_load_n(&x, __ATOMIC_ACQUIRE) == b);                                \
		__atomic_store_n(&x, a, __ATOMIC_RELEASE);                                         \
		EXPECT(__atomic_exchange_n(&x, b, __ATOMIC_ACQ_REL) == a && x == b);               \
		EXPECT(__atomic_fetch_add(&x, a, __ATOMIC_SEQ_CST) == b && x == (type)(a + b));    \
		EXPECT(__atomic_fetch_sub(&x, a, __ATOMIC_RELAXED) == (type)(a + b) && x == b);    \
		EXPECT(__atomic_fetch_or(&x, 5, __ATOMIC_RELAXED) == b && x == (type)(b | 5));     \
		x = b;                                                                             \
		EXPECT(__atomic_fetch_and(&x, 6, __ATOMIC_RELAXED) == b && x == (type)(b & 6));    \
		x = b;                                                                             \
		EXPECT(__atomic_fetch_xor(&x, a, __ATOMIC_RELAXED) == b && x == (type)(b ^ a));    \
		x = b;                                                                             \
		EXPECT(__atomic_fetch_nand(&x, 7, __ATOMIC_RELAXED) == b && x == (type) ~(b & 7)); \
		x = e = a;                                                                         \
		EXPECT(__atomic_compare_exchange_n(&x, &e, b, false, __ATOMIC_SEQ_CST,             \
						   __ATOMIC_RELAXED));                             \
		EXPECT(x == b && e == a);                                                          \
		EXPECT(!__atomic_compare_exchange_n(&x, &e, 0, true, __ATOMIC_RELEASE,             \
						    __ATOMIC_ACQUIRE));                            \
		EXPECT(x == b && e == b);                                                          \
		EXPECT(__sync_val_compare_and_swap(&x, a, 1) == b && x == b);                      \
		EXPECT(__sync_val_compare_and_swap(&x, b, a) == b && x == a);                      \
		EXPECT(__atomic_add_fetch(&x, 1, __ATOMIC_SEQ_CST) == (type)(a + 1));              \
	}

TEST_SIZE(uint8_t)
TEST_SIZE(uint16_t)
TEST_SIZE(uint32_t)
TEST_SIZE(uint64_t)
TEST_SIZE(wide)

struct block {
	char bytes[100];
};

/* Plain accesses of every kind, volatile and unaligned ones included. */
static void test_plain(void)
{
	static volatile wide v16;
	static volatile uint64_t v8;
	static volatile uint8_t v1;
	static struct __attribute__((packed)) {
		char shift;
		uint16_t u2;
		uint32_t u4;
		volatile uint64_t u8;
	} packed;
	static struct block from = { "heddle" }, to;

	v16 = 1;
	v8 = 2;
	v1 = 3;
	packed.u2 = 4;
	packed.u4 = packed.u2 + 1u;
	packed.u8 = packed.u4 + 1u;
	to = from;
	EXPECT(v16 + v8 + v1 == 6);
	EXPECT(packed.u8 == 6);
	EXPECT(to.bytes[5] == 'e' && to.bytes[6] == '\0');
}

int main(void)
{
	test_uint8_t();
	test_uint16_t();
	test_uint32_t();
	test_uint64_t();
	test_wide();
	test_plain();
	atomic_thread_fence(memory_order_seq_cst);
	atomic_signal_fence(memory_order_seq_cst);
	return failed;
}
