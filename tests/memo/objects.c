/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executions that are made without the program where threads use objects of the library (runtime/engine/memo.txt, K6, K12)
 *
 * Each is used in many orders, which are counted; and some tell more than their operations do: what hooks keep in their memory, with
 * which mutex others wait, that a count is at its most.
 *
 * case semaphores: ok 24
 * case semaphores -e mo: ok 24
 * case conditions: ok 60
 * case readers: ok 48
 * case prefers_writers: ok 328
 * case barriers: ok 24
 * case onces: ok 4
 * case chooses: ok 81
 * case chooses -j 2: ok 81
 * case owner_is_read: bug assertion
 * case owner_is_read --no-memo: bug assertion
 * case owner_is_read -e value: bug assertion
 * case owner_is_read -e value --no-memo: bug assertion
 * case owner_is_read_beside_much -e value: bug assertion
 * case owner_is_read_beside_much -e value --no-memo: bug assertion
 * case owner_is_read_with_much -e value: bug assertion
 * case owner_is_read_with_much -e value --no-memo: bug assertion
 * case owner_is_read_on_the_stack -e value: bug assertion
 * case owner_is_read_on_the_stack -e value --no-memo: bug assertion
 * case owner_is_loaded_on_the_stack -e value: bug assertion
 * case owner_is_loaded_on_the_stack -e value --no-memo: bug assertion
 * case owner_is_loaded: bug assertion
 * case owner_is_loaded -e value: bug assertion
 * case owner_is_loaded -e value -j 2: bug assertion
 * case owner_is_loaded -e value --backend=fork: bug assertion
 * case other_mutex: bug lock-misuse
 * case other_mutex --no-memo: bug lock-misuse
 * case count_is_full: bug assertion
 * case count_is_full --no-memo: bug assertion
 * case once_anew: bug assertion
 * case once_anew --no-memo: bug assertion
 * case once_anew -e value: bug assertion
 * case once_anew -e value -k: bug assertion
 */
#define _GNU_SOURCE
#include <limits.h>
#include <semaphore.h>
#include <string.h>

#include "heddle.h"
#include "parts.h"

static sem_t sem;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t readers_writers = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int turn;
static int data;

/* Four threads, by functions that the code names (RUN() has them in a table, which the memo does not follow). */
#define RUN_FOUR(a, b, c, d)                                        \
	do {                                                        \
		pthread_t t_[4];                                    \
		assert(pthread_create(&t_[0], NULL, a, NULL) == 0); \
		assert(pthread_create(&t_[1], NULL, b, NULL) == 0); \
		assert(pthread_create(&t_[2], NULL, c, NULL) == 0); \
		assert(pthread_create(&t_[3], NULL, d, NULL) == 0); \
		for (int i_ = 0; i_ < 4; i_++)                      \
			assert(pthread_join(t_[i_], NULL) == 0);    \
	} while (0)

/* ---- In all orders --------------------------------------------------------------------------------- */

static void *takes_and_gives(void *arg)
{
	sem_wait(&sem);
	data++;
	sem_post(&sem);
	return arg;
}

/* 4! orders. */
static void semaphores(void)
{
	sem_init(&sem, 0, 1);
	THREADS(4, takes_and_gives);
	assert(data == 4);
}

