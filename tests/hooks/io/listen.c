/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * listen.c - connections between threads
 *
 * case accepts_who_connects: ok 4
 * case connects_on_a_path: ok 1
 * case accepted_before_the_threads: ok 1
 * case names_of_both_ends: ok 1
 * case accept_without_waiting: ok 2
 * case connects_again_and_again: ok 20
 * case poll_says_that_somebody_connects: ok 8
 * case two_clients_in_one_order: bug assertion at assert(first == 'a
 * case two_clients_in_any_order: ok 64
 * case two_servers: ok 40
 * case nobody_accepts: ok 1
 * case nobody_connects: bug deadlock at end(begin(serve, NULL))
 * case the_other_end_says_nothing: bug deadlock
 * case closes_before_it_accepts: ok 2
 * case end_of_a_connection: ok 2
 * case read_of_one_that_listens: ok 1
 * case options_of_tcp: ok 1
 * case connects_before_or_behind_listen: ok 2
 * case connects_before_or_behind_bind: ok 2
 * case connects_before_or_behind_bind -j 2: ok 2
 * case connects_to_a_path_in_any_order: ok 3
 * case connects_to_a_path_in_any_order -j 2: ok 3
 * case somebody_listens_for_sure: bug assertion at assert(connect_at(new_socket()) == 0)
 * case closes_while_somebody_connects: ok 2
 * case tries_until_somebody_listens: ok 4
 * case tries_with_a_new_socket: ok 4
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/threads.h"
#include "sockets.h"

static void *say_twice(void *arg)
{
	say("x");
	say("y");
	return arg;
}

static void *connect_only(void *arg)
{
	connect_there();
	return arg;
}

static void accepts_who_connects(void)
{
	pthread_t t;

	listen_here();
	t = begin(say, "a");
	assert(heard() == 'a');
	end(t);
}

static struct sockaddr_un path = { .sun_family = AF_UNIX, .sun_path = "\0heddle-listen" };
static const socklen_t path_size = offsetof(struct sockaddr_un, sun_path) + 14;

static void *say_on_a_path(void *arg)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	char c;

	assert(connect(s, (struct sockaddr *)&path, path_size) == 0);
	assert(write(s, "?", 1) == 1 && read(s, &c, 1) == 1 && c == '!');
	return arg;
}

static void connects_on_a_path(void)
{
	pthread_t t;
	int s;
	char c;

	server = socket(AF_UNIX, SOCK_STREAM, 0);
	assert(bind(server, (struct sockaddr *)&path, path_size) == 0 && listen(server, 1) == 0);
	t = begin(say_on_a_path, NULL);
	s = accept(server, NULL, NULL);
	assert(read(s, &c, 1) == 1 && c == '?' && write(s, "!", 1) == 1);
	end(t);
}

static int early;

static void *write_early(void *arg)
{
	assert(write(early, "e", 1) == 1);
	return arg;
}

static void accepted_before_the_threads(void)
{
	pthread_t t;
	char c;
	int s;

	listen_here();
	early = connect_there();
	s = accept(server, NULL, NULL);
	t = begin(write_early, NULL);
	assert(read(s, &c, 1) == 1 && c == 'e');
	end(t);
}

static void *look_at_names(void *arg)
{
	int s = connect_there(), other;
	struct sockaddr_in here = { 0 }, there = { 0 };
	socklen_t size = sizeof(here);

	other = accept(server, (struct sockaddr *)&here, &size);
	assert(other >= 0 && size == sizeof(here) && here.sin_family == AF_INET);
	size = sizeof(there);
	assert(getpeername(s, (struct sockaddr *)&there, &size) == 0 && size == sizeof(there));
	assert(there.sin_port == at.sin_port);
	return arg;
}

static void names_of_both_ends(void)
{
	listen_here();
	end(begin(look_at_names, NULL));
}

static void accept_without_waiting(void)
{
	pthread_t t;
	int s;

	listen_here();
	assert(fcntl(server, F_SETFL, O_NONBLOCK) == 0);
	t = begin(connect_only, NULL);
	s = accept4(server, NULL, NULL, SOCK_CLOEXEC);
	assert(s >= 0 || errno == EAGAIN);
	end(t);
	if (s < 0)
		s = accept(server, NULL, NULL);
	assert(s >= 0);
}

static void connects_again_and_again(void)
{
	pthread_t t;

	listen_here();
	t = begin(say_twice, NULL);
	assert(heard() == 'x');
	assert(heard() == 'y');
	end(t);
}

static void poll_says_that_somebody_connects(void)
{
	struct pollfd p;
	pthread_t t;

	listen_here();
	p = (struct pollfd){ .fd = server, .events = POLLIN };
	t = begin(say, "a");
	assert(poll(&p, 1, -1) == 1 && p.revents == POLLIN);
	assert(heard() == 'a');
	end(t);
}

static void two_clients(char *first, char *second)
{
	pthread_t a, b;

	listen_here();
	a = begin(say, "a");
	b = begin(say, "b");
	*first = heard();
	*second = heard();
	end(a);
	end(b);
}

static void two_clients_in_one_order(void)
{
	char first, second;

	two_clients(&first, &second);
	assert(first == 'a' && second == 'b');
}

static void two_clients_in_any_order(void)
{
	char first, second;

	two_clients(&first, &second);
	assert(first + second == 'a' + 'b');
}

static void *serve(void *arg)
{
	heard();
	return arg;
}

