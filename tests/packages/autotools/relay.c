#include "relay.h"
#include "config.h"

#include "count.h"

int relay_put(struct relay *relay, int value, memory_order publish)
{
	unsigned tail = atomic_load_explicit(&relay->tail, memory_order_relaxed);

	if (tail - atomic_load_explicit(&relay->head, memory_order_acquire) == RELAY_SIZE)
		return 0;
	relay->slot[tail % RELAY_SIZE] = value;
	atomic_store_explicit(&relay->tail, tail + 1, publish);
	return 1;
}

int relay_take(struct relay *relay, int *value)
{
	unsigned head = atomic_load_explicit(&relay->head, memory_order_relaxed);

	if (atomic_load_explicit(&relay->tail, memory_order_acquire) == head)
		return 0;
	*value = relay->slot[head % RELAY_SIZE];
	atomic_store_explicit(&relay->head, head + 1, memory_order_release);
	count_one();
	return 1;
}
