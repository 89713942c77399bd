/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * poll.c - threads that wait for descriptors
 *
 * case poll_waits_for_the_writer: ok 2
 * case poll_of_nothing_to_come: bug deadlock
 * case poll_without_waiting: ok 2
 * case poll_times_out: ok 3
 * case poll_takes_its_time: ok 1
 * case poll_of_two: ok 11
 * case poll_of_two_in_vain: bug deadlock
 * case poll_of_two_of_which_one_comes: ok 2
 * case poll_for_room: ok 2
 * case poll_of_what_is_closed: ok 1
 * case poll_of_sockets: ok 22
 * case select_waits_for_the_writer: ok 2
 * case select_of_nothing_to_come: bug deadlock
 * case select_times_out: ok 3
 * case sleeps_by_select: ok 1
 * case a_loop_of_events: ok 12
 * case a_loop_that_stops_too_late: bug deadlock
 * case looks_until_there_is_something: ok 4
 *
 * ways poll: EINVAL EFAULT EINTR; not ENOMEM (the kernel's)
 * ways ppoll: EINVAL EFAULT EINTR
 * ways select: EBADF EINVAL EINTR; not ENOMEM (likewise)
 * ways pselect: EBADF EINVAL EINTR
 *
 * case poll_EINVAL: ok 1
 * case poll_EFAULT: ok 1
 * case poll_tells_what_is_no_descriptor: ok 1
 * case poll_of_nothing: ok 1
 * case ppoll_EINVAL: ok 1
 * case ppoll_EFAULT: ok 1
 * case select_EBADF: ok 1
 * case select_EINVAL: ok 1
 * case select_of_many_microseconds: ok 1
 * case select_of_nothing: ok 1
 * case pselect_EBADF: ok 1
 * case pselect_EINVAL: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "hooks/fails.h"
#include "hooks/threads.h"

static int fd[2], other[2];
static atomic_int stop;

static void *put(void *arg)
{
	assert(write((int)(long)arg, "x", 1) == 1);
	return arg;
}

static void get(int from)
{
	char c;

	assert(read(from, &c, 1) == 1);
}

static pthread_t begin_put(int to)
{
	return begin(put, (void *)(long)to);
}

static void poll_waits_for_the_writer(void)
{
	struct pollfd p = { .events = POLLIN };
	pthread_t t;

	assert(pipe(fd) == 0);
	p.fd = fd[0];
	t = begin_put(fd[1]);
	assert(poll(&p, 1, -1) == 1 && p.revents == POLLIN);
	get(fd[0]);
	end(t);
}

static void *nothing(void *arg)
{
	return arg;
}

static void poll_of_nothing_to_come(void)
{
	struct pollfd p = { .events = POLLIN };

	assert(pipe(fd) == 0);
	p.fd = fd[0];
	end(begin(nothing, NULL));
	poll(&p, 1, -1); /* bug: poll_of_nothing_to_come */
}

static void poll_without_waiting(void)
{
	struct pollfd p = { .events = POLLIN };
	pthread_t t;
	int n;

	assert(pipe(fd) == 0);
	p.fd = fd[0];
	t = begin_put(fd[1]);
	n = poll(&p, 1, 0);
	assert(n == (p.revents == POLLIN));
	get(fd[0]);
	end(t);
}

static void poll_times_out(void)
{
	struct pollfd p = { .events = POLLIN };
	pthread_t t;
	int n;

	assert(pipe(fd) == 0);
	p.fd = fd[0];
	t = begin_put(fd[1]);
	n = poll(&p, 1, 10);
	assert(n == 0 || (n == 1 && p.revents == POLLIN));
	end(t);
	assert(poll(&p, 1, 10) == 1);
}

static void *wait_a_while(void *arg)
{
	struct pollfd p = { .fd = fd[0], .events = POLLIN };
	struct timespec before, after, while_ = { .tv_nsec = 20000000 };

	clock_gettime(CLOCK_MONOTONIC, &before);
	assert(poll(&p, 1, 20) == 0);
	assert(ppoll(&p, 1, &while_, NULL) == 0);
	assert(poll(NULL, 0, 20) == 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 >=
	       59);
	while_.tv_nsec = 1000000000;
	assert(ppoll(&p, 1, &while_, NULL) == -1 && errno == EINVAL);
	return arg;
}

static void poll_takes_its_time(void)
{
	assert(pipe(fd) == 0);
	THREADS(1, wait_a_while);
}

static void poll_of_two(void)
{
	struct pollfd p[3] = { { .events = POLLIN }, { .fd = -1 }, { .events = POLLIN } };
	pthread_t t[2];
	int n, seen = 0;

	assert(pipe(fd) == 0 && pipe(other) == 0);
	p[0].fd = fd[0];
	p[2].fd = other[0];
	t[0] = begin_put(fd[1]);
	t[1] = begin_put(other[1]);
	while (seen < 2) {
		n = poll(p, 3, -1);
		assert(n > 0 && p[1].revents == 0);
		for (int i = 0; i < 3; i += 2)
			if (p[i].revents) {
				assert(p[i].revents == POLLIN);
				get(p[i].fd);
				seen++;
			}
	}
	end(t[0]);
	end(t[1]);
}

static void poll_both(void)
{
	struct pollfd p[2] = { { .fd = fd[0], .events = POLLIN },
			       { .fd = other[0], .events = POLLIN } };

	assert(poll(p, 2, -1) == 1); /* bug: poll_of_two_in_vain */
}

static void poll_of_two_in_vain(void)
{
	assert(pipe(fd) == 0 && pipe(other) == 0);
	end(begin(nothing, NULL));
	poll_both();
}

static void poll_of_two_of_which_one_comes(void)
{
	pthread_t t;

	assert(pipe(fd) == 0 && pipe(other) == 0);
	t = begin_put(other[1]);
	poll_both();
	end(t);
}

static char big[65536];

static void *take_all(void *arg)
{
	assert(read(fd[0], big, sizeof(big)) == sizeof(big));
	return arg;
}

static void poll_for_room(void)
{
	struct pollfd p = { .events = POLLOUT };
	pthread_t t;

	assert(pipe2(fd, O_NONBLOCK) == 0);
	p.fd = fd[1];
	assert(write(fd[1], big, sizeof(big)) == sizeof(big));
	assert(poll(&p, 1, 0) == 0);
	t = begin(take_all, NULL);
	assert(poll(&p, 1, -1) == 1 && p.revents == POLLOUT);
	assert(write(fd[1], "x", 1) == 1);
	end(t);
}

static void *look_at_closed(void *arg)
{
	struct pollfd p[3] = { { .fd = fd[0], .events = POLLIN },
			       { .fd = other[1], .events = POLLOUT },
			       { .fd = 99, .events = POLLIN } };

	close(fd[1]);
	close(other[0]);
	assert(poll(p, 3, -1) == 3);
	assert(p[0].revents == POLLHUP);
	assert(p[1].revents == (POLLOUT | POLLERR));
	assert(p[2].revents == POLLNVAL);
	return arg;
}

static void poll_of_what_is_closed(void)
{
	assert(pipe(fd) == 0 && pipe(other) == 0);
	THREADS(1, look_at_closed);
}

static void *send_and_close(void *arg)
{
	put((void *)(long)fd[1]);
	close(fd[1]);
	return arg;
}

static void poll_of_sockets(void)
{
	struct pollfd p = { .events = POLLIN | POLLOUT };
	pthread_t t;

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
	p.fd = fd[0];
	assert(poll(&p, 1, 0) == 1 && p.revents == POLLOUT);
	t = begin(send_and_close, NULL);
	p.events = POLLIN;
	assert(poll(&p, 1, -1) == 1 && (p.revents & POLLIN));
	get(fd[0]);
	assert(poll(&p, 1, -1) == 1 && p.revents == (POLLIN | POLLHUP));
	end(t);
}

static fd_set only(int one)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(one, &set);
	return set;
}

