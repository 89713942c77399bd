/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_code.c - rounds with code that compilers seldom make
 *
 * What is told of a loop is read from its code. Whether that is understood or not: a look in vain is no execution, and rounds
 * that change something are never left out. (preload/liveness/stretch.c)
 *
 * case copies_its_own_bytes: ok 1
 * case fills_what_it_announced: ok 1
 * case fills_what_nobody_knows_of: bug assertion at filled[0] != 1
 * case copies_to_elsewhere: bug assertion at copied[0] != 2
 * case writes_more_than_it_announced: bug assertion at twice[1] != 1
 * case locks_what_it_announced: ok 1
 * case locks_what_nobody_knows_of: bug assertion at locked != 1
 * case a_few_calls_deep: ok 1
 * case many_calls_deep: ok 1
 * case jumps_to_an_address: ok 1
 * case calls_at_the_end: ok 1
 * case too_many_functions: ok 1
 * case pointer_changes: ok 1
 * case code_behind_the_end: ok 1
 * without notes: inline assembly stands for what nobody announces
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "cases.h"
#include "waits_for_x.h"

enum {
	BYTES = 16,
	FEW = 10,
	MANY = 80 /* calls: more than are followed outwards */
};

static char filled[BYTES], copied[BYTES];
static int locked, twice[2];

/* As gcc calls them in front of an access. */
void __tsan_write_range(void *p, unsigned long size);
void __tsan_read_write4(void *p);
void __tsan_write4(void *p);

static inline __attribute__((always_inline)) void fill(char *at, char with, unsigned long n)
{
	__asm__ volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(with) : "memory");
}

