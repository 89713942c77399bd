/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_channel.c - pipes, eventfds and local socket pairs (see channel.h)
 *
 * The kernel holds the contents; the engine decides in which order threads add to and take from
 * them, and who waits. To it a channel is a count (OP_COUNT_*, wire/op.h): of bytes, or the number
 * of an eventfd. Operations on a count are in one order, that in which they are executed, so
 * when the engine says that a thread may read so many bytes, they are there.
 *
 * A write of more than PIPE_BUF bytes goes in pieces, and others may come between, as POSIX
 * allows. What was in channels at the root point is put back before each execution.
 *
 * Not seen is what goes round these hooks: a stream made by fdopen() (refused), splice(), other
 * processes. When the kernel then says something else than the engine, the run ends with that.
 */
/*
 * intercepts: Pipes, eventfds and socket pairs
 *
 * explored pipe pipe2 eventfd eventfd_read eventfd_write - who reads what, and who waits,
 *	is explored; executions run in children once descriptors are made
 * explored socketpair - likewise, for AF_UNIX and SOCK_STREAM
 */
#include "target/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "target/cancel.h"
#include "target/channel.h"
#include "target/driver.h"
#include "target/fiber.h"
#include "target/init.h"
#include "target/sent.h"
#include "target/sys.h"

enum {
	MAX_FDS = 256,
	CHANNELS = 1024,
	EARLY = 64, /* for those made before the first thread */
	OF_THREAD = (CHANNELS - EARLY) / HEDDLE_MAX_THREADS,
	PIPE_BYTES = 65536,
	BACKLOG = 4096
};

#define EVENT_MOST (COUNT_NO_WRITER - 2)

struct channel {
	uint64_t
		state; /* as the engine counts; before the root point only whether ends are closed */
	uint64_t most;
	uint16_t readers, writers;
	bool used, event, semaphore, listens;
	bool touched; /* the engine knows it: nothing else can be there in this execution */
};

static HEDDLE_IMAGE_SELDOM struct channel channel[CHANNELS] = { 0 };

/* Of each descriptor, the channel it takes from and the one it adds to, plus 1; 0: none. */
static HEDDLE_IMAGE_SELDOM struct {
	uint16_t take, add;
} ends[MAX_FDS] = { 0 };

static struct channel *taken_by(int fd)
{
	return fd >= 0 && fd < MAX_FDS && ends[fd].take ? &channel[ends[fd].take - 1] : NULL;
}

static struct channel *added_by(int fd)
{
	return fd >= 0 && fd < MAX_FDS && ends[fd].add ? &channel[ends[fd].add - 1] : NULL;
}

bool channel_has(int fd)
{
	return taken_by(fd) || added_by(fd);
}

uint64_t channel_native_state(uint64_t addr)
{
	return ((const struct channel *)addr)->state;
}

