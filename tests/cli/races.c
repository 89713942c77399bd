/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * races.c - executions with several data races, for races.test; the first argument says which
 *
 * Two threads do the same, three in three_lines(). A line where a race is to be found has the argument behind it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int first, second, third, locked, table[10];
static int *volatile pointer = &third;
static volatile int flag;
static atomic_int turns, both;
static const char *what;

/* No lock at all. */
static void in_a_row(void)
{
	first++;  /* races: row */
	second++; /* races: row */
	third++;  /* races: row */
}

/* Behind the first race are operations: what is locked is no race, what others lock is one. */
static void between_locks(int me)
{
	pthread_mutex_t *mine = me ? &one : &other;

	first++; /* races: locks */
	pthread_mutex_lock(&one);
	locked++;
	pthread_mutex_unlock(&one);
	second++; /* races: locks */
	pthread_mutex_lock(mine);
	third++; /* races: locks */
	pthread_mutex_unlock(mine);
}

/* One line for all of the table. */
static void in_a_loop(void)
{
	first++; /* races: loop */
	for (int i = 0; i < 10; i++)
		table[i]++; /* races: loop */
}

/* Each of three lines with each of the other two. */
static void three_lines(int me)
{
	static volatile int mine;

	if (me == 0)
		mine = 1;
	else if (me == 1)
		mine = 2;
	else
		mine = 3;
}

/* What comes behind a race may have no end. */
static void without_end(void)
{
	first++; /* races: endless */
	while (!flag)
		;
}

/* Or it crashes: nobody knows whether that is the race's doing. */
static void crashing(int me)
{
	if (me == 0)
		pointer = NULL;
	else
		*pointer = 1;
}

/* Of atomic accesses with plain ones; the second race depends on what the threads did before. */
static void with_atomics(int me)
{
	if (me)
		third = 1;
	else
		atomic_fetch_add((atomic_int *)(void *)&third, 1);
	if (atomic_fetch_add_explicit(&turns, 1, memory_order_relaxed) == 1)
		second = 1; /* races: atomics */
	else
		second = 2;
}

/* The same lines race in other executions first, too. */
static void in_either_order(int me)
{
	if (me) {
		first = 1;
		atomic_store_explicit(&both, 1, memory_order_relaxed);
		second = 1;
	} else {
		if (atomic_load_explicit(&both, memory_order_relaxed))
			first = 2;
		second = 2;
	}
}

/* If the two race, what the second one writes then is read by nobody: the search ends there. */
static void unseen_behind(int me, int races)
{
	if (me) {
		if (races)
			first = 2;
		atomic_store_explicit(&both, 1, memory_order_relaxed);
	} else if (!atomic_load_explicit(&both, memory_order_relaxed)) {
		first = 1;
	} else {
		assert(!"seen");
	}
}

static void *work(void *arg)
{
	int me = (int)(long)arg;

	if (!strcmp(what, "row"))
		in_a_row();
	else if (!strcmp(what, "locks"))
		between_locks(me);
	else if (!strcmp(what, "loop"))
		in_a_loop();
	else if (!strcmp(what, "lines"))
		three_lines(me);
	else if (!strcmp(what, "endless"))
		without_end();
	else if (!strcmp(what, "crash"))
		crashing(me);
	else if (!strcmp(what, "atomics"))
		with_atomics(me);
	else if (!strcmp(what, "orders"))
		in_either_order(me);
	else
		unseen_behind(me, !strcmp(what, "unseen"));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[3];
	int n;

	what = argc > 1 ? argv[1] : "row";
	n = strcmp(what, "lines") ? 2 : 3;
	for (long i = 0; i < n; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return 0;
}
