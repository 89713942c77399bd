/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll_list.c - what epoll reports, step by step: all of it is as Linux has it
 *
 * case an_edge_is_told_once: ok 1
 * case each_write_is_an_edge: ok 1
 * case an_edge_that_finds_nothing: ok 1
 * case to_ask_again_is_an_edge: ok 1
 * case an_edge_for_each_message: ok 1
 * case numbers_are_edges_both_ways: ok 1
 * case room_in_a_pipe: ok 1
 * case room_in_a_socket: ok 1
 * case what_was_sent_was_taken: ok 1
 * case ends_are_edges: ok 1
 * case both_ends_of_what_is_shut: ok 1
 * case one_shot: ok 1
 * case one_shot_of_an_edge: ok 1
 * case asks_for_nothing: ok 1
 * case first_come_first_told: ok 1
 * case in_turn: ok 1
 * case what_was_not_looked_at_comes_first: ok 1
 * case no_room_to_tell: ok 1
 * case closed_but_not_gone: ok 1
 * case closed_and_gone: ok 1
 * case the_same_number_again: ok 1
 * case connections_are_edges: ok 1
 * case exclusive_of_one: ok 1
 * case exclusive_errors: ok 1
 * case told_before_the_threads: ok 1
 * case not_told_before_the_threads: ok 1
 * case many_before_the_threads: ok 1
 * case many_at_once: refused more epoll descriptors
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include "cases.h"
#include "epolls.h"
#include "hooks/threads.h"
#include "sockets.h"

