/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frames.c - variables of functions that another thread uses: until the function returns, and no longer
 *
 * case plain_write_after_the_return: bug use-after-return at late use
 * case atomic_read_after_the_return: bug use-after-return at sink = atomic_load((atomic_int *)q
 * case of_a_thread_that_has_ended: bug use-after-return at late use
 * case returned_to_one_that_joins: bug use-after-return
 * case nobody_waits_for_the_use: bug use-after-return
 * case a_relaxed_flag_says_that_it_is_done: bug use-after-return
 * case the_end_of_a_thread_does_not_wait: bug use-after-return
 * case of_main: bug use-after-return at late use
 * case of_main_by_alloca: bug use-after-return at late use
 * case two_use_it: bug use-after-return
 * case behind_longjmp: bug use-after-return at late use
 * case signalled_when_the_waiter_may_be_gone: bug use-after-return
 * case a_flag_orders_it: ok * (rounds of a loop)
 * case a_flag_that_a_third_one_looks_at: ok * (rounds of a loop)
 * case a_relaxed_flag_of_the_function: ok * (rounds of a loop)
 * case an_atomic_flag_of_the_function: ok * (rounds of a loop)
 * case a_plain_flag_says_that_it_is_done --plain=explore: ok * (rounds of a loop)
 * case a_semaphore_orders_it: ok 1
 * case a_condition_orders_it: ok * (orders of two locks)
 * case a_barrier_orders_it: ok * (orders of arrival)
 * case joined_before_the_return: ok 1
 * case one_frame_after_the_other: ok 1
 * case a_block_of_a_function: ok 2
 * case longjmp_within: ok 1
 * case arguments_of_main: ok 2
 * case main_leaves_and_others_go_on: ok 1
 * case main_has_used_most_of_its_stack: ok 3
 * case on_a_stack_that_was_given: ok 1
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/blocks.h"

static _Atomic(int *) published;
static atomic_int done, more;
static volatile int sink;

static void use_plainly(void)
{
	int *p = atomic_load(&published);

	if (p)
		*p = 2; /* late use */
}

static void *use_it(void *arg)
{
	use_plainly();
	return arg;
}

/* Publishes a variable, and returns. */
static __attribute__((noinline)) void leave(void)
{
	int here = 1;

	atomic_store(&published, &here);
}

/* An operation of its caller, whose frame is above those of what that has called before. */
static inline __attribute__((always_inline)) void do_more(void)
{
	atomic_fetch_add(&more, 1); /* bug: two_use_it */
}

static void *leave_and_go_on(void *arg)
{
	if (!arg)
		return use_it(arg);
	leave();
	do_more();
	return arg;
}

static void plain_write_after_the_return(void)
{
	THREADS(2, leave_and_go_on);
}

static void *leave_or_read(void *arg)
{
	int *q;

	if (arg)
		return leave_and_go_on(arg);
	q = atomic_load(&published);
	if (q)
		sink = atomic_load((atomic_int *)q);
	return arg;
}

static void atomic_read_after_the_return(void)
{
	THREADS(2, leave_or_read);
}

static void *publish_own(void *arg)
{
	int here = 1;

	if (!arg)
		return use_it(arg);
	atomic_store(&published, &here);
	return arg;
}

static void of_a_thread_that_has_ended(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, publish_own, &t) == 0);
	assert(pthread_join(t, NULL) == 0);
	use_plainly();
}

static void *give_own(void *arg)
{
	int here = 1;

	(void)arg;
	return hide(&here);
}

static void returned_to_one_that_joins(void)
{
	pthread_t t;
	void *returned;

	assert(pthread_create(&t, NULL, give_own, NULL) == 0);
	assert(pthread_join(t, &returned) == 0);
	sink = *(int *)returned; /* bug: returned_to_one_that_joins */
}

/* Another operation in the function: the use may come before the return. */
static __attribute__((noinline)) void leave_later(void)
{
	int here = 1;

	atomic_store(&published, &here);
	do_more();
}

static void *use_when_it_is_there(void *arg)
{
	int *p;

	if (arg) {
		leave_later();
		do_more();
		return arg;
	}
	while (!(p = atomic_load(&published)))
		;
	if (atomic_load(&more) == 0) {
		*p = 2; /* bug: nobody_waits_for_the_use */
		do_more();
	}
	return arg;
}

static void nobody_waits_for_the_use(void)
{
	THREADS(2, use_when_it_is_there);
}

/* The memory may be written when it is another function's by then. */
static __attribute__((noinline)) void wait_relaxed(void)
{
	int here = 1;

	atomic_store(&published, &here);
	while (!atomic_load_explicit(&done, memory_order_relaxed))
		;
}

