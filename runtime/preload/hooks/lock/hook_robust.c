/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_robust.c - robust mutexes: what becomes of one whose owner ends
 *
 * A thread that ends frees the robust mutexes it holds, latest first. The next to lock one has
 * it and is told EOWNERDEAD; it calls pthread_mutex_consistent() before it unlocks, or nobody
 * can lock the mutex ever again (ENOTRECOVERABLE). To the exploration these are the locks and
 * unlocks that they are.
 *
 * The state stands in the mutex's __nusers, its place among those that its owner holds in
 * __list; both are restored with the program, and so are the heads of these lists.
 */
/*
 * intercepts: Mutexes
 *
 * checked pthread_mutex_consistent - as POSIX has it
 */
#include "preload/hooks/hook.h"

#include <errno.h>

#include "preload/hooks/lock/mutex.h"

enum robust_state {
	ROBUST_FINE,
	ROBUST_OWNER_DIED,   /* free */
	ROBUST_INCONSISTENT, /* held by one who was told */
	ROBUST_LOST
};

static HEDDLE_IMAGE_SELDOM pthread_mutex_t *held[HEDDLE_MAX_THREADS] = { NULL };

static pthread_mutex_t **my_list(void)
{
	return &held[self_id()];
}

/* The next after this one in the list of its owner. */
static pthread_mutex_t **next_of(pthread_mutex_t *m)
{
	return (pthread_mutex_t **)&m->__data.__list.__next;
}

int robust_got(pthread_mutex_t *m, uint64_t pc)
{
	if (m->__data.__nusers == ROBUST_LOST) {
		mutex_free(m, pc);
		return ENOTRECOVERABLE;
	}
	*next_of(m) = *my_list();
	*my_list() = m;
	if (m->__data.__nusers == ROBUST_FINE)
		return 0;
	m->__data.__nusers = ROBUST_INCONSISTENT;
	return EOWNERDEAD;
}

static void forget(pthread_mutex_t *m)
{
	pthread_mutex_t **p = my_list();

	while (*p && *p != m)
		p = next_of(*p);
	if (*p)
		*p = *next_of(m);
	*next_of(m) = NULL;
}

void robust_given(pthread_mutex_t *m)
{
	forget(m);
	if (m->__data.__nusers == ROBUST_INCONSISTENT)
		m->__data.__nusers = ROBUST_LOST;
}

void robust_thread_end(uint64_t pc)
{
	while (*my_list()) {
		pthread_mutex_t *m = *my_list();

		mutex_free(m, pc);
		forget(m);
		m->__data.__nusers = ROBUST_OWNER_DIED;
	}
}

HEDDLE_HOOK int pthread_mutex_consistent(pthread_mutex_t *m)
{
	if (!shared)
		return REAL(pthread_mutex_consistent)(m);
	if (!mutex_is_robust(m) || !mutex_mine(m) || m->__data.__nusers != ROBUST_INCONSISTENT)
		return EINVAL;
	m->__data.__nusers = ROBUST_FINE;
	return 0;
}
