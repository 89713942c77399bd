/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * socket.c - local sockets between threads, and epoll
 *
 * case send_and_receive: ok 1
 * case messages_in_parts: ok 1
 * case without_waiting: ok 2
 * case shut_for_writing: ok 3
 * case many_small_messages: ok 1
 * case sendto_and_recvfrom: ok 1
 * case epoll_waits_for_the_writer: ok 1
 * case epoll_of_nothing_to_come: bug deadlock
 * case epoll_times_out: ok 3
 * case epoll_errors: ok 1
 * case epoll_of_two: ok 10
 * case a_loop_that_is_woken: ok 2
 * case nobody_connects: bug deadlock at THREADS(1, accept_one)
 * case nothing_comes_from_outside: refused recv
 * case looks_before_it_receives: ok 1
 * case looks_without_waiting: ok 2
 * case looks_at_the_end: ok 1
 * case two_look_and_one_takes: ok 11
 * case receives_all: ok 2
 * case receives_all_there_is: ok 2
 * case tries_to_receive: ok 4
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/threads.h"

static int fd[2], other[2], set;
static atomic_int stop;

static void make_pair(void)
{
	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
}

static void *echo(void *arg)
{
	char c;

	assert(recv(fd[1], &c, 1, 0) == 1);
	assert(send(fd[1], &c, 1, MSG_NOSIGNAL) == 1);
	return arg;
}

static void send_and_receive(void)
{
	pthread_t t;
	char c = 0;

	make_pair();
	t = begin(echo, NULL);
	assert(send(fd[0], "a", 1, 0) == 1);
	assert(recvfrom(fd[0], &c, 1, 0, NULL, NULL) == 1 && c == 'a');
	end(t);
}

static void *use_messages(void *arg)
{
	char a[2] = "xy", b[1], c[5];
	struct iovec out = { a, 2 }, in[2] = { { b, 1 }, { c, 5 } };
	struct msghdr m = { .msg_iov = &out, .msg_iovlen = 1 };

	assert(sendmsg(fd[0], &m, 0) == 2);
	m.msg_iov = in;
	m.msg_iovlen = 2;
	assert(recvmsg(fd[1], &m, 0) == 2 && b[0] == 'x' && c[0] == 'y');
	return arg;
}

static void messages_in_parts(void)
{
	make_pair();
	use_messages(NULL);
	THREADS(1, use_messages);
}

static void *send_one(void *arg)
{
	assert(send(fd[1], "a", 1, 0) == 1);
	return arg;
}

static void without_waiting(void)
{
	pthread_t t;
	ssize_t n;
	char c;

	make_pair();
	t = begin(send_one, NULL);
	n = recv(fd[0], &c, 1, MSG_DONTWAIT);
	assert(n == 1 || (n == -1 && errno == EAGAIN));
	end(t);
}

static void *send_last(void *arg)
{
	send_one(NULL);
	assert(shutdown(fd[1], SHUT_WR) == 0);
	assert(send(fd[1], "b", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
	return arg;
}

static void shut_for_writing(void)
{
	pthread_t t;
	char c;

	make_pair();
	t = begin(send_last, NULL);
	assert(recv(fd[0], &c, 1, 0) == 1 && recv(fd[0], &c, 1, 0) == 0);
	assert(send(fd[0], "c", 1, 0) == 1);
	end(t);
	assert(recv(fd[1], &c, 1, 0) == 1 && c == 'c');
}

/* Each takes the kernel as much room as a page; natively not all of them find it. */
static void *send_small_ones(void *arg)
{
	unsigned char c;
	int n = 0;

	while (n < 600 && send(fd[0], &(unsigned char){ n & 255 }, 1, MSG_DONTWAIT) == 1)
		n++;
	assert(n == 600 || errno == EAGAIN);
	for (int i = 0; i < n; i++)
		assert(recv(fd[1], &c, 1, 0) == 1 && c == (i & 255));
	return arg;
}

static void many_small_messages(void)
{
	make_pair();
	THREADS(1, send_small_ones);
}

/* ---- epoll ---- */

static void watch(int what, uint64_t data)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = data };

	assert(epoll_ctl(set, EPOLL_CTL_ADD, what, &e) == 0);
}

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

static void make_set(void)
{
	set = epoll_create1(EPOLL_CLOEXEC);
	assert(set >= 0 && pipe(fd) == 0 && pipe(other) == 0);
	watch(fd[0], 7);
}

static void epoll_waits_for_the_writer(void)
{
	struct epoll_event e = { 0 };
	pthread_t t;

	make_set();
	t = begin(put, (void *)(long)fd[1]);
	assert(epoll_wait(set, &e, 1, -1) == 1 && e.events == EPOLLIN && e.data.u64 == 7);
	get(fd[0]);
	assert(epoll_wait(set, &e, 1, 0) == 0);
	end(t);
}

