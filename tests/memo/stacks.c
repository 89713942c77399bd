/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executions that are made without the program where threads read variables of main (runtime/engine/memo.txt, K13)
 *
 * main is the first function, so its variables are there as long as the program runs. Those of a function that it calls are not, and some
 * are written by what nobody announces.
 *
 * also -O0: other code announces other accesses
 *
 * case arguments: ok 24
 * case arguments --no-memo: ok 24
 * case changes: bug assertion at assert(value != bad)
 * case changes --no-memo: bug assertion at assert(value != bad)
 * case assembly: bug assertion at assert(value != bad)
 * case assembly --no-memo: bug assertion at assert(value != bad)
 * case assembly -e value: bug assertion at assert(value != bad)
 * case returns: bug use-after-return at value = *(const int *)arg;
 * case returns --no-memo: bug use-after-return at value = *(const int *)arg;
 * case returns -e value: bug use-after-return at value = *(const int *)arg;
 * case joins_there: bug use-after-return at value = *(const int *)arg;
 * case joins_there --no-memo: bug use-after-return at value = *(const int *)arg;
 * case joins_there -e value: bug use-after-return at value = *(const int *)arg;
 * case is_used_again: bug use-after-return at value = *(const int *)arg;
 * case is_used_again --no-memo: bug use-after-return at value = *(const int *)arg;
 * without notes: inline assembly stands for what nobody announces
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define RLX memory_order_relaxed

struct job {
	int number;
	char name[8];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int turn, asked;
static int got, bad = 6;
static pthread_t t[4];

static void *takes_turn(void *arg)
{
	const struct job *job = arg;

	atomic_fetch_add_explicit(&turn, job->number + job->name[0], RLX);
	return arg;
}

/* If main has asked for it, under the lock. */
static void *reads_late(void *arg)
{
	atomic_fetch_add_explicit(&turn, 1, RLX);
	if (atomic_load_explicit(&asked, RLX)) {
		int value;

		pthread_mutex_lock(&lock);
		value = *(const int *)arg;
		pthread_mutex_unlock(&lock);
		assert(value != bad);
	}
	return arg;
}

/* So that all is done twice at least. */
static void *does_something_else(void *arg)
{
	atomic_fetch_add_explicit(&turn, 1, RLX);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	atomic_fetch_add_explicit(&turn, 1, RLX);
	return arg;
}

static void start(int *variable)
{
	pthread_create(&t[0], NULL, reads_late, variable);
	pthread_create(&t[1], NULL, does_something_else, NULL);
}

static void join(int n)
{
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static __attribute__((noinline)) void start_with_own(void)
{
	int own[16] = { 7, 7 };

	start(&own[1]);
	atomic_fetch_add_explicit(&turn, 1, RLX);
}

/* Its place is that of join(), where main is when it is used behind main's section. */
static __attribute__((noinline)) void start_with_few(void)
{
	int own[4] = { 7, 7 };

	start(&own[1]);
	atomic_fetch_add_explicit(&turn, 1, RLX);
}

static __attribute__((noinline)) int fill(int n)
{
	volatile int room[40];

	for (int i = 0; i < 40; i++)
		room[i] = n;
	return room[n];
}

/* What is in the place of the variable then nobody announces, and main was never where it is seen that the function has returned. */
static __attribute__((noinline)) void use_again(int n)
{
	volatile int room[60];

	for (int i = 0; i < 60; i++)
		room[i] = 6;
	atomic_store_explicit(&asked, 1, RLX);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	got = room[n];
}

int main(int argc, char **argv)
{
	struct job jobs[4] = { { 0, "a" }, { 1, "b" }, { 0, "c" }, { 1, "d" } };
	int changed = 5, beside = 5;

	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "arguments")) {
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, takes_turn, &jobs[i]);
		join(4);
	} else if (!strcmp(argv[1], "changes")) {
		start(&changed);
		atomic_store_explicit(&asked, 1, RLX);
		pthread_mutex_lock(&lock);
		changed = 6;
		pthread_mutex_unlock(&lock);
		join(2);
	} else if (!strcmp(argv[1], "assembly")) {
		bad = 5;
		start(&beside);
		atomic_store_explicit(&asked, 1, RLX);
		pthread_mutex_lock(&lock);
		__asm__ volatile("movl $6, %0" : "=m"(beside));
		pthread_mutex_unlock(&lock);
		join(2);
	} else if (!strcmp(argv[1], "returns") || !strcmp(argv[1], "joins_there")) {
		if (!strcmp(argv[1], "returns"))
			start_with_own();
		else
			start_with_few();
		got = fill(argc);
		atomic_store_explicit(&asked, 1, RLX);
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		join(2);
	} else if (!strcmp(argv[1], "is_used_again")) {
		start_with_own();
		use_again(argc);
		join(2);
	} else {
		return 2;
	}
	return 0;
}
