/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * environment.c - environment variables and locales
 *
 * case what_is_set_is_found: ok 1
 * case what_threads_find: ok 1
 * case what_the_program_sets: ok 1
 * case names_that_are_none: ok 1
 * case a_loop_that_looks_ends: ok 1
 * case locales: ok 1
 * case one_sets_and_one_looks: bug data-race at of the one that looks
 * case two_set: bug data-race at by each of two
 * case with_a_lock: ok 2
 * case with_a_lock -e value: ok 2
 * case two_look: ok 1
 *
 * ways setlocale: NULL
 * ways newlocale: EINVAL; not ENOENT (glibc leaves errno as it was)
 * ways setenv: EINVAL; not ENOMEM (memory is there)
 * ways unsetenv: EINVAL
 * never fails: getenv secure_getenv putenv clearenv
 *
 * case setlocale_NULL: ok 1
 * case newlocale_of_none: ok 1
 * case newlocale_EINVAL: ok 1
 * case setenv_EINVAL: ok 1
 * case unsetenv_EINVAL: ok 1
 */
#define _GNU_SOURCE
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooks/fails.h"

static void *nothing(void *arg)
{
	return arg;
}

static void what_is_set_is_found(void)
{
	const char *path = getenv("PATH");

	assert(path && *path && secure_getenv("PATH") == path);
	assert(!strncmp(path - 5, "PATH=", 5)); /* in environ itself */
	assert(!getenv("HEDDLE_NO_SUCH_VARIABLE") && !secure_getenv("HEDDLE_NO_SUCH_VARIABLE"));
	THREADS(1, nothing);
}

static void *look(void *arg)
{
	const char *path = getenv("PATH");

	assert(path && path == secure_getenv("PATH"));
	assert(!getenv("PAT") && !getenv("PATH "));
	return arg;
}

static void what_threads_find(void)
{
	look(NULL);
	THREADS(2, look);
}

static void what_the_program_sets(void)
{
	char own[] = "HEDDLE_OWN=here";

	assert(!setenv("HEDDLE_TEST_SETS", "a", 1) && !strcmp(getenv("HEDDLE_TEST_SETS"), "a"));
	assert(!setenv("HEDDLE_TEST_SETS", "b", 0) && !strcmp(getenv("HEDDLE_TEST_SETS"), "a"));
	assert(!unsetenv("HEDDLE_TEST_SETS") && !getenv("HEDDLE_TEST_SETS"));
	assert(!putenv(own) && getenv("HEDDLE_OWN") == own + 11);
	THREADS(1, nothing);
	assert(!clearenv() && !getenv("PATH") && !getenv("HEDDLE_OWN"));
}

static void names_that_are_none(void)
{
	char longest[1000];

	memset(longest, 'A', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	assert(!getenv("") && !getenv("=") && !getenv(longest));
	for (int i = 0; i < 2000; i++) { /* more than a trace records */
		longest[20] = 0;
		longest[i % 20] = (char)('A' + i / 20 % 26);
		assert(!getenv(longest));
	}
	THREADS(1, nothing);
}

static atomic_int flag;

static void *sets(void *arg)
{
	setenv("HEDDLE_TEST_SETS", "a", 1); /* by each of two */
	return arg;
}

static void *looks(void *arg)
{
	getenv("HEDDLE_NO_SUCH_VARIABLE"); /* of the one that looks */
	return arg;
}

/* Of whatever name: the table may move. */
static void one_sets_and_one_looks(void)
{
	RUN(sets, looks);
}

static void two_set(void)
{
	RUN(sets, sets);
}

static void two_look(void)
{
	sets(NULL);
	RUN(looks, looks);
	assert(!strcmp(getenv("HEDDLE_TEST_SETS"), "a"));
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *sets_with_lock(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	assert(!setenv("HEDDLE_TEST_SETS", arg ? "b" : "a", 1));
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void with_a_lock(void)
{
	const char *last;

	assert(!setenv("HEDDLE_TEST_SETS", "c", 1)); /* from here on environ itself stays */
	THREADS(2, sets_with_lock);
	last = getenv("HEDDLE_TEST_SETS");
	assert(last && (*last == 'a' || *last == 'b') && !last[1]);
}

static void *raise_it(void *arg)
{
	atomic_store(&flag, 1);
	return arg;
}

static void a_loop_that_looks_ends(void)
{
	pthread_t t;

	assert(!pthread_create(&t, NULL, raise_it, NULL));
	assert(!pthread_join(t, NULL));
	while (!atomic_load(&flag))
		assert(getenv("PATH"));
}

static void locales(void)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", NULL);

	setenv("LC_ALL", "C", 1);
	assert(c && setlocale(LC_ALL, "") && !strcmp(setlocale(LC_ALL, NULL), "C"));
	freelocale(c);
	c = newlocale(LC_ALL_MASK, "", NULL);
	assert(c);
	freelocale(c);
	THREADS(1, nothing);
}

/* ---- Ways to fail ----------------------------------------------------------------------------- */

IN_EACH(setlocale_NULL)
{
	assert(!setlocale(LC_ALL, "no such locale"));
	assert(!setlocale(1000, "C"));
	return arg;
}

IN_EACH(newlocale_of_none)
{
	assert(!newlocale(LC_ALL_MASK, "no such locale", NULL));
	return arg;
}

IN_EACH(newlocale_EINVAL)
{
	NONE(EINVAL, newlocale(1 << 30, "C", NULL));
	NONE(EINVAL, newlocale(LC_ALL_MASK, NULL, NULL));
	return arg;
}

EACH_FAILS(setenv_EINVAL, EINVAL, setenv("a=b", "c", 1))
EACH_FAILS(unsetenv_EINVAL, EINVAL, unsetenv(""))

CASES(CASE(what_is_set_is_found), CASE(what_threads_find), CASE(what_the_program_sets),
      CASE(names_that_are_none), CASE(a_loop_that_looks_ends), CASE(locales),
      CASE(one_sets_and_one_looks), CASE(two_set), CASE(with_a_lock), CASE(two_look),
      CASE(setlocale_NULL), CASE(newlocale_of_none), CASE(newlocale_EINVAL), CASE(setenv_EINVAL),
      CASE(unsetenv_EINVAL))