static void *use_and_say_relaxed(void *arg)
{
	int *p;

	if (arg) {
		wait_relaxed();
		atomic_fetch_add(&more, 2); /* bug: a_relaxed_flag_says_that_it_is_done */
		return arg;
	}
	p = atomic_load(&published);
	if (p)
		*p = 2;
	atomic_store_explicit(&done, 1, memory_order_relaxed);
	return arg;
}

static void a_relaxed_flag_says_that_it_is_done(void)
{
	THREADS(2, use_and_say_relaxed);
}

static void *end_unknowing(void *arg)
{
	int here = 1;

	if (!arg) {
		int *p;

		while (!(p = atomic_load(&published)))
			;
		*p = 2;
		atomic_store_explicit(&done, 1, memory_order_relaxed);
		return arg;
	}
	atomic_store(&published, &here);
	while (!atomic_load_explicit(&done, memory_order_relaxed))
		;
	pthread_exit(NULL); /* bug: the_end_of_a_thread_does_not_wait */
}

static void the_end_of_a_thread_does_not_wait(void)
{
	THREADS(2, end_unknowing);
}

static __attribute__((noinline)) pthread_t create_with_own(void *(*fn)(void *))
{
	int here = 1;
	pthread_t t;

	atomic_store(&published, &here);
	assert(pthread_create(&t, NULL, fn, NULL) == 0);
	return t;
}

static void of_main(void)
{
	pthread_t t = create_with_own(use_it);

	pthread_join(t, NULL);
}

static __attribute__((noinline)) pthread_t create_with_alloca(size_t n)
{
	int *here = alloca(n);
	pthread_t t;

	*here = 1;
	atomic_store(&published, here);
	assert(pthread_create(&t, NULL, use_it, NULL) == 0);
	return t;
}

static void of_main_by_alloca(void)
{
	pthread_t t = create_with_alloca(100);

	pthread_join(t, NULL);
}

static jmp_buf back;

static __attribute__((noinline)) void leave_by_jump(void)
{
	int here = 1;

	atomic_store(&published, &here);
	longjmp(back, 1);
}

static void *jump_or_use(void *arg)
{
	if (!arg)
		return use_it(arg);
	if (!setjmp(back))
		leave_by_jump();
	do_more();
	return arg;
}

static void behind_longjmp(void)
{
	THREADS(2, jump_or_use);
}

static atomic_int used;

/* The one that is waited for is the one that came last. */
static void *read_and_count(void *arg)
{
	while (!arg && !atomic_load_explicit(&used, memory_order_relaxed))
		;
	assert(*atomic_load(&published) == 1);
	if (arg)
		atomic_fetch_add_explicit(&used, 1, memory_order_relaxed);
	else
		atomic_fetch_add_explicit(&used, 2, memory_order_release);
	return arg;
}

static __attribute__((noinline)) void wait_for_one_of_two(pthread_t *t)
{
	int here = 1;

	atomic_store(&published, &here);
	for (long i = 0; i < 2; i++)
		assert(pthread_create(&t[i], NULL, read_and_count, (void *)i) == 0);
	while (atomic_load_explicit(&used, memory_order_relaxed) != 3)
		;
	atomic_thread_fence(memory_order_acquire);
}