static ssize_t fail(int error)
{
	errno = error;
	return -1;
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* Where threads find room depends on nothing but the thread, as long as there is enough. */
static uint16_t make(uint64_t most)
{
	uint32_t from = current ? EARLY + current->tid * OF_THREAD : 0;

	for (uint32_t i = 0; i < CHANNELS; i++) {
		struct channel *c = &channel[(from + i) % CHANNELS];

		if (c->used || c->touched)
			continue;
		*c = (struct channel){ .most = most, .used = true };
		return (uint16_t)((from + i) % CHANNELS + 1);
	}
	refuse("the program has more pipes and eventfds than heddle can follow (1024)", NULL);
}

static bool follows(int fd, int other)
{
	return init_active() && fd >= 0 && fd < MAX_FDS && other < MAX_FDS;
}

/* What one descriptor adds, the other takes. */
static void connect_ends(int take, int add, uint64_t most)
{
	uint16_t c = make(most);

	ends[take].take = ends[add].add = c;
	channel[c - 1].readers++;
	channel[c - 1].writers++;
}

HEDDLE_HOOK int pipe2(int fd[2], int flags)
{
	int status;

	if (under_engine())
		needs_fork("makes a pipe");
	status = REAL(pipe2)(fd, flags);
	if (!status && follows(fd[0], fd[1]))
		connect_ends(fd[0], fd[1], PIPE_BYTES);
	return status;
}

HEDDLE_HOOK int pipe(int fd[2])
{
	return pipe2(fd, 0);
}

HEDDLE_HOOK int socketpair(int domain, int type, int protocol, int fd[2])
{
	int status;

	if (under_engine())
		needs_fork("makes sockets");
	status = REAL(socketpair)(domain, type, protocol, fd);
	if (!status && follows(fd[0], fd[1]) && domain == AF_UNIX &&
	    (type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) == SOCK_STREAM)
		channel_pair(fd[0], fd[1]);
	return status;
}

void channel_pair(int fd, int other)
{
	connect_ends(fd, other, PIPE_BYTES);
	connect_ends(other, fd, PIPE_BYTES);
}

void channel_moved(int from, int fd)
{
	if (fd >= MAX_FDS)
		refuse("the program has more descriptors than heddle can follow (256)", NULL);
	ends[fd] = ends[from];
	ends[from].take = ends[from].add = 0;
}

/* Whoever connects is no end of it. */
int channel_listen(int fd)
{
	uint16_t c;

	if (!follows(fd, fd) || channel_has(fd))
		return 0;
	c = make(BACKLOG);
	ends[fd].take = c;
	channel[c - 1].readers = channel[c - 1].writers = 1;
	channel[c - 1].listens = true;
	return c;
}

bool channel_listens(int fd)
{
	const struct channel *c = taken_by(fd);

	return c && c->listens;
}

HEDDLE_HOOK int eventfd(unsigned value, int flags)
{
	struct channel *c;
	int fd;

	if (under_engine())
		needs_fork("makes an eventfd");
	fd = REAL(eventfd)(value, flags);
	if (!follows(fd, fd))
		return fd;
	connect_ends(fd, fd, EVENT_MOST);
	c = taken_by(fd);
	c->event = true;
	c->semaphore = flags & EFD_SEMAPHORE;
	return fd;
}

/* ---- Taking and adding ------------------------------------------------------------------------- */

static struct op_result operate_on(struct channel *c, struct op op)
{
	struct op_result res;

	op.addr = (uintptr_t)c;
	c->touched = true;
	if (op.kind == OP_COUNT_TAKE || op.kind == OP_COUNT_ADD || op.kind == OP_COUNT_AWAIT)
		op.arg.hi = cancel_location();
	operate(&op, &res);
	if (res.wrote)
		c->state = res.stored.lo;
	return res;
}

static bool waits(int fd, bool never)
{
	return !never && !(sys3(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK);
}

/* Would the kernel let the thread wait now? Then it knows of something that the engine does not. */
static void must_be_ready(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	if (sys3(SYS_poll, (long)&p, 1, 0) != 1)
		nondeterminism("what a pipe, socket or eventfd holds was changed by something that "
			       "heddle does not see (a stream, splice(), or another process)",
			       NULL);
}

static size_t length(const struct iovec *v, int n)
{
	size_t size = 0;

	for (int i = 0; i < n; i++)
		size += v[i].iov_len;
	return size;
}

ssize_t channel_read(int fd, const struct iovec *to, int n, bool never_waits, uint64_t pc)
{
	struct channel *c = taken_by(fd);
	size_t size = length(to, n);
	struct op op = { .pc = pc, .arg = value_of(size) };
	struct op_result res;
	long got;

	if (!c)
		return fail(EBADF);
	if (c->listens)
		return fail(ENOTCONN);
	if (c->event && size < sizeof(uint64_t))
		return fail(EINVAL);
	if (!size)
		return 0;
	if (c->event)
		op.arg = value_of(c->semaphore ? 1 : EVENT_MOST);
	op.kind = waits(fd, never_waits) ? OP_COUNT_TAKE : OP_COUNT_TRYTAKE;
	res = operate_on(c, op);
	if (!res.wrote)
		return res.value.lo & COUNT_NO_WRITER ? 0 : fail(EAGAIN);
	for (int i = 0; i < n; i++) {
		note_plain_write((uintptr_t)to[i].iov_base, to[i].iov_len);
		snapshot_expect((uintptr_t)to[i].iov_base, to[i].iov_len);
	}
	must_be_ready(fd, POLLIN);
	got = sys3(SYS_readv, fd, (long)to, n);
	return got < 0 ? fail((int)-got) : got;
}

/* How a thread writes. */
struct manner {
	bool may_wait, no_signal;
};

/* Nobody will read that. The kernel need not know: a parent has the other end, too. */
static long broken(bool no_signal, uint64_t pc)
{
	if (!no_signal)
		sent_post((int)current->tid, SIGPIPE, (struct sent){ .code = SI_KERNEL }, pc);
	return -EPIPE;
}

/* One operation, and what it adds; 0: there is no room. */
static long add(int fd, const char *from, size_t size, struct manner how, uint64_t pc)
{
	struct channel *c = added_by(fd);
	struct op op = { .kind = how.may_wait ? OP_COUNT_ADD : OP_COUNT_TRYADD,
			 .pc = pc,
			 .arg = value_of(size),
			 .expected = value_of(c->most) };
	struct op_result res;

	if (c->event) {
		memcpy(&op.arg.lo, from, sizeof(op.arg.lo));
		if (op.arg.lo > EVENT_MOST)
			return -EINVAL;
	}
	res = operate_on(c, op);
	if (!res.wrote)
		return res.value.lo & COUNT_NO_READER ? broken(how.no_signal, pc) : 0;
	must_be_ready(fd, POLLOUT);
	return sys3(SYS_write, fd, (long)from, (long)size);
}

static ssize_t add_bytes(int fd, const char *from, size_t size, struct manner how, uint64_t pc)
{
	size_t done = 0;
	long n;

	while (done < size) {
		size_t piece = size - done < PIPE_BUF ? size - done : PIPE_BUF;

		n = add(fd, from + done, piece, how, pc);
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
	struct channel *c = added_by(fd);
	struct manner how = { waits(fd, never_waits), no_signal };
	ssize_t done = 0, got;

	if (!c)
		return fail(EBADF);
	if (c->event && length(from, n) < sizeof(uint64_t))
		return fail(EINVAL);
	if (c->event)
		return add_bytes(fd, from[0].iov_base, sizeof(uint64_t), how, pc);
	for (int i = 0; i < n; i++) {
		got = add_bytes(fd, from[i].iov_base, from[i].iov_len, how, pc);
		if (got < 0)
			return done ? done : got;
		done += got;
		if ((size_t)got < from[i].iov_len)
			break;
	}
	return done;
}

/* ---- Connections ------------------------------------------------------------------------------- */

bool channel_add_connection(int listener, bool never_waits, uint64_t pc)
{
	struct channel *c = &channel[listener - 1];
	struct op op = { .kind = never_waits ? OP_COUNT_TRYADD : OP_COUNT_ADD,
			 .pc = pc,
			 .arg = value_of(1),
			 .expected = value_of(c->most) };
	struct op_result res;

	if (!under_engine()) {
		c->state++;
		return true;
	}
	res = operate_on(c, op);
	if (!res.wrote)
		errno = res.value.lo & COUNT_NO_READER ? ECONNREFUSED : EAGAIN;
	return res.wrote;
}

bool channel_take_connection(int fd, uint64_t pc)
{
	struct channel *c = taken_by(fd);
	struct op op = { .kind = waits(fd, false) ? OP_COUNT_TAKE : OP_COUNT_TRYTAKE,
			 .pc = pc,
			 .arg = value_of(1) };

	if (under_engine() ? operate_on(c, op).wrote : COUNT_OF(c->state) > 0) {
		c->state -= !under_engine();
		return true;
	}
	errno = EAGAIN;
	return false;
}

/* ---- Closing and duplicating ------------------------------------------------------------------- */

/* Who is the last to close is a matter of order, so each who does is in it. */
static void leave(struct channel *c, uint16_t *count, uint64_t flag, uint64_t pc)
{
	struct op op = { .kind = OP_COUNT_CLOSE, .pc = pc };

	if (under_engine() && *count > 1)
		operate_on(c, op);
	if (--*count)
		return;
	op.arg = value_of(flag);
	if (under_engine())
		operate_on(c, op);
	else
		c->state |= flag;
	c->used = c->readers || (c->writers && !c->listens);
}

void channel_closed(int fd, uint64_t pc)
{
	struct channel *take = taken_by(fd), *add = added_by(fd);

	/* In this order: who sees a socket's other end closed for writing sees it closed for both. */
	if (take)
		leave(take, &take->readers, COUNT_NO_READER, pc);
	if (add)
		leave(add, &add->writers, COUNT_NO_WRITER, pc);
	if (add || take)
		ends[fd].take = ends[fd].add = 0;
}

void channel_shut(int fd, bool take, bool add, uint64_t pc)
{
	struct op op = { .kind = OP_COUNT_CLOSE,
			 .arg = value_of(COUNT_NO_WRITER | COUNT_NO_READER),
			 .pc = pc };
	struct channel *c[2] = { take ? taken_by(fd) : NULL, add ? added_by(fd) : NULL };

	for (int i = 0; i < 2; i++)
		if (c[i] && under_engine())
			operate_on(c[i], op);
		else if (c[i])
			c[i]->state |= op.arg.lo;
}

void channel_duplicated(int fd, int to, uint64_t pc)
{
	struct channel *take = taken_by(fd), *add = added_by(fd);

	if (to < 0 || to == fd || !init_active())
		return;
	channel_closed(to, pc);
	if (!add && !take)
		return;
	if (to >= MAX_FDS)
		refuse("the program duplicates a pipe to a descriptor that heddle cannot follow",
		       NULL);
	ends[to] = ends[fd];
	if (take)
		take->readers++;
	if (add)
		add->writers++;
}

/* ---- Looking ------------------------------------------------------------------------------------ */

/* Beside enum count_ready. */
enum {
	ENDS = 4,
	BROKEN = 8,
	HOLDS = 16
};

static unsigned ready(struct channel *c, uint64_t pc)
{
	struct op op = { .kind = OP_COUNT_LOOK, .pc = pc };
	uint64_t now = operate_on(c, op).value.lo;

	return count_ready(now, c->most) | (now & COUNT_NO_WRITER ? ENDS : 0) |
	       (now & COUNT_NO_READER ? BROKEN : 0) | (COUNT_OF(now) ? HOLDS : 0);
}

short channel_events(int fd, uint64_t pc)
{
	struct channel *take = taken_by(fd), *add = added_by(fd);
	bool is_socket = take && add && take != add;
	unsigned to = 0, from = 0;
	short events = 0;

	if (take)
		from = ready(take, pc);
	if (add)
		to = add == take ? from : ready(add, pc);
	if (to & COUNT_WRITABLE)
		events |= POLLOUT;
	if (from & HOLDS)
		events |= POLLIN;
	if (is_socket) {
		events |= from & ENDS ? POLLIN | POLLRDHUP : 0;
		events |= (from & ENDS) && (to & BROKEN) ? POLLHUP : 0;
		return events;
	}
	events |= from & ENDS ? POLLHUP : 0;
	events |= to & BROKEN ? POLLERR : 0;
	return events;
}

bool channel_never(int fd, short events)
{
	struct channel *take = taken_by(fd), *add = added_by(fd);

	if (take && (count_ready(take->state, take->most) & COUNT_READABLE) &&
	    (events & POLLIN || !add || take->state & COUNT_NO_WRITER))
		return false;
	if (add && (count_ready(add->state, add->most) & COUNT_WRITABLE) &&
	    (events & POLLOUT || add->state & COUNT_NO_READER))
		return false;
	return true;
}

void channel_await(int fd, short events, unsigned how, uint64_t pc)
{
	struct channel *take = taken_by(fd), *add = added_by(fd);
	struct op op = { .kind = OP_COUNT_AWAIT, .peer = how, .pc = pc };

	if (take && (events & POLLIN || !add)) {
		op.arg = value_of(COUNT_READABLE);
		op.expected = value_of(take->most);
		operate_on(take, op);
		return;
	}
	op.arg = value_of(COUNT_WRITABLE);
	op.expected = value_of(add->most);
	operate_on(add, op);
}

/* ---- The root point ------------------------------------------------------------------------------- */

/* Of the channels that are open at both ends: their state, and what is in those of bytes. */
static struct rooted {
	struct channel *channel;
	uint64_t held;
	int take, add;
	char *bytes;
} root[CHANNELS];
static uint32_t nrooted;

static int descriptor_of(uint32_t c, bool takes)
{
	for (int fd = 0; fd < MAX_FDS; fd++)
		if ((takes ? ends[fd].take : ends[fd].add) == c + 1)
			return fd;
	return -1;
}

static bool has_something(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return sys3(SYS_poll, (long)&p, 1, 0) == 1 && (p.revents & POLLIN);
}

/* Takes all that the kernel holds; returns how much. Room for it: bytes, or NULL. */
static uint64_t empty(const struct channel *c, int fd, char *bytes)
{
	static char nowhere[PIPE_BYTES];
	uint64_t all = 0, number;

	while (has_something(fd)) {
		long n = c->event ? sys_read(fd, &number, sizeof(number))
				  : sys_read(fd, bytes ? bytes + all : nowhere, PIPE_BYTES - all);

		if (n <= 0)
			break;
		all += c->event ? number : (uint64_t)n;
		if (!bytes && !c->event)
			all = 0;
	}
	return all;
}

static void fill(const struct rooted *r)
{
	if (!r->held)
		return;
	if (r->channel->event)
		sys3(SYS_write, r->add, (long)&r->held, sizeof(r->held));
	else
		sys3(SYS_write, r->add, (long)r->bytes, (long)r->held);
}

void channels_root(void)
{
	for (uint32_t i = 0; i < CHANNELS; i++) {
		struct channel *c = &channel[i];
		struct rooted r = { .channel = c };

		if (!c->used)
			continue;
		r.take = descriptor_of(i, true);
		r.add = descriptor_of(i, false);
		if (r.take < 0 || r.add < 0)
			continue;
		if (!c->event && has_something(r.take))
			r.bytes = map_own(PIPE_BYTES);
		r.held = empty(c, r.take, r.bytes);
		c->state += r.held;
		fill(&r);
		root[nrooted++] = r;
	}
}

void channels_reset(void)
{
	for (uint32_t i = 0; i < nrooted; i++) {
		empty(root[i].channel, root[i].take, NULL);
		fill(&root[i]);
	}
}

/* ---- Functions of eventfds -------------------------------------------------------------------------- */

HEDDLE_HOOK int eventfd_read(int fd, eventfd_t *value)
{
	return read(fd, value, sizeof(*value)) == sizeof(*value) ? 0 : -1;
}

HEDDLE_HOOK int eventfd_write(int fd, eventfd_t value)
{
	return write(fd, &value, sizeof(value)) == sizeof(value) ? 0 : -1;
}
