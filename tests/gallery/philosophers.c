/* SPDX-License-Identifier: BSD-2-Clause */
/* philosophers.c - three philosophers, three forks, and each of them takes the left one first */
#include <pthread.h>

static pthread_mutex_t forks[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				    PTHREAD_MUTEX_INITIALIZER };

static void *philosopher(void *argument)
{
	int seat = *(int *)argument;

	pthread_mutex_lock(&forks[seat]);
	pthread_mutex_lock(&forks[(seat + 1) % 3]);
	pthread_mutex_unlock(&forks[(seat + 1) % 3]);
	pthread_mutex_unlock(&forks[seat]);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	int seats[3] = { 0, 1, 2 };

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, philosopher, &seats[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
