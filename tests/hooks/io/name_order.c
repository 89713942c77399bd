/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * name_order.c - who of several threads makes a name in the file system, and who finds it
 *
 * What an execution leaves there the next one finds, so each removes what it has made.
 *
 * case one_of_two_makes_it: ok 2
 * case the_first_makes_it: bug assertion at it is always the first
 * case one_of_two_makes_a_folder: ok 2
 * case one_of_two_makes_a_folder_there: ok 2
 * case one_of_two_removes_it: ok 2
 * case one_of_two_removes_it_there: ok 2
 * case one_makes_it_and_one_opens_it: ok 2
 * case one_makes_it_and_one_looks: ok 2
 * case one_renames_it_and_one_looks: ok 6
 * case one_renames_it_there_and_one_looks: ok 3
 * case one_writes_and_one_asks_for_the_size: ok 2
 * case two_open_it: ok 1
 * case two_files: ok 1
 * case all_in_vain: ok 1
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"

#define LOCK  "name_order.lock"
#define MOVED "name_order.moved"

static long done[2]; /* by each thread */
static int fd;

static void clear(void)
{
	unlink(LOCK);
	rmdir(LOCK);
	unlink(MOVED);
}

static void *nothing(void *arg)
{
	return arg;
}

/* Each execution makes it, which those of main() before it has threads do not. */
static void make_it(void)
{
	THREADS(1, nothing);
	fd = creat(LOCK, 0600);
	assert(fd >= 0);
}

/* Each thread is told its number. */
static void both(void *(*first)(void *), void *(*second)(void *))
{
	pthread_t t, u;

	assert(pthread_create(&t, NULL, first, (void *)0l) == 0);
	assert(pthread_create(&u, NULL, second, (void *)1l) == 0);
	assert(pthread_join(t, NULL) == 0 && pthread_join(u, NULL) == 0);
	clear();
}

static void *makes_it(void *arg)
{
	int file = open(LOCK, O_CREAT | O_EXCL | O_WRONLY, 0600);

	done[(long)arg] = file >= 0;
	return arg;
}

static void one_of_two_makes_it(void)
{
	clear();
	both(makes_it, makes_it);
	assert(done[0] + done[1] == 1);
}

static void the_first_makes_it(void)
{
	clear();
	both(makes_it, makes_it);
	assert(done[0]); /* it is always the first */
}

static void *makes_a_folder(void *arg)
{
	done[(long)arg] = mkdir(LOCK, 0700) == 0;
	return arg;
}

static void one_of_two_makes_a_folder(void)
{
	clear();
	both(makes_a_folder, makes_a_folder);
	assert(done[0] + done[1] == 1);
}

static void *makes_a_folder_there(void *arg)
{
	done[(long)arg] = mkdirat(AT_FDCWD, LOCK, 0700) == 0;
	return arg;
}

static void one_of_two_makes_a_folder_there(void)
{
	clear();
	both(makes_a_folder, makes_a_folder_there);
	assert(done[0] + done[1] == 1);
}

static void *removes_it(void *arg)
{
	done[(long)arg] = unlink(LOCK) == 0;
	return arg;
}

static void one_of_two_removes_it(void)
{
	make_it();
	both(removes_it, removes_it);
	assert(done[0] + done[1] == 1);
}

static void *removes_it_there(void *arg)
{
	done[(long)arg] = unlinkat(AT_FDCWD, LOCK, 0) == 0;
	return arg;
}

static void one_of_two_removes_it_there(void)
{
	make_it();
	both(removes_it, removes_it_there);
	assert(done[0] + done[1] == 1);
}

static void *opens_it(void *arg)
{
	FILE *f = fopen(LOCK, "r");

	done[(long)arg] = f != NULL;
	if (f)
		fclose(f);
	return arg;
}

static void one_makes_it_and_one_opens_it(void)
{
	clear();
	both(makes_it, opens_it);
	assert(done[0]);
}

static void *looks_for_it(void *arg)
{
	done[(long)arg] = access(LOCK, F_OK) == 0;
	return arg;
}

static void one_makes_it_and_one_looks(void)
{
	clear();
	both(makes_a_folder, looks_for_it);
	assert(done[0]);
}

static void *renames_it(void *arg)
{
	assert(rename(LOCK, MOVED) == 0);
	return arg;
}

static void *looks_for_the_new_name(void *arg)
{
	bool after = access(MOVED, F_OK) == 0, before = access(LOCK, F_OK) == 0;

	done[1] = after * 2 + before;
	return arg;
}

/* There is always one name, but between the two looks it may change. */
static void one_renames_it_and_one_looks(void)
{
	make_it();
	both(renames_it, looks_for_the_new_name);
	assert(done[1] < 3);
}

static void *renames_it_there(void *arg)
{
	assert(renameat(AT_FDCWD, LOCK, AT_FDCWD, MOVED) == 0);
	return arg;
}

static void *looks_there(void *arg)
{
	done[1] = faccessat(AT_FDCWD, MOVED, F_OK, 0) == 0;
	return arg;
}

static void one_renames_it_there_and_one_looks(void)
{
	make_it();
	both(renames_it_there, looks_there);
}

static void *writes_to_it(void *arg)
{
	assert(write(fd, "abc", 3) == 3);
	return arg;
}

static void *asks_for_its_size(void *arg)
{
	struct stat st;

	assert(stat(LOCK, &st) == 0 && (st.st_size == 0 || st.st_size == 3));
	return arg;
}

static void one_writes_and_one_asks_for_the_size(void)
{
	make_it();
	both(writes_to_it, asks_for_its_size);
}

static void two_open_it(void)
{
	make_it();
	both(opens_it, opens_it);
	assert(done[0] && done[1]);
}

static void *makes_another(void *arg)
{
	done[1] = open(MOVED, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0;
	return arg;
}

static void two_files(void)
{
	clear();
	both(makes_it, makes_another);
	assert(done[0] && done[1]);
}

/* Nobody changes anything. */
static void all_in_vain(void)
{
	clear();
	both(removes_it, removes_it);
	assert(!done[0] && !done[1]);
}

CASES(CASE(one_of_two_makes_it), CASE(the_first_makes_it), CASE(one_of_two_makes_a_folder),
      CASE(one_of_two_makes_a_folder_there), CASE(one_of_two_removes_it),
      CASE(one_of_two_removes_it_there), CASE(one_makes_it_and_one_opens_it),
      CASE(one_makes_it_and_one_looks), CASE(one_renames_it_and_one_looks),
      CASE(one_renames_it_there_and_one_looks), CASE(one_writes_and_one_asks_for_the_size),
      CASE(two_open_it), CASE(two_files), CASE(all_in_vain))
