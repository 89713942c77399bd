/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * registers.c - what hooks leave in registers is part of the state of a thread
 *
 * A compiler may keep the upper part of a register of which it needs the lower one: clang does so with what std::lock() has
 * found out, behind a plain read. Then a thread is back where it was only if hooks leave the same there each time. There are as many
 * executions as where nothing is kept.
 *
 * case keeps_nothing: ok 19
 * case keeps_after_a_read: ok 19
 * case keeps_after_a_known_read: ok 19
 * case keeps_after_a_read -m sc: ok 19
 * case keeps_after_a_read --no-memo: ok 19
 * case keeps_after_an_odd_read: ok 19
 * case keeps_after_a_call: ok 19
 */
#include <pthread.h>

#include "three.h"

static pthread_mutex_t m[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int taken;
static volatile int plain;
/* It lies in two times eight bytes. */
static struct {
	char c[6];
	volatile int read;
} __attribute__((packed, aligned(8))) odd;

/* What the last call has left; rax and rdx of one may be its result. */
#define AFTER_A_CALL(left) __asm__ volatile("" : "=c"((left)[0]), "=S"((left)[1]), "=D"((left)[2]))
#define AFTER_A_READ(left)                                                                     \
	__asm__ volatile(""                                                                    \
			 : "=c"((left)[0]), "=S"((left)[1]), "=D"((left)[2]), "=a"((left)[3]), \
			   "=d"((left)[4]))

/* They take both locks, in either order, and begin again with the other one if the second is taken. */
#define TRY_BOTH(name, keep)                                                                       \
	static void *try_and_##name(void *arg)                                                     \
	{                                                                                          \
		long i = (long)arg, left[5] = { 0 };                                               \
                                                                                                   \
		for (;; i = !i) {                                                                  \
			pthread_mutex_lock(&m[i]);                                                 \
			if (!pthread_mutex_trylock(&m[!i]))                                        \
				break;                                                             \
			__asm__ volatile(""                                                        \
					 :                                                         \
					 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), \
					   "r"(left[4]));                                          \
			(void)plain;                                                               \
			pthread_mutex_unlock(&m[i]);                                               \
			keep;                                                                      \
		}                                                                                  \
		taken++;                                                                           \
		pthread_mutex_unlock(&m[0]);                                                       \
		pthread_mutex_unlock(&m[1]);                                                       \
		return arg;                                                                        \
	}                                                                                          \
	static void name(void)                                                                     \
	{                                                                                          \
		THREADS(2, try_and_##name);                                                        \
		assert(taken == 2);                                                                \
	}

TRY_BOTH(keeps_nothing, (void)plain)
TRY_BOTH(keeps_after_a_call, AFTER_A_CALL(left))
TRY_BOTH(keeps_after_a_read, (void)plain; AFTER_A_READ(left))
TRY_BOTH(keeps_after_a_known_read, (void)plain; (void)plain; AFTER_A_READ(left))
TRY_BOTH(keeps_after_an_odd_read, (void)odd.read; AFTER_A_READ(left))

CASES(CASE(keeps_nothing), CASE(keeps_after_a_call), CASE(keeps_after_a_read),
      CASE(keeps_after_a_known_read), CASE(keeps_after_an_odd_read))
