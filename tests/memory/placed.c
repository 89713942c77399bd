/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that threads map is undone when an execution is over, in the process that goes on (runtime/preload/image/placed.h)
 *
 * case zero_each_time: ok 4
 * case zero_each_time --backend=fork: ok 4
 * case zero_each_time --backend=rollback: ok 4
 * case zero_each_time -j 2: ok 4
 * case zero_each_time -m tso -k: ok 4
 * case zero_each_time -e value: ok 4
 * case grows: ok 4
 * case grows --backend=rollback: ok 4
 * case wanted_elsewhere: ok 4
 * case wanted_elsewhere --backend=fork: ok 4
 * case wanted_elsewhere --backend=rollback: ok 4
 * case wanted_near_code: ok 4
 * case unmaps: ok 4
 * case unmaps --backend=rollback: ok 4
 * case protects: ok 4
 * case protects --backend=rollback: ok 4
 * case handed_over: ok 2
 * case handed_over --backend=rollback: ok 2
 * case handed_over_relaxed: bug data-race
 * case gone: bug crash
 * case gone --backend=rollback: bug crash
 * case used_as_stack: ok 4
 * case used_as_stack --backend=rollback: ok 4
 * case shared_with_children: ok 4
 * case shared_with_children -j 2: ok 4
 * case atomics_in_it: ok 6
 * case atomics_in_it --backend=fork: ok 6
 * case atomics_in_it --backend=rollback: ok 6
 */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "cases.h"

#define PAGE    ((size_t)4096)
#define RW      (PROT_READ | PROT_WRITE)
#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS)

static atomic_int x, y;
static _Atomic(char *) handed;

static char *pages(size_t n)
{
	char *p = mmap(NULL, n * PAGE, RW, PRIVATE, -1, 0);

	assert(p != MAP_FAILED);
	return p;
}

/* Nothing is left in it of the executions before. */
static void is_zero(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i += 64)
		assert(p[i] == 0);
}

/* Two threads that each do that, between a store and a load which make four executions (under tso and weaker models). */
static void two(void *(*does)(void *))
{
	pthread_t t;

	assert(pthread_create(&t, NULL, does, &y) == 0);
	does(NULL);
	assert(pthread_join(t, NULL) == 0);
}

