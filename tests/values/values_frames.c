/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), variables on a stack that another thread knows of, and accesses to them that compilers do not announce
 *
 * Which section of the mutex comes first is told by what the second one finds there, and by nothing else.
 *
 * values_frames.test compiles it.
 *
 * case passes_what_others_write -e value: bug assertion
 * case passes_what_others_write -e value -m sra -j 2: bug assertion
 * case passes_what_others_write -e value --backend=fork: bug assertion
 * case passes_what_others_write -e rf: bug assertion
 * case passes_it_on -e value: bug assertion
 * case passes_a_part -e value: bug assertion
 * case keeps_a_result -e value: bug assertion
 * case keeps_a_result -e value -m sc: bug assertion
 * case others_read_arguments -e value: bug assertion
 * case others_read_arguments -e value -m wra: bug assertion
 * case others_read_pushed -e value: bug assertion
 * case fills_it_again -e value: bug assertion
 * case from_deep_inside -e value: bug assertion
 * case tells_all -e value: ok 1
 * case tells_all -e rf: ok 3
 * case arguments_of_threads -e value: ok 3
 * case arguments_of_threads -e rf: ok 3
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"

#define APART __attribute__((noinline))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

struct big {
	long v[5];
};

static struct big *place;

static void *writes(void *arg)
{
	pthread_mutex_lock(&mutex);
	place->v[2] = 1;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static APART void look(struct big b)
{
	assert(b.v[2] != 1); /* bug: passes_what_others_write */
}

static void passes_what_others_write(void)
{
	struct big b = { { 0 } };
	pthread_t t;

	place = &b;
	pthread_create(&t, NULL, writes, NULL);
	pthread_mutex_lock(&mutex);
	look(b);
	pthread_mutex_unlock(&mutex);
	pthread_join(t, NULL);
}

static APART void look_at_it(struct big b)
{
	assert(b.v[2] != 1); /* bug: passes_it_on */
}

/* Its own argument, which lies in the frame of its caller. */
static APART void pass_on(struct big b)
{
	pthread_t t;

	place = &b;
	pthread_create(&t, NULL, writes, NULL);
	pthread_mutex_lock(&mutex);
	look_at_it(b);
	pthread_mutex_unlock(&mutex);
	pthread_join(t, NULL);
}

static void passes_it_on(void)
{
	struct big b = { { 0 } };

	pass_on(b);
}

struct large {
	char front[512];
	struct big part;
};

static APART void look_at_part(struct big b)
{
	assert(b.v[2] != 1); /* bug: passes_a_part */
}

/* So much is copied by one instruction. */
static APART void pass_part(struct large l)
{
	pthread_t t;

	place = &l.part;
	pthread_create(&t, NULL, writes, NULL);
	pthread_mutex_lock(&mutex);
	look_at_part(l.part);
	pthread_mutex_unlock(&mutex);
	pthread_join(t, NULL);
}

static void passes_a_part(void)
{
	static struct large l;

	pass_part(l);
}

/* ---- What others read ------------------------------------------------------------------------------ */

struct pair {
	long a, b;
};

static const struct pair *result;

static APART struct pair make(long n)
{
	struct pair p = { n, n };

	return p;
}

static void *reads_result(void *arg)
{
	pthread_mutex_lock(&mutex);
	assert(result->b != 1); /* bug: keeps_a_result */
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void keeps_a_result(void)
{
	struct pair p = { 0, 0 };
	pthread_t t;

	result = &p;
	pthread_create(&t, NULL, reads_result, NULL);
	for (long n = 1; n < 3; n++) {
		pthread_mutex_lock(&mutex);
		p = make(n);
		pthread_mutex_unlock(&mutex);
	}
	pthread_join(t, NULL);
}

static const long *word;
static const long none;

static void put(const long *p)
{
	pthread_mutex_lock(&mutex);
	word = p;
	pthread_mutex_unlock(&mutex);
}

static APART void give(struct big b, const pthread_t *last)
{
	put(&b.v[2]);
	put(&none);
	if (last) /* the caller has no operation of its own while others may look */
		pthread_join(*last, NULL);
}

static void *reads_word(void *arg)
{
	pthread_mutex_lock(&mutex);
	assert(!word || *word != 1); /* bug: others_read_arguments */
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void others_read_arguments(void)
{
	struct big b = { { 0 } };
	pthread_t t;

	pthread_create(&t, NULL, reads_word, NULL);
	b.v[2] = 1;
	give(b, NULL);
	b.v[2] = 2;
	give(b, &t);
}

/* What does not fit into registers is pushed by gcc. */
static APART void give_seventh(const pthread_t *last, long b, long c, long d, long e, long f,
			       long seventh)
{
	put(&seventh);
	put(&none);
	if (last)
		pthread_join(*last, NULL);
	assert(b + c + d + e + f == 15);
}

static void *reads_pushed(void *arg)
{
	pthread_mutex_lock(&mutex);
	assert(!word || *word != 1); /* bug: others_read_pushed */
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void others_read_pushed(void)
{
	pthread_t t;

	pthread_create(&t, NULL, reads_pushed, NULL);
	give_seventh(NULL, 1, 2, 3, 4, 5, 1);
	give_seventh(&t, 1, 2, 3, 4, 5, 2);
}

static const struct big *filled;

static APART struct big number(long n)
{
	return (struct big){ { n, n, n, n, n } };
}

static void *reads_filled(void *arg)
{
	pthread_mutex_lock(&mutex);
	assert(filled->v[2] != 1); /* bug: fills_it_again */
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void fills_it_again(void)
{
	struct big b = { { 0 } };
	pthread_t t;

	filled = &b;
	pthread_create(&t, NULL, reads_filled, NULL);
	for (long n = 1; n < 3; n++) {
		pthread_mutex_lock(&mutex);
		b = number(n);
		pthread_mutex_unlock(&mutex);
	}
	pthread_join(t, NULL);
}

static void *reads_deep(void *arg)
{
	pthread_mutex_lock(&mutex);
	assert(!result || result->b != 1); /* bug: from_deep_inside */
	pthread_mutex_unlock(&mutex);
	return arg;
}

static APART long lock_deep(int n)
{
	long sum = n;

	if (n)
		return lock_deep(n - 1) + sum;
	pthread_mutex_lock(&mutex);
	return sum;
}

/* The owner is in other functions when its variable is read. */
static void from_deep_inside(void)
{
	struct pair p = { 0, 0 };
	pthread_t t;

	result = &p;
	pthread_create(&t, NULL, reads_deep, NULL);
	for (long n = 1; n < 3; n++) {
		lock_deep(3);
		p = make(n);
		pthread_mutex_unlock(&mutex);
	}
	pthread_join(t, NULL);
}

/* ---- All is told, so this goes by values ---------------------------------------------------------- */

static void *adds(void *arg)
{
	long *sum = arg;

	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&mutex);
		*sum = 1;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void tells_all(void)
{
	long sum[3] = { 0 };
	pthread_t t;

	pthread_create(&t, NULL, adds, &sum[1]);
	pthread_mutex_lock(&mutex);
	sum[1] = 1;
	pthread_mutex_unlock(&mutex);
	pthread_join(t, NULL);
	assert(sum[1] == 1);
}

struct job {
	long number, result;
};

static atomic_long total;

static void *does_job(void *arg)
{
	struct job *j = arg;

	j->result = j->number + atomic_load(&total);
	atomic_store(&total, 1);
	return NULL;
}

static void arguments_of_threads(void)
{
	struct job job[2] = { { 0, 0 }, { 0, 0 } };
	pthread_t t[2];

	for (int i = 0; i < 2; i++) {
		job[i].number = i;
		pthread_create(&t[i], NULL, does_job, &job[i]);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(job[0].result + job[1].result >= 1);
}

CASES(CASE(passes_what_others_write), CASE(passes_it_on), CASE(passes_a_part), CASE(keeps_a_result),
      CASE(others_read_arguments), CASE(others_read_pushed), CASE(fills_it_again),
      CASE(from_deep_inside), CASE(tells_all), CASE(arguments_of_threads))
