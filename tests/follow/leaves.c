/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leaves.c - makes a process and does not wait for what that does
 *
 *	leaves HOW [PROGRAM]
 *
 *	twice		a child of a child, in a session of its own, is PROGRAM when its parent has ended
 *	chain		the last of many is, each of which ends as soon as it has made the next one
 *	unwaited	a child is PROGRAM when the program has ended
 *	daemon		likewise, by daemon()
 *	threads		a child of a child has two threads that race, when its parent has ended
 *	unwaited-threads, daemon-threads	likewise a child
 *	deep		likewise a child of a child of a child
 *	waits		a child waits for ever
 *	spins		a child loops for ever
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int x;

static void *run(void *arg)
{
	x++;
	return arg;
}

/* Each half of a race, and none of the others. */
static int race(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	x++;
	pthread_join(thread, NULL);
	return 0;
}

/* Whoever waits for nobody is gone by then. */
static void sleep_a_little(void)
{
	const struct timespec t = { .tv_nsec = 250000000 };

	nanosleep(&t, NULL);
}

static int go_on(const char *how, char **program)
{
	volatile int loops = 1;

	if (!strcmp(how, "waits"))
		pause();
	while (!strcmp(how, "spins") && loops)
		;
	sleep_a_little();
	if (!program[0])
		return race();
	execv(program[0], program);
	return 127;
}

static int chain(char **program)
{
	for (int i = 0; i < 300; i++)
		if (fork())
			_exit(0);
	execv(program[0], program);
	return 127;
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	int depth = !strcmp(how, "deep")                               ? 3
		    : !strcmp(how, "twice") || !strcmp(how, "threads") ? 2
								       : 1;
	pid_t pid;

	(void)argc;
	if (!strcmp(how, "chain"))
		return chain(argv + 2);
	if (!strncmp(how, "daemon", 6))
		return daemon(1, 1) ? 1 : go_on(how, argv + 2);
	for (int i = 0; i < depth; i++) {
		pid = fork();
		if (!pid && i + 1 == depth) {
			setsid();
			_exit(go_on(how, argv + 2));
		} else if (pid && i) {
			_exit(0);
		} else if (pid) {
			if (depth > 1)
				waitpid(pid, NULL, 0);
			return 0;
		}
	}
	return 0;
}
