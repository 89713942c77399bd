/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * poll_ends.c - threads that wait for the end of a descriptor, for both of its ways, or for the same by
 * other names
 *
 * case the_end_of_a_pipe: ok 3
 * case an_end_that_never_comes: bug deadlock at assert(poll(&p, 1, -1) == 1)
 * case nobody_reads_any_more: ok 2
 * case a_socket_hangs_up: ok 5
 * case a_socket_that_is_half_open: bug deadlock at assert(poll(&p, 1, -1) == 1)
 * case a_socket_was_shut_for_writing: ok 2
 * case either_way_of_a_socket: ok 5
 * case the_other_way_of_a_socket: ok 2
 * case normal_data: ok 2
 * case room_for_normal_data: ok 1
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/threads.h"

static int fd[2];
static char bytes[65536];

static short wait_for(int which, short events)
{
	struct pollfd p = { .fd = which, .events = events };

	assert(poll(&p, 1, -1) == 1);
	return p.revents;
}

static void *write_and_close(void *arg)
{
	assert(write(fd[1], "x", 1) == 1);
	assert(arg || close(fd[1]) == 0);
	return NULL;
}

/* What is to be read meanwhile is not what was asked for. */
static void the_end_of_a_pipe(void)
{
	pthread_t t;

	assert(pipe(fd) == 0);
	t = begin(write_and_close, NULL);
	assert(wait_for(fd[0], 0) == POLLHUP);
	end(t);
}

static void an_end_that_never_comes(void)
{
	pthread_t t;

	assert(pipe(fd) == 0);
	t = begin(write_and_close, fd);
	wait_for(fd[0], 0);
	end(t);
}

static void *close_first(void *arg)
{
	assert(close(fd[0]) == 0);
	return arg;
}

static void nobody_reads_any_more(void)
{
	pthread_t t;

	assert(pipe(fd) == 0);
	t = begin(close_first, NULL);
	assert(wait_for(fd[1], 0) == POLLERR);
	end(t);
}

static void make_pair(void)
{
	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
}

static void a_socket_hangs_up(void)
{
	pthread_t t;

	make_pair();
	t = begin(write_and_close, NULL);
	assert(wait_for(fd[0], 0) == POLLHUP);
	end(t);
}

static void *shut(void *arg)
{
	assert(shutdown(fd[1], SHUT_WR) == 0);
	return arg;
}

static void a_socket_that_is_half_open(void)
{
	pthread_t t;

	make_pair();
	t = begin(shut, NULL);
	wait_for(fd[0], 0);
	end(t);
}

static void a_socket_was_shut_for_writing(void)
{
	pthread_t t;

	make_pair();
	t = begin(shut, NULL);
	assert(wait_for(fd[0], POLLRDHUP) == POLLRDHUP);
	end(t);
}

/* There is nothing to read, and no room to write. */
static void fill(void)
{
	make_pair();
	while (send(fd[0], bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
}

static void *read_all(void *arg)
{
	while (recv(fd[1], bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	return arg;
}

static void either_way_of_a_socket(void)
{
	pthread_t t;

	fill();
	t = begin(read_all, NULL);
	assert(wait_for(fd[0], POLLIN | POLLOUT) == POLLOUT);
	end(t);
}

static void *write_back(void *arg)
{
	assert(send(fd[1], "x", 1, 0) == 1);
	return arg;
}

static void the_other_way_of_a_socket(void)
{
	pthread_t t;

	fill();
	t = begin(write_back, NULL);
	assert(wait_for(fd[0], POLLIN | POLLOUT) == POLLIN);
	end(t);
}

static void normal_data(void)
{
	pthread_t t;

	assert(pipe(fd) == 0);
	t = begin(write_and_close, fd);
	assert(wait_for(fd[0], POLLRDNORM) == POLLRDNORM);
	end(t);
	assert(wait_for(fd[0], POLLIN | POLLRDNORM) == (POLLIN | POLLRDNORM));
}

static void *look_for_room(void *arg)
{
	assert(pipe(fd) == 0);
	assert(wait_for(fd[1], POLLWRNORM) == POLLWRNORM);
	assert(wait_for(fd[1], POLLOUT | POLLWRNORM) == (POLLOUT | POLLWRNORM));
	return arg;
}

static void room_for_normal_data(void)
{
	end(begin(look_for_room, NULL));
}

CASES(CASE(the_end_of_a_pipe), CASE(an_end_that_never_comes), CASE(nobody_reads_any_more),
      CASE(a_socket_hangs_up), CASE(a_socket_that_is_half_open),
      CASE(a_socket_was_shut_for_writing), CASE(either_way_of_a_socket),
      CASE(the_other_way_of_a_socket), CASE(normal_data), CASE(room_for_normal_data))
