/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * limit.c - RLIMIT_AS and RLIMIT_DATA: what the program may have
 *
 * case malloc_comes_to_an_end: ok 1
 * case in_a_thread: ok 2
 * case of_data: ok 1
 * case what_is_freed_may_be_had_again: ok 1
 * case other_ways_to_memory: ok 1
 * case mappings: ok 1
 * case threads: ok 1
 * case sorting: ok 1
 * case it_is_told: ok 1
 *
 * ways getrlimit: EINVAL EFAULT
 * ways getrlimit64: EINVAL
 *
 * case getrlimit_EINVAL: ok 1
 * case getrlimit_EFAULT: ok 1
 * case getrlimit64_EINVAL: ok 1
 * case setrlimit_EINVAL: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "hooks/fails.h"

enum {
	MIB = 1 << 20,
	LIMIT = 64 * MIB,
};

static void limit_to(int what, rlim_t size)
{
	struct rlimit to;

	assert(getrlimit(what, &to) == 0);
	to.rlim_cur = size;
	assert(setrlimit(what, &to) == 0);
}

struct list {
	struct list *next;
};

static int take_all(struct list **all)
{
	struct list *one;
	int n = 0;

	for (*all = NULL; (one = malloc(MIB)); n++) {
		one->next = *all;
		*all = one;
	}
	assert(errno == ENOMEM);
	return n;
}

static void give_all(struct list *all)
{
	struct list *next;

	for (; all; all = next) {
		next = all->next;
		free(all);
	}
}

static void use_all(int what)
{
	struct list *all;
	int n;

	limit_to(what, LIMIT);
	n = take_all(&all);
	assert(n > 16 && n < 64);
	give_all(all);
	limit_to(what, RLIM_INFINITY);
}

static void *nothing_to_do(void *arg)
{
	return arg;
}

static void malloc_comes_to_an_end(void)
{
	use_all(RLIMIT_AS);
	THREADS(1, nothing_to_do);
}

static void of_data(void)
{
	use_all(RLIMIT_DATA);
	THREADS(1, nothing_to_do);
}

static atomic_int number;

/* Natively a thread has memory of its own that malloc() takes from, as far as it can get some. */
static void *use_all_there(void *arg)
{
	struct list *all;

	limit_to(RLIMIT_AS, LIMIT);
	assert(!malloc(LIMIT) && errno == ENOMEM);
	take_all(&all);
	atomic_fetch_add(&number, 1);
	give_all(all);
	limit_to(RLIMIT_AS, RLIM_INFINITY);
	return arg;
}

/* No execution has the limits of the one before. */
static void in_a_thread(void)
{
	struct rlimit now;
	pthread_t t;
	void *p;

	assert(pthread_create(&t, NULL, use_all_there, NULL) == 0);
	atomic_fetch_add(&number, 1);
	assert(pthread_join(t, NULL) == 0);
	assert(getrlimit(RLIMIT_AS, &now) == 0 && now.rlim_cur == RLIM_INFINITY);
	assert((p = malloc(LIMIT)));
	free(p);
}

static void what_is_freed_may_be_had_again(void)
{
	void *p;

	limit_to(RLIMIT_AS, LIMIT);
	for (int i = 0; i < 100; i++) {
		assert((p = malloc(32 * MIB)));
		free(p);
	}
	limit_to(RLIMIT_AS, RLIM_INFINITY);
	THREADS(1, nothing_to_do);
}

static void other_ways_to_memory(void)
{
	void *p = NULL, *q = malloc(MIB);

	limit_to(RLIMIT_AS, LIMIT);
	NONE(ENOMEM, calloc(64, MIB));
	NONE(ENOMEM, realloc(q, LIMIT));
	NONE(ENOMEM, aligned_alloc(64, LIMIT));
	GIVES(ENOMEM, posix_memalign(&p, 64, LIMIT));
	assert((q = realloc(q, 30 * MIB)));
	limit_to(RLIMIT_AS, RLIM_INFINITY);
	free(q);
	THREADS(1, nothing_to_do);
}

