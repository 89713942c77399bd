/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * listen.c - connections between threads
 *
 * case accepts_who_connects: ok *
 * case connects_on_a_path: ok *
 * case accepted_before_the_threads: ok *
 * case names_of_both_ends: ok 1
 * case accept_without_waiting: ok 2
 * case connects_again_and_again: ok *
 * case poll_says_that_somebody_connects: ok *
 * case two_clients_in_one_order: bug assertion
 * case two_clients_in_any_order: ok *
 * case two_servers: ok *
 * case connects_to_nobody: ok 1
 * case nobody_accepts: ok 1
 * case nobody_connects: bug deadlock
 * case the_other_end_says_nothing: bug deadlock
 * case closes_before_it_accepts: ok *
 * case end_of_a_connection: ok *
 * case read_of_one_that_listens: ok 1
 * case options_of_tcp: ok 1
 * case connects_before_or_behind_listen: ok 2
 * case connects_before_or_behind_bind: ok 2
 * case connects_before_or_behind_bind -j 2: ok 2
 * case connects_to_a_path_in_any_order: ok 3
 * case connects_to_a_path_in_any_order -j 2: ok 3
 * case somebody_listens_for_sure: bug assertion
 * case closes_while_somebody_connects: ok 2
 * case tries_until_somebody_listens: ok *
 * case tries_with_a_new_socket: ok *
 * case two_bind_to_one_port: ok 2
 * case two_bind_to_one_port -j 2: ok 2
 * case serves_at_a_fixed_port: ok *
 * case serves_at_a_fixed_port -j 2: ok *
 * case listens_at_a_fixed_port_before -j 2: ok 4
 * case a_child_connects: ok 1
 * case many_connections: ok 1
 * case bind_errors: ok 1
 * case listens_again: ok 1
 * case listens_without_a_port: ok 1
 * case a_duplicate_listens_on: ok 1
 * case unlinked_path: ok 1
 * case accept_of_what_was_shut_down: ok 1
 * case names_agree: ok 1
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
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "threads.h"

static struct sockaddr_in at;
static int server;

static void listen_here(void)
{
	socklen_t size = sizeof(at);

	at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	server = socket(AF_INET, SOCK_STREAM, 0);
	assert(server >= 0 && bind(server, (struct sockaddr *)&at, sizeof(at)) == 0);
	assert(listen(server, 4) == 0);
	assert(getsockname(server, (struct sockaddr *)&at, &size) == 0);
}

static int connect_there(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);

	assert(s >= 0 && connect(s, (struct sockaddr *)&at, sizeof(at)) == 0);
	return s;
}

static void *say(void *what)
{
	int s = connect_there();

	assert(send(s, what, 1, 0) == 1);
	close(s);
	return NULL;
}

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

static char heard(void)
{
	int s = accept(server, NULL, NULL);
	char c;

	assert(s >= 0 && read(s, &c, 1) == 1);
	close(s);
	return c;
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

static void *find_nobody(void *arg)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);

	assert(connect(s, (struct sockaddr *)&at, sizeof(at)) == -1 && errno == ECONNREFUSED);
	return arg;
}

static void connects_to_nobody(void)
{
	listen_here();
	close(server);
	end(begin(find_nobody, NULL));
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
	heard();
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

static int new_socket(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);

	assert(s >= 0);
	return s;
}

static void bind_here(void)
{
	socklen_t size = sizeof(at);

	at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	server = new_socket();
	assert(bind(server, (struct sockaddr *)&at, sizeof(at)) == 0);
	assert(getsockname(server, (struct sockaddr *)&at, &size) == 0 && at.sin_port);
}

static void *only_listen(void *arg)
{
	assert(listen(server, 4) == 0);
	return arg;
}

static int connect_at(int s)
{
	return connect(s, (struct sockaddr *)&at, sizeof(at));
}

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

static struct sockaddr_un name;
static socklen_t name_size;

/* A name that no other program has; with a slash it is a path. */
static void make_name(const char *prefix)
{
	int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "%s%d", prefix,
			      (int)getpid());

	name.sun_family = AF_UNIX;
	name_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static void make_path(void)
{
	make_name("/heddle-listen-");
	name.sun_path[0] = '.';
}

static void *bind_and_listen(void *arg)
{
	server = socket(AF_UNIX, SOCK_STREAM, 0);
	assert(bind(server, (struct sockaddr *)&name, name_size) == 0);
	assert(listen(server, 4) == 0);
	return arg;
}

static int connect_to_name(void)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	return connect(s, (struct sockaddr *)&name, name_size);
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

/* ---- Addresses --------------------------------------------------------------------------------- */

