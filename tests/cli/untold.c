/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * untold.c - what threads do in code that is not seen
 *
 * untold WHAT: two threads that each call one of these functions. -DOTHER: a file with these alone, which
 * heddle-cc does not compile; with -DLOCKS they have a lock. -DAPART: the program without them. -DRAW: the program calls the kernel by itself, after its
 * threads have ended.
 */
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>

void other_locks(void);
void other_counts(void);
void other_adds(int *to);
int other_computes(int n);

#ifndef APART
static int counted;

#ifdef LOCKS
static int lock;

void other_locks(void)
{
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		;
	counted++;
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}
#else
void other_locks(void)
{
}
#endif

void other_counts(void)
{
	counted++;
}

void other_adds(int *to)
{
	++*to;
}

int other_computes(int n)
{
	return n * n;
}
#endif

#ifndef OTHER
static int shared, results[2];
static const char *what;

static void *work(void *arg)
{
	int *result = arg;

	if (!strcmp(what, "locks"))
		other_locks();
	else if (!strcmp(what, "counts"))
		other_counts();
	else if (!strcmp(what, "adds"))
		other_adds(&shared);
	else
		*result = other_computes(3);
	return NULL;
}

#ifdef RAW
static __attribute__((noinline)) void yield_unseen(void)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(SYS_sched_yield) : "rcx", "r11", "memory");
}
#endif

int main(int argc, char **argv)
{
	pthread_t thread[2];

	what = argc > 1 ? argv[1] : "";
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, work, &results[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
#ifdef RAW
	yield_unseen();
#endif
	return 0;
}
#endif