static void *nothing(void *arg)
{
	return arg;
}

static void epoll_of_nothing_to_come(void)
{
	struct epoll_event e;

	make_set();
	end(begin(nothing, NULL));
	epoll_wait(set, &e, 1, -1); /* bug: epoll_of_nothing_to_come */
}

static void epoll_times_out(void)
{
	struct epoll_event e[2];
	pthread_t t;
	int n;

	make_set();
	t = begin(put, (void *)(long)fd[1]);
	n = epoll_pwait(set, e, 2, 10, NULL);
	assert(n == 0 || n == 1);
	end(t);
	assert(epoll_wait(set, e, 2, 10) == 1);
}

static void *use_wrongly(void *arg)
{
	struct epoll_event e = { .events = EPOLLIN };

	assert(epoll_ctl(set, EPOLL_CTL_ADD, fd[0], &e) == -1 && errno == EEXIST);
	assert(epoll_ctl(set, EPOLL_CTL_DEL, other[0], NULL) == -1 && errno == ENOENT);
	assert(epoll_ctl(set, EPOLL_CTL_ADD, 99, &e) == -1 && errno == EBADF);
	assert(epoll_ctl(set, EPOLL_CTL_ADD, set, &e) == -1 && errno == EINVAL);
	assert(epoll_wait(set, &e, 0, 0) == -1 && errno == EINVAL);
	assert(epoll_ctl(set, EPOLL_CTL_DEL, fd[0], NULL) == 0);
	put((void *)(long)fd[1]);
	assert(epoll_wait(set, &e, 1, 0) == 0);
	e.events = EPOLLIN;
	assert(epoll_ctl(set, EPOLL_CTL_ADD, fd[0], &e) == 0);
	assert(epoll_wait(set, &e, 1, 0) == 1);
	e.events = 0;
	assert(epoll_ctl(set, EPOLL_CTL_MOD, fd[0], &e) == 0);
	assert(epoll_wait(set, &e, 1, 0) == 0);
	return arg;
}

static void epoll_errors(void)
{
	make_set();
	THREADS(1, use_wrongly);
}

static void epoll_of_two(void)
{
	struct epoll_event e[2];
	pthread_t t[2];
	int seen = 0;

	make_set();
	watch(other[0], 8);
	t[0] = begin(put, (void *)(long)fd[1]);
	t[1] = begin(put, (void *)(long)other[1]);
	while (seen < 2) {
		int n = epoll_wait(set, e, 2, -1);

		assert(n == 1 || n == 2);
		for (int i = 0; i < n; i++)
			get(e[i].data.u64 == 7 ? fd[0] : other[0]);
		seen += n;
	}
	end(t[0]);
	end(t[1]);
}

/* As libraries of events do it: an eventfd wakes the loop. */
static void *run_loop(void *arg)
{
	struct epoll_event e;
	eventfd_t v;

	while (!atomic_load(&stop)) {
		assert(epoll_wait(set, &e, 1, -1) == 1);
		assert(eventfd_read(fd[0], &v) == 0);
	}
	return arg;
}

static void a_loop_that_is_woken(void)
{
	pthread_t t;

	set = epoll_create1(0);
	fd[0] = eventfd(0, EFD_NONBLOCK);
	watch(fd[0], 1);
	t = begin(run_loop, NULL);
	atomic_store(&stop, 1);
	eventfd_write(fd[0], 1);
	end(t);
}

/* ---- The world outside ---- */

static void *accept_one(void *arg)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int s = socket(AF_INET, SOCK_STREAM, 0);

	assert(s >= 0 && bind(s, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(s, 1) == 0);
	accept(s, NULL, NULL);
	return arg;
}

static void *send_to_the_other_end(void *arg)
{
	struct sockaddr_un nowhere = { .sun_family = AF_UNIX };

	assert(sendto(fd[0], "x", 1, 0, (struct sockaddr *)&nowhere, sizeof(nowhere)) == -1);
	assert(errno == EISCONN);
	assert(sendto(fd[0], "x", 1, 0, NULL, 0) == 1);
	return arg;
}

static void sendto_and_recvfrom(void)
{
	pthread_t t;
	char c;

	make_pair();
	t = begin(send_to_the_other_end, NULL);
	assert(recvfrom(fd[1], &c, 1, 0, NULL, NULL) == 1 && c == 'x');
	end(t);
}

static void nobody_connects(void)
{
	THREADS(1, accept_one);
}

static void *receive_one(void *arg)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	char c;

	assert(s >= 0 && bind(s, (struct sockaddr *)&at, sizeof(at)) == 0);
	recv(s, &c, 1, 0);
	return arg;
}

