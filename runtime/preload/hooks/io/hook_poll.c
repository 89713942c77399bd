/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_poll.c - poll(), select() and their kin
 *
 * A thread looks at one channel after the other (channel.h), as the kernel does. If none is ready,
 * and it may not wait, it has its answer. Else it waits for one of them to become ready, which
 * one is a choice, and looks at all again. With a timeout it is another choice that the time
 * passes. Where it waits for one of several, and another becomes ready instead, that is no
 * execution (poll_in_vain() tells); so is a timed wait that nobody ends. Other descriptors than channels are asked in the
 * kernel, and have to be ready where the thread would wait for nothing else.
 *
 * Who waits for no descriptor at all sleeps, as old programs have it: then nothing is left to a choice, and loops around it
 * are like those around sleep() (hook_sleep.c), however often the time is over.
 */
/*
 * intercepts: Pipes, eventfds and socket pairs
 *
 * explored poll __poll __poll_chk ppoll __ppoll_chk select __select pselect - which of the descriptors becomes ready, and
 *	timeouts; refused where a thread would wait for ever for descriptors of another kind
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <time.h>

#include "engine/engine.h"
#include "preload/access/yield.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/fiber/fiber.h"
#include "preload/hooks/interrupt/deliver.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/io/channel.h"
#include "preload/hooks/signal/signal_send.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/hooks/world/time.h"
#include "preload/hooks/world/timeout.h"
#include "preload/step/perform.h"

short poll_native(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	return sys3(SYS_poll, (long)&p, 1, 0) > 0 ? p.revents : 0;
}

/* What poll() reports though nobody asked. */
#define ALWAYS (POLLERR | POLLHUP | POLLNVAL)

static int look_at_all(struct pollfd *p, nfds_t n, uint64_t pc)
{
	int found = 0;

	for (nfds_t i = 0; i < n; i++) {
		p[i].revents = 0;
		if (p[i].fd < 0)
			continue;
		p[i].revents = channel_has(p[i].fd) ? channel_events(p[i].fd, pc)
						    : poll_native(p[i].fd, p[i].events);
		p[i].revents &= (short)(p[i].events | ALWAYS);
		found += p[i].revents != 0;
	}
	return found;
}

/* In how many ways may the thread wait for them? A socket has two. */
static uint32_t count_ways(const struct pollfd *p, nfds_t n)
{
	uint32_t ways = 0;

	for (nfds_t i = 0; i < n; i++)
		for (int adds = 0; adds < 2; adds++)
			ways += channel_awaited(p[i].fd, p[i].events, adds) != 0;
	return ways;
}

/* What each thread that waits for one of several descriptors would be content with; noted anew for
 * each such wait. */
enum {
	MOST_AWAITED = 24
};

static struct {
	uint32_t n;
	struct {
		int fd;
		short events;
	} one[MOST_AWAITED];
} awaited[HEDDLE_MAX_THREADS];
FRESH(awaited);

static void note_awaited(const struct pollfd *p, nfds_t n)
{
	uint32_t *count = &awaited[current->tid].n;

	*count = 0;
	for (nfds_t i = 0; i < n; i++) {
		if (p[i].fd < 0)
			continue;
		if (*count < MOST_AWAITED) {
			awaited[current->tid].one[*count].fd = p[i].fd;
			awaited[current->tid].one[*count].events = p[i].events;
		}
		++*count;
	}
}

static bool poll_in_vain(uint32_t tid)
{
	uint32_t n = awaited[tid].n;

	for (uint32_t i = 0; i < n && i < MOST_AWAITED; i++)
		if (!channel_never(awaited[tid].one[i].fd, awaited[tid].one[i].events))
			return false;
	return n && n <= MOST_AWAITED;
}

/* Threads that wait for one of several descriptors: only here is known that none will do. */
static void judge_polls(void)
{
	struct op op;

	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		if (fibers[t].alive && engine_waiting(engine, t, &op) &&
		    op.kind == OP_COUNT_AWAIT && op.peer == AWAIT_SEVERAL && poll_in_vain(t))
			engine_waits_in_vain(engine, t);
}

