/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thread-local variables that other threads use: they are gone when their thread has ended (runtime/preload/access/foreign.h)
 *
 * case read_after_the_end: bug use-after-return at sink = *(int *)at
 * case read_after_the_end --backend=fork: bug use-after-return at sink = *(int *)at
 * case read_after_the_end -e value: bug use-after-return at sink = *(int *)at
 * case read_after_the_end -m sc: bug use-after-return at sink = *(int *)at
 * case written_late: bug use-after-return
 * case the_end_does_not_wait: bug use-after-return
 * case read_atomically: bug use-after-return at sink = atomic_load((atomic_int *)p)
 * case a_flag_orders_it: ok * (rounds of a loop)
 * case waits_at_its_own: ok * (rounds of a loop)
 * case joined_before_the_end: ok 1
 * case in_a_destructor: ok 1
 * case of_main: ok 1
 * case of_main_that_leaves: ok 1
 * case nodes_of_a_lock: ok * (rounds of a loop)
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "cases.h"

static _Thread_local int own;
static _Atomic(int *) published;
static atomic_int done;
static volatile int sink;

static void *publish(void *arg)
{
	own = 1;
	atomic_store(&published, &own);
	return arg;
}

static void *use_it(void *arg)
{
	int *p = atomic_load(&published);

	if (p)
		*p = 2; /* bug: written_late */
	return arg;
}

static void *give(void *arg)
{
	(void)arg;
	own = 1;
	return &own;
}

static void read_after_the_end(void)
{
	pthread_t t;
	void *at;

	assert(pthread_create(&t, NULL, give, NULL) == 0);
	assert(pthread_join(t, &at) == 0);
	sink = *(int *)at;
}

static void written_late(void)
{
	RUN(publish, use_it);
}

static void *use_then_say(void *arg)
{
	int *p = atomic_load(&published);

	if (p) {
		*p = 2; /* bug: the_end_does_not_wait */
		atomic_store_explicit(&done, 1, memory_order_relaxed);
	}
	return arg;
}

/* It knows that the other one is done only if it looks, and does not. */
static void *publish_and_do_more(void *arg)
{
	own = 1;
	atomic_store(&published, &own);
	atomic_store(&done, 0);
	return arg;
}

static void the_end_does_not_wait(void)
{
	RUN(publish_and_do_more, use_then_say);
}

static void *load_it(void *arg)
{
	int *p = atomic_load(&published);

	if (p)
		sink = atomic_load((atomic_int *)p);
	return arg;
}

static void read_atomically(void)
{
	RUN(publish, load_it);
}

static void *use_then_release(void *arg)
{
	use_it(arg);
	atomic_store_explicit(&done, 1, memory_order_release);
	return arg;
}

static void *publish_and_wait(void *arg)
{
	publish(arg);
	while (!atomic_load_explicit(&done, memory_order_acquire))
		;
	return arg;
}

static void a_flag_orders_it(void)
{
	RUN(publish_and_wait, use_then_release);
}

static _Thread_local atomic_int told;
static _Atomic(atomic_int *) at_told;

static void *tell(void *arg)
{
	atomic_int *p = atomic_load(&at_told);

	if (p)
		atomic_store_explicit(p, 1, memory_order_relaxed);
	else
		atomic_store(&done, 1);
	return arg;
}

/* By relaxed accesses it does not know of the other thread, but it has read what that stored. */
static void *wait_to_be_told(void *arg)
{
	atomic_store(&at_told, &told);
	while (!atomic_load_explicit(&told, memory_order_relaxed) && !atomic_load(&done))
		;
	return arg;
}

static void waits_at_its_own(void)
{
	RUN(wait_to_be_told, tell);
}

static void *set(void *at)
{
	*(int *)at = 2;
	return NULL;
}

static void *create_and_join(void *arg)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, set, &own) == 0);
	assert(pthread_join(t, NULL) == 0);
	assert(own == 2);
	return arg;
}

static void joined_before_the_end(void)
{
	RUN(create_and_join);
}

static void look(void *at)
{
	assert(at == &own && own == 3);
}

static void *with_destructor(void *arg)
{
	pthread_key_t *key = arg;

	own = 3;
	pthread_setspecific(*key, &own);
	return NULL;
}

static void in_a_destructor(void)
{
	pthread_key_t key;
	pthread_t t;

	assert(pthread_key_create(&key, look) == 0);
	assert(pthread_create(&t, NULL, with_destructor, &key) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void of_main(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, set, &own) == 0);
	assert(pthread_join(t, NULL) == 0);
	assert(own == 2);
}

/* Nobody takes it from who goes on, natively. */
static void of_main_that_leaves(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, set, &own) == 0);
	pthread_exit(NULL);
}

/* The lock of Mellor-Crummey and Scott: who waits does so at its own node, which the one before it writes to. */
static _Thread_local struct node {
	_Atomic(struct node *) next;
	atomic_int waits;
} node;
static _Atomic(struct node *) last;
static int count;

static void *lock_and_count(void *arg)
{
	struct node *before, *behind, *mine = &node;

	atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&mine->waits, 1, memory_order_relaxed);
	before = atomic_exchange_explicit(&last, mine, memory_order_acq_rel);
	if (before) {
		atomic_store_explicit(&before->next, mine, memory_order_release);
		while (atomic_load_explicit(&mine->waits, memory_order_acquire))
			;
	}
	count++;
	behind = mine;
	if (!atomic_load_explicit(&mine->next, memory_order_acquire) &&
	    atomic_compare_exchange_strong(&last, &behind, NULL))
		return arg;
	while (!(behind = atomic_load_explicit(&mine->next, memory_order_acquire)))
		;
	atomic_store_explicit(&behind->waits, 0, memory_order_release);
	return arg;
}

static void nodes_of_a_lock(void)
{
	THREADS(2, lock_and_count);
	assert(count == 2);
}

CASES(CASE(read_after_the_end), CASE(written_late), CASE(the_end_does_not_wait),
      CASE(read_atomically), CASE(a_flag_orders_it), CASE(waits_at_its_own),
      CASE(joined_before_the_end), CASE(in_a_destructor), CASE(of_main), CASE(of_main_that_leaves),
      CASE(nodes_of_a_lock))
