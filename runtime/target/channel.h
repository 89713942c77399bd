/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * channel.h - descriptors of pipes, eventfds and local socket pairs
 *
 * What such a descriptor leads to is a channel: bytes, or a number, that threads add to and take
 * from. hook_channel.c knows which descriptors do; the other hooks of descriptors ask here first.
 */
#ifndef HEDDLE_TARGET_CHANNEL_H
#define HEDDLE_TARGET_CHANNEL_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/* Does the descriptor lead to a channel? */
bool channel_has(int fd);

/* read(), write(): -1 and errno on errors. The descriptor must have a channel. Under the engine. */
ssize_t channel_read(int fd, const struct iovec *to, int n, bool never_waits, uint64_t pc);
ssize_t channel_write(int fd, const struct iovec *from, int n, bool never_waits, bool no_signal,
		      uint64_t pc);

/* shutdown(): nothing is taken from, or added to, the descriptor any more; at any time. */
void channel_shut(int fd, bool take, bool add, uint64_t pc);

/* The two ends of a socket pair, which lead to one another; at any time. */
void channel_pair(int fd, int other);
/* The descriptor leads where `from` did, which leads nowhere any more; at any time. */
void channel_moved(int from, int fd);

/*
 * Of a socket that listens, the channel counts the connections that nobody accepted yet. To add one,
 * or to take one, is false with errno set when there is nobody to listen, no room, or nothing to take.
 * Before the root point nobody waits. channel_listen() returns what names the channel for as long as
 * the execution lasts, or 0 if it cannot be followed.
 */
int channel_listen(int fd);
bool channel_listens(int fd);
bool channel_add_connection(int listener, bool never_waits, uint64_t pc);
bool channel_take_connection(int fd, uint64_t pc);

/* hook_listen.c: the descriptor, which may have listened, leads to no channel any more and is about to
 * be closed; at any time. */
void listen_closed(int fd, uint64_t pc);

/* The descriptor is about to be closed; at any time. */
void channel_closed(int fd, uint64_t pc);
/* A new one leads to the same; at any time. */
void channel_duplicated(int fd, int to, uint64_t pc);

/*
 * hook_file.c: a thread that waits in the kernel would hold up all others. If it would, for what
 * events says, in this call, the run ends.
 */
void must_not_wait(int fd, short events, const char *call);

/* hook_poll.c: poll(); until NULL: for ever. Under the engine. */
int poll_under_engine(struct pollfd *p, nfds_t n, const struct timespec *until, uint64_t pc);

/* hook_epoll.c: the descriptor is about to be closed; is it one of epoll; at any time. */
void epoll_closed(int fd);
bool epoll_is(int fd);

/* Which of POLLIN, POLLOUT, POLLHUP and POLLERR hold now. Under the engine. */
short channel_events(int fd, uint64_t pc);
/*
 * Waits until one of POLLIN and POLLOUT holds. How (OP_COUNT_AWAIT, peer): 0, or an execution in
 * which that is never so is none.
 */
enum {
	AWAIT_TIMED = 1,
	AWAIT_SEVERAL = 2 /* unless poll_in_vain() says that it is one, and a deadlock */
};
void channel_await(int fd, short events, unsigned how, uint64_t pc);

/* At the end of an execution: is it no channel, or never again ready for any of these? */
bool channel_never(int fd, short events);
/* hook_poll.c: is none of those that the thread waits for ever ready? At the end, too. */
bool poll_in_vain(uint32_t tid);

/* hooks_object_initial() of a channel. */
uint64_t channel_native_state(uint64_t addr);

/* What is in the channels at the root point: noted, and put back. */
void channels_root(void);
void channels_reset(void);

#pragma GCC visibility pop

#endif
