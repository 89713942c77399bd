/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attr.c - attributes, names, processors and priorities of threads
 *
 * case a_stack_of_the_size_asked_for: ok 1
 * case a_stack_larger_than_usual: ok 1
 * case a_stack_of_the_program_s_own: ok 1
 * case it_is_used: ok 3
 * case it_is_used_one_after_the_other: ok 1
 * case another_thread_writes_to_it: ok 1
 * case a_thread_waits_on_it: ok 1
 * case main_is_told_of_it: ok 1
 * case detached_from_the_start: ok 1
 * case names_are_kept: ok 1
 * case a_name_for_another_thread: ok 1
 * case bound_to_a_processor: ok 1
 * case priorities_are_accepted: ok 1
 * case yield_is_no_event: ok 1
 *
 * Hardly any call for attributes is intercepted: heddle must not be in their way, and threads are as they say.
 *
 * never fails: pthread_getattr_np
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
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "hooks/fails.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

enum {
	LARGE = 3 << 20,
	VERY_LARGE = 40 << 20
};

static void *use_much(void *arg)
{
	volatile char much[LARGE - (LARGE >> 2)];

	much[0] = much[sizeof(much) - 1] = 1;
	assert(much[0] == 1);
	return arg;
}

static void start_and_join(const pthread_attr_t *attr, void *(*fn)(void *))
{
	pthread_t t;

	assert(pthread_create(&t, attr, fn, NULL) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void a_stack_of_the_size_asked_for(void)
{
	pthread_attr_t attr;
	size_t size = 0;

	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setstacksize(&attr, LARGE) == 0);
	assert(pthread_attr_getstacksize(&attr, &size) == 0);
	assert(size == LARGE);
	start_and_join(&attr, use_much);
	assert(pthread_attr_destroy(&attr) == 0);
}

static void *use_little(void *arg)
{
	return arg;
}

static char area[1 << 18] __attribute__((aligned(4096)));

static void a_stack_of_the_program_s_own(void)
{
	pthread_attr_t attr;

	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setstack(&attr, area, sizeof(area)) == 0);
	start_and_join(&attr, use_little);
	assert(pthread_attr_destroy(&attr) == 0);
}

static char given[2][256 << 10];
static atomic_int number;

static void check_stack(const char *stack)
{
	pthread_attr_t attr;
	size_t size = 0;
	void *low = NULL;

	assert((uintptr_t)&attr - (uintptr_t)stack < sizeof(given[0]));
	assert(pthread_getattr_np(pthread_self(), &attr) == 0);
	assert(pthread_attr_getstack(&attr, &low, &size) == 0);
	assert(low == stack && size == sizeof(given[0]));
	assert(pthread_attr_destroy(&attr) == 0);
}

static pthread_t start_on(char *stack, void *(*fn)(void *))
{
	pthread_attr_t attr;
	pthread_t t;

	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setstack(&attr, stack, sizeof(given[0])) == 0);
	assert(pthread_create(&t, &attr, fn, stack) == 0);
	assert(pthread_attr_destroy(&attr) == 0);
	return t;
}

static void *exchange_there(void *arg)
{
	int before = atomic_load(&number);

	check_stack(arg);
	atomic_store(&number, before + 1);
	check_stack(arg);
	return arg;
}

/* Each finds 0 or 1, not both 1. */
static void it_is_used(void)
{
	char before = given[0][100]++;
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		t[i] = start_on(given[i], exchange_there);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
	assert(before == 0 && given[0][100] == 1); /* what is deep in it stays */
}

static void *find_it(void *arg)
{
	check_stack(arg);
	assert(given[0][100] == 7);
	return arg;
}

static void it_is_used_one_after_the_other(void)
{
	pthread_t t;

	given[0][100] = 7;
	for (int i = 0; i < 4; i++) {
		t = start_on(given[0], find_it);
		assert(pthread_join(t, NULL) == 0);
		start_and_join(NULL, use_little);
	}
}

static _Atomic(atomic_int *) there;

static void *show_it(void *arg)
{
	atomic_int mine;

	atomic_init(&mine, 0);
	atomic_store(&there, &mine);
	while (!atomic_load(&mine))
		;
	return arg;
}

/* As in a lock with a queue of nodes, which are on the stacks of those who wait. */
static void another_thread_writes_to_it(void)
{
	pthread_t t = start_on(given[0], show_it);
	atomic_int *p;

	while (!(p = atomic_load(&there)))
		;
	atomic_store(p, 1);
	assert(pthread_join(t, NULL) == 0);
}

static void *wait_for_two(void *arg)
{
	volatile int rounds = 0;

	while (atomic_load(&number) < 2)
		rounds = 1;
	return arg;
}

static void a_thread_waits_on_it(void)
{
	pthread_t t = start_on(given[0], wait_for_two);

	atomic_store(&number, 1);
	atomic_store(&number, 2);
	assert(pthread_join(t, NULL) == 0);
}

static atomic_int may_end;

static void *end_later(void *arg)
{
	while (!atomic_load(&may_end))
		;
	return arg;
}

