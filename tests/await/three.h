/* SPDX-License-Identifier: BSD-2-Clause */
/* three.h - a case that is three threads, created in that order, and joined */
#ifndef HEDDLE_TESTS_THREE_H
#define HEDDLE_TESTS_THREE_H

#include <pthread.h>

#include "cases.h"

static void run(void *(*a)(void *), void *(*b)(void *), void *(*c)(void *))
{
	void *(*const fn[])(void *) = { a, b, c };
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		assert(pthread_create(&t[i], NULL, fn[i], NULL) == 0);
	for (int i = 0; i < 3; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

#endif
