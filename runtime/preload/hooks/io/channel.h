/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * channel.h - descriptors of pipes, eventfds and local socket pairs
 *
 * What such a descriptor leads to is a channel: bytes, or a number, that threads add to and take
 * from. hook_channel.c knows which descriptors do; the other hooks of descriptors ask here first.
 */
#ifndef HEDDLE_PRELOAD_CHANNEL_H
#define HEDDLE_PRELOAD_CHANNEL_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/* Does the descriptor lead to a channel? And is it an end of a connection or socket pair? */
bool channel_has(int fd);
bool channel_is_socket(int fd);

/* read(), write(): -1 and errno on errors. The descriptor must have a channel. Under the engine. */
enum channel_reading {
	READ_NEVER_WAITS = 1,
	READ_ONLY_LOOKS = 2, /* MSG_PEEK: of a socket; what is read stays */
	READ_INTO_STREAM = 4 /* the memory is libc's, and nothing is told of it */
};
ssize_t channel_read(int fd, const struct iovec *to, int n, unsigned how, uint64_t pc);
ssize_t channel_write(int fd, const struct iovec *from, int n, bool never_waits, bool no_signal,
		      uint64_t pc);
/* The same of libc's own memory. */
ssize_t channel_write_stream(int fd, const char *from, size_t n, uint64_t pc);

/* shutdown(): nothing is taken from, or added to, the descriptor any more; at any time. */
void channel_shut(int fd, bool take, bool add, uint64_t pc);

/* The two ends of a socket pair, which lead to one another, or take themselves for TCP's; at any time. */
void channel_pair(int fd, int other, bool tcp);
/* The descriptor leads where `from` did, which leads nowhere any more; at any time. */
void channel_moved(int from, int fd);

/*
 * Sockets that listen. Of each address (address.h) two things are known: how many connections nobody
 * accepted yet, for which there is no room where nobody listens; and whether a socket is bound to it.
 * Both are there before anybody is, so whether one connects before or behind listen() is a
 * matter of order, as what there is to read is. To bind, unbind, add a connection or take one is false,
 * with errno set, where it cannot be done; before the root point nobody waits.
 */
enum {
	CHANNEL_ADDRESSES = 256
};
/* Nobody has been at this address so far. */
void channel_address(unsigned place);
bool channel_bind(unsigned place, uint64_t pc);
bool channel_unbind(unsigned place, uint64_t pc);
bool channel_bound(unsigned place, uint64_t pc);
/* The descriptor, which leads to no channel, listens; false: another one does. */
bool channel_listen(int fd, unsigned place, uint64_t pc);
bool channel_listens(int fd);
bool channel_add_connection(unsigned place, bool never_waits, uint64_t pc);
/* The connection that was added is there: those who wait for it are told. */
void channel_connected(unsigned place, uint64_t pc);
bool channel_take_connection(int fd, uint64_t pc);
/* Where the descriptor listens. */
unsigned channel_place(int fd);

/* hook_listen.c: the same of what it is as a socket, whose channel was left before; at any time. It
 * listened at this place, where nobody does any more; or -1. */
void socket_closed(int fd, int place, uint64_t pc);
void socket_duplicated(int fd, int to);
/* The program makes a process, which may connect to it: the kernel has to know where it listens. */
void sockets_before_fork(void);
void channels_before_fork(void);
/* unlink(), of a file that a socket may be bound to; at any time. */
int socket_unlink(const char *path, uint64_t pc);

/*
 * fcntl(fd, F_SETPIPE_SZ) made the kernel's pipe so large; at any time. And what F_GETPIPE_SZ tells of one
 * that has this size for the kernel.
 */
void channel_resized(int fd, int size);
int channel_size(int fd, int size);

/* by_number.c: syscall(), which is about to be made as it is. Refuses what is about a channel. */
void channel_by_number(long number, const long a[6]);

/* The descriptor is about to be closed; at any time. */
void channel_closed(int fd, uint64_t pc);
/* A new one leads to the same; at any time. */
void channel_duplicated(int fd, int to, uint64_t pc);

/*
 * hook_file.c: a thread that waits in the kernel would hold up all others. If it would, for what
 * events says, in this call, the run ends.
 */
void must_not_wait(int fd, short events, const char *call);

/* hook_socket.c: the thread is about to use a socket that leads out of the program, in this call, with
 * flags of recv() and send(); likewise. */
void socket_outside(int fd, short events, int flags, const char *call);

/* hook_poll.c: poll(); until NULL: for ever; POLL_INTERRUPTED: a handler is to run. Under the engine. */
enum {
	POLL_INTERRUPTED = -EINTR
};
int poll_under_engine(struct pollfd *p, nfds_t n, const struct timespec *until, uint64_t pc);
/* What the call returns then, behind signal_mask_swap(). */
int poll_answer(int found, uint64_t pc);

/* Of the kernel, for what is no channel: which of these events hold. */
short poll_native(int fd, short events);

/* ready.c: is it a descriptor of epoll; at any time. */
bool epoll_is(int fd);

/* Any of 0..n-1: how the thread's wait goes on. Under the engine. */
uint32_t channel_choose(uint32_t n, uint64_t pc);

/* Which of POLLIN, POLLOUT, their like, POLLHUP and POLLERR hold now. Under the engine. */
short channel_events(int fd, uint64_t pc);
/* What poll() for these events would wait for in the channel that the descriptor takes from, or adds to
 * (enum count_ready); 0: nothing. */
unsigned channel_awaited(int fd, short events, bool adds);
/*
 * Waits for that. How (OP_COUNT_AWAIT, peer): 0, or an execution in which that is never so is none.
 */
enum {
	AWAIT_TIMED = 1,
	AWAIT_SEVERAL = 2 /* unless poll_in_vain() says that it is one, and a deadlock */
};
void channel_await(int fd, short events, bool adds, unsigned how, uint64_t pc);

/* At the end of an execution: is it no channel, or never again ready for any of these? */
bool channel_never(int fd, short events);

/*
 * hook_timerfd.c: a descriptor of an eventfd becomes one that only a timer adds to; its channel plus 1. So much more is
 * there, false: nobody has it any more; and nothing is there. The last descriptor of a timer is about to be closed.
 */
uint16_t channel_of_timer(int fd);
bool channel_tick(uint16_t channel, uint64_t n, uint64_t pc);
void channel_forget_ticks(uint16_t channel, uint64_t pc);
void timerfd_closed(int fd, uint64_t pc);

/*
 * hook_signalfd.c: a descriptor of the kernel's becomes one of signals. Is it one; and read() of one: at any time. Before
 * there are threads timers ring, until one of these is ready, unless something else may come first that is outside the program; true: a
 * handler ran, and ends the call.
 */
void channel_of_signals(int fd);
bool channel_is_of_signals(int fd);
ssize_t signalfd_read(int fd, const struct iovec *to, int n, uint64_t pc);
bool signalfd_ring_alone(const struct pollfd *p, nfds_t n, const struct timespec *timeout);
/* The same while the thread blocks other signals; NULL: the same ones. */
bool signalfd_ring_masked(const struct pollfd *p, nfds_t n, const struct timespec *timeout,
			  const sigset_t *mask, uint64_t pc);
/* The same for a call that takes from the descriptor, and is restarted where the handler asks for that. */
bool channel_rings_alone(int fd);

/* Does the descriptor tell of a timer, or of signals? At any time. Do these tell of what a timer may bring? Under the engine. */
bool channel_is_timer(int fd);
bool channel_has_timer(const struct pollfd *p, nfds_t n);

/* What is in the channels at the root point: noted, and put back. */

#pragma GCC visibility pop

#endif