static void two_use_it(void)
{
	pthread_t t[2];

	wait_for_one_of_two(t);
	do_more();
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

struct waiter {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int done;
};

static struct waiter *_Atomic waiting;
static bool outside;

static void *signal_waiter(void *arg)
{
	struct waiter *w = atomic_load(&waiting);

	pthread_mutex_lock(&w->lock);
	w->done = 1;
	if (!outside)
		pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	if (outside)
		pthread_cond_signal(&w->changed);
	return arg;
}

static __attribute__((noinline)) pthread_t wait_for_signal(void)
{
	struct waiter w = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
	pthread_t t;

	atomic_store(&waiting, &w);
	assert(pthread_create(&t, NULL, signal_waiter, NULL) == 0);
	pthread_mutex_lock(&w.lock);
	while (!w.done)
		pthread_cond_wait(&w.changed, &w.lock);
	pthread_mutex_unlock(&w.lock);
	return t;
}

static void signalled_when_the_waiter_may_be_gone(void)
{
	outside = true;
	pthread_join(wait_for_signal(), NULL); /* bug: signalled_when_the_waiter_may_be_gone */
}

static void a_condition_orders_it(void)
{
	pthread_join(wait_for_signal(), NULL);
}

static void *use_and_say(void *arg)
{
	use_plainly();
	atomic_store_explicit(&done, 1, memory_order_release);
	return arg;
}

static __attribute__((noinline)) pthread_t wait_for_flag(void)
{
	pthread_t t = 0;
	int here = 1;

	atomic_store(&done, 0);
	atomic_store(&published, &here);
	assert(pthread_create(&t, NULL, use_and_say, NULL) == 0);
	while (!atomic_load_explicit(&done, memory_order_acquire))
		;
	assert(here == 2);
	return t;
}

static void *wait_in_a_thread(void *arg)
{
	pthread_t t = wait_for_flag();

	do_more();
	pthread_join(t, NULL);
	return arg;
}

static void a_flag_orders_it(void)
{
	THREADS(1, wait_in_a_thread);
	pthread_join(wait_for_flag(), NULL);
}

/* The flag that orders it lies there itself. */
static void *set_flag(void *arg)
{
	atomic_store_explicit((atomic_int *)arg, 1, memory_order_release);
	return NULL;
}

static __attribute__((noinline)) pthread_t wait_for_own_flag(void)
{
	atomic_int flag = 0;
	pthread_t t;

	assert(pthread_create(&t, NULL, set_flag, &flag) == 0);
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		;
	return t;
}

static void an_atomic_flag_of_the_function(void)
{
	pthread_t t = wait_for_own_flag();

	do_more();
	pthread_join(t, NULL);
}

struct told {
	atomic_int flag;
	sem_t told;
};

static void *tell_when_set(void *arg)
{
	struct told *t = arg;

	while (!atomic_load_explicit(&t->flag, memory_order_acquire))
		;
	sem_post(&t->told);
	return NULL;
}

static __attribute__((noinline)) void wait_to_be_told(pthread_t *t)
{
	struct told here = { .flag = 0 };

	sem_init(&here.told, 0, 0);
	assert(pthread_create(&t[0], NULL, set_flag, &here.flag) == 0);
	assert(pthread_create(&t[1], NULL, tell_when_set, &here) == 0);
	sem_wait(&here.told);
}

static void a_flag_that_a_third_one_looks_at(void)
{
	pthread_t t[2];

	wait_to_be_told(t);
	do_more();
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

static void *set_flag_relaxed(void *arg)
{
	atomic_store_explicit((atomic_int *)arg, 1, memory_order_relaxed);
	return NULL;
}

static __attribute__((noinline)) pthread_t wait_for_own_flag_relaxed(void)
{
	atomic_int flag = 0;
	pthread_t t;

	assert(pthread_create(&t, NULL, set_flag_relaxed, &flag) == 0);
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		;
	return t;
}

/* No happens-before, but what was read was written. */
static void a_relaxed_flag_of_the_function(void)
{
	pthread_t t = wait_for_own_flag_relaxed();

	do_more();
	pthread_join(t, NULL);
}

static volatile int plain_flag;

static void *use_and_set_plainly(void *arg)
{
	use_plainly();
	plain_flag = 1;
	return arg;
}

static __attribute__((noinline)) pthread_t wait_for_plain_flag(void)
{
	pthread_t t = 0;
	int here = 1;

	atomic_store(&published, &here);
	assert(pthread_create(&t, NULL, use_and_set_plainly, NULL) == 0);
	while (!plain_flag)
		;
	return t;
}

/* What orders there is, as far as heddle knows, nothing. */
static void a_plain_flag_says_that_it_is_done(void)
{
	pthread_t t = wait_for_plain_flag();

	do_more();
	pthread_join(t, NULL);
}

/* The object that orders it lies there itself, as with the next ones. */
static void *post(void *arg)
{
	sem_post(arg);
	return arg;
}

static __attribute__((noinline)) pthread_t wait_for_post(void)
{
	pthread_t t;
	sem_t sem;

	sem_init(&sem, 0, 0);
	assert(pthread_create(&t, NULL, post, &sem) == 0);
	sem_wait(&sem);
	sem_destroy(&sem);
	return t;
}

static void a_semaphore_orders_it(void)
{
	pthread_join(wait_for_post(), NULL);
}

static void *arrive(void *arg)
{
	pthread_barrier_wait(arg);
	return NULL;
}

static __attribute__((noinline)) pthread_t wait_for_other(void)
{
	pthread_barrier_t barrier;
	pthread_t t;

	pthread_barrier_init(&barrier, NULL, 2);
	assert(pthread_create(&t, NULL, arrive, &barrier) == 0);
	pthread_barrier_wait(&barrier);
	pthread_barrier_destroy(&barrier);
	return t;
}

static void a_barrier_orders_it(void)
{
	pthread_t t = wait_for_other();

	do_more();
	pthread_join(t, NULL);
}

static void *add(void *arg)
{
	++*(int *)arg;
	return arg;
}

static __attribute__((noinline)) void join_within(void)
{
	int here = 1;
	pthread_t t;

	assert(pthread_create(&t, NULL, add, &here) == 0);
	assert(pthread_join(t, NULL) == 0);
	assert(here == 2);
}

static void *nested(void *arg)
{
	join_within();
	do_more();
	join_within();
	return arg;
}

static void joined_before_the_return(void)
{
	join_within();
	THREADS(1, nested);
	join_within();
}

static __attribute__((noinline)) void deeper(int n)
{
	volatile char room[300];

	room[n] = 1;
	if (n)
		deeper(n - 1);
	else
		join_within();
}

static void one_frame_after_the_other(void)
{
	deeper(5);
	join_within();
	deeper(2);
}

/* Nobody can tell that it is gone, and the memory is the function's. */
static void *use_later(void *arg)
{
	int *p = atomic_load(&published);

	if (p)
		sink = *p;
	return arg;
}

static void a_block_of_a_function(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, use_later, NULL) == 0);
	{
		int here = 1;

		atomic_store(&published, &here);
	}
	pthread_join(t, NULL);
}

