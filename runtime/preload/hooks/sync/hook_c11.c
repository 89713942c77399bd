/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_c11.c - <threads.h>
 *
 * glibc builds it on its own POSIX functions, behind our back; so is this on ours, with the
 * program's place in the code. The types are those of POSIX under other names: thrd_t, tss_t and
 * once_flag the same, mtx_t and cnd_t at least as large. thrd_current() and thrd_equal() work as
 * they are.
 *
 * Errors: EBUSY, ENOMEM and ETIMEDOUT have results of their own, everything else is thrd_error.
 */
/*
 * intercepts: C11 threads
 *
 * explored thrd_create thrd_join - as pthread_create() and pthread_join()
 * checked thrd_detach thrd_exit - as pthread_detach() and pthread_exit()
 * deterministic thrd_sleep - as nanosleep()
 * ignored thrd_yield - under explore; under test another thread may run
 * explored mtx_lock mtx_trylock mtx_timedlock mtx_unlock - as the functions of POSIX
 *	mutexes
 * checked mtx_init mtx_destroy - as the functions of POSIX mutexes
 * explored cnd_wait cnd_timedwait cnd_signal cnd_broadcast - as the functions of POSIX
 *	condition variables
 * checked cnd_init cnd_destroy - as the functions of POSIX condition variables
 * explored call_once - as pthread_once()
 * deterministic tss_create tss_delete tss_get tss_set - as the functions of POSIX keys
 */
#include "preload/hooks/announce.h"

#include <errno.h>
#include <sched.h>
#include <threads.h>
#include <time.h>

#include "preload/access/yield.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/await/polls.h"
#include "preload/core/lifecycle.h"
#include "preload/hooks/lock/mutex.h"
#include "preload/hooks/sync/cond.h"
#include "preload/hooks/thread/thread.h"
#include "preload/hooks/world/kernel_time.h"
#include "preload/loop/children.h"

_Static_assert(sizeof(mtx_t) >= sizeof(pthread_mutex_t), "a mtx_t holds a mutex");
_Static_assert(sizeof(cnd_t) >= sizeof(pthread_cond_t), "a cnd_t holds a condition variable");
_Static_assert(sizeof(once_flag) == sizeof(pthread_once_t), "a once_flag is a once control");
_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "a thrd_t is a pthread_t");
_Static_assert(sizeof(tss_t) == sizeof(pthread_key_t), "a tss_t is a key");

static int result(int error)
{
	switch (error) {
	case 0:
		return thrd_success;
	case EBUSY:
		return thrd_busy;
	case ENOMEM:
		return thrd_nomem;
	case ETIMEDOUT:
		return thrd_timedout;
	default:
		return thrd_error;
	}
}

static pthread_mutex_t *mutex_of(mtx_t *m)
{
	return (pthread_mutex_t *)m;
}

static pthread_cond_t *cond_of(cnd_t *c)
{
	return (pthread_cond_t *)c;
}

/* ---- Threads ---------------------------------------------------------------------------- */

HEDDLE_HOOK int thrd_create(thrd_t *out, thrd_start_t fn, void *arg)
{
	/* An int comes back in the same register; thrd_join() takes no more of it than that. */
	void (*any)(void) = (void (*)(void))fn;

	if (!shared) {
		children_thread_created();
		return REAL(thrd_create)(out, fn, arg);
	}
	return result(thread_create(out, NULL, (void *(*)(void *))any, arg, CALLER()));
}

HEDDLE_HOOK int thrd_join(thrd_t thread, int *value)
{
	const uint64_t pc = CALLER();
	void *returned;
	int error;

	if (!shared)
		return REAL(thrd_join)(thread, value);
	error = thread_join(thread, &returned, pc);
	if (!error && value) {
		if (seen(pc))
			writes(value, sizeof(*value), pc);
		*value = (int)(intptr_t)returned;
	}
	return result(error);
}

HEDDLE_HOOK int thrd_detach(thrd_t thread)
{
	if (!shared)
		return REAL(thrd_detach)(thread);
	return result(thread_detach(thread, CALLER()));
}

HEDDLE_HOOK heddle_noreturn void thrd_exit(int value)
{
	if (!shared)
		REAL(thrd_exit)(value);
	thread_exit((void *)(intptr_t)value);
}

ENTERED static int hook_sleep(const struct timespec *duration, struct timespec *left)
{
	int error = errno, result;

	if (!shared)
		return REAL(thrd_sleep)(duration, left);
	result = nanosleep(duration, left) ? errno == EINTR ? -1 : -2 : 0;
	errno = error;
	return result;
}
HOOK_ENTRY(thrd_sleep, hook_sleep, 2);

ENTERED static void hook_yield(void)
{
	if (!shared)
		REAL(thrd_yield)();
	else
		thread_yield(ENTRY_CALLER());
}
HOOK_ENTRY(thrd_yield, hook_yield, 0);

