/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * identity.c - process and thread ids
 *
 * case the_process_has_one_id: ok 4
 * case each_thread_has_its_own: ok 1
 * case system_calls_say_the_same: ok 1
 * case the_process_can_be_asked_for: ok 1
 * case the_kernel_knows_it: ok 1
 * case a_lock_by_thread_id: ok 6
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

static atomic_int x, y, owner;
static int depth;

/* Store buffering with ids as values: others in another execution would be noticed. */
static void *exchange(void *arg)
{
	atomic_store_explicit(arg ? &x : &y, getpid(), memory_order_relaxed);
	atomic_load_explicit(arg ? &y : &x, memory_order_relaxed);
	return arg;
}

static void the_process_has_one_id(void)
{
	pid_t before = getpid();

	THREADS(2, exchange);
	assert(getpid() == before && atomic_load(&x) == before && atomic_load(&y) == before);
	assert(getppid() != before && getppid() == getppid());
}

static pid_t id[3];

static void *note_id(void *arg)
{
	id[(long)arg] = gettid();
	assert(gettid() == gettid());
	return arg;
}

static void each_thread_has_its_own(void)
{
	id[2] = gettid();
	assert(gettid() == getpid());
	THREADS(2, note_id);
	assert(id[0] != id[1] && id[0] != id[2] && id[1] != id[2]);
	assert(gettid() == id[2]);
}

static void *ask_the_kernel(void *arg)
{
	assert(syscall(SYS_gettid) == gettid());
	assert(syscall(SYS_getpid) == getpid());
	assert(syscall(SYS_getppid) == getppid());
	return arg;
}

static void system_calls_say_the_same(void)
{
	ask_the_kernel(NULL);
	THREADS(2, ask_the_kernel);
}

static void *look_for_it(void *arg)
{
	assert(kill(getpid(), 0) == 0);
	assert(tgkill(getpid(), getpid(), 0) == 0);
	return arg;
}

static void the_process_can_be_asked_for(void)
{
	look_for_it(NULL);
	THREADS(1, look_for_it);
}

static void *ask_about_it(void *arg)
{
	struct sched_param param = { 0 };
	struct timespec interval;
	struct rlimit limit, own;

	assert(getrlimit(RLIMIT_NOFILE, &own) == 0);
	assert(prlimit(getpid(), RLIMIT_NOFILE, NULL, &limit) == 0);
	assert(limit.rlim_cur == own.rlim_cur && limit.rlim_max == own.rlim_max);
	assert(getpgid(getpid()) == getpgid(0) && getsid(getpid()) == getsid(0));
	assert(getpgid(getppid()) > 0);
	errno = 0;
	assert(getpriority(PRIO_PROCESS, (id_t)getpid()) == getpriority(PRIO_PROCESS, 0));
	assert(errno == 0);
	assert(setpriority(PRIO_PROCESS, (id_t)gettid(), getpriority(PRIO_PROCESS, 0)) == 0);
	assert(sched_getscheduler(getpid()) == sched_getscheduler(0));
	assert(sched_getparam(gettid(), &param) == 0);
	assert(sched_setparam(gettid(), &param) == 0);
	assert(sched_setscheduler(gettid(), sched_getscheduler(0), &param) == 0);
	assert(sched_rr_get_interval(getpid(), &interval) == 0);
	return arg;
}

static void the_kernel_knows_it(void)
{
	ask_about_it(NULL);
	THREADS(2, ask_about_it);
}

/* A lock that its owner may take again, by thread id. */
static void *enter_twice(void *arg)
{
	for (int i = 0; i < 2; i++) {
		int nobody = 0;

		while (atomic_load_explicit(&owner, memory_order_relaxed) != gettid() &&
		       !atomic_compare_exchange_weak(&owner, &nobody, gettid()))
			nobody = 0;
		depth++;
	}
	depth -= 2;
	assert(depth == 0);
	atomic_store(&owner, 0);
	return arg;
}

static void a_lock_by_thread_id(void)
{
	THREADS(2, enter_twice);
}

CASES(CASE(the_process_has_one_id), CASE(each_thread_has_its_own), CASE(system_calls_say_the_same),
      CASE(the_process_can_be_asked_for), CASE(the_kernel_knows_it), CASE(a_lock_by_thread_id))
