/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flock.c - threads that lock files
 *
 * case around_a_write: ok 1
 * case closed_by_each: ok 1
 * case one_thread_and_an_operation: ok 2
 * case locks_of_the_process: ok 2
 * case taken_by_the_same_thread: ok 1
 * case around_an_operation: refused lock one file by flock() and do more than to use files meanwhile
 * case around_an_operation_by_fcntl: refused lock one file by fcntl() and do more than to use files meanwhile
 * case never_given_back: refused lock one file by flock()
 * case held_since_there_were_no_threads: refused would wait in flock()
 * case held_by_fcntl: refused would wait in fcntl()
 * case found_taken_or_not: refused lock one file by flock()
 *
 * ways flock: EBADF EINVAL; not EWOULDBLOCK (taken_by_the_same_thread) EINTR (it never waits) ENOLCK (of the kernel)
 *
 * case flock_EBADF: ok 1
 * case flock_EINVAL: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "hooks/fails.h"

static int fd[2]; /* one file, opened twice */
static atomic_int x;

static void make_file(void)
{
	char name[] = "/tmp/heddle-flock-XXXXXX";

	fd[0] = mkstemp(name);
	fd[1] = open(name, O_RDWR);
	assert(fd[0] >= 0 && fd[1] >= 0 && unlink(name) == 0);
}

static int by_fcntl(int from, int command, short type)
{
	struct flock lock = { .l_type = type };

	return fcntl(from, command, &lock);
}

static void *writes(void *arg)
{
	int mine = fd[(long)arg];

	assert(flock(mine, LOCK_EX) == 0);
	assert(write(mine, "line\n", 5) == 5);
	assert(flock(mine, LOCK_UN) == 0);
	return arg;
}

static void around_a_write(void)
{
	make_file();
	THREADS(2, writes);
}

static void *locks_null(void *arg)
{
	int mine = open("/dev/null", O_RDWR);

	assert(mine >= 0 && flock(mine, LOCK_SH) == 0 && flock(mine, LOCK_UN) == 0);
	assert(close(mine) == 0);
	return arg;
}

static void closed_by_each(void)
{
	THREADS(2, locks_null);
}

static void *counts_with_lock(void *arg)
{
	int mine = fd[(long)arg];

	assert(flock(mine, LOCK_EX) == 0);
	atomic_fetch_add(&x, 1);
	assert(flock(mine, LOCK_UN) == 0);
	return arg;
}

static void *counts(void *arg)
{
	atomic_fetch_add(&x, 1);
	return arg;
}

static void one_thread_and_an_operation(void)
{
	make_file();
	RUN(counts_with_lock, counts);
}

static void *counts_in_process_lock(void *arg)
{
	assert(by_fcntl(fd[(long)arg], F_SETLKW, F_WRLCK) == 0);
	atomic_fetch_add(&x, 1);
	assert(by_fcntl(fd[(long)arg], F_SETLKW, F_UNLCK) == 0);
	return arg;
}

/* They are the process's: no thread keeps another one out. */
static void locks_of_the_process(void)
{
	make_file();
	THREADS(2, counts_in_process_lock);
}

static void *locks_twice(void *arg)
{
	assert(flock(fd[0], LOCK_EX) == 0 && flock(fd[1], LOCK_EX | LOCK_NB) == -1);
	assert(errno == EWOULDBLOCK && flock(fd[0], LOCK_UN) == 0);
	assert(flock(fd[1], LOCK_EX | LOCK_NB) == 0);
	return arg;
}

static void taken_by_the_same_thread(void)
{
	make_file();
	THREADS(1, locks_twice);
}

static void around_an_operation(void)
{
	make_file();
	THREADS(2, counts_with_lock);
}

static void *counts_in_file_lock(void *arg)
{
	int mine = fd[(long)arg];

	assert(by_fcntl(mine, F_OFD_SETLKW, F_WRLCK) == 0);
	atomic_fetch_add(&x, 1);
	assert(by_fcntl(mine, F_OFD_SETLKW, F_UNLCK) == 0);
	return arg;
}

static void around_an_operation_by_fcntl(void)
{
	make_file();
	THREADS(2, counts_in_file_lock);
}

static void *keeps_it(void *arg)
{
	assert(flock(fd[0], LOCK_SH) == 0);
	return arg;
}

static void *shares_it(void *arg)
{
	assert(flock(fd[1], LOCK_SH) == 0 && flock(fd[1], LOCK_UN) == 0);
	return arg;
}

static void never_given_back(void)
{
	make_file();
	RUN(keeps_it, shares_it);
}

static void held_since_there_were_no_threads(void)
{
	make_file();
	assert(flock(fd[0], LOCK_EX) == 0);
	RUN(shares_it);
}

static void *asks_by_fcntl(void *arg)
{
	by_fcntl(fd[1], F_OFD_SETLKW, F_WRLCK);
	return arg;
}

static void held_by_fcntl(void)
{
	make_file();
	assert(by_fcntl(fd[0], F_OFD_SETLK, F_WRLCK) == 0);
	RUN(asks_by_fcntl);
}

static void *tries(void *arg)
{
	flock(fd[1], LOCK_EX | LOCK_NB);
	return arg;
}

static void found_taken_or_not(void)
{
	pthread_t t;

	make_file();
	assert(flock(fd[0], LOCK_EX) == 0);
	pthread_create(&t, NULL, tries, NULL);
	assert(flock(fd[0], LOCK_UN) == 0);
	pthread_join(t, NULL);
}

EACH_FAILS(flock_EBADF, EBADF, flock(-1, LOCK_EX))
EACH_FAILS(flock_EINVAL, EINVAL, flock(0, 64))

CASES(CASE(around_a_write), CASE(closed_by_each), CASE(one_thread_and_an_operation),
      CASE(locks_of_the_process), CASE(taken_by_the_same_thread), CASE(around_an_operation),
      CASE(around_an_operation_by_fcntl), CASE(never_given_back),
      CASE(held_since_there_were_no_threads), CASE(held_by_fcntl), CASE(found_taken_or_not),
      CASE(flock_EBADF), CASE(flock_EINVAL))