#define IN_TWO(name)                                                               \
	static void name##_does(void);                                             \
	static void *name##_in(void *other)                                        \
	{                                                                          \
		atomic_store_explicit(other ? &y : &x, 1, memory_order_relaxed);   \
		name##_does();                                                     \
		(void)atomic_load_explicit(other ? &x : &y, memory_order_relaxed); \
		return NULL;                                                       \
	}                                                                          \
	static void name(void)                                                     \
	{                                                                          \
		two(name##_in);                                                    \
	}                                                                          \
	static void name##_does(void)

IN_TWO(zero_each_time)
{
	char *p = pages(3), *q = pages(1);

	is_zero(p, 3 * PAGE);
	is_zero(q, PAGE);
	for (size_t i = 0; i < 3 * PAGE; i++)
		p[i] = 1;
	q[0] = 2;
}

IN_TWO(grows)
{
	char *p = pages(1);

	p[0] = 1;
	p = mremap(p, PAGE, 4 * PAGE, MREMAP_MAYMOVE);
	assert(p != MAP_FAILED && p[0] == 1);
	is_zero(p + PAGE, 3 * PAGE);
	p[3 * PAGE] = 1;
	assert(mremap(p, 4 * PAGE, 2 * PAGE, MREMAP_MAYMOVE) == p);
}

/* As allocators do that want memory whose addresses tell something. */
IN_TWO(wanted_elsewhere)
{
	const uintptr_t align = (uintptr_t)4 << 20, own = (uintptr_t)&align % ((uintptr_t)1 << 40);
	char *want = (char *)((uintptr_t)2 << 40) + (own & ~(align - 1));
	char *q = pages(1), *p = mmap(want, 8 * PAGE, RW, PRIVATE, -1, 0), *r;

	assert(p != MAP_FAILED && (uintptr_t)p % align == 0);
	is_zero(p, 8 * PAGE);
	p[5 * PAGE] = q[0] = 1;
	r = mmap(want, 8 * PAGE, RW, PRIVATE, -1, 0);
	assert(r != MAP_FAILED && r != p);
	is_zero(r, 8 * PAGE);
	r[5 * PAGE] = 1;
	assert(munmap(p, 8 * PAGE) == 0 && munmap(r, 8 * PAGE) == 0);
}

/* As compilers do whose code is to call what is there. */
IN_TWO(wanted_near_code)
{
	const uintptr_t code = (uintptr_t)&two & ~(PAGE - 1), own = (uintptr_t)&code & 0xffff000;
	char *p = mmap((void *)(code + ((uintptr_t)1 << 28) + own), PAGE, RW, PRIVATE, -1, 0);

	assert(p != MAP_FAILED && (uintptr_t)p - code < (uintptr_t)1 << 31);
	is_zero(p, PAGE);
	p[0] = 1;
}

IN_TWO(unmaps)
{
	char *p = pages(2), *q;

	p[0] = 1;
	assert(munmap(p, PAGE) == 0);
	q = pages(1);
	is_zero(q, PAGE);
	assert(munmap(p + PAGE, PAGE) == 0);
}

IN_TWO(protects)
{
	char *p = pages(2);

	p[PAGE] = 1;
	assert(mprotect(p, 2 * PAGE, PROT_READ) == 0);
	assert(p[PAGE] == 1);
}

/* Children of the program would see what is written there; so the execution is left to a process of its own. */
IN_TWO(shared_with_children)
{
	char *p = mmap(NULL, PAGE, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert(p != MAP_FAILED);
	is_zero(p, PAGE);
	p[0] = 1;
}

static void *on_it(void *arg)
{
	volatile int own = 3;

	assert(own == 3);
	return arg;
}

IN_TWO(used_as_stack)
{
	char *p = pages(16);
	pthread_attr_t attr;
	pthread_t t;

	is_zero(p, 16 * PAGE);
	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setstack(&attr, p, 16 * PAGE) == 0);
	assert(pthread_create(&t, &attr, on_it, NULL) == 0);
	assert(pthread_join(t, NULL) == 0);
	assert(pthread_attr_destroy(&attr) == 0);
}

static void *hands_over(void *order)
{
	char *p = pages(1);

	p[1] = 1;
	if (order)
		atomic_store_explicit(&handed, p, memory_order_release);
	else
		atomic_store_explicit(&handed, p, memory_order_relaxed);
	return NULL;
}

static void reads(void *order)
{
	pthread_t t;
	const char *p;

	assert(pthread_create(&t, NULL, hands_over, order) == 0);
	p = atomic_load_explicit(&handed, memory_order_acquire);
	if (p)
		assert(p[1] == 1); /* bug: handed_over_relaxed */
	assert(!p || p[0] == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void handed_over(void)
{
	reads(&x);
}

static void handed_over_relaxed(void)
{
	reads(NULL);
}

static void *unmaps_it(void *arg)
{
	char *p = pages(1);

	p[1] = 1;
	atomic_store(&handed, p);
	assert(munmap(p, PAGE) == 0);
	return arg;
}

/* Who has it may use it too late. */
static void gone(void)
{
	pthread_t t;
	const char *p;

	assert(pthread_create(&t, NULL, unmaps_it, NULL) == 0);
	p = atomic_load(&handed);
	if (p && atomic_load(&handed))
		assert(p[1] == 1); /* bug: gone */
	assert(pthread_join(t, NULL) == 0);
}

static void *adds(void *arg)
{
	atomic_int *p = arg;

	atomic_fetch_add(p, 1);
	return arg;
}

/* An atomic variable in memory of the thread that creates two others, and adds itself: six orders. */
static void *with_atomics(void *arg)
{
	atomic_int *p = (atomic_int *)pages(1);
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		assert(pthread_create(&t[i], NULL, adds, p) == 0);
	assert(atomic_fetch_add(p, 1) < 3);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
	assert(atomic_load(p) == 3);
	return arg;
}

static void atomics_in_it(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, with_atomics, NULL) == 0);
	assert(pthread_join(t, NULL) == 0);
}

CASES(CASE(zero_each_time), CASE(grows), CASE(wanted_elsewhere), CASE(wanted_near_code),
      CASE(unmaps), CASE(protects), CASE(handed_over), CASE(handed_over_relaxed), CASE(gone),
      CASE(used_as_stack), CASE(shared_with_children), CASE(atomics_in_it))
