/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_channel.c - pipes, eventfds and local socket pairs (see channel.h): made, closed, duplicated
 *
 * The kernel holds the contents; the engine decides in which order threads add to and take from
 * them, and who waits. To it a channel is a count (OP_COUNT_*, wire/op.h): of bytes, or the number
 * of an eventfd. Operations on a count are in one order, that in which they are executed, so
 * when the engine says that a thread may read so many bytes, they are there (channel.c).
 *
 * Not seen is what goes round these hooks: splice(), other processes. When the kernel then says
 * something else than the engine, the run ends with that.
 */
/*
 * intercepts: Pipes, eventfds and socket pairs
 *
 * explored pipe __pipe pipe2 eventfd eventfd_read eventfd_write - who reads what, and who waits,
 *	is explored; executions run in children once descriptors are made
 * explored socketpair - likewise, for AF_UNIX and SOCK_STREAM
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "preload/core/active.h"
#include "preload/core/refuse.h"
#include "preload/facts/needs.h"
#include "preload/hooks/io/channel_table.h"
#include "preload/hooks/io/ready.h"
#include "preload/hooks/io/socket_timeout.h"

enum {
	EARLY = 64, /* for those made before the first thread */
	OF_THREAD = (CHANNELS - EARLY) / HEDDLE_EXPLORED_THREADS
};

/* ---- Making ---------------------------------------------------------------------------------- */

/* Where threads find room depends on nothing but the thread, as long as there is enough. */
static uint16_t make(uint64_t most, uint64_t room)
{
	uint32_t from = current ? EARLY + current->tid % HEDDLE_EXPLORED_THREADS * OF_THREAD : 0;

	for (uint32_t i = 0; i < CHANNELS; i++) {
		struct channel *c = &channels[(from + i) % CHANNELS];

		if (c->used || c->touched)
			continue;
		*c = (struct channel){ .most = most, .room = room, .used = true };
		socket_forget_timeouts(c);
		return (uint16_t)((from + i) % CHANNELS + 1);
	}
	refuse("the program has more pipes and eventfds than heddle can follow (1024): close those that are not used",
	       NULL);
}

static bool follows(int fd, int other)
{
	return init_active() && fd >= 0 && fd < CHANNEL_FDS && other < CHANNEL_FDS;
}

/* What one descriptor adds, the other takes. */
static void connect_ends(int take, int add, uint64_t most, uint64_t room)
{
	uint16_t c = make(most, room);

	channel_ends[take].take = channel_ends[add].add = c;
	channels[c - 1].readers++;
	channels[c - 1].writers++;
}

/* While there is a page left. */
static uint64_t room_in_pipe(uint64_t most)
{
	return most > PIPE_BUF ? most - PIPE_BUF + 1 : 1;
}

HEDDLE_HOOK int pipe2(int fd[2], int flags)
{
	int status;

	if (under_engine())
		needs_fork("makes a pipe");
	status = REAL(pipe2)(fd, flags);
	if (status || !follows(fd[0], fd[1]))
		return status;
	connect_ends(fd[0], fd[1], CHANNEL_BYTES, room_in_pipe(CHANNEL_BYTES));
	if (under_engine())
		channel_widen(channel_added_by(fd[1]), fd[1]);
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
		channel_pair(fd[0], fd[1], false);
	return status;
}

/* Linux tells of room in a local socket when a quarter is full or less, in one of TCP when two thirds are. */
void channel_pair(int fd, int other, bool tcp)
{
	uint64_t room = (tcp ? CHANNEL_BYTES / 3 * 2 : CHANNEL_BYTES / 4) + 1;

	connect_ends(fd, other, CHANNEL_BYTES, room);
	connect_ends(other, fd, CHANNEL_BYTES, room);
	ready_changed(fd);
}

static struct channel *pipe_of(int fd)
{
	struct channel *c = channel_added_by(fd);

	if (channel_is_socket(fd))
		return NULL;
	return c ? c : channel_taken_by(fd);
}

void channel_resized(int fd, int size)
{
	struct channel *c = pipe_of(fd);

	if (!c || size <= 0)
		return;
	c->most = (uint64_t)size;
	c->room = room_in_pipe(c->most);
	if (under_engine())
		channel_widen(c, fd);
}

int channel_size(int fd, int size)
{
	const struct channel *c = pipe_of(fd);

	return c && size > 0 ? (int)c->most : size;
}

