/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_epoll.c - epoll: levels, edges, one shot
 *
 * What an epoll descriptor watches, and the list of what is perhaps ready, are kept here (ready.h): a
 * set of the kernel's would be shared by all executions. epoll_wait() does what Linux does (fs/eventpoll.c):
 * it takes the list, looks at one after the other, reports what is ready, and puts back what is asked for
 * by level, and what there was no room to report. All orders of that and what puts things on the list
 * are explored; a thread waits only while the list is empty, so who waits for an edge that came and went waits
 * for ever. Nobody else looks at the set, or changes it, meanwhile.
 *
 * One freedom of the kernel's is not taken: what is listed again between the look that reports it, once, and
 * that it is disabled leaves the list at once, and not when somebody next finds it disabled. It
 * would have another place on the list if it were enabled before that.
 */
/*
 * intercepts: Pipes, eventfds and socket pairs
 *
 * explored epoll_wait epoll_pwait epoll_pwait2 - who is told of what, and who waits
 * explored epoll_create epoll_create1 epoll_ctl - by level, EPOLLET and EPOLLONESHOT, as Linux does it; by
 *	EPOLLEXCLUSIVE one or more are told; refused is EPOLLET of other descriptors than pipes,
 *	eventfds and sockets between threads, and epoll descriptors within one
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "preload/arch/x86_64/entry.h"
#include "preload/core/context.h"
#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/facts/needs.h"
#include "preload/hooks/interrupt/deliver.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/io/channel.h"
#include "preload/hooks/io/ready.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/hooks/world/time.h"
#include "preload/hooks/world/timeout.h"

static int fail(int error)
{
	errno = error;
	return -1;
}

static int created(int fd)
{
	if (shared && fd >= 0)
		set_made(fd);
	return fd;
}

HEDDLE_HOOK int epoll_create1(int flags)
{
	if (under_engine())
		needs_fork("makes an epoll descriptor");
	return created(REAL(epoll_create1)(flags));
}

HEDDLE_HOOK int epoll_create(int size)
{
	if (under_engine())
		needs_fork("makes an epoll descriptor");
	return created(REAL(epoll_create)(size));
}

/* ---- What is watched ----------------------------------------------------------------------------- */

/* Does it watch the other one, or one that does? No set ever watches itself. */
static bool leads_to(const struct set *s, const struct set *other)
{
	for (uint32_t i = 0; s && s != other && i < READY_PLACES; i++)
		if (s->watched[i].used && leads_to(set_of(s->watched[i].fd), other))
			return true;
	return s == other;
}

#define WITH_EXCLUSIVE                                                                \
	((uint32_t)EPOLLIN | EPOLLOUT | EPOLLERR | EPOLLHUP | EPOLLWAKEUP | EPOLLET | \
	 EPOLLEXCLUSIVE)

/* May these be asked for, of what is perhaps watched already? */
static bool is_exclusive_wrong(int op, int fd, const struct watched *there, uint32_t events)
{
	if (op == EPOLL_CTL_MOD)
		return (events & EPOLLEXCLUSIVE) || (there && (there->events & EPOLLEXCLUSIVE));
	return op == EPOLL_CTL_ADD && (events & EPOLLEXCLUSIVE) &&
	       (epoll_is(fd) || (events & ~WITH_EXCLUSIVE));
}

/* Files and devices that nobody can wait for: the kernel's own set says so, and stays as it is. */
static bool is_never_awaited(const struct set *s, int fd)
{
	struct epoll_event none = { .events = 0 };
	long status;

	if (channel_has(fd) || epoll_is(fd))
		return false;
	status = sys6(SYS_epoll_ctl, s->fd - 1, EPOLL_CTL_ADD, fd, (long)&none, 0, 0);
	if (!status)
		sys6(SYS_epoll_ctl, s->fd - 1, EPOLL_CTL_DEL, fd, 0, 0, 0);
	return status == -EPERM;
}

