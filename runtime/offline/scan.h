/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scan.h - for each event of a location, the last one of each thread that happens before it
 *
 * Events that are *seen* stand by location, then thread, then program order. Events that
 * *look* come by location in an order that extends po and rf; each thread has a cursor into
 * each other's seen events, which only moves forward, since clocks only grow: O(k) per
 * event, and memory for the cursors of one location. (lastWriteBefore and lastReadBefore of the
 * PLDI 2023 paper, without a list per pair of threads.)
 *
 * Threads look in turn, as they ran, not one after the other: so all cursors are near each other,
 * and what they meet is in the cache however long the execution is.
 *
 *	scan_init(&s, x, &clocks, sort, EX_WRITE, EX_READ);
 *	ok = scan_all(&s, visit, self);
 *	scan_release(&s);
 */
#ifndef HEDDLE_OFFLINE_SCAN_H
#define HEDDLE_OFFLINE_SCAN_H

#include "offline/clocks.h"

/* The events with any of some kinds, by location, then in some order. */
struct by_location {
	uint32_t *start; /* nlocs + 1 */
	uint32_t *event;
};

/* order: all events in the order wanted in each location; NULL: by thread and po. */
void by_location_build(struct by_location *b, const struct execution *x, const uint32_t *order,
		       uint32_t kinds);
void by_location_release(struct by_location *b);

/* The events before pos happen before what looked; next: of that at pos, its index + 1. */
struct cursor {
	uint32_t pos, next;
};

struct scan {
	const struct execution *x;
	const struct clocks *clocks;
	struct by_location seen, looks;
	const uint32_t *also[2]; /* what else visits read of each event, to be fetched; or NULL */
	/* Of one location: its threads, and the seen events of group g, start[g]..start[g+1]-1. */
	const uint32_t *event;
	uint32_t n, *start, *tid, *first;
	uint32_t *group; /* of each thread; EX_NONE if it has none */
	/* Of those threads that looked: n cursors for each; slot: which, + 1. */
	uint32_t *slot, *used, nused;
	struct cursor *cursors;
	size_t room;
};

/* x, clocks and sort must stay. */
void scan_init(struct scan *s, const struct execution *x, const struct clocks *clocks,
	       const uint32_t *sort, uint32_t seen, uint32_t looks);
void scan_release(struct scan *s);

/* An event that looks. */
struct look {
	uint32_t e, source;          /* what it observes; EX_INIT, EX_NONE */
	const uint32_t *row, *known; /* of e and of its source, all 0 if that is no event */
	struct cursor *cursors;      /* of its thread, one for each group */
	uint32_t own;                /* its group, or EX_NONE; that cursor stands before e */
	bool moved;                  /* and was moved for it */
};

/*
 * Calls visit for each event that looks until one says false; false then. visit moves the other
 * cursors as far as it needs.
 */
typedef bool scan_visit(void *self, const struct look *look);
bool scan_location(struct scan *s, uint32_t loc, scan_visit *visit, void *self);
/* Of each location, until one says false. */
bool scan_all(struct scan *s, scan_visit *visit, void *self);

/* Moves group g's cursor behind the first `count` events of its thread, at least one: the last. */
static inline uint32_t scan_move(const struct scan *s, struct cursor *cursors, uint32_t g,
				 uint32_t count)
{
	struct cursor c = cursors[g];
	uint32_t end = s->start[g + 1], first = s->first[g];

	do
		c.next = ++c.pos < end ? s->event[c.pos] - first + 1 : UINT32_MAX;
	while (count >= c.next);
	cursors[g] = c;
	return c.pos - 1;
}

/*
 * Is there news of another group g, an event before e that the cursor has not passed, and that
 * does not happen before the source as well? Then the place of the last one, into *last.
 */
static inline bool scan_news(const struct scan *s, const struct look *l, uint32_t g, uint32_t *last)
{
	uint32_t t = s->tid[g], count = l->row[t];

	/* One branch, as each alone is hard to predict. */
	if ((count <= l->known[t]) | (count < l->cursors[g].next))
		return false;
	*last = scan_move(s, l->cursors, g, count);
	return true;
}

/*
 * The last event of group g that happens before e, into *last; false if there is none or if the
 * row `known` has all that do (but for the own group).
 */
static inline bool scan_last(const struct scan *s, const struct look *l, uint32_t g,
			     const uint32_t *known, uint32_t *last)
{
	uint32_t t = s->tid[g], count = l->row[t];

	if (g != l->own) {
		if (count <= known[t])
			return false;
		if (count >= l->cursors[g].next)
			scan_move(s, l->cursors, g, count);
	}
	if (l->cursors[g].pos == s->start[g])
		return false;
	*last = s->event[l->cursors[g].pos - 1];
	return true;
}

#endif
