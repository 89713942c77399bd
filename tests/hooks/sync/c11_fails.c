/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * c11_fails.c - how the calls of <threads.h> fail
 *
 * ways thrd_create: ; not error nomem (for want of memory or threads only)
 * ways thrd_join: error
 * ways thrd_detach: ; not error (undefined: thread-misuse)
 * ways thrd_sleep: error; not interrupted (no signals come)
 * ways mtx_lock: error
 * ways mtx_trylock: busy error
 * ways mtx_timedlock: timedout error
 * ways mtx_unlock: error
 * ways cnd_wait: error
 * ways cnd_timedwait: timedout error
 * ways tss_create: error
 * ways tss_set: error
 * never fails: thrd_exit thrd_yield mtx_init mtx_destroy cnd_init cnd_destroy cnd_signal
 *	cnd_broadcast call_once tss_delete tss_get
 *
 * case thrd_join_error_of_oneself: ok 1
 * case thrd_sleep_error: ok 1
 * case mtx_lock_error: ok 1
 * case mtx_trylock_busy: ok 1
 * case mtx_trylock_error: ok 1
 * case mtx_timedlock_timedout: ok 1
 * case mtx_timedlock_error: ok 1
 * case mtx_unlock_error: ok 1
 * case cnd_wait_error: ok 1
 * case cnd_timedwait_timedout: ok 1
 * case cnd_timedwait_error: ok 1
 * case tss_create_error: ok 1
 * case tss_set_error: ok 1
 * case thrd_exit_gives_the_value: ok 1
 * case mtx_init_of_each_type: ok 1
 * case cnd_signal_to_nobody: ok 1
 * case call_once_calls_it_once: ok 2
 * case tss_get_of_each_thread: ok 1
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <threads.h>

#include "hooks/fails.h"
#include "hooks/times.h"

/* Before there are threads, and in one of two of them. */
#define BOTH_WAYS(fn)                                                        \
	do {                                                                 \
		thrd_t t_[2];                                                \
		fn(NULL);                                                    \
		for (int i_ = 0; i_ < 2; i_++)                               \
			GIVES(thrd_success, thrd_create(&t_[i_], fn, NULL)); \
		for (int i_ = 0; i_ < 2; i_++)                               \
			GIVES(thrd_success, thrd_join(t_[i_], NULL));        \
	} while (0)

static void in_a_thread(thrd_start_t fn)
{
	thrd_t t;
	int value = 77;

	GIVES(thrd_success, thrd_create(&t, fn, NULL));
	GIVES(thrd_success, thrd_join(t, &value));
	assert(value == 0);
}

/* ---- Threads ----------------------------------------------------------------------------- */

static mtx_t held;

static int join_oneself(void *arg)
{
	int value = 77;

	(void)arg;
	GIVES(thrd_error, thrd_join(thrd_current(), &value));
	return 0;
}

static void thrd_join_error_of_oneself(void)
{
	BOTH_WAYS(join_oneself);
}

/* Less than 0, and not the -1 of a signal. */
static int sleep_for_no_time(void *arg)
{
	static const struct timespec below = { .tv_sec = -1 };

	(void)arg;
	assert(thrd_sleep(&too_large, NULL) < -1);
	assert(thrd_sleep(&negative, NULL) < -1);
	assert(thrd_sleep(&below, NULL) < -1);
	return 0;
}

static void thrd_sleep_error(void)
{
	BOTH_WAYS(sleep_for_no_time);
}

static int exit_with_seven(void *arg)
{
	(void)arg;
	thrd_exit(7);
}

static void thrd_exit_gives_the_value(void)
{
	thrd_t t;
	int value;

	GIVES(thrd_success, thrd_create(&t, exit_with_seven, NULL));
	GIVES(thrd_success, thrd_join(t, &value));
	assert(value == 7);
}

/* ---- Mutexes ----------------------------------------------------------------------------- */

static pthread_mutex_t *inside(mtx_t *m)
{
	return (pthread_mutex_t *)m;
}

/* A recursive mutex that was locked as often as can be (see mutex.c). */
static void make_full(mtx_t *m)
{
	GIVES(thrd_success, mtx_init(m, mtx_timed | mtx_recursive));
	GIVES(thrd_success, mtx_lock(m));
	assert(inside(m)->__data.__count == 1);
	inside(m)->__data.__count = UINT_MAX;
}

static void unmake_full(mtx_t *m)
{
	inside(m)->__data.__count = 1;
	GIVES(thrd_success, mtx_unlock(m));
	mtx_destroy(m);
}