static void main_is_told_of_it(void)
{
	pthread_t t = start_on(given[1], end_later);
	pthread_attr_t attr;
	size_t size = 0;
	void *low = NULL;

	assert(pthread_getattr_np(t, &attr) == 0);
	assert(pthread_attr_getstack(&attr, &low, &size) == 0);
	assert(low == given[1] && size == sizeof(given[1]));
	atomic_store(&may_end, 1);
	assert(pthread_join(t, NULL) == 0);
}

static void *lock(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static pthread_t start_detached(void *(*fn)(void *))
{
	pthread_attr_t attr;
	pthread_t t;

	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
	assert(pthread_create(&t, &attr, fn, NULL) == 0);
	assert(pthread_attr_destroy(&attr) == 0);
	return t;
}

static void detached_from_the_start(void)
{
	start_detached(use_little);
}

static void *have_a_name(void *arg)
{
	char name[16] = "";

	assert(pthread_setname_np(pthread_self(), "worker") == 0);
	assert(pthread_getname_np(pthread_self(), name, sizeof(name)) == 0);
	assert(!strcmp(name, "worker"));
	return arg;
}

static void names_are_kept(void)
{
	char name[16] = "";

	assert(pthread_setname_np(pthread_self(), "first") == 0);
	start_and_join(NULL, have_a_name);
	assert(pthread_getname_np(pthread_self(), name, sizeof(name)) == 0);
	assert(!strcmp(name, "first"));
}

static void a_name_for_another_thread(void)
{
	char name[16] = "";
	pthread_t t;

	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_create(&t, NULL, lock, NULL) == 0);
	assert(pthread_setname_np(t, "other") == 0);
	assert(pthread_getname_np(t, name, sizeof(name)) == 0);
	assert(!strcmp(name, "other"));
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static int first_cpu(void)
{
	cpu_set_t all;

	assert(sched_getaffinity(0, sizeof(all), &all) == 0);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all))
			return i;
	return -1;
}

static void *bind_oneself(void *arg)
{
	int cpu = first_cpu();
	cpu_set_t one, now;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert(pthread_setaffinity_np(pthread_self(), sizeof(one), &one) == 0);
	assert(pthread_getaffinity_np(pthread_self(), sizeof(now), &now) == 0);
	assert(CPU_EQUAL(&one, &now));
	assert(sched_getaffinity(0, sizeof(now), &now) == 0);
	assert(CPU_EQUAL(&one, &now));
	assert(sched_setaffinity(0, sizeof(one), &one) == 0);
	return arg;
}

static void bound_to_a_processor(void)
{
	start_and_join(NULL, bind_oneself);
}

static void *set_priorities(void *arg)
{
	struct sched_param param = { .sched_priority = 0 };
	int policy = -1;

	assert(pthread_getschedparam(pthread_self(), &policy, &param) == 0);
	assert(pthread_setschedparam(pthread_self(), policy, &param) == 0);
	assert(pthread_setschedprio(pthread_self(), param.sched_priority) == 0);
	assert(pthread_setschedparam(pthread_self(), -1, &param) == EINVAL);
	return arg;
}

static void priorities_are_accepted(void)
{
	start_and_join(NULL, set_priorities);
}

static void *yield(void *arg)
{
	assert(sched_yield() == 0);
	return arg;
}

static void yield_is_no_event(void)
{
	THREADS(2, yield);
}

static void *use_very_much(void *arg)
{
	volatile char much[VERY_LARGE - (VERY_LARGE >> 2)];

	much[0] = much[sizeof(much) - 1] = 1;
	assert(much[0] == 1);
	return arg;
}

/* The first thread as well as those behind it. */
static void a_stack_larger_than_usual(void)
{
	pthread_attr_t attr;
	pthread_t t[2];

	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setstacksize(&attr, VERY_LARGE) == 0);
	for (int i = 0; i < 2; i++)
		assert(pthread_create(&t[i], &attr, use_very_much, NULL) == 0);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
	assert(pthread_attr_destroy(&attr) == 0);
}

/* --- how they fail ---------------------------------------------------------------------------- */

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

CASES(CASE(a_stack_of_the_size_asked_for), CASE(a_stack_larger_than_usual),
      CASE(a_stack_of_the_program_s_own), CASE(it_is_used), CASE(it_is_used_one_after_the_other),
      CASE(another_thread_writes_to_it), CASE(a_thread_waits_on_it), CASE(main_is_told_of_it),
      CASE(detached_from_the_start), CASE(names_are_kept), CASE(a_name_for_another_thread),
      CASE(bound_to_a_processor), CASE(priorities_are_accepted), CASE(yield_is_no_event),
      CASE(pthread_attr_setdetachstate_EINVAL), CASE(pthread_attr_setstacksize_EINVAL),
      CASE(pthread_attr_setstack_EINVAL), CASE(pthread_attr_setinheritsched_EINVAL),
      CASE(pthread_attr_setschedpolicy_EINVAL), CASE(pthread_attr_setschedparam_EINVAL),
      CASE(pthread_attr_setscope_EINVAL), CASE(pthread_attr_setscope_ENOTSUP),
      CASE(pthread_attr_begins_with_the_defaults), CASE(pthread_attr_gives_back_what_was_set),
      CASE(pthread_setattr_default_np_EINVAL), CASE(pthread_setattr_default_np_counts),
      CASE(pthread_getattr_np_of_the_caller), CASE(pthread_setconcurrency_EINVAL),
      CASE(pthread_barrierattr_gives_back_what_was_set))
