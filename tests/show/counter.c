/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int counter;

#ifdef FIXED
void *worker(void *arg)
{
	counter++;
	return arg;
}
#else
void *worker(void *arg)
{
	counter = counter + 1;
	return arg;
}
#endif

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, worker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(counter == 2);
}
