/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locals.c - local variables that another thread gets to know
 *
 * All accesses to them are announced, to each part and in each way: the thread's one races with the only other one
 * that is after its creation.
 *
 * case field: bug data-race at return (void *)*cell;
 * case first_field: bug data-race at return (void *)*cell;
 * case element: bug data-race at return (void *)*cell;
 * case element_read: bug data-race at *cell = 1;
 * case nested: bug data-race at return (void *)*cell;
 * case byte: bug data-race at return (void *)(long)*cell;
 * case member: bug data-race at return (void *)(long)*cell;
 * case variable_length: bug data-race at return (void *)*cell;
 * case argument: bug data-race at return (void *)*cell;
 * case chosen: bug data-race at return (void *)*cell;
 * case inlined: bug data-race at return (void *)*cell;
 * case looped: bug data-race at return (void *)*cell;
 * case published: bug data-race at return (void *)known->b;
 * case whole: bug data-race at return (void *)*cell;
 * case joined: ok 1
 * case others: ok 1
 */
#include <pthread.h>
#include <stdatomic.h>

#include "../cases.h"

enum {
	CELLS = 4,
	THIRD = 2
};

struct pair {
	long a, b;
};

struct nest {
	int before;
	struct pair pair[CELLS];
};

union word {
	unsigned long all;
	unsigned char byte[sizeof(unsigned long)];
};

static void *reads(void *arg)
{
	volatile long *cell = arg;

	return (void *)*cell;
}

static void *reads_byte(void *arg)
{
	volatile unsigned char *cell = arg;

	return (void *)(long)*cell;
}

static void *writes(void *arg)
{
	volatile long *cell = arg;

	*cell = 1;
	return NULL;
}

static pthread_t start(void *(*fn)(void *), void *arg)
{
	pthread_t t;

	assert(!pthread_create(&t, NULL, fn, arg));
	return t;
}

static void wait_for(pthread_t t)
{
	assert(!pthread_join(t, NULL));
}

static void field(void)
{
	struct pair p = { 1, 2 };
	pthread_t t = start(reads, &p.b);

	p.b = 5;
	wait_for(t);
}

static void first_field(void)
{
	struct pair p = { 1, 2 };
	pthread_t t = start(reads, &p);

	p.a = 5;
	wait_for(t);
}

static void element(void)
{
	long cell[CELLS] = { 0 };
	pthread_t t = start(reads, cell + THIRD);

	cell[THIRD] = 5;
	wait_for(t);
}

static void element_read(void)
{
	long cell[CELLS] = { 0 };
	pthread_t t = start(writes, cell + THIRD);
	long seen = cell[THIRD];

	wait_for(t);
	assert(seen <= 1);
}

static void nested(void)
{
	struct nest n = { 0 };
	pthread_t t = start(reads, &n.pair[THIRD].b);

	n.pair[THIRD].b = 5;
	wait_for(t);
}

static void byte(void)
{
	long n = 0;
	pthread_t t = start(reads_byte, (char *)&n + 3);

	((char *)&n)[3] = 5;
	wait_for(t);
}

static void member(void)
{
	union word w = { 0 };
	pthread_t t = start(reads_byte, &w.byte[3]);

	w.all = 5;
	wait_for(t);
}

static void with_length(int n)
{
	long cell[n];
	pthread_t t;

	cell[n - 1] = 0;
	t = start(reads, &cell[n - 1]);
	cell[n - 1] = 5;
	wait_for(t);
}

static void variable_length(void)
{
	volatile int n = CELLS;

	with_length(n);
}

__attribute__((noinline)) static void with_argument(struct nest n)
{
	pthread_t t = start(reads, &n.pair[THIRD].b);

	n.pair[THIRD].b = 5;
	wait_for(t);
}

static void argument(void)
{
	const struct nest n = { 0 };

	with_argument(n);
}

static void chosen(void)
{
	volatile int second = 1;
	struct pair p = { 1, 2 }, q = { 3, 4 };
	pthread_t t = start(reads, &q.b);

	(second ? &q : &p)->b = 5;
	wait_for(t);
}

static inline __attribute__((always_inline)) void in_line(void)
{
	struct pair p = { 1, 2 };
	pthread_t t = start(reads, &p.b);

	p.b = 5;
	wait_for(t);
}

static void inlined(void)
{
	in_line();
}

static void looped(void)
{
	long cell[CELLS] = { 0 };
	pthread_t t = start(reads, cell + THIRD);

	for (int i = 0; i < CELLS; i++)
		cell[i] = i;
	wait_for(t);
}

static struct pair *known;

static void *reads_known(void *arg)
{
	(void)arg;
	return (void *)known->b;
}

static void published(void)
{
	struct pair p = { 1, 2 };
	pthread_t t;

	known = &p;
	t = start(reads_known, NULL);
	p.b = 5;
	wait_for(t);
}

static void whole(void)
{
	struct pair p = { 1, 2 }, q = { 3, 4 };
	pthread_t t = start(reads, &p.b);

	p = q;
	wait_for(t);
	assert(p.b == 4);
}

/* Nothing is wrong with what comes after the thread. */
static void joined(void)
{
	struct pair p = { 1, 2 };

	wait_for(start(reads, &p.b));
	p.b = 5;
	assert(p.b == 5);
}

/* Or beside what it looks at. */
static void others(void)
{
	struct pair p = { 1, 2 }, q = { 3, 4 };
	pthread_t t = start(reads, &p.b);

	p.a = 5;
	q.b = 5;
	wait_for(t);
	assert(p.a + p.b + q.b == 12);
}

CASES(CASE(field), CASE(first_field), CASE(element), CASE(element_read), CASE(nested), CASE(byte),
      CASE(member), CASE(variable_length), CASE(argument), CASE(chosen), CASE(inlined),
      CASE(looped), CASE(published), CASE(whole), CASE(joined), CASE(others))
