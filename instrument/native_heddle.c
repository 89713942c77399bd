/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * native_heddle.c - the functions of heddle.h, run natively
 *
 * What each does without heddle is part of its contract; see include/heddle.h.
 */
#define _GNU_SOURCE 1 /* recursive mutexes by an initialiser */
#include "heddle.h"
#include "native.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

HEDDLE_API void heddle_assume(int condition)
{
	if (!condition)
		_exit(0);
}

HEDDLE_API int heddle_choose(int n)
{
	(void)n;
	return 0;
}

HEDDLE_API int heddle_running(void)
{
	return 0;
}

HEDDLE_API void heddle_fail(const char *expression, const char *file, unsigned int line,
			    const char *function)
{
	fflush(stdout);
	fprintf(stderr, "%s:%u: %s: heddle_assert(%s) failed\n", file, line, function, expression);
	abort();
}

HEDDLE_API void heddle_root(void)
{
}

HEDDLE_API void heddle_trace(const char *format, ...)
{
	(void)format;
}

HEDDLE_API void heddle_name(const volatile void *object, unsigned long size, const char *name)
{
	(void)object;
	(void)size;
	(void)name;
}

HEDDLE_API void heddle_name_thread(const char *name)
{
	(void)name;
}

static pthread_mutex_t atomic_blocks = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

HEDDLE_API void heddle_atomic_begin(void)
{
	pthread_mutex_lock(&atomic_blocks);
}

HEDDLE_API void heddle_atomic_end(void)
{
	pthread_mutex_unlock(&atomic_blocks);
}