static int lock_a_full_one(void *arg)
{
	mtx_t m;

	(void)arg;
	make_full(&m);
	GIVES(thrd_error, mtx_lock(&m));
	unmake_full(&m);
	return 0;
}

static void mtx_lock_error(void)
{
	BOTH_WAYS(lock_a_full_one);
}

static int trylock_a_full_one(void *arg)
{
	mtx_t m;

	(void)arg;
	make_full(&m);
	GIVES(thrd_error, mtx_trylock(&m));
	unmake_full(&m);
	return 0;
}

static void mtx_trylock_error(void)
{
	BOTH_WAYS(trylock_a_full_one);
}

static int trylock_again(void *arg)
{
	mtx_t m;

	(void)arg;
	GIVES(thrd_success, mtx_init(&m, mtx_plain));
	GIVES(thrd_success, mtx_trylock(&m));
	GIVES(thrd_busy, mtx_trylock(&m));
	GIVES(thrd_success, mtx_unlock(&m));
	mtx_destroy(&m);
	return 0;
}

static void mtx_trylock_busy(void)
{
	BOTH_WAYS(trylock_again);
}

static int timedlock_held(void *arg)
{
	(void)arg;
	GIVES(thrd_timedout, mtx_timedlock(&held, &past));
	GIVES(thrd_timedout, mtx_timedlock(&held, &before));
	return 0;
}

static int timedlock_wrongly(void *arg)
{
	(void)arg;
	GIVES(thrd_error, mtx_timedlock(&held, &too_large));
	GIVES(thrd_error, mtx_timedlock(&held, &negative));
	return 0;
}

static void while_held(thrd_start_t fn)
{
	GIVES(thrd_success, mtx_init(&held, mtx_timed));
	GIVES(thrd_success, mtx_timedlock(&held, &never));
	in_a_thread(fn);
	GIVES(thrd_success, mtx_unlock(&held));
	mtx_destroy(&held);
}

static void mtx_timedlock_timedout(void)
{
	while_held(timedlock_held);
}

static void mtx_timedlock_error(void)
{
	while_held(timedlock_wrongly);
}

static int unlock_what_is_not_locked(void *arg)
{
	mtx_t m;

	(void)arg;
	GIVES(thrd_success, mtx_init(&m, mtx_plain | mtx_recursive));
	GIVES(thrd_error, mtx_unlock(&m));
	GIVES(thrd_success, mtx_lock(&m));
	GIVES(thrd_success, mtx_lock(&m));
	GIVES(thrd_success, mtx_unlock(&m));
	GIVES(thrd_success, mtx_unlock(&m));
	GIVES(thrd_error, mtx_unlock(&m));
	mtx_destroy(&m);
	return 0;
}

static void mtx_unlock_error(void)
{
	BOTH_WAYS(unlock_what_is_not_locked);
}

static int lock_each_type(void *arg)
{
	static const int types[] = { mtx_plain, mtx_timed, mtx_plain | mtx_recursive,
				     mtx_timed | mtx_recursive };
	mtx_t m;

	(void)arg;
	for (int i = 0; i < 4; i++) {
		GIVES(thrd_success, mtx_init(&m, types[i]));
		GIVES(thrd_success, mtx_lock(&m));
		GIVES(types[i] & mtx_recursive ? thrd_success : thrd_busy, mtx_trylock(&m));
		GIVES(thrd_success, mtx_unlock(&m));
		if (types[i] & mtx_recursive)
			GIVES(thrd_success, mtx_unlock(&m));
		mtx_destroy(&m);
	}
	return 0;
}

static void mtx_init_of_each_type(void)
{
	BOTH_WAYS(lock_each_type);
}

/* ---- Condition variables ----------------------------------------------------------------- */

/* A recursive mutex knows whose it is; of others it is undefined. */
static int wait_unlocked(void *arg)
{
	mtx_t m;
	cnd_t c;

	(void)arg;
	GIVES(thrd_success, cnd_init(&c));
	GIVES(thrd_success, mtx_init(&m, mtx_plain | mtx_recursive));
	GIVES(thrd_error, cnd_wait(&c, &m));
	GIVES(thrd_error, cnd_timedwait(&c, &m, &never));
	GIVES(thrd_error, mtx_unlock(&m));
	cnd_destroy(&c);
	mtx_destroy(&m);
	return 0;
}

static void cnd_wait_error(void)
{
	BOTH_WAYS(wait_unlocked);
}