void channel_moved(int from, int fd)
{
	if (fd >= CHANNEL_FDS)
		refuse("the program has more descriptors than heddle can follow (256): close those that are not used",
		       NULL);
	channel_ends[fd] = channel_ends[from];
	channel_ends[from].take = channel_ends[from].add = 0;
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
	connect_ends(fd, fd, EVENT_MOST, EVENT_MOST);
	c = channel_taken_by(fd);
	c->event = true;
	if (under_engine()) /* else it is found at the root point */
		c->state = value;
	c->semaphore = flags & EFD_SEMAPHORE;
	return fd;
}

uint16_t channel_of_timer(int fd)
{
	uint16_t c;

	connect_ends(fd, fd, EVENT_MOST, EVENT_MOST);
	c = channel_ends[fd].take;
	channel_ends[fd].add = 0;
	channels[c - 1].event = channels[c - 1].timer = true;
	return c;
}

void channel_of_signals(int fd)
{
	channel_of_timer(fd);
	channel_taken_by(fd)->signals = true;
}

/* ---- Closing and duplicating ------------------------------------------------------------------- */

/*
 * Who is the last to close is a matter of order, so each who does is in it, where there may be others.
 * Returns whether it was the last.
 */
static bool leave(struct channel *c, uint16_t *count, uint64_t flag, uint64_t pc)
{
	struct op op = { .kind = OP_COUNT_CLOSE, .pc = pc };

	if (under_engine() && c->duplicated)
		channel_operate(c, op);
	if (--*count)
		return false;
	op.arg = value_of(flag);
	if (under_engine())
		channel_operate(c, op);
	else
		c->state |= flag;
	c->used = c->readers || (c->writers && !c->listens);
	return true;
}

/* The same, and who is to be told of that if it was the last. */
static bool leave_told(struct channel *c, bool takes, struct wake *w, uint64_t pc)
{
	uint64_t flag = takes ? COUNT_NO_READER : COUNT_NO_WRITER;

	if (!leave(c, takes ? &c->readers : &c->writers, flag, pc))
		return false;
	ready_unwire(c, takes);
	wake_note(w, c);
	return true;
}

void channel_closed(int fd, uint64_t pc)
{
	struct channel *take = channel_taken_by(fd), *add = channel_added_by(fd);
	struct channel_ends ends = { 0, 0 };
	int place = channel_listens(fd) ? (int)channel_place(fd) : -1;
	struct wake w = { .key = READY_KEY_ANY };
	bool last = true;

	if (take && take->timer && take->readers == 1) {
		timerfd_closed(fd, pc);
		take->writers = 0;
	}
	/* In this order: who sees a socket's other end closed for writing sees it closed for both. */
	if (take && !leave_told(take, true, &w, pc)) {
		place = -1;
		last = false;
	}
	if (add && !leave_told(add, false, &w, pc))
		last = false;
	if (add || take) {
		ends = channel_ends[fd];
		channel_ends[fd].take = channel_ends[fd].add = 0;
	}
	ready_closed(fd, ends, last, pc);
	wake_send(&w, pc);
	socket_closed(fd, place, pc);
}

void channel_shut(int fd, bool take, bool add, uint64_t pc)
{
	struct op op = { .kind = OP_COUNT_CLOSE,
			 .arg = value_of(COUNT_NO_WRITER | COUNT_NO_READER),
			 .pc = pc };
	struct channel *c[2] = { take ? channel_taken_by(fd) : NULL,
				 add ? channel_added_by(fd) : NULL };
	struct wake w = { .key = READY_KEY_ANY };

	if (channel_has(fd))
		w.first = channel_ends[fd];
	for (int i = 0; i < 2; i++) {
		if (c[i] && under_engine()) {
			channel_operate(c[i], op);
			wake_note(&w, c[i]);
		} else if (c[i]) {
			c[i]->state |= op.arg.lo;
		}
	}
	wake_send(&w, pc);
}

void channel_duplicated(int fd, int to, uint64_t pc)
{
	struct channel *take = channel_taken_by(fd), *add = channel_added_by(fd);

	if (to < 0 || to == fd || !init_active())
		return;
	channel_closed(to, pc);
	socket_duplicated(fd, to);
	if (!add && !take)
		return;
	if (to >= CHANNEL_FDS)
		refuse("the program duplicates a pipe to a descriptor that heddle cannot follow: let it be one below 256",
		       NULL);
	channel_ends[to] = channel_ends[fd];
	if (take) {
		take->readers++;
		take->duplicated = true;
	}
	if (add) {
		add->writers++;
		add->duplicated = true;
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

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__pipe, pipe);
