/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll_edge.c - threads that wait for edges, in all orders in which they come
 *
 * case reads_until_there_is_no_more: ok 7
 * case reads_once_for_each_edge: bug deadlock
 * case reads_once_for_each_edge -m sc: bug deadlock
 * case reads_once_for_each_level: ok 14
 * case an_edge_that_never_comes: bug deadlock
 * case both_writes_at_once_or_not: ok 6
 * case waits_for_a_number: ok 18
 * case waits_for_each_number: bug deadlock
 * case writes_until_there_is_no_room: ok 2
 * case waits_for_room_that_was_there: bug deadlock
 * case sends_until_there_is_no_room: ok 2
 * case both_ways_of_a_socket: ok 10
 * case accepts_until_nobody_is_there: ok 120
 * case accepts_once_for_each_edge: bug deadlock at assert(wait_for_one() == server)
 * case accepts_once_for_each_level: ok 272
 * case the_end_is_an_edge: ok 7
 * case two_pipes_in_any_order: ok 2
 * case two_pipes_in_one_order: bug assertion at assert(!in_one_order
 * case watches_what_came_before: ok 3
 * case asks_again_behind_each: ok 26
 * case watched_while_somebody_waits: ok 3
 * case removed_while_somebody_waits: ok 1
 * case enabled_while_somebody_waits: ok 1
 * case an_edge_or_a_timeout: ok 3
 * case looks_for_an_edge: ok 4
 * case interrupted_and_told_again: ok 3
 * case interrupted_and_gone: bug deadlock
 * case closes_what_is_watched: ok 9
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/eventfd.h>

#include "cases.h"
#include "epolls.h"
#include "hooks/threads.h"
#include "sockets.h"

static void watch_a_pipe(uint32_t events)
{
	new_set();
	assert(pipe2(fd, O_NONBLOCK) == 0);
	watch(fd[0], events);
}

static void *put(void *arg)
{
	put_to((int)(long)arg);
	return NULL;
}

static pthread_t begin_put(int to)
{
	return begin(put, (void *)(long)to);
}

static void *put_twice(void *arg)
{
	put_to(fd[1]);
	put_to(fd[1]);
	return arg;
}

/* ---- To read ---- */

static void reads_until_there_is_no_more(void)
{
	pthread_t t;
	int n = 0;

	watch_a_pipe(EPOLLIN | EPOLLET);
	t = begin(put_twice, NULL);
	while (n < 2) {
		assert(wait_for_one() == fd[0]);
		n += drain(fd[0]);
	}
	assert(n == 2);
	end(t);
}

static void read_one_each_time(uint32_t events)
{
	pthread_t t;

	watch_a_pipe(events);
	t = begin(put_twice, NULL);
	for (int n = 0; n < 2; n++) {
		assert(wait_for_one() == fd[0]); /* bug: reads_once_for_each_edge */
		take_from(fd[0]);
	}
	end(t);
}

static void reads_once_for_each_edge(void)
{
	read_one_each_time(EPOLLIN | EPOLLET);
}

static void reads_once_for_each_level(void)
{
	read_one_each_time(EPOLLIN);
}

static void an_edge_that_never_comes(void)
{
	watch_a_pipe(EPOLLIN | EPOLLET);
	put_to(fd[1]);
	assert(wait_for_one() == fd[0]);
	end(begin(put, (void *)(long)fd[1]));
	assert(wait_for_one() == fd[0]);
	wait_for_one(); /* bug: an_edge_that_never_comes */
}

/* One byte, or both, behind the first edge; or the second between. */
static void both_writes_at_once_or_not(void)
{
	pthread_t t;
	char c[3];
	ssize_t n;

	watch_a_pipe(EPOLLIN | EPOLLET);
	t = begin(put_twice, NULL);
	assert(wait_for_one() == fd[0]);
	n = read(fd[0], c, 3);
	assert(n == 1 || n == 2);
	end(t);
	if (n == 1)
		told(fd[0], EPOLLIN);
	assert(drain(fd[0]) == 2 - n);
	quiet();
}

static void *add_one(void *arg)
{
	assert(eventfd_write(fd[0], 1) == 0);
	return arg;
}

static void add_numbers(int waits)
{
	pthread_t t[2];
	eventfd_t v = 0, all = 0;

	new_set();
	fd[0] = eventfd(0, EFD_NONBLOCK);
	watch(fd[0], EPOLLIN | EPOLLET);
	t[0] = begin(add_one, NULL);
	t[1] = begin(add_one, NULL);
	for (int i = 0; all < 2 || i < waits; i++) {
		assert(wait_for_one() == fd[0]); /* bug: waits_for_each_number */
		if (eventfd_read(fd[0], &v) == 0)
			all += v;
	}
	end(t[0]);
	end(t[1]);
}

static void waits_for_a_number(void)
{
	add_numbers(1);
}

/* Both may be one edge. */
static void waits_for_each_number(void)
{
	add_numbers(2);
}

/* ---- To write ---- */

static void *drain_them(void *arg)
{
	drain(fd[0]);
	return arg;
}

static void writes_until_there_is_no_room(void)
{
	pthread_t t;

	new_set();
	assert(pipe2(fd, O_NONBLOCK) == 0);
	watch(fd[1], EPOLLOUT | EPOLLET);
	assert(wait_for_one() == fd[1]);
	fill(fd[1]);
	t = begin(drain_them, NULL);
	assert(wait_for_one() == fd[1]);
	put_to(fd[1]);
	end(t);
}

static void waits_for_room_that_was_there(void)
{
	pthread_t t;

	new_set();
	assert(pipe2(fd, O_NONBLOCK) == 0);
	watch(fd[1], EPOLLOUT | EPOLLET);
	assert(wait_for_one() == fd[1]);
	put_to(fd[1]);
	t = begin(drain_them, NULL);
	wait_for_one(); /* bug: waits_for_room_that_was_there */
	end(t);
}

static void make_pair(void)
{
	new_set();
	assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd) == 0);
}

