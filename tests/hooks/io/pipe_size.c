/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pipe_size.c - how much pipes hold
 *
 * case pages_that_are_not_full: ok 1
 * case sizes_of_pipes: ok 1
 * case much_before_the_threads: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <unistd.h>

#include "cases.h"

static int fd[2];

/* The kernel keeps each write that does not fit behind the last one in a page of its own, so natively the
 * last of these may find no room. */
static void *write_uneven_pieces(void *arg)
{
	static char page[PIPE_BUF];
	ssize_t n;

	assert(pipe2(fd, O_NONBLOCK) == 0 && write(fd[1], page, 1) == 1);
	for (int i = 0; i < 15; i++)
		assert(write(fd[1], page, PIPE_BUF) == PIPE_BUF);
	n = write(fd[1], page, 4000);
	assert(n == 4000 || (n == -1 && errno == EAGAIN));
	return arg;
}

static void use_size(int end, int size)
{
	static char all[131072];

	assert(fcntl(end, F_GETPIPE_SZ) == size);
	assert(write(fd[1], all, sizeof(all)) == size);
	assert(write(fd[1], all, 1) == -1 && errno == EAGAIN);
	assert(read(fd[0], all, sizeof(all)) == size);
}

static void *resize(void *arg)
{
	assert(pipe2(fd, O_NONBLOCK) == 0);
	use_size(fd[0], 65536);
	assert(fcntl(fd[0], F_SETPIPE_SZ, 4096) == 4096);
	use_size(fd[1], 4096);
	assert(fcntl(fd[1], F_SETPIPE_SZ, 100000) == 131072);
	use_size(fd[0], 131072);
	close(fd[0]);
	close(fd[1]);
	return arg;
}

static void sizes_of_pipes(void)
{
	resize(NULL);
	THREADS(1, resize);
}

/* More than a pipe usually holds. */
static void *read_all(void *arg)
{
	static int number[32768];

	assert(read(fd[0], number, sizeof(number)) == sizeof(number));
	for (int i = 0; i < 32768; i++)
		assert(number[i] == i);
	assert(read(fd[0], number, 1) == -1 && errno == EAGAIN);
	return arg;
}

static void much_before_the_threads(void)
{
	assert(pipe2(fd, O_NONBLOCK) == 0 && fcntl(fd[0], F_SETPIPE_SZ, 131072) == 131072);
	for (int i = 0; i < 32768; i++)
		assert(write(fd[1], &i, sizeof(i)) == sizeof(i));
	THREADS(1, read_all);
}

static void pages_that_are_not_full(void)
{
	THREADS(1, write_uneven_pieces);
}

CASES(CASE(pages_that_are_not_full), CASE(sizes_of_pipes), CASE(much_before_the_threads))
