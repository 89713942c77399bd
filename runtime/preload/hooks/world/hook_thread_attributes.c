/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_thread_attributes.c - names, processors and priorities of threads
 *
 * All threads of the program are one kernel thread, so these have no effect: they are kept, for each
 * execution anew, and given back. What was never set is what the kernel says of the process.
 *
 * None of this is in the image: an entry belongs to the execution whose stamp it carries, or was
 * made before the root point by the main thread. A child that fork() makes inherits what that has: one that runs
 * alone from the kernel, which is told for it.
 */
/*
 * intercepts: Threads
 *
 * ignored pthread_setname_np pthread_getname_np pthread_setaffinity_np
 *	pthread_getaffinity_np sched_setaffinity sched_getaffinity - what was set is given
 *	back, inherited, and changes nothing
 * deterministic sched_getcpu getcpu - the first of the processors that the thread may use
 * ignored pthread_setschedparam pthread_setschedprio pthread_getschedparam
 *	sched_setscheduler __sched_setscheduler sched_setparam sched_getscheduler __sched_getscheduler sched_getparam __sched_getparam
 *	sched_rr_get_interval - what was set is given back, of the thread, if the kernel
 *	would allow it, and changes nothing
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/facts/needs.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/hooks/world/identity.h"
#include "preload/hooks/world/thread_attributes.h"
#include "preload/loop/children.h"
#include "preload/step/perform.h"

enum {
	NAME_SIZE = 16 /* with the 0 at the end */
};

/* Attributes of a thread, which have no effect. */
struct thread_attributes {
	uint32_t stamp;
	bool named, bound, scheduled;
	char name[NAME_SIZE];
	cpu_set_t cpus;
	int policy, priority;
};

static struct thread_attributes attributes[HEDDLE_MAX_THREADS], main_before;
FRESH(attributes);

static void attributes_root(void)
{
	main_before = attributes[0];
}

AT_ROOT(attributes_root);

/* What a child has, or a thread that is created. */
static void inherit_scheduling(struct thread_attributes *a)
{
	int policy = a->policy & ~SCHED_RESET_ON_FORK;

	if (!a->scheduled || policy == a->policy)
		return;
	a->policy = policy;
	if (policy == SCHED_FIFO || policy == SCHED_RR) {
		a->policy = SCHED_OTHER;
		a->priority = 0;
	}
}

/* In a child that is explored. */
static void inherit_from_parent(void)
{
	static unsigned level;
	KEPT(level);

	if (level == children_level())
		return;
	level = children_level();
	inherit_scheduling(&attributes[0]);
}

AT_OUTSET(inherit_from_parent);

static struct thread_attributes *attributes_of(uint32_t tid)
{
	inherit_from_parent();
	struct thread_attributes *a = &attributes[tid];

	if (under_engine() && a->stamp != shadow_stamp) {
		*a = tid ? (struct thread_attributes){ .named = false } : main_before;
		a->stamp = shadow_stamp;
	}
	return a;
}

static void attributes_id_again(uint32_t tid)
{
	attributes[tid] = (struct thread_attributes){ .stamp = shadow_stamp };
}

AT_ID_AGAIN(attributes_id_again);

/* Of a thread that is there; NULL otherwise. */
static struct thread_attributes *find(pthread_t thread)
{
	int tid = under_engine() ? tid_of(thread) : pthread_equal(thread, pthread_self()) ? 0 : -1;

	note_hidden_state();
	return tid < 0 ? NULL : attributes_of((uint32_t)tid);
}

/* The kernel's own thread: what it is for one that was never told otherwise. */
static pthread_t real_one(void)
{
	return under_engine() ? thread_of(0) : pthread_self();
}

/* Of a thread by its id in the kernel; NULL if it is none of the program. */
static struct thread_attributes *find_id(pid_t id)
{
	pid_t tid = id ? id - getpid() : current ? (pid_t)current->tid : 0;

	note_hidden_state();
	if (tid < 0 || tid >= HEDDLE_MAX_THREADS || (tid && !thread_of((uint32_t)tid)))
		return NULL;
	return attributes_of((uint32_t)tid);
}

/* ---- Names ------------------------------------------------------------------------------ */

HEDDLE_HOOK int pthread_setname_np(pthread_t thread, const char *name)
{
	struct thread_attributes *a;
	size_t length = strlen(name);

	if (!shared)
		return REAL(pthread_setname_np)(thread, name);
	if (length >= NAME_SIZE)
		return ERANGE;
	a = find(thread);
	if (!a)
		return no_thread(thread, 0);
	memcpy(a->name, name, length + 1);
	a->named = true;
	return 0;
}

