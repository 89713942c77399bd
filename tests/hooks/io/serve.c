/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve.c - sockets that listen before fork(), and who accepts there
 *
 * case a_child_accepts: ok 1
 * case a_child_alone_accepts: ok 1
 * case a_child_accepts_at_a_path: ok 1
 * case two_children_accept: ok 1
 * case the_parent_accepts: ok 1
 * case the_parent_accepts_itself: ok 1
 * case nobody_accepts_any_more: ok 1
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

static struct sockaddr_in in = { .sin_family = AF_INET };
static int listening;

static void listen_somewhere(void)
{
	socklen_t size = sizeof(in);

	listening = socket(AF_INET, SOCK_STREAM, 0);
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert(bind(listening, (struct sockaddr *)&in, sizeof(in)) == 0);
	assert(listen(listening, 4) == 0);
	assert(getsockname(listening, (struct sockaddr *)&in, &size) == 0 && in.sin_port);
}

static int connected_to(const void *name, socklen_t size)
{
	int s = socket(((const struct sockaddr *)name)->sa_family, SOCK_STREAM, 0);

	assert(connect(s, name, size) == 0);
	return s;
}

static void ask(int s)
{
	char c = 'a';

	assert(write(s, &c, 1) == 1 && read(s, &c, 1) == 1 && c == 'b');
	assert(close(s) == 0);
}

static void serve(void)
{
	int s = accept(listening, NULL, NULL);
	char c;

	assert(s >= 0 && read(s, &c, 1) == 1 && c == 'a');
	c++;
	assert(write(s, &c, 1) == 1 && close(s) == 0);
}

static pid_t child(void (*fn)(void))
{
	pid_t pid = fork();

	assert(pid >= 0);
	if (!pid) {
		fn();
		exit(0);
	}
	return pid;
}

static void ends_well(pid_t pid)
{
	int status = -1;

	assert(waitpid(pid, &status, 0) == pid && status == 0);
}

static void a_child_accepts(void)
{
	pid_t pid;

	listen_somewhere();
	pid = child(serve);
	ask(connected_to(&in, sizeof(in)));
	ends_well(pid);
}

static void a_child_alone_accepts(void)
{
	pid_t pid;

	listen_somewhere();
	pid = child(serve);
	assert(close(listening) == 0);
	ask(connected_to(&in, sizeof(in)));
	ends_well(pid);
}

static void a_child_accepts_at_a_path(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "serve.socket" };
	pid_t pid;

	unlink(un.sun_path);
	listening = socket(AF_UNIX, SOCK_STREAM, 0);
	assert(bind(listening, (struct sockaddr *)&un, sizeof(un)) == 0);
	assert(listen(listening, 4) == 0);
	pid = child(serve);
	ask(connected_to(&un, sizeof(un)));
	ends_well(pid);
	assert(unlink(un.sun_path) == 0);
}

static void two_children_accept(void)
{
	pid_t first, second;

	listen_somewhere();
	first = child(serve);
	second = child(serve);
	ask(connected_to(&in, sizeof(in)));
	ask(connected_to(&in, sizeof(in)));
	ends_well(first);
	ends_well(second);
}

static void ask_the_parent(void)
{
	ask(connected_to(&in, sizeof(in)));
}

static void the_parent_accepts(void)
{
	pid_t pid;

	listen_somewhere();
	pid = child(ask_the_parent);
	serve();
	ends_well(pid);
}

static void stay(void)
{
	char c;

	assert(read(listening, &c, 1) == 0); /* a pipe by then */
}

/* While a child lives that has nothing to do with it. */
static void the_parent_accepts_itself(void)
{
	int fd[2], s, peer;
	char c = 'x';
	pid_t pid;

	assert(pipe(fd) == 0);
	listening = fd[0];
	pid = fork();
	if (!pid) {
		close(fd[1]);
		stay();
		exit(0);
	}
	listen_somewhere();
	s = connected_to(&in, sizeof(in));
	peer = accept(listening, NULL, NULL);
	assert(write(s, &c, 1) == 1 && read(peer, &c, 1) == 1);
	assert(close(fd[1]) == 0);
	ends_well(pid);
}

static void do_nothing(void)
{
}

static void nobody_accepts_any_more(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	pid_t pid;

	listen_somewhere();
	pid = child(do_nothing);
	assert(close(listening) == 0);
	ends_well(pid);
	assert(connect(s, (struct sockaddr *)&in, sizeof(in)) == -1 && errno == ECONNREFUSED);
}

CASES(CASE(a_child_accepts), CASE(a_child_alone_accepts), CASE(a_child_accepts_at_a_path),
      CASE(two_children_accept), CASE(the_parent_accepts), CASE(the_parent_accepts_itself),
      CASE(nobody_accepts_any_more))
