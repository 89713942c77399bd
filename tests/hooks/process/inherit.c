/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inherit.c - objects that were made before fork(), in a child
 *
 * case a_spin_lock: ok 1
 * case a_spin_lock_that_is_held: ok 2
 * case a_barrier: ok 3
 * case a_barrier_again_and_again: ok 17
 * case a_barrier_is_destroyed: ok 3
 * case a_lock_with_readers: ok 2
 * case a_lock_with_a_writer: ok 2
 * case a_lock_that_was_held: ok 2
 * case keys_and_values: ok 2
 * case keys_of_the_child: ok 2
 * case mutexes: ok 2
 * case a_semaphore: ok 2
 * case what_was_done_once: ok 2
 * case clocks: ok 2
 * case a_condition_variable_of_another_clock: ok 2
 * case times_to_wait_until: ok 2
 * case times_that_are_over: ok 2
 *
 * The child is explored, and it runs alone, without heddle, for the program: the objects are libc's then.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

/* An assertion that fails in a child is seen by its status. */
static void in_a_child(void (*fn)(void))
{
	int status = -1;
	pid_t pid = fork();

	assert(pid >= 0);
	if (!pid) {
		fn();
		exit(0);
	}
	assert(waitpid(pid, &status, 0) == pid && status == 0);
}

static pthread_spinlock_t spin;

static void spin_once(void)
{
	assert(pthread_spin_lock(&spin) == 0);
	assert(pthread_spin_trylock(&spin) == EBUSY);
	assert(pthread_spin_unlock(&spin) == 0);
}