HEDDLE_HOOK int pthread_getname_np(pthread_t thread, char *name, size_t size)
{
	struct thread_attributes *a;

	if (!shared)
		return REAL(pthread_getname_np)(thread, name, size);
	if (size < NAME_SIZE)
		return ERANGE;
	a = find(thread);
	if (!a)
		return no_thread(thread, 0);
	if (!a->named) /* libc would ask for the thread of the parent, in a child (--backend=fork) */
		return -(int)sys3(SYS_prctl, PR_GET_NAME, (long)name, 0);
	memcpy(name, a->name, NAME_SIZE);
	return 0;
}

const char *thread_attributes_name(uint32_t tid)
{
	const struct thread_attributes *a = attributes_of(tid);

	note_hidden_state();
	if (tid != self_id())
		values_give_up("it asks for the name of another thread");
	return a->named ? a->name : NULL;
}

void thread_attributes_rename(const char *name)
{
	struct thread_attributes *a = attributes_of(self_id());

	note_hidden_state();
	memset(a->name, 0, NAME_SIZE);
	for (int i = 0; i < NAME_SIZE - 1 && name[i]; i++)
		a->name[i] = name[i];
	a->named = true;
}

/* ---- Processors ------------------------------------------------------------------------- */

/* Some of these have to be there. 0 or an error. */
static int bind(struct thread_attributes *a, size_t size, const cpu_set_t *cpus)
{
	cpu_set_t asked, all;

	if (size > sizeof(asked))
		size = sizeof(asked);
	if (!memory_readable(cpus, size))
		return EFAULT;
	if (REAL(sched_getaffinity)(0, sizeof(all), &all))
		CPU_SET(0, &all);
	memset(&asked, 0, sizeof(asked));
	memcpy(&asked, cpus, size);
	CPU_AND(&asked, &asked, &all);
	if (!CPU_COUNT(&asked))
		return EINVAL;
	a->cpus = asked;
	a->bound = true;
	return 0;
}

static void give_cpus(const struct thread_attributes *a, size_t size, cpu_set_t *cpus)
{
	memset(cpus, 0, size);
	memcpy(cpus, &a->cpus, size < sizeof(a->cpus) ? size : sizeof(a->cpus));
}

HEDDLE_HOOK int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *cpus)
{
	struct thread_attributes *a;

	if (!shared)
		return REAL(pthread_setaffinity_np)(thread, size, cpus);
	a = find(thread);
	if (!a)
		return no_thread(thread, 0);
	return bind(a, size, cpus);
}

HEDDLE_HOOK int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *cpus)
{
	struct thread_attributes *a;
	int error;

	if (!shared)
		return REAL(pthread_getaffinity_np)(thread, size, cpus);
	a = find(thread);
	if (!a)
		return no_thread(thread, 0);
	error = REAL(pthread_getaffinity_np)(real_one(), size, cpus);
	if (!error && a->bound)
		give_cpus(a, size, cpus);
	return error;
}

/* Another process is no business of an execution: it may be there or not. */
HEDDLE_HOOK int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *cpus)
{
	struct thread_attributes *a;
	cpu_set_t old;
	int error;

	if (!shared)
		return REAL(sched_setaffinity)(pid, size, cpus);
	a = find_id(pid);
	if (!a)
		return REAL(sched_getaffinity)(identity_real(pid), sizeof(old), &old) < 0 ? -1 : 0;
	error = bind(a, size, cpus);
	if (!error)
		return 0;
	errno = error;
	return -1;
}

HEDDLE_HOOK int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cpus)
{
	struct thread_attributes *a;

	if (!shared)
		return REAL(sched_getaffinity)(pid, size, cpus);
	a = find_id(pid);
	if (REAL(sched_getaffinity)(identity_real(a ? 0 : pid), size, cpus))
		return -1;
	if (a && a->bound)
		give_cpus(a, size, cpus);
	return 0;
}

/* Where a thread runs depends on the system: always on the first that it may use. */
static unsigned runs_on(void)
{
	const struct thread_attributes *a = find_id(0);
	cpu_set_t cpus = a->cpus;
	unsigned cpu = 0;

	if (!a->bound && REAL(sched_getaffinity)(0, sizeof(cpus), &cpus) < 0)
		return 0;
	while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &cpus))
		cpu++;
	return cpu;
}

HEDDLE_HOOK int sched_getcpu(void)
{
	return shared ? (int)runs_on() : REAL(sched_getcpu)();
}