static void sends_until_there_is_no_room(void)
{
	pthread_t t;

	make_pair();
	watch(fd[1], EPOLLIN | EPOLLOUT | EPOLLET);
	assert(wait_for_one() == fd[1]);
	fill(fd[1]);
	t = begin(drain_them, NULL);
	assert(wait_for_one() == fd[1]);
	put_to(fd[1]);
	end(t);
}

static void *answer(void *arg)
{
	struct pollfd p = { .fd = fd[0], .events = POLLIN };

	assert(poll(&p, 1, -1) == 1);
	take_from(fd[0]);
	put_to(fd[0]);
	return arg;
}

static void both_ways_of_a_socket(void)
{
	struct epoll_event e = { .events = 0 };
	pthread_t t;

	make_pair();
	watch(fd[1], EPOLLIN | EPOLLOUT | EPOLLET);
	told(fd[1], EPOLLOUT);
	t = begin(answer, NULL);
	put_to(fd[1]);
	while (!(e.events & EPOLLIN)) {
		assert(epoll_wait(set, &e, 1, -1) == 1);
		assert(e.events & EPOLLOUT);
	}
	assert(drain(fd[1]) == 1);
	end(t);
}

/* ---- Connections ---- */

static void *connect_once(void *arg)
{
	connect_there();
	return arg;
}

static int accept_all(void)
{
	int n = 0, s;

	while ((s = accept(server, NULL, NULL)) >= 0) {
		close(s);
		n++;
	}
	assert(errno == EAGAIN);
	return n;
}

static int accept_one(void)
{
	assert(close(accept(server, NULL, NULL)) == 0);
	return 1;
}

static void accept_two(uint32_t events, int (*how)(void))
{
	pthread_t t[2];
	int n = 0;

	listen_here();
	assert(fcntl(server, F_SETFL, O_NONBLOCK) == 0);
	new_set();
	watch(server, events);
	t[0] = begin(connect_once, NULL);
	t[1] = begin(connect_once, NULL);
	while (n < 2) {
		assert(wait_for_one() == server);
		n += how();
	}
	end(t[0]);
	end(t[1]);
}

