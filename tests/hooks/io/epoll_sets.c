/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll_sets.c - several sets of epoll that watch the same
 *
 * case two_sets_of_one_pipe: ok 1
 * case one_of_two_exclusive_sets: ok 4
 * case both_of_two_exclusive_sets: bug deadlock
 * case exclusive_sets_in_any_number: ok 35
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "cases.h"
#include "epolls.h"
#include "hooks/threads.h"

static void *put(void *arg)
{
	put_to((int)(long)arg);
	return NULL;
}

static pthread_t begin_put(int to)
{
	return begin(put, (void *)(long)to);
}

static int sets[2];

static void *wait_in(void *arg)
{
	struct epoll_event e;

	assert(epoll_wait(sets[(long)arg], &e, 1, -1) == 1);
	return arg;
}

static void watch_twice(uint32_t events)
{
	assert(pipe2(fd, O_NONBLOCK) == 0);
	for (int i = 0; i < 2; i++) {
		new_set();
		watch(fd[0], events);
		sets[i] = set;
	}
}

static void two_sets_of_one_pipe(void)
{
	pthread_t t;

	watch_twice(EPOLLIN | EPOLLET);
	t = begin_put(fd[1]);
	THREADS(2, wait_in);
	end(t);
}

static atomic_int woken;

static void *count_woken(void *arg)
{
	struct epoll_event e;

	if (epoll_wait(sets[(long)arg], &e, 1, 0) == 1)
		atomic_fetch_add(&woken, 1);
	return arg;
}

static void one_of_two_exclusive_sets(void)
{
	watch_twice(EPOLLIN | EPOLLET | EPOLLEXCLUSIVE);
	end(begin_put(fd[1]));
	THREADS(2, count_woken);
	assert(woken >= 1 && woken <= 2);
}

static void both_of_two_exclusive_sets(void)
{
	watch_twice(EPOLLIN | EPOLLEXCLUSIVE);
	end(begin_put(fd[1]));
	THREADS(2, wait_in); /* bug: both_of_two_exclusive_sets */
}

/* That nobody takes any more wakes them all. */
static void exclusive_sets_in_any_number(void)
{
	pthread_t t;

	watch_twice(EPOLLIN | EPOLLEXCLUSIVE);
	t = begin(put_and_close, NULL);
	THREADS(2, wait_in);
	end(t);
}

CASES(CASE(two_sets_of_one_pipe), CASE(one_of_two_exclusive_sets), CASE(both_of_two_exclusive_sets),
      CASE(exclusive_sets_in_any_number))
