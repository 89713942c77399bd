/* SPDX-License-Identifier: BSD-2-Clause */
/* hazard.c - a reader says which node it uses; the writer frees what nobody uses */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	int value;
};

static struct node *_Atomic current;
static struct node *_Atomic used; /* by the reader */

static void *reader(void *argument)
{
	struct node *node = atomic_load(&current);

	atomic_store(&used, node); /* and does not look whether it is still the current one */
	*(int *)argument = node->value;
	atomic_store(&used, NULL);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int value;
	struct node *old = calloc(1, sizeof(*old)), *new = calloc(1, sizeof(*new));

	atomic_store(&current, old);
	pthread_create(&thread, NULL, reader, &value);
	atomic_store(&current, new);
	while (atomic_load(&used) == old)
		;
	free(old);
	pthread_join(thread, NULL);
	free(new);
	return 0;
}