/* One that the kernel gives to nobody; another one natively each time. */
static void at_port(void)
{
	at = (struct sockaddr_in){ .sin_family = AF_INET,
				   .sin_port = htons((uint16_t)(23000 + getpid() % 1000)),
				   .sin_addr = { htonl(INADDR_LOOPBACK) } };
}

static atomic_int got;

static void *bind_to_port(void *arg)
{
	int s = new_socket();

	if (bind(s, (struct sockaddr *)&at, sizeof(at)) == 0)
		atomic_fetch_add(&got, 1);
	else
		assert(errno == EADDRINUSE);
	return arg;
}

static void two_bind_to_one_port(void)
{
	pthread_t t;

	bind_here();
	close(server);
	t = begin(bind_to_port, NULL);
	bind_to_port(NULL);
	end(t);
	assert(got == 1);
}

static void reuse(int s)
{
	int on = 1;

	assert(setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0);
}

static void *serve_at_port(void *arg)
{
	struct sockaddr_in any = at;
	int s = new_socket(), c;
	char got_byte;

	any.sin_addr.s_addr = htonl(INADDR_ANY);
	reuse(s);
	assert(bind(s, (struct sockaddr *)&any, sizeof(any)) == 0 && listen(s, 4) == 0);
	server = s;
	c = accept(s, NULL, NULL);
	assert(read(c, &got_byte, 1) == 1);
	return arg;
}

static void serves_at_a_fixed_port(void)
{
	pthread_t t;
	int s;

	at_port();
	t = begin(serve_at_port, NULL);
	do
		s = new_socket();
	while (connect_at(s) && close(s) == 0);
	assert(write(s, "x", 1) == 1);
	end(t);
}