static void two_servers(void)
{
	pthread_t a, b;

	listen_here();
	a = begin(serve, NULL);
	b = begin(serve, NULL);
	say("x");
	say("y");
	end(a);
	end(b);
}

static void nobody_accepts(void)
{
	listen_here();
	end(begin(say, "a"));
}

static void nobody_connects(void)
{
	listen_here();
	end(begin(serve, NULL));
}

static void the_other_end_says_nothing(void)
{
	pthread_t t;

	listen_here();
	t = begin(connect_only, NULL);
	heard(); /* bug: the_other_end_says_nothing */
	end(t);
}

static void *hear_the_end(void *arg)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	char c;

	if (connect(s, (struct sockaddr *)&at, sizeof(at)) == 0)
		assert(recv(s, &c, 1, 0) <= 0);
	else
		assert(errno == ECONNREFUSED);
	return arg;
}

static void closes_before_it_accepts(void)
{
	pthread_t t;

	listen_here();
	t = begin(hear_the_end, NULL);
	close(server);
	end(t);
}

static void end_of_a_connection(void)
{
	pthread_t t;
	char c;
	int s;

	listen_here();
	t = begin(say, "a");
	s = accept(server, NULL, NULL);
	assert(read(s, &c, 1) == 1 && read(s, &c, 1) == 0);
	end(t);
}

static void *read_there(void *arg)
{
	char c;

	assert(read(server, &c, 1) == -1 && errno == ENOTCONN);
	return arg;
}

static void read_of_one_that_listens(void)
{
	listen_here();
	end(begin(read_there, NULL));
}

static void *set_options(void *arg)
{
	int s = connect_there(), on = 1;

	assert(setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0);
	assert(setsockopt(s, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on)) == 0);
	return arg;
}

static void options_of_tcp(void)
{
	listen_here();
	end(begin(set_options, NULL));
}

/* ---- Before and behind listen() ------------------------------------------------------------- */

static void connects_before_or_behind_listen(void)
{
	pthread_t t;
	int s;

	bind_here();
	t = begin(only_listen, NULL);
	s = new_socket();
	assert(connect_at(s) == 0 || errno == ECONNREFUSED);
	end(t);
	s = new_socket();
	assert(connect_at(s) == 0);
}

static void somebody_listens_for_sure(void)
{
	pthread_t t;

	bind_here();
	t = begin(only_listen, NULL);
	assert(connect_at(new_socket()) == 0);
	end(t);
}

static void connects_before_or_behind_bind(void)
{
	pthread_t t;

	make_name("heddle-listen-");
	t = begin(bind_and_listen, NULL);
	assert(connect_to_name() == 0 || errno == ECONNREFUSED);
	end(t);
	assert(connect_to_name() == 0);
}

static void connects_to_a_path_in_any_order(void)
{
	pthread_t t;

	make_path();
	t = begin(bind_and_listen, NULL);
	assert(connect_to_name() == 0 || errno == ENOENT || errno == ECONNREFUSED);
	end(t);
	assert(connect_to_name() == 0 && access(name.sun_path, F_OK) == 0);
	assert(close(server) == 0);
	assert(connect_to_name() == -1 && errno == ECONNREFUSED);
	assert(unlink(name.sun_path) == 0);
	assert(connect_to_name() == -1 && errno == ENOENT);
}

static void *connect_or_not(void *arg)
{
	assert(connect_at(new_socket()) == 0 || errno == ECONNREFUSED);
	return arg;
}

static void closes_while_somebody_connects(void)
{
	pthread_t t;

	listen_here();
	t = begin(connect_or_not, NULL);
	assert(close(server) == 0);
	end(t);
	assert(connect_at(new_socket()) == -1 && errno == ECONNREFUSED);
}

static void tries_until_somebody_listens(void)
{
	pthread_t t;
	int s;

	bind_here();
	s = new_socket();
	t = begin(only_listen, NULL);
	while (connect_at(s))
		sched_yield();
	end(t);
	assert(accept(server, NULL, NULL) >= 0);
}

static void *listen_and_hear(void *arg)
{
	only_listen(NULL);
	assert(heard() == 'x');
	return arg;
}

static void tries_with_a_new_socket(void)
{
	pthread_t t;
	int s;

	bind_here();
	t = begin(listen_and_hear, NULL);
	for (;;) {
		s = new_socket();
		if (connect_at(s) == 0)
			break;
		assert(errno == ECONNREFUSED);
		close(s);
		usleep(1000);
	}
	assert(write(s, "x", 1) == 1);
	end(t);
}

CASES(CASE(accepts_who_connects), CASE(connects_on_a_path), CASE(accepted_before_the_threads),
      CASE(names_of_both_ends), CASE(accept_without_waiting), CASE(connects_again_and_again),
      CASE(poll_says_that_somebody_connects), CASE(two_clients_in_one_order),
      CASE(two_clients_in_any_order), CASE(two_servers), CASE(nobody_accepts),
      CASE(nobody_connects), CASE(the_other_end_says_nothing), CASE(closes_before_it_accepts),
      CASE(end_of_a_connection), CASE(read_of_one_that_listens), CASE(options_of_tcp),
      CASE(connects_before_or_behind_listen), CASE(connects_before_or_behind_bind),
      CASE(connects_to_a_path_in_any_order), CASE(somebody_listens_for_sure),
      CASE(closes_while_somebody_connects), CASE(tries_until_somebody_listens),
      CASE(tries_with_a_new_socket))
