/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sort.c - qsort(): what comes out, what it accesses, and what may happen while it compares
 *
 * case what_comes_out: ok 1
 * case nothing_to_compare: ok 1
 * case in_order: ok 2
 * case apart: ok 1
 * case of_atomics: ok 1
 * case comparing_under_a_lock: ok 20
 * case comparing_with_atomics: ok 20
 * case comparing_waits: ok 1
 * case comparing_starts_a_thread: ok 1
 * case left_by_a_jump: ok 1
 * case left_by_the_end_of_the_thread: ok 1
 * case in_a_loop_that_waits: ok 2
 * case by_pointers: ok 1
 * case large: ok 1
 * case searched: ok 1
 * case comparing_fails: bug assertion at assert(*(const
 * case behind_the_end: bug out-of-bounds at IN_THREAD(behind_the_end,
 * case of_a_freed_block: bug use-after-free at IN_THREAD(of_a_freed_block,
 * case reads: bug data-race at RACE(reads,
 * case writes: bug data-race at RACE(writes,
 * case writes_where_it_was_sorted: bug data-race at RACE(writes_where_it_was_sorted,
 * case sort_with_an_argument: bug data-race at RACE(sort_with_an_argument,
 * case while_it_compares: bug data-race at qsort(array, 6, sizeof(int), compare_and_tell
 * case heard_of_while_it_compares: bug data-race at qsort(array, 6, sizeof(int), compare_and_hear
 * case search_reads: bug data-race at RACE(search_reads,
 *
 * never fails: qsort qsort_r
 *
 * case of_nothing: ok 1
 * case of_no_size: ok 1
 * case of_equals: ok 1
 * case at_the_end_of_a_block: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "hooks/blocks.h"
#include "hooks/fails.h"
#include "hooks/threads.h"

static int array[6] = { 5, 3, 4, 1, 2, 0 };
static _Thread_local volatile int sink;

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int compare_more(const void *a, const void *b, void *arg)
{
	++*(int *)arg;
	return compare(b, a);
}

static void sort(void)
{
	qsort(array, 6, sizeof(int), compare);
}

static void check_sorted(const int *a, int n)
{
	for (int i = 0; i < n; i++)
		assert(a[i] == i);
}

/* ---- What comes out ------------------------------------------------------------------------------- */

static void *sort_own(void *arg)
{
	int own[] = { 2, 0, 1 }, calls = 0;
	char words[3][8] = { "b", "a", "c" };

	qsort(own, 3, sizeof(int), compare);
	check_sorted(own, 3);
	qsort_r(own, 3, sizeof(int), compare_more, &calls);
	assert(own[0] == 2 && own[2] == 0 && calls >= 2);
	qsort(words, 3, sizeof(words[0]), (int (*)(const void *, const void *))strcmp);
	assert(words[0][0] == 'a' && words[2][0] == 'c');
	return arg;
}

static void what_comes_out(void)
{
	sort_own(NULL);
	THREADS(1, sort_own);
}

static int never(const void *a, const void *b)
{
	(void)a;
	(void)b;
	abort();
}

static void *sort_nothing(void *arg)
{
	if (arg) {
		array[0] = 7;
	} else {
		qsort(array, 0, sizeof(int), never);
		qsort(array, 1, sizeof(int), never);
		qsort(hide(NULL), 0, sizeof(int), never);
	}
	return NULL;
}

static void nothing_to_compare(void)
{
	THREADS(2, sort_nothing);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *sort_or_look(void *arg)
{
	pthread_mutex_lock(&mutex);
	if (arg)
		sort();
	else
		assert(array[0] == 5 ? array[5] == 0 : array[0] == 0 && array[5] == 5);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void in_order(void)
{
	THREADS(2, sort_or_look);
	check_sorted(array, 6);
}

static void *sort_half(void *arg)
{
	qsort(array + 3 * (long)arg, 3, sizeof(int), compare);
	return NULL;
}

static void apart(void)
{
	THREADS(2, sort_half);
	assert(array[0] == 3 && array[2] == 5 && array[3] == 0 && array[5] == 2);
}

static atomic_int atomics[4];

static void *store_one(void *arg)
{
	atomic_store(&atomics[(long)arg], 3 - (int)(long)arg);
	return NULL;
}

/* What the engine knows of them must be what stands there then. */
static void of_atomics(void)
{
	THREADS(4, store_one);
	qsort(atomics, 4, sizeof(int), compare);
	for (int i = 0; i < 4; i++)
		assert(atomic_load(&atomics[i]) == i);
}

static struct big {
	int key;
	char more[60];
} big[300];

static int compare_big(const void *a, const void *b)
{
	return ((const struct big *)a)->key - ((const struct big *)b)->key;
}

static void *sort_big(void *arg)
{
	for (int i = 0; i < 300; i++)
		big[i].key = i * 7 % 300;
	qsort(big, 300, sizeof(big[0]), compare_big);
	for (int i = 0; i < 300; i++)
		assert(big[i].key == i);
	return arg;
}

static void large(void)
{
	THREADS(1, sort_big);
}

static int compare_pointed(const void *a, const void *b)
{
	return compare(*(const int *const *)a, *(const int *const *)b);
}

static void *sort_pointers(void *arg)
{
	int *p[6];

	for (int i = 0; i < 6; i++)
		p[i] = &array[i];
	qsort(p, 6, sizeof(p[0]), compare_pointed);
	for (int i = 0; i < 6; i++)
		assert(*p[i] == i);
	return arg;
}

/* What the elements lead to is not the array: both read it. */
static void by_pointers(void)
{
	THREADS(2, sort_pointers);
}

/* By a pointer, as headers have a version of it to be compiled with the program. */
static void *(*volatile search)(const void *, const void *, size_t, size_t,
				int (*)(const void *, const void *)) = bsearch;

static void *find(void *arg)
{
	static const int sorted[] = { 1, 3, 5, 7 };
	int key = 5, none = 4;

	assert(search(&key, sorted, 4, sizeof(int), compare) == &sorted[2]);
	assert(!search(&none, sorted, 4, sizeof(int), compare));
	return arg;
}

static void searched(void)
{
	THREADS(2, find);
}

/* ---- While it compares ---------------------------------------------------------------------------- */

static int calls;

static int compare_locked(const void *a, const void *b)
{
	pthread_mutex_lock(&mutex);
	calls++;
	pthread_mutex_unlock(&mutex);
	return compare(a, b);
}

static void *sort_locked(void *arg)
{
	int own[] = { 2, 0, 1 };

	qsort(own, 3, sizeof(int), compare_locked);
	check_sorted(own, 3);
	return arg;
}

static void comparing_under_a_lock(void)
{
	THREADS(2, sort_locked);
	assert(calls >= 4);
}

static atomic_int counter;

static int compare_counted(const void *a, const void *b)
{
	atomic_fetch_add(&counter, 1);
	return compare(a, b);
}

static void *sort_counted(void *arg)
{
	int own[] = { 2, 0, 1 };

	qsort(own, 3, sizeof(int), compare_counted);
	check_sorted(own, 3);
	return arg;
}

static void comparing_with_atomics(void)
{
	THREADS(2, sort_counted);
	assert(atomic_load(&counter) >= 4);
}

static int compare_waiting(const void *a, const void *b)
{
	while (!atomic_load(&counter))
		;
	return compare(a, b);
}

static void *sort_waiting(void *arg)
{
	qsort(array, 6, sizeof(int), compare_waiting);
	check_sorted(array, 6);
	return arg;
}

static void comparing_waits(void)
{
	pthread_t t = begin(sort_waiting, NULL);

	atomic_store(&counter, 1);
	end(t);
	check_sorted(array, 6);
}

static int compare_elsewhere(const void *a, const void *b)
{
	end(begin(sort_own, NULL));
	return compare(a, b);
}

static void *sort_elsewhere(void *arg)
{
	int own[] = { 1, 0 };

	qsort(own, 2, sizeof(int), compare_elsewhere);
	check_sorted(own, 2);
	return arg;
}

static void comparing_starts_a_thread(void)
{
	THREADS(1, sort_elsewhere);
}

static jmp_buf out;

static int compare_once(const void *a, const void *b)
{
	(void)a;
	(void)b;
	longjmp(out, 1);
}

static void *sort_and_jump(void *arg)
{
	if (!setjmp(out)) {
		qsort(array, 6, sizeof(int), compare_once);
		abort();
	}
	sort();
	check_sorted(array, 6);
	return arg;
}

static void left_by_a_jump(void)
{
	THREADS(1, sort_and_jump);
}

static int compare_and_end(const void *a, const void *b)
{
	(void)a;
	(void)b;
	pthread_exit((void *)7);
}

static void *sort_and_end(void *arg)
{
	qsort(array, 6, sizeof(int), compare_and_end);
	return arg;
}

static void left_by_the_end_of_the_thread(void)
{
	void *result;

	assert(!pthread_join(begin(sort_and_end, NULL), &result) && result == (void *)7);
	sort();
	check_sorted(array, 6);
}

static void *sort_until(void *arg)
{
	while (!atomic_load(&counter))
		sort();
	sort();
	check_sorted(array, 6);
	return arg;
}

static void in_a_loop_that_waits(void)
{
	pthread_t t = begin(sort_until, NULL);

	atomic_store(&counter, 1);
	end(t);
}

static int compare_badly(const void *a, const void *b)
{
	assert(*(const int *)a != 4 && *(const int *)b != 4);
	return compare(a, b);
}

static void *sort_badly(void *arg)
{
	qsort(array, 6, sizeof(int), compare_badly);
	return arg;
}

static void comparing_fails(void)
{
	THREADS(1, sort_badly);
}

/* ---- Errors with memory --------------------------------------------------------------------------- */

#define IN_THREAD(name, call) DO_IN_THREAD(name, call)

/* It looks at nothing itself. */
static int same(const void *a, const void *b)
{
	(void)a;
	(void)b;
	return 0;
}

IN_THREAD(behind_the_end, qsort(hide(calloc(4, 4)), 5, 4, same))
IN_THREAD(of_a_freed_block, qsort(freed(16), 4, 4, same))

/* ---- Races ---------------------------------------------------------------------------------------- */

#define RACE(name, call, access)                 \
	static void *name##_in_thread(void *arg) \
	{                                        \
		if (arg)                         \
			access;                  \
		else                             \
			call;                    \
		return NULL;                     \
	}                                        \
	static void name(void)                   \
	{                                        \
		THREADS(2, name##_in_thread);    \
	}

static int compare_argument(const void *a, const void *b, void *arg)
{
	(void)arg;
	return same(a, b);
}

RACE(reads, qsort(array, 6, sizeof(int), same), array[5] = 7)
RACE(writes, sort(), sink = array[5])
RACE(writes_where_it_was_sorted, qsort(array, 6, sizeof(int), same), sink = array[5])
RACE(sort_with_an_argument, qsort_r(array, 6, sizeof(int), compare_argument, NULL), sink = array[5])
RACE(search_reads, sink = search(&array[0], array + 1, 5, 4, compare) != NULL, array[3] = 7)

static int compare_and_tell(const void *a, const void *b)
{
	atomic_store_explicit(&counter, 1, memory_order_release);
	return same(a, b);
}

/* The other one hears of the thread before it is done. */
static void *look_when_told(void *arg)
{
	if (arg)
		qsort(array, 6, sizeof(int), compare_and_tell);
	else if (atomic_load_explicit(&counter, memory_order_acquire))
		sink = array[2];
	return NULL;
}

static void while_it_compares(void)
{
	THREADS(2, look_when_told);
}

static int compare_and_hear(const void *a, const void *b)
{
	while (!atomic_load_explicit(&counter, memory_order_acquire))
		;
	return same(a, b);
}

/* The thread hears of the other one only when it has begun. */
static void *look_and_tell(void *arg)
{
	if (arg) {
		qsort(array, 6, sizeof(int), compare_and_hear);
	} else {
		sink = array[2];
		atomic_store_explicit(&counter, 1, memory_order_release);
	}
	return NULL;
}

static void heard_of_while_it_compares(void)
{
	THREADS(2, look_and_tell);
}

/* --- how they fail ---------------------------------------------------------------------------- */

static int fail(const void *a, const void *b)
{
	(void)a;
	(void)b;
	abort();
}

static int fail_with(const void *a, const void *b, void *arg)
{
	(void)arg;
	return fail(a, b);
}

/* Nothing is looked at: the pointers lead just behind a block. */
IN_EACH(of_nothing)
{
	char *block = malloc(16), *end = block + 16;

	qsort(keep_(end), 0, 4, fail);
	qsort_r(keep_(end), 0, 4, fail_with, NULL);
	qsort(keep_(end), 1, 4, fail);
	qsort(keep_(NULL), 0, 4, fail);
	free(block);
	return arg;
}

IN_EACH(of_no_size)
{
	char one = 'x';

	qsort(keep_(&one), 5, 0, same);
	assert(one == 'x');
	return arg;
}

static int by_first(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

/* In whichever order those that are equal come. */
IN_EACH(of_equals)
{
	char text[] = "b1a1b2a2";

	qsort(text, 4, 2, by_first);
	assert(!memcmp(text, "a1a2b1b2", 8) || !memcmp(text, "a2a1b1b2", 8) ||
	       !memcmp(text, "a1a2b2b1", 8) || !memcmp(text, "a2a1b2b1", 8));
	return arg;
}

IN_EACH(at_the_end_of_a_block)
{
	char *block = malloc(3);

	memcpy(block, "cba", 3);
	qsort(block, 3, 1, by_first);
	assert(!memcmp(block, "abc", 3));
	free(block);
	return arg;
}

CASES(CASE(what_comes_out), CASE(nothing_to_compare), CASE(in_order), CASE(apart), CASE(of_atomics),
      CASE(comparing_under_a_lock), CASE(comparing_with_atomics), CASE(comparing_waits),
      CASE(comparing_starts_a_thread), CASE(left_by_a_jump), CASE(left_by_the_end_of_the_thread),
      CASE(in_a_loop_that_waits), CASE(by_pointers), CASE(large), CASE(searched),
      CASE(comparing_fails), CASE(behind_the_end), CASE(of_a_freed_block), CASE(reads),
      CASE(writes), CASE(writes_where_it_was_sorted), CASE(sort_with_an_argument),
      CASE(while_it_compares), CASE(heard_of_while_it_compares), CASE(search_reads),
      CASE(of_nothing), CASE(of_no_size), CASE(of_equals), CASE(at_the_end_of_a_block))
