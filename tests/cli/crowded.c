/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As many threads at once as the second argument says, beside the first one:
 *
 *	crowded CASE THREADS
 */
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	MOST = 300
};

static long n;
static pthread_t threads[MOST];
static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t sem;
static atomic_int sum, word, other, turns, first;
static int counted, go, waiting;
static char *blocks[MOST];

static void create(void *(*fn)(void *))
{
	for (long i = 0; i < n; i++)
		assert(pthread_create(&threads[i], NULL, fn, (void *)i) == 0);
}

static void join(void)
{
	for (long i = 0; i < n; i++) {
		void *value;

		assert(pthread_join(threads[i], &value) == 0);
		assert((long)value == i);
	}
}

static void all(void *(*fn)(void *))
{
	pthread_barrier_init(&barrier, NULL, (unsigned)n);
	create(fn);
	join();
	pthread_barrier_destroy(&barrier);
}

/* ---- Operations that all do ----------------------------------------------------------------------- */

static void count(void)
{
	counted++;
}

static void *at_once(void *arg)
{
	pthread_barrier_wait(&barrier);
	atomic_fetch_add(&sum, 1);
	pthread_mutex_lock(&mutex);
	waiting++;
	pthread_mutex_unlock(&mutex);
	pthread_once(&once, count);
	return arg;
}

static void mutex_barrier_atomics(void)
{
	all(at_once);
	assert(sum == n && waiting == n && counted == 1);
}

/* Those that were joined leave room for as many others. */
static void in_waves(void)
{
	for (int i = 0; i < 3; i++)
		all(at_once);
	assert(sum == 3 * n && waiting == 3 * n);
}

static void *waits(void *arg)
{
	pthread_mutex_lock(&mutex);
	waiting++;
	sem_post(&sem);
	while (!go)
		pthread_cond_wait(&cond, &mutex);
	go--;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void broadcast(void)
{
	sem_init(&sem, 0, 0);
	create(waits);
	pthread_mutex_lock(&mutex);
	go = (int)n;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	join();
	assert(go == 0 && waiting == n);
}

/* Each signal takes one out of those that wait, and none of them is lost. */
static void signals(void)
{
	sem_init(&sem, 0, 0);
	create(waits);
	for (long i = 0; i < n; i++)
		sem_wait(&sem);
	for (long i = 0; i < n; i++) {
		pthread_mutex_lock(&mutex);
		go++;
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&mutex);
	}
	join();
	assert(go == 0);
}

static void *posts(void *arg)
{
	sem_wait(&sem);
	sum++;
	sem_post(&sem);
	return arg;
}

static void semaphore(void)
{
	sem_init(&sem, 0, 1);
	all(posts);
	assert(sum == n);
}

static void *reads(void *arg)
{
	assert(pthread_rwlock_rdlock(&rwlock) == 0);
	pthread_barrier_wait(&barrier);
	assert(pthread_rwlock_tryrdlock(&rwlock) == 0);
	assert(pthread_rwlock_trywrlock(&rwlock) != 0);
	assert(pthread_rwlock_unlock(&rwlock) == 0);
	assert(pthread_rwlock_unlock(&rwlock) == 0);
	assert(pthread_rwlock_wrlock(&rwlock) == 0);
	waiting++;
	assert(pthread_rwlock_unlock(&rwlock) == 0);
	return arg;
}

static void readers(void)
{
	all(reads);
	assert(waiting == n);
}

static void *unlocks_once_more(void *arg)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_barrier_wait(&barrier);
	if ((long)arg == n - 1) {
		pthread_rwlock_unlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
	}
	return arg;
}

static void unlock_of_others(void)
{
	all(unlocks_once_more);
}

static void *allocates(void *arg)
{
	long i = (long)arg;

	blocks[i] = malloc(32);
	memset(blocks[i], (int)i, 32);
	pthread_barrier_wait(&barrier);
	assert(blocks[(i + 1) % n][7] == (char)(i + 1) || i + 1 == n);
	pthread_barrier_wait(&barrier);
	free(blocks[(i + 1) % n]);
	return arg;
}

static void heap(void)
{
	all(allocates);
}

/* What is done to a file only a process of its own undoes. */
static void *writes_file(void *arg)
{
	FILE *f = fopen("crowded.out", "w");

	assert(f && fputs("x", f) >= 0 && fclose(f) == 0);
	return arg;
}

static void file(void)
{
	pthread_t thread;

	assert(pthread_create(&thread, NULL, writes_file, NULL) == 0);
	assert(pthread_join(thread, NULL) == 0);
	all(allocates);
}

static void *has_keys(void *arg)
{
	pthread_key_t key[3];

	for (int i = 0; i < 3; i++) {
		assert(pthread_key_create(&key[i], NULL) == 0);
		pthread_setspecific(key[i], &threads[(long)arg + i]);
	}
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 3; i++)
		assert(pthread_getspecific(key[i]) == &threads[(long)arg + i]);
	return arg;
}

static void keys(void)
{
	all(has_keys);
}

/* ---- Futexes ------------------------------------------------------------------------------------------- */

static long futex(atomic_int *at, int op, int value, long more, atomic_int *to, int third)
{
	return syscall(SYS_futex, at, op, value, more, to, third);
}