/* The same function, but for a result that nobody takes: so the caller is the program. */
__asm__(".text\n"
	".globl call_once\n"
	".type call_once, @function\n"
	"call_once:\n"
	"	jmp pthread_once@PLT\n"
	".size call_once, .-call_once\n");

/* ---- Mutexes ---------------------------------------------------------------------------- */

HEDDLE_HOOK int mtx_init(mtx_t *m, int type)
{
	if (!shared)
		return REAL(mtx_init)(m, type);
	mutex_init(mutex_of(m),
		   type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL, CALLER());
	return thrd_success;
}

HEDDLE_HOOK void mtx_destroy(mtx_t *m)
{
	if (!shared)
		REAL(mtx_destroy)(m);
	else
		mutex_destroy(mutex_of(m), CALLER());
}

ENTERED static int hook_lock(mtx_t *m)
{
	if (!shared)
		return REAL(mtx_lock)(m);
	return then_pause(result(mutex_lock(mutex_of(m), ENTRY_CALLER())), ENTRY_CALLER());
}
HOOK_ENTRY(mtx_lock, hook_lock, 1);

ENTERED static int hook_trylock(mtx_t *m)
{
	if (!shared)
		return REAL(mtx_trylock)(m);
	return result(mutex_trylock(mutex_of(m), ENTRY_CALLER()));
}
HOOK_ENTRY(mtx_trylock, hook_trylock, 1);

ENTERED static int hook_timedlock(mtx_t *m, const struct timespec *until)
{
	if (!shared)
		return REAL(mtx_timedlock)(m, KERNEL_TIME(CLOCK_REALTIME, until));
	return result(mutex_timedlock(mutex_of(m), CLOCK_REALTIME, until, ENTRY_CALLER()));
}
HOOK_ENTRY(mtx_timedlock, hook_timedlock, 2);

ENTERED static int hook_unlock(mtx_t *m)
{
	if (!shared)
		return REAL(mtx_unlock)(m);
	return then_pause(result(mutex_unlock(mutex_of(m), ENTRY_CALLER())), ENTRY_CALLER());
}
HOOK_ENTRY(mtx_unlock, hook_unlock, 1);

static void mtx_root(void)
{
	polls_call((uintptr_t)hook_lock);
	polls_call((uintptr_t)hook_trylock);
	polls_call((uintptr_t)hook_unlock);
}

AT_ROOT(mtx_root);

/* ---- Condition variables ---------------------------------------------------------------- */

HEDDLE_HOOK int cnd_init(cnd_t *c)
{
	if (!shared)
		return REAL(cnd_init)(c);
	cond_init(cond_of(c), CLOCK_REALTIME, CALLER());
	return thrd_success;
}

HEDDLE_HOOK void cnd_destroy(cnd_t *c)
{
	if (!shared)
		REAL(cnd_destroy)(c);
	else
		cond_destroy(cond_of(c), CALLER());
}

HEDDLE_HOOK int cnd_wait(cnd_t *c, mtx_t *m)
{
	if (!shared)
		return REAL(cnd_wait)(c, m);
	return result(cond_wait(cond_of(c), mutex_of(m), CLOCK_REALTIME, NULL, CALLER()));
}

HEDDLE_HOOK int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m,
			      const struct timespec *restrict until)
{
	if (!shared)
		return REAL(cnd_timedwait)(c, m, KERNEL_TIME(CLOCK_REALTIME, until));
	touch_to_read(until);
	return result(cond_wait(cond_of(c), mutex_of(m), CLOCK_REALTIME, until, CALLER()));
}

HEDDLE_HOOK int cnd_signal(cnd_t *c)
{
	if (!shared)
		return REAL(cnd_signal)(c);
	cond_signal(cond_of(c), CALLER());
	return thrd_success;
}

HEDDLE_HOOK int cnd_broadcast(cnd_t *c)
{
	if (!shared)
		return REAL(cnd_broadcast)(c);
	cond_broadcast(cond_of(c), CALLER());
	return thrd_success;
}

/* ---- Thread-specific storage ------------------------------------------------------------ */

HEDDLE_HOOK int tss_create(tss_t *key, tss_dtor_t destructor)
{
	if (!shared)
		return REAL(tss_create)(key, destructor);
	return result(pthread_key_create(key, destructor));
}

HEDDLE_HOOK void tss_delete(tss_t key)
{
	if (!shared)
		REAL(tss_delete)(key);
	else
		pthread_key_delete(key);
}

HEDDLE_HOOK void *tss_get(tss_t key)
{
	return shared ? pthread_getspecific(key) : REAL(tss_get)(key);
}

HEDDLE_HOOK int tss_set(tss_t key, void *value)
{
	return shared ? result(pthread_setspecific(key, value)) : REAL(tss_set)(key, value);
}