static void select_waits_for_the_writer(void)
{
	pthread_t t;
	fd_set in;

	assert(pipe(fd) == 0);
	in = only(fd[0]);
	t = begin_put(fd[1]);
	assert(select(fd[0] + 1, &in, NULL, NULL, NULL) == 1 && FD_ISSET(fd[0], &in));
	get(fd[0]);
	end(t);
}

static void select_of_nothing_to_come(void)
{
	fd_set in;

	assert(pipe(fd) == 0);
	in = only(fd[0]);
	end(begin(nothing, NULL));
	select(fd[0] + 1, &in, NULL, NULL, NULL); /* bug: select_of_nothing_to_come */
}

static void select_times_out(void)
{
	struct timespec s = { .tv_nsec = 1000000 };
	struct timeval us = { .tv_usec = 1000 };
	fd_set in, out;
	pthread_t t;
	int n;

	assert(pipe(fd) == 0);
	in = only(fd[0]);
	t = begin_put(fd[1]);
	n = select(fd[0] + 1, &in, NULL, NULL, &us);
	assert(n == (FD_ISSET(fd[0], &in) != 0));
	end(t);
	in = only(fd[0]);
	out = only(fd[1]);
	assert(pselect(fd[1] + 1, &in, &out, NULL, &s, NULL) == 2);
}