HEDDLE_HOOK int getcpu(unsigned *cpu, unsigned *node)
{
	if (!shared)
		return REAL(getcpu)(cpu, node);
	if (cpu)
		*cpu = runs_on();
	if (node)
		*node = 0;
	return 0;
}

/* ---- Priorities ------------------------------------------------------------------------- */

static void scheduling(const struct thread_attributes *a, int *policy, struct sched_param *param)
{
	*policy = a->policy;
	param->sched_priority = a->priority;
	if (!a->scheduled)
		REAL(pthread_getschedparam)(real_one(), policy, param);
}

/*
 * 0, or why the kernel would not have a thread so scheduled: EINVAL, EPERM. It is asked, and what was
 * is put back, which is allowed to everybody but where it was SCHED_IDLE: nobody needs permission for that.
 */
static int kernel_says(int policy, int priority)
{
	struct sched_param before = { .sched_priority = 0 }, asked = { .sched_priority = priority };
	int was = REAL(sched_getscheduler)(0), error = 0, kept = errno;

	policy &= ~SCHED_RESET_ON_FORK;
	if (policy == SCHED_IDLE)
		return priority ? EINVAL : 0;
	REAL(sched_getparam)(0, &before);
	if (REAL(sched_setscheduler)(0, policy, &asked))
		error = errno;
	else
		REAL(sched_setscheduler)(0, was, &before);
	errno = kept;
	return error;
}

/* 0 or an error */
static int schedule(struct thread_attributes *a, int policy, int priority)
{
	int error = kernel_says(policy, priority);

	if (error)
		return error;
	a->scheduled = true;
	a->policy = policy;
	a->priority = priority;
	return 0;
}

int thread_attributes_priority(void)
{
	struct sched_param param = { .sched_priority = 0 };
	int policy;

	scheduling(attributes_of(self_id()), &policy, &param);
	return param.sched_priority;
}

/* Why the kernel would not look for the thread; or 0. */
static int check_call(pid_t id, const void *with, size_t size)
{
	__asm__("" : "+r"(with)); /* headers say that it is not NULL */
	if (id < 0 || !with)
		return EINVAL;
	return memory_readable(with, size) ? 0 : EFAULT;
}

HEDDLE_HOOK int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param)
{
	struct thread_attributes *a;
	int error;

	if (!shared)
		return REAL(pthread_setschedparam)(thread, policy, param);
	a = find(thread);
	if (!a)
		return no_thread(thread, NULL_IS_NONE);
	error = check_call(0, param, sizeof(*param));
	return error ? error : schedule(a, policy, param->sched_priority);
}

HEDDLE_HOOK int pthread_setschedprio(pthread_t thread, int priority)
{
	struct thread_attributes *a;
	struct sched_param param;
	int policy;

	if (!shared)
		return REAL(pthread_setschedprio)(thread, priority);
	a = find(thread);
	if (!a)
		return no_thread(thread, NULL_IS_NONE);
	scheduling(a, &policy, &param);
	return schedule(a, policy, priority);
}

HEDDLE_HOOK int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param)
{
	struct thread_attributes *a;

	if (!shared)
		return REAL(pthread_getschedparam)(thread, policy, param);
	a = find(thread);
	if (!a)
		return no_thread(thread, NULL_IS_NONE);
	scheduling(a, policy, param);
	return 0;
}

/* ---- The same by ids ---------------------------------------------------------------------- */

static int fail(int error)
{
	errno = error;
	return -1;
}

/* Another process is asked for, and shall be changed for good. */
static void another(void)
{
	if (under_engine())
		needs_fork("changes the priority of a process");
}

HEDDLE_HOOK int sched_setscheduler(pid_t id, int policy, const struct sched_param *param)
{
	int error = shared ? check_call(id, param, sizeof(*param)) : 0;
	struct thread_attributes *a = shared && !error ? find_id(id) : NULL;

	if (error)
		return fail(error);
	if (!a) {
		another();
		return REAL(sched_setscheduler)(identity_real(id), policy, param);
	}
	error = schedule(a, policy, param->sched_priority);
	return error ? fail(error) : 0;
}

HEDDLE_HOOK int sched_setparam(pid_t id, const struct sched_param *param)
{
	int error = shared ? check_call(id, param, sizeof(*param)) : 0, policy;
	struct thread_attributes *a = shared && !error ? find_id(id) : NULL;
	struct sched_param now;

	if (error)
		return fail(error);
	if (!a) {
		another();
		return REAL(sched_setparam)(identity_real(id), param);
	}
	scheduling(a, &policy, &now);
	error = schedule(a, policy, param->sched_priority);
	return error ? fail(error) : 0;
}

