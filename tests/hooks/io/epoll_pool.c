/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll_pool.c - threads that share one epoll descriptor
 *
 * case a_pool_with_one_shot: ok 127
 * case a_pool_with_one_shot -j 2: ok 127
 * case a_pool_without_one_shot: bug data-race at taken += drain(fd[0])
 * case a_pool_with_edges_alone: bug data-race at taken += drain(fd[0])
 * case a_pool_that_forgets_to_ask_again: bug deadlock at THREADS(2, how)
 * case a_pool_that_asks_again_too_early: bug data-race at taken += drain(fd[0])
 * case one_shot_and_edge: ok 415
 * case each_is_told_once: ok 6
 * case nobody_is_left_to_be_told: bug deadlock at THREADS(3,
 * case a_pool_that_accepts: ok 21
 * case a_pool_that_is_stopped: ok 2
 * case a_pool_that_is_stopped_once: bug deadlock at end(t[1])
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/eventfd.h>

#include "cases.h"
#include "epolls.h"
#include "hooks/threads.h"
#include "sockets.h"

/* ---- One descriptor, which one thread at a time is to care for ---- */

static int taken; /* by whoever cares for it */
static atomic_int left;

static void care(void)
{
	taken += drain(fd[0]);
}

static void watch_a_pipe(uint32_t events)
{
	new_set();
	assert(pipe2(fd, O_NONBLOCK) == 0);
	watch(fd[0], events);
}

static void *put_twice(void *arg)
{
	put_to(fd[1]);
	put_to(fd[1]);
	return arg;
}

/* Cares for it once, if it is told. */
static void *care_once(void *arg)
{
	struct epoll_event e;

	if (epoll_wait(set, &e, 1, 0) == 1) {
		care();
		watch_again(fd[0], EPOLLIN | EPOLLONESHOT);
	}
	return arg;
}

static void a_pool_with_one_shot(void)
{
	pthread_t t;

	watch_a_pipe(EPOLLIN | EPOLLONESHOT);
	t = begin(put_twice, NULL);
	THREADS(2, care_once);
	end(t);
	care();
	assert(taken == 2);
}

static void *care_without_asking(void *arg)
{
	struct epoll_event e;

	if (epoll_wait(set, &e, 1, 0) == 1)
		care();
	return arg;
}

static void care_for_two_writes(uint32_t events, void *(*how)(void *))
{
	pthread_t t;

	watch_a_pipe(events);
	t = begin(put_twice, NULL);
	THREADS(2, how);
	end(t);
}

static void a_pool_without_one_shot(void)
{
	care_for_two_writes(EPOLLIN, care_without_asking);
}

/* The second write wakes another thread while the first is still at it. */
static void a_pool_with_edges_alone(void)
{
	care_for_two_writes(EPOLLIN | EPOLLET, care_without_asking);
}

static void *wait_and_care(void *arg)
{
	assert(wait_for_one() == fd[0]);
	care();
	return arg;
}

/* Natively, too, one of the threads waits for ever, unless both writes come before anybody looks. */
static void a_pool_that_forgets_to_ask_again(void)
{
	care_for_two_writes(EPOLLIN | EPOLLONESHOT, wait_and_care);
}

static void *ask_and_care(void *arg)
{
	struct epoll_event e;

	if (epoll_wait(set, &e, 1, 0) == 1) {
		watch_again(fd[0], EPOLLIN | EPOLLONESHOT);
		care();
	}
	return arg;
}

static void a_pool_that_asks_again_too_early(void)
{
	care_for_two_writes(EPOLLIN | EPOLLONESHOT, ask_and_care);
}

static void *care_for_edges(void *arg)
{
	struct epoll_event e;

	while (atomic_load(&left) > 0 && epoll_wait(set, &e, 1, 0) == 1) {
		int n = drain(fd[0]);

		taken += n;
		watch_again(fd[0], EPOLLIN | EPOLLONESHOT | EPOLLET);
		atomic_fetch_sub(&left, n);
	}
	return arg;
}

static void one_shot_and_edge(void)
{
	atomic_store(&left, 2);
	care_for_two_writes(EPOLLIN | EPOLLONESHOT | EPOLLET, care_for_edges);
	care();
	assert(taken == 2);
}

/* ---- Several descriptors ---- */

static atomic_int told_of[2];

static void *wait_for_any(void *arg)
{
	int which = wait_for_one();

	assert(atomic_fetch_add(&told_of[which == other[0]], 1) == 0);
	take_from(which);
	return arg;
}

static void watch_two(uint32_t events)
{
	watch_a_pipe(events);
	assert(pipe2(other, O_NONBLOCK) == 0);
	watch(other[0], events);
}

static void *put_to_both(void *arg)
{
	put_to(fd[1]);
	put_to(other[1]);
	return arg;
}

static void each_is_told_once(void)
{
	pthread_t t;

	watch_two(EPOLLIN | EPOLLONESHOT);
	t = begin(put_to_both, NULL);
	THREADS(2, wait_for_any);
	end(t);
}

static void nobody_is_left_to_be_told(void)
{
	pthread_t t;

	watch_two(EPOLLIN | EPOLLET);
	t = begin(put_to_both, NULL);
	THREADS(3, wait_for_any);
	end(t);
}

/* ---- A server ---- */

static void *serve(void *arg)
{
	int which = wait_for_one(), s;

	if (which == server) {
		s = accept4(server, NULL, NULL, SOCK_NONBLOCK);
		assert(s >= 0);
		watch(s, EPOLLIN | EPOLLONESHOT);
		which = wait_for_one();
	}
	assert(which != server && drain(which) == 1);
	close(which);
	return arg;
}

static void a_pool_that_accepts(void)
{
	pthread_t t;

	make_name("heddle-pool-");
	bind_and_listen(NULL);
	new_set();
	watch(server, EPOLLIN | EPOLLONESHOT);
	t = begin(serve, NULL);
	fd[1] = socket(AF_UNIX, SOCK_STREAM, 0);
	assert(connect(fd[1], (struct sockaddr *)&name, name_size) == 0);
	put_to(fd[1]);
	end(t);
}

/* An eventfd that stays readable stops all who ask by level. */
static void *until_stopped(void *arg)
{
	assert(wait_for_one() == fd[0]);
	return arg;
}

static void stop_them(uint32_t events)
{
	pthread_t t[2];

	new_set();
	fd[0] = eventfd(0, 0);
	watch(fd[0], events);
	t[0] = begin(until_stopped, NULL);
	t[1] = begin(until_stopped, NULL);
	assert(eventfd_write(fd[0], 1) == 0);
	end(t[0]);
	end(t[1]);
}

static void a_pool_that_is_stopped(void)
{
	stop_them(EPOLLIN);
}

static void a_pool_that_is_stopped_once(void)
{
	stop_them(EPOLLIN | EPOLLET);
}

CASES(CASE(a_pool_with_one_shot), CASE(a_pool_without_one_shot), CASE(a_pool_with_edges_alone),
      CASE(a_pool_that_forgets_to_ask_again), CASE(a_pool_that_asks_again_too_early),
      CASE(one_shot_and_edge), CASE(each_is_told_once), CASE(nobody_is_left_to_be_told),
      CASE(a_pool_that_accepts), CASE(a_pool_that_is_stopped), CASE(a_pool_that_is_stopped_once))