AT_END(judge_polls);

/* In the which-th of these ways. */
static void await_nth(const struct pollfd *p, nfds_t n, uint32_t which, bool timed, uint64_t pc)
{
	bool several = count_ways(p, n) > 1, adds = false;

	if (several && !timed)
		note_awaited(p, n);
	while (!channel_awaited(p->fd, p->events, adds) || which--) {
		p += adds;
		adds = !adds;
	}
	channel_await(p->fd, p->events, adds,
		      timed     ? AWAIT_TIMED
		      : several ? AWAIT_SEVERAL
				: 0,
		      pc);
}

static bool asks_for_none(const struct pollfd *p, nfds_t n)
{
	for (nfds_t i = 0; i < n; i++)
		if (p[i].fd >= 0)
			return false;
	return true;
}

/* The time is over. */
static void time_is_over(const struct pollfd *p, nfds_t n, const struct timespec *until,
			 uint64_t pc)
{
	time_waited(until, false, CLOCK_MONOTONIC);
	if (asks_for_none(p, n))
		thread_yield(pc);
	else
		timed_out(CLOCK_MONOTONIC, NULL, pc);
}

int poll_under_engine(struct pollfd *p, nfds_t n, const struct timespec *until, uint64_t pc)
{
	bool at_once = until && !until->tv_sec && !until->tv_nsec;
	uint32_t ways = count_ways(p, n), which;
	int found;

	for (nfds_t i = 0; i < n; i++)
		if (epoll_is(p[i].fd))
			NOT_YET("waiting for an epoll descriptor with poll(), select() or epoll",
				"wait for what it watches");
	found = look_at_all(p, n, pc);
	if (found)
		return found;
	/* Nothing is there, so a signal counts, also where the call does not wait. */
	if (interrupt_comes(pc))
		return POLL_INTERRUPTED;
	if (at_once) {
		asked_in_vain(p, pc);
		return 0;
	}
	if (!ways && !until)
		refuse("the program waits for descriptors of which none is a pipe, eventfd or "
		       "socketpair of its own, and what happens outside it is not explored: let a thread of it be "
		       "the other side",
		       NULL);
	which = channel_choose(ways + (until != NULL), pc);
	if (which == ways) {
		if (time_rings(time_end_ns(until, false, CLOCK_MONOTONIC), pc) != RING_NONE)
			return POLL_INTERRUPTED;
		/* It may have rung on the way. */
		if (channel_has_timer(p, n) && (found = look_at_all(p, n, pc)))
			return found;
		time_is_over(p, n, until, pc);
		return 0;
	}
	await_nth(p, n, which, until != NULL, pc);
	return look_at_all(p, n, pc);
}

static int fail(int error)
{
	errno = error;
	return -1;
}

enum {
	SET_SIZE = 8 /* bytes that the kernel looks at, of a set of signals */
};

/* Why the kernel would not look at these; 0 if it would. */
static int error_of(struct pollfd *p, nfds_t n)
{
	struct rlimit limit;

	if (!sys3(SYS_getrlimit, RLIMIT_NOFILE, (long)&limit, 0) && n > limit.rlim_cur)
		return EINVAL;
	return memory_writable(p, n * sizeof(*p)) ? 0 : EFAULT;
}

/* Who waits for nothing but a signal, as in sigsuspend(). */
static int poll_none(const sigset_t *mask, uint64_t pc)
{
	signal_only_from_threads();
	signal_suspend(mask, pc);
	return fail(EINTR);
}

int poll_answer(int found, uint64_t pc)
{
	if (found != POLL_INTERRUPTED) {
		signal_mask_swap_back();
		return found;
	}
	interrupt_ends(-1, EINTR, false, pc);
	signal_mask_swap_back();
	return fail(EINTR);
}

