/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insists.c - threads that look at a flag for some time and then sleep, for insists.test; the argument says which
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

enum {
	LOOKS = 30,
	TURNS = 200
};

static atomic_int flag, turn;
static int yields;
static sem_t woken;

/* Nobody wakes a thread that has slept by then. */
static void *looks_and_sleeps(void *arg)
{
	for (int i = 0; i < LOOKS; i++) {
		if (atomic_load(&flag))
			return arg;
		if (yields)
			sched_yield();
	}
	sem_wait(&woken);
	return arg;
}

static void take_turns(int mine)
{
	for (int i = 0; i < TURNS; i++) {
		while (atomic_load(&turn) != mine)
			;
		atomic_store(&turn, !mine);
	}
}

static void *takes_turns(void *arg)
{
	take_turns(1);
	return arg;
}

int main(int argc, char **argv)
{
	const int turns = argc > 1 && !strcmp(argv[1], "turns");
	pthread_t t;

	yields = argc > 1 && !strcmp(argv[1], "yields");
	sem_init(&woken, 0, 0);
	pthread_create(&t, NULL, turns ? takes_turns : looks_and_sleeps, NULL);
	if (turns)
		take_turns(0);
	else
		atomic_store(&flag, 1);
	pthread_join(t, NULL);
	return 0;
}
