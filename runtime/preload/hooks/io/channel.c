/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * channel.c - taking from channels, adding to them, and looking (see channel.h)
 *
 * The engine says first whether, and how much; then the kernel does it, which has to be possible.
 * A write of more than PIPE_BUF bytes goes in pieces, and others may come between, as POSIX
 * allows.
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/core/touch.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/io/buffers.h"
#include "preload/hooks/io/channel_table.h"
#include "preload/hooks/io/ready.h"
#include "preload/hooks/io/socket.h"
#include "preload/hooks/signal/signal_send.h"
#include "preload/hooks/signal/timers.h"
#include "preload/hooks/world/timeout.h"
#include "preload/image/snapshot.h"
#include "preload/loop/driver.h"

static ssize_t fail(int error)
{
	errno = error;
	return -1;
}

/* ---- Taking and adding ------------------------------------------------------------------------- */

static heddle_noreturn long changed_behind_us(void)
{
	nondeterminism("what a pipe, socket or eventfd holds was changed by something that "
		       "heddle does not see (splice(), or another process)",
		       NULL);
}

/* Would the kernel let the thread wait now? Then it knows of something that the engine does not. */
static void must_be_ready(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	if (sys3(SYS_poll, (long)&p, 1, 0) != 1)
		changed_behind_us();
}

static size_t length(const struct iovec *v, int n)
{
	size_t size = 0;

	for (int i = 0; i < n; i++)
		size += v[i].iov_len;
	return size;
}

static long look_at(int fd, const struct iovec *to, int n)
{
	struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)to, .msg_iovlen = (size_t)n };

	return sys3(SYS_recvmsg, fd, (long)&m, MSG_PEEK | MSG_DONTWAIT);
}

/*
 * Do those who write wake up now that something was taken? Linux wakes them for an eventfd always; for
 * a pipe or a socket of TCP when there was no room before; for a local socket when all of one write was taken.
 */
static bool is_news(int fd, const struct channel *c, uint64_t before, uint64_t queued)
{
	if (c->event)
		return true;
	if (COUNT_OF(c->state) >= c->room)
		return false;
	if (channel_is_socket(fd) && !socket_is_tcp(fd))
		return channel_queued(c) < queued;
	return COUNT_OF(before) >= c->room;
}

/* What the engine says is there, of which before was the state. */
static long take(int fd, struct channel *c, uint64_t before, const struct iovec *to, int n,
		 uint64_t pc)
{
	struct wake w = { .key = READY_KEY_OUT };
	uint64_t queued = 0;
	long got;

	wake_note(&w, c);
	if (w.n)
		queued = channel_queued(c);
	got = sys3(SYS_readv, fd, (long)to, n);
	if (w.n && is_news(fd, c, before, queued))
		wake_send(&w, pc);
	return got;
}

ssize_t channel_read(int fd, const struct iovec *to, int n, unsigned how, uint64_t pc)
{
	struct channel *c = channel_taken_by(fd);
	size_t size = length(to, n);
	struct op op = { .pc = pc, .arg = value_of(size) };
	struct op_result res;
	enum wait_end end;
	long got;

	if (!c)
		return fail(EBADF);
	if (c->listens) { /* the kernel says what it is instead */
		got = sys3(SYS_readv, fd, (long)to, n);
		return got < 0 ? fail((int)-got) : got;
	}
	if (c->event && size < sizeof(uint64_t))
		return fail(EINVAL);
	if (!size)
		return 0;
	for (int i = 0; i < n; i++)
		if (!memory_writable(to[i].iov_base, to[i].iov_len))
			return fail(EFAULT);
	if (c->event)
		op.arg = value_of(c->semaphore ? 1 : EVENT_MOST);
	op.kind = channel_waits(fd, how & READ_NEVER_WAITS) ? OP_COUNT_TAKE : OP_COUNT_TRYTAKE;
	/* To look takes nothing, but comes before or behind what others take, as reading does. */
	if (how & READ_ONLY_LOOKS)
		op.arg = value_of(0);
	res = channel_operate_waiting(c, op, &end);
	if (end != WAIT_OVER)
		return interrupt_ends(-1, EINTR, end == WAIT_RESTARTS, pc)
			       ? channel_read(fd, to, n, how, pc)
			       : fail(EINTR);
	if (!res.wrote)
		return res.value.lo & COUNT_NO_WRITER ? 0 : channel_again(c, pc);
	for (int i = 0; i < n; i++) {
		note_plain_write((uintptr_t)to[i].iov_base, to[i].iov_len);
		snapshot_expect((uintptr_t)to[i].iov_base, to[i].iov_len);
	}
	must_be_ready(fd, POLLIN);
	got = how & READ_ONLY_LOOKS ? look_at(fd, to, n) : take(fd, c, res.value.lo, to, n, pc);
	if (got < 0)
		return fail((int)-got);
	return how & READ_INTO_STREAM ? got : buffers_received(to, n, got, pc);
}

/* How a thread writes. */
struct manner {
	bool may_wait, no_signal;
};

