/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), calls and jumps to who knows where: what is done there is looked at, and nothing else
 *
 * also -O2: functions end in jumps, code that is seldom executed stands apart
 *
 * case by_pointers -e value: ok 1
 * case by_pointers -e value -j 2: ok 1
 * case by_pointers -e value --backend=fork: ok 1
 * case by_pointers -e rf: ok 3
 * case by_tables -e value: ok 1
 * case by_tables -e rf: ok 5
 * case constants -e value: ok 1
 * case constants -e rf: ok 3
 * case never_called -e value: ok 1
 * case never_called -e rf: ok 3
 * case many -e value: ok 3
 * case called_and_jumps -e value: bug assertion
 * case called_and_jumps -e value -m sra -j 2: bug assertion
 * case pointer_and_jumps -e value: bug assertion
 * case pointer_and_jumps -e value --backend=fork: bug assertion
 * case called_twice -e value: bug assertion
 * case pointer_changes -e value: bug assertion
 * case others_call -e value: bug assertion
 * case goes_and_comes_back -e value: bug assertion
 * case each_other -e value: bug assertion
 * case jumps_first -e value: bug assertion
 * case jumps_at_once -e value: ok 3
 * case last_of_many -e value: bug assertion
 * case reads_by_a_register -e value: bug assertion
 * case reads_by_a_register -e value --no-memo: bug assertion
 * case read_by_a_register -e value: bug assertion
 * case reads_by_either -e value: bug assertion
 * case reads_by_either -e value --no-memo: bug assertion
 * case read_by_either -e value: bug assertion
 * case jumps_on -e value: bug assertion
 * case ends_with_a_store -e value: ok 2
 * case ends_with_a_store -e rf: ok 3
 * case ends_untold -e value: bug assertion
 * without notes: inline assembly stands for what nobody announces
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int x;
static int y, z, stored;
static _Thread_local int puts_done;

/* What a function does not tell. It is one that is instrumented, or other parts of heddle are in charge. */
#define PUT()                                                   \
	do {                                                    \
		puts_done++;                                    \
		__asm__ volatile("movl $1, %0" : "=m"(stored)); \
	} while (0)

#define APART __attribute__((noinline))
#define COLD  __attribute__((noinline, cold))

static void (*body)(void);

