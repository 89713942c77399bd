/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waits.c - loops that wait for a variable which no synchronisation call protects
 *
 * Each case is named on the command line.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

typedef void *body(void *);

static volatile int flag, back, changes;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int n;

static pthread_t start(body *f)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, f, NULL))
		abort();
	return thread;
}

static void *sets(void *arg)
{
	flag = 1;
	return arg;
}

static void *forgets(void *arg)
{
	return arg;
}

/* ---- It comes --------------------------------------------------------------------------------- */

static void yields(void)
{
	pthread_t t = start(sets);

	while (!flag)
		sched_yield();
	pthread_join(t, NULL);
}

static void naps(void)
{
	const struct timespec moment = { .tv_nsec = 1000 };
	pthread_t t = start(sets);

	while (!flag) {
		usleep(10);
		nanosleep(&moment, NULL);
		thrd_yield();
	}
	pthread_join(t, NULL);
}

static void *answers(void *arg)
{
	while (!flag)
		sched_yield();
	back = 1;
	return arg;
}

static void both(void)
{
	pthread_t t = start(answers);

	flag = 1;
	while (!back)
		sched_yield();
	pthread_join(t, NULL);
}

/* ---- It does not ------------------------------------------------------------------------------ */

static void never(void)
{
	pthread_t t = start(forgets);

	while (!flag)
		sched_yield();
	pthread_join(t, NULL);
}

static void *waits_for_back(void *arg)
{
	while (!back)
		usleep(1);
	return arg;
}

static void each_other(void)
{
	pthread_t t = start(waits_for_back);

	while (!flag)
		sched_yield();
	back = 1;
	pthread_join(t, NULL);
}

/* But the thread gives up, by and by. */
static void gives_up(void)
{
	pthread_t t = start(forgets);
	int i = 0;

	while (!flag && i < 1000) {
		i++;
		sched_yield();
	}
	assert(i == 1000);
	pthread_join(t, NULL);
}

static void deadline(void)
{
	pthread_t t = start(forgets);
	struct timespec now, until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += 2;
	do {
		usleep(1000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (!flag && now.tv_sec < until.tv_sec);
	pthread_join(t, NULL);
}

/* Memory is another one each time. */
static void counts(void)
{
	pthread_t t = start(forgets);

	while (!flag) {
		changes++;
		sched_yield();
	}
	pthread_join(t, NULL);
}

/* No call at all. */
static void spins(void)
{
	pthread_t t = start(sets);

	while (!flag)
		;
	pthread_join(t, NULL);
}

/* ---- Others go on ----------------------------------------------------------------------------- */

static void *locks(void *arg)
{
	sched_yield();
	pthread_mutex_lock(&mutex);
	usleep(1);
	n++;
	pthread_mutex_unlock(&mutex);
	sched_yield();
	return arg;
}

/* The process ends although a thread goes round. */
static void daemon_thread(void)
{
	pthread_t t[3];

	start(waits_for_back);
	for (int i = 0; i < 3; i++)
		t[i] = start(locks);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(n == 3);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "yields", yields },
	{ "naps", naps },
	{ "both", both },
	{ "never", never },
	{ "each_other", each_other },
	{ "gives_up", gives_up },
	{ "deadline", deadline },
	{ "counts", counts },
	{ "spins", spins },
	{ "daemon", daemon_thread },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	fprintf(stderr, "there is no case '%s'\n", argc > 1 ? argv[1] : "");
	return 2;
}
