/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fences.c - two threads ask all others for a fence, while a third one does what its argument says; for fences.test
 *
 * Every execution fails in the end, so each that is tested is replayed as well.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int done, turns;
static int word, own[2];
static const char *how;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/*
 * What was written to `mine` before there was an event of it is its first value; another one in another order of the
 * threads. The first call of membarrier() begins the execution again.
 */
static void writes(int *mine)
{
	int turn = 1 + atomic_fetch_add(&turns, 1);

	*mine = turn;
	assert(atomic_load((atomic_int *)mine) == turn);
}

static void *asks(void *arg)
{
	if (!strcmp(how, "writes"))
		writes(arg);
	assert(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0);
	return arg;
}

static void *other(void *arg)
{
	const struct timespec soon = { .tv_nsec = 1000 };

	if (!strcmp(how, "sleeps")) {
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, &soon, NULL, 0);
	} else if (!strcmp(how, "wakes")) {
		pthread_mutex_lock(&lock);
		pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
	}
	done = 1;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread[3];

	how = argc > 1 ? argv[1] : "ends";
	assert(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0);
	pthread_create(&thread[0], NULL, other, NULL);
	pthread_create(&thread[1], NULL, asks, &own[0]);
	pthread_create(&thread[2], NULL, asks, &own[1]);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	assert(!done);
	return 0;
}
