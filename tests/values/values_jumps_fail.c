/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), calls to who knows where that fail: at places that are watched, since calls of other threads were made there (preload/liveness/taken.c)
 *
 * also -O2: functions end in jumps
 *
 * case calls_nothing -e value: bug crash
 * case table_is_nothing -e value: bug crash
 * case calls_for_ever -e value: bug crash
 * case opens_what_it_reads -e value: bug assertion
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

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
	static const struct table good = { stores };
	const struct table *volatile at = arg ? arg : &good;

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

static struct table *page;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stored, found, puts_done;

static void opens(int sig)
{
	(void)sig;
	mprotect(page, 4096, PROT_READ);
}

APART static void puts_it(void)
{
	puts_done++;
	__asm__ volatile("movl $1, %0" : "=m"(stored));
}

static void *calls_from_page(void *arg)
{
	const struct table *volatile at = page;

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

/* A handler makes what says whom to call readable, and the call is made again. */
static void opens_what_it_reads(void)
{
	struct sigaction sa = { .sa_handler = opens };
	pthread_t t[2];

	sigaction(SIGSEGV, &sa, NULL);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page->function = puts_it;
	mprotect(page, 4096, PROT_NONE);
	pthread_create(&t[0], NULL, calls_from_page, NULL);
	pthread_create(&t[1], NULL, finds, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	assert(found); /* bug: opens_what_it_reads */
}

CASES(CASE(calls_nothing), CASE(table_is_nothing), CASE(calls_for_ever), CASE(opens_what_it_reads))
