/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_attributes.c - how calls for names, processors and priorities of threads fail
 *
 * ways pthread_setname_np: ERANGE
 * ways pthread_getname_np: ERANGE
 * ways pthread_setaffinity_np: EINVAL; not EFAULT ESRCH (undefined)
 * ways pthread_getaffinity_np: EINVAL; not EFAULT ESRCH (undefined)
 * ways sched_setaffinity: EINVAL ESRCH; not EFAULT (undefined) EPERM (depends on the user)
 * ways sched_getaffinity: EINVAL ESRCH; not EFAULT (undefined)
 * ways pthread_setschedparam: EINVAL EPERM; not ENOTSUP (Linux has all policies) ESRCH (undefined)
 * ways pthread_setschedprio: EINVAL; not EPERM (nothing to be raised) ESRCH (undefined)
 * ways pthread_getschedparam: ; not ESRCH (undefined)
 * ways getcpu: ; not EFAULT (undefined)
 * never fails: sched_getcpu
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
 * case sched_getcpu_is_one_of_them: ok 1
 * case pthread_setschedparam_EINVAL: ok 1
 * case pthread_setschedprio_EINVAL: ok 1
 * case pthread_setschedparam_EPERM: ok 1
 * case sched_setscheduler_EPERM: ok 1
 * case sched_setscheduler_of_one_thread: ok 1
 * case pthread_create_EPERM: ok 1
 * case pthread_getschedparam_gives_what_was_set: ok 1
 * case pthread_create_inherits_all_of_it: ok 1
 * case pthread_create_as_the_attributes_say: ok 1
 * case pthread_create_EINVAL_of_processors: ok 1
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "hooks/fails.h"

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

static void *bind_and_ask(void *arg)
{
	cpu_set_t all, one;
	unsigned cpu, node;

	GIVES(0, pthread_getaffinity_np(pthread_self(), sizeof(all), &all));
	assert(CPU_ISSET(sched_getcpu(), &all));
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(i, &one);
		GIVES(0, pthread_setaffinity_np(pthread_self(), sizeof(one), &one));
		GIVES(i, sched_getcpu());
		GIVES(0, getcpu(&cpu, &node));
		assert(cpu == (unsigned)i);
	}
	GIVES(0, getcpu(NULL, NULL));
	return arg;
}

