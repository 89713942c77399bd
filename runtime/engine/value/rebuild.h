/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rebuild.h - graphs with the same events whose reads observe other writes
 *
 *	rebuild_begin(&b, e, ...);	an empty graph on top of the one that has the events, or one like that
 *	rebuild_musts(&b, ...)		all of them, with what has to be observed and no more, or
 *	rebuild_search(&b)		one in which each read observes a good write
 *	rebuild_change(&b, ...)		the same, from the graph as it is on
 *	explore_pop(e);			back to the graph below
 *
 * A write is good for a read if value_is_good() says so, or, with by_value, if it has the value that the read
 * returned, and may_observe(), where there is such a function, agrees.
 */
#ifndef HEDDLE_ENGINE_VALUE_REBUILD_H
#define HEDDLE_ENGINE_VALUE_REBUILD_H

#include "engine/value/value.h"

struct rebuilt {
	struct engine *e;
	bool by_value;
	bool has_gaps; /* some reads observe nothing, so chains of read-modify-writes have gaps */
	const struct event *old; /* of the graph below */
	uint32_t n;
	uint32_t end[VALUE_ROW];     /* how many events each thread is to have */
	uint32_t *at[VALUE_ROW];     /* and where they are in old */
	uint32_t put_off[VALUE_ROW]; /* of each thread 1 + the point where its read was, or 0 */
	uint32_t nbegun;             /* so many points are those of the graph below */
	uint32_t *out;               /* room for all writes */
	uint32_t first,
		behind_first; /* what the read that was picked observes first, and where the rest of its good writes begins */
	/* Of events of either graph; write NULL: the initial one. */
	bool (*may_observe)(const struct rebuilt *b, const struct event *read,
			    const struct event *write);
	/* Is the graph so far none that is looked for, whatever comes? NULL: each is. */
	bool (*is_useless)(const struct rebuilt *b, void *ctx);
	/* Is one with all events what is looked for? NULL: each is. */
	bool (*is_wanted)(struct engine *e);
	void *ctx;
};

/* Scratch memory is taken; whoever calls it gives that back. False: there is no room for another graph. as_it_is: it is a copy, not empty. */
bool rebuild_begin(struct rebuilt *b, struct engine *e, bool as_it_is);

/*
 * Adds all events but `last`, a read that is the last one of its thread (NULL: all); reads observe what they have to where only
 * one write is good, and else nothing. False: there is no such graph, and so none in which all observe something.
 * Of `last`: may it observe a good write then?
 */
bool rebuild_musts(struct rebuilt *b, const struct event *last);

/* The graph is empty: makes one that has all events. VALUE_OTHER: it is there. VALUE_FULL: there is no memory to find out. */
enum value_answer rebuild_search(struct rebuilt *b);
/*
 * The same, where the graph is a copy, whose last event is a read that may observe nothing in it: choices are taken back from the last one on. Those that
 * come when there is nothing left already that it could observe are left out. VALUE_FULL also if `most` steps were not enough.
 */
enum value_answer rebuild_change(struct rebuilt *b, uint32_t most);

/* Appends an event as it was elsewhere; it names others by the same places, and if it is a read that writes, what it wrote comes behind it. */
void rebuild_as_it_was(struct engine *e, const struct event *from);

#endif
