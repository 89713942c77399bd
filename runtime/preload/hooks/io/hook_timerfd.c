/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_timerfd.c - timers that a descriptor tells of
 *
 * Such a descriptor is a channel as an eventfd is, and the kernel's descriptor is one: a timer that rings
 * (timers.c) adds to its number, which read() takes. So who waits there in read(), poll() or epoll waits as
 * for a thread that writes, and the timer rings as any does: at any time from its virtual time on, and before a
 * thread that knows of it sleeps or waits beyond that.
 *
 * It rings in a thread, so to set one creates the first thread, if there is none.
 */
/*
 * intercepts: Files and descriptors
 *
 * explored timerfd_create timerfd_settime timerfd_gettime - a timer may ring at any time from its
 *	virtual time on, and does before a thread that knows of it sleeps beyond that
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include "preload/core/active.h"
#include "preload/core/sys.h"
#include "preload/facts/needs.h"
#include "preload/hooks/io/channel.h"
#include "preload/hooks/io/channel_table.h"
#include "preload/hooks/signal/timers.h"
#include "preload/hooks/world/time.h"
#include "preload/loop/children.h"

enum {
	NS_PER_S = 1000000000
};

static int fail(int error)
{
	errno = error;
	return -1;
}

/* ---- What the timer does --------------------------------------------------------------------------- */

static bool add_ticks(const struct timer *t, uint64_t n, uint64_t pc)
{
	return channel_tick(t->channel, n, pc);
}

static void take_ticks(const struct timer *t, uint64_t pc)
{
	channel_forget_ticks(t->channel, pc);
}

/* ---- Making ------------------------------------------------------------------------------------------ */

/* As that of timer_create(): places depend on the thread, if they can. */
static struct timer *free_place(void)
{
	uint32_t from = self_id() * 4;

	for (uint32_t i = 0; i < TIMERS_OF_DESCRIPTORS; i++) {
		struct timer *t = &timers[TIMERS_OF_PROCESS + TIMERS_BY_ID +
					  (from + i) % TIMERS_OF_DESCRIPTORS];

		if (!t->used || t->level != children_level())
			return t;
	}
	refuse("the program has more timers with descriptors than heddle can follow (64): close those "
	       "that are not used",
	       NULL);
}

/* The kernel has said that it is valid; now the number leads to an eventfd. */
static void become_eventfd(int fd, int flags)
{
	long event = sys3(SYS_eventfd2, 0, flags & TFD_NONBLOCK ? EFD_NONBLOCK : 0, 0);

	must(event >= 0);
	sys3(SYS_dup3, event, fd, flags & TFD_CLOEXEC ? O_CLOEXEC : 0);
	sys_close((int)event);
}

HEDDLE_HOOK int timerfd_create(clockid_t clock, int flags)
{
	struct timer *t;
	int fd;

	if (under_engine())
		needs_fork("makes a timerfd");
	fd = REAL(timerfd_create)(clock, flags);
	if (fd >= 0 && fd < CHANNEL_FDS && !init_active())
		channel_ends[fd].take = 0; /* a child that runs alone may have closed that one */
	if (fd < 0 || fd >= CHANNEL_FDS || !init_active() || time_no_timer(clock))
		return fd;
	become_eventfd(fd, flags);
	t = free_place();
	*t = (struct timer){
		.used = true,
		.clock = clock,
		.level = children_level(),
		.notify = TIMER_TICKS,
		.channel = channel_of_timer(fd),
		.tick = add_ticks,
		.clear = take_ticks,
		.setting = t->setting + 1, /* another one may still wait for what it was */
	};
	return fd;
}

static struct timer *timer_of(int fd)
{
	const struct channel *c = channel_taken_by(fd);

	for (uint32_t i = TIMERS_OF_PROCESS + TIMERS_BY_ID; c && c->timer && i < TIMERS; i++)
		if (timers[i].used && timers[i].channel == channel_ends[fd].take &&
		    timers[i].level == children_level())
			return &timers[i];
	return NULL;
}

/* NULL: the kernel is to say what it is. A child's is the kernel's timer if the child has made it. */
static struct timer *asked_of(int fd)
{
	struct timer *t = init_active() ? timer_of(fd) : NULL;

	if (!t && kin_is_child() && channel_is_timer(fd))
		refuse("the program uses a timer with a descriptor (timerfd) that it has from before "
		       "fork(): make it in the process that uses it",
		       NULL);
	return t;
}

void timerfd_closed(int fd, uint64_t pc)
{
	struct timer *t = timer_of(fd);
	struct timer_left left;

	if (!t)
		return;
	timer_set(t, 0, 0, &left, pc);
	t->used = false;
}

/* ---- Setting ---------------------------------------------------------------------------------------- */

static uint64_t ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_nsec;
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}

static void tell(const struct timer_left *left, struct itimerspec *out)
{
	note_plain_write((uintptr_t)out, sizeof(*out));
	*out = (struct itimerspec){ timespec_of(left->interval), timespec_of(left->ns) };
}

static uint64_t from_now(const struct timer *t, int flags, const struct timespec *value)
{
	uint64_t ns = ns_of(value);

	if (!ns || !(flags & TFD_TIMER_ABSTIME))
		return ns;
	ns = time_until_ns(t->clock, value);
	return ns ? ns : TIMER_NOW;
}

HEDDLE_HOOK int timerfd_settime(int fd, int flags, const struct itimerspec *value,
				struct itimerspec *old)
{
	const int known = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
	struct timer *t = asked_of(fd);
	struct timer_left left;

	if (!t)
		return REAL(timerfd_settime)(fd, flags, value, old);
	if (!memory_readable(value, sizeof(*value)))
		return fail(EFAULT);
	if (flags & ~known || !time_valid(&value->it_value) || !time_valid(&value->it_interval))
		return fail(EINVAL);
	timer_set(t, from_now(t, flags, &value->it_value), ns_of(&value->it_interval), &left,
		  CALLER());
	if (old && !memory_writable(old, sizeof(*old)))
		return fail(EFAULT);
	if (old)
		tell(&left, old);
	return 0;
}

HEDDLE_HOOK int timerfd_gettime(int fd, struct itimerspec *value)
{
	struct timer *t = asked_of(fd);
	struct timer_left left;

	if (!t)
		return REAL(timerfd_gettime)(fd, value);
	if (!memory_writable(value, sizeof(*value)))
		return fail(EFAULT);
	timer_ask(t, &left, CALLER());
	tell(&left, value);
	return 0;
}