/* Nobody will read that. The kernel need not know: a parent has the other end, too. */
static long broken(bool no_signal, uint64_t pc)
{
	if (!no_signal)
		signal_post((int)current->tid, SIGPIPE, (struct signal_info){ .code = SI_KERNEL },
			    pc);
	return -EPIPE;
}

/*
 * What a socket of the kernel has room for depends on how it was written: a byte may take as much as
 * a thousand. Where there is none for what the engine has, all is taken out and put back in one piece.
 */
static long send_bytes(const struct channel *c, int fd, const char *from, size_t size)
{
	long n = 0;

	for (int tries = 0; tries < 2; tries++) {
		n = sys6(SYS_sendto, fd, (long)from, (long)size, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
		if (n != -EAGAIN || !channel_pack(c))
			break;
	}
	return n == -EAGAIN ? changed_behind_us() : n;
}

/* One operation, and what it adds; 0: there is no room; or an error, -ERESTART: it is to be done again. */
static long add(int fd, const char *from, size_t size, struct manner how, uint64_t pc)
{
	struct channel *c = channel_added_by(fd);
	struct op op = { .kind = how.may_wait ? OP_COUNT_ADD : OP_COUNT_TRYADD,
			 .pc = pc,
			 .arg = value_of(size),
			 .expected = value_of(c->most) };
	struct op_result res;
	long n;
	enum wait_end end;

	if (!memory_readable(from, size))
		return -EFAULT;
	if (c->event) {
		memcpy(&op.arg.lo, from, sizeof(op.arg.lo));
		if (op.arg.lo == UINT64_MAX)
			return -EINVAL;
		if (op.arg.lo > EVENT_MOST)
			NOT_YET("an eventfd with a number of more than 62 bits",
				"count with smaller ones");
	}
	res = channel_operate_waiting(c, op, &end);
	if (end != WAIT_OVER)
		return interrupt_ends(-1, EINTR, end == WAIT_RESTARTS, pc) ? -ERESTART : -EINTR;
	if (!res.wrote)
		return res.value.lo & COUNT_NO_READER ? broken(how.no_signal, pc) : 0;
	if (channel_is_socket(fd)) {
		n = send_bytes(c, fd, from, size);
	} else {
		must_be_ready(fd, POLLOUT);
		n = sys3(SYS_write, fd, (long)from, (long)size);
	}
	wake(c, READY_KEY_IN, pc);
	return n;
}

static ssize_t add_bytes(int fd, const char *from, size_t size, struct manner how, uint64_t pc)
{
	size_t done = 0;
	long n;

	while (done < size) {
		size_t piece = size - done < PIPE_BUF ? size - done : PIPE_BUF;

		n = add(fd, from + done, piece, how, pc);
		if (n == -ERESTART && !done)
			continue;
		if (n < 0)
			return done ? (ssize_t)done : fail((int)-n);
		if (!n)
			return done ? (ssize_t)done : fail(EAGAIN);
		done += (size_t)n;
	}
	return (ssize_t)done;
}

ssize_t channel_write(int fd, const struct iovec *from, int n, bool never_waits, bool no_signal,
		      uint64_t pc)
{
	struct channel *c = channel_added_by(fd);
	struct manner how = { channel_waits(fd, never_waits), no_signal };
	ssize_t done = 0, got;

	if (channel_is_timer(fd))
		return fail(EINVAL);

	if (!c && channel_listens(fd)) {
		got = sys3(SYS_writev, fd, (long)from, n);
		return got < 0 ? fail((int)-got) : got;
	}
	if (!c)
		return fail(EBADF);
	if (c->event && length(from, n) < sizeof(uint64_t))
		return fail(EINVAL);
	if (c->event) {
		buffers_sent(&(struct iovec){ from[0].iov_base, sizeof(uint64_t) }, 1, pc);
		return add_bytes(fd, from[0].iov_base, sizeof(uint64_t), how, pc);
	}
	for (int i = 0; i < n; i++) {
		buffers_sent(&from[i], 1, pc);
		got = add_bytes(fd, from[i].iov_base, from[i].iov_len, how, pc);
		if (got < 0)
			return done ? done : got;
		done += got;
		if ((size_t)got < from[i].iov_len)
			break;
	}
	return done;
}

ssize_t channel_write_stream(int fd, const char *from, size_t n, uint64_t pc)
{
	const struct channel *c = channel_added_by(fd);

	if (!c || c->event)
		return channel_write(fd, &(struct iovec){ (void *)(uintptr_t)from, n }, 1, false,
				     false, pc);
	return add_bytes(fd, from, n, (struct manner){ channel_waits(fd, false), false }, pc);
}

/* ---- Timers ------------------------------------------------------------------------------------- */

static int descriptor_of(uint16_t channel)
{
	for (int fd = 0; fd < CHANNEL_FDS; fd++)
		if (channel_ends[fd].take == channel)
			return fd;
	return -1;
}

bool channel_tick(uint16_t channel, uint64_t n, uint64_t pc)
{
	struct channel *c = &channels[channel - 1];
	struct op_result res = channel_operate(c, (struct op){ .kind = OP_COUNT_TRYADD,
							       .pc = pc,
							       .arg = value_of(n),
							       .expected = value_of(c->most) });

	if (!res.wrote)
		return !(res.value.lo & COUNT_NO_READER);
	sys3(SYS_write, descriptor_of(channel), (long)&n, sizeof(n));
	wake(c, READY_KEY_IN, pc);
	return true;
}

void channel_forget_ticks(uint16_t channel, uint64_t pc)
{
	struct channel *c = &channels[channel - 1];
	uint64_t n;

	if (channel_operate(
		    c,
		    (struct op){ .kind = OP_COUNT_TRYTAKE, .pc = pc, .arg = value_of(EVENT_MOST) })
		    .wrote)
		sys_read(descriptor_of(channel), &n, sizeof(n));
}

bool channel_is_timer(int fd)
{
	const struct channel *c = channel_taken_by(fd);

	return c && c->timer;
}

bool channel_hears_timers(const struct channel *c)
{
	return c && c->timer && (!c->signals || timers_known());
}

bool channel_has_timer(const struct pollfd *p, nfds_t n)
{
	for (nfds_t i = 0; i < n; i++)
		if (channel_hears_timers(channel_taken_by(p[i].fd)))
			return true;
	return false;
}

/* ---- Looking ------------------------------------------------------------------------------------ */

/* Beside enum count_ready. */
enum {
	HOLDS = 16
};

static unsigned ready(struct channel *c, enum op_kind kind, uint64_t pc)
{
	struct op op = { .kind = kind, .pc = pc };
	uint64_t now;

	channel_asked(c);
	now = channel_operate(c, op).value.lo;
	return count_ready(now, c->room) | (COUNT_OF(now) ? HOLDS : 0);
}

#define TO_READ  (POLLIN | POLLRDNORM)
#define TO_WRITE (POLLOUT | POLLWRNORM)

unsigned channel_look(uint16_t channel, bool in_order, uint64_t pc)
{
	enum op_kind kind = in_order ? OP_COUNT_CLOSE : OP_COUNT_LOOK;

	return channel ? ready(&channels[channel - 1], kind, pc) : 0;
}

short channel_told(struct channel_ends ends, unsigned from, unsigned to)
{
	short events = 0;

	if (to & COUNT_WRITABLE)
		events |= channels[ends.add - 1].event ? POLLOUT : TO_WRITE;
	if (from & HOLDS)
		events |= channels[ends.take - 1].event ? POLLIN : TO_READ;
	if (ends.take && ends.add && ends.take != ends.add) {
		events |= from & COUNT_ENDED ? TO_READ | POLLRDHUP : 0;
		events |= (from & COUNT_ENDED) && (to & COUNT_BROKEN) ? POLLHUP : 0;
		return events;
	}
	events |= from & COUNT_ENDED ? POLLHUP : 0;
	events |= to & COUNT_BROKEN ? POLLERR : 0;
	return events;
}

short channel_events(int fd, uint64_t pc)
{
	struct channel_ends ends = channel_ends[fd];
	unsigned from = channel_look(ends.take, false, pc);

	return channel_told(ends, from,
			    ends.add == ends.take ? from : channel_look(ends.add, false, pc));
}

unsigned channel_awaited(int fd, short events, bool adds)
{
	struct channel *take = channel_taken_by(fd), *add = channel_added_by(fd);
	const struct channel *c = adds ? add : take;

	if (!c)
		return 0;
	if (c->event)
		return adds ? (events & POLLOUT ? COUNT_WRITABLE : 0u)
			    : (events & POLLIN ? COUNT_READABLE : 0u);
	if (!adds)
		return events & TO_READ ? COUNT_READABLE : COUNT_ENDED;
	if (events & TO_WRITE)
		return COUNT_WRITABLE;
	return take ? 0 : COUNT_BROKEN;
}

bool channel_never(int fd, short events)
{
	for (int adds = 0; adds < 2; adds++) {
		const struct channel *c = adds ? channel_added_by(fd) : channel_taken_by(fd);
		unsigned mask = channel_awaited(fd, events, adds);

		if (mask && (count_ready(c->state, c->room) & mask))
			return false;
	}
	return true;
}

static void await_one(struct channel *c, unsigned mask, unsigned how, uint64_t pc)
{
	channel_asked(c);
	channel_operate(c, (struct op){ .kind = OP_COUNT_AWAIT,
					.peer = how,
					.pc = pc,
					.arg = value_of(mask),
					.expected = value_of(c->room) });
}

void channel_await(int fd, short events, bool adds, unsigned how, uint64_t pc)
{
	struct channel *c = adds ? channel_added_by(fd) : channel_taken_by(fd);

	await_one(c, channel_awaited(fd, events, adds), how, pc);
	/* Who wants nothing from a socket is only told when both ways have come to their end. */
	if (channel_is_socket(fd) && !adds && !(events & (TO_READ | POLLRDHUP)))
		await_one(channel_added_by(fd), COUNT_BROKEN, how, pc);
}
