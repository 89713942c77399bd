/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * poll_signals.c - poll(), select(), epoll_wait() and their kin, ended by a signal that nothing but their mask lets in
 *
 * case alone_ppoll: ok 1
 * case alone_ppoll_of_a_pipe: ok 1
 * case alone_ppoll_that_times_out_behind_it: ok 1
 * case alone_ppoll_that_times_out_before: ok 1
 * case alone_ppoll_of_what_is_there: ok 1
 * case alone_ppoll_that_keeps_it_off: ok 1
 * case alone_ppoll_keeps_off_what_came_before: ok 1
 * case alone_ppoll_lets_in_what_is_pending: ok 1
 * case alone_pselect: ok 1
 * case alone_epoll_wait: ok 1
 * case alone_epoll_wait_of_a_pipe: ok 1
 * case alone_epoll_pwait: ok 1
 * case alone_epoll_pwait2: ok 1
 * case poll_of_nothing: ok 1
 * case ppoll_of_nothing: ok 3
 * case pselect_of_nothing: ok 3
 * case ppoll_of_nothing_in_vain: bug deadlock at end(begin(polls_in_vain, NULL))
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "hooks/fails.h"
#include "hooks/threads.h"

static volatile sig_atomic_t handled;
static sigset_t none;

static void handle(int sig)
{
	assert(sig == SIGALRM);
	handled++;
}

