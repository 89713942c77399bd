/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_thread_np.c - names, processors and priorities of threads
 *
 * All threads of the program are one kernel thread, so these are words only: they are kept, and
 * given back, for each execution anew, and change nothing. What was never set is what the kernel
 * says of the process.
 *
 * None of this is in the image: an entry belongs to the execution whose stamp it carries, or was
 * made before the root point by the main thread.
 */
/*
 * intercepts: Threads
 *
 * ignored pthread_setname_np pthread_getname_np pthread_setaffinity_np
 *	pthread_getaffinity_np sched_setaffinity sched_getaffinity - what was set is given
 *	back, and changes nothing
 * ignored pthread_setschedparam pthread_setschedprio - only their arguments are checked
 */
#include "target/hook.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "target/hooks.h"

enum {
	NAME_SIZE = 16 /* with the 0 at the end */
};

struct words {
	uint32_t stamp;
	bool named, bound;
	char name[NAME_SIZE];
	cpu_set_t cpus;
};

static struct words words[HEDDLE_MAX_THREADS], main_before;

void words_root(void)
{
	main_before = words[0];
}

static struct words *words_of(uint32_t tid)
{
	struct words *w = &words[tid];

	if (under_engine() && w->stamp != shadow_stamp) {
		*w = tid ? (struct words){ .named = false } : main_before;
		w->stamp = shadow_stamp;
	}
	return w;
}

void words_id_again(uint32_t tid)
{
	words[tid] = (struct words){ .stamp = shadow_stamp };
}

/* Of a thread that is there; NULL otherwise. */
static struct words *find(pthread_t thread)
{
	int tid = under_engine() ? tid_of(thread) : pthread_equal(thread, pthread_self()) ? 0 : -1;

	note_hidden_state();
	return tid < 0 ? NULL : words_of((uint32_t)tid);
}

static struct words *mine(void)
{
	note_hidden_state();
	return words_of(current ? current->tid : 0);
}

/* ---- Names ------------------------------------------------------------------------------ */

HEDDLE_HOOK int pthread_setname_np(pthread_t thread, const char *name)
{
	struct words *w;
	size_t length = strlen(name);

	if (!shared)
		return REAL(pthread_setname_np)(thread, name);
	if (length >= NAME_SIZE)
		return ERANGE;
	w = find(thread);
	if (!w)
		return ESRCH;
	memcpy(w->name, name, length + 1);
	w->named = true;
	return 0;
}

HEDDLE_HOOK int pthread_getname_np(pthread_t thread, char *name, size_t size)
{
	struct words *w;

	if (!shared)
		return REAL(pthread_getname_np)(thread, name, size);
	if (size < NAME_SIZE)
		return ERANGE;
	w = find(thread);
	if (!w)
		return ESRCH;
	if (!w->named)
		return REAL(pthread_getname_np)(thread_of(0), name, size);
	memcpy(name, w->name, NAME_SIZE);
	return 0;
}

/* ---- Processors ------------------------------------------------------------------------- */

/* Some of these have to be there. */
static bool bind(struct words *w, size_t size, const cpu_set_t *cpus)
{
	cpu_set_t all;

	if (size > sizeof(w->cpus))
		size = sizeof(w->cpus);
	if (REAL(sched_getaffinity)(0, sizeof(all), &all))
		CPU_SET(0, &all);
	memset(&w->cpus, 0, sizeof(w->cpus));
	memcpy(&w->cpus, cpus, size);
	CPU_AND(&w->cpus, &w->cpus, &all);
	w->bound = CPU_COUNT(&w->cpus) != 0;
	return w->bound;
}

static void give_cpus(const struct words *w, size_t size, cpu_set_t *cpus)
{
	memset(cpus, 0, size);
	memcpy(cpus, &w->cpus, size < sizeof(w->cpus) ? size : sizeof(w->cpus));
}

HEDDLE_HOOK int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *cpus)
{
	struct words *w;

	if (!shared)
		return REAL(pthread_setaffinity_np)(thread, size, cpus);
	w = find(thread);
	if (!w)
		return ESRCH;
	return bind(w, size, cpus) ? 0 : EINVAL;
}

HEDDLE_HOOK int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *cpus)
{
	struct words *w;

	if (!shared)
		return REAL(pthread_getaffinity_np)(thread, size, cpus);
	w = find(thread);
	if (!w)
		return ESRCH;
	if (!w->bound)
		return REAL(pthread_getaffinity_np)(thread_of(0), size, cpus);
	give_cpus(w, size, cpus);
	return 0;
}

/* Of the calling thread; another process is no business of an execution. */
HEDDLE_HOOK int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *cpus)
{
	if (!shared)
		return REAL(sched_setaffinity)(pid, size, cpus);
	if (bind(mine(), size, cpus))
		return 0;
	errno = EINVAL;
	return -1;
}

HEDDLE_HOOK int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cpus)
{
	struct words *w;

	if (!shared)
		return REAL(sched_getaffinity)(pid, size, cpus);
	w = mine();
	if (!w->bound)
		return REAL(sched_getaffinity)(0, size, cpus);
	give_cpus(w, size, cpus);
	return 0;
}

/* ---- Priorities ------------------------------------------------------------------------- */

HEDDLE_HOOK int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param)
{
	if (!shared)
		return REAL(pthread_setschedparam)(thread, policy, param);
	if (policy < 0 || param->sched_priority < sched_get_priority_min(policy) ||
	    param->sched_priority > sched_get_priority_max(policy))
		return EINVAL;
	return find(thread) ? 0 : ESRCH;
}

HEDDLE_HOOK int pthread_setschedprio(pthread_t thread, int priority)
{
	if (!shared)
		return REAL(pthread_setschedprio)(thread, priority);
	return find(thread) ? 0 : ESRCH;
}
