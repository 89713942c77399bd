/* SPDX-License-Identifier: BSD-2-Clause */
/* threads.c - a program that is not explored has threads: that is for the verdict */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threads.h>
#include <unistd.h>

#include "follow/follow.h"

static void note_once(void)
{
	static _Atomic pid_t noted; /* a child has threads of its own */
	char file[PATH_MAX];
	pid_t own = getpid();

	if (!following || atomic_exchange(&noted, own) == own)
		return;
	own_file(file, sizeof(file));
	note("threads", file, NULL);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *restrict thread,
							  const pthread_attr_t *restrict attr,
							  void *(*run)(void *), void *restrict arg)
{
	static __typeof__(&pthread_create) real;

	note_once();
	if (!real)
		real = (__typeof__(real))dlsym(RTLD_NEXT, "pthread_create");
	return real ? real(thread, attr, run, arg) : EAGAIN;
}

/* libc's own calls its own pthread_create(). */
__attribute__((visibility("default"))) int thrd_create(thrd_t *thread, thrd_start_t run, void *arg)
{
	static __typeof__(&thrd_create) real;

	note_once();
	if (!real)
		real = (__typeof__(real))dlsym(RTLD_NEXT, "thrd_create");
	return real ? real(thread, run, arg) : thrd_error;
}