static int wait_for_no_time(void *arg)
{
	mtx_t m;
	cnd_t c;

	(void)arg;
	GIVES(thrd_success, cnd_init(&c));
	GIVES(thrd_success, mtx_init(&m, mtx_plain));
	GIVES(thrd_success, mtx_lock(&m));
	GIVES(thrd_error, cnd_timedwait(&c, &m, &too_large));
	GIVES(thrd_error, cnd_timedwait(&c, &m, &negative));
	GIVES(thrd_busy, mtx_trylock(&m));
	GIVES(thrd_success, mtx_unlock(&m));
	cnd_destroy(&c);
	return 0;
}

static void cnd_timedwait_error(void)
{
	BOTH_WAYS(wait_for_no_time);
}

static int wait_until_the_past(void *arg)
{
	mtx_t m;
	cnd_t c;

	(void)arg;
	GIVES(thrd_success, cnd_init(&c));
	GIVES(thrd_success, mtx_init(&m, mtx_plain));
	GIVES(thrd_success, mtx_lock(&m));
	GIVES(thrd_timedout, cnd_timedwait(&c, &m, &past));
	GIVES(thrd_timedout, cnd_timedwait(&c, &m, &before));
	GIVES(thrd_busy, mtx_trylock(&m));
	GIVES(thrd_success, mtx_unlock(&m));
	cnd_destroy(&c);
	return 0;
}

static void cnd_timedwait_timedout(void)
{
	BOTH_WAYS(wait_until_the_past);
}

static int tell_nobody(void *arg)
{
	cnd_t c;

	(void)arg;
	GIVES(thrd_success, cnd_init(&c));
	GIVES(thrd_success, cnd_signal(&c));
	GIVES(thrd_success, cnd_broadcast(&c));
	cnd_destroy(&c);
	return 0;
}

static void cnd_signal_to_nobody(void)
{
	BOTH_WAYS(tell_nobody);
}

/* ---- Initialisation, thread-specific storage --------------------------------------------- */

static once_flag once = ONCE_FLAG_INIT;
static int times;

static void begin(void)
{
	times++;
}

static int begin_once(void *arg)
{
	(void)arg;
	call_once(&once, begin);
	assert(times == 1);
	thrd_yield();
	return 0;
}

static void call_once_calls_it_once(void)
{
	thrd_t t[2];

	for (int i = 0; i < 2; i++)
		GIVES(thrd_success, thrd_create(&t[i], begin_once, NULL));
	for (int i = 0; i < 2; i++)
		GIVES(thrd_success, thrd_join(t[i], NULL));
	begin_once(NULL);
}

static void tss_create_error(void)
{
	static tss_t keys[PTHREAD_KEYS_MAX];
	tss_t one_more;
	int n = 0, error;

	while ((error = tss_create(&one_more, NULL)) == thrd_success) {
		assert(n < PTHREAD_KEYS_MAX);
		keys[n++] = one_more;
	}
	GIVES(thrd_error, error);
	tss_delete(keys[0]);
	GIVES(thrd_success, tss_create(&keys[0], NULL));
	GIVES(thrd_error, tss_create(&one_more, NULL));
}

static int set_what_is_deleted(void *arg)
{
	tss_t key;

	(void)arg;
	GIVES(thrd_success, tss_create(&key, NULL));
	GIVES(thrd_success, tss_set(key, &key));
	tss_delete(key);
	GIVES(thrd_error, tss_set(key, &key));
	GIVES(thrd_error, tss_set((tss_t)-1, &key));
	assert(tss_get((tss_t)-1) == NULL);
	return 0;
}

static void tss_set_error(void)
{
	set_what_is_deleted(NULL);
	in_a_thread(set_what_is_deleted);
}

static tss_t shared_key;

static int get_and_set(void *arg)
{
	int here;

	(void)arg;
	assert(tss_get(shared_key) == NULL);
	GIVES(thrd_success, tss_set(shared_key, &here));
	assert(tss_get(shared_key) == &here);
	GIVES(thrd_success, tss_set(shared_key, NULL));
	return 0;
}

static void tss_get_of_each_thread(void)
{
	GIVES(thrd_success, tss_create(&shared_key, NULL));
	BOTH_WAYS(get_and_set);
}

CASES(CASE(thrd_join_error_of_oneself), CASE(thrd_sleep_error), CASE(mtx_lock_error),
      CASE(mtx_trylock_busy), CASE(mtx_trylock_error), CASE(mtx_timedlock_timedout),
      CASE(mtx_timedlock_error), CASE(mtx_unlock_error), CASE(cnd_wait_error),
      CASE(cnd_timedwait_timedout), CASE(cnd_timedwait_error), CASE(tss_create_error),
      CASE(tss_set_error), CASE(thrd_exit_gives_the_value), CASE(mtx_init_of_each_type),
      CASE(cnd_signal_to_nobody), CASE(call_once_calls_it_once), CASE(tss_get_of_each_thread))
