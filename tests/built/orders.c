/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * orders.c - bugs that only the order of synchronisation calls decides about
 *
 * For compilers that know nothing of heddle. Each case is named on the command line; where the
 * comment says so, a defined FIXED mends it.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <threads.h>

typedef void *body(void *);

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t full;
static int ready, sum;
static int *volatile shared;

static void run(unsigned n, body *const *f)
{
	pthread_t thread[8];

	for (unsigned i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, f[i], NULL))
			abort();
	for (unsigned i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

#define RUN(...) run(sizeof((body *[]){ __VA_ARGS__ }) / sizeof(body *), (body *[]){ __VA_ARGS__ })

/* ---- Two mutexes, the wrong way round; FIXED: the same way ---------------------------------- */

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	sum++;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *a_then_b(void *arg)
{
	both(&a, &b);
	return arg;
}

static void *b_then_a(void *arg)
{
#ifdef FIXED
	both(&a, &b);
#else
	both(&b, &a);
#endif
	return arg;
}

static void abba(void)
{
	RUN(a_then_b, b_then_a);
	assert(sum == 2);
}

/* ---- A wake-up that is lost, since the condition is looked at too early; FIXED: under the lock */

static void *waits(void *arg)
{
	int seen;

	pthread_mutex_lock(&a);
	seen = ready;
#ifndef FIXED
	pthread_mutex_unlock(&a);
	pthread_mutex_lock(&a);
	if (!seen)
		pthread_cond_wait(&changed, &a);
#else
	for (; !seen; seen = ready)
		pthread_cond_wait(&changed, &a);
#endif
	pthread_mutex_unlock(&a);
	return arg;
}

static void *wakes(void *arg)
{
	pthread_mutex_lock(&a);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&a);
	return arg;
}

static void lost(void)
{
	RUN(waits, wakes);
}

/* ---- An assertion, and a null pointer, that hold in one order only; FIXED: they hold in all -- */

static void *gives(void *arg)
{
	static int it = 7;

	pthread_mutex_lock(&a);
	shared = &it;
	pthread_mutex_unlock(&a);
	return arg;
}

static void *expects(void *arg)
{
	pthread_mutex_lock(&a);
#ifndef FIXED
	assert(shared);
#endif
	pthread_mutex_unlock(&a);
	return arg;
}

static void *takes(void *arg)
{
	pthread_mutex_lock(&a);
#ifdef FIXED
	if (shared)
#endif
		sum = *shared;
	pthread_mutex_unlock(&a);
	return arg;
}

static void fails(void)
{
	RUN(gives, expects);
}

static void crashes(void)
{
	RUN(gives, takes);
}

/* ---- Semaphores: one post for two; FIXED: two ------------------------------------------------ */

static void *needs(void *arg)
{
	sem_wait(&full);
	return arg;
}

static void *posts(void *arg)
{
	sem_post(&full);
#ifdef FIXED
	sem_post(&full);
#endif
	return arg;
}

static void posted(void)
{
	sem_init(&full, 0, 0);
	RUN(needs, needs, posts);
	sem_destroy(&full);
}

/* ---- <threads.h>: the mutex is kept at the end; FIXED: it is not ----------------------------- */

static mtx_t mutex;

static int keeps(void *arg)
{
	(void)arg;
	mtx_lock(&mutex);
	sum++;
#ifdef FIXED
	mtx_unlock(&mutex);
#endif
	return 0;
}

static void kept(void)
{
	thrd_t one, two;

	mtx_init(&mutex, mtx_plain);
	thrd_create(&one, keeps, NULL);
	thrd_create(&two, keeps, NULL);
	thrd_join(one, NULL);
	thrd_join(two, NULL);
	mtx_destroy(&mutex);
}

/* ---- Memory that nobody announces begins afresh in every execution --------------------------- */

static int global = 1;
static __thread int local = 2;
static int *heap, *big, *page;

static void *scribbles(void *arg)
{
	pthread_mutex_lock(&a);
	assert(local == 2 && ((global == 1 && *heap == 3 && !*big && !*page) ||
			      (global == 10 && *heap == 30 && *big == 40 && *page == 50)));
	global = 10;
	local = 20;
	*heap = 30;
	*big = 40;
	*page = 50;
	pthread_mutex_unlock(&a);
	return arg;
}

static void fresh(void)
{
	heap = malloc(sizeof(*heap));
	big = calloc(1, 1 << 20);
	*heap = 3;
	big += (1 << 17);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(page != MAP_FAILED);
	RUN(scribbles, scribbles);
	assert(global == 10 && *heap == 30 && *big == 40);
}

/* ---- A lock that is tried three times, counted where nobody sees it; FIXED: that is enough ---- */

static int tries;

static void *tries_thrice(void *arg)
{
	for (tries = 0; tries < 3; tries++)
		if (!pthread_mutex_trylock(&a)) {
			sum++;
			pthread_mutex_unlock(&a);
			return arg;
		}
#ifndef FIXED
	assert(tries < 3);
#endif
	return arg;
}

static void *holds(void *arg)
{
	pthread_mutex_lock(&a);
	sum++;
	pthread_mutex_unlock(&a);
	return arg;
}

static void thrice(void)
{
	RUN(tries_thrice, holds);
}

/* ---- A lock that is tried for ever; FIXED: it is released ------------------------------------ */

static void *tries_on(void *arg)
{
	while (pthread_mutex_trylock(&a))
		;
	pthread_mutex_unlock(&a);
	return arg;
}

static void *holds_on(void *arg)
{
	pthread_mutex_lock(&a);
#ifdef FIXED
	pthread_mutex_unlock(&a);
#endif
	return arg;
}

static void forever(void)
{
	RUN(tries_on, holds_on);
}

/* ---- It ends by a variable that nobody sees -------------------------------------------------- */

static volatile int stop;

static void *tries_until_told(void *arg)
{
	while (pthread_mutex_trylock(&a))
		if (stop)
			return arg;
	pthread_mutex_unlock(&a);
	return arg;
}

static void *tells(void *arg)
{
	pthread_mutex_lock(&a);
	sem_post(&full);
	stop = 1;
	return arg;
}

static void told(void)
{
	sem_init(&full, 0, 0);
	RUN(tries_until_told, tells);
	sem_destroy(&full);
}

/* ---- It depends on the order of what is done between calls ----------------------------------- */

static volatile int begun;

static void *begins(void *arg)
{
	begun = 1;
	return arg;
}

static void between(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, begins, NULL))
		abort();
	assert(!begun);
	pthread_join(t, NULL);
}

/* ---- All orders of five, each once ----------------------------------------------------------- */

static unsigned orders;

static void *marks(void *arg)
{
	pthread_mutex_lock(&a);
	orders = orders * 8 + 1;
	pthread_mutex_unlock(&a);
	return arg;
}

static void five(void)
{
	RUN(marks, marks, marks, marks, marks);
	assert(orders == 011111);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "abba", abba },       { "lost", lost }, { "fails", fails },     { "crashes", crashes },
	{ "posted", posted },   { "kept", kept }, { "fresh", fresh },     { "thrice", thrice },
	{ "forever", forever }, { "told", told }, { "between", between }, { "five", five },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	fprintf(stderr, "there is no case '%s'\n", argc > 1 ? argv[1] : "");
	return 2;
}
