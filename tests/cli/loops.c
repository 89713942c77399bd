/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loops.c - loops without operations, for loops.test: `loops HOW`
 *
 *	flag		waits for a plain variable that another thread sets: a data race
 *	late		the same, and the other one sets it after 60 operations
 *	turns		two threads wait for plain variables of one another
 *	forever		nobody sets it
 *	list		under a lock, goes round a list that another thread may have made a ring, of 31 nodes
 *	counts		nobody sets it, and each round changes something
 *	computes	millions of plain accesses, and then an end
 *	handler		the thread's own handler sets it, of a signal that another thread sends
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

enum {
	NODES = 31,
	LATE = 60, /* many more than make a verdict where nothing happens (quiet.c) */
	ROUNDS = 150000
};

static struct node {
	struct node *next;
	int value;
} node[NODES];

static const char *how;
static volatile int flag, answer;
static int sum, a[NODES];
static long rounds;
static atomic_int x;
static pthread_t main_thread;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int is(const char *name)
{
	return !strcmp(how, name);
}

static void handle(int sig)
{
	(void)sig;
	flag = 1;
}

static void *other(void *arg)
{
	if (is("late"))
		for (int i = 0; i < LATE; i++)
			atomic_fetch_add(&x, 1);
	if (is("flag") || is("late") || is("turns"))
		flag = 1;
	if (is("turns"))
		while (!answer)
			continue;
	if (is("handler"))
		pthread_kill(main_thread, SIGUSR1);
	if (is("list")) {
		pthread_mutex_lock(&mutex);
		node[NODES - 1].next = node;
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

static void go_round(void)
{
	pthread_mutex_lock(&mutex);
	for (struct node *p = node; p; p = p->next)
		if (p->value)
			sum++;
	pthread_mutex_unlock(&mutex);
}

static void compute(void)
{
	for (int r = 0; r < ROUNDS; r++)
		for (int i = 0; i < NODES; i++)
			sum += a[i];
}

int main(int argc, char **argv)
{
	pthread_t t;

	how = argc > 1 ? argv[1] : "";
	main_thread = pthread_self();
	for (int i = 0; i < NODES - 1; i++)
		node[i].next = &node[i + 1];
	signal(SIGUSR1, handle);
	assert(!pthread_create(&t, NULL, other, NULL));
	if (is("list")) {
		go_round();
	} else if (is("computes")) {
		compute();
	} else {
		while (!flag)
			rounds += is("counts");
		answer = 1;
	}
	pthread_join(t, NULL);
	return sum;
}