static void *sleeps(void *arg)
{
	atomic_fetch_add(&turns, 1);
	while (!atomic_load(&other))
		futex(&word, FUTEX_WAIT, 0, 0, NULL, 0);
	return arg;
}

/* No more are woken and moved than there are, and as many as were asked for. */
static void sleepers(void)
{
	long woken = 0, moved, n_left;

	create(sleeps);
	while (atomic_load(&turns) < n)
		sched_yield();
	moved = futex(&word, FUTEX_CMP_REQUEUE, 2, n / 2, &sum, 0);
	assert(moved >= 0 && moved <= n / 2 + 2);
	atomic_store(&other, 1);
	atomic_store(&word, 1);
	n_left = futex(&sum, FUTEX_WAKE, (int)n, 0, NULL, 0);
	assert(n_left <= n / 2);
	do {
		woken = futex(&word, FUTEX_WAKE, 3, 0, NULL, 0);
		assert(woken >= 0 && woken <= 3);
	} while (woken);
	join();
}

static void *says_who_woke(void *arg)
{
	int nobody = 0;

	atomic_fetch_add(&turns, 1);
	while (!atomic_load(&other))
		if (futex(&word, FUTEX_WAIT, 0, 0, NULL, 0) == 0)
			atomic_compare_exchange_strong(&first, &nobody, 1 + (int)(long)arg);
	return arg;
}

/* Who is woken is any of them, also where there are more ways to move the others than could be numbered. */
static void anybody(void)
{
	create(says_who_woke);
	while (atomic_load(&turns) < n)
		sched_yield();
	if (futex(&word, FUTEX_CMP_REQUEUE, 1, n / 2, &sum, 0) > n / 2) {
		while (!atomic_load(&first))
			sched_yield();
		assert(atomic_load(&first) <= n - n / 4); /* bug: anybody */
	}
	atomic_store(&other, 1);
	atomic_store(&word, 1);
	futex(&sum, FUTEX_WAKE, (int)n, 0, NULL, 0);
	futex(&word, FUTEX_WAKE, (int)n, 0, NULL, 0);
	join();
}

/* Likewise by the table: FUTEX_WAKE_OP. */
static void sleepers_in_a_table(void)
{
	int op = FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0);

	create(sleeps);
	while (atomic_load(&turns) < n)
		sched_yield();
	atomic_store(&other, 1);
	assert(futex(&word, FUTEX_WAKE_OP, (int)n, n, &word, op) <= n);
	join();
}

static void *owns(void *arg)
{
	int me = (int)syscall(SYS_gettid), none = 0;

	if (!atomic_compare_exchange_strong(&word, &none, me))
		assert(futex(&word, FUTEX_LOCK_PI, 0, 0, NULL, 0) == 0);
	waiting++;
	if (!atomic_compare_exchange_strong(&word, &me, 0))
		assert(futex(&word, FUTEX_UNLOCK_PI, 0, 0, NULL, 0) == 0);
	return arg;
}

static void heirs(void)
{
	all(owns);
	assert(waiting == n);
}

/* ---- Bugs ---------------------------------------------------------------------------------------------- */

static void *comes_in_turn(void *arg)
{
	int turn = atomic_fetch_add(&turns, 1);

	if ((long)arg == 199)
		assert(turn < 150); /* bug: late */
	return arg;
}

/* Only thread 200 shows it. */
static void late(void)
{
	create(comes_in_turn);
	join();
}

static void *writes(void *arg)
{
	pthread_barrier_wait(&barrier);
	if ((long)arg >= n - 2)
		counted = (int)(long)arg; /* bug: race */
	return arg;
}

static void race(void)
{
	all(writes);
}

/* The last two touch what the other is not to see; it is ordered, by a mutex. */
static void *takes_turns(void *arg)
{
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&mutex);
	counted++;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void no_race(void)
{
	all(takes_turns);
	assert(counted == n);
}

static void *waits_in_vain(void *arg)
{
	pthread_mutex_lock(&mutex);
	while (!go)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void deadlock(void)
{
	create(waits_in_vain);
	join();
}

static void *frees(void *arg)
{
	pthread_barrier_wait(&barrier);
	if ((long)arg == n - 1)
		free(blocks[0]);
	return arg;
}

static void use_after_free(void)
{
	blocks[0] = malloc(16);
	all(frees);
	blocks[0][3] = 1; /* bug: use_after_free */
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "mutex_barrier_atomics", mutex_barrier_atomics },
	{ "in_waves", in_waves },
	{ "broadcast", broadcast },
	{ "signals", signals },
	{ "semaphore", semaphore },
	{ "readers", readers },
	{ "unlock_of_others", unlock_of_others },
	{ "heap", heap },
	{ "file", file },
	{ "keys", keys },
	{ "sleepers", sleepers },
	{ "anybody", anybody },
	{ "sleepers_in_a_table", sleepers_in_a_table },
	{ "heirs", heirs },
	{ "late", late },
	{ "race", race },
	{ "no_race", no_race },
	{ "deadlock", deadlock },
	{ "use_after_free", use_after_free },
};

int main(int argc, char **argv)
{
	n = argc == 3 ? atol(argv[2]) : 0;
	for (size_t i = 0; n && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(cases[i].name, argv[1])) {
			cases[i].run();
			return 0;
		}
	fprintf(stderr, "crowded CASE THREADS\n");
	return 2;
}