/* Why the kernel would not do it; 0 if it would. */
static int error_of(const struct set *s, int op, int fd, const struct epoll_event *event)
{
	uint32_t place = set_find(s, fd);
	const struct watched *there = place < READY_PLACES ? &s->watched[place] : NULL;
	struct stat st;

	if (op != EPOLL_CTL_DEL && !memory_readable(event, sizeof(*event)))
		return EFAULT;
	if (sys3(SYS_fstat, fd, (long)&st, 0))
		return EBADF;
	if (is_never_awaited(s, fd))
		return EPERM;
	if (fd == s->fd - 1)
		return EINVAL;
	switch (op) {
	case EPOLL_CTL_ADD:
		if (is_exclusive_wrong(op, fd, there, event->events))
			return EINVAL;
		return leads_to(set_of(fd), s) ? ELOOP : there ? EEXIST : 0;
	case EPOLL_CTL_MOD:
		if (!there && !(event->events & EPOLLEXCLUSIVE))
			return ENOENT;
		return is_exclusive_wrong(op, fd, there, event->events) ? EINVAL : 0;
	case EPOLL_CTL_DEL:
		return there ? 0 : ENOENT;
	default:
		return EINVAL;
	}
}

/* Where it is, or will be, watched. */
static uint32_t place_for(const struct set *s, int op, int fd)
{
	uint32_t place = set_find(s, fd);

	if (place == READY_PLACES && op == EPOLL_CTL_ADD) {
		place = set_free(s);
		if (place == READY_PLACES)
			refuse("the program watches more descriptors than heddle can follow (30): watch fewer of them",
			       NULL);
	}
	return place;
}

/* What shall be watched now; whom channels tell stays as it is. */
static void ask(struct watched *w, int fd, const struct epoll_event *event)
{
	static const struct channel_ends none = { 0, 0 };

	if (!w->used)
		*w = (struct watched){ .fd = fd,
				       .ends = channel_has(fd) ? channel_ends[fd] : none,
				       .used = true };
	w->events = event->events | EPOLLERR | EPOLLHUP;
	w->data = event->data.u64;
}

/* ---- Looking ------------------------------------------------------------------------------------- */

static uint32_t look_in_kernel(const struct watched *w)
{
	short events = (short)(w->events & 0xffff);

	if (epoll_is(w->fd))
		NOT_YET("waiting for an epoll descriptor with poll(), select() or epoll",
			"wait for what it watches");
	if (w->events & EPOLLET)
		NOT_YET("EPOLLET of a descriptor that is no pipe, eventfd or socket between threads of "
			"the program",
			"watch it by level");
	events = poll_native(w->fd, events);
	return events & POLLNVAL ? 0 : (uint32_t)(uint16_t)events & w->events;
}

/*
 * What is ready of that. If it is asked for more than before, its channels tell from now on, and the look is
 * one with that.
 */
static uint32_t look(struct watched *w, uint64_t pc)
{
	bool in = watched_wants_in(w) && !w->wired_in, out = watched_wants_out(w) && !w->wired_out;
	bool one = w->ends.take == w->ends.add;
	unsigned from, to;

	if (!watched_enabled(w))
		return 0;
	if (watched_is_foreign(w))
		return look_in_kernel(w);
	in = w->ends.take && (in || !w->wired_take);
	out = w->ends.add && (out || !w->wired_add);
	from = channel_look(w->ends.take, in || (one && out), pc);
	if (in || (one && out)) {
		watched_begin(w);
		w->wired_take = true;
		w->wired_in |= watched_wants_in(w);
	}
	to = one ? from : channel_look(w->ends.add, out, pc);
	if (out || (one && in)) {
		watched_begin(w);
		w->wired_add = true;
		w->wired_out |= watched_wants_out(w);
	}
	return (uint32_t)(uint16_t)channel_told(w->ends, from, to) & w->events;
}

/* Its channels do not tell the set any more. */
static void unwire(struct watched *w, uint64_t pc)
{
	if (w->wired_take)
		channel_look(w->ends.take, true, pc);
	w->wired_take = w->wired_in = false;
	if (w->wired_add && w->ends.add != w->ends.take)
		channel_look(w->ends.add, true, pc);
	w->wired_add = w->wired_out = false;
}

/* ---- Changing ------------------------------------------------------------------------------------ */

