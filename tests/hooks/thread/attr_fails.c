/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attr_fails.c - attributes of threads that are none
 *
 * None of these calls is intercepted: heddle must not be in their way, and threads are as they say.
 *
 * case pthread_attr_setdetachstate_EINVAL: ok 1
 * case pthread_attr_setstacksize_EINVAL: ok 1
 * case pthread_attr_setstack_EINVAL: ok 1
 * case pthread_attr_setinheritsched_EINVAL: ok 1
 * case pthread_attr_setschedpolicy_EINVAL: ok 1
 * case pthread_attr_setschedparam_EINVAL: ok 1
 * case pthread_attr_setscope_EINVAL: ok 1
 * case pthread_attr_setscope_ENOTSUP: ok 1
 * case pthread_attr_begins_with_the_defaults: ok 1
 * case pthread_attr_gives_back_what_was_set: ok 1
 * case pthread_setattr_default_np_EINVAL: ok 1
 * case pthread_setattr_default_np_counts: ok 1
 * case pthread_getattr_np_of_the_caller: ok 1
 * case pthread_setconcurrency_EINVAL: ok 1
 * case pthread_barrierattr_gives_back_what_was_set: ok 1
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <sched.h>

#include "hooks/fails.h"

/* In attr, as pthread_attr_init() makes it. */
#define WITH(body)                                     \
	do {                                           \
		pthread_attr_t attr;                   \
		GIVES(0, pthread_attr_init(&attr));    \
		body;                                  \
		GIVES(0, pthread_attr_destroy(&attr)); \
	} while (0)

static void *detach_somehow(void *arg)
{
	int state;

	WITH({
		GIVES(EINVAL, pthread_attr_setdetachstate(&attr, 2));
		GIVES(EINVAL, pthread_attr_setdetachstate(&attr, -1));
		GIVES(0, pthread_attr_getdetachstate(&attr, &state));
		assert(state == PTHREAD_CREATE_JOINABLE);
	});
	return arg;
}

static void pthread_attr_setdetachstate_EINVAL(void)
{
	BOTH(detach_somehow);
}

static void *too_small_a_stack(void *arg)
{
	size_t before, size;

	WITH({
		GIVES(0, pthread_attr_getstacksize(&attr, &before));
		GIVES(EINVAL, pthread_attr_setstacksize(&attr, 0));
		GIVES(EINVAL, pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN - 1));
		GIVES(0, pthread_attr_getstacksize(&attr, &size));
		assert(size == before);
	});
	return arg;
}

static void pthread_attr_setstacksize_EINVAL(void)
{
	BOTH(too_small_a_stack);
}

static void *too_small_a_stack_of_ones_own(void *arg)
{
	static char stack[64];

	WITH({
		GIVES(EINVAL, pthread_attr_setstack(&attr, stack, sizeof(stack)));
		GIVES(EINVAL, pthread_attr_setstack(&attr, stack, 0));
	});
	return arg;
}

static void pthread_attr_setstack_EINVAL(void)
{
	BOTH(too_small_a_stack_of_ones_own);
}

static void *inherit_somehow(void *arg)
{
	int inherit;

	WITH({
		GIVES(EINVAL, pthread_attr_setinheritsched(&attr, 2));
		GIVES(EINVAL, pthread_attr_setinheritsched(&attr, -1));
		GIVES(0, pthread_attr_getinheritsched(&attr, &inherit));
		assert(inherit == PTHREAD_INHERIT_SCHED);
	});
	return arg;
}

static void pthread_attr_setinheritsched_EINVAL(void)
{
	BOTH(inherit_somehow);
}

static void *schedule_somehow(void *arg)
{
	int policy;

	WITH({
		GIVES(EINVAL, pthread_attr_setschedpolicy(&attr, -1));
		GIVES(EINVAL, pthread_attr_setschedpolicy(&attr, 77));
		GIVES(0, pthread_attr_getschedpolicy(&attr, &policy));
		assert(policy == SCHED_OTHER);
	});
	return arg;
}