static void nothing_comes_from_outside(void)
{
	THREADS(1, receive_one);
}

static void *send_two(void *arg)
{
	assert(send(fd[1], "a", 1, 0) == 1);
	assert(send(fd[1], "b", 1, 0) == 1);
	return arg;
}

static void *send_an_a(void *arg)
{
	assert(send(fd[1], "a", 1, 0) == 1);
	return arg;
}

static void looks_before_it_receives(void)
{
	pthread_t t;
	char c = 0;

	make_pair();
	t = begin(send_an_a, NULL);
	assert(recv(fd[0], &c, 1, MSG_PEEK) == 1 && c == 'a');
	c = 0;
	assert(recv(fd[0], &c, 1, MSG_PEEK) == 1 && c == 'a');
	assert(recv(fd[0], &c, 1, 0) == 1 && c == 'a');
	assert(recv(fd[0], &c, 1, MSG_PEEK | MSG_DONTWAIT) == -1 && errno == EAGAIN);
	end(t);
}

static void looks_without_waiting(void)
{
	pthread_t t;
	char c[2];
	ssize_t n;

	make_pair();
	t = begin(send_an_a, NULL);
	n = recv(fd[0], c, 2, MSG_PEEK | MSG_DONTWAIT);
	assert((n == 1 && c[0] == 'a') || (n == -1 && errno == EAGAIN));
	end(t);
	assert(recv(fd[0], c, 2, MSG_PEEK) == 1 && c[0] == 'a');
}

static void *shut_the_other(void *arg)
{
	assert(shutdown(fd[1], SHUT_WR) == 0);
	return arg;
}

static void looks_at_the_end(void)
{
	pthread_t t;
	char c;

	make_pair();
	t = begin(shut_the_other, NULL);
	assert(recv(fd[0], &c, 1, MSG_PEEK) == 0);
	end(t);
}

static void *look_again(void *arg)
{
	char c;
	ssize_t n = recv(fd[0], &c, 1, MSG_PEEK | MSG_DONTWAIT);

	assert((n == 1 && (c == 'a' || c == 'b')) || (n == -1 && errno == EAGAIN));
	return arg;
}

static void two_look_and_one_takes(void)
{
	pthread_t t, u;
	char c;

	make_pair();
	send_two(NULL);
	t = begin(look_again, NULL);
	u = begin(look_again, NULL);
	assert(recv(fd[0], &c, 1, 0) == 1 && c == 'a');
	assert(recv(fd[0], &c, 1, 0) == 1 && c == 'b');
	end(t);
	end(u);
}

static void receives_all(void)
{
	pthread_t t;
	char c[2];

	make_pair();
	t = begin(send_two, NULL);
	assert(recv(fd[0], c, 2, MSG_WAITALL) == 2 && c[0] == 'a' && c[1] == 'b');
	end(t);
}

static void *send_one_and_close(void *arg)
{
	send_an_a(NULL);
	close(fd[1]);
	return arg;
}

static void receives_all_there_is(void)
{
	char c[2][2];
	struct iovec v[2] = { { c[0], 1 }, { c[1], 2 } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };
	pthread_t t;

	make_pair();
	t = begin(send_one_and_close, NULL);
	assert(recvmsg(fd[0], &m, MSG_WAITALL) == 1 && c[0][0] == 'a');
	assert(recv(fd[0], c[0], 2, MSG_WAITALL) == 0);
	end(t);
}

static void tries_to_receive(void)
{
	struct epoll_event e;
	pthread_t t;
	char c;

	make_pair();
	set = epoll_create1(0);
	watch(fd[0], 7);
	t = begin(put, (void *)(long)fd[1]);
	while (epoll_wait(set, &e, 1, 0) == 0)
		sched_yield();
	while (recv(fd[0], &c, 1, MSG_DONTWAIT) < 0)
		assert(errno == EAGAIN);
	end(t);
}

CASES(CASE(send_and_receive), CASE(messages_in_parts), CASE(without_waiting),
      CASE(shut_for_writing), CASE(many_small_messages), CASE(epoll_waits_for_the_writer),
      CASE(epoll_of_nothing_to_come), CASE(epoll_times_out), CASE(epoll_errors), CASE(epoll_of_two),
      CASE(a_loop_that_is_woken), CASE(sendto_and_recvfrom), CASE(nobody_connects),
      CASE(nothing_comes_from_outside), CASE(looks_before_it_receives), CASE(looks_without_waiting),
      CASE(looks_at_the_end), CASE(two_look_and_one_takes), CASE(receives_all),
      CASE(receives_all_there_is), CASE(tries_to_receive))