static void sched_getcpu_is_one_of_them(void)
{
	THREADS(2, bind_and_ask);
	bind_and_ask(NULL);
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

/* Threads in real time are for some users only. */
static void give_up_privileges(void)
{
	const struct rlimit none = { 0, 0 };

	GIVES(0, setrlimit(RLIMIT_RTPRIO, &none));
	if (geteuid() == 0)
		GIVES(0, seteuid(65534));
}

static void *schedule_in_real_time(void *arg)
{
	struct sched_param param = { .sched_priority = 1 };
	int policy;

	GIVES(EPERM, pthread_setschedparam(pthread_self(), SCHED_FIFO, &param));
	GIVES(EPERM, pthread_setschedparam(pthread_self(), SCHED_RR, &param));
	GIVES(0, pthread_getschedparam(pthread_self(), &policy, &param));
	assert(policy == SCHED_OTHER && param.sched_priority == 0);
	return arg;
}

static void pthread_setschedparam_EPERM(void)
{
	give_up_privileges();
	BOTH(schedule_in_real_time);
}

static void *schedule_by_id(void *arg)
{
	struct sched_param param = { .sched_priority = 1 };

	FAILS(EPERM, sched_setscheduler(0, SCHED_FIFO, &param));
	FAILS(EPERM, sched_setscheduler(gettid(), SCHED_RR, &param));
	assert(sched_getscheduler(0) == SCHED_OTHER);
	return arg;
}

static void sched_setscheduler_EPERM(void)
{
	give_up_privileges();
	BOTH(schedule_by_id);
}

static void *schedule_oneself(void *arg)
{
	struct sched_param param = { .sched_priority = 0 };
	int policy;

	assert(sched_getscheduler(0) == SCHED_OTHER && sched_getscheduler(getpid()) == SCHED_OTHER);
	assert(sched_setscheduler(0, SCHED_BATCH, &param) == 0);
	assert(sched_getscheduler(0) == SCHED_BATCH && sched_getscheduler(gettid()) == SCHED_BATCH);
	assert(sched_setparam(0, &param) == 0 && sched_getparam(gettid(), &param) == 0);
	assert(param.sched_priority == 0 && sched_getscheduler(0) == SCHED_BATCH);
	GIVES(0, pthread_getschedparam(pthread_self(), &policy, &param));
	assert(policy == SCHED_BATCH);
	assert(sched_setscheduler(gettid(), SCHED_OTHER | SCHED_RESET_ON_FORK, &param) == 0);
	assert(sched_getscheduler(0) == (SCHED_OTHER | SCHED_RESET_ON_FORK));
	return arg;
}

/* The others are as they were, also main, which has the id of the process. */
static void sched_setscheduler_of_one_thread(void)
{
	THREADS(2, schedule_oneself);
	assert(sched_getscheduler(0) == SCHED_OTHER);
}

static void *nothing(void *arg)
{
	return arg;
}

static void pthread_create_EPERM(void)
{
	struct sched_param param = { .sched_priority = 1 };
	pthread_attr_t attr;
	pthread_t t;

	give_up_privileges();
	GIVES(0, pthread_attr_init(&attr));
	GIVES(0, pthread_attr_setschedpolicy(&attr, SCHED_FIFO));
	GIVES(0, pthread_attr_setschedparam(&attr, &param));
	GIVES(0, pthread_create(&t, &attr, nothing, NULL)); /* it inherits all that */
	GIVES(0, pthread_join(t, NULL));
	GIVES(0, pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
	GIVES(EPERM, pthread_create(&t, &attr, nothing, NULL));
	GIVES(0, pthread_attr_destroy(&attr));
}

/* ---- Threads that are created ------------------------------------------------------------ */

static cpu_set_t first_cpu;

static void find_first_cpu(void)
{
	cpu_set_t all;
	int first = 0;

	GIVES(0, pthread_getaffinity_np(pthread_self(), sizeof(all), &all));
	while (!CPU_ISSET(first, &all))
		first++;
	CPU_ZERO(&first_cpu);
	CPU_SET(first, &first_cpu);
}

static void *has_all_of_it(void *arg)
{
	struct sched_param param;
	cpu_set_t cpus;
	char name[16];
	int policy;

	GIVES(0, pthread_getname_np(pthread_self(), name, sizeof(name)));
	assert(!strcmp(name, "parent"));
	GIVES(0, pthread_getaffinity_np(pthread_self(), sizeof(cpus), &cpus));
	assert(CPU_EQUAL(&cpus, &first_cpu));
	GIVES(0, pthread_getschedparam(pthread_self(), &policy, &param));
	assert(policy == SCHED_BATCH && param.sched_priority == 0);
	return arg;
}

static void *set_all_of_it(void *arg)
{
	struct sched_param param = { .sched_priority = 0 };

	GIVES(0, pthread_setname_np(pthread_self(), "parent"));
	GIVES(0, pthread_setaffinity_np(pthread_self(), sizeof(first_cpu), &first_cpu));
	GIVES(0, pthread_setschedparam(pthread_self(), SCHED_BATCH, &param));
	THREADS(1, has_all_of_it);
	return arg;
}

static void pthread_create_inherits_all_of_it(void)
{
	find_first_cpu();
	THREADS(1, set_all_of_it);
	set_all_of_it(NULL);
}

static void create_with(pthread_attr_t *attr, void *(*fn)(void *))
{
	pthread_t t;

	GIVES(0, pthread_create(&t, attr, fn, NULL));
	GIVES(0, pthread_join(t, NULL));
}

static void *is_a_batch_on_the_first(void *arg)
{
	struct sched_param param;
	cpu_set_t cpus;
	int policy;

	GIVES(0, pthread_getaffinity_np(pthread_self(), sizeof(cpus), &cpus));
	assert(CPU_EQUAL(&cpus, &first_cpu));
	GIVES(0, pthread_getschedparam(pthread_self(), &policy, &param));
	assert(policy == SCHED_BATCH && param.sched_priority == 0);
	return arg;
}

/* What is explicit goes before what would be inherited. */
static void *is_no_batch(void *arg)
{
	struct sched_param param;
	int policy;

	GIVES(0, pthread_getschedparam(pthread_self(), &policy, &param));
	assert(policy == SCHED_OTHER && param.sched_priority == 0);
	return arg;
}

static void pthread_create_as_the_attributes_say(void)
{
	struct sched_param param = { .sched_priority = 0 };
	pthread_attr_t attr;

	find_first_cpu();
	GIVES(0, pthread_attr_init(&attr));
	GIVES(0, pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
	GIVES(0, pthread_attr_setschedpolicy(&attr, SCHED_OTHER));
	GIVES(0, pthread_attr_setschedparam(&attr, &param));
	GIVES(0, pthread_setschedparam(pthread_self(), SCHED_BATCH, &param));
	create_with(&attr, is_no_batch);
	GIVES(0, pthread_attr_setinheritsched(&attr, PTHREAD_INHERIT_SCHED));
	GIVES(0, pthread_attr_setaffinity_np(&attr, sizeof(first_cpu), &first_cpu));
	create_with(&attr, is_a_batch_on_the_first);
	GIVES(0, pthread_attr_destroy(&attr));
}

/* There is none such. */
static void *create_on_no_processor(void *arg)
{
	pthread_attr_t attr;
	cpu_set_t none;
	pthread_t t;

	CPU_ZERO(&none);
	GIVES(0, pthread_attr_init(&attr));
	GIVES(0, pthread_attr_setaffinity_np(&attr, sizeof(none), &none));
	GIVES(EINVAL, pthread_create(&t, &attr, is_no_batch, NULL));
	GIVES(0, pthread_attr_destroy(&attr));
	return arg;
}

static void pthread_create_EINVAL_of_processors(void)
{
	BOTH(create_on_no_processor);
}

CASES(CASE(pthread_setname_np_ERANGE), CASE(pthread_getname_np_ERANGE),
      CASE(pthread_setaffinity_np_EINVAL), CASE(pthread_getaffinity_np_EINVAL),
      CASE(sched_setaffinity_EINVAL), CASE(sched_setaffinity_ESRCH), CASE(sched_getaffinity_EINVAL),
      CASE(sched_getaffinity_ESRCH), CASE(sched_setaffinity_by_id),
      CASE(sched_getcpu_is_one_of_them), CASE(pthread_setschedparam_EINVAL),
      CASE(pthread_setschedprio_EINVAL), CASE(pthread_setschedparam_EPERM),
      CASE(sched_setscheduler_EPERM), CASE(sched_setscheduler_of_one_thread),
      CASE(pthread_create_EPERM), CASE(pthread_getschedparam_gives_what_was_set),
      CASE(pthread_create_inherits_all_of_it), CASE(pthread_create_as_the_attributes_say),
      CASE(pthread_create_EINVAL_of_processors))
