/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * children.c - a program that works in children of its own
 *
 *	children PLAN...	one child for each plan, one after the other
 *
 * A plan is what the child does: `count` (two threads, nothing wrong), `lose` (a lost update ends it
 * with status 1), `assert` (an assertion sees it), `race`, `stuck` (two locks in opposite order), `hang` (a
 * deadlock whenever it runs), `idle` (no thread), `exec`, `nest` (a child of its own that counts,
 * and one that loses), `try` (lock and trylock), `three` (it ends with status 3); with a minus in front
 * the program is content with any end of the child.
 * Then the program creates a thread of its own. A child is told by its process id, writes its result into a
 * pipe, and finds its locks as handlers of pthread_atfork() left them.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counter.h"

static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int plain, in_child;

static void lock_it(void)
{
	pthread_mutex_lock(&counter_lock);
}

static void unlock_it(void)
{
	pthread_mutex_unlock(&counter_lock);
}

static void unlock_in_child(void)
{
	in_child++;
	pthread_mutex_unlock(&counter_lock);
}

static void *add_plain(void *arg)
{
	plain++;
	return arg;
}

static void *take_both(void *arg)
{
	pthread_mutex_t *first = arg ? &other : &counter_lock;
	pthread_mutex_t *second = arg ? &counter_lock : &other;

	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	return NULL;
}

static void take_both_twice(void)
{
	pthread_t thread[2];

	pthread_create(&thread[0], NULL, take_both, NULL);
	pthread_create(&thread[1], NULL, take_both, &other);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
}

static void *lock_twice(void *arg)
{
	pthread_mutex_lock(&other);
	pthread_mutex_lock(&other);
	return arg;
}

static void *try_it(void *arg)
{
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
	if (!pthread_mutex_trylock(&other))
		pthread_mutex_unlock(&other);
	return arg;
}

static int work(const char *plan);

/* The status of a child that did as planned. */
static int run_child(const char *plan)
{
	pid_t before = getpid(), pid;
	int status = 0, ends[2];
	char result = 1;

	assert(!pipe(ends));
	pid = fork();
	assert(pid >= 0);
	if (!pid) {
		assert(getpid() != before && in_child > 0);
		assert(getppid() == before);
		result = (char)work(plan);
		assert(write(ends[1], &result, 1) == 1);
		exit(result);
	}
	assert(getpid() == before);
	assert(waitpid(pid, &status, 0) == pid);
	if (WIFEXITED(status))
		assert(read(ends[0], &result, 1) == 1 && result == WEXITSTATUS(status));
	close(ends[0]);
	close(ends[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static int work(const char *plan)
{
	if (!strcmp(plan, "idle"))
		return 0;
	if (!strcmp(plan, "lose") || !strcmp(plan, "assert")) {
		/* Nothing is to be lost in the plain run: how a child ends there may be how it is expected to end. */
		int sum = count(add_torn, 20000);

		if (!strcmp(plan, "assert"))
			assert(sum == 2);
		return sum != 2;
	}
	if (!strcmp(plan, "race"))
		return count(add_plain, 1);
	if (!strcmp(plan, "stuck"))
		take_both_twice();
	else if (!strcmp(plan, "hang"))
		count(lock_twice, 1);
	else if (!strcmp(plan, "nest"))
		return run_child("count") + run_child("lose");
	else if (!strcmp(plan, "try"))
		count(try_it, 1);
	else if (!strcmp(plan, "three"))
		return count(add_atomic, 1) + 1;
	else
		assert(count(add_atomic, 1) == 2);
	return 0;
}

static void exec_true(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	assert(waitpid(pid, NULL, 0) == pid);
}

int main(int argc, char **argv)
{
	int failed = 0;

	assert(!pthread_atfork(lock_it, unlock_it, unlock_in_child));
	for (int i = 1; i < argc; i++) {
		const char *plan = argv[i];

		if (!strcmp(plan, "exec"))
			exec_true();
		else if (plan[0] == '-')
			run_child(plan + 1);
		else
			failed |= run_child(plan);
	}
	printf("%s\n", failed ? "some child failed" : "all is well");
	assert(count(add_atomic, 1) == 2);
	return failed;
}
