#include "gate.h"

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

static struct gate gate;
static int inside, visits;

static void *visitor(void *arg)
{
	gate_enter(&gate);
	assert(inside++ == 0);
	visits++;
	inside--;
	gate_leave(&gate);
	return arg;
}

int main(void)
{
	pthread_t thread[2];
	int i;

	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, visitor, NULL);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	assert(visits == 2);
	puts("visited");
	return 0;
}
