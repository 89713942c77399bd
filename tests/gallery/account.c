/* SPDX-License-Identifier: BSD-2-Clause */
/* account.c - each step is locked, but two steps are not one */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int get(void)
{
	int now;

	pthread_mutex_lock(&mutex);
	now = balance;
	pthread_mutex_unlock(&mutex);
	return now;
}

static void withdraw(int amount)
{
	pthread_mutex_lock(&mutex);
	balance -= amount;
	pthread_mutex_unlock(&mutex);
}

static void *customer(void *argument)
{
	if (get() >= 100)
		withdraw(100);
	return argument;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, customer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(get() >= 0);
	return 0;
}