static void *sleep_by_select(void *arg)
{
	struct timeval us = { .tv_usec = 1000 };

	assert(select(0, NULL, NULL, NULL, &us) == 0);
	return arg;
}

static void sleeps_by_select(void)
{
	THREADS(2, sleep_by_select);
}

/* An event loop that others wake by an eventfd. */
static void *run_loop(void *arg)
{
	struct pollfd p = { .fd = fd[0], .events = POLLIN };
	eventfd_t v;

	while (!atomic_load(&stop)) {
		assert(poll(&p, 1, -1) == 1);
		assert(eventfd_read(fd[0], &v) == 0);
	}
	return arg;
}

static void a_loop_of_events(void)
{
	pthread_t t;

	fd[0] = eventfd(0, EFD_NONBLOCK);
	t = begin(run_loop, NULL);
	eventfd_write(fd[0], 1);
	atomic_store(&stop, 1);
	eventfd_write(fd[0], 1);
	end(t);
}

static void a_loop_that_stops_too_late(void)
{
	pthread_t t;

	fd[0] = eventfd(0, EFD_NONBLOCK);
	t = begin(run_loop, NULL);
	eventfd_write(fd[0], 1);
	atomic_store(&stop, 1);
	end(t); /* bug: a_loop_that_stops_too_late */
}

static void looks_until_there_is_something(void)
{
	struct pollfd p = { .events = POLLIN };
	pthread_t t;

	assert(pipe(fd) == 0);
	p.fd = fd[0];
	t = begin_put(fd[1]);
	while (poll(&p, 1, 0) == 0)
		sched_yield();
	get(fd[0]);
	end(t);
}

/* --- how they fail ---------------------------------------------------------------------------- */

enum {
	NONE_THERE = 250 /* no descriptor */
};

static struct pollfd *volatile wild = (struct pollfd *)8;

/* More than the process may have open. */
IN_EACH(poll_EINVAL)
{
	struct rlimit limit;
	struct pollfd p = { .fd = -1 };

	assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	FAILS(EINVAL, poll(&p, limit.rlim_cur + 1, 0));
	FAILS(EINVAL, poll(&p, (nfds_t)-1, 0));
	return arg;
}

IN_EACH(poll_EFAULT)
{
	FAILS(EFAULT, poll(wild, 1, 0));
	assert(poll(wild, 0, 0) == 0);
	return arg;
}

IN_EACH(poll_tells_what_is_no_descriptor)
{
	struct pollfd p[2] = { { .fd = -1, .events = POLLIN, .revents = POLLIN },
			       { .fd = NONE_THERE, .events = POLLIN } };

	assert(poll(p, 2, -1) == 1);
	assert(p[0].revents == 0 && p[1].revents == POLLNVAL);
	return arg;
}

IN_EACH(poll_of_nothing)
{
	struct pollfd p = { .events = POLLIN };
	int fd[2];

	assert(pipe(fd) == 0);
	p.fd = fd[0];
	assert(poll(&p, 1, 0) == 0 && p.revents == 0);
	assert(poll(NULL, 0, 0) == 0);
	assert(write(fd[1], "x", 1) == 1 && poll(&p, 1, -1) == 1 && p.revents == POLLIN);
	close(fd[0]);
	close(fd[1]);
	return arg;
}

IN_EACH(ppoll_EINVAL)
{
	struct timespec t = { 0, 1000000000 };
	struct pollfd p = { .fd = -1 };
	struct rlimit limit;

	FAILS(EINVAL, ppoll(&p, 1, &t, NULL));
	t = (struct timespec){ -1, 0 };
	FAILS(EINVAL, ppoll(&p, 1, &t, NULL));
	t = (struct timespec){ 0, 0 };
	assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	FAILS(EINVAL, ppoll(&p, limit.rlim_cur + 1, &t, NULL));
	return arg;
}

