/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * address.c - what stream sockets are bound to, and how their calls fail
 *
 * case two_bind_to_one_port: ok 2
 * case two_bind_to_one_port -j 2: ok 2
 * case serves_at_a_fixed_port: ok 4
 * case serves_at_a_fixed_port -j 2: ok 4
 * case listens_at_a_fixed_port_before -j 2: ok 4
 * case a_child_connects: ok 1
 * case many_connections: ok 1
 * case bind_errors: ok 1
 * case errors_in_the_wrong_state: ok 1
 * case errors_of_paths: ok 1
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
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>

#include "cases.h"
#include "hooks/threads.h"
#include "sockets.h"

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

#define FAILS(error, call) assert((errno = 0, (call)) == -1 && errno == (error))
#define AT                 (struct sockaddr *)&at, sizeof(at)

static void *use_in_the_wrong_state(void *arg)
{
	struct sockaddr *none = NULL;
	struct sockaddr_in answer;
	socklen_t size = sizeof(answer);
	int s = connect_there(), other = new_socket(), c;
	char byte;

	FAILS(EINVAL, bind(server, AT));
	FAILS(EISCONN, connect(server, AT));
	FAILS(ENOTCONN, recv(server, &byte, 1, 0));
	FAILS(EPIPE, send(server, &byte, 1, MSG_NOSIGNAL));
	FAILS(ENOTCONN, getpeername(server, (struct sockaddr *)&answer, &size));
	FAILS(EFAULT, getsockname(server, none, &size));
	FAILS(EISCONN, connect(s, AT));
	FAILS(EINVAL, bind(s, AT));
	FAILS(EINVAL, listen(s, 1));
	FAILS(EINVAL, accept(s, NULL, NULL));
	FAILS(EINVAL, shutdown(s, 77));
	assert(sendto(s, "x", 1, 0, AT) == 1); /* TCP does not look at the address */
	FAILS(EINVAL, accept4(server, NULL, NULL, 12345));
	c = accept(server, NULL, NULL);
	FAILS(EISCONN, connect(c, AT));
	FAILS(EINVAL, listen(c, 1));
	FAILS(EINVAL, accept(other, NULL, NULL));
	FAILS(ENOTCONN, recv(other, &byte, 1, 0));
	FAILS(ENOTCONN, shutdown(other, SHUT_RD));
	FAILS(EINVAL, connect(other, (struct sockaddr *)&at, 2));
	FAILS(EINVAL, bind(other, (struct sockaddr *)&at, 1000));
	return arg;
}

static void errors_in_the_wrong_state(void)
{
	listen_here();
	end(begin(use_in_the_wrong_state, NULL));
}

static void *use_wrong_paths(void *arg)
{
	struct sockaddr_un none = { AF_UNIX, "/no/such/directory" },
			   file = { AF_UNIX, "/dev/null" };
	socklen_t size = sizeof(none);
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	char byte;

	FAILS(ENOENT, bind(s, (struct sockaddr *)&none, size));
	FAILS(ENOENT, connect(s, (struct sockaddr *)&none, size));
	FAILS(EADDRINUSE, bind(s, (struct sockaddr *)&file, size));
	FAILS(ECONNREFUSED, connect(s, (struct sockaddr *)&file, size));
	FAILS(EINVAL, listen(s, 1));
	FAILS(EINVAL, bind(s, AT));
	FAILS(EAFNOSUPPORT, bind(new_socket(), (struct sockaddr *)&none, size));
	FAILS(ENOENT, unlink("/no/such/directory/file"));
	FAILS(ENOENT, unlink(""));
	make_name("heddle-errors-");
	assert(bind(s, (struct sockaddr *)&name, name_size) == 0 && listen(s, 1) == 0);
	FAILS(ENOTCONN, send(s, &byte, 1, 0));
	return arg;
}

static void errors_of_paths(void)
{
	at_port();
	end(begin(use_wrong_paths, NULL));
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

CASES(CASE(two_bind_to_one_port), CASE(serves_at_a_fixed_port),
      CASE(listens_at_a_fixed_port_before), CASE(a_child_connects), CASE(many_connections),
      CASE(bind_errors), CASE(errors_in_the_wrong_state), CASE(errors_of_paths),
      CASE(listens_again), CASE(listens_without_a_port), CASE(a_duplicate_listens_on),
      CASE(unlinked_path), CASE(accept_of_what_was_shut_down), CASE(names_agree))
