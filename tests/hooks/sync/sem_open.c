/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sem_open.c - named semaphores
 *
 * Natively the names are those of the machine: they hold the number of the process.
 *
 * case a_name_is_one_semaphore: ok 1
 * case opening_again_keeps_the_count: ok 1
 * case exclusive_creation_is_won_by_one: ok 2
 * case open_or_not_there_yet: ok 2
 * case an_unlinked_name_is_free: ok 1
 * case an_unlinked_semaphore_lives_until_it_is_closed: ok 1
 * case it_is_a_lock: ok 10
 * case wait_for_ever: bug deadlock at THREADS(1, wait_for_it)
 * case opened_before_the_first_thread: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "cases.h"

static char name[64];
static int created, inside;

static const char *the_name(void)
{
	if (!name[0])
		snprintf(name, sizeof(name), "/heddle-test-%d", (int)getpid());
	return name;
}

static sem_t *make(int flags, unsigned count)
{
	return sem_open(the_name(), O_CREAT | flags, 0600, count);
}

static int count_of(sem_t *s)
{
	int value = -1;

	assert(sem_getvalue(s, &value) == 0);
	return value;
}

static void drop(sem_t *s)
{
	assert(sem_close(s) == 0);
	sem_unlink(the_name());
}

static void *take_it(void *arg)
{
	sem_t *s = sem_open(the_name(), 0);

	assert(s != SEM_FAILED);
	assert(s == arg);
	assert(sem_wait(s) == 0);
	assert(sem_close(s) == 0);
	return NULL;
}

static void a_name_is_one_semaphore(void)
{
	sem_t *s = make(0, 1);
	pthread_t t;

	assert(s != SEM_FAILED);
	assert(pthread_create(&t, NULL, take_it, s) == 0);
	assert(pthread_join(t, NULL) == 0);
	assert(count_of(s) == 0);
	drop(s);
}

static void *open_again(void *arg)
{
	sem_t *s = make(0, 7);

	assert(s != SEM_FAILED);
	assert(count_of(s) == 2);
	assert(sem_close(s) == 0);
	return arg;
}

static void opening_again_keeps_the_count(void)
{
	sem_t *s = make(0, 2);

	assert(s != SEM_FAILED);
	THREADS(1, open_again);
	drop(s);
}

static void *create(void *arg)
{
	sem_t *s = make(O_EXCL, 1);

	if (s == SEM_FAILED)
		assert(errno == EEXIST);
	else
		__atomic_add_fetch(&created, 1, __ATOMIC_RELAXED);
	return arg;
}

static void exclusive_creation_is_won_by_one(void)
{
	the_name();
	THREADS(2, create);
	assert(created == 1);
	assert(sem_unlink(the_name()) == 0);
}

static void *find_nothing(void *arg)
{
	errno = 0;
	assert(sem_open(the_name(), 0) == SEM_FAILED && errno == ENOENT);
	errno = 0;
	assert(sem_unlink(the_name()) == -1 && errno == ENOENT);
	return arg;
}

static void *open_if_there(void *arg)
{
	sem_t *s = sem_open(the_name(), 0);

	if (s == SEM_FAILED)
		assert(errno == ENOENT);
	else
		assert(sem_close(s) == 0);
	return arg;
}

static void open_or_not_there_yet(void)
{
	pthread_t t;
	sem_t *s;

	the_name();
	assert(pthread_create(&t, NULL, open_if_there, NULL) == 0);
	s = make(0, 0);
	assert(s != SEM_FAILED);
	assert(pthread_join(t, NULL) == 0);
	drop(s);
}

static void *unlink_and_make(void *arg)
{
	sem_t *s;

	assert(sem_unlink(the_name()) == 0);
	find_nothing(NULL);
	s = make(O_EXCL, 5);
	assert(s != SEM_FAILED);
	assert(count_of(s) == 5);
	drop(s);
	return arg;
}

static void an_unlinked_name_is_free(void)
{
	sem_t *s = make(0, 1);

	assert(s != SEM_FAILED);
	assert(sem_close(s) == 0);
	THREADS(1, unlink_and_make);
}

static void *post_it(void *arg)
{
	assert(sem_post(arg) == 0);
	return NULL;
}

static void an_unlinked_semaphore_lives_until_it_is_closed(void)
{
	sem_t *s = make(0, 0), *other;
	pthread_t t;

	assert(s != SEM_FAILED);
	assert(sem_unlink(the_name()) == 0);
	assert(pthread_create(&t, NULL, post_it, s) == 0);
	other = make(O_EXCL, 0);
	assert(other != SEM_FAILED && other != s);
	assert(sem_wait(s) == 0);
	assert(count_of(other) == 0);
	assert(pthread_join(t, NULL) == 0);
	assert(sem_close(s) == 0);
	drop(other);
}

static void *enter(void *arg)
{
	sem_t *s = make(0, 1);

	assert(s != SEM_FAILED);
	assert(sem_wait(s) == 0);
	assert(inside++ == 0);
	inside--;
	assert(sem_post(s) == 0);
	assert(sem_close(s) == 0);
	return arg;
}

static void it_is_a_lock(void)
{
	the_name();
	THREADS(2, enter);
	assert(sem_unlink(the_name()) == 0);
}

static void *wait_for_it(void *arg)
{
	sem_t *s = make(0, 0);

	assert(sem_wait(s) == 0);
	return arg;
}

static void wait_for_ever(void)
{
	THREADS(1, wait_for_it);
}

static void opened_before_the_first_thread(void)
{
	sem_t *s = make(O_EXCL, 1);
	pthread_t t;

	assert(s != SEM_FAILED);
	assert(sem_wait(s) == 0);
	assert(sem_post(s) == 0);
	assert(pthread_create(&t, NULL, take_it, s) == 0);
	assert(pthread_join(t, NULL) == 0);
	drop(s);
	find_nothing(NULL);
}

CASES(CASE(a_name_is_one_semaphore), CASE(opening_again_keeps_the_count),
      CASE(exclusive_creation_is_won_by_one), CASE(open_or_not_there_yet),
      CASE(an_unlinked_name_is_free), CASE(an_unlinked_semaphore_lives_until_it_is_closed),
      CASE(it_is_a_lock), CASE(wait_for_ever), CASE(opened_before_the_first_thread))