ENTERED static int hook_poll(struct pollfd *p, nfds_t n, int timeout)
{
	struct timespec t = { .tv_sec = timeout / 1000, .tv_nsec = timeout % 1000 * 1000000l };
	int found;

	if (!under_engine()) {
		if (signalfd_ring_alone(p, n, timeout < 0 ? NULL : &t))
			return fail(EINTR);
		found = REAL(poll)(p, n, timeout);
		return time_waited_alone(found, !found, timeout < 0 ? NULL : &t);
	}
	cancellation_point(ENTRY_CALLER());
	if (error_of(p, n))
		return fail(error_of(p, n));
	if (timeout < 0 && asks_for_none(p, n))
		return poll_none(NULL, ENTRY_CALLER());
	return poll_answer(poll_under_engine(p, n, timeout < 0 ? NULL : &t, ENTRY_CALLER()),
			   ENTRY_CALLER());
}
HOOK_ENTRY(poll, hook_poll, 3);

/* As -D_FORTIFY_SOURCE calls these. */
int __poll_chk(struct pollfd *p, nfds_t n, int timeout, size_t room);
ENTERED static int hook_poll_chk(struct pollfd *p, nfds_t n, int timeout, size_t room)
{
	return n > room / sizeof(*p) ? REAL(__poll_chk)(p, n, timeout, room)
				     : hook_poll(p, n, timeout);
}
HOOK_ENTRY(__poll_chk, hook_poll_chk, 4);

ENTERED static int hook_ppoll(struct pollfd *p, nfds_t n, const struct timespec *timeout,
			      const sigset_t *mask)
{
	int found;

	if (!under_engine()) {
		if (signalfd_ring_masked(p, n, timeout, mask, ENTRY_CALLER()))
			return fail(EINTR);
		found = REAL(ppoll)(p, n, timeout, mask);
		return time_waited_alone(found, !found, timeout);
	}
	if (timeout && !time_valid(timeout))
		return fail(EINVAL);
	cancellation_point(ENTRY_CALLER());
	if (error_of(p, n))
		return fail(error_of(p, n));
	if (mask && !memory_readable(mask, SET_SIZE))
		return fail(EFAULT);
	if (!timeout && asks_for_none(p, n))
		return poll_none(mask, ENTRY_CALLER());
	signal_mask_swap(mask);
	return poll_answer(poll_under_engine(p, n, timeout, ENTRY_CALLER()), ENTRY_CALLER());
}
HOOK_ENTRY(ppoll, hook_ppoll, 4);

int __ppoll_chk(struct pollfd *p, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
		size_t room);
ENTERED static int hook_ppoll_chk(struct pollfd *p, nfds_t n, const struct timespec *timeout,
				  const sigset_t *mask, size_t room)
{
	return n > room / sizeof(*p) ? REAL(__ppoll_chk)(p, n, timeout, mask, room)
				     : hook_ppoll(p, n, timeout, mask);
}
HOOK_ENTRY(__ppoll_chk, hook_ppoll_chk, 5);

/* ---- select() ---------------------------------------------------------------------------------- */

static short wanted(int fd, const fd_set *in, const fd_set *out, const fd_set *except)
{
	return (short)((in && FD_ISSET(fd, in) ? POLLIN : 0) |
		       (out && FD_ISSET(fd, out) ? POLLOUT : 0) |
		       (except && FD_ISSET(fd, except) ? POLLPRI : 0));
}

static int answer(fd_set *set, const struct pollfd *p, nfds_t n, short asked, short ready)
{
	int found = 0;

	if (!set)
		return 0;
	for (nfds_t i = 0; i < n; i++) {
		bool is = (p[i].events & asked) && (p[i].revents & ready);

		if (!is)
			FD_CLR(p[i].fd, set);
		found += is;
	}
	return found;
}

/* The kernel reads it, and writes what it found. */
static bool has_room(fd_set *set, int nfds)
{
	return !set || memory_writable(set, ((uint64_t)nfds + 7) / 8);
}

/* What is asked for, as poll() has it; returns how many. */
static nfds_t as_poll(struct pollfd *p, int nfds, const fd_set *in, const fd_set *out,
		      const fd_set *except)
{
	nfds_t n = 0;

	for (int fd = 0; fd < nfds; fd++)
		if (wanted(fd, in, out, except))
			p[n++] = (struct pollfd){ .fd = fd, .events = wanted(fd, in, out, except) };
	return n;
}

