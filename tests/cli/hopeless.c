/* SPDX-License-Identifier: BSD-2-Clause */
/* A race behind a race, while a thread looks for ever for what does not come. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int a, b, d;

static void *looks(void *arg)
{
	if (d == 2)
		abort();
	a = 3;
	while (b != 1)
		sleep(1);
	return arg;
}

static void *writes(void *arg)
{
	a = 1;
	for (int i = 0; i < 3 && a != 2; i++)
		sleep(1);
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, looks, NULL);
	pthread_create(&t[1], NULL, writes, NULL);
	sleep(1);
	a = 3;
	pthread_create(&t[2], NULL, writes, NULL);
	sleep(1);
	d = 1;
	if (d != 2)
		exit(2);
	return 0;
}
