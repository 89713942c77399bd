#include "config.h"
#include "relay.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#ifdef WEAK
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

static struct relay relay;

static void *producer(void *arg)
{
	relay_put(&relay, 1, PUBLISH);
	relay_put(&relay, 2, PUBLISH);
	return arg;
}

int main(void)
{
	pthread_t thread;
	int value = 0, last = 0;

	if (pthread_create(&thread, NULL, producer, NULL))
		return 1;
	while (last < 2)
		if (relay_take(&relay, &value)) {
			assert(value == last + 1);
			last = value;
		}
	pthread_join(thread, NULL);
	puts("relayed");
	return 0;
}
