/* SPDX-License-Identifier: BSD-2-Clause */
/* aba.c - a stack without locks; a node that was popped comes back while another thread looks at it */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
	struct node *_Atomic next;
	atomic_int owned; /* how many have popped it */
};

static struct node first, second;
static struct node *_Atomic top;

static void push(struct node *node)
{
	struct node *head = atomic_load(&top);

	do
		atomic_store(&node->next, head);
	while (!atomic_compare_exchange_strong(&top, &head, node));
}

static struct node *pop(void)
{
	struct node *head = atomic_load(&top);

	while (head && !atomic_compare_exchange_strong(&top, &head, atomic_load(&head->next)))
		;
	return head;
}

static void *one(void *argument)
{
	struct node *node = pop();

	if (node)
		assert(atomic_fetch_add(&node->owned, 1) == 0);
	node = pop();
	if (node)
		assert(atomic_fetch_add(&node->owned, 1) == 0);
	return argument;
}

static void *two(void *argument)
{
	struct node *a = pop(), *b = pop();

	if (b)
		assert(atomic_fetch_add(&b->owned, 1) == 0); /* keeps this one */
	if (a)
		push(a); /* and gives the other one back: top is what it was before */
	return argument;
}

int main(void)
{
	pthread_t threads[2];

	push(&second);
	push(&first);
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
