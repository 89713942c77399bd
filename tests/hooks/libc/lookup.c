/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup.c - functions that the program finds by their names
 *
 * ways dlsym: NULL
 * ways dlvsym: NULL
 *
 * From a library behind ours, or loaded later: tests/hooks/library.test.
 *
 * case from_a_handle: ok 2
 * case from_another_name_of_it: ok 2
 * case from_what_is_there: ok 2
 * case from_the_program: ok 2
 * case of_a_version: ok 2
 * case of_a_version_anywhere: ok 2
 * case of_an_old_version: ok 2
 * case behind_the_program: ok 2
 * case memory: ok 1
 * case memory_is_checked: bug out-of-bounds
 * case signals: ok 1
 * case others_are_libcs: ok 1
 * case dlsym_NULL: ok 1
 * case dlvsym_NULL: ok 1
 * case not_there: ok 1
 * case errors_are_taken_back: ok 1
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases.h"

typedef int barrier_wait_t(pthread_barrier_t *barrier);

static barrier_wait_t *barrier_wait;
static pthread_barrier_t barrier;
static int written;

static void *comes(void *arg)
{
	if (!arg)
		written = 1;
	barrier_wait(&barrier);
	assert(written == 1);
	return arg;
}

/* Natively a barrier is libc's, whoever calls it; so is what it orders. */
static void use(void *found)
{
	barrier_wait = (barrier_wait_t *)found;
	assert(barrier_wait == pthread_barrier_wait);
	assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
	THREADS(2, comes);
}

static void *handle(const char *name)
{
	void *h = dlopen(name, RTLD_NOW);

	assert(h);
	return h;
}

static void from_a_handle(void)
{
	use(dlsym(handle("libc.so.6"), "pthread_barrier_wait"));
}

/* An empty library today, which needs libc. */
static void from_another_name_of_it(void)
{
	use(dlsym(handle("libpthread.so.0"), "pthread_barrier_wait"));
}

static void from_what_is_there(void)
{
	use(dlsym(RTLD_DEFAULT, "pthread_barrier_wait"));
}

static void from_the_program(void)
{
	use(dlsym(handle(NULL), "pthread_barrier_wait"));
}

static void of_a_version(void)
{
	use(dlvsym(handle("libc.so.6"), "pthread_barrier_wait", "GLIBC_2.34"));
}

static void of_a_version_anywhere(void)
{
	use(dlvsym(RTLD_DEFAULT, "pthread_barrier_wait", "GLIBC_2.34"));
}

static void of_an_old_version(void)
{
	use(dlvsym(handle(NULL), "pthread_barrier_wait", "GLIBC_2.2.5"));
}

static void behind_the_program(void)
{
	use(dlsym(RTLD_NEXT, "pthread_barrier_wait"));
}

static void *allocates(void *arg)
{
	void *(*allocate)(size_t) = (void *(*)(size_t))dlsym(handle("libc.so.6"), "malloc");
	void (*release)(void *) = (void (*)(void *))dlsym(RTLD_NEXT, "free");
	char *p = allocate(10);

	*p = 1;
	release(p);
	free(allocate(10));
	release(malloc(10));
	return arg;
}

static void memory(void)
{
	THREADS(1, allocates);
}

static void *writes_behind(void *arg)
{
	void *(*allocate)(size_t) = (void *(*)(size_t))dlsym(handle("libc.so.6"), "malloc");
	volatile char *p = allocate(10);

	p[10] = 1; /* bug: memory_is_checked */
	return arg;
}

static void memory_is_checked(void)
{
	THREADS(1, writes_behind);
}

static atomic_int rung;

static void rings(int sig)
{
	rung = sig;
}

static int (*send_signal)(pthread_t, int);

static void *sends(void *arg)
{
	assert(send_signal(*(pthread_t *)arg, SIGUSR1) == 0);
	return NULL;
}

/* Whether the program sends signals decides whether any may be there when they are let in. */
static void signals(void)
{
	pthread_t me = pthread_self(), thread;
	sigset_t set;

	send_signal = (int (*)(pthread_t, int))dlsym(handle("libc.so.6"), "pthread_kill");
	signal(SIGUSR1, rings);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	assert(pthread_create(&thread, NULL, sends, &me) == 0);
	assert(pthread_join(thread, NULL) == 0);
	assert(!rung);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	assert(rung == SIGUSR1);
}

static void others_are_libcs(void)
{
	void *libc = handle("libc.so.6");
	int (*absolute)(int) = (int (*)(int))dlsym(libc, "abs");

	assert(absolute(-3) == 3);
	assert(dlsym(libc, "abs") == dlsym(RTLD_DEFAULT, "abs"));
}

static void dlsym_NULL(void)
{
	assert(!dlsym(RTLD_DEFAULT, "no_such_function") && dlerror());
	assert(!dlsym(RTLD_NEXT, "no_such_function") && dlerror());
}

static void dlvsym_NULL(void)
{
	assert(!dlvsym(handle("libc.so.6"), "pthread_barrier_wait", "GLIBC_9.9") && dlerror());
	assert(!dlvsym(RTLD_DEFAULT, "pthread_barrier_wait", "GLIBC_9.9") && dlerror());
	assert(!dlvsym(RTLD_NEXT, "pthread_barrier_wait", "GLIBC_9.9") && dlerror());
}

/* One that heddle knows, from a library that does not have it. */
static void not_there(void)
{
	void *m = handle("libgcc_s.so.1");

	assert(dlsym(m, "_Unwind_Backtrace") && !dlerror());
	assert(!dlsym(m, "operator new") && dlerror());
	assert(!dlsym(m, "_Znwm") && dlerror());
}

/* To look is no error of the program's. */
static void errors_are_taken_back(void)
{
	void *cxx = dlopen("libstdc++.so.6", RTLD_NOW);

	dlerror();
	assert(!cxx || (dlsym(cxx, "_ZNSt6thread4joinEv") && !dlerror()));
}

CASES(CASE(from_a_handle), CASE(from_another_name_of_it), CASE(from_what_is_there),
      CASE(from_the_program), CASE(of_a_version), CASE(of_a_version_anywhere),
      CASE(of_an_old_version), CASE(behind_the_program), CASE(memory), CASE(memory_is_checked),
      CASE(signals), CASE(others_are_libcs), CASE(dlsym_NULL), CASE(dlvsym_NULL), CASE(not_there),
      CASE(errors_are_taken_back))