/* It is blocked, and comes in 20 ms. */
static void ring(void)
{
	const struct itimerval soon = { .it_value.tv_usec = 20000 };
	struct sigaction a = { .sa_handler = handle, .sa_flags = SA_RESTART };
	sigset_t set;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	assert(sigaction(SIGALRM, &a, NULL) == 0 && pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	assert(setitimer(ITIMER_REAL, &soon, NULL) == 0);
}

/* It was handled, and is blocked again. */
static void was_heard(void)
{
	sigset_t set;

	assert(handled == 1 && pthread_sigmask(SIG_BLOCK, NULL, &set) == 0);
	assert(sigismember(&set, SIGALRM));
}

static int a_pipe(void)
{
	int p[2];

	assert(pipe(p) == 0);
	return p[0];
}

static int a_set(int fd)
{
	struct epoll_event e = { .events = EPOLLIN };
	int set = epoll_create1(0);

	assert(set >= 0 && (fd < 0 || epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == 0));
	return set;
}

static void alone_ppoll(void)
{
	ring();
	FAILS(EINTR, ppoll(NULL, 0, NULL, &none));
	was_heard();
}

static void alone_ppoll_of_a_pipe(void)
{
	struct pollfd p = { .fd = a_pipe(), .events = POLLIN };

	ring();
	FAILS(EINTR, ppoll(&p, 1, NULL, &none));
	was_heard();
}

static void alone_ppoll_that_times_out_behind_it(void)
{
	const struct timespec t = { .tv_sec = 5 };
	struct timespec before, after;

	clock_gettime(CLOCK_MONOTONIC, &before);
	ring();
	FAILS(EINTR, ppoll(NULL, 0, &t, &none));
	was_heard();
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert(after.tv_sec - before.tv_sec < 4);
}

static void alone_ppoll_that_times_out_before(void)
{
	const struct timespec t = { .tv_nsec = 1000000 };

	ring();
	assert(ppoll(NULL, 0, &t, &none) == 0 && !handled);
}

static void alone_ppoll_of_what_is_there(void)
{
	int p[2];
	struct pollfd in;

	assert(pipe(p) == 0 && write(p[1], "x", 1) == 1);
	in = (struct pollfd){ .fd = p[0], .events = POLLIN };
	ring();
	assert(ppoll(&in, 1, NULL, &none) == 1 && in.revents == POLLIN && !handled);
}

static void alone_ppoll_that_keeps_it_off(void)
{
	const struct timespec t = { .tv_nsec = 40000000 };
	sigset_t all;

	sigfillset(&all);
	ring();
	assert(ppoll(NULL, 0, &t, &all) == 0 && !handled);
	FAILS(EINTR, ppoll(NULL, 0, NULL, &none));
	was_heard();
}

static void alone_ppoll_keeps_off_what_came_before(void)
{
	const struct timespec t = { .tv_nsec = 40000000 };
	sigset_t all;

	sigfillset(&all);
	ring();
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	assert(ppoll(NULL, 0, &t, &all) == 0 && handled == 1);
}

static void alone_ppoll_lets_in_what_is_pending(void)
{
	ring();
	assert(raise(SIGALRM) == 0 && !handled);
	FAILS(EINTR, ppoll(NULL, 0, NULL, &none));
	was_heard();
}

static void alone_pselect(void)
{
	fd_set in;
	int fd = a_pipe();

	FD_ZERO(&in);
	FD_SET(fd, &in);
	ring();
	FAILS(EINTR, pselect(fd + 1, &in, NULL, NULL, NULL, &none));
	was_heard();
}

static void alone_epoll_wait(void)
{
	struct epoll_event e;
	sigset_t set;

	ring();
	sigemptyset(&set);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	FAILS(EINTR, epoll_wait(a_set(-1), &e, 1, -1));
	assert(handled == 1);
}

static void alone_epoll_wait_of_a_pipe(void)
{
	struct epoll_event e;
	sigset_t set;

	ring();
	sigemptyset(&set);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	FAILS(EINTR, epoll_wait(a_set(a_pipe()), &e, 1, 5000));
	assert(handled == 1);
}

static void alone_epoll_pwait(void)
{
	struct epoll_event e;

	ring();
	FAILS(EINTR, epoll_pwait(a_set(a_pipe()), &e, 1, -1, &none));
	was_heard();
}

static void alone_epoll_pwait2(void)
{
	struct epoll_event e;

	ring();
	FAILS(EINTR, epoll_pwait2(a_set(a_pipe()), &e, 1, NULL, &none));
	was_heard();
}

/* ---- With threads ------------------------------------------------------------------------------ */

static void *polls(void *arg)
{
	FAILS(EINTR, ppoll(NULL, 0, NULL, &none));
	was_heard();
	return arg;
}

static void *selects(void *arg)
{
	FAILS(EINTR, pselect(0, NULL, NULL, NULL, NULL, &none));
	was_heard();
	return arg;
}

static void block_it(void)
{
	const struct itimerval never = { 0 };

	ring();
	assert(setitimer(ITIMER_REAL, &never, NULL) == 0);
}

static void end_by_a_signal(void *(*waits)(void *))
{
	pthread_t t;

	block_it();
	t = begin(waits, NULL);
	assert(pthread_kill(t, SIGALRM) == 0);
	end(t);
}

static void ppoll_of_nothing(void)
{
	end_by_a_signal(polls);
}

static void pselect_of_nothing(void)
{
	end_by_a_signal(selects);
}

static void *polls_for_itself(void *arg)
{
	struct pollfd absent = { .fd = -1, .events = POLLIN };

	assert(pthread_kill(pthread_self(), SIGALRM) == 0 && !handled);
	FAILS(EINTR, ppoll(&absent, 1, NULL, &none));
	was_heard();
	return arg;
}

static void poll_of_nothing(void)
{
	block_it();
	end(begin(polls_for_itself, NULL));
}

static void *polls_in_vain(void *arg)
{
	ppoll(NULL, 0, NULL, NULL);
	return arg;
}

static void ppoll_of_nothing_in_vain(void)
{
	end(begin(polls_in_vain, NULL));
}

CASES(CASE(alone_ppoll), CASE(alone_ppoll_of_a_pipe), CASE(alone_ppoll_that_times_out_behind_it),
      CASE(alone_ppoll_that_times_out_before), CASE(alone_ppoll_of_what_is_there),
      CASE(alone_ppoll_that_keeps_it_off), CASE(alone_ppoll_keeps_off_what_came_before),
      CASE(alone_ppoll_lets_in_what_is_pending), CASE(alone_pselect), CASE(alone_epoll_wait),
      CASE(alone_epoll_wait_of_a_pipe), CASE(alone_epoll_pwait), CASE(alone_epoll_pwait2),
      CASE(poll_of_nothing), CASE(ppoll_of_nothing), CASE(pselect_of_nothing),
      CASE(ppoll_of_nothing_in_vain))
