/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reorder.c - N setters write a = 1 then b = -1, one checker reads a then b: four
 * executions by value however many setters
 *
 * -DN=setters
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef N
#define N 3
#endif
static atomic_int a, b;

static void *setter(void *arg)
{
	(void)arg;
	atomic_store(&a, 1);
	atomic_store(&b, -1);
	return NULL;
}

static void *checker(void *arg)
{
	(void)arg;
	(void)atomic_load(&a);
	(void)atomic_load(&b);
	return NULL;
}

int main(void)
{
	pthread_t t[N + 1];

	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, setter, NULL);
	pthread_create(&t[N], NULL, checker, NULL);
	for (int i = 0; i <= N; i++)
		pthread_join(t[i], NULL);
	return 0;
}