/* One after the other, as they are let. */
static void *waits(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!data)
		pthread_cond_wait(&cond, &lock);
	data--;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *lets(void *arg)
{
	pthread_mutex_lock(&lock);
	data++;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void conditions(void)
{
	RUN_FOUR(waits, lets, waits, lets);
	assert(!data);
}

static void *writes(void *arg)
{
	pthread_rwlock_wrlock(&readers_writers);
	data++;
	pthread_rwlock_unlock(&readers_writers);
	return arg;
}

static void *only_reads(void *arg)
{
	int value;

	pthread_rwlock_rdlock(&readers_writers);
	value = data;
	pthread_rwlock_unlock(&readers_writers);
	assert(value >= 0 && value < 3);
	return arg;
}

static void readers(void)
{
	RUN_FOUR(only_reads, writes, only_reads, writes);
	assert(data == 2);
}

static void prefers_writers(void)
{
	readers_writers = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
	RUN_FOUR(writes, only_reads, writes, only_reads);
	assert(data == 2);
}

static void *meets(void *arg)
{
	if (pthread_barrier_wait(&barrier))
		data++;
	return arg;
}

static void barriers(void)
{
	pthread_barrier_init(&barrier, NULL, 4);
	THREADS(4, meets);
	assert(data == 1);
}

static void begin(void)
{
	data++;
}

static void *begins(void *arg)
{
	pthread_once(&once, begin);
	assert(data == 1);
	return arg;
}

static void onces(void)
{
	THREADS(4, begins);
}

static void *chooses_one(void *arg)
{
	atomic_store_explicit(&turn, heddle_choose(3), RLX);
	return arg;
}

/* 3 to the 4th. */
static void chooses(void)
{
	THREADS(4, chooses_one);
}

/* ---- What hooks keep ------------------------------------------------------------------------------- */

/* Two threads do something one behind the other, and others do something else. Who finds what the other one has left is made first, so that it is known without that. */
#define IN_TURN(name, part)                                                \
	static void *name(void *arg)                                       \
	{                                                                  \
		atomic_fetch_add_explicit(&turn, 0, memory_order_acq_rel); \
		part;                                                      \
		atomic_fetch_add_explicit(&turn, 0, memory_order_acq_rel); \
		return arg;                                                \
	}

static void *does_something_else(void *arg)
{
	atomic_fetch_add_explicit(&late, 1, RLX);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	atomic_fetch_add_explicit(&late, 1, RLX);
	return arg;
}

#define RUN_BOTH(one, two) RUN_FOUR(does_something_else, one, two, takes_late)

static void *takes_late(void *arg)
{
	atomic_fetch_add_explicit(&late, 1, RLX);
	return arg;
}

static void look_at_owner(void)
{
	const int owner = other.__data.__owner;

	assert(!owner); /* bug: owner_is_read */
}

IN_TURN(keeps, pthread_mutex_lock(&other))
IN_TURN(looks_at_owner, look_at_owner())

static void owner_is_read(void)
{
	RUN_BOTH(looks_at_owner, keeps);
}

/* More than there is room to note. */
enum {
	MUCH = 1 << 20
};
char much[MUCH];

static void look_behind_much(void)
{
	for (unsigned i = 0; i < MUCH; i += 8)
		much[i] = 1;
	assert(!other.__data.__owner); /* bug: owner_is_read_beside_much */
}

IN_TURN(looks_behind_much, look_behind_much())

static void owner_is_read_beside_much(void)
{
	RUN_BOTH(looks_behind_much, keeps);
}

/* In one access. */
static struct {
	pthread_mutex_t mutex;
	char behind[MUCH];
} whole = { .mutex = PTHREAD_MUTEX_INITIALIZER }, copy;

static void look_at_whole(void)
{
	memcpy(&copy, &whole, sizeof(copy));
	assert(!copy.mutex.__data.__owner); /* bug: owner_is_read_with_much */
}

IN_TURN(keeps_whole, pthread_mutex_lock(&whole.mutex))
IN_TURN(looks_at_whole, look_at_whole())

static void owner_is_read_with_much(void)
{
	RUN_BOTH(looks_at_whole, keeps_whole);
}

/*
 * Of main, in a function that main has called: there the memo gives up, in the one execution that there is by values. Both threads read what they would in the
 * other order of their sections.
 */
static pthread_mutex_t *on_stack, section = PTHREAD_MUTEX_INITIALIZER;

#define IN_SECTION(name, part)                  \
	static void *name(void *arg)            \
	{                                       \
		pthread_mutex_lock(&section);   \
		part;                           \
		pthread_mutex_unlock(&section); \
		return arg;                     \
	}

IN_SECTION(keeps_on_stack, pthread_mutex_lock(on_stack))

static void look_and_keep(void *(*looks)(void *))
{
	pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread[2];

	on_stack = &mine;
	assert(!pthread_create(&thread[0], NULL, looks, NULL));
	assert(!pthread_create(&thread[1], NULL, keeps_on_stack, NULL));
	for (int i = 0; i < 2; i++)
		assert(!pthread_join(thread[i], NULL));
}

static void look_at_stack(void)
{
	assert(!on_stack->__data.__owner); /* bug: owner_is_read_on_the_stack */
}

IN_SECTION(looks_at_stack, look_at_stack())

static void owner_is_read_on_the_stack(void)
{
	look_and_keep(looks_at_stack);
}

static void load_from_stack(void)
{
	const int owner = __atomic_load_n(&on_stack->__data.__owner, __ATOMIC_RELAXED);

	assert(!owner); /* bug: owner_is_loaded_on_the_stack */
}

IN_SECTION(loads_from_stack, load_from_stack())

static void owner_is_loaded_on_the_stack(void)
{
	look_and_keep(loads_from_stack);
}

static void load_owner(void)
{
	const int owner = __atomic_load_n(&other.__data.__owner, __ATOMIC_RELAXED);

	assert(!owner); /* bug: owner_is_loaded */
}

IN_TURN(loads_owner, load_owner())

static void owner_is_loaded(void)
{
	RUN_BOTH(loads_owner, keeps);
}

static pthread_mutex_t another = PTHREAD_MUTEX_INITIALIZER;
static int one, two;

static void wait_with(pthread_mutex_t *m, const int *until)
{
	pthread_mutex_lock(m);
	while (!*until)
		pthread_cond_wait(&cond, m); /* bug: other_mutex */
	pthread_mutex_unlock(m);
}

static void let(pthread_mutex_t *m, int *until)
{
	pthread_mutex_lock(m);
	*until = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(m);
}

static void *waits_with_one(void *arg)
{
	wait_with(&other, &one);
	return arg;
}

static void *waits_with_another(void *arg)
{
	wait_with(&another, &two);
	return arg;
}

static void *lets_both(void *arg)
{
	let(&other, &one);
	let(&another, &two);
	return arg;
}

static void other_mutex(void)
{
	RUN_FOUR(waits_with_one, lets_both, waits_with_another, does_something_else);
}

static void post(void)
{
	const int error = sem_post(&sem);

	assert(!error); /* bug: count_is_full */
}

IN_TURN(posts, sem_post(&sem))
IN_TURN(posts_last, post())

static void count_is_full(void)
{
	sem_init(&sem, 0, SEM_VALUE_MAX - 1);
	RUN_BOTH(posts, posts_last);
}

static void note_begin(void)
{
	data = 1;
}

static void begin_again(void)
{
	data = 0;
	pthread_once(&once, note_begin);
	assert(!data); /* bug: once_anew */
}

IN_TURN(makes_anew, once = PTHREAD_ONCE_INIT)
IN_TURN(begins_again, begin_again())

static void once_anew(void)
{
	pthread_once(&once, note_begin);
	RUN_BOTH(begins_again, makes_anew);
}

CASES(CASE(semaphores), CASE(conditions), CASE(readers), CASE(prefers_writers), CASE(barriers),
      CASE(onces), CASE(chooses), CASE(owner_is_read), CASE(owner_is_read_beside_much),
      CASE(owner_is_read_with_much), CASE(owner_is_read_on_the_stack),
      CASE(owner_is_loaded_on_the_stack), CASE(owner_is_loaded), CASE(other_mutex),
      CASE(count_is_full), CASE(once_anew))
