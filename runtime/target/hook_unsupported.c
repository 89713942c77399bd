/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_unsupported.c - calls that heddle does not explore yet
 *
 * Left to libc they would block the one kernel thread that runs all threads of the program,
 * so they end the run with a line that names the call and what to use instead. Before the
 * first thread exists they work as ever: libraries initialise themselves with them.
 */
#include "target/hook.h"

#include <threads.h>

#define REFUSED(type, name, params, args, cure) \
	HEDDLE_HOOK type name params            \
	{                                       \
		if (!under_engine())            \
			return REAL(name) args; \
		NOT_YET(#name, cure);           \
	}

/*
 * C11 threads: glibc's own functions would reach its internal ones behind our back.
 * thrd_create() begins the first thread, so it is refused at any time.
 */
#define C11_CURE "use the pthread functions"

HEDDLE_HOOK int thrd_create(thrd_t *out, thrd_start_t fn, void *arg)
{
	if (!shared)
		return REAL(thrd_create)(out, fn, arg);
	NOT_YET("thrd_create", C11_CURE);
}

REFUSED(int, thrd_join, (thrd_t t, int *value), (t, value), C11_CURE)
REFUSED(int, thrd_detach, (thrd_t t), (t), C11_CURE)
REFUSED(int, mtx_lock, (mtx_t * m), (m), C11_CURE)
REFUSED(int, mtx_trylock, (mtx_t *restrict m), (m), C11_CURE)
REFUSED(int, mtx_timedlock, (mtx_t *restrict m, const struct timespec *restrict until), (m, until),
	C11_CURE)
REFUSED(int, mtx_unlock, (mtx_t * m), (m), C11_CURE)
REFUSED(int, cnd_signal, (cnd_t * c), (c), C11_CURE)
REFUSED(int, cnd_broadcast, (cnd_t * c), (c), C11_CURE)
REFUSED(int, cnd_wait, (cnd_t * c, mtx_t *m), (c, m), C11_CURE)
REFUSED(int, cnd_timedwait,
	(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict until),
	(c, m, until), C11_CURE)
REFUSED(int, tss_set, (tss_t key, void *value), (key, value), C11_CURE)
REFUSED(void *, tss_get, (tss_t key), (key), C11_CURE)
