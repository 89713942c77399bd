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
 * case opened_before_threads_in_each_execution: ok 2
 *
 * ways sem_open: EACCES EEXIST EINVAL ENAMETOOLONG ENOENT; not EINTR EMFILE ENFILE ENOMEM ENOSPC (names
 *	are the program's own)
 * ways sem_close: EINVAL
 * ways sem_unlink: EACCES ENAMETOOLONG ENOENT
 *
 * case sem_open_EACCES: ok 1
 * case sem_open_EEXIST: ok 1
 * case sem_open_EINVAL: ok 1
 * case sem_open_EINVAL_of_a_name: ok 1
 * case sem_open_ENAMETOOLONG: ok 1
 * case sem_open_ENOENT: ok 1
 * case sem_close_EINVAL: ok 1
 * case sem_open_EACCES_of_others: ok 1
 * case sem_unlink_EACCES: ok 1
 * case sem_unlink_ENAMETOOLONG: ok 1
 * case sem_unlink_ENOENT: ok 1
 * case sem_unlink_ENOENT_of_a_name: ok 1
 * case sem_open_of_what_is_there: ok 1
 * case sem_open_of_many: ok 1
 * case sem_unlink_leaves_it_to_who_has_it: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hooks/fails.h"

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

static sem_t *opened;

static void *pass(void *arg)
{
	assert(sem_wait(opened) == 0);
	assert(sem_post(opened) == 0);
	return arg;
}

static void opened_before_threads_in_each_execution(void)
{
	opened = make(O_EXCL, 1);
	assert(opened != SEM_FAILED);
	THREADS(2, pass);
	drop(opened);
}

/* --- how they fail ---------------------------------------------------------------------------- */

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

static sem_t *create_named(const char *name)
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
	sem_t *s = create_named(name_of(0));

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
	sem_t *s = create_named(name_with(NAME_MAX - 4));

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

/* Whoever makes it has it open, whatever its mode says. */
static void make_with(mode_t mode, mode_t mask, bool opens)
{
	mode_t before = umask(mask);
	sem_t *s = sem_open(name_of(0), O_CREAT | O_EXCL, mode, 1), *again;

	assert(s != SEM_FAILED && sem_trywait(s) == 0);
	again = sem_open(name_of(0), 0);
	assert(opens ? again == s : again == SEM_FAILED && errno == EACCES);
	if (opens)
		assert(sem_close(again) == 0);
	assert(sem_close(s) == 0 && sem_unlink(name_of(0)) == 0);
	umask(before);
}

static void *nothing_to_do(void *arg)
{
	return arg;
}

/* Before there are threads: what a user may do is of all. */
static void sem_open_EACCES(void)
{
	uid_t me = geteuid(), somebody = me ? me : 65534;

	make_with(0, 0, me == 0);
	assert(seteuid(somebody) == 0);
	make_with(0, 0, false);
	make_with(0400, 0, false);
	make_with(0666, 0200, false);
	make_with(0600, 0077, true);
	assert(seteuid(me) == 0);
	THREADS(1, nothing_to_do);
}

static void sem_open_ENOENT(void)
{
	TWICE(open_what_is_not_there());
}

static void close_what_is_not_open(void)
{
	sem_t *s = create_named(name_of(0)), unnamed;

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
	s = create_named(name_of(0));
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
static void open_what_was_closed(void)
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
	TWICE(open_what_was_closed());
}

static void open_many(void)
{
	sem_t *many[MANY];

	for (int i = 0; i < MANY; i++) {
		many[i] = create_named(name_of(i));
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
	sem_t *old = create_named(name_of(0)), *new;

	assert(sem_unlink(name_of(0)) == 0);
	new = create_named(name_of(0));
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

/* Who is not root cannot become another user, but then has nothing to show. */
static void open_as_another_user(void)
{
	sem_t *s = sem_open(name_of(0), O_CREAT, 0600, 0), *open;

	assert(s != SEM_FAILED);
	if (geteuid() == 0) {
		assert(seteuid(65534) == 0);
		NOT_OPEN(EACCES, name_of(0), 0);
		NOT_OPEN(EACCES, name_of(0), O_CREAT, 0600, 0);
		assert(seteuid(0) == 0);
	}
	open = sem_open(name_of(0), 0);
	assert(open == s && sem_close(open) == 0);
	assert(sem_close(s) == 0 && sem_unlink(name_of(0)) == 0);
}

static void sem_open_EACCES_of_others(void)
{
	open_as_another_user();
	THREADS(1, nothing);
}

static void unlink_as_another_user(void)
{
	mode_t mask = umask(0);
	sem_t *s = sem_open(name_of(0), O_CREAT, 0666, 0), *open;

	umask(mask);
	assert(s != SEM_FAILED);
	if (geteuid() == 0) {
		assert(seteuid(65534) == 0);
		open = sem_open(name_of(0), 0);
		assert(open == s && sem_close(open) == 0);
		FAILS(EACCES, sem_unlink(name_of(0)));
		assert(seteuid(0) == 0);
	}
	assert(sem_close(s) == 0 && sem_unlink(name_of(0)) == 0);
}

static void sem_unlink_EACCES(void)
{
	unlink_as_another_user();
	THREADS(1, nothing);
}

CASES(CASE(a_name_is_one_semaphore), CASE(opening_again_keeps_the_count),
      CASE(exclusive_creation_is_won_by_one), CASE(open_or_not_there_yet),
      CASE(an_unlinked_name_is_free), CASE(an_unlinked_semaphore_lives_until_it_is_closed),
      CASE(it_is_a_lock), CASE(wait_for_ever), CASE(opened_before_the_first_thread),
      CASE(opened_before_threads_in_each_execution), CASE(sem_open_EACCES), CASE(sem_open_EEXIST),
      CASE(sem_open_EINVAL), CASE(sem_open_EINVAL_of_a_name), CASE(sem_open_ENAMETOOLONG),
      CASE(sem_open_ENOENT), CASE(sem_close_EINVAL), CASE(sem_open_EACCES_of_others),
      CASE(sem_unlink_EACCES), CASE(sem_unlink_ENAMETOOLONG), CASE(sem_unlink_ENOENT),
      CASE(sem_unlink_ENOENT_of_a_name), CASE(sem_open_of_what_is_there), CASE(sem_open_of_many),
      CASE(sem_unlink_leaves_it_to_who_has_it))
