/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sem_open_fails.c - how named semaphores fail
 *
 * ways sem_open: EEXIST EINVAL ENAMETOOLONG ENOENT; not EACCES EINTR EMFILE ENFILE ENOMEM ENOSPC (names
 *	are the program's own)
 * ways sem_close: EINVAL
 * ways sem_unlink: ENAMETOOLONG ENOENT; not EACCES (as above)
 *
 * case sem_open_EEXIST: ok 1
 * case sem_open_EINVAL: ok 1
 * case sem_open_EINVAL_of_a_name: ok 1
 * case sem_open_ENAMETOOLONG: ok 1
 * case sem_open_ENOENT: ok 1
 * case sem_close_EINVAL: ok 1
 * case sem_unlink_ENAMETOOLONG: ok 1
 * case sem_unlink_ENOENT: ok 1
 * case sem_unlink_ENOENT_of_a_name: ok 1
 * case sem_open_of_what_is_there: ok 1
 * case sem_open_of_many: ok 1
 * case sem_unlink_leaves_it_to_who_has_it: ok 1
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "hooks/fails.h"

enum {
	MANY = 50
};

/* Natively names are the system's: whoever runs this at the same time has others. */
static const char *name_of(int i)
{
	static char names[MANY][64];

	snprintf(names[i], sizeof(names[i]), "/heddle-posix-%d-%d", (int)getpid(), i);
	return names[i];
}

static sem_t *create(const char *name)
{
	sem_t *s = sem_open(name, O_CREAT | O_EXCL, 0600, 0);

	assert(s != SEM_FAILED);
	return s;
}

/* Before there are threads, and while another one is there. */
#define TWICE(body)                                                 \
	do {                                                        \
		pthread_t t_;                                       \
		body;                                               \
		GIVES(0, pthread_create(&t_, NULL, nothing, NULL)); \
		body;                                               \
		GIVES(0, pthread_join(t_, NULL));                   \
	} while (0)

static void *nothing(void *arg)
{
	return arg;
}

#define NOT_OPEN(error, ...) FAILS(error, sem_open(__VA_ARGS__) == SEM_FAILED ? -1 : 0)

static void create_twice(void)
{
	sem_t *s = create(name_of(0));

	NOT_OPEN(EEXIST, name_of(0), O_CREAT | O_EXCL, 0600, 1);
	assert(sem_unlink(name_of(0)) == 0);
	assert(sem_close(s) == 0);
}

static void sem_open_EEXIST(void)
{
	TWICE(create_twice());
}

static void too_large_a_count(void)
{
	NOT_OPEN(EINVAL, name_of(0), O_CREAT, 0600, (unsigned)SEM_VALUE_MAX + 1);
	NOT_OPEN(ENOENT, name_of(0), 0);
}

static void sem_open_EINVAL(void)
{
	TWICE(too_large_a_count());
}

static void open_no_name(void)
{
	NOT_OPEN(EINVAL, "", O_CREAT, 0600, 1);
	NOT_OPEN(EINVAL, "/", O_CREAT, 0600, 1);
	NOT_OPEN(EINVAL, "/heddle/posix", O_CREAT, 0600, 1);
	NOT_OPEN(EINVAL, "/heddle-posix/", 0);
}

static void sem_open_EINVAL_of_a_name(void)
{
	TWICE(open_no_name());
}

/* glibc makes a file of it, with "sem." before the name. */
static char long_name[NAME_MAX + 2];

static const char *name_with(size_t characters)
{
	memset(long_name, 'x', sizeof(long_name));
	snprintf(long_name, sizeof(long_name), "/heddle-posix-%d-", (int)getpid());
	long_name[strlen(long_name)] = 'x';
	long_name[1 + characters] = '\0';
	return long_name;
}

static void open_too_long_a_name(void)
{
	sem_t *s = create(name_with(NAME_MAX - 4));

	assert(sem_unlink(long_name) == 0);
	assert(sem_close(s) == 0);
	NOT_OPEN(ENAMETOOLONG, name_with(NAME_MAX - 3), O_CREAT, 0600, 1);
	NOT_OPEN(ENAMETOOLONG, name_with(NAME_MAX), 0);
}

static void sem_open_ENAMETOOLONG(void)
{
	TWICE(open_too_long_a_name());
}

static void open_what_is_not_there(void)
{
	NOT_OPEN(ENOENT, name_of(0), 0);
	NOT_OPEN(ENOENT, name_of(0), O_EXCL);
}

static void sem_open_ENOENT(void)
{
	TWICE(open_what_is_not_there());
}

static void close_what_is_not_open(void)
{
	sem_t *s = create(name_of(0)), unnamed;

	assert(sem_unlink(name_of(0)) == 0);
	assert(sem_close(s) == 0);
	FAILS(EINVAL, sem_close(s));
	assert(sem_init(&unnamed, 0, 1) == 0);
	FAILS(EINVAL, sem_close(&unnamed));
}

static void sem_close_EINVAL(void)
{
	TWICE(close_what_is_not_open());
}

static void unlink_too_long_a_name(void)
{
	FAILS(ENAMETOOLONG, sem_unlink(name_with(NAME_MAX - 3)));
	FAILS(ENAMETOOLONG, sem_unlink(name_with(NAME_MAX)));
}

static void sem_unlink_ENAMETOOLONG(void)
{
	TWICE(unlink_too_long_a_name());
}

static void unlink_what_is_not_there(void)
{
	sem_t *s;

	FAILS(ENOENT, sem_unlink(name_of(0)));
	s = create(name_of(0));
	assert(sem_unlink(name_of(0)) == 0);
	FAILS(ENOENT, sem_unlink(name_of(0)));
	assert(sem_close(s) == 0);
}

static void sem_unlink_ENOENT(void)
{
	TWICE(unlink_what_is_not_there());
}

static void unlink_no_name(void)
{
	FAILS(ENOENT, sem_unlink(""));
	FAILS(ENOENT, sem_unlink("/"));
	FAILS(ENOENT, sem_unlink("/heddle/posix"));
}

static void sem_unlink_ENOENT_of_a_name(void)
{
	TWICE(unlink_no_name());
}

/* ---- And what does not fail -------------------------------------------------------------- */

/* The count of who created it counts, as do the flags that say how to. */
static void open_again(void)
{
	sem_t *s = sem_open(name_of(0), O_CREAT, 0600, 3);
	int value;

	assert(s != SEM_FAILED);
	assert(sem_open(name_of(0), O_CREAT, 0600, 7) == s);
	assert(sem_open(name_of(0), O_CREAT, 0600, (unsigned)SEM_VALUE_MAX + 1) == s);
	assert(sem_open(name_of(0), 0) == s);
	assert(sem_open(name_of(0), O_EXCL) == s);
	assert(sem_getvalue(s, &value) == 0);
	assert(value == 3);
	assert(sem_unlink(name_of(0)) == 0);
	for (int i = 0; i < 5; i++)
		assert(sem_close(s) == 0);
	FAILS(EINVAL, sem_close(s));
}

static void sem_open_of_what_is_there(void)
{
	TWICE(open_again());
}

static void open_many(void)
{
	sem_t *many[MANY];

	for (int i = 0; i < MANY; i++) {
		many[i] = create(name_of(i));
		assert(sem_post(many[i]) == 0);
	}
	for (int i = 0; i < MANY; i++) {
		assert(sem_trywait(many[i]) == 0);
		FAILS(EAGAIN, sem_trywait(many[i]));
		assert(sem_unlink(name_of(i)) == 0);
		assert(sem_close(many[i]) == 0);
	}
}

static void sem_open_of_many(void)
{
	TWICE(open_many());
}

static void unlink_and_create(void)
{
	sem_t *old = create(name_of(0)), *new;

	assert(sem_unlink(name_of(0)) == 0);
	new = create(name_of(0));
	assert(new != old);
	assert(sem_post(old) == 0);
	FAILS(EAGAIN, sem_trywait(new));
	assert(sem_trywait(old) == 0);
	assert(sem_close(old) == 0);
	assert(sem_unlink(name_of(0)) == 0);
	assert(sem_close(new) == 0);
}

static void sem_unlink_leaves_it_to_who_has_it(void)
{
	TWICE(unlink_and_create());
}

CASES(CASE(sem_open_EEXIST), CASE(sem_open_EINVAL), CASE(sem_open_EINVAL_of_a_name),
      CASE(sem_open_ENAMETOOLONG), CASE(sem_open_ENOENT), CASE(sem_close_EINVAL),
      CASE(sem_unlink_ENAMETOOLONG), CASE(sem_unlink_ENOENT), CASE(sem_unlink_ENOENT_of_a_name),
      CASE(sem_open_of_what_is_there), CASE(sem_open_of_many),
      CASE(sem_unlink_leaves_it_to_who_has_it))
