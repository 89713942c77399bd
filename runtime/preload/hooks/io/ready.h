/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ready.h - what epoll descriptors watch, and which of it is listed as perhaps ready
 *
 * Linux keeps a list with each epoll descriptor. What wakes those who wait for a file (data that come,
 * room, an end that is closed) puts it on the list of each set that watches it, if the set asks for
 * that; epoll_wait() goes through the list and looks which are ready indeed. So an edge is a
 * wake-up, and all that the flags of epoll mean follows from when something goes back on the list.
 *
 * The engine knows of each set what READY_* in wire/op.h say; the list itself, which has an order, is
 * kept here. It changes right behind operations on the set, in their order. What a set watches changes
 * while it is busy (OP_READY_LOCK), but that a channel leads to it right behind operations on the channel,
 * so whoever adds to a channel knows whom to tell.
 *
 * Internal to ready.c and hook_epoll.c, but for what is said of wakes.
 */
#ifndef HEDDLE_PRELOAD_READY_H
#define HEDDLE_PRELOAD_READY_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/hooks/io/channel_table.h"

#pragma GCC visibility push(hidden)

/* One descriptor, or one that was closed while others lead to the same. */
struct watched {
	uint64_t data;
	uint32_t events; /* EPOLL*; of those disabled by EPOLLONESHOT flags alone */
	int fd;
	struct channel_ends ends; /* none: to be asked in the kernel */
	uint32_t order;           /* among those that watch the same, from 1 */
	bool used;
	bool wired_take,
		wired_add; /* operations on the channel tell the set that an end was closed, */
	bool wired_in, wired_out; /* that there is more to read, or room */
};

struct set {
	int fd; /* plus 1; 0: not in use */
	bool made;
	uint8_t nlisted, listed[READY_PLACES];
	struct watched watched[READY_PLACES];
};

/* NULL: it is none. */
struct set *set_of(int fd);
/* Of a descriptor that was just made. */
void set_made(int fd);

/* A descriptor's place, or one that is free; READY_PLACES if there is none. */
uint32_t set_find(const struct set *s, int fd);
uint32_t set_free(const struct set *s);

/* Its channel has one more who watches it. Right behind an operation on that. */
void watched_begin(struct watched *w);
/* Is it asked for anything, now? */
bool watched_enabled(const struct watched *w);
void watched_disable(struct watched *w);
/* Is it no channel, and to be asked in the kernel each time? */
bool watched_is_foreign(const struct watched *w);
/* Are these events, of it, news for who reads, or writes? */
bool watched_wants_in(const struct watched *w);
bool watched_wants_out(const struct watched *w);

/* Puts it on the list, at the end, if it is not there; takes it off. */
void set_list(struct set *s, uint32_t place);
void set_unlist(struct set *s, uint32_t place);

/*
 * Changes what is watched: what changes is set between these two, the list behind them. With all
 * bits of a place cleared that are not said to be set, but that it is listed, unless it is gone. Without the
 * engine they do nothing.
 */
void set_lock(struct set *s, uint64_t pc);
void set_release(struct set *s, uint32_t place, bool listed, uint64_t pc);

/* Does the set watch anything that is to be asked in the kernel; and anything that is not? */
bool set_watches(const struct set *s, bool foreign);

/* At the root point, before channels_root(). */
void ready_root(void);

/*
 * Wakes. Whom an operation on a channel concerns is noted right behind it, with nothing between;
 * then, once the kernel has done its part, they are told.
 */
enum {
	WAKE_SETS = 8
};

struct wake {
	enum ready_key key;
	uint32_t n;
	struct {
		struct set *set;
		uint32_t places, exclusive;
	} at[WAKE_SETS];
	uint16_t channel[2];
	struct channel_ends first; /* those who watch this are told first */
};

void wake_note(struct wake *w, const struct channel *c);
void wake_send(const struct wake *w, uint64_t pc);
/* Both. */
void wake(const struct channel *c, enum ready_key key, uint64_t pc);

/* Right behind the operation that closed the last descriptor that takes from the channel, or adds. */
void ready_unwire(const struct channel *c, bool takes);
/* The descriptor was closed, which led there: whether it was the last that did. At any time. */
void ready_closed(int fd, struct channel_ends ends, bool last, uint64_t pc);
/* It leads to a channel now, and did not before. */
void ready_changed(int fd);

#pragma GCC visibility pop

#endif
