/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), calls to who knows where that fail: at places that are watched, since calls of other threads were made there (preload/liveness/taken.c)
 *
 * also -O2: functions end in jumps
 *
 * case calls_nothing -e value: bug crash
 * case table_is_nothing -e value: bug crash
 * case calls_for_ever -e value: bug crash
 * case a_handler_mends_it -e value: bug assertion
 * without notes: inline assembly stands for what nobody announces
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>

#include "cases.h"

#define APART __attribute__((noinline))

static _Atomic int x;

/* Two threads that do the same. */
static void twice(void *(*does)(void *))
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, does, NULL);
	pthread_create(&t[1], NULL, does, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

APART static void stores(void)
{
	atomic_store(&x, 1);
	assert(atomic_load(&x) == 1);
}

APART static void nothing_else(void)
{
	__asm__ volatile("");
}

static void *calls(void *arg)
{
	void (*volatile who)(void) = arg;

	stores();
	who(); /* bug: calls_nothing */
	stores();
	return arg;
}

static void calls_nothing(void)
{
	pthread_t t;

	pthread_create(&t, NULL, calls, nothing_else);
	pthread_join(t, NULL);
	pthread_create(&t, NULL, calls, NULL);
	pthread_join(t, NULL);
}

struct table {
	void (*function)(void);
};

static void *calls_by_table(void *arg)
{
	static const struct table mine = { stores };
	const struct table *volatile at = arg ? arg : &mine;

	stores();
	at->function(); /* bug: table_is_nothing */
	stores();
	return NULL;
}

static void table_is_nothing(void)
{
	pthread_t t;

	twice(calls_by_table);
	pthread_create(&t, NULL, calls_by_table, (void *)8);
	pthread_join(t, NULL);
}

static void (*volatile next)(void);

/* The last call has no room for where it returns to. */
APART static void deeper(void)
{
	next(); /* bug: calls_for_ever */
	__asm__ volatile("");
}

static void *goes_down(void *arg)
{
	stores();
	deeper();
	stores();
	return arg;
}

static void calls_for_ever(void)
{
	pthread_t t;

	next = nothing_else;
	twice(goes_down);
	next = deeper;
	pthread_create(&t, NULL, goes_down, NULL);
	pthread_join(t, NULL);
}

/* ---- One that fails first -------------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stored, found, puts_done;

APART static void puts_it(void)
{
	puts_done++;
	__asm__ volatile("movl $1, %0" : "=m"(stored));
}

static const struct table good = { puts_it };

#define NOWHERE 0x18

/* Another table than the one that was named, in whatever register that is. */
static void mends(int sig, siginfo_t *info, void *context)
{
	greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)sig;
	(void)info;
	for (int i = 0; i < NGREG; i++)
		if (reg[i] == NOWHERE)
			reg[i] = (greg_t)&good;
}

static void *calls_nowhere(void *arg)
{
	const struct table *volatile at = (const struct table *)NOWHERE;

	pthread_mutex_lock(&mutex);
	at->function();
	stores();
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *finds(void *arg)
{
	pthread_mutex_lock(&mutex);
	found = stored;
	pthread_mutex_unlock(&mutex);
	return arg;
}

/* The call is made again, with what a handler has put in the place of what could not be read. */
static void a_handler_mends_it(void)
{
	struct sigaction sa = { .sa_sigaction = mends, .sa_flags = SA_SIGINFO };
	pthread_t t[2];

	sigaction(SIGSEGV, &sa, NULL);
	pthread_create(&t[0], NULL, calls_nowhere, NULL);
	pthread_create(&t[1], NULL, finds, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	assert(found); /* bug: a_handler_mends_it */
}

CASES(CASE(calls_nothing), CASE(table_is_nothing), CASE(calls_for_ever), CASE(a_handler_mends_it))
