/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futexes.h - what cases about futexes that change words are written with
 */
#ifndef FUTEXES_H
#define FUTEXES_H

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/threads.h"

static atomic_uint word, other, done, turn;
int data; /* not static: see futex.c */

#define futex(w, op, val, timeout, w2, val3) syscall(SYS_futex, w, op, val, timeout, w2, val3)

static inline const void *count(unsigned long n)
{
	return (const void *)n;
}

static const struct timespec passed = { .tv_sec = 1 };

/* Of `word` and `other`. */
static inline long wake_op(unsigned n1, unsigned n2, unsigned op, unsigned arg, unsigned cmp,
			   unsigned with)
{
	return futex(&word, FUTEX_WAKE_OP_PRIVATE, n1, count(n2), &other,
		     FUTEX_OP(op, arg, cmp, with));
}

static inline void lock_now(atomic_uint *w)
{
	assert(futex(w, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0);
	assert((atomic_load(w) & FUTEX_TID_MASK) == (unsigned)gettid());
}

static inline void unlock_now(atomic_uint *w)
{
	assert(futex(w, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0);
}

static inline void lock(atomic_uint *w)
{
	unsigned c = 0;

	if (!atomic_compare_exchange_strong(w, &c, (unsigned)gettid()))
		lock_now(w);
}

static inline void unlock(atomic_uint *w)
{
	unsigned c = (unsigned)gettid();

	if (!atomic_compare_exchange_strong(w, &c, 0))
		unlock_now(w);
}

#endif
