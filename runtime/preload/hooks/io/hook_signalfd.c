/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_signalfd.c - signals that are read from a descriptor
 *
 * read() takes what is pending, for the thread or the process, as sigwaitinfo() does (signal_send.c), and waits in the same
 * way. For poll(), select() and epoll the descriptor is a channel as an eventfd is, which counts the
 * signals of its mask that are pending for the process: whoever sends one adds to it, and whoever takes one, in
 * whatever way, takes from it, both with signals_guard held. (pending.c tells of each.)
 *
 * What is pending for one thread makes the descriptor readable for that thread alone. A count knows nothing of who
 * looks, so it is refused to send such a signal to a thread, and to wait for the descriptor, in one execution.
 *
 * The kernel's descriptor stays what it is, and is asked before there are threads. From the root point on the kernel has no
 * signals for it: they are sent and taken here.
 */
/*
 * intercepts: Signals
 *
 * explored signalfd - who reads which signal, and who waits. Refused is to wait with poll() and its like
 *	for one that is sent to a thread
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/signalfd.h>

#include "preload/core/active.h"
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/sys.h"
#include "preload/facts/needs.h"
#include "preload/hooks/io/buffers.h"
#include "preload/hooks/io/channel_table.h"
#include "preload/hooks/io/ready.h"
#include "preload/hooks/io/socket_timeout.h"
#include "preload/hooks/lock/mutex.h"
#include "preload/hooks/signal/signal_send.h"
#include "preload/hooks/signal/timers.h"
#include "preload/hooks/world/time.h"
#include "preload/hooks/world/timeout.h"
#include "preload/image/snapshot.h"

enum {
	KERNEL_SET = 8, /* bytes that the kernel looks at, of a set */
	IN_VAIN = 1000  /* rings of timers that nobody hears */
};

#define NEVER_READ (1ul << (SIGKILL - 1) | 1ul << (SIGSTOP - 1))

static HEDDLE_IMAGE_SELDOM bool any = false;

static int fail(int error)
{
	errno = error;
	return -1;
}

bool channel_is_of_signals(int fd)
{
	const struct channel *c = channel_taken_by(fd);

	return c && c->signals;
}

/* ---- What is pending, as a count ------------------------------------------------------------------ */

static void count(struct channel *c, enum op_kind kind, uint64_t n, uint64_t pc)
{
	channel_operate(c, (struct op){ .kind = kind,
					.pc = pc,
					.arg = value_of(n),
					.expected = value_of(c->most) });
	if (kind == OP_COUNT_TRYADD)
		wake(c, READY_KEY_IN, pc);
}

static void changes(int to, int sig, bool more)
{
	for (int i = 0; any && i < CHANNELS; i++) {
		struct channel *c = &channels[i];

		if (!c->used || !c->signals || !(c->mask & signal_bit(sig)))
			continue;
		if (to == PENDING_PROCESS)
			count(c, more ? OP_COUNT_TRYADD : OP_COUNT_TRYTAKE, 1, progress->op_pc);
		else if (more)
			channel_directed(c);
	}
}

static void signalfds_root(void)
{
	pending_changes = changes;
}

AT_ROOT(signalfds_root);

/* What was sent before there were threads: main is one. */
static void signalfds_begin(void)
{
	for (int i = 0; any && i < CHANNELS; i++) {
		struct channel *c = &channels[i];

		if (!c->used || !c->signals)
			continue;
		c->state = pending_count(PENDING_PROCESS, c->mask);
		c->directed = pending_of(0) & c->mask;
	}
}

AT_BEGIN(signalfds_begin);

/* ---- Making ----------------------------------------------------------------------------------------- */

static void set_mask(struct channel *c, uint64_t mask, uint64_t pc)
{
	uint64_t before = COUNT_OF(c->state), now;

	c->mask = mask;
	if (!under_engine())
		return;
	now = pending_count(PENDING_PROCESS, mask);
	if (now > before)
		count(c, OP_COUNT_TRYADD, now - before, pc);
	else if (now < before)
		count(c, OP_COUNT_TRYTAKE, before - now, pc);
	for (int t = 0; t < HEDDLE_MAX_THREADS; t++)
		if (pending_of(t) & mask)
			channel_directed(c);
}

