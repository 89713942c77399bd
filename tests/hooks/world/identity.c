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
 *
 * ways getpgid: ESRCH; not EPERM (Linux lets everybody ask)
 * ways getsid: ESRCH; not EPERM (likewise)
 * ways getpriority: EINVAL ESRCH
 * ways setpriority: EINVAL ESRCH; not EACCES EPERM (tests may run as root)
 * ways prlimit: EINVAL ESRCH EFAULT; not EPERM (likewise)
 * ways prlimit64: EINVAL ESRCH
 * ways sched_getparam: EINVAL ESRCH
 * ways sched_getscheduler: EINVAL ESRCH
 * ways sched_rr_get_interval: EINVAL ESRCH
 * ways sched_setparam: EINVAL ESRCH; not EPERM (likewise)
 * ways sched_setscheduler: EINVAL ESRCH; not EPERM (thread_attributes.c)
 * never fails: getpid getppid getpgrp gettid
 *
 * case getpgid_ESRCH: ok 1
 * case getsid_ESRCH: ok 1
 * case getpriority_EINVAL: ok 1
 * case getpriority_ESRCH: ok 1
 * case setpriority_EINVAL: ok 1
 * case setpriority_ESRCH: ok 1
 * case prlimit_EINVAL: ok 1
 * case prlimit_ESRCH: ok 1
 * case prlimit_EFAULT: ok 1
 * case prlimit64_EINVAL: ok 1
 * case prlimit64_ESRCH: ok 1
 * case sched_getparam_EINVAL: ok 1
 * case sched_getparam_ESRCH: ok 1
 * case sched_getscheduler_EINVAL: ok 1
 * case sched_getscheduler_ESRCH: ok 1
 * case sched_rr_get_interval_EINVAL: ok 1
 * case sched_rr_get_interval_ESRCH: ok 1
 * case sched_setparam_EINVAL: ok 1
 * case sched_setparam_ESRCH: ok 1
 * case sched_setscheduler_EINVAL: ok 1
 * case sched_setscheduler_ESRCH: ok 1
 * case asks_for_itself: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hooks/fails.h"

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
	/* Under heddle it is the leader of its group, and knows itself by that id. */
	assert(getpgrp() == getpgid(0));
	assert(getpgrp() == getpid() || kill(-getpgrp(), 0) == 0);
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

/* --- how they fail ---------------------------------------------------------------------------- */

enum {
	NOBODY = INT_MAX, /* more than ids of processes can be */
	NO_SUCH = 77
};

static struct sched_param *volatile no_param;

EACH_FAILS(getpgid_ESRCH, ESRCH, getpgid(NOBODY))
EACH_FAILS(getsid_ESRCH, ESRCH, getsid(NOBODY))
EACH_FAILS(getpriority_EINVAL, EINVAL, getpriority(NO_SUCH, 0))
EACH_FAILS(getpriority_ESRCH, ESRCH, getpriority(PRIO_PROCESS, NOBODY))
EACH_FAILS(setpriority_EINVAL, EINVAL, setpriority(NO_SUCH, 0, 0))
EACH_FAILS(setpriority_ESRCH, ESRCH, setpriority(PRIO_PROCESS, NOBODY, 0))

IN_EACH(prlimit_EINVAL)
{
	struct rlimit limit, wrong = { .rlim_cur = 2, .rlim_max = 1 };

	FAILS(EINVAL, prlimit(0, NO_SUCH, NULL, &limit));
	FAILS(EINVAL, prlimit(getpid(), RLIMIT_CORE, &wrong, NULL));
	return arg;
}

IN_EACH(prlimit_ESRCH)
{
	struct rlimit limit;

	FAILS(ESRCH, prlimit(NOBODY, RLIMIT_CORE, NULL, &limit));
	return arg;
}

EACH_FAILS(prlimit_EFAULT, EFAULT, prlimit(0, RLIMIT_CORE, NULL, (struct rlimit *)8))

IN_EACH(prlimit64_EINVAL)
{
	struct rlimit64 limit;

	FAILS(EINVAL, prlimit64(0, NO_SUCH, NULL, &limit));
	return arg;
}

IN_EACH(prlimit64_ESRCH)
{
	struct rlimit64 limit;

	FAILS(ESRCH, prlimit64(NOBODY, RLIMIT_CORE, NULL, &limit));
	return arg;
}

