/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * boundedbuffer.c - bounded buffer with a mutex and two condition variables
 *
 * -DP producers, -DC consumers, each one item (P == C). -DBUGGY: one condition variable for
 * both and signal instead of broadcast: with P=C=2 and CAP=1 a wake-up can be lost
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#ifndef P
#define P 1
#endif
#ifndef C
#define C 1
#endif
#ifndef CAP
#define CAP 1
#endif
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
#ifdef BUGGY
#define not_empty not_full
#else
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
#endif
static int count, in, out;

static void *producer(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&m);
	while (count == CAP)
		pthread_cond_wait(&not_full, &m);
	count++;
	in++;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&m);
	return NULL;
}

static void *consumer(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&m);
	while (count == 0)
		pthread_cond_wait(&not_empty, &m);
	count--;
	out++;
	pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t[P + C];

	for (int i = 0; i < P; i++)
		pthread_create(&t[i], NULL, producer, NULL);
	for (int i = 0; i < C; i++)
		pthread_create(&t[P + i], NULL, consumer, NULL);
	for (int i = 0; i < P + C; i++)
		pthread_join(t[i], NULL);
	assert(in == P && out == C && count == 0);
	return 0;
}