static void accepts_until_nobody_is_there(void)
{
	accept_two(EPOLLIN | EPOLLET, accept_all);
}

static void accepts_once_for_each_edge(void)
{
	accept_two(EPOLLIN | EPOLLET, accept_one);
}

static void accepts_once_for_each_level(void)
{
	accept_two(EPOLLIN, accept_one);
}

/* ---- Several ---- */

static void the_end_is_an_edge(void)
{
	struct epoll_event e = { .events = 0 };
	pthread_t t;
	int n = 0;

	watch_a_pipe(EPOLLIN | EPOLLET);
	t = begin(put_and_close, NULL);
	while (!(e.events & EPOLLHUP)) {
		assert(epoll_wait(set, &e, 1, -1) == 1);
		n += drain(fd[0]);
	}
	assert(n == 1);
	end(t);
}

static void tell_of_two(bool in_one_order)
{
	pthread_t t[2];
	struct epoll_event e[2];

	watch_a_pipe(EPOLLIN | EPOLLET);
	assert(pipe2(other, O_NONBLOCK) == 0);
	watch(other[0], EPOLLIN | EPOLLET);
	t[0] = begin_put(fd[1]);
	t[1] = begin_put(other[1]);
	end(t[0]);
	end(t[1]);
	assert(epoll_wait(set, e, 2, 0) == 2);
	assert(e[0].data.fd != e[1].data.fd);
	assert(!in_one_order || e[0].data.fd == fd[0]);
}

static void two_pipes_in_any_order(void)
{
	tell_of_two(false);
}

static void two_pipes_in_one_order(void)
{
	tell_of_two(true);
}

/* ---- Who watches what, and when ---- */

static void watches_what_came_before(void)
{
	pthread_t t;

	new_set();
	assert(pipe2(fd, O_NONBLOCK) == 0);
	t = begin_put(fd[1]);
	watch(fd[0], EPOLLIN | EPOLLET);
	assert(wait_for_one() == fd[0] && drain(fd[0]) == 1);
	end(t);
	quiet();
}

/* Whoever asks again needs not read all. */
static void asks_again_behind_each(void)
{
	pthread_t t;

	watch_a_pipe(EPOLLIN | EPOLLET);
	t = begin(put_twice, NULL);
	for (int n = 0; n < 2; n++) {
		assert(wait_for_one() == fd[0]);
		take_from(fd[0]);
		watch_again(fd[0], EPOLLIN | EPOLLET);
	}
	end(t);
}

static void *wait_and_take(void *arg)
{
	take_from(wait_for_one());
	return arg;
}

static void watched_while_somebody_waits(void)
{
	pthread_t t, u;

	new_set();
	assert(pipe(fd) == 0);
	t = begin(wait_and_take, NULL);
	u = begin_put(fd[1]);
	watch(fd[0], EPOLLIN | EPOLLET);
	end(t);
	end(u);
}

static void removed_while_somebody_waits(void)
{
	pthread_t t;

	watch_a_pipe(EPOLLIN);
	assert(pipe(other) == 0);
	watch(other[0], EPOLLIN);
	t = begin(wait_and_take, NULL);
	assert(epoll_ctl(set, EPOLL_CTL_DEL, fd[0], NULL) == 0);
	put_to(fd[1]);
	put_to(other[1]);
	end(t);
	assert(drain(fd[0]) == 1);
}

static void enabled_while_somebody_waits(void)
{
	pthread_t t;

	watch_a_pipe(EPOLLIN | EPOLLONESHOT);
	put_to(fd[1]);
	put_to(fd[1]);
	told(fd[0], EPOLLIN);
	t = begin(wait_and_take, NULL);
	watch_again(fd[0], EPOLLIN | EPOLLONESHOT);
	end(t);
	assert(drain(fd[0]) == 1);
	quiet();
}