static void a_spin_lock(void)
{
	assert(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
	spin_once();
	in_a_child(spin_once);
}

static void *find_it_taken(void *arg)
{
	assert(pthread_spin_trylock(&spin) == EBUSY);
	return arg;
}

static void look_and_free(void)
{
	RUN(find_it_taken);
	assert(pthread_spin_unlock(&spin) == 0);
	spin_once();
}

static void a_spin_lock_that_is_held(void)
{
	assert(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
	assert(pthread_spin_lock(&spin) == 0);
	in_a_child(look_and_free);
}

static pthread_barrier_t barrier;

static void *arrive(void *arg)
{
	int got = pthread_barrier_wait(&barrier);

	assert(!got || got == PTHREAD_BARRIER_SERIAL_THREAD);
	return arg;
}

static void arrive_both(void)
{
	RUN(arrive, arrive);
}

static void a_barrier(void)
{
	assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
	in_a_child(arrive_both);
}

static void *arrive_often(void *arg)
{
	for (int i = 0; i < 4; i++)
		arrive(arg);
	return arg;
}

static void arrive_both_often(void)
{
	RUN(arrive_often, arrive_often);
}

static void a_barrier_again_and_again(void)
{
	assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
	in_a_child(arrive_both_often);
}

static void destroy_and_make(void)
{
	assert(pthread_barrier_destroy(&barrier) == 0);
	assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
	arrive_both();
}

static void a_barrier_is_destroyed(void)
{
	assert(pthread_barrier_init(&barrier, NULL, 1) == 0);
	arrive(NULL);
	in_a_child(destroy_and_make);
}

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *find_readers(void *arg)
{
	assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
	assert(pthread_rwlock_tryrdlock(&lock) == 0);
	assert(pthread_rwlock_unlock(&lock) == 0);
	return arg;
}

static void write_once(void)
{
	assert(pthread_rwlock_wrlock(&lock) == 0);
	assert(pthread_rwlock_unlock(&lock) == 0);
}

static void look_and_stop_reading(void)
{
	RUN(find_readers);
	assert(pthread_rwlock_unlock(&lock) == 0);
	assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
	assert(pthread_rwlock_unlock(&lock) == 0);
	write_once();
}

static void a_lock_with_readers(void)
{
	assert(pthread_rwlock_rdlock(&lock) == 0 && pthread_rwlock_rdlock(&lock) == 0);
	in_a_child(look_and_stop_reading);
}

static void *find_a_writer(void *arg)
{
	assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
	assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
	return arg;
}

static void look_for_a_writer(void)
{
	RUN(find_a_writer);
}

static void a_lock_with_a_writer(void)
{
	assert(pthread_rwlock_wrlock(&lock) == 0);
	in_a_child(look_for_a_writer);
}

static void *write_and_read(void *arg)
{
	write_once();
	assert(pthread_rwlock_rdlock(&lock) == 0);
	assert(pthread_rwlock_unlock(&lock) == 0);
	return arg;
}

static void write_in_a_thread(void)
{
	RUN(write_and_read);
}

static void a_lock_that_was_held(void)
{
	assert(pthread_rwlock_rdlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0);
	write_once();
	in_a_child(write_in_a_thread);
}

static pthread_key_t first, second, gone;
static int ended;

static void end(void *value)
{
	assert(value == &second);
	ended++;
}

static void *has_none_of_it(void *arg)
{
	assert(!pthread_getspecific(first) && !pthread_getspecific(second));
	assert(pthread_setspecific(first, &second) == 0);
	assert(pthread_getspecific(first) == &second && !pthread_getspecific(second));
	return arg;
}

static void has_them(void)
{
	assert(pthread_getspecific(first) == &first && !pthread_getspecific(second));
	assert(pthread_setspecific(gone, &gone) == EINVAL);
	RUN(has_none_of_it);
	assert(ended == 1);
}

static void make_keys(void)
{
	assert(pthread_key_create(&first, end) == 0);
	assert(pthread_key_create(&gone, NULL) == 0);
	assert(pthread_key_create(&second, end) == 0);
	assert(pthread_setspecific(first, &first) == 0);
	assert(pthread_key_delete(gone) == 0);
}

static void keys_and_values(void)
{
	make_keys();
	in_a_child(has_them);
}

static void *has_none(void *key)
{
	assert(!pthread_getspecific(*(pthread_key_t *)key));
	return key;
}

static void makes_more(void)
{
	pthread_key_t key[4];
	pthread_t t;

	for (int i = 0; i < 4; i++) {
		assert(pthread_key_create(&key[i], NULL) == 0);
		assert(key[i] != first && key[i] != second);
		assert(!pthread_getspecific(key[i]));
		assert(pthread_setspecific(key[i], &key[i]) == 0);
	}
	assert(pthread_key_delete(key[1]) == 0 && pthread_setspecific(key[1], key) == EINVAL);
	for (int i = 0; i < 4; i++)
		assert(i == 1 || pthread_getspecific(key[i]) == &key[i]);
	assert(pthread_getspecific(first) == &first);
	assert(pthread_create(&t, NULL, has_none, &key[3]) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void keys_of_the_child(void)
{
	make_keys();
	in_a_child(makes_more);
}

static pthread_mutex_t recursive, checking;

static void *find_them_locked(void *arg)
{
	assert(pthread_mutex_trylock(&checking) == EBUSY);
	return arg;
}

static void lock_them(void)
{
	assert(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0);
	assert(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
	assert(pthread_mutex_lock(&checking) == 0);
	assert(pthread_mutex_lock(&checking) == EDEADLK);
	RUN(find_them_locked);
}

static void mutexes(void)
{
	pthread_mutexattr_t attr;

	assert(pthread_mutexattr_init(&attr) == 0);
	assert(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE) == 0);
	assert(pthread_mutex_init(&recursive, &attr) == 0);
	assert(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK) == 0);
	assert(pthread_mutex_init(&checking, &attr) == 0);
	in_a_child(lock_them);
}

static sem_t sem;

static void *take_the_second(void *arg)
{
	assert(sem_wait(&sem) == 0);
	assert(sem_trywait(&sem) == -1 && errno == EAGAIN);
	return arg;
}

static void take_both(void)
{
	assert(sem_wait(&sem) == 0);
	RUN(take_the_second);
}

static void a_semaphore(void)
{
	assert(sem_init(&sem, 0, 3) == 0 && sem_wait(&sem) == 0);
	in_a_child(take_both);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int done;

static void do_it(void)
{
	done++;
}

static void *do_it_once(void *arg)
{
	assert(pthread_once(&once, do_it) == 0 && done == 1);
	return arg;
}

static void do_it_in_a_thread(void)
{
	RUN(do_it_once);
}

static void what_was_done_once(void)
{
	do_it_once(NULL);
	in_a_child(do_it_in_a_thread);
}

/* ---- Time ---- */

enum {
	A_WHILE_MS = 50,
	LONG_S = 20 /* nothing here takes so long */
};

static struct timespec start[2], until[2];
static const clockid_t both[2] = { CLOCK_REALTIME, CLOCK_MONOTONIC };

static int64_t ns_of(const struct timespec *t)
{
	return t->tv_sec * 1000000000l + t->tv_nsec;
}

static int64_t since(int i)
{
	struct timespec now;

	clock_gettime(both[i], &now);
	return ns_of(&now) - ns_of(&start[i]);
}

/* Virtual time goes faster than the real one. */
static void take_times(int64_t wait_ms)
{
	const struct timespec nap = { .tv_nsec = 200000000 };

	nanosleep(&nap, NULL);
	for (int i = 0; i < 2; i++) {
		int64_t ns;

		clock_gettime(both[i], &start[i]);
		ns = ns_of(&start[i]) + wait_ms * 1000000;
		until[i] = (struct timespec){ ns / 1000000000, ns % 1000000000 };
	}
}

static void *nothing(void *arg)
{
	return arg;
}

static void look_at_clocks(void)
{
	struct timeval day;
	struct timespec utc;

	for (int i = 0; i < 2; i++)
		assert(since(i) >= 0 && since(i) < LONG_S * 1000000000l);
	assert(time(NULL) >= start[0].tv_sec && time(NULL) < start[0].tv_sec + LONG_S);
	assert(gettimeofday(&day, NULL) == 0 && day.tv_sec >= start[0].tv_sec &&
	       day.tv_sec < start[0].tv_sec + LONG_S);
	assert(timespec_get(&utc, TIME_UTC) == TIME_UTC && ns_of(&utc) >= ns_of(&start[0]));
	THREADS(1, nothing);
}

static void clocks(void)
{
	clock_t ticks = times(&(struct tms){ 0 });

	take_times(0);
	in_a_child(look_at_clocks);
	look_at_clocks();
	assert(times(&(struct tms){ 0 }) >= ticks);
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t held_rw = PTHREAD_RWLOCK_INITIALIZER;

#define ENDS(i, result) assert((result) == ETIMEDOUT && since(i) >= A_WHILE_MS * 1000000l)

static void *waits(void *arg)
{
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
	unsigned word = 0;
	sem_t sem;

	assert(sem_init(&sem, 0, 0) == 0 && pthread_mutex_lock(&mine) == 0);
	switch (*(int *)arg) {
	case 0:
		ENDS(0, sem_timedwait(&sem, &until[0]) ? errno : 0);
		break;
	case 1:
		ENDS(1, pthread_cond_clockwait(&cond, &mine, CLOCK_MONOTONIC, &until[1]));
		break;
	case 2:
		ENDS(0, pthread_mutex_timedlock(&held, &until[0]));
		break;
	case 3:
		ENDS(1, pthread_rwlock_clockrdlock(&held_rw, CLOCK_MONOTONIC, &until[1]));
		break;
	case 4:
		ENDS(0, pthread_cond_timedwait(&cond, &mine, &until[0]));
		break;
	case 5:
		ENDS(1, syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, &until[1], NULL, -1) ? errno
											     : 0);
		break;
	case 6:
		assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until[1], NULL) == 0);
		assert(since(1) >= A_WHILE_MS * 1000000l);
	}
	return NULL;
}

static void wait_in_each_way(void)
{
	for (int i = 0; i < 7; i++) {
		pthread_t thread;

		assert(pthread_create(&thread, NULL, waits, &i) == 0);
		assert(pthread_join(thread, NULL) == 0);
	}
}

static pthread_cond_t by_boot;
static pthread_mutex_t with_it = PTHREAD_MUTEX_INITIALIZER;
static int woken;

static void *wakes(void *arg)
{
	assert(pthread_mutex_lock(&with_it) == 0);
	woken = 1;
	assert(pthread_cond_broadcast(&by_boot) == 0);
	assert(pthread_mutex_unlock(&with_it) == 0);
	return arg;
}

static void wait_by_boot(void)
{
	pthread_t thread;

	assert(pthread_mutex_lock(&with_it) == 0);
	ENDS(1, pthread_cond_timedwait(&by_boot, &with_it, &until[1]));
	assert(pthread_create(&thread, NULL, wakes, NULL) == 0);
	while (!woken)
		assert(pthread_cond_wait(&by_boot, &with_it) == 0);
	assert(pthread_mutex_unlock(&with_it) == 0);
	assert(pthread_join(thread, NULL) == 0);
	assert(pthread_cond_destroy(&by_boot) == 0);
}

static void a_condition_variable_of_another_clock(void)
{
	pthread_condattr_t attr;

	assert(pthread_condattr_init(&attr) == 0);
	assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
	assert(pthread_cond_init(&by_boot, &attr) == 0);
	take_times(A_WHILE_MS);
	in_a_child(wait_by_boot);
}

/* Each wait in the child ends when its time has come, neither before nor days later. */
static void times_to_wait_until(void)
{
	take_times(A_WHILE_MS);
	assert(pthread_mutex_lock(&held) == 0 && pthread_rwlock_wrlock(&held_rw) == 0);
	in_a_child(wait_in_each_way);
}

/* What is over for the parent is over, too. */
static void times_that_are_over(void)
{
	take_times(-A_WHILE_MS);
	for (int i = 0; i < 2; i++)
		start[i].tv_sec--;
	assert(pthread_mutex_lock(&held) == 0 && pthread_rwlock_wrlock(&held_rw) == 0);
	in_a_child(wait_in_each_way);
}

CASES(CASE(a_spin_lock), CASE(a_spin_lock_that_is_held), CASE(a_barrier),
      CASE(a_barrier_again_and_again), CASE(a_barrier_is_destroyed), CASE(a_lock_with_readers),
      CASE(a_lock_with_a_writer), CASE(a_lock_that_was_held), CASE(keys_and_values),
      CASE(keys_of_the_child), CASE(mutexes), CASE(a_semaphore), CASE(what_was_done_once),
      CASE(clocks), CASE(a_condition_variable_of_another_clock), CASE(times_to_wait_until),
      CASE(times_that_are_over))
