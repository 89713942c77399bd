/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * coroutine.c - stacks that a program changes by itself: nothing is said of what others do to them
 *
 * case on_an_array_of_main: ok 2
 * case on_the_heap: ok 2
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <ucontext.h>

#include "cases.h"

enum {
	SIZE = 64 << 10
};

static _Atomic(int *) published;
static atomic_int done;
static ucontext_t outside, inside;

static void *use_it(void *arg)
{
	int *p = atomic_load(&published);

	if (p)
		*p = 2;
	atomic_fetch_add(&done, 1);
	return arg;
}

static void coroutine(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, use_it, NULL) == 0);
	atomic_fetch_add(&done, 1);
	assert(pthread_join(t, NULL) == 0);
	swapcontext(&inside, &outside);
}

static void run_on(char *stack)
{
	assert(getcontext(&inside) == 0);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = SIZE;
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	assert(swapcontext(&outside, &inside) == 0);
}

static __attribute__((noinline)) void publish_and_run(char *stack)
{
	int here = 1;

	atomic_store(&published, &here);
	run_on(stack);
	assert(here == 2);
}

/* The coroutine is above the variable of the function that waits for it. */
static void on_an_array_of_main(void)
{
	char stack[SIZE];

	publish_and_run(stack);
}

static void on_the_heap(void)
{
	char *stack = malloc(SIZE);

	publish_and_run(stack);
	free(stack);
}

CASES(CASE(on_an_array_of_main), CASE(on_the_heap))
