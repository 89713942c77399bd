/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scan.h - for each event of a location, the last one of each thread that happens before it
 *
 * Events are grouped by location, then thread, then program order. For one thread's events in
 * order, each other thread's cursor only moves forward, since clocks only grow: O(k) per
 * event, within memory of one location. (lastWriteBefore and lastReadBefore of the PLDI 2023
 * paper, without a list per pair of threads.)
 */
#ifndef HEDDLE_OFFLINE_SCAN_H
#define HEDDLE_OFFLINE_SCAN_H

#include "offline/clocks.h"

/* The events with any of some kinds, by location, thread and program order. */
struct by_location {
	uint32_t *start; /* nlocs + 1 */
	uint32_t *event;
};

void by_location_build(struct by_location *b, const struct execution *x, uint32_t kinds,
		       bool exactly);
void by_location_release(struct by_location *b);

/* The threads of one location: group g is events[start[g]..start[g + 1] - 1] of tid[g]. */
struct scan {
	uint32_t n;
	uint32_t *start, *tid, *first, *cursor;
};

void scan_init(struct scan *s, uint32_t k);
void scan_release(struct scan *s);
/* tid: the thread of each event. */
void scan_split_tids(struct scan *s, const struct execution *x, const uint32_t *tid, uint32_t n);
void scan_split(struct scan *s, const struct execution *x, const uint32_t *events, uint32_t n);

static inline void scan_rewind(struct scan *s)
{
	for (uint32_t g = 0; g < s->n; g++)
		s->cursor[g] = s->start[g];
}

/*
 * Moves group g's cursor behind its events that happen before e (not e itself), whose row is
 * given. True if it moved; the last one is then events[s->cursor[g] - 1].
 */
static inline bool scan_move(struct scan *s, const uint32_t *events, uint32_t g, uint32_t e,
			     uint32_t tid, const uint32_t *row)
{
	uint32_t to = s->tid[g] == tid ? e : s->first[g] + row[s->tid[g]];
	uint32_t c = s->cursor[g], end = s->start[g + 1];

	if (c == end || events[c] >= to)
		return false;
	do
		c++;
	while (c < end && events[c] < to);
	s->cursor[g] = c;
	return true;
}

#endif