static int change_under_engine(struct set *s, int op, int fd, const struct epoll_event *event,
			       uint64_t pc)
{
	uint32_t place = READY_PLACES;
	bool ready = false;
	int error;

	set_lock(s, pc);
	error = error_of(s, op, fd, event);
	if (!error)
		place = place_for(s, op, fd);
	if (!error && op != EPOLL_CTL_DEL) {
		ask(&s->watched[place], fd, event);
		if (!watched_is_foreign(&s->watched[place]))
			ready = look(&s->watched[place], pc);
	} else if (!error) {
		unwire(&s->watched[place], pc);
		s->watched[place] = (struct watched){ .used = false };
	}
	set_release(s, place, ready, pc);
	if (ready)
		set_list(s, place);
	else if (!error && op == EPOLL_CTL_DEL)
		set_unlist(s, place);
	return error ? fail(error) : 0;
}

/* The kernel's set has the place of each for its data. */
static int change_alone(struct set *s, int op, int fd, const struct epoll_event *event)
{
	uint32_t place = place_for(s, op, fd);
	bool asks = op != EPOLL_CTL_DEL && memory_readable(event, sizeof(*event));
	struct epoll_event copy = { .events = asks ? event->events : 0, .data.u64 = place };
	struct epoll_event *given = asks ? &copy : (struct epoll_event *)(uintptr_t)event;
	int status = REAL(epoll_ctl)(s->fd - 1, op, fd, given);

	if (status)
		return status;
	if (asks) {
		ask(&s->watched[place], fd, event);
		watched_begin(&s->watched[place]);
	} else if (place < READY_PLACES) {
		s->watched[place] = (struct watched){ .used = false };
	}
	return 0;
}

HEDDLE_HOOK int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	struct set *s = set_of(epfd);

	if (!s)
		return REAL(epoll_ctl)(epfd, op, fd, event);
	if (under_engine())
		return change_under_engine(s, op, fd, event, CALLER());
	return change_alone(s, op, fd, event);
}

/* ---- Waiting ---------------------------------------------------------------------------------------- */

/* A walk through the list. */
struct walk {
	uint8_t list[READY_PLACES], again[READY_PLACES];
	uint32_t n, done, nagain;
	uint64_t disabled;
};

/* Of those on the list, and of those that only the kernel knows. */
static void begin_walk(struct set *s, struct walk *w)
{
	*w = (struct walk){ .n = 0 };
	for (uint32_t i = 0; i < READY_PLACES; i++) {
		const struct watched *one = &s->watched[i];

		if (watched_enabled(one) && watched_is_foreign(one))
			set_list(s, i);
	}
	while (w->n < s->nlisted) {
		w->list[w->n] = s->listed[w->n];
		w->n++;
	}
	s->nlisted = 0;
}

/* Reports what is ready; -1 if it cannot be. What is then on the walk's list is still to be looked at. */
static int report(struct set *s, struct walk *w, struct epoll_event *out, int most, uint64_t pc)
{
	int found = 0;

	for (; w->done < w->n && found < most; w->done++) {
		uint32_t place = w->list[w->done];
		struct watched *one = &s->watched[place];
		uint32_t events = one->used ? look(one, pc) : 0;

		if (!events)
			continue;
		if (!memory_writable(&out[found], sizeof(*out)))
			return found ? found : fail(EFAULT);
		out[found].events = events;
		out[found++].data.u64 = one->data;
		if (one->events & EPOLLONESHOT)
			w->disabled |= (uint64_t)1 << place;
		else if (!(one->events & EPOLLET))
			w->again[w->nagain++] = (uint8_t)place;
	}
	return found;
}

/*
 * What was not looked at comes first, then what was listed meanwhile, unless it is asked for by level, and
 * was reported: that comes last.
 */
static void put_back(struct set *s, const struct walk *w)
{
	struct set then = { .nlisted = 0 };

	for (uint32_t i = w->done; i < w->n; i++)
		set_list(&then, w->list[i]);
	for (uint32_t i = 0; i < w->nagain; i++)
		set_unlist(s, w->again[i]);
	for (uint32_t i = 0; i < s->nlisted; i++)
		if (!(w->disabled >> s->listed[i] & 1))
			set_list(&then, s->listed[i]);
	for (uint32_t i = 0; i < w->nagain; i++)
		set_list(&then, w->again[i]);
	s->nlisted = 0;
	for (uint32_t i = 0; i < then.nlisted; i++)
		set_list(s, then.listed[i]);
}

