/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_np.c - how calls for names, processors and priorities of threads fail
 *
 * ways pthread_setname_np: ERANGE
 * ways pthread_getname_np: ERANGE
 * ways pthread_setaffinity_np: EINVAL; not EFAULT ESRCH (undefined)
 * ways pthread_getaffinity_np: EINVAL; not EFAULT ESRCH (undefined)
 * ways sched_setaffinity: EINVAL ESRCH; not EFAULT (undefined) EPERM (depends on the user)
 * ways sched_getaffinity: EINVAL ESRCH; not EFAULT (undefined)
 * ways pthread_setschedparam: EINVAL; not ENOTSUP (Linux has all policies) EPERM (changes nothing)
 *	ESRCH (undefined)
 * ways pthread_setschedprio: EINVAL; not EPERM ESRCH (as above)
 * ways pthread_getschedparam: ; not ESRCH (undefined)
 *
 * case pthread_setname_np_ERANGE: ok 1
 * case pthread_getname_np_ERANGE: ok 1
 * case pthread_setaffinity_np_EINVAL: ok 1
 * case pthread_getaffinity_np_EINVAL: ok 1
 * case sched_setaffinity_EINVAL: ok 1
 * case sched_setaffinity_ESRCH: ok 1
 * case sched_getaffinity_EINVAL: ok 1
 * case sched_getaffinity_ESRCH: ok 1
 * case sched_setaffinity_by_id: ok 1
 * case pthread_setschedparam_EINVAL: ok 1
 * case pthread_setschedprio_EINVAL: ok 1
 * case pthread_getschedparam_gives_what_was_set: ok 1
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "posix.h"

static void *too_long_a_name(void *arg)
{
	char name[16];

	GIVES(0, pthread_getname_np(pthread_self(), name, sizeof(name)));
	GIVES(0, pthread_setname_np(pthread_self(), "fifteen letters"));
	GIVES(ERANGE, pthread_setname_np(pthread_self(), "sixteen letters."));
	GIVES(0, pthread_getname_np(pthread_self(), name, sizeof(name)));
	assert(!strcmp(name, "fifteen letters"));
	GIVES(0, pthread_setname_np(pthread_self(), ""));
	GIVES(0, pthread_getname_np(pthread_self(), name, sizeof(name)));
	assert(!strcmp(name, ""));
	return arg;
}

static void pthread_setname_np_ERANGE(void)
{
	BOTH(too_long_a_name);
}

static void *too_small_for_a_name(void *arg)
{
	char name[15];

	GIVES(ERANGE, pthread_getname_np(pthread_self(), name, sizeof(name)));
	GIVES(ERANGE, pthread_getname_np(pthread_self(), name, 0));
	return arg;
}

static void pthread_getname_np_ERANGE(void)
{
	BOTH(too_small_for_a_name);
}

/* ---- Processors -------------------------------------------------------------------------- */

static void *bind_to_none(void *arg)
{
	cpu_set_t before, after, none;

	CPU_ZERO(&none);
	GIVES(0, pthread_getaffinity_np(pthread_self(), sizeof(before), &before));
	GIVES(EINVAL, pthread_setaffinity_np(pthread_self(), sizeof(none), &none));
	GIVES(EINVAL, pthread_setaffinity_np(pthread_self(), 0, &before));
	GIVES(0, pthread_getaffinity_np(pthread_self(), sizeof(after), &after));
	assert(CPU_EQUAL(&before, &after));
	return arg;
}

static void pthread_setaffinity_np_EINVAL(void)
{
	BOTH(bind_to_none);
}

/* No system has so few processors that this is room enough, or counts them by bytes. */
static void *too_small_for_processors(void *arg)
{
	cpu_set_t cpus;

	for (int bound = 0; bound < 2; bound++) {
		GIVES(EINVAL, pthread_getaffinity_np(pthread_self(), 1, &cpus));
		GIVES(EINVAL, pthread_getaffinity_np(pthread_self(), sizeof(cpus) - 1, &cpus));
		GIVES(0, pthread_getaffinity_np(pthread_self(), sizeof(cpus), &cpus));
		GIVES(0, pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus));
	}
	return arg;
}

static void pthread_getaffinity_np_EINVAL(void)
{
	BOTH(too_small_for_processors);
}

static void *bind_by_id_to_none(void *arg)
{
	cpu_set_t none;

	CPU_ZERO(&none);
	FAILS(EINVAL, sched_setaffinity(0, sizeof(none), &none));
	FAILS(EINVAL, sched_setaffinity(getpid(), sizeof(none), &none));
	return arg;
}

static void sched_setaffinity_EINVAL(void)
{
	BOTH(bind_by_id_to_none);
}

