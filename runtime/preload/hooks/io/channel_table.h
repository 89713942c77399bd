/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * channel_table.h - the channels of the program, and which descriptors lead to them
 *
 * Internal to the files of channels and of epoll; others ask channel.h. Of a channel the
 * engine knows the state as a count (OP_COUNT_*); the kernel holds the bytes.
 */
#ifndef HEDDLE_PRELOAD_CHANNEL_TABLE_H
#define HEDDLE_PRELOAD_CHANNEL_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/hooks/io/channel.h"
#include "preload/step/perform.h"

#pragma GCC visibility push(hidden)

enum {
	CHANNEL_FDS = 256,
	CHANNELS = 1024,
	CHANNEL_BYTES = 65536 /* what a pipe holds */
};

#define EVENT_MOST (COUNT_NO_WRITER - 2)

struct channel {
	uint64_t
		state; /* as the engine counts; before the root point only whether ends are closed */
	uint64_t most;
	uint64_t
		room; /* to poll() and its like there is room for more while it holds less than that */
	uint16_t readers, writers;
	uint32_t watchers; /* how many began to watch it (ready.h) */
	bool used, event, semaphore, listens;
	bool duplicated; /* more descriptors than one have led to an end */
	bool touched;    /* the engine knows it: nothing else can be there in this execution */
	bool timer;      /* a timer adds to it, and no descriptor does (hook_timerfd.c) */
	bool inherited;  /* it was there when the program made a process, which may use it, too */
	bool signals; /* of a signalfd (hook_signalfd.c): it counts what is pending for the process */
	bool looked;   /* likewise: a thread has asked whether there is any; */
	bool directed; /* one was sent to a thread, of which the count knows nothing */
	uint64_t mask; /* likewise: of these */
};

/* Behind those that threads make are two for each address: see channel_address(). */
extern struct channel channels[CHANNELS + 2 * CHANNEL_ADDRESSES];

/* Of each descriptor, the channel it takes from and the one it adds to, plus 1; 0: none. */
extern struct channel_ends {
	uint16_t take, add;
} channel_ends[CHANNEL_FDS];

static inline struct channel *channel_taken_by(int fd)
{
	return fd >= 0 && fd < CHANNEL_FDS && channel_ends[fd].take
		       ? &channels[channel_ends[fd].take - 1]
		       : NULL;
}

static inline struct channel *channel_added_by(int fd)
{
	return fd >= 0 && fd < CHANNEL_FDS && channel_ends[fd].add
		       ? &channels[channel_ends[fd].add - 1]
		       : NULL;
}

/*
 * What channel_events() would say of a descriptor that leads there, once each channel was looked at (0: there
 * is none). To look in order is to be before or behind all others, not only those who change it.
 */
unsigned channel_look(uint16_t channel, bool in_order, uint64_t pc);
short channel_told(struct channel_ends ends, unsigned from, unsigned to);
/* Of the kernel, for a socket: how much of what was added is still in its buffers. */
uint64_t channel_queued(const struct channel *c);

/* To the kernel, two pages of a pipe that are not full are two: what the engine has room for must fit. */
void channel_widen(const struct channel *c, int fd);
/* Puts what the kernel holds of it in as little room as can be; false if that cannot be done. */
bool channel_pack(const struct channel *c);

/* Of a signalfd: a signal of its mask is pending for a thread; a thread asks whether there is any, or waits for that. */
void channel_directed(struct channel *c);
void channel_asked(struct channel *c);

/* May a timer bring what is taken from it? Under the engine. */
bool channel_hears_timers(const struct channel *c);

/* An operation on it, with its effect on the state. Under the engine. */
struct op_result channel_operate(struct channel *c, struct op op);
/*
 * channel_wait.c: the same, of one that takes or adds; the thread may wait, and a handler may end that. Then
 * nothing was done, and it is done again if all handlers ask for that, or never.
 */
enum wait_end {
	WAIT_OVER,
	WAIT_RESTARTS,
	WAIT_ENDS
};
struct op_result channel_operate_waiting(struct channel *c, struct op op, enum wait_end *end);
/* May it wait at the descriptor at all? And the end of what finds nothing, and may try again for ever. */
bool channel_waits(int fd, bool never);
ssize_t channel_again(const struct channel *c, uint64_t pc);

#pragma GCC visibility pop

#endif