static void pthread_attr_setschedpolicy_EINVAL(void)
{
	BOTH(schedule_somehow);
}

/* Each policy has its own priorities. */
static void *too_high_a_priority(void *arg)
{
	struct sched_param param = { .sched_priority = 1 };

	WITH({
		GIVES(EINVAL, pthread_attr_setschedparam(&attr, &param));
		GIVES(0, pthread_attr_setschedpolicy(&attr, SCHED_FIFO));
		GIVES(0, pthread_attr_setschedparam(&attr, &param));
		param.sched_priority = sched_get_priority_max(SCHED_FIFO) + 1;
		GIVES(EINVAL, pthread_attr_setschedparam(&attr, &param));
		GIVES(0, pthread_attr_getschedparam(&attr, &param));
		assert(param.sched_priority == 1);
	});
	return arg;
}

static void pthread_attr_setschedparam_EINVAL(void)
{
	BOTH(too_high_a_priority);
}

static void *scope_somewhere(void *arg)
{
	int scope;

	WITH({
		GIVES(EINVAL, pthread_attr_setscope(&attr, 77));
		GIVES(0, pthread_attr_getscope(&attr, &scope));
		assert(scope == PTHREAD_SCOPE_SYSTEM);
	});
	return arg;
}

static void pthread_attr_setscope_EINVAL(void)
{
	BOTH(scope_somewhere);
}

static void *scope_of_the_process(void *arg)
{
	WITH({
		GIVES(ENOTSUP, pthread_attr_setscope(&attr, PTHREAD_SCOPE_PROCESS));
		GIVES(0, pthread_attr_setscope(&attr, PTHREAD_SCOPE_SYSTEM));
	});
	return arg;
}

static void pthread_attr_setscope_ENOTSUP(void)
{
	BOTH(scope_of_the_process);
}

static void *defaults(void *arg)
{
	struct sched_param param;
	size_t guard, stack;
	int value;

	WITH({
		GIVES(0, pthread_attr_getdetachstate(&attr, &value));
		assert(value == PTHREAD_CREATE_JOINABLE);
		GIVES(0, pthread_attr_getinheritsched(&attr, &value));
		assert(value == PTHREAD_INHERIT_SCHED);
		GIVES(0, pthread_attr_getschedpolicy(&attr, &value));
		assert(value == SCHED_OTHER);
		GIVES(0, pthread_attr_getschedparam(&attr, &param));
		assert(param.sched_priority == 0);
		GIVES(0, pthread_attr_getguardsize(&attr, &guard));
		assert(guard > 0);
		GIVES(0, pthread_attr_getstacksize(&attr, &stack));
		assert(stack >= (size_t)PTHREAD_STACK_MIN);
	});
	return arg;
}

static void pthread_attr_begins_with_the_defaults(void)
{
	BOTH(defaults);
}