HEDDLE_HOOK int signalfd(int fd, const sigset_t *set, int flags)
{
	uint64_t pc = CALLER();
	int made;

	if (!memory_readable(set, KERNEL_SET))
		return REAL(signalfd)(fd, set, flags); /* to be told so */
	if (under_engine())
		needs_fork("makes a signalfd");
	made = REAL(signalfd)(fd, set, flags);
	if (made < 0 || made >= CHANNEL_FDS || !init_active())
		return made;
	any = true;
	if (under_engine())
		mutex_lock(&signals_guard, pc);
	if (!channel_is_of_signals(made))
		channel_of_signals(made);
	set_mask(channel_taken_by(made), signal_bits(set) & ~NEVER_READ, pc);
	if (under_engine())
		mutex_unlock(&signals_guard, pc);
	return made;
}

/* ---- Reading ------------------------------------------------------------------------------------------ */

static struct signalfd_siginfo told(const siginfo_t *info)
{
	return (struct signalfd_siginfo){
		.ssi_signo = (uint32_t)info->si_signo,
		.ssi_code = info->si_code,
		.ssi_pid = (uint32_t)info->si_pid,
		.ssi_uid = info->si_uid,
		.ssi_int = info->si_value.sival_int,
		.ssi_ptr = (uint64_t)(uintptr_t)info->si_value.sival_ptr,
	};
}

/* Where the next signal is stored. */
struct target {
	const struct iovec *v;
	size_t at; /* in the first of them */
};

static void store(struct target *to, const siginfo_t *info)
{
	const struct signalfd_siginfo all = told(info);
	const char *from = (const char *)&all;

	for (size_t left = sizeof(all); left;) {
		size_t room = to->v->iov_len - to->at, n = left < room ? left : room;
		char *at = (char *)to->v->iov_base + to->at;

		note_plain_write((uintptr_t)at, n);
		snapshot_expect((uintptr_t)at, n);
		memcpy(at, from + sizeof(all) - left, n);
		left -= n;
		to->at += n;
		if (to->at == to->v->iov_len)
			*to = (struct target){ to->v + 1, 0 };
	}
}