IN_EACH(sched_getparam_EINVAL)
{
	struct sched_param param;

	FAILS(EINVAL, sched_getparam(-1, &param));
	FAILS(EINVAL, sched_getparam(0, no_param));
	return arg;
}

IN_EACH(sched_getparam_ESRCH)
{
	struct sched_param param;

	FAILS(ESRCH, sched_getparam(NOBODY, &param));
	return arg;
}

EACH_FAILS(sched_getscheduler_EINVAL, EINVAL, sched_getscheduler(-1))
EACH_FAILS(sched_getscheduler_ESRCH, ESRCH, sched_getscheduler(NOBODY))

IN_EACH(sched_rr_get_interval_EINVAL)
{
	struct timespec t;

	FAILS(EINVAL, sched_rr_get_interval(-1, &t));
	return arg;
}

IN_EACH(sched_rr_get_interval_ESRCH)
{
	struct timespec t;

	FAILS(ESRCH, sched_rr_get_interval(NOBODY, &t));
	return arg;
}

IN_EACH(sched_setparam_EINVAL)
{
	struct sched_param param = { .sched_priority = 1 };

	FAILS(EINVAL, sched_setparam(0, &param)); /* SCHED_OTHER has none */
	FAILS(EINVAL, sched_setparam(-1, &param));
	FAILS(EINVAL, sched_setparam(0, no_param));
	return arg;
}

IN_EACH(sched_setparam_ESRCH)
{
	struct sched_param param = { .sched_priority = 0 };

	FAILS(ESRCH, sched_setparam(NOBODY, &param));
	return arg;
}

IN_EACH(sched_setscheduler_EINVAL)
{
	struct sched_param param = { .sched_priority = 0 };

	FAILS(EINVAL, sched_setscheduler(0, NO_SUCH, &param));
	FAILS(EINVAL, sched_setscheduler(-1, SCHED_OTHER, &param));
	FAILS(EINVAL, sched_setscheduler(0, SCHED_OTHER, no_param));
	FAILS(EINVAL, sched_setscheduler(0, SCHED_FIFO, &param)); /* its least is 1 */
	return arg;
}

IN_EACH(sched_setscheduler_ESRCH)
{
	struct sched_param param = { .sched_priority = 0 };

	FAILS(ESRCH, sched_setscheduler(NOBODY, SCHED_OTHER, &param));
	return arg;
}

IN_EACH(asks_for_itself)
{
	struct sched_param param = { .sched_priority = 0 };
	struct rlimit limit;
	struct timespec t;

	assert(getpgid(getpid()) == getpgid(0) && getsid(getpid()) == getsid(0));
	assert(getppid() != getpid() && gettid() >= getpid());
	assert(sched_getscheduler(getpid()) == sched_getscheduler(0));
	assert(sched_getparam(gettid(), &param) == 0 && sched_rr_get_interval(gettid(), &t) == 0);
	assert(sched_setparam(gettid(), &param) == 0);
	assert(sched_setscheduler(gettid(), sched_getscheduler(0), &param) == 0);
	assert(prlimit(getpid(), RLIMIT_CORE, NULL, &limit) == 0);
	errno = 0;
	assert(getpriority(PRIO_PROCESS, getpid()) == getpriority(PRIO_PROCESS, 0) && !errno);
	return arg;
}

CASES(CASE(the_process_has_one_id), CASE(each_thread_has_its_own), CASE(system_calls_say_the_same),
      CASE(the_process_can_be_asked_for), CASE(the_kernel_knows_it), CASE(a_lock_by_thread_id),
      CASE(getpgid_ESRCH), CASE(getsid_ESRCH), CASE(getpriority_EINVAL), CASE(getpriority_ESRCH),
      CASE(setpriority_EINVAL), CASE(setpriority_ESRCH), CASE(prlimit_EINVAL), CASE(prlimit_ESRCH),
      CASE(prlimit_EFAULT), CASE(prlimit64_EINVAL), CASE(prlimit64_ESRCH),
      CASE(sched_getparam_EINVAL), CASE(sched_getparam_ESRCH), CASE(sched_getscheduler_EINVAL),
      CASE(sched_getscheduler_ESRCH), CASE(sched_rr_get_interval_EINVAL),
      CASE(sched_rr_get_interval_ESRCH), CASE(sched_setparam_EINVAL), CASE(sched_setparam_ESRCH),
      CASE(sched_setscheduler_EINVAL), CASE(sched_setscheduler_ESRCH), CASE(asks_for_itself))
