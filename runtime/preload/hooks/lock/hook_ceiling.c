/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_ceiling.c - priority ceilings of mutexes
 *
 * Under heddle priorities change nothing, so a ceiling is a number that is kept and given back:
 * in the mutex's __spins, where it is restored with the program. Who was given a higher priority may not lock
 * the mutex. A thread that locks one need not be of any class (with glibc it must be a real-time
 * thread). To set the ceiling is to lock the mutex all the same, as POSIX allows and glibc does.
 */
/*
 * intercepts: Mutexes
 *
 * checked pthread_mutex_getprioceiling pthread_mutex_setprioceiling - the ceiling is kept:
 *	who has a higher priority cannot lock the mutex; to set it locks the mutex
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <sched.h>

#include "preload/hooks/lock/mutex.h"
#include "preload/hooks/world/thread_attributes.h"

static bool has_ceiling(const pthread_mutex_t *m)
{
	return m->__data.__kind & MUTEX_KIND_CEILING;
}

bool ceiling_forbids(const pthread_mutex_t *m)
{
	return m->__data.__kind >= 0 &&
	       thread_attributes_priority() > m->__data.__spins; /* not destroyed */
}

HEDDLE_HOOK int pthread_mutex_getprioceiling(const pthread_mutex_t *m, int *ceiling)
{
	if (!shared)
		return REAL(pthread_mutex_getprioceiling)(m, ceiling);
	if (!has_ceiling(m))
		return EINVAL;
	*ceiling = m->__data.__spins;
	return 0;
}

HEDDLE_HOOK int pthread_mutex_setprioceiling(pthread_mutex_t *m, int ceiling, int *old)
{
	int error;

	if (!shared)
		return REAL(pthread_mutex_setprioceiling)(m, ceiling, old);
	if (!has_ceiling(m) || ceiling < sched_get_priority_min(SCHED_FIFO) ||
	    ceiling > sched_get_priority_max(SCHED_FIFO))
		return EINVAL;
	error = mutex_lock_below(m, CALLER());
	if (error)
		return error;
	*old = m->__data.__spins;
	m->__data.__spins = (short)ceiling;
	return mutex_unlock(m, CALLER());
}
