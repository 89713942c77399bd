/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * glib.c - GLib's queues and pools of threads, declared here as its headers do
 *
 *	queue	two threads push, main takes both
 *	order	and is wrong about who came first
 *	pool	a pool of two threads does two pieces of work
 *	starve	main takes what nobody pushes
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

typedef struct queue queue;
queue *g_async_queue_new(void);
void g_async_queue_push(queue *q, void *item);
void *g_async_queue_pop(queue *q);
void *g_async_queue_try_pop(queue *q);
void g_async_queue_unref(queue *q);

typedef struct pool pool;
pool *g_thread_pool_new(void (*work)(void *, void *), void *arg, int most, int exclusive,
			void **error);
int g_thread_pool_push(pool *p, void *item, void **error);
void g_thread_pool_free(pool *p, int at_once, int waits);

static queue *q;

static void *push(void *arg)
{
	g_async_queue_push(q, arg);
	return NULL;
}

static void work(void *item, void *arg)
{
	g_async_queue_push(arg, item);
}

/* Who came first? */
static long take_both(void)
{
	long first = (long)g_async_queue_pop(q), second = (long)g_async_queue_pop(q);

	assert(first + second == 3 && (first == 1 || first == 2));
	assert(!g_async_queue_try_pop(q));
	return first;
}

static long push_both(void)
{
	pthread_t t[2];
	long first;

	for (long i = 0; i < 2; i++)
		assert(pthread_create(&t[i], NULL, push, (void *)(i + 1)) == 0);
	first = take_both();
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
	return first;
}

static void work_both(void)
{
	pool *p = g_thread_pool_new(work, q, 2, 1, NULL);

	assert(g_thread_pool_push(p, (void *)1, NULL) && g_thread_pool_push(p, (void *)2, NULL));
	g_thread_pool_free(p, 0, 1);
	take_both();
}

int main(int argc, char **argv)
{
	pthread_t t;

	assert(argc == 2);
	q = g_async_queue_new();
	if (!strcmp(argv[1], "queue")) {
		push_both();
	} else if (!strcmp(argv[1], "order")) {
		assert(push_both() == 1);
	} else if (!strcmp(argv[1], "pool")) {
		work_both();
	} else {
		assert(pthread_create(&t, NULL, push, (void *)1) == 0);
		take_both();
	}
	g_async_queue_unref(q);
	return 0;
}
