/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * between.c - who touches a block of the heap comes after its allocation
 *
 * case plain_read_by_a_relaxed_pointer: bug data-race at sink = *plain
 * case atomic_read_by_a_relaxed_pointer: bug data-race at sink = atomic_load(count)
 * case atomic_add_by_a_relaxed_pointer: bug data-race at atomic_fetch_add(fresh
 * case lock_by_a_relaxed_pointer: bug data-race at pthread_mutex_lock(lock)
 * case free_by_a_relaxed_pointer: bug data-race at free(given)
 * case beside_what_was_written: bug data-race at atomic_fetch_add(&pair->other
 * case end_of_a_large_block: bug data-race at large[MANY - 1] = 1
 * case large_and_cleared_later: bug data-race at memset(cleared
 * case what_realloc_moved: bug data-race at sink = atomic_load(&moved[0])
 * case two_hops: bug data-race at atomic_fetch_add(hop
 * case by_a_relaxed_pointer_under_sc -m sc: ok 2
 * case by_an_acquired_pointer: ok 2
 * case by_fences: ok 2
 * case behind_a_lock: ok 2
 * case allocated_before_the_threads: ok 2
 * case allocated_for_a_thread: ok 1
 * case allocated_by_one_that_was_joined: ok 1
 * case written_in_parts: ok 2
 * case allocated_by_the_library: ok 2
 * case a_stack_of_nodes -e rf: ok * (how many orders its pushes have)
 * case a_stack_of_nodes -e value: ok 12
 * case relaxed_where_plain_accesses_are_explored --plain=explore: ok 2
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/blocks.h"

enum {
	MANY = 300000
};

static _Atomic(void *) published;
static volatile int sink;
static void *(*make)(void);
static void (*use)(void *);
static memory_order giving = memory_order_relaxed, taking = memory_order_relaxed;

static void *giver(void)
{
	atomic_store_explicit(&published, make(), giving);
	return NULL;
}

static void *taker(void)
{
	void *p = atomic_load_explicit(&published, taking);

	if (p)
		use(p);
	return NULL;
}

static void *give_or_take(void *arg)
{
	return arg ? giver() : taker();
}

/* One thread makes a block, another one that finds it uses it. */
static void pass_on(void *(*making)(void), void (*using)(void *))
{
	make = making;
	use = using;
	THREADS(2, give_or_take);
}

static void *make_plain(void)
{
	return hide(malloc(sizeof(int)));
}

static void use_plain(void *p)
{
	int *plain = p;

	sink = *plain;
}

static void plain_read_by_a_relaxed_pointer(void)
{
	pass_on(make_plain, use_plain);
}

/* Whoever makes it writes it, but all accesses to it are atomic: there is no other race. */
static void *make_count(void)
{
	atomic_int *p = hide(malloc(sizeof(*p)));

	atomic_store_explicit(p, 1, memory_order_relaxed);
	return p;
}

static void use_count(void *p)
{
	atomic_int *count = p;

	sink = atomic_load(count);
}

static void atomic_read_by_a_relaxed_pointer(void)
{
	pass_on(make_count, use_count);
}

static void use_fresh(void *p)
{
	atomic_int *fresh = p;

	atomic_fetch_add(fresh, 1);
}

static void atomic_add_by_a_relaxed_pointer(void)
{
	pass_on(make_count, use_fresh);
}

static void *make_lock(void)
{
	return hide(malloc(sizeof(pthread_mutex_t)));
}

static void use_lock(void *p)
{
	pthread_mutex_t *lock = p;

	pthread_mutex_lock(lock);
}

static void lock_by_a_relaxed_pointer(void)
{
	pass_on(make_lock, use_lock);
}

static void use_up(void *given)
{
	free(given);
}

static void free_by_a_relaxed_pointer(void)
{
	pass_on(make_plain, use_up);
}

struct pair {
	int one;
	atomic_int other;
};

/* The part that was written is known to nobody. */
static void *make_pair(void)
{
	struct pair *p = hide(malloc(sizeof(*p)));

	p->one = 1;
	atomic_store_explicit(&p->other, 1, memory_order_relaxed);
	return p;
}

static void use_pair(void *p)
{
	struct pair *pair = p;

	atomic_fetch_add(&pair->other, 1);
}

static void beside_what_was_written(void)
{
	pass_on(make_pair, use_pair);
}

static void *make_large(void)
{
	return hide(malloc(MANY * sizeof(int)));
}

static void use_large(void *p)
{
	volatile int *large = p;

	large[MANY - 1] = 1;
}

static void end_of_a_large_block(void)
{
	pass_on(make_large, use_large);
}

/* Whole chunks of shadow memory, which one access touches at once, and nothing beside them. */
static void *make_vast(void)
{
	return hide(malloc(4ul << 20));
}

static void clear_all(void *p)
{
	void *cleared = (void *)(((uintptr_t)p | ((1ul << 20) - 1)) + 1);

	memset(cleared, 0, 2ul << 20);
}

static void large_and_cleared_later(void)
{
	pass_on(make_vast, clear_all);
}

static void *make_moved(void)
{
	atomic_int *p = hide(realloc(make_count(), 100 * sizeof(*p)));

	atomic_store_explicit(&p[0], 1, memory_order_relaxed);
	return p;
}

static void use_moved(void *p)
{
	atomic_int *moved = p;

	sink = atomic_load(&moved[0]);
}

static void what_realloc_moved(void)
{
	pass_on(make_moved, use_moved);
}

/* The second one has it by release and acquire, but of somebody who did not. */
static _Atomic(void *) passed;

static void *hops(void *arg)
{
	atomic_int *hop;

	if (!arg)
		return giver();
	if (arg == (void *)1) {
		hop = atomic_load_explicit(&published, memory_order_relaxed);
		atomic_store_explicit(&passed, hop, memory_order_release);
	} else {
		hop = atomic_load_explicit(&passed, memory_order_acquire);
		if (hop)
			atomic_fetch_add(hop, 1);
	}
	return NULL;
}

static void two_hops(void)
{
	make = make_count;
	THREADS(3, hops);
}

/* Under sc every read comes after what it reads. */
static void by_a_relaxed_pointer_under_sc(void)
{
	pass_on(make_plain, use_plain);
}

static void by_an_acquired_pointer(void)
{
	giving = memory_order_release;
	taking = memory_order_acquire;
	pass_on(make_count, use_count);
}

static void *make_behind_a_fence(void)
{
	void *p = make_count();

	atomic_thread_fence(memory_order_release);
	return p;
}

static void use_behind_a_fence(void *p)
{
	atomic_thread_fence(memory_order_acquire);
	use_count(p);
}

static void by_fences(void)
{
	pass_on(make_behind_a_fence, use_behind_a_fence);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *locked;

static void *under_lock(void *arg)
{
	pthread_mutex_lock(&mutex);
	if (arg)
		locked = make_plain();
	else if (locked)
		*locked = 1;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void behind_a_lock(void)
{
	THREADS(2, under_lock);
}

static void *make_nothing(void)
{
	static void *early;
	void *p = early;

	if (!early)
		early = make_count();
	return p;
}

static void allocated_before_the_threads(void)
{
	make_nothing();
	pass_on(make_nothing, use_count);
}

static void *use_what_was_given(void *arg)
{
	use_fresh(arg);
	return make_count();
}

static void *nothing(void *arg)
{
	return arg;
}

static void allocated_for_a_thread(void)
{
	pthread_t t;
	void *p, *q;

	THREADS(1, nothing);
	p = make_count();
	assert(pthread_create(&t, NULL, use_what_was_given, p) == 0);
	assert(pthread_join(t, &q) == 0);
	free(p);
	free(q);
}

static void allocated_by_one_that_was_joined(void)
{
	pthread_t t;
	void *p, *q;

	assert(pthread_create(&t, NULL, use_what_was_given, make_count()) == 0);
	assert(pthread_join(t, &p) == 0);
	assert(pthread_create(&t, NULL, use_what_was_given, p) == 0);
	assert(pthread_join(t, &q) == 0);
	use_count(q);
}

struct parts {
	char a;
	short b;
	int c;
	atomic_int d;
	char e[5];
};

static void *make_parts(void)
{
	struct parts *p = hide(malloc(sizeof(*p)));

	p->b = 1;
	p->c = 2;
	atomic_init(&p->d, 3);
	p->e[4] = 4;
	atomic_store_explicit(&p->d, 5, memory_order_relaxed);
	p->a = 6;
	p->b++;
	return p;
}

static void use_parts(void *arg)
{
	struct parts *p = arg;

	p->a = 1;
	assert(p->b == 2 && p->c == 2 && atomic_load(&p->d) == 5 && p->e[4] == 4);
	memset(p, 0, sizeof(*p));
	free(p);
}

static void written_in_parts(void)
{
	giving = memory_order_release;
	taking = memory_order_acquire;
	pass_on(make_parts, use_parts);
}

/* libc is not instrumented: how a block of its own gets to others may be unseen, too. */
static void *make_text(void)
{
	return realpath("/", NULL);
}

static void use_text(void *p)
{
	char *text = p;

	assert(text[0] == '/');
}

static void allocated_by_the_library(void)
{
	pass_on(make_text, use_text);
}

struct node {
	struct node *next;
	int value;
};
static _Atomic(struct node *) top;

static void *push(void *arg)
{
	struct node *n = malloc(sizeof(*n));

	n->value = (int)(intptr_t)arg;
	n->next = atomic_load_explicit(&top, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_release,
						      memory_order_relaxed))
		;
	return arg;
}

static void *push_or_add(void *arg)
{
	int sum = 0;

	if (arg)
		return push(arg);
	for (struct node *n = atomic_load_explicit(&top, memory_order_acquire); n; n = n->next)
		sum += n->value;
	assert(sum >= 0 && sum <= 3);
	return NULL;
}

/* By reads-from a push that fails first need not be visited; by values what it writes to its node is an event (DECISIONS.md). */
static void a_stack_of_nodes(void)
{
	THREADS(3, push_or_add);
}

static void *plainly;

static void *give_or_take_plainly(void *arg)
{
	int *p;

	if (arg) {
		p = hide(malloc(sizeof(*p)));
		plainly = p;
	} else {
		p = plainly;
		if (p)
			sink = *p;
	}
	return NULL;
}

/* There plain accesses may race, so nothing says that who has the pointer has the block. */
static void relaxed_where_plain_accesses_are_explored(void)
{
	THREADS(2, give_or_take_plainly);
}

CASES(CASE(plain_read_by_a_relaxed_pointer), CASE(atomic_read_by_a_relaxed_pointer),
      CASE(atomic_add_by_a_relaxed_pointer), CASE(lock_by_a_relaxed_pointer),
      CASE(free_by_a_relaxed_pointer), CASE(beside_what_was_written), CASE(end_of_a_large_block),
      CASE(large_and_cleared_later), CASE(what_realloc_moved), CASE(two_hops),
      CASE(by_a_relaxed_pointer_under_sc), CASE(by_an_acquired_pointer), CASE(by_fences),
      CASE(behind_a_lock), CASE(allocated_before_the_threads), CASE(allocated_for_a_thread),
      CASE(allocated_by_one_that_was_joined), CASE(written_in_parts),
      CASE(allocated_by_the_library), CASE(a_stack_of_nodes),
      CASE(relaxed_where_plain_accesses_are_explored))
