/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll_random.c - random steps with epoll: first alone, when the kernel says what comes of them, then in
 * a thread, when heddle does; both must be the same
 *
 * case as_the_kernel_does_it: ok 1
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "cases.h"
#include "epolls.h"
#include "hooks/threads.h"

enum {
	SEEDS = 30,
	STEPS = 150,
	KINDS = 3 /* a pipe, a socket pair, an eventfd by two names */
};

static int sets[2], ends[KINDS][2];
static uint64_t state, seen;

static int below(int n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (int)((state >> 33) % (uint64_t)n);
}

static void note(long v)
{
	seen = (seen ^ (uint64_t)v) * 1099511628211u;
}

static void note_call(long status)
{
	note(status < 0 ? -errno : status);
}

static void make(int kind)
{
	int *e = ends[kind];

	if (kind == 0) {
		assert(pipe2(e, O_NONBLOCK) == 0);
	} else if (kind == 1) {
		assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, e) == 0);
	} else {
		e[0] = eventfd(0, EFD_NONBLOCK);
		e[1] = dup(e[0]);
	}
}

static void wait_and_note(void)
{
	struct epoll_event e[8];
	int which = sets[below(2)], n = epoll_wait(which, e, 1 + below(6), 0);

	note(n);
	for (int i = 0; i < n; i++) {
		note((long)e[i].data.u64);
		note((long)e[i].events);
	}
}

static void ask(int what)
{
	static const uint32_t wanted[] = { EPOLLIN, EPOLLOUT,   EPOLLIN | EPOLLOUT,
					   EPOLLIN, EPOLLRDHUP, EPOLLWRNORM | EPOLLRDNORM };
	struct epoll_event e = { .events = wanted[below(6)], .data.u64 = (uint64_t)below(1000) };
	int which = sets[below(2)];

	e.events |= below(2) ? (uint32_t)EPOLLET : 0;
	e.events |= below(4) ? 0 : (uint32_t)EPOLLONESHOT;
	note_call(epoll_ctl(which, 1 + below(3), what, &e)); /* ADD, DEL or MOD */
}

static void put_some(int kind, int what)
{
	uint64_t one = 1;

	note_call(write(what, &one, kind == 2 ? sizeof(one) : 1 + (size_t)below(3)));
}

static void take_some(int kind, int what)
{
	char bytes[8];

	note_call(read(what, bytes, kind == 2 || below(2) ? sizeof(bytes) : 1));
}

/* Before anything is taken, and all of it at once: how much goes in is another matter. */
static void fill_and_drain(int kind, int end)
{
	if (kind == 2)
		return;
	while (write(ends[kind][end], (char[4096]){ 0 }, 4096) > 0)
		;
	wait_and_note();
	drain(ends[kind][kind == 0 ? 0 : !end]);
}

/* It leads to the same by another name, or both ends are new. */
static void replace(int kind, int end)
{
	int again = below(2) ? dup(ends[kind][end]) : -1;

	assert(close(ends[kind][end]) == 0);
	if (again >= 0) {
		ends[kind][end] = again;
		return;
	}
	assert(close(ends[kind][!end]) == 0);
	make(kind);
}

/* With nothing in it: what is there heddle keeps, before there are threads. */
static void shut(int what)
{
	drain(ends[1][0]);
	drain(ends[1][1]);
	note_call(shutdown(what, below(3)));
}

static void step(void)
{
	int kind = below(KINDS), end = below(2), what = ends[kind][end];

	switch (below(14)) {
	case 0:
	case 1:
	case 2:
		ask(what);
		break;
	case 3:
	case 4:
	case 5:
		put_some(kind, what);
		break;
	case 6:
	case 7:
		take_some(kind, what);
		break;
	case 8:
		fill_and_drain(kind, end);
		break;
	case 9:
		if (!below(4))
			replace(kind, end);
		break;
	case 10:
		if (kind == 1 && !below(3))
			shut(what);
		break;
	default:
		wait_and_note();
	}
}

static uint64_t run(uint64_t seed)
{
	state = seed * 77777 + 5;
	seen = 1469598103934665603u;
	for (int i = 0; i < 2; i++)
		sets[i] = epoll_create1(0);
	for (int i = 0; i < KINDS; i++)
		make(i);
	for (int i = 0; i < STEPS; i++)
		step();
	for (int i = 0; i < 2; i++)
		assert(close(sets[i]) == 0);
	for (int i = 0; i < KINDS; i++)
		assert(close(ends[i][0]) == 0 && close(ends[i][1]) == 0);
	return seen;
}

static uint64_t of_kernel[SEEDS];

static void *compare(void *arg)
{
	for (int i = 0; i < SEEDS; i++)
		assert(run((uint64_t)i) == of_kernel[i]);
	return arg;
}

static void as_the_kernel_does_it(void)
{
	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < SEEDS; i++)
		of_kernel[i] = run((uint64_t)i);
	THREADS(1, compare);
}

CASES(CASE(as_the_kernel_does_it))