static void *in_a_section(void *arg)
{
	void (*volatile does)(void) = body;

	(void)arg;
	pthread_mutex_lock(&mutex);
	does();
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static int found;

static void *finds(void *arg)
{
	pthread_mutex_lock(&mutex);
	found = stored;
	pthread_mutex_unlock(&mutex);
	return arg;
}

/* Both sections read the same, whoever is first; but only the first execution finds what was put. */
static void beside(void (*does)(void))
{
	pthread_t t[2];

	body = does;
	pthread_create(&t[0], NULL, in_a_section, NULL);
	pthread_create(&t[1], NULL, finds, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

/* Two threads that do the same. */
static void twice(void *(*does)(void *))
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, does, NULL);
	pthread_create(&t[1], NULL, does, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

/* ---- All is told ----------------------------------------------------------------------------------- */

APART static void stores(void)
{
	atomic_store(&x, 1);
	assert(atomic_load(&x) == 1);
}

APART static void nothing_else(void)
{
	__asm__ volatile("");
}

static void (*const constant[])(void) = { nothing_else, stores };

static void *calls_both(void *arg)
{
	void (*volatile one)(void) = nothing_else;
	void (*volatile other)(void) = stores;

	one();
	other();
	return arg;
}

static void by_pointers(void)
{
	twice(calls_both);
}

/* Jumps by a table, and calls. */
static void *switches(void *arg)
{
	volatile int v = 3;

	atomic_store(&x, 1);
	switch (v) {
	case 0:
		__asm__ volatile("nop");
		break;
	case 1:
		PUT();
		break;
	case 2:
		__asm__ volatile("nop; nop");
		break;
	case 3:
		constant[1]();
		break;
	case 4:
		PUT();
		stores();
		break;
	case 5:
		__asm__ volatile("nop; nop; nop");
		stores();
		break;
	}
	return arg;
}

static void by_tables(void)
{
	twice(switches);
}

static const int numbers[] = { 7, 1, 5, 3, 9, 1, 1, 8 };

static void *adds_numbers(void *arg)
{
	volatile int n = 5;
	const int one = numbers[n];

	atomic_store(&x, one);
	assert(atomic_load(&x) == numbers[n + 1]);
	return arg;
}

static void constants(void)
{
	twice(adds_numbers);
}

/* There is a call, but nobody comes there. */
static void *might_call(void *arg)
{
	void (*volatile who)(void) = arg;

	if (who)
		who();
	stores();
	return arg;
}

static void never_called(void)
{
	twice(might_call);
}

/* More than are kept of a stretch: by reads-from. */
#define ROW(n)                                   \
	APART static void many_##n(void)         \
	{                                        \
		__asm__ volatile("" : : "i"(n)); \
	}
#define NAME(n) many_##n,
#define ALL(X) \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)
ALL(ROW)
static void (*volatile rows[])(void) = { ALL(NAME) };

static void *calls_many(void *arg)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		rows[i]();
	stores();
	return arg;
}

static void many(void)
{
	twice(calls_many);
}

/* ---- Something is not told -------------------------------------------------------------------------- */

APART static void puts_and_jumps(void)
{
	PUT();
	stores();
}

APART static void calls(void)
{
	puts_and_jumps();
	y++;
}

static void called_and_jumps(void)
{
	beside(calls);
	assert(found); /* bug: called_and_jumps */
}

static void pointer_and_jumps(void)
{
	beside(puts_and_jumps);
	assert(found); /* bug: pointer_and_jumps */
}

/* The first call does no operation; the second one tells all. */
APART static void puts_or_stores(int again)
{
	if (again)
		stores();
	else
		PUT();
}

APART static void calls_again(void)
{
	void (*volatile who)(int) = puts_or_stores;

	for (volatile int i = 0; i < 2; i++)
		who(i);
}

static void called_twice(void)
{
	beside(calls_again);
	assert(found); /* bug: called_twice */
}

static void (*who)(void) = nothing_else;

APART static void only_puts(void)
{
	PUT();
}

APART static void changes(void)
{
	for (int i = 0; i < 2; i++) {
		atomic_store(&x, 5);
		who();
		atomic_store(&x, 1);
		who = only_puts;
	}
}

static void pointer_changes(void)
{
	beside(changes);
	assert(found); /* bug: pointer_changes */
}

/* One thread calls what tells all, the other one does not. */
static void *calls_who(void *arg)
{
	void (*volatile mine)(void) = arg;

	pthread_mutex_lock(&mutex);
	mine();
	stores();
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void others_call(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, calls_who, nothing_else);
	pthread_create(&t[1], NULL, calls_who, only_puts);
	pthread_create(&t[2], NULL, finds, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(found); /* bug: others_call */
}

COLD static void puts_seldom(void)
{
	PUT();
}

/* Code apart, between two operations of one function. */
APART static void goes(void)
{
	atomic_store(&x, 1);
	if (y) {
		if (z)
			puts_seldom();
		else
			atomic_store(&x, 3);
	}
	atomic_store(&x, 2);
	y--;
}

static void goes_and_comes_back(void)
{
	y = z = 1;
	beside(goes);
	assert(found); /* bug: goes_and_comes_back */
}

/* Two functions that jump to each other, and have the same frame in turn. */
APART static void one_way(int n);

APART static void other_way(int n)
{
	PUT();
	one_way(n - 1);
}

APART static void one_way(int n)
{
	do {
		atomic_store(&x, 1);
		if (n == 2) {
			other_way(n);
			return;
		}
	} while (n-- > 0);
}

APART static void both_ways(void)
{
	one_way(2);
	y++;
}

static void each_other(void)
{
	beside(both_ways);
	assert(found); /* bug: each_other */
}

/* A thread's first function is not the one that it is in at its first operation. */
static void *locked(void *arg)
{
	atomic_store(&x, 1);
	atomic_store(&x, 2);
	return arg;
}

static void *(*volatile locks)(void *) = locked;

APART static void *puts_first(void *arg)
{
	PUT();
	return locks(arg);
}

static void jumps_first(void)
{
	pthread_t t;

	pthread_create(&t, NULL, puts_first, NULL);
	y = atomic_load(&x);
	__asm__ volatile("movl %1, %0" : "=r"(found) : "m"(stored));
	pthread_join(t, NULL);
	assert(found || y); /* bug: jumps_first */
	assert(!found || y);
}

APART static void *first_operation(void *arg)
{
	stores();
	return arg;
}

APART static void *puts_at_once(void *arg)
{
	PUT();
	return first_operation(arg);
}

static void jumps_at_once(void)
{
	twice(puts_at_once);
}

/* Among many calls, the one that does more. */
APART static void calls_all(void)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		rows[i]();
	stores();
}

static void last_of_many(void)
{
	rows[16] = only_puts;
	beside(calls_all);
	assert(found); /* bug: last_of_many */
}

/* Behind its first operation it jumps to what puts. */
APART static void stores_and_jumps(void)
{
	atomic_store(&x, 1);
	puts_and_jumps();
}

APART static void calls_what_jumps(void)
{
	stores_and_jumps();
	y++;
}

static void jumps_on(void)
{
	beside(calls_what_jumps);
	assert(found); /* bug: jumps_on */
}

/* ---- Registers that hold the address of a constant, or not --------------------------------------------- */

APART static void tells(void)
{
	atomic_store(&x, 1);
	stored = 1;
}

static void *looks(void *arg)
{
	int got;

	pthread_mutex_lock(&mutex);
	atomic_store(&x, 1);
	__asm__ volatile("leaq %1, %%rax; leaq %2, %%rax; movl (%%rax), %0"
			 : "=r"(got)
			 : "m"(numbers), "m"(stored)
			 : "rax");
	found = got;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *looks_there(void *arg)
{
	int got;

	pthread_mutex_lock(&mutex);
	atomic_store(&x, 1);
	__asm__ volatile("leaq %1, %%rax; testq %3, %3; jz 1f; leaq %2, %%rax; 1: movl (%%rax), %0"
			 : "=r"(got)
			 : "m"(numbers), "m"(stored), "r"(arg)
			 : "rax");
	found = got;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void looked_at(void *(*by)(void *))
{
	pthread_t t[2];

	body = tells;
	pthread_create(&t[0], NULL, in_a_section, NULL);
	pthread_create(&t[1], NULL, by, t);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

static void reads_by_a_register(void)
{
	looked_at(looks);
	assert(found); /* bug: reads_by_a_register */
}

static void read_by_a_register(void)
{
	looked_at(looks);
	assert(!found); /* bug: read_by_a_register */
}

static void reads_by_either(void)
{
	looked_at(looks_there);
	assert(found); /* bug: reads_by_either */
}

static void read_by_either(void)
{
	looked_at(looks_there);
	assert(!found); /* bug: read_by_either */
}

/* ---- The last thing that a thread does is a plain store, which is an event ------------------------ */

static _Atomic int go;

static void *stores_last(void *arg)
{
	if (atomic_load(&go))
		y = 1;
	return arg;
}

static void ends_with_a_store(void)
{
	pthread_t t;

	pthread_create(&t, NULL, stores_last, NULL);
	y = 2;
	atomic_store(&go, 1);
	atomic_store(&go, 1);
	pthread_join(t, NULL);
}

/* It is performed at the end, behind what comes behind it. */
static void *puts_last(void *arg)
{
	if (atomic_load(&go)) {
		y = 1;
		PUT();
	}
	return arg;
}

static void *finds_it(void *arg)
{
	if (atomic_load(&go))
		found = stored;
	return arg;
}

static void ends_untold(void)
{
	pthread_t t[2];

	found = 1;
	pthread_create(&t[0], NULL, puts_last, NULL);
	pthread_create(&t[1], NULL, finds_it, NULL);
	y = 2;
	atomic_store(&go, 1);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	assert(found); /* bug: ends_untold */
}

CASES(CASE(by_pointers), CASE(by_tables), CASE(constants), CASE(never_called), CASE(many),
      CASE(called_and_jumps), CASE(pointer_and_jumps), CASE(called_twice), CASE(pointer_changes),
      CASE(others_call), CASE(goes_and_comes_back), CASE(each_other), CASE(jumps_first),
      CASE(jumps_at_once), CASE(last_of_many), CASE(jumps_on), CASE(reads_by_a_register),
      CASE(read_by_a_register), CASE(reads_by_either), CASE(read_by_either),
      CASE(ends_with_a_store), CASE(ends_untold))