static void an_edge_or_a_timeout(void)
{
	struct epoll_event e;
	pthread_t t;
	int n;

	watch_a_pipe(EPOLLIN | EPOLLET);
	t = begin_put(fd[1]);
	n = epoll_wait(set, &e, 1, 10);
	assert(n == 0 || (n == 1 && e.data.fd == fd[0]));
	end(t);
	assert(epoll_wait(set, &e, 1, 0) == 1 - n);
}

static void looks_for_an_edge(void)
{
	struct epoll_event e;
	pthread_t t;

	watch_a_pipe(EPOLLIN | EPOLLET);
	t = begin_put(fd[1]);
	while (epoll_wait(set, &e, 1, 0) == 0)
		sched_yield();
	assert(drain(fd[0]) == 1);
	end(t);
}

static atomic_int handled;

static void count_signal(int sig)
{
	(void)sig;
	atomic_fetch_add(&handled, 1);
}

static pthread_t waiter;

static void *interrupt_and_put(void *arg)
{
	assert(pthread_kill(waiter, SIGUSR1) == 0);
	put_to(fd[1]);
	return arg;
}

/* A handler before the wait, or while it waits, takes no edge away. */
static void wait_interrupted(int times)
{
	struct sigaction a = { .sa_handler = count_signal };
	struct epoll_event e = { .events = 0 };
	pthread_t t;
	int n = -1;

	assert(sigaction(SIGUSR1, &a, NULL) == 0);
	watch_a_pipe(EPOLLIN | EPOLLET);
	waiter = pthread_self();
	t = begin(interrupt_and_put, NULL);
	for (int i = 0; i < times && n < 0; i++) {
		n = epoll_wait(set, &e, 1, -1);
		assert(n == 1 || (errno == EINTR && atomic_load(&handled) == 1));
	}
	if (n < 0) { /* no other comes */
		assert(drain(fd[0]) <= 1);
		wait_for_one(); /* bug: interrupted_and_gone */
	}
	assert(drain(fd[0]) == 1);
	end(t);
}

static void interrupted_and_told_again(void)
{
	wait_interrupted(2);
}

static void interrupted_and_gone(void)
{
	wait_interrupted(1);
}

/* Who reads goes away while somebody writes; who waits is told of the other. */
static void *close_the_reader(void *arg)
{
	assert(close(fd[0]) == 0);
	put_to(other[1]);
	return arg;
}

static void closes_what_is_watched(void)
{
	pthread_t t;

	make_pair();
	assert(pipe2(other, O_NONBLOCK) == 0);
	watch(fd[0], EPOLLIN | EPOLLET);
	watch(other[0], EPOLLIN | EPOLLET);
	t = begin(close_the_reader, NULL);
	send(fd[1], "x", 1, MSG_NOSIGNAL);
	while (wait_for_one() != other[0])
		;
	end(t);
	quiet();
}

CASES(CASE(reads_until_there_is_no_more), CASE(reads_once_for_each_edge),
      CASE(reads_once_for_each_edge), CASE(reads_once_for_each_level),
      CASE(an_edge_that_never_comes), CASE(both_writes_at_once_or_not), CASE(waits_for_a_number),
      CASE(waits_for_each_number), CASE(writes_until_there_is_no_room),
      CASE(waits_for_room_that_was_there), CASE(sends_until_there_is_no_room),
      CASE(both_ways_of_a_socket), CASE(accepts_until_nobody_is_there),
      CASE(accepts_once_for_each_edge), CASE(accepts_once_for_each_level), CASE(the_end_is_an_edge),
      CASE(two_pipes_in_any_order), CASE(two_pipes_in_one_order), CASE(watches_what_came_before),
      CASE(asks_again_behind_each), CASE(watched_while_somebody_waits),
      CASE(removed_while_somebody_waits), CASE(enabled_while_somebody_waits),
      CASE(an_edge_or_a_timeout), CASE(looks_for_an_edge), CASE(interrupted_and_told_again),
      CASE(interrupted_and_gone), CASE(closes_what_is_watched))
