/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fork.c - pthread_atfork, and fork before and after the first thread
 *
 * case handlers_run_around_a_fork: ok 1
 * case a_thread_registers_handlers: ok 1
 * case alarms_are_not_inherited: ok 1
 * case a_fork_in_a_thread: refused fork
 * case a_fork_beside_threads: refused fork
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

static int prepared, parent, child;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

/* As libraries do, so that the child finds the mutex free. */
static void prepare(void)
{
	assert(pthread_mutex_lock(&m) == 0);
	prepared++;
}

static void in_parent(void)
{
	parent++;
	assert(pthread_mutex_unlock(&m) == 0);
}

static void in_child(void)
{
	child++;
	assert(pthread_mutex_unlock(&m) == 0);
}

static void *work(void *arg)
{
	return arg;
}

static void handlers_run_around_a_fork(void)
{
	int status = -1;
	pid_t pid;

	assert(pthread_atfork(prepare, in_parent, in_child) == 0);
	assert(pthread_atfork(NULL, NULL, NULL) == 0);
	pid = fork();
	assert(pid >= 0);
	if (!pid)
		_exit(prepared == 1 && parent == 0 && child == 1 && !pthread_mutex_trylock(&m)
			      ? 17
			      : 18);
	assert(waitpid(pid, &status, 0) == pid);
	assert(WIFEXITED(status) && WEXITSTATUS(status) == 17);
	assert(prepared == 1 && parent == 1 && child == 0);
	THREADS(1, work);
}

static void alarms_are_not_inherited(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_NONE };
	timer_t timer;
	int status = -1;
	pid_t pid;

	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && alarm(1000) == 0);
	pid = fork();
	assert(pid >= 0);
	if (!pid) {
		bool none = alarm(0) == 0 && timer_delete(timer) == -1;

		THREADS(1, work);
		_exit(none ? 17 : 18);
	}
	assert(waitpid(pid, &status, 0) == pid);
	assert(WIFEXITED(status) && WEXITSTATUS(status) == 17);
	assert(alarm(0) >= 999 && timer_delete(timer) == 0);
	THREADS(1, work);
}

static void *register_them(void *arg)
{
	assert(pthread_atfork(prepare, in_parent, in_child) == 0);
	return arg;
}

static void a_thread_registers_handlers(void)
{
	THREADS(1, register_them);
	assert(prepared + parent + child == 0);
}

static void *fork_it(void *arg)
{
	fork();
	return arg;
}

static void a_fork_in_a_thread(void)
{
	THREADS(1, fork_it);
}

static void a_fork_beside_threads(void)
{
	THREADS(1, work);
	fork();
}

CASES(CASE(alarms_are_not_inherited), CASE(handlers_run_around_a_fork),
      CASE(a_thread_registers_handlers), CASE(a_fork_in_a_thread), CASE(a_fork_beside_threads))
