/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leak.c - memory that is lost when the program ends
 *
 * case lost_by_a_thread: ok 1
 * case lost_by_a_thread --leaks: bug leak at memset(hide(malloc
 * case lost_by_main --leaks: bug leak at memset(hide(malloc
 * case lost_before_the_threads --leaks: bug leak at memset(hide(malloc
 * case lost_string --leaks: bug leak at hide(strdup("lost"))
 * case lost_in_one_execution --leaks: bug leak at int *expected
 * case lost_list --leaks: bug leak at struct node *node
 * case lost_ring --leaks: bug leak at struct node *node
 * case all_freed --leaks: ok 1
 * case kept_by_a_global --leaks: ok 1
 * case kept_by_a_static_pointer_to_the_middle --leaks: ok 1
 * case kept_by_a_list --leaks: ok 1
 * case kept_by_main --leaks: ok 1
 * case kept_by_main_which_exits_last --leaks: ok 2
 * case kept_by_main_which_returns_last --leaks: ok 2
 * case kept_by_a_thread_that_waits --leaks: ok 1
 * case kept_by_thread_local_storage --leaks: ok 1
 * case kept_by_a_key --leaks: ok 1
 * case kept_as_the_value_of_a_thread --leaks: ok 1
 * case kept_by_the_library --leaks: ok 1
 * case kept_in_mapped_memory --leaks: ok 1
 * case kept_in_mapped_memory --leaks --backend=fork: ok 1
 * case kept_in_shared_memory --leaks: ok 1
 * case lost_with_mapped_memory --leaks: bug leak at p[3] = hide(malloc(10));
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "cases.h"

static void *hide(void *p)
{
	__asm__ volatile("" : "+r"(p));
	return p;
}

/* Memory for the callers: nothing of it is left on their stack or in a register. */
static __attribute__((noinline)) void lose(size_t size)
{
	memset(hide(malloc(size)), 0, size);
}

static void *nothing(void *arg)
{
	return arg;
}

static void *run_lose(void *arg)
{
	lose(40);
	return arg;
}

static void lost_by_a_thread(void)
{
	THREADS(1, run_lose);
}

static void lost_by_main(void)
{
	THREADS(1, nothing);
	lose(1000);
}

static void lost_before_the_threads(void)
{
	lose(30);
	THREADS(1, nothing);
}

static void *run_string(void *arg)
{
	hide(strdup("lost"));
	return arg;
}

static void lost_string(void)
{
	THREADS(1, run_string);
}

static int *_Atomic slot;

static void *replace(void *arg)
{
	int *mine = hide(malloc(sizeof(int)));

	/* It should be an exchange. */
	free(atomic_load(&slot));
	atomic_store(&slot, mine);
	return arg;
}

static void *put(void *arg)
{
	int *expected = NULL, *mine = hide(malloc(sizeof(int)));

	/* Who comes second forgets to free. */
	atomic_compare_exchange_strong(&slot, &expected, mine);
	return arg;
}

static void lost_in_one_execution(void)
{
	THREADS(1, replace);
	free(atomic_exchange(&slot, NULL));
	THREADS(2, put);
	free(atomic_exchange(&slot, NULL));
}

struct node {
	struct node *next;
	int value;
};

static struct node *head;

static struct node *list_of(int n)
{
	struct node *list = NULL;

	while (n--) {
		struct node *node = hide(malloc(sizeof(*node)));

		node->next = list;
		node->value = n;
		list = node;
	}
	return list;
}

static void *run_list(void *arg)
{
	head = list_of(5);
	if (arg)
		head = NULL;
	return NULL;
}

static void kept_by_a_list(void)
{
	THREADS(1, run_list);
}

static void *run_lost_list(void *arg)
{
	(void)arg;
	return run_list(&head);
}

static void lost_list(void)
{
	THREADS(1, run_lost_list);
}

static void *run_ring(void *arg)
{
	struct node *list = list_of(3);

	list->next->next->next = list;
	return arg;
}

static void lost_ring(void)
{
	THREADS(1, run_ring);
}

static void *run_all(void *arg)
{
	free(hide(malloc(10)));
	free(hide(strdup("abc")));
	free(hide(realloc(hide(malloc(10)), 100)));
	free(hide(aligned_alloc(64, 64)));
	return arg;
}

static void all_freed(void)
{
	run_all(NULL);
	THREADS(1, run_all);
}

static char *global;

static void *run_global(void *arg)
{
	global = hide(malloc(10));
	return arg;
}

static void kept_by_a_global(void)
{
	THREADS(1, run_global);
}

static void *run_middle(void *arg)
{
	global = (char *)hide(malloc(100)) + 50;
	return arg;
}

static void kept_by_a_static_pointer_to_the_middle(void)
{
	THREADS(1, run_middle);
}

static void kept_by_main(void)
{
	char *volatile mine = hide(malloc(10));

	THREADS(1, nothing);
	exit(mine == NULL);
}

static atomic_int turn;

static void *first_turn(void *arg)
{
	atomic_store(&turn, 1);
	return arg;
}

/* It returns in some executions, and in others it exits: whichever comes first. */
static void return_or_exit(int returns_last)
{
	char *volatile mine = hide(malloc(10));
	pthread_t t;
	int other;

	assert(pthread_create(&t, NULL, first_turn, NULL) == 0);
	other = atomic_load(&turn) == returns_last;
	assert(pthread_join(t, NULL) == 0);
	if (other) {
		free(mine);
		return;
	}
	exit(mine == NULL);
}

static void kept_by_main_which_exits_last(void)
{
	return_or_exit(0);
}

static void kept_by_main_which_returns_last(void)
{
	return_or_exit(1);
}

static sem_t never;

static void *wait_with(void *arg)
{
	char *volatile mine = hide(malloc(10));

	sem_wait(&never);
	free(mine);
	return arg;
}

static void kept_by_a_thread_that_waits(void)
{
	pthread_t t;

	sem_init(&never, 0, 0);
	pthread_create(&t, NULL, wait_with, NULL);
	pthread_detach(t);
}

static _Thread_local char *local;

static void kept_by_thread_local_storage(void)
{
	local = hide(malloc(10));
	THREADS(1, nothing);
}

static pthread_key_t key;

static void kept_by_a_key(void)
{
	pthread_key_create(&key, free);
	pthread_setspecific(key, hide(malloc(10)));
	THREADS(1, nothing);
}

static void *return_it(void *arg)
{
	(void)arg;
	return hide(malloc(10));
}

static void kept_as_the_value_of_a_thread(void)
{
	pthread_t t;
	void *value;

	pthread_create(&t, NULL, return_it, NULL);
	pthread_join(t, &value);
	free(value);
}

static void *use_the_library(void *arg)
{
	setenv("HEDDLE_TEST_VARIABLE", "a value", 1);
	assert(getenv("HEDDLE_TEST_VARIABLE"));
	return arg;
}

static void kept_by_the_library(void)
{
	THREADS(1, use_the_library);
}

enum {
	PAGE = 4096
};

static void keep_mapped(int flags, bool unmap)
{
	void **p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	assert(p != MAP_FAILED);
	p[3] = hide(malloc(10));
	if (unmap)
		assert(munmap(p, PAGE) == 0);
}

static void *run_private(void *arg)
{
	keep_mapped(MAP_PRIVATE, false);
	return arg;
}

static void kept_in_mapped_memory(void)
{
	THREADS(1, run_private);
}

static void *run_shared(void *arg)
{
	keep_mapped(MAP_SHARED, false);
	return arg;
}

static void kept_in_shared_memory(void)
{
	THREADS(1, run_shared);
}

static void *run_unmapped(void *arg)
{
	keep_mapped(MAP_PRIVATE, true);
	return arg;
}

static void lost_with_mapped_memory(void)
{
	THREADS(1, run_unmapped);
}

CASES(CASE(lost_by_a_thread), CASE(lost_by_main), CASE(lost_before_the_threads), CASE(lost_string),
      CASE(lost_in_one_execution), CASE(lost_list), CASE(lost_ring), CASE(all_freed),
      CASE(kept_by_a_global), CASE(kept_by_a_static_pointer_to_the_middle), CASE(kept_by_a_list),
      CASE(kept_by_main), CASE(kept_by_main_which_exits_last),
      CASE(kept_by_main_which_returns_last), CASE(kept_by_a_thread_that_waits),
      CASE(kept_by_thread_local_storage), CASE(kept_by_a_key), CASE(kept_as_the_value_of_a_thread),
      CASE(kept_by_the_library), CASE(kept_in_mapped_memory), CASE(kept_in_shared_memory),
      CASE(lost_with_mapped_memory))
