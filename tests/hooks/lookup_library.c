/* SPDX-License-Identifier: BSD-2-Clause */
/* lookup_library.c - a library, and with -DPROGRAM a program that calls what the library finds behind itself; see lookup.test */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

typedef int barrier_wait_t(pthread_barrier_t *barrier);

barrier_wait_t next_wait, next_wait_of_version;

#ifndef PROGRAM

int next_wait(pthread_barrier_t *barrier)
{
	return ((barrier_wait_t *)dlsym(RTLD_NEXT, "pthread_barrier_wait"))(barrier);
}

int next_wait_of_version(pthread_barrier_t *barrier)
{
	return ((barrier_wait_t *)dlvsym(RTLD_NEXT, "pthread_barrier_wait", "GLIBC_2.34"))(barrier);
}

#ifdef HIDES
/* heddle's calls this one. */
int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param)
{
	return ((__typeof__(&pthread_getschedparam))dlsym(RTLD_NEXT, "pthread_getschedparam"))(
		thread, policy, param);
}
#endif

#else

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

static barrier_wait_t *found(const char *how)
{
	void *library;

	if (!strcmp(how, "linked"))
		return next_wait;
	library = dlopen("./late.so", RTLD_NOW);
	assert(library);
	return (barrier_wait_t *)dlsym(library, how);
}

int main(int argc, char **argv)
{
	struct sched_param param;
	pthread_t thread;
	int policy;

	assert(argc == 2);
	assert(pthread_getschedparam(pthread_self(), &policy, &param) == 0);
	barrier_wait = found(argv[1]);
	assert(pthread_barrier_init(&barrier, NULL, 1) == 0);
	barrier_wait(&barrier); /* before there are threads */
	pthread_barrier_destroy(&barrier);
	assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
	pthread_create(&thread, NULL, comes, NULL);
	comes(&thread);
	return pthread_join(thread, NULL);
}

#endif