static void longjmp_within(void)
{
	int here = 1;
	jmp_buf near;
	volatile int times = 0;
	pthread_t t;

	(void)setjmp(near);
	assert(pthread_create(&t, NULL, add, &here) == 0);
	assert(pthread_join(t, NULL) == 0);
	if (++times < 3)
		longjmp(near, 1);
}

static void *read_arguments(void *arg)
{
	char **p = arg;

	sink = p[0] != NULL;
	do_more();
	return NULL;
}

static void arguments_of_main(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, read_arguments, environ) == 0);
	do_more();
	assert(pthread_join(t, NULL) == 0);
}

/* Its stack stays; the arguments of the program are there. */
static void main_leaves_and_others_go_on(void)
{
	static pthread_t t;
	int here = 1;

	atomic_store(&published, &here);
	assert(pthread_create(&t, NULL, use_it, NULL) == 0);
	pthread_exit(NULL);
}

static struct rlimit stack;

static __attribute__((noinline)) void use_stack(unsigned parts)
{
	volatile char *far = alloca(stack.rlim_cur / 8 * parts);

	*far = 1;
	do_more();
}

static void use_half(void)
{
	use_stack(4);
}

/* One of the handlers needs much, too. */
static void main_has_used_most_of_its_stack(void)
{
	pthread_t t;

	assert(getrlimit(RLIMIT_STACK, &stack) == 0);
	if (stack.rlim_cur > 32 << 20)
		stack.rlim_cur = 32 << 20;
	atexit(use_half);
	assert(pthread_create(&t, NULL, read_arguments, environ) == 0);
	use_stack(6);
}

/* The memory is the program's, and is there after the thread. */
static void on_a_stack_that_was_given(void)
{
	static _Alignas(4096) char stack[256 << 10];
	pthread_attr_t attr;
	void *returned;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stack, sizeof(stack));
	assert(pthread_create(&t, &attr, give_own, NULL) == 0);
	assert(pthread_join(t, &returned) == 0);
	sink = *(int *)returned;
	stack[sizeof(stack) - 1] = 1;
}

CASES(CASE(plain_write_after_the_return), CASE(atomic_read_after_the_return),
      CASE(of_a_thread_that_has_ended), CASE(returned_to_one_that_joins),
      CASE(nobody_waits_for_the_use), CASE(a_relaxed_flag_says_that_it_is_done),
      CASE(the_end_of_a_thread_does_not_wait), CASE(of_main), CASE(of_main_by_alloca),
      CASE(two_use_it), CASE(behind_longjmp), CASE(signalled_when_the_waiter_may_be_gone),
      CASE(a_flag_orders_it), CASE(a_flag_that_a_third_one_looks_at),
      CASE(a_relaxed_flag_of_the_function), CASE(an_atomic_flag_of_the_function),
      CASE(a_plain_flag_says_that_it_is_done), CASE(a_semaphore_orders_it),
      CASE(a_condition_orders_it), CASE(a_barrier_orders_it), CASE(joined_before_the_return),
      CASE(one_frame_after_the_other), CASE(a_block_of_a_function), CASE(longjmp_within),
      CASE(arguments_of_main), CASE(main_leaves_and_others_go_on),
      CASE(main_has_used_most_of_its_stack), CASE(on_a_stack_that_was_given))
