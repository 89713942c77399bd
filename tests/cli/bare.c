/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare.c - what threads do in code that announces nothing
 *
 * bare WHAT: two threads that each call one of these functions. -DOTHER: a file with these alone, which heddle-cc does
 * not compile. -DAPART: the program without them.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>

void other_locks(void);
void other_counts(void);
void other_counts_each(int which);
void other_counts_atomically(void);
void other_takes_number(void);
void other_adds(int *to);
int other_looks(const int *at);
int other_computes(int n);
void other_uses_kernel(int number);

#ifndef APART
static int lock, counted, added, ticket, each[2];

void other_locks(void)
{
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		;
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

void other_counts(void)
{
	counted++;
}

void other_counts_each(int which)
{
	each[which]++;
}

/* Nobody looks. */
void other_counts_atomically(void)
{
	__asm__ volatile("lock; incl %0" : "+m"(added) : : "cc");
}

void other_takes_number(void)
{
	unsigned char last;

	__asm__ volatile("lock; decl %0; sete %1" : "+m"(ticket), "=q"(last) : : "cc");
	each[0] += last * 0;
}

void other_adds(int *to)
{
	++*to;
}

int other_looks(const int *at)
{
	return *at;
}

int other_computes(int n)
{
	volatile int square = n * n;

	return square;
}

void other_uses_kernel(int number)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"((long)number) : "rcx", "r11", "memory");
}
#endif

#ifndef OTHER
static int shared, own, results[2];
static atomic_int y;
static const char *what;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

/* These are in instrumented code, as what they read shows: the first one says who came first, the others say nothing. */
static int own_exchanges(void)
{
	int was = 1;

	__asm__ volatile("xchgl %0, %1" : "+r"(was), "+m"(own));
	return was + *what;
}

static void own_counts(int which)
{
	unsigned char is_zero;

	__asm__ volatile("lock; incl %0" : "+m"(own) : : "cc");
	__asm__ volatile("lock; incl %0; testl %2, %2; sete %1"
			 : "+m"(own), "=q"(is_zero)
			 : "r"(which)
			 : "cc");
}

static void first_or_second(int which)
{
	if (!strcmp(what, "own-exchanges"))
		own_exchanges();
	else if (!strcmp(what, "own-counts"))
		own_counts(which);
	else if (!strcmp(what, "locks"))
		other_locks();
	else if (!strcmp(what, "counts"))
		other_counts();
	else if (!strcmp(what, "counts-each"))
		other_counts_each(which);
	else if (!strcmp(what, "counts-atomically"))
		other_counts_atomically();
	else if (!strcmp(what, "takes-number"))
		other_takes_number();
	else if (!strcmp(what, "adds"))
		other_adds(&shared);
	else if (!strcmp(what, "adds-to-own"))
		other_adds(&results[which]);
	else if (!strcmp(what, "looks"))
		other_looks(&shared);
	else if (!strcmp(what, "computes"))
		results[which] = other_computes(3);
	else if (!strcmp(what, "yields"))
		other_uses_kernel(SYS_sched_yield);
	else if (!strcmp(what, "writes"))
		other_uses_kernel(SYS_sync);
	else if (!strcmp(what, "yields-and-writes"))
		for (int i = 0; i < 2; i++)
			other_uses_kernel(i ? SYS_sync : SYS_sched_yield);
	else if (!strncmp(what, "mixed", 5) && which == !what[5])
		shared = 1;
	else if (!strncmp(what, "mixed", 5))
		other_looks(&shared);
	else if (!strncmp(what, "atomics", 7) && which == !what[7])
		atomic_store(&y, 1);
	else if (!strncmp(what, "atomics", 7))
		other_looks((const int *)&y);
}

static void *work(void *arg)
{
	int which = arg != NULL;

	if (!strcmp(what, "guarded")) {
		pthread_mutex_lock(&m);
		other_counts();
		other_adds(&shared);
		pthread_mutex_unlock(&m);
	} else if (!strcmp(what, "mixed-in-order")) {
		if (!which) {
			other_adds(&shared);
			atomic_store(&y, 1);
		} else if (atomic_load(&y)) {
			shared++;
		}
	} else {
		first_or_second(which);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[2];

	what = argc > 1 ? argv[1] : "";
	other_counts(); /* alone: no matter */
	pthread_create(&thread[0], NULL, work, NULL);
	if (!strcmp(what, "joined"))
		other_counts();
	pthread_create(&thread[1], NULL, work, &shared);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	other_counts();
	other_adds(&shared);
	return 0;
}
#endif
