#ifndef RELAY_H
#define RELAY_H

#include <stdatomic.h>

/* A queue of one producer and one consumer that holds RELAY_SIZE numbers. */
#define RELAY_SIZE 2

struct relay {
	int slot[RELAY_SIZE];
	atomic_uint head, tail;
};

/* Both return 1, or 0 when the queue is full or empty. */
int relay_put(struct relay *relay, int value, memory_order publish);
int relay_take(struct relay *relay, int *value);

#endif
