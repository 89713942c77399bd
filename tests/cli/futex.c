/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex.c - two threads at a mutex made of a futex, and one that waits in vain for some time
 *
 * With an argument, an assertion fails at the end.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	ROUNDS = 3
};

static atomic_int mutex, never; /* mutex: 1 locked, 2 and somebody may wait */
static int data, timeouts;

static long futex(atomic_int *word, int op, int value, const struct timespec *timeout)
{
	return syscall(SYS_futex, word, op, value, timeout, NULL, 0);
}

static void lock(void)
{
	while (atomic_exchange(&mutex, 2))
		futex(&mutex, FUTEX_WAIT, 2, NULL);
}

static void unlock(void)
{
	if (atomic_exchange(&mutex, 0) == 2)
		futex(&mutex, FUTEX_WAKE, 1, NULL);
}

static void *count(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		lock();
		data++;
		unlock();
	}
	return arg;
}

static void *wait_in_vain(void *arg)
{
	static const struct timespec moment = { .tv_nsec = 1000 };

	for (int i = 0; i < ROUNDS; i++) {
		assert(futex(&never, FUTEX_WAIT, 0, &moment) == -1 && errno == ETIMEDOUT);
		lock();
		timeouts++;
		unlock();
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[3];

	(void)argv;
	assert(pthread_create(&t[0], NULL, count, NULL) == 0);
	assert(pthread_create(&t[1], NULL, count, NULL) == 0);
	assert(pthread_create(&t[2], NULL, wait_in_vain, NULL) == 0);
	for (int i = 0; i < 3; i++)
		assert(pthread_join(t[i], NULL) == 0);
	assert(data == 2 * ROUNDS && timeouts == ROUNDS);
	assert(argc == 1);
	return 0;
}