static inline __attribute__((always_inline)) void copy(char *to, const char *from, unsigned long n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static void *copies_own(void *arg)
{
	char own[BYTES] = { 1 }, same[BYTES] = { 1 };

	while (!atomic_load(&x))
		copy(own, same, sizeof(own));
	return arg;
}

static void copies_its_own_bytes(void)
{
	with(copies_own);
}

static void *fills_announced(void *arg)
{
	while (!atomic_load(&x)) {
		__tsan_write_range(filled, sizeof(filled));
		fill(filled, 0, sizeof(filled));
	}
	return arg;
}

static void fills_what_it_announced(void)
{
	with(fills_announced);
}

static void *fills_unseen(void *arg)
{
	char n = 0;

	while (!atomic_load(&x))
		fill(filled, ++n, sizeof(filled));
	return arg;
}

static void fills_what_nobody_knows_of(void)
{
	with(fills_unseen);
	assert(filled[0] != 1);
}

/* The bytes that it copies stand in its frame, those that it writes elsewhere. */
static void *copies_unseen(void *arg)
{
	char own[BYTES] = { 1 };

	while (!atomic_load(&x)) {
		own[0]++;
		copy(copied, own, sizeof(own));
	}
	return arg;
}

static void copies_to_elsewhere(void)
{
	with(copies_unseen);
	assert(copied[0] != 2);
}

/* An announcement is good for so many bytes. */
static void *writes_more(void *arg)
{
	while (!atomic_load(&x)) {
		__tsan_write4(&twice[0]);
		__asm__ volatile("movl $1, %0\n\tincl %1" : "=m"(twice[0]), "+m"(twice[1]));
	}
	return arg;
}

static void writes_more_than_it_announced(void)
{
	with(writes_more);
	assert(twice[1] != 1);
}

/* It might be what others wait for, as an atomic operation. */
static void *locks_announced(void *arg)
{
	while (!atomic_load(&x)) {
		__tsan_read_write4(&locked);
		__asm__ volatile("lock orl $0, %0" : "+m"(locked));
	}
	return arg;
}

static void locks_what_it_announced(void)
{
	with(locks_announced);
}

static void *locks_unseen(void *arg)
{
	while (!atomic_load(&x))
		__asm__ volatile("lock incl %0" : "+m"(locked));
	return arg;
}

static void locks_what_nobody_knows_of(void)
{
	with(locks_unseen);
	assert(locked != 1);
}

/* The look is made in the innermost call; what comes behind it is the code of all of them. */
static __attribute__((noinline)) int look_deep(int calls)
{
	return calls ? look_deep(calls - 1) + 1 : atomic_load(&x);
}

static void *looks_few_deep(void *arg)
{
	while (look_deep(FEW) == FEW)
		;
	return arg;
}

static void a_few_calls_deep(void)
{
	with(looks_few_deep);
}

static void *looks_many_deep(void *arg)
{
	while (look_deep(MANY) == MANY)
		;
	return arg;
}

static void many_calls_deep(void)
{
	with(looks_many_deep);
}

static void *jumps(void *arg)
{
	void *volatile next = &&look;

look:
	if (atomic_load(&x))
		return arg;
	goto *next;
}

static void jumps_to_an_address(void)
{
	with(jumps);
}

/* A call whose result is returned is a jump. */
static __attribute__((noinline)) bool is_set(int value)
{
	__asm__ volatile("");
	return value != 0;
}

static __attribute__((noinline)) bool look_and_ask(void)
{
	return is_set(atomic_load(&x));
}

static void *looks_and_asks(void *arg)
{
	while (!look_and_ask())
		;
	return arg;
}

static void calls_at_the_end(void)
{
	with(looks_and_asks);
}

/* Functions that are called one from another, more than are followed. */
#define F(n)                                                    \
	static __attribute__((noinline, noipa)) int f##n(int v) \
	{                                                       \
		return v + n;                                   \
	}
#define FOUR(M, n)    M(n##0) M(n##1) M(n##2) M(n##3)
#define SIXTEEN(M, n) FOUR(M, n##0) FOUR(M, n##1) FOUR(M, n##2) FOUR(M, n##3)
#define MANY_OF(M, n) SIXTEEN(M, n##0) SIXTEEN(M, n##1) SIXTEEN(M, n##2) SIXTEEN(M, n##3)
#define ALL(M)        MANY_OF(M, 1) MANY_OF(M, 2) MANY_OF(M, 3) MANY_OF(M, 4) MANY_OF(M, 5)
#define CALL(n)       v = f##n(v);
ALL(F)

static void *calls_many(void *arg)
{
	int v;

	do {
		v = atomic_load(&x);
		if (!v) {
			ALL(CALL)
			v = 0;
		}
	} while (!v);
	return arg;
}

static void too_many_functions(void)
{
	with(calls_many);
}

/* ---- A pointer to a function --------------------------------------------------------------------------- */

static int told, rounds_counted;
static _Atomic int enough;

__attribute__((noinline)) static void only_tells(void)
{
	told = 0;
}

/* Nobody is told how often, but at the end. */
__attribute__((noinline)) static void counts_as_well(void)
{
	bool is_last;

	told = 0;
	__asm__ volatile("incl %1; cmpl $5, %1; sete %0" : "=q"(is_last), "+m"(rounds_counted));
	if (is_last)
		atomic_store(&enough, 1);
}

static void (*what_it_does)(void) = only_tells;

static void *does_another_thing(void *arg)
{
	while (!atomic_load(&enough)) {
		what_it_does();
		what_it_does = counts_as_well;
	}
	return arg;
}

static void pointer_changes(void)
{
	pthread_t t;

	pthread_create(&t, NULL, does_another_thing, NULL);
	pthread_join(t, NULL);
}

/* What stands behind a call that does not return comes by another way. Unoptimised, it stands there as it is here. */
static __attribute__((optimize("O0"))) void *waits_before_the_end(void *arg)
{
	if (arg)
		goto first;
again:
	while (!atomic_load(&x))
		;
	if (locked != MANY)
		return arg;
	abort();
first:
	locked = epoll_create1(0);
	goto again;
}

static void code_behind_the_end(void)
{
	with(waits_before_the_end);
}

CASES(CASE(copies_its_own_bytes), CASE(fills_what_it_announced), CASE(fills_what_nobody_knows_of),
      CASE(copies_to_elsewhere), CASE(writes_more_than_it_announced), CASE(locks_what_it_announced),
      CASE(locks_what_nobody_knows_of), CASE(a_few_calls_deep), CASE(many_calls_deep),
      CASE(jumps_to_an_address), CASE(calls_at_the_end), CASE(too_many_functions),
      CASE(pointer_changes), CASE(code_behind_the_end))