IN_EACH(ppoll_EFAULT)
{
	struct timespec t = { 0, 0 };

	FAILS(EFAULT, ppoll(wild, 1, &t, NULL));
	return arg;
}

static fd_set set_of_one(int fd)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	return set;
}

/* What is between the ends of a pipe, closed again. */
static int closed(void)
{
	int fd[2];

	assert(pipe(fd) == 0 && close(fd[1]) == 0 && close(fd[0]) == 0);
	return fd[0];
}

IN_EACH(select_EBADF)
{
	struct timeval none = { 0, 0 };
	int fd = closed();
	fd_set in = set_of_one(fd), out = set_of_one(fd);

	FAILS(EBADF, select(fd + 1, &in, NULL, NULL, &none));
	FAILS(EBADF, select(fd + 1, NULL, &out, NULL, NULL));
	assert(FD_ISSET(fd, &in) && FD_ISSET(fd, &out));
	assert(select(fd, &in, NULL, NULL, &none) == 0); /* it is not asked for */
	return arg;
}

IN_EACH(select_EINVAL)
{
	struct timeval t = { 0, 0 };

	FAILS(EINVAL, select(-1, NULL, NULL, NULL, &t));
	t = (struct timeval){ -1, 0 };
	FAILS(EINVAL, select(0, NULL, NULL, NULL, &t));
	t = (struct timeval){ 0, -1 };
	FAILS(EINVAL, select(0, NULL, NULL, NULL, &t));
	return arg;
}

/* POSIX leaves it open; Linux takes more than a second of them. */
IN_EACH(select_of_many_microseconds)
{
	struct timeval t = { 0, 2000000 };
	int fd[2];
	fd_set out;

	assert(pipe(fd) == 0);
	out = set_of_one(fd[1]);
	assert(select(fd[1] + 1, NULL, &out, NULL, &t) == 1 && FD_ISSET(fd[1], &out));
	close(fd[0]);
	close(fd[1]);
	return arg;
}

IN_EACH(select_of_nothing)
{
	struct timeval none = { 0, 0 };
	int fd[2];
	fd_set in;

	assert(pipe(fd) == 0);
	in = set_of_one(fd[0]);
	assert(select(fd[0] + 1, &in, NULL, NULL, &none) == 0 && !FD_ISSET(fd[0], &in));
	assert(select(0, NULL, NULL, NULL, &none) == 0);
	close(fd[0]);
	close(fd[1]);
	return arg;
}

IN_EACH(pselect_EBADF)
{
	int fd = closed();
	fd_set in = set_of_one(fd);

	FAILS(EBADF, pselect(fd + 1, &in, NULL, NULL, NULL, NULL));
	return arg;
}

IN_EACH(pselect_EINVAL)
{
	struct timespec t = { 0, 1000000000 };

	FAILS(EINVAL, pselect(0, NULL, NULL, NULL, &t, NULL));
	t = (struct timespec){ -1, 0 };
	FAILS(EINVAL, pselect(0, NULL, NULL, NULL, &t, NULL));
	t = (struct timespec){ 0, 0 };
	FAILS(EINVAL, pselect(-1, NULL, NULL, NULL, &t, NULL));
	return arg;
}

CASES(CASE(poll_waits_for_the_writer), CASE(poll_of_nothing_to_come), CASE(poll_without_waiting),
      CASE(poll_times_out), CASE(poll_takes_its_time), CASE(poll_of_two), CASE(poll_of_two_in_vain),
      CASE(poll_of_two_of_which_one_comes), CASE(poll_for_room), CASE(poll_of_what_is_closed),
      CASE(poll_of_sockets), CASE(select_waits_for_the_writer), CASE(select_of_nothing_to_come),
      CASE(select_times_out), CASE(sleeps_by_select), CASE(a_loop_of_events),
      CASE(a_loop_that_stops_too_late), CASE(looks_until_there_is_something), CASE(poll_EINVAL),
      CASE(poll_EFAULT), CASE(poll_tells_what_is_no_descriptor), CASE(poll_of_nothing),
      CASE(ppoll_EINVAL), CASE(ppoll_EFAULT), CASE(select_EBADF), CASE(select_EINVAL),
      CASE(select_of_many_microseconds), CASE(select_of_nothing), CASE(pselect_EBADF),
      CASE(pselect_EINVAL))