static void end_walk(struct set *s, const struct walk *w, uint64_t pc)
{
	struct op op = { .kind = OP_READY_RELEASE, .addr = (uintptr_t)s, .pc = pc };
	struct op_result res;

	op.arg.lo = w->disabled | w->disabled << READY_PLACES;
	op.arg.hi = w->disabled | w->disabled << READY_PLACES;
	for (uint32_t i = w->done; i < w->n; i++)
		op.expected.lo |= (uint64_t)1 << w->list[i];
	for (uint32_t i = 0; i < w->nagain; i++)
		op.expected.lo |= (uint64_t)1 << w->again[i];
	operate(&op, &res);
	for (uint32_t i = 0; i < READY_PLACES; i++)
		if (w->disabled >> i & 1)
			watched_disable(&s->watched[i]);
	put_back(s, w);
}

/*
 * Takes the list when there is one, and reports what is ready: how much, or -1. Without waiting it may
 * not be there.
 */
static int take_and_report(struct set *s, struct epoll_event *out, int most, struct op op)
{
	struct op_result res;
	struct walk w;
	int found;

	op.addr = (uintptr_t)s;
	op.arg.hi = cancel_location();
	operate(&op, &res);
	if (!res.wrote)
		return 0;
	begin_walk(s, &w);
	found = report(s, &w, out, most, op.pc);
	end_walk(s, &w, op.pc);
	return found;
}

/* Nobody will tell of what the kernel alone knows. */
static void must_be_told(const struct set *s)
{
	if (set_watches(s, true) && !set_watches(s, false))
		refuse("the program waits for descriptors of which none is a pipe, eventfd or "
		       "socketpair of its own, and what happens outside it is not explored: let a thread of it be "
		       "the other side",
		       NULL);
}

static bool set_has_timer(const struct set *s)
{
	for (uint32_t i = 0; i < READY_PLACES; i++) {
		uint16_t take = s->watched[i].used ? s->watched[i].ends.take : 0;

		if (take && channel_hears_timers(&channels[take - 1]))
			return true;
	}
	return false;
}

/*
 * A handler that comes ends the wait, unless something is ready: so that is looked for once before, where the
 * thread waits for ever; with a timeout that is done anyway.
 */
static int wait_for_some(struct set *s, struct epoll_event *out, int most,
			 const struct timespec *until, uint64_t pc)
{
	bool interrupted = !until && interrupt_comes(pc);
	struct op op = { .kind = until || interrupted ? OP_READY_TRYTAKE : OP_READY_TAKE,
			 .arg.lo = READY_ALL | READY_FOREIGN,
			 .pc = pc };
	int found;

	while (!(found = take_and_report(s, out, most, op))) {
		if (until && !until->tv_sec && !until->tv_nsec) {
			asked_in_vain(s, pc);
			return 0;
		}
		if (interrupted || interrupt_comes(pc))
			return POLL_INTERRUPTED;
		if (!until)
			must_be_told(s);
		if (until && channel_choose(2, pc)) {
			if (time_rings(time_end_ns(until, false, CLOCK_MONOTONIC), pc) != RING_NONE)
				return POLL_INTERRUPTED;
			op.kind = OP_READY_TRYTAKE; /* it may have rung on the way */
			if (set_has_timer(s) && (found = take_and_report(s, out, most, op)))
				return found;
			time_waited(until, false, CLOCK_MONOTONIC);
			timed_out(CLOCK_MONOTONIC, NULL, pc);
			return 0;
		}
		op.kind = OP_READY_TAKE;
		op.peer = until ? AWAIT_TIMED : 0;
		op.arg.lo = READY_ALL; /* what the kernel knows did not change */
	}
	if (interrupted)
		interrupt_too_early(pc);
	return found;
}

static int wait_under_engine(struct set *s, struct epoll_event *out, int most,
			     const struct timespec *until, uint64_t pc)
{
	cancellation_point(pc);
	if (most <= 0 || (size_t)most > INT_MAX / sizeof(*out))
		return fail(EINVAL);
	return poll_answer(wait_for_some(s, out, most, until, pc), pc);
}

