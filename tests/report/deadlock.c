/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * deadlock.c - threads that wait for one another, and threads that only wait for these
 *
 *	deadlock circle		three threads, each with a lock that the next one wants
 *	deadlock chain		one waits to be woken, one for its end, and main for that one's
 *	deadlock held		one waits for the end of another, whose lock it holds
 *	deadlock ends		three threads, each waits for the end of the next one
 *	deadlock early		a signal that comes before anybody waits
 *	deadlock unlocked	likewise, and without the mutex: what the waiter looks at is changed
 *	deadlock looks		likewise, with the mutex, but the waiter looks without it
 *	deadlock changes	the waiter looks with the mutex, but it is changed without
 *	deadlock taken		two wait, and a signal takes the other one
 *	deadlock kept		one ends with two locks that others want
 *	deadlock locked		both with the mutex: no deadlock
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

static pthread_mutex_t locks[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				    PTHREAD_MUTEX_INITIALIZER };
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER, unheard = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all;
static pthread_t thread[3];
static atomic_int there, told;
static int waiting, gone;
static const char *what;

static int is(const char *name)
{
	return !strcmp(what, name);
}

static void sleep_for_ever(void)
{
	pthread_mutex_lock(&locks[0]);
	pthread_cond_wait(&woken, &locks[0]); /* sleeps */
	pthread_mutex_unlock(&locks[0]);
}

static void await_work(void)
{
	if (is("looks") || is("unlocked")) {
		if (atomic_load(&there))
			return;
		pthread_mutex_lock(&locks[0]);
	} else {
		pthread_mutex_lock(&locks[0]);
		if (atomic_load(&there)) {
			pthread_mutex_unlock(&locks[0]);
			return;
		}
	}
	pthread_cond_wait(&woken, &locks[0]); /* sleeps without work */
	pthread_mutex_unlock(&locks[0]);
}

static void bring_work(void)
{
	if (is("looks") || is("locked"))
		pthread_mutex_lock(&locks[0]);
	atomic_store(&there, 1); /* brings work */
	if (is("looks") || is("locked"))
		pthread_mutex_unlock(&locks[0]);
	atomic_store(&told, 1);      /* nobody looks at that */
	pthread_cond_signal(&woken); /* tells */
}

/* The second one waits behind the first one, and who signals is behind both, or none of them waits. */
static void share(int i)
{
	pthread_mutex_lock(&locks[0]);
	if (i == 2 && waiting == 2)
		pthread_cond_signal(&woken);
	gone |= i == 2;
	if (i < 2 && !gone && waiting == i) {
		waiting++;
		pthread_cond_wait(&woken, &locks[0]); /* shares */
	}
	pthread_mutex_unlock(&locks[0]);
}

static int of_work(void)
{
	return is("looks") || is("locked") || is("changes") || is("unlocked");
}

static void await_end_of(int other)
{
	pthread_join(thread[other], NULL); /* joins */
}

static void use(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
}

static void keep(void)
{
	pthread_mutex_lock(&locks[2]); /* keeps from main */
	use(&locks[1]);
	pthread_mutex_lock(&locks[0]); /* keeps */
	use(&locks[1]);
}

static void *work(void *argument)
{
	const int i = (int)(intptr_t)argument, next = (i + 1) % 3;

	if (is("held") && i == 1)
		pthread_mutex_lock(&locks[1]);
	if (is("kept") && i == 1)
		keep();
	pthread_barrier_wait(&all);
	if (is("circle")) {
		pthread_mutex_lock(&locks[i]);
		pthread_mutex_lock(&locks[next]); /* wants */
		pthread_mutex_unlock(&locks[next]);
		pthread_mutex_unlock(&locks[i]);
	} else if (is("ends") || (is("chain") && i == 0) || (is("held") && i == 1)) {
		await_end_of(next);
	} else if (is("held") && i == 2) {
		pthread_mutex_lock(&locks[1]); /* wants */
	} else if ((is("chain") || is("early")) && i == 1) {
		sleep_for_ever();
	} else if (is("taken")) {
		share(i);
	} else if (is("kept") && i == 2) {
		pthread_mutex_lock(&locks[0]); /* wants what is kept */
	} else if (of_work() && i == 1) {
		await_work();
	} else if (of_work() && i == 2) {
		bring_work();
	} else if (is("early") && i == 2) {
		pthread_mutex_lock(&locks[0]);
		pthread_cond_signal(&woken); /* signals */
		pthread_mutex_unlock(&locks[0]);
		pthread_cond_signal(&unheard);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int joined;

	what = argc > 1 ? argv[1] : "";
	pthread_barrier_init(&all, NULL, 4);
	for (intptr_t i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	pthread_barrier_wait(&all);
	if (is("ends"))
		pthread_exit(NULL);
	if (is("kept"))
		pthread_mutex_lock(&locks[2]); /* main wants */
	joined = is("held") || is("early") || is("taken") || of_work();
	pthread_join(thread[joined], NULL); /* main joins */
	return 0;
}