static void *set_and_get(void *arg)
{
	static char stack[1 << 16];
	size_t size;
	void *address;
	int value;

	WITH({
		GIVES(0, pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
		GIVES(0, pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
		GIVES(0, pthread_attr_setschedpolicy(&attr, SCHED_RR));
		GIVES(0, pthread_attr_setguardsize(&attr, 0));
		GIVES(0, pthread_attr_setstack(&attr, stack, sizeof(stack)));
		GIVES(0, pthread_attr_getdetachstate(&attr, &value));
		assert(value == PTHREAD_CREATE_DETACHED);
		GIVES(0, pthread_attr_getinheritsched(&attr, &value));
		assert(value == PTHREAD_EXPLICIT_SCHED);
		GIVES(0, pthread_attr_getschedpolicy(&attr, &value));
		assert(value == SCHED_RR);
		GIVES(0, pthread_attr_getguardsize(&attr, &size));
		assert(size == 0);
		GIVES(0, pthread_attr_getstack(&attr, &address, &size));
		assert(address == stack && size == sizeof(stack));
	});
	return arg;
}

static void pthread_attr_gives_back_what_was_set(void)
{
	BOTH(set_and_get);
}

/* A stack is each thread's own. */
static void *default_with_a_stack(void *arg)
{
	static char stack[1 << 16];

	WITH({
		GIVES(0, pthread_attr_setstack(&attr, stack, sizeof(stack)));
		GIVES(EINVAL, pthread_setattr_default_np(&attr));
	});
	return arg;
}

static void pthread_setattr_default_np_EINVAL(void)
{
	BOTH(default_with_a_stack);
}

enum {
	MIB = 1 << 20
};

static void *use_20_mib(void *arg)
{
	volatile char much[20 * MIB];

	for (size_t i = 0; i < sizeof(much); i += 4096)
		much[i] = 1;
	assert(much[4096] == 1);
	return arg;
}

/* Of threads without attributes, and of attributes that do not say otherwise. */
static void pthread_setattr_default_np_counts(void)
{
	pthread_attr_t wanted;
	size_t size;

	GIVES(0, pthread_getattr_default_np(&wanted));
	GIVES(0, pthread_attr_setstacksize(&wanted, 32 * MIB));
	GIVES(0, pthread_setattr_default_np(&wanted));
	GIVES(0, pthread_attr_destroy(&wanted));
	THREADS(2, use_20_mib);
	WITH({
		GIVES(0, pthread_attr_getstacksize(&attr, &size));
		assert(size == 32 * MIB);
	});
}

static void *look_at_oneself(void *arg)
{
	pthread_attr_t attr;
	int state, here;
	void *stack;
	size_t size;

	GIVES(0, pthread_getattr_np(pthread_self(), &attr));
	GIVES(0, pthread_attr_getdetachstate(&attr, &state));
	assert(state == PTHREAD_CREATE_JOINABLE);
	GIVES(0, pthread_attr_getstack(&attr, &stack, &size));
	assert((char *)&here >= (char *)stack && (char *)&here < (char *)stack + size);
	GIVES(0, pthread_attr_destroy(&attr));
	return arg;
}

static void pthread_getattr_np_of_the_caller(void)
{
	THREADS(2, look_at_oneself);
}

static void *no_concurrency(void *arg)
{
	GIVES(EINVAL, pthread_setconcurrency(-1));
	GIVES(0, pthread_setconcurrency(0));
	return arg;
}

static void pthread_setconcurrency_EINVAL(void)
{
	BOTH(no_concurrency);
}

static void *share_a_barrier(void *arg)
{
	pthread_barrierattr_t attr;
	int pshared;

	GIVES(0, pthread_barrierattr_init(&attr));
	GIVES(0, pthread_barrierattr_getpshared(&attr, &pshared));
	assert(pshared == PTHREAD_PROCESS_PRIVATE);
	GIVES(0, pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
	GIVES(0, pthread_barrierattr_getpshared(&attr, &pshared));
	assert(pshared == PTHREAD_PROCESS_SHARED);
	GIVES(0, pthread_barrierattr_destroy(&attr));
	return arg;
}

static void pthread_barrierattr_gives_back_what_was_set(void)
{
	BOTH(share_a_barrier);
}

CASES(CASE(pthread_attr_setdetachstate_EINVAL), CASE(pthread_attr_setstacksize_EINVAL),
      CASE(pthread_attr_setstack_EINVAL), CASE(pthread_attr_setinheritsched_EINVAL),
      CASE(pthread_attr_setschedpolicy_EINVAL), CASE(pthread_attr_setschedparam_EINVAL),
      CASE(pthread_attr_setscope_EINVAL), CASE(pthread_attr_setscope_ENOTSUP),
      CASE(pthread_attr_begins_with_the_defaults), CASE(pthread_attr_gives_back_what_was_set),
      CASE(pthread_setattr_default_np_EINVAL), CASE(pthread_setattr_default_np_counts),
      CASE(pthread_getattr_np_of_the_caller), CASE(pthread_setconcurrency_EINVAL),
      CASE(pthread_barrierattr_gives_back_what_was_set))