/* Before the root point, of what the kernel found, or that it found nothing for so long. */
static int told_alone(struct set *s, struct epoll_event *out, int n, const struct timespec *until)
{
	for (int i = 0; s && i < n; i++) {
		struct watched *w = &s->watched[out[i].data.u64 % READY_PLACES];

		if (w->events & EPOLLONESHOT)
			watched_disable(w);
		out[i].data.u64 = w->data;
	}
	return time_waited_alone(n, !n, until);
}

static struct timespec timespec_of_ms(int ms)
{
	return (struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000l };
}

static int told_alone_ms(struct set *s, struct epoll_event *out, int n, int timeout)
{
	struct timespec t = timespec_of_ms(timeout);

	return told_alone(s, out, n, timeout < 0 ? NULL : &t);
}

static int epoll_ms(int epfd, struct epoll_event *out, int most, int timeout, uint64_t pc)
{
	struct timespec t = timespec_of_ms(timeout);
	struct set *s = set_of(epfd);

	if (!s) /* the kernel says why not */
		return REAL(epoll_wait)(epfd, out, most, 0);
	return wait_under_engine(s, out, most, timeout < 0 ? NULL : &t, pc);
}

/* Before the root point: does a signal end the wait? */
static bool ring_alone(int epfd, const struct timespec *until)
{
	const struct pollfd p = { .fd = epfd, .events = POLLIN };

	return signalfd_ring_alone(&p, 1, until);
}

static bool ring_alone_ms(int epfd, int timeout)
{
	struct timespec t = timespec_of_ms(timeout);

	return ring_alone(epfd, timeout < 0 ? NULL : &t);
}

static int wait_alone(int epfd, struct epoll_event *out, int most, int timeout)
{
	if (ring_alone_ms(epfd, timeout))
		return fail(EINTR);
	return told_alone_ms(set_of(epfd), out, REAL(epoll_wait)(epfd, out, most, timeout),
			     timeout);
}

ENTERED static int hook_epoll_wait(int epfd, struct epoll_event *out, int most, int timeout)
{
	if (!under_engine())
		return wait_alone(epfd, out, most, timeout);
	return epoll_ms(epfd, out, most, timeout, ENTRY_CALLER());
}
HOOK_ENTRY(epoll_wait, hook_epoll_wait, 4);

enum {
	SET_SIZE = 8 /* bytes that the kernel looks at, of a set of signals */
};

static int swapped_back(int found)
{
	signal_mask_swap_back();
	return found;
}

ENTERED static int hook_epoll_pwait(int epfd, struct epoll_event *out, int most, int timeout,
				    const sigset_t *mask)
{
	if (!under_engine()) {
		if (!mask && ring_alone_ms(epfd, timeout))
			return fail(EINTR);
		return told_alone_ms(set_of(epfd), out,
				     REAL(epoll_pwait)(epfd, out, most, timeout, mask), timeout);
	}
	if (mask && !memory_readable(mask, SET_SIZE))
		return fail(EFAULT);
	signal_mask_swap(mask);
	return swapped_back(epoll_ms(epfd, out, most, timeout, ENTRY_CALLER()));
}
HOOK_ENTRY(epoll_pwait, hook_epoll_pwait, 5);

ENTERED static int hook_epoll_pwait2(int epfd, struct epoll_event *out, int most,
				     const struct timespec *timeout, const sigset_t *mask)
{
	const struct timespec none = { 0, 0 };
	struct set *s = set_of(epfd);

	if (!under_engine()) {
		if (!mask && ring_alone(epfd, timeout))
			return fail(EINTR);
		return told_alone(s, out, REAL(epoll_pwait2)(epfd, out, most, timeout, mask),
				  timeout);
	}
	if (timeout && !time_valid(timeout))
		return fail(EINVAL);
	if (!s)
		return REAL(epoll_pwait2)(epfd, out, most, &none, NULL);
	if (mask && !memory_readable(mask, SET_SIZE))
		return fail(EFAULT);
	signal_mask_swap(mask);
	return swapped_back(wait_under_engine(s, out, most, timeout, ENTRY_CALLER()));
}
HOOK_ENTRY(epoll_pwait2, hook_epoll_pwait2, 5);