static void listens_at_a_fixed_port_before(void)
{
	pthread_t t;

	at_port();
	server = new_socket();
	reuse(server);
	assert(bind(server, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(server, 4) == 0);
	t = begin(say, "a");
	assert(heard() == 'a');
	end(t);
}

static pid_t make_child(void)
{
	pid_t child = fork();

	assert(child >= 0);
	if (!child) {
		say("c");
		_exit(0);
	}
	return child;
}

/* The child finds it by the kernel, as no thread would. */
static void a_child_connects(void)
{
	int status;
	pid_t child;

	listen_here();
	child = make_child();
	assert(heard() == 'c');
	assert(waitpid(child, &status, 0) == child && status == 0);
	end(begin(say, "a"));
	assert(heard() == 'a');
}

static void *make_binding_errors(void *arg)
{
	struct sockaddr_in other = at;
	int s = new_socket();

	assert(bind(s, (struct sockaddr *)&at, sizeof(at)) == -1 && errno == EADDRINUSE);
	assert(bind(s, (struct sockaddr *)&at, 3) == -1 && errno == EINVAL);
	assert(bind(-1, (struct sockaddr *)&at, sizeof(at)) == -1 && errno == EBADF);
	other.sin_port = 0;
	assert(bind(s, (struct sockaddr *)&other, sizeof(other)) == 0);
	assert(bind(s, (struct sockaddr *)&other, sizeof(other)) == -1 && errno == EINVAL);
	make_name("/no/such/directory/");
	memmove(name.sun_path, name.sun_path + 1, sizeof(name.sun_path) - 1);
	s = socket(AF_UNIX, SOCK_STREAM, 0);
	assert(bind(s, (struct sockaddr *)&name, sizeof(name)) == -1 && errno == ENOENT);
	assert(listen(s, 1) == -1 && errno == EINVAL);
	return arg;
}

static void bind_errors(void)
{
	bind_here();
	end(begin(make_binding_errors, NULL));
}

static void *listen_twice(void *arg)
{
	listen_here();
	assert(connect_at(new_socket()) == 0);
	assert(close(server) == 0);
	assert(connect_at(new_socket()) == -1 && errno == ECONNREFUSED);
	server = new_socket();
	reuse(server);
	assert(bind(server, (struct sockaddr *)&at, sizeof(at)) == 0);
	assert(connect_at(new_socket()) == -1 && errno == ECONNREFUSED);
	assert(listen(server, 1) == 0);
	assert(connect_at(new_socket()) == 0 && accept(server, NULL, NULL) >= 0);
	return arg;
}

static void listens_again(void)
{
	end(begin(listen_twice, NULL));
}

static void *connect_often(void *arg)
{
	for (int i = 0; i < 100; i++) {
		int s = connect_there(), c = accept(server, NULL, NULL);

		assert(c >= 0 && close(c) == 0 && close(s) == 0);
	}
	return arg;
}

static void many_connections(void)
{
	listen_here();
	end(begin(connect_often, NULL));
}

static void *listen_only(void *arg)
{
	socklen_t size = sizeof(at);

	server = new_socket();
	assert(listen(server, 1) == 0);
	assert(getsockname(server, (struct sockaddr *)&at, &size) == 0 && at.sin_port);
	assert(at.sin_addr.s_addr == htonl(INADDR_ANY));
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert(connect_at(new_socket()) == 0 && accept(server, NULL, NULL) >= 0);
	return arg;
}

static void listens_without_a_port(void)
{
	end(begin(listen_only, NULL));
}

static void *close_one_of_two(void *arg)
{
	int s = new_socket(), copy = dup(server);

	assert(close(server) == 0 && connect_at(s) == 0 && accept(copy, NULL, NULL) >= 0);
	assert(bind(new_socket(), (struct sockaddr *)&at, sizeof(at)) == -1 && errno == EADDRINUSE);
	assert(dup2(s, copy) == copy);
	assert(connect_at(new_socket()) == -1 && errno == ECONNREFUSED);
	return arg;
}

static void a_duplicate_listens_on(void)
{
	listen_here();
	end(begin(close_one_of_two, NULL));
}

static void *bind_again(void *arg)
{
	int first;

	make_path();
	bind_and_listen(NULL);
	first = server;
	server = socket(AF_UNIX, SOCK_STREAM, 0);
	assert(bind(server, (struct sockaddr *)&name, name_size) == -1 && errno == EADDRINUSE);
	assert(close(first) == 0);
	assert(bind(server, (struct sockaddr *)&name, name_size) == -1 && errno == EADDRINUSE);
	assert(unlink(name.sun_path) == 0);
	assert(unlink(name.sun_path) == -1 && errno == ENOENT);
	assert(bind(server, (struct sockaddr *)&name, name_size) == 0);
	assert(listen(server, 1) == 0 && connect_to_name() == 0);
	assert(unlink(name.sun_path) == 0);
	return arg;
}

static void unlinked_path(void)
{
	end(begin(bind_again, NULL));
}

static void *shut_down(void *arg)
{
	assert(shutdown(server, SHUT_RDWR) == 0);
	assert(accept(server, NULL, NULL) == -1 && errno == EINVAL);
	assert(connect_at(new_socket()) == -1 && errno == ECONNREFUSED);
	return arg;
}

static void accept_of_what_was_shut_down(void)
{
	listen_here();
	end(begin(shut_down, NULL));
}

static void *compare_names(void *arg)
{
	struct sockaddr_in from, own, peer;
	socklen_t size = sizeof(from);
	int s = connect_there(), c = accept(server, (struct sockaddr *)&from, &size);

	assert(getsockname(s, (struct sockaddr *)&own, &size) == 0 && size == sizeof(own));
	assert(getpeername(c, (struct sockaddr *)&peer, &size) == 0 && size == sizeof(peer));
	assert(own.sin_family == AF_INET && own.sin_port && own.sin_port != at.sin_port);
	assert(own.sin_port == from.sin_port && own.sin_port == peer.sin_port);
	assert(own.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
	assert(getsockname(c, (struct sockaddr *)&own, &size) == 0);
	assert(own.sin_port == at.sin_port);
	assert(getpeername(server, (struct sockaddr *)&peer, &size) == -1 && errno == ENOTCONN);
	return arg;
}

static void names_agree(void)
{
	listen_here();
	end(begin(compare_names, NULL));
}

CASES(CASE(accepts_who_connects), CASE(connects_on_a_path), CASE(accepted_before_the_threads),
      CASE(names_of_both_ends), CASE(accept_without_waiting), CASE(connects_again_and_again),
      CASE(poll_says_that_somebody_connects), CASE(two_clients_in_one_order),
      CASE(two_clients_in_any_order), CASE(two_servers), CASE(connects_to_nobody),
      CASE(nobody_accepts), CASE(nobody_connects), CASE(the_other_end_says_nothing),
      CASE(closes_before_it_accepts), CASE(end_of_a_connection), CASE(read_of_one_that_listens),
      CASE(options_of_tcp), CASE(connects_before_or_behind_listen),
      CASE(connects_before_or_behind_bind), CASE(connects_to_a_path_in_any_order),
      CASE(somebody_listens_for_sure), CASE(closes_while_somebody_connects),
      CASE(tries_until_somebody_listens), CASE(tries_with_a_new_socket), CASE(two_bind_to_one_port),
      CASE(serves_at_a_fixed_port), CASE(listens_at_a_fixed_port_before), CASE(a_child_connects),
      CASE(many_connections), CASE(bind_errors), CASE(listens_again), CASE(listens_without_a_port),
      CASE(a_duplicate_listens_on), CASE(unlinked_path), CASE(accept_of_what_was_shut_down),
      CASE(names_agree))
