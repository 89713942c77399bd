/* SPDX-License-Identifier: BSD-2-Clause */
/* Two threads, each in functions of its own, and one bug of the kind that is chosen with -D. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int x, y;
static int plain, *nowhere;
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static __thread int mine = 1;

int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void inner(int seven)
{
	mine = seven;
#if defined DEADLOCK
	pthread_mutex_lock(&second);
	pthread_mutex_lock(&first);
#elif defined AWAIT
	while (atomic_load(&x) != 2)
		;
#elif defined RACE
	plain++;
#elif defined CRASH
	*nowhere = atomic_load(&x);
#elif defined ABORT
	abort();
#elif defined FORKS
	if (chdir("/"))
		_exit(0);
	if (atomic_load(&x))
		abort();
#else
	int before = atomic_load(&y);
	atomic_store(&x, seven + before);
	before = before * seven;
	mine = before;
#endif
}

static void *worker(void *arg)
{
	inner(7);
	return arg;
}

static void both(void)
{
	pthread_t t;

	mine = 3;
	pthread_create(&t, NULL, worker, NULL);
#ifdef DEADLOCK
	pthread_mutex_lock(&first);
	pthread_mutex_lock(&second);
#endif
#ifdef RACE
	plain++;
#endif
#ifdef ASKS
	__builtin_ia32_rdtsc();
	__asm__ volatile("mfence" ::: "memory");
#endif
#ifdef EVENTS
	atomic_store(&y, 1);
	assert(atomic_load(&x) != 8);
#endif
	atomic_store(&x, 1);
	pthread_join(t, NULL);
#ifdef ENDS
	abort();
#endif
}

int main(void)
{
#ifdef CHILD
	int status;
	pid_t child = fork();

	if (!child) {
		both();
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status != 0;
#else
	both();
	return 0;
#endif
}