#define IN_A_THREAD(name)                         \
	static void *name##_in_thread(void *arg); \
	static void name(void)                    \
	{                                         \
		THREADS(1, name##_in_thread);     \
	}                                         \
	static void *name##_in_thread(void *arg)

static void make_pipe(int ends[2])
{
	assert(pipe2(ends, O_NONBLOCK) == 0);
}

static void make_pair(int ends[2])
{
	assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
}

IN_A_THREAD(an_edge_is_told_once)
{
	new_set();
	make_pipe(fd);
	watch(fd[0], EPOLLIN | EPOLLET);
	quiet();
	put_to(fd[1]);
	told(fd[0], EPOLLIN);
	quiet(); /* although there is something to read */
	return arg;
}

IN_A_THREAD(each_write_is_an_edge)
{
	new_set();
	make_pipe(fd);
	watch(fd[0], EPOLLIN | EPOLLET);
	put_to(fd[1]);
	told(fd[0], EPOLLIN);
	put_to(fd[1]);
	put_to(fd[1]);
	told(fd[0], EPOLLIN);
	quiet();
	take_from(fd[0]); /* taking is none */
	quiet();
	return arg;
}

IN_A_THREAD(an_edge_that_finds_nothing)
{
	new_set();
	make_pipe(fd);
	watch(fd[0], EPOLLIN | EPOLLET);
	put_to(fd[1]);
	take_from(fd[0]);
	quiet();
	return arg;
}

IN_A_THREAD(to_ask_again_is_an_edge)
{
	new_set();
	make_pipe(fd);
	put_to(fd[1]);
	watch(fd[0], EPOLLIN | EPOLLET);
	told(fd[0], EPOLLIN);
	quiet();
	watch_again(fd[0], EPOLLIN | EPOLLET);
	told(fd[0], EPOLLIN);
	take_from(fd[0]);
	watch_again(fd[0], EPOLLIN | EPOLLET);
	quiet();
	return arg;
}

IN_A_THREAD(an_edge_for_each_message)
{
	new_set();
	make_pair(fd);
	watch(fd[0], EPOLLIN | EPOLLRDHUP | EPOLLET);
	put_to(fd[1]);
	told(fd[0], EPOLLIN);
	quiet();
	put_to(fd[1]);
	told(fd[0], EPOLLIN);
	assert(drain(fd[0]) == 2);
	quiet();
	return arg;
}

IN_A_THREAD(numbers_are_edges_both_ways)
{
	int e = eventfd(0, EFD_NONBLOCK);
	eventfd_t v;

	new_set();
	watch(e, EPOLLIN | EPOLLOUT | EPOLLET);
	told(e, EPOLLOUT);
	quiet();
	assert(eventfd_write(e, 1) == 0);
	told(e, EPOLLIN | EPOLLOUT);
	assert(eventfd_write(e, 1) == 0);
	told(e, EPOLLIN | EPOLLOUT);
	quiet();
	assert(eventfd_read(e, &v) == 0 && v == 2);
	told(e, EPOLLOUT);
	quiet();
	return arg;
}

/* Who reads from a pipe that is not full wakes nobody. */
IN_A_THREAD(room_in_a_pipe)
{
	new_set();
	make_pipe(fd);
	watch(fd[1], EPOLLOUT | EPOLLET);
	told(fd[1], EPOLLOUT);
	put_to(fd[1]);
	take_from(fd[0]);
	quiet();
	fill(fd[1]);
	quiet();
	drain(fd[0]);
	told(fd[1], EPOLLOUT);
	quiet();
	return arg;
}

IN_A_THREAD(room_in_a_socket)
{
	new_set();
	make_pair(fd);
	watch(fd[1], EPOLLOUT | EPOLLET);
	told(fd[1], EPOLLOUT);
	fill(fd[1]);
	quiet();
	drain(fd[0]);
	told(fd[1], EPOLLOUT);
	quiet();
	return arg;
}

/* Room that was there before is news, when all of a message was read. */
IN_A_THREAD(what_was_sent_was_taken)
{
	new_set();
	make_pair(fd);
	watch(fd[1], EPOLLIN | EPOLLOUT | EPOLLET);
	told(fd[1], EPOLLOUT);
	assert(write(fd[1], "two", 2) == 2);
	quiet();
	take_from(fd[0]);
	quiet();
	take_from(fd[0]);
	told(fd[1], EPOLLOUT);
	put_to(fd[0]);
	told(fd[1], EPOLLIN | EPOLLOUT);
	quiet();
	return arg;
}

IN_A_THREAD(ends_are_edges)
{
	new_set();
	make_pipe(fd);
	make_pair(other);
	watch(fd[0], EPOLLET);
	watch(other[0], EPOLLIN | EPOLLRDHUP | EPOLLET);
	close(fd[1]);
	told(fd[0], EPOLLHUP);
	quiet();
	assert(shutdown(other[1], SHUT_WR) == 0);
	told(other[0], EPOLLIN | EPOLLRDHUP);
	quiet();
	close(other[1]);
	told(other[0], EPOLLIN | EPOLLRDHUP | EPOLLHUP);
	quiet();
	make_pipe(fd);
	watch(fd[1], EPOLLET);
	quiet();
	close(fd[0]);
	told(fd[1], EPOLLERR);
	return arg;
}

IN_A_THREAD(both_ends_of_what_is_shut)
{
	struct epoll_event e[2];

	new_set();
	make_pair(fd);
	watch(fd[0], EPOLLOUT | EPOLLET);
	watch(fd[1], EPOLLRDHUP | EPOLLET);
	told(fd[0], EPOLLOUT);
	assert(shutdown(fd[0], SHUT_WR) == 0);
	assert(epoll_wait(set, e, 2, 0) == 2);
	assert(e[0].data.fd == fd[0] && e[0].events == EPOLLOUT);
	assert(e[1].data.fd == fd[1] && e[1].events == EPOLLRDHUP);
	quiet();
	return arg;
}

IN_A_THREAD(one_shot)
{
	new_set();
	make_pipe(fd);
	watch(fd[0], EPOLLIN | EPOLLONESHOT);
	put_to(fd[1]);
	told(fd[0], EPOLLIN);
	quiet();
	put_to(fd[1]);
	quiet();
	close(fd[1]); /* not even that */
	quiet();
	watch_again(fd[0], EPOLLIN | EPOLLONESHOT);
	told(fd[0], EPOLLIN | EPOLLHUP);
	quiet();
	return arg;
}

IN_A_THREAD(one_shot_of_an_edge)
{
	new_set();
	make_pipe(fd);
	watch(fd[0], EPOLLIN | EPOLLONESHOT | EPOLLET);
	put_to(fd[1]);
	told(fd[0], EPOLLIN);
	put_to(fd[1]);
	quiet();
	watch_again(fd[0], EPOLLIN | EPOLLET);
	told(fd[0], EPOLLIN);
	put_to(fd[1]);
	told(fd[0], EPOLLIN);
	quiet();
	return arg;
}

IN_A_THREAD(asks_for_nothing)
{
	new_set();
	make_pipe(fd);
	watch(fd[0], 0);
	put_to(fd[1]);
	quiet();
	watch_again(fd[0], EPOLLIN);
	told(fd[0], EPOLLIN);
	told(fd[0], EPOLLIN);
	assert(epoll_ctl(set, EPOLL_CTL_DEL, fd[0], NULL) == 0);
	quiet();
	return arg;
}

static void told_both(int first, int second)
{
	struct epoll_event e[3];

	assert(epoll_wait(set, e, 3, 0) == 2);
	assert(e[0].data.fd == first && e[1].data.fd == second);
}

IN_A_THREAD(first_come_first_told)
{
	new_set();
	make_pipe(fd);
	make_pipe(other);
	watch(fd[0], EPOLLIN | EPOLLET);
	watch(other[0], EPOLLIN | EPOLLET);
	put_to(other[1]);
	put_to(fd[1]);
	put_to(other[1]);
	told_both(other[0], fd[0]);
	put_to(fd[1]);
	put_to(other[1]);
	told_both(fd[0], other[0]);
	return arg;
}

/* Who asks for one at a time by level is told of all, in turn. */
IN_A_THREAD(in_turn)
{
	new_set();
	make_pipe(fd);
	make_pipe(other);
	watch(fd[0], EPOLLIN);
	watch(other[0], EPOLLIN);
	put_to(fd[1]);
	put_to(other[1]);
	assert(wait_for_one() == fd[0]);
	assert(wait_for_one() == other[0]);
	assert(wait_for_one() == fd[0]);
	take_from(other[0]);
	assert(wait_for_one() == fd[0]);
	return arg;
}

IN_A_THREAD(what_was_not_looked_at_comes_first)
{
	new_set();
	make_pipe(fd);
	make_pipe(other);
	watch(fd[0], EPOLLIN | EPOLLET);
	watch(other[0], EPOLLIN | EPOLLET);
	put_to(fd[1]);
	put_to(other[1]);
	assert(wait_for_one() == fd[0]);
	put_to(fd[1]);
	assert(wait_for_one() == other[0]);
	assert(wait_for_one() == fd[0]);
	quiet();
	return arg;
}

static struct epoll_event *volatile wild = (struct epoll_event *)8;

IN_A_THREAD(no_room_to_tell)
{
	new_set();
	make_pipe(fd);
	watch(fd[0], EPOLLIN | EPOLLET | EPOLLONESHOT);
	put_to(fd[1]);
	assert(epoll_wait(set, wild, 1, 0) == -1 && errno == EFAULT);
	told(fd[0], EPOLLIN);
	quiet();
	return arg;
}

/* What was closed is watched as long as another descriptor leads there. */
IN_A_THREAD(closed_but_not_gone)
{
	int also;

	new_set();
	make_pipe(fd);
	watch(fd[0], EPOLLIN | EPOLLET);
	also = dup(fd[0]);
	assert(also >= 0 && close(fd[0]) == 0);
	put_to(fd[1]);
	told(fd[0], EPOLLIN);
	assert(epoll_ctl(set, EPOLL_CTL_DEL, fd[0], NULL) == -1 && errno == EBADF);
	assert(epoll_ctl(set, EPOLL_CTL_DEL, also, NULL) == -1 && errno == ENOENT);
	put_to(fd[1]);
	told(fd[0], EPOLLIN);
	put_to(fd[1]);
	assert(close(also) == 0);
	quiet();
	return arg;
}

IN_A_THREAD(closed_and_gone)
{
	new_set();
	make_pair(fd);
	watch(fd[0], EPOLLIN | EPOLLET);
	put_to(fd[1]);
	assert(close(fd[0]) == 0);
	quiet();
	return arg;
}

IN_A_THREAD(the_same_number_again)
{
	int before;

	new_set();
	make_pipe(fd);
	watch(fd[0], EPOLLIN | EPOLLET);
	put_to(fd[1]);
	before = fd[0];
	assert(close(fd[0]) == 0 && close(fd[1]) == 0);
	make_pipe(fd);
	assert(fd[0] == before);
	put_to(fd[1]);
	quiet();
	watch(fd[0], EPOLLIN | EPOLLET);
	told(fd[0], EPOLLIN);
	return arg;
}

/* Two come, one is told, and both are there. */
IN_A_THREAD(connections_are_edges)
{
	make_name("heddle-epoll-");
	bind_and_listen(NULL);
	assert(fcntl(server, F_SETFL, O_NONBLOCK) == 0);
	new_set();
	watch(server, EPOLLIN | EPOLLET);
	assert(connect_to_name() == 0 && connect_to_name() == 0);
	told(server, EPOLLIN);
	quiet();
	assert(connect_to_name() == 0);
	told(server, EPOLLIN);
	for (int i = 0; i < 3; i++)
		assert(accept(server, NULL, NULL) >= 0);
	assert(accept(server, NULL, NULL) == -1 && errno == EAGAIN);
	quiet();
	return arg;
}

IN_A_THREAD(exclusive_of_one)
{
	new_set();
	make_pipe(fd);
	watch(fd[0], EPOLLIN | EPOLLEXCLUSIVE | EPOLLET);
	put_to(fd[1]);
	told(fd[0], EPOLLIN);
	quiet();
	return arg;
}

IN_A_THREAD(exclusive_errors)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLEXCLUSIVE | EPOLLONESHOT };

	new_set();
	make_pipe(fd);
	assert(epoll_ctl(set, EPOLL_CTL_ADD, fd[0], &e) == -1 && errno == EINVAL);
	e.events = EPOLLIN | EPOLLEXCLUSIVE;
	assert(epoll_ctl(set, EPOLL_CTL_MOD, fd[0], &e) == -1 && errno == EINVAL);
	assert(epoll_ctl(set, EPOLL_CTL_ADD, fd[0], &e) == 0);
	e.events = EPOLLIN;
	assert(epoll_ctl(set, EPOLL_CTL_MOD, fd[0], &e) == -1 && errno == EINVAL);
	assert(epoll_ctl(set, EPOLL_CTL_DEL, fd[0], &e) == 0);
	return arg;
}