/* A thread of the program of which something was said; or NULL, and the kernel's id of whom to ask about. */
static const struct thread_attributes *told(pid_t id, pid_t *real)
{
	const struct thread_attributes *a = shared && id >= 0 ? find_id(id) : NULL;

	*real = a ? 0 : identity_real(id);
	return a && a->scheduled ? a : NULL;
}

HEDDLE_HOOK int sched_getscheduler(pid_t id)
{
	pid_t real;
	const struct thread_attributes *a = told(id, &real);

	return a ? a->policy : REAL(sched_getscheduler)(real);
}

HEDDLE_HOOK int sched_getparam(pid_t id, struct sched_param *param)
{
	pid_t real;
	const struct thread_attributes *a = told(id, &real);
	int result = REAL(sched_getparam)(real, param);

	if (!result && a)
		param->sched_priority = a->priority;
	return result;
}

/* Of one that is scheduled in turn: the kernel's default. */
HEDDLE_HOOK int sched_rr_get_interval(pid_t id, struct timespec *interval)
{
	pid_t real;
	const struct thread_attributes *a = told(id, &real);
	int result = REAL(sched_rr_get_interval)(real, interval);
	int policy = a ? a->policy & ~SCHED_RESET_ON_FORK : SCHED_OTHER;

	if (!result && (policy == SCHED_FIFO || policy == SCHED_RR))
		*interval = (struct timespec){ .tv_nsec = policy == SCHED_RR ? 100000000 : 0 };
	return result;
}

/* goes_on: it is no child, and lets go of heddle. */
static void attributes_detach(uint32_t goes_on)
{
	struct thread_attributes *a = &attributes[0];
	struct sched_param param;

	if (!goes_on)
		inherit_scheduling(a);
	if (a->named)
		sys3(SYS_prctl, PR_SET_NAME, (long)a->name, 0);
	if (a->bound)
		REAL(sched_setaffinity)(0, sizeof(a->cpus), &a->cpus);
	param.sched_priority = a->priority;
	if (a->scheduled)
		REAL(sched_setscheduler)(0, a->policy, &param);
}

AT_DETACH(attributes_detach);

/* ---- Threads that are created ----------------------------------------------------------- */

/* Those that attributes ask for; false: for none. */
static bool asks_for_cpus(const pthread_attr_t *attr, cpu_set_t *cpus)
{
	cpu_set_t any;

	memset(&any, 0xff, sizeof(any)); /* what is said where none were set */
	return !pthread_attr_getaffinity_np(attr, sizeof(*cpus), cpus) && !CPU_EQUAL(cpus, &any);
}

int thread_attributes_check(const pthread_attr_t *attr)
{
	struct sched_param param;
	int inherit, policy;
	struct thread_attributes a;
	cpu_set_t cpus;

	if (asks_for_cpus(attr, &cpus) && bind(&a, sizeof(cpus), &cpus))
		return EINVAL;
	pthread_attr_getinheritsched(attr, &inherit);
	if (inherit == PTHREAD_INHERIT_SCHED)
		return 0;
	pthread_attr_getschedpolicy(attr, &policy);
	pthread_attr_getschedparam(attr, &param);
	return kernel_says(policy, param.sched_priority);
}

/* Was anything said of the thread in this execution, or before the first one? */
static bool is_told(uint32_t tid)
{
	const struct thread_attributes *a = &attributes[tid];

	if (under_engine() && a->stamp != shadow_stamp)
		a = tid ? NULL : &main_before;
	return a && (a->named || a->bound || a->scheduled);
}

void thread_attributes_inherit(uint32_t tid, const pthread_attr_t *attr)
{
	uint32_t me = self_id();
	struct sched_param param;
	int inherit, policy;
	struct thread_attributes *a;
	cpu_set_t cpus;

	if (is_told(me))
		*attributes_of(tid) = *attributes_of(me);
	a = &attributes[tid];
	if (is_told(tid))
		inherit_scheduling(a);
	if (!attr)
		return;
	a = attributes_of(tid);
	if (asks_for_cpus(attr, &cpus))
		bind(a, sizeof(cpus), &cpus);
	pthread_attr_getinheritsched(attr, &inherit);
	if (inherit == PTHREAD_INHERIT_SCHED)
		return;
	pthread_attr_getschedpolicy(attr, &policy);
	pthread_attr_getschedparam(attr, &param);
	schedule(a, policy, param.sched_priority);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__sched_getparam, sched_getparam);
ALSO_CALLED(__sched_getscheduler, sched_getscheduler);
ALSO_CALLED(__sched_setscheduler, sched_setscheduler);
