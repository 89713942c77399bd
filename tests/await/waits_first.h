/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waits_first.h - a thread looks at x, in a function where another one has waited for y in the first executions
 *
 * What values would do to a thread is asked at places where threads are known to wait: so in all later executions.
 */
#ifndef WAITS_FIRST_H
#define WAITS_FIRST_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <heddle.h>

/* Values of x, which becomes STAY and then DONE, and of y, which becomes DONE. */
enum value {
	DONE = 1,
	COUNT,
	STAY,
	WAIT
};

static int x = COUNT, y = WAIT;

#define LOOK(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)

static inline void with(void *(*fn)(void *), void **result)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, fn, NULL) == 0);
	__atomic_store_n(&x, STAY, __ATOMIC_SEQ_CST);
	__atomic_store_n(&x, DONE, __ATOMIC_SEQ_CST);
	assert(pthread_join(t, result) == 0);
}

/* True in the executions that come first. */
static inline bool waits_for_y(void *(*fn)(void *))
{
	pthread_t t;
	bool first;

	assert(pthread_create(&t, NULL, fn, NULL) == 0);
	first = heddle_choose(2) == 0;
	__atomic_store_n(&y, DONE, __ATOMIC_SEQ_CST);
	assert(pthread_join(t, NULL) == 0);
	return first;
}

#endif