/* Before there are threads: does a handler end the call, of a timer that rings meanwhile? */
static bool select_rings(int nfds, fd_set *in, fd_set *out, fd_set *except,
			 const struct timespec *until, const sigset_t *mask, uint64_t pc)
{
	struct pollfd p[FD_SETSIZE];

	if (nfds < 0 || nfds > FD_SETSIZE || !has_room(in, nfds) || !has_room(out, nfds) ||
	    !has_room(except, nfds))
		return false;
	return signalfd_ring_masked(p, as_poll(p, nfds, in, out, except), until, mask, pc);
}

static int select_under_engine(int nfds, fd_set *in, fd_set *out, fd_set *except,
			       const struct timespec *until, const sigset_t *mask, uint64_t pc)
{
	struct pollfd p[FD_SETSIZE];
	nfds_t n;

	if (nfds < 0 || nfds > FD_SETSIZE || (until && !time_valid(until)))
		return fail(EINVAL);
	if (!has_room(in, nfds) || !has_room(out, nfds) || !has_room(except, nfds))
		return fail(EFAULT);
	n = as_poll(p, nfds, in, out, except);
	if (!until && !n)
		return poll_none(mask, pc);
	signal_mask_swap(mask);
	if (poll_answer(poll_under_engine(p, n, until, pc), pc) < 0)
		return -1;
	for (nfds_t i = 0; i < n; i++)
		if (p[i].revents & POLLNVAL)
			return fail(EBADF);
	return answer(in, p, n, POLLIN, POLLIN | POLLHUP | POLLERR) +
	       answer(out, p, n, POLLOUT, POLLOUT | POLLERR) +
	       answer(except, p, n, POLLPRI, POLLPRI);
}

/* More than a second of microseconds is no error, as libc has it. */
static struct timespec timespec_of(const struct timeval *t)
{
	if (t->tv_sec < 0 || t->tv_usec < 0)
		return (struct timespec){ -1, 0 };
	return (struct timespec){ t->tv_sec + t->tv_usec / 1000000, t->tv_usec % 1000000 * 1000 };
}

ENTERED static int hook_select(int nfds, fd_set *restrict in, fd_set *restrict out,
			       fd_set *restrict except, struct timeval *restrict timeout)
{
	struct timespec t = { 0 };
	int found;

	if (timeout && under_engine())
		touch_to_write(timeout); /* Linux does, whatever comes */
	if (timeout)
		t = timespec_of(timeout);
	if (!under_engine()) {
		if (select_rings(nfds, in, out, except, timeout ? &t : NULL, NULL, ENTRY_CALLER()))
			return fail(EINTR);
		found = REAL(select)(nfds, in, out, except, timeout);
		return time_waited_alone(found, !found, timeout ? &t : NULL);
	}
	cancellation_point(ENTRY_CALLER());
	found = select_under_engine(nfds, in, out, except, timeout ? &t : NULL, NULL,
				    ENTRY_CALLER());
	if (timeout && !found) /* Linux tells what is left */
		*timeout = (struct timeval){ 0 };
	return found;
}
HOOK_ENTRY(select, hook_select, 5);

HEDDLE_HOOK int pselect(int nfds, fd_set *restrict in, fd_set *restrict out,
			fd_set *restrict except, const struct timespec *restrict timeout,
			const sigset_t *restrict mask)
{
	int found;

	if (!under_engine()) {
		if (select_rings(nfds, in, out, except, timeout, mask, CALLER()))
			return fail(EINTR);
		found = REAL(pselect)(nfds, in, out, except, timeout, mask);
		return time_waited_alone(found, !found, timeout);
	}
	cancellation_point(CALLER());
	if (mask && !memory_readable(mask, SET_SIZE))
		return fail(EFAULT);
	return select_under_engine(nfds, in, out, except, timeout, mask, CALLER());
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__poll, poll);
ALSO_CALLED(__select, select);