static bool may_wait(int fd)
{
	return !(sys3(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK);
}

/* The first one: its number, or as signal_interrupted() says. 0: there is none, and the call does not wait. */
static int take_first(int fd, const sigset_t *set, siginfo_t *info, uint64_t pc)
{
	int sig;

	if (!may_wait(fd))
		return signal_take(set, info, pc);
	signal_only_from_threads();
	sig = signal_interrupted(set, info, true, pc);
	return sig ? sig : signal_wait(set, info, pc);
}

static bool are_writable(const struct iovec *v, int n)
{
	for (int i = 0; i < n; i++)
		if (!memory_writable(v[i].iov_base, v[i].iov_len))
			return false;
	return true;
}

static ssize_t read_under_engine(int fd, const struct iovec *v, int n, size_t room, uint64_t pc)
{
	struct channel *c = channel_taken_by(fd);
	const sigset_t set = { .__val = { c->mask } };
	struct target to = { v, 0 };
	bool writable = are_writable(v, n);
	siginfo_t info;
	size_t got = 0;
	int sig;

	do
		sig = take_first(fd, &set, &info, pc);
	while (sig == SIGNAL_RESTARTS);
	if (sig == SIGNAL_ENDS)
		return fail(EINTR);
	if (!sig) {
		asked_in_vain(c, pc);
		return fail(EAGAIN);
	}
	if (!writable) /* the kernel finds out when it has taken the signal */
		return fail(EFAULT);
	while (sig) {
		store(&to, &info);
		got += sizeof(struct signalfd_siginfo);
		sig = got + sizeof(struct signalfd_siginfo) <= room ? signal_take(&set, &info, pc)
								    : 0;
	}
	return buffers_received(v, n, (ssize_t)got, pc);
}

/* ---- Before there are threads --------------------------------------------------------------------------- */

/* Of what the kernel never gets to know. */
static ssize_t take_own(const struct channel *c, const struct iovec *v, int n, uint64_t pc)
{
	const sigset_t set = { .__val = { c->mask } };
	struct target to = { v, 0 };
	siginfo_t info;

	if (!((pending_of(0) | pending_of(PENDING_PROCESS)) & c->mask) ||
	    !signal_take(&set, &info, pc))
		return 0;
	if (!are_writable(v, n))
		return fail(EFAULT);
	store(&to, &info);
	return sizeof(struct signalfd_siginfo);
}

static bool has_some(int fd)
{
	return poll_native(fd, POLLIN);
}

/* Timers of the program may bring one, or another one whose handler ends the wait. */
static ssize_t read_alone(int fd, const struct iovec *v, int n, uint64_t pc)
{
	ssize_t got = take_own(channel_taken_by(fd), v, n, pc);
	enum timer_rung rung = TIMER_PENDING;

	if (got)
		return got;
	for (int i = 0; i < IN_VAIN && rung == TIMER_PENDING && may_wait(fd) && !has_some(fd);
	     i++) {
		rung = timer_ring_alone(TIME_FOR_EVER);
		if (rung == TIMER_RESTARTS)
			rung = TIMER_PENDING;
	}
	if (rung == TIMER_ENDS)
		return fail(EINTR);
	return buffers_received(v, n, REAL(readv)(fd, v, n), pc);
}

/* Is it a pipe or the like of the program's own, or an epoll descriptor of such? */
static bool is_own(int fd)
{
	const struct set *s = set_of(fd);

	return s ? !set_watches(s, true) : channel_has(fd);
}

/*
 * Can a timer come first? What is the program's own alone changes only by handlers, as long as there is no other process;
 * signals of a descriptor may come from outside, but then nobody knows when.
 */
static bool only_timers_ring(const struct pollfd *p, nfds_t n)
{
	if (any)
		return true;
	if (!time_watch.rings || (kin_any && kin_lives()))
		return false;
	for (nfds_t i = 0; i < n; i++)
		if (p[i].fd >= 0 && !is_own(p[i].fd))
			return false;
	return true;
}

bool signalfd_ring_alone(const struct pollfd *p, nfds_t n, const struct timespec *timeout)
{
	enum timer_rung rung = TIMER_PENDING;
	uint64_t end = TIME_FOR_EVER;

	if (timeout && (!memory_readable(timeout, sizeof(*timeout)) || !time_valid(timeout)))
		return false;
	if (timeout)
		end = time_end_ns(timeout, false, CLOCK_MONOTONIC);
	if (!shared || !memory_readable(p, n * sizeof(*p)) || !only_timers_ring(p, n))
		return false;
	for (int i = 0; i < IN_VAIN && rung == TIMER_PENDING; i++) {
		for (nfds_t k = 0; k < n; k++)
			if (poll_native(p[k].fd, p[k].events))
				return false;
		rung = timer_ring_alone(end);
	}
	return rung == TIMER_ENDS || rung == TIMER_RESTARTS;
}

bool channel_rings_alone(int fd)
{
	enum timer_rung rung = TIMER_PENDING;
	const struct pollfd p = { .fd = fd, .events = POLLIN };

	if (under_engine() || !time_watch.rings || !channel_has(fd) || !only_timers_ring(&p, 1) ||
	    !may_wait(fd))
		return false;
	for (int i = 0; i < IN_VAIN && (rung == TIMER_PENDING || rung == TIMER_RESTARTS); i++) {
		if (has_some(fd))
			return false;
		rung = timer_ring_alone(socket_ends_ns(fd));
		if (rung == TIMER_RESTARTS && socket_ends_ns(fd) != TIME_FOR_EVER)
			rung = TIMER_ENDS;
	}
	return rung == TIMER_ENDS;
}

/* ---- Both ------------------------------------------------------------------------------------------------- */

ssize_t signalfd_read(int fd, const struct iovec *v, int n, uint64_t pc)
{
	size_t room = 0;

	for (int i = 0; i < n; i++)
		room += v[i].iov_len;
	if (room < sizeof(struct signalfd_siginfo))
		return fail(EINVAL);
	return under_engine() ? read_under_engine(fd, v, n, room, pc) : read_alone(fd, v, n, pc);
}