static void *bind_nobody(void *arg)
{
	cpu_set_t cpus;

	assert(sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
	FAILS(ESRCH, sched_setaffinity(INT_MAX, sizeof(cpus), &cpus));
	FAILS(ESRCH, sched_setaffinity(-1, sizeof(cpus), &cpus));
	return arg;
}

static void sched_setaffinity_ESRCH(void)
{
	BOTH(bind_nobody);
}

static void *too_small_by_id(void *arg)
{
	cpu_set_t cpus;

	FAILS(EINVAL, sched_getaffinity(0, 1, &cpus));
	FAILS(EINVAL, sched_getaffinity(getpid(), sizeof(cpus) - 1, &cpus));
	return arg;
}

static void sched_getaffinity_EINVAL(void)
{
	BOTH(too_small_by_id);
}

static void *ask_about_nobody(void *arg)
{
	cpu_set_t cpus;

	FAILS(ESRCH, sched_getaffinity(INT_MAX, sizeof(cpus), &cpus));
	FAILS(ESRCH, sched_getaffinity(-1, sizeof(cpus), &cpus));
	return arg;
}

static void sched_getaffinity_ESRCH(void)
{
	BOTH(ask_about_nobody);
}

/* An id is that of one thread: the process's own is the main thread's. */
static void *bind_main_and_oneself(void *arg)
{
	cpu_set_t all, one, now;
	int first = 0;

	assert(sched_getaffinity(gettid(), sizeof(all), &all) == 0);
	while (!CPU_ISSET(first, &all))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert(sched_setaffinity(gettid(), sizeof(one), &one) == 0);
	assert(sched_getaffinity(0, sizeof(now), &now) == 0);
	assert(CPU_EQUAL(&now, &one));
	assert(sched_getaffinity(getpid(), sizeof(now), &now) == 0);
	assert(CPU_EQUAL(&now, &all));
	return arg;
}

static void sched_setaffinity_by_id(void)
{
	THREADS(2, bind_main_and_oneself);
}

/* ---- Priorities -------------------------------------------------------------------------- */

static void *schedule_wrongly(void *arg)
{
	struct sched_param param = { .sched_priority = 0 };

	GIVES(EINVAL, pthread_setschedparam(pthread_self(), SCHED_FIFO, &param));
	GIVES(EINVAL, pthread_setschedparam(pthread_self(), -1, &param));
	GIVES(EINVAL, pthread_setschedparam(pthread_self(), 77, &param));
	param.sched_priority = 1;
	GIVES(EINVAL, pthread_setschedparam(pthread_self(), SCHED_OTHER, &param));
	param.sched_priority = sched_get_priority_max(SCHED_RR) + 1;
	GIVES(EINVAL, pthread_setschedparam(pthread_self(), SCHED_RR, &param));
	param.sched_priority = -1;
	GIVES(EINVAL, pthread_setschedparam(pthread_self(), SCHED_OTHER, &param));
	GIVES(EINVAL, pthread_setschedparam(pthread_self(), 77, &param));
	return arg;
}

static void pthread_setschedparam_EINVAL(void)
{
	BOTH(schedule_wrongly);
}

static void *too_high_a_priority(void *arg)
{
	GIVES(EINVAL, pthread_setschedprio(pthread_self(), 1));
	GIVES(EINVAL, pthread_setschedprio(pthread_self(), -1));
	GIVES(0, pthread_setschedprio(pthread_self(), 0));
	return arg;
}

static void pthread_setschedprio_EINVAL(void)
{
	BOTH(too_high_a_priority);
}

static void *schedule_as_a_batch(void *arg)
{
	struct sched_param param = { .sched_priority = 0 };
	int policy;

	GIVES(0, pthread_getschedparam(pthread_self(), &policy, &param));
	assert(policy == SCHED_OTHER && param.sched_priority == 0);
	GIVES(0, pthread_setschedparam(pthread_self(), SCHED_BATCH, &param));
	param.sched_priority = 77;
	GIVES(0, pthread_getschedparam(pthread_self(), &policy, &param));
	assert(policy == SCHED_BATCH && param.sched_priority == 0);
	GIVES(0, pthread_setschedprio(pthread_self(), 0));
	GIVES(0, pthread_getschedparam(pthread_self(), &policy, &param));
	assert(policy == SCHED_BATCH && param.sched_priority == 0);
	GIVES(EINVAL, pthread_setschedparam(pthread_self(), 77, &param));
	GIVES(0, pthread_getschedparam(pthread_self(), &policy, &param));
	assert(policy == SCHED_BATCH);
	return arg;
}

static void pthread_getschedparam_gives_what_was_set(void)
{
	THREADS(2, schedule_as_a_batch);
	schedule_as_a_batch(NULL);
}

CASES(CASE(pthread_setname_np_ERANGE), CASE(pthread_getname_np_ERANGE),
      CASE(pthread_setaffinity_np_EINVAL), CASE(pthread_getaffinity_np_EINVAL),
      CASE(sched_setaffinity_EINVAL), CASE(sched_setaffinity_ESRCH), CASE(sched_getaffinity_EINVAL),
      CASE(sched_getaffinity_ESRCH), CASE(sched_setaffinity_by_id),
      CASE(pthread_setschedparam_EINVAL), CASE(pthread_setschedprio_EINVAL),
      CASE(pthread_getschedparam_gives_what_was_set))
