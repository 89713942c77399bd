/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fork.c - pthread_atfork, and fork before and after the first thread
 *
 * case handlers_run_around_a_fork: ok 1
 * case a_thread_registers_handlers: ok 1
 * case alarms_are_not_inherited: ok 1
 * case scheduling_is_inherited: ok 1
 * case scheduling_may_be_reset: ok 1
 * case names_and_processors_are_inherited: ok 1
 * case who_has_a_lock: ok 2
 * case whose_lock_it_is: ok 1
 * case who_gets_signals: ok 1
 * case a_fork_in_a_thread: refused fork
 * case a_fork_beside_threads: refused fork
 * case a_fork_after_a_choice: refused fork() after heddle_choose()
 * case a_fork_after_a_loop: refused fork() after its only thread had read the same in a loop
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <heddle.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

static void ends_well(void)
{
	int status = -1;
	pthread_t t;

	assert(wait(&status) > 0 && status == 0);
	assert(pthread_create(&t, NULL, work, NULL) == 0 && pthread_join(t, NULL) == 0);
}

static void be_scheduled(int policy)
{
	struct sched_param param = { .sched_priority = 0 };

	assert(sched_setscheduler(0, policy, &param) == 0);
	assert(sched_getscheduler(0) == policy);
}

/* Linux lets everybody have this one. */
static void scheduling_is_inherited(void)
{
	be_scheduled(SCHED_BATCH);
	if (fork() == 0)
		_exit(sched_getscheduler(0) != SCHED_BATCH);
	assert(sched_getscheduler(0) == SCHED_BATCH);
	ends_well();
}

/* What is no real-time policy stays, but for that. */
static void scheduling_may_be_reset(void)
{
	be_scheduled(SCHED_BATCH | SCHED_RESET_ON_FORK);
	if (fork() == 0)
		_exit(sched_getscheduler(0) != SCHED_BATCH);
	ends_well();
}

static void names_and_processors_are_inherited(void)
{
	char name[16];
	cpu_set_t all, one;

	assert(sched_getaffinity(0, sizeof(all), &all) == 0);
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	assert(sched_setaffinity(0, sizeof(one), &one) == 0);
	assert(pthread_setname_np(pthread_self(), "tester") == 0);
	if (fork() == 0) {
		assert(sched_getaffinity(0, sizeof(all), &all) == 0 && CPU_EQUAL(&all, &one));
		assert(pthread_getname_np(pthread_self(), name, sizeof(name)) == 0);
		_exit(strcmp(name, "tester") != 0);
	}
	ends_well();
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

/* Of a file without a name. */
static struct flock lock_of(int fd, int command, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_len = 4 };

	assert(fcntl(fd, command, &lock) == 0);
	return lock;
}

/* Also in the child that is explored. */
static void who_has_a_lock(void)
{
	int fd = fileno(tmpfile());
	pid_t me = getpid();

	lock_of(fd, F_SETLK, F_WRLCK);
	if (!fork()) {
		struct flock lock = lock_of(fd, F_GETLK, F_RDLCK);
		pthread_t t;

		assert(lock.l_type == F_WRLCK && lock.l_pid == me && lock.l_pid == getppid());
		assert(pthread_create(&t, NULL, work, NULL) == 0 && pthread_join(t, NULL) == 0);
		assert(lock_of(fd, F_GETLK, F_RDLCK).l_pid == me);
		exit(0);
	}
	ends_well();
	assert(lock_of(fd, F_GETLK, F_RDLCK).l_type == F_UNLCK);
}

static void whose_lock_it_is(void)
{
	int fd = fileno(tmpfile()), ready[2], go_on[2];
	char byte = 0;
	pid_t pid;

	assert(pipe(ready) == 0 && pipe(go_on) == 0);
	pid = fork();
	if (!pid) {
		lock_of(fd, F_SETLK, F_WRLCK);
		assert(write(ready[1], &byte, 1) == 1 && read(go_on[0], &byte, 1) == 1);
		_exit(0);
	}
	assert(read(ready[0], &byte, 1) == 1);
	assert(lock_of(fd, F_GETLK, F_WRLCK).l_pid == pid);
	assert(write(go_on[1], &byte, 1) == 1);
	ends_well();
}

static void who_gets_signals(void)
{
	struct f_owner_ex owner = { .type = F_OWNER_PID, .pid = getpid() };
	pthread_t t;
	int fd[2];

	assert(pipe(fd) == 0);
	assert(fcntl(fd[0], F_SETOWN, getpid()) == 0 && fcntl(fd[0], F_GETOWN) == getpid());
	assert(fcntl(fd[1], F_SETOWN_EX, &owner) == 0);
	owner.pid = 0;
	assert(fcntl(fd[1], F_GETOWN_EX, &owner) == 0 && owner.pid == getpid());
	assert(pthread_create(&t, NULL, work, NULL) == 0 && pthread_join(t, NULL) == 0);
}

static void a_fork_after_a_choice(void)
{
	if (heddle_choose(2) == 0)
		fork();
}

static void a_fork_after_a_loop(void)
{
	static atomic_int x;

	for (int i = 0; i < (1 << 22) + 100; i++) /* so many in a row might be for ever */
		if (atomic_load(&x))
			return;
	fork();
}

CASES(CASE(alarms_are_not_inherited), CASE(scheduling_is_inherited), CASE(scheduling_may_be_reset),
      CASE(names_and_processors_are_inherited), CASE(handlers_run_around_a_fork),
      CASE(a_thread_registers_handlers), CASE(who_has_a_lock), CASE(whose_lock_it_is),
      CASE(who_gets_signals), CASE(a_fork_in_a_thread), CASE(a_fork_beside_threads),
      CASE(a_fork_after_a_choice), CASE(a_fork_after_a_loop))
