/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library that is not instrumented (-DLIBRARY), and threads that use it: at once, or under a lock of theirs
 * (-DUNDER_LOCK), or one after the other (-DIN_TURN)
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

void locked_count(void);
void plain_count(void);
int pure(int n);

#ifdef LIBRARY
static atomic_flag lock = ATOMIC_FLAG_INIT;
static int n, m;

void locked_count(void)
{
	while (atomic_flag_test_and_set(&lock))
		;
	n++;
	atomic_flag_clear(&lock);
}

void plain_count(void)
{
	m++;
}

int pure(int n)
{
	return n + 1;
}
#else
#ifndef USE
#define USE (void)0
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *arg)
{
#ifdef UNDER_LOCK
	pthread_mutex_lock(&lock);
	USE;
	pthread_mutex_unlock(&lock);
#else
	(void)lock;
	USE;
#endif
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, user, NULL);
#ifdef IN_TURN
	pthread_join(t, NULL);
	pthread_create(&u, NULL, user, NULL);
#else
	pthread_create(&u, NULL, user, NULL);
	pthread_join(t, NULL);
#endif
	pthread_join(u, NULL);
	user(NULL);
	return 0;
}
#endif