static void *map(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void mappings(void)
{
	void *p;

	limit_to(RLIMIT_AS, LIMIT);
	assert(map(LIMIT) == MAP_FAILED && errno == ENOMEM);
	for (int i = 0; i < 8; i++) {
		assert((p = map(32 * MIB)) != MAP_FAILED);
		assert(map(32 * MIB) == MAP_FAILED && errno == ENOMEM);
		assert(munmap(p, 32 * MIB) == 0);
	}
	limit_to(RLIMIT_AS, RLIM_INFINITY);
	THREADS(1, nothing_to_do);
}

/* A thread needs its stack. */
static void threads(void)
{
	pthread_attr_t attr;
	pthread_t t;

	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setstacksize(&attr, LIMIT) == 0);
	limit_to(RLIMIT_AS, LIMIT);
	GIVES(EAGAIN, pthread_create(&t, &attr, nothing_to_do, NULL));
	assert(pthread_attr_setstacksize(&attr, MIB) == 0);
	GIVES(0, pthread_create(&t, &attr, nothing_to_do, NULL));
	GIVES(0, pthread_join(t, NULL));
	limit_to(RLIMIT_AS, RLIM_INFINITY);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* It needs no memory. */
static void *sort_some(void *arg)
{
	static int some[1 << 16];
	struct list *all;

	limit_to(RLIMIT_AS, LIMIT);
	take_all(&all);
	for (int i = 0; i < 1 << 16; i++)
		some[i] = i * 7 % (1 << 16);
	qsort(some, 1 << 16, sizeof(*some), compare);
	assert(some[1] == 1 && some[(1 << 16) - 1] == (1 << 16) - 1);
	give_all(all);
	limit_to(RLIMIT_AS, RLIM_INFINITY);
	return arg;
}

static void sorting(void)
{
	THREADS(1, sort_some);
}

static void *ask(void *arg)
{
	struct rlimit now = { .rlim_cur = 1ul << 40, .rlim_max = 1ul << 41 }, old;
	struct rlimit64 now64;

	assert(prlimit(getpid(), RLIMIT_AS, &now, &old) == 0);
	assert(getrlimit(RLIMIT_AS, &old) == 0);
	assert(old.rlim_cur == 1ul << 40 && old.rlim_max == 1ul << 41);
	assert(getrlimit64(RLIMIT_AS, &now64) == 0 && now64.rlim_max == 1ul << 41);
	return arg;
}

static void it_is_told(void)
{
	ask(NULL);
	THREADS(1, ask);
}

/* --- how they fail ------------------------------------------------------------------------------- */

EACH_FAILS(getrlimit_EFAULT, EFAULT, getrlimit(RLIMIT_AS, (struct rlimit *)8))

IN_EACH(getrlimit_EINVAL)
{
	struct rlimit limit;

	FAILS(EINVAL, getrlimit((__rlimit_resource_t)77, &limit));
	return arg;
}

IN_EACH(getrlimit64_EINVAL)
{
	struct rlimit64 limit;

	FAILS(EINVAL, getrlimit64((__rlimit_resource_t)77, &limit));
	return arg;
}

IN_EACH(setrlimit_EINVAL)
{
	struct rlimit wrong = { .rlim_cur = 2, .rlim_max = 1 };

	FAILS(EINVAL, setrlimit(RLIMIT_AS, &wrong));
	FAILS(EINVAL, setrlimit(RLIMIT_DATA, &wrong));
	return arg;
}

CASES(CASE(malloc_comes_to_an_end), CASE(in_a_thread), CASE(of_data),
      CASE(what_is_freed_may_be_had_again), CASE(other_ways_to_memory), CASE(mappings),
      CASE(threads), CASE(sorting), CASE(it_is_told), CASE(getrlimit_EINVAL),
      CASE(getrlimit_EFAULT), CASE(getrlimit64_EINVAL), CASE(setrlimit_EINVAL))