static void *nothing_more(void *arg)
{
	quiet();
	put_to(fd[1]);
	quiet(); /* disabled */
	put_to(other[1]);
	told(other[0], EPOLLIN);
	return arg;
}

static void told_before_the_threads(void)
{
	new_set();
	make_pipe(fd);
	make_pipe(other);
	watch(fd[0], EPOLLIN | EPOLLONESHOT);
	watch(other[0], EPOLLIN | EPOLLET);
	put_to(fd[1]);
	put_to(other[1]);
	told_both(fd[0], other[0]);
	THREADS(1, nothing_more);
}

static void *all_of_it(void *arg)
{
	told_both(other[0], fd[0]);
	quiet();
	return arg;
}

static void not_told_before_the_threads(void)
{
	new_set();
	make_pipe(fd);
	make_pipe(other);
	watch(fd[0], EPOLLIN | EPOLLONESHOT);
	watch(other[0], EPOLLIN | EPOLLET);
	put_to(other[1]);
	put_to(fd[1]);
	THREADS(1, all_of_it);
}

static void *only_one_more(void *arg)
{
	new_set();
	watch(fd[0], EPOLLIN | EPOLLET);
	told(fd[0], EPOLLIN);
	return arg;
}

/* What a program has closed before it has threads takes no room. */
static void many_before_the_threads(void)
{
	make_pipe(fd);
	put_to(fd[1]);
	for (int i = 0; i < 200; i++) {
		only_one_more(NULL);
		assert(close(set) == 0);
	}
	THREADS(1, only_one_more);
}

IN_A_THREAD(many_at_once)
{
	for (int i = 0; i < 100; i++)
		new_set();
	return arg;
}

CASES(CASE(an_edge_is_told_once), CASE(each_write_is_an_edge), CASE(an_edge_that_finds_nothing),
      CASE(to_ask_again_is_an_edge), CASE(an_edge_for_each_message),
      CASE(numbers_are_edges_both_ways), CASE(room_in_a_pipe), CASE(room_in_a_socket),
      CASE(what_was_sent_was_taken), CASE(ends_are_edges), CASE(both_ends_of_what_is_shut),
      CASE(one_shot), CASE(one_shot_of_an_edge), CASE(asks_for_nothing),
      CASE(first_come_first_told), CASE(in_turn), CASE(what_was_not_looked_at_comes_first),
      CASE(no_room_to_tell), CASE(closed_but_not_gone), CASE(closed_and_gone),
      CASE(the_same_number_again), CASE(connections_are_edges), CASE(exclusive_of_one),
      CASE(exclusive_errors), CASE(told_before_the_threads), CASE(not_told_before_the_threads),
      CASE(many_before_the_threads), CASE(many_at_once))
