/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * processors.c - a loop that waits, and goes to another processor in each of its rounds
 *
 * The kernel writes the processor's number to the thread's memory (rseq(2)). A round that changes nothing
 * else has done nothing. The system calls are made without libc, whose functions heddle takes the
 * place of. Where there is one processor only, this is a loop like any other.
 */
#include <assert.h>
#include <pthread.h>
#include <sys/syscall.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Programs that have such variables keep the area. */
static _Thread_local int passes;
static int done;

static long call(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

static void go_elsewhere(void)
{
	unsigned long may[16] = { 0 }, other[16] = { 0 };
	unsigned here = 0;

	call(SYS_getcpu, (long)&here, 0, 0);
	call(SYS_sched_getaffinity, 0, sizeof(may), (long)may);
	for (unsigned i = 0; i < 8 * sizeof(may); i++)
		if (i != here && may[i / 64] >> i % 64 & 1)
			other[i / 64] |= 1ul << i % 64;
	call(SYS_sched_setaffinity, 0, sizeof(other), (long)other);
	call(SYS_sched_setaffinity, 0, sizeof(may), (long)may);
}

static void *holds(void *arg)
{
	pthread_mutex_lock(&mutex);
	done = 1;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *waits(void *arg)
{
	for (;;) {
		go_elsewhere();
		if (!pthread_mutex_trylock(&mutex))
			break;
	}
	passes++;
	pthread_mutex_unlock(&mutex);
	assert(passes == 1);
	return arg;
}

int main(void)
{
	pthread_t holder, waiter;

	pthread_create(&holder, NULL, holds, NULL);
	pthread_create(&waiter, NULL, waits, NULL);
	pthread_join(holder, NULL);
	pthread_join(waiter, NULL);
	assert(done);
	return 0;
}
