/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * witness_reach.h - what an event leads to in the order that a model asks about: see witness_reach.c
 *
 * Callers: witness_ask.c.
 */
#ifndef HEDDLE_ENGINE_WITNESS_REACH_H
#define HEDDLE_ENGINE_WITNESS_REACH_H

#include "engine/model/witness.h"

struct reach {
	struct graph *g;
	const uint32_t *cut;
	uint32_t read;
	bool all, fences; /* every access counts as sc; there are sc fences */
	bool certain;     /* by what comes before what in every modification order; */
	bool of_cut;      /* of the cut, as far as hb says so */
	/* Of each thread: events from this one on are arrived at; sc fences from this one on are
	 * reached; events from this one on happen after one. And how far they were looked at. */
	uint32_t from[HEDDLE_MAX_THREADS], fence[HEDDLE_MAX_THREADS], open[HEDDLE_MAX_THREADS];
	uint32_t looked_from[HEDDLE_MAX_THREADS], looked_fence[HEDDLE_MAX_THREADS],
		looked_open[HEDDLE_MAX_THREADS];
};

static inline bool is_access(const struct event *ev)
{
	return ev->loc != NO_LOC && !(ev->flags & EV_BLOCKED);
}

static inline bool is_sc(const struct reach *r, const struct event *ev)
{
	return is_access(ev) && (r->all || ev->order == ORDER_SC);
}

/* How many of the first n events of a thread there are up to its last sc fence; 0: none. */
static inline uint32_t up_to_fence(const struct graph *g, uint32_t t, uint32_t n)
{
	return n ? g->ev[g->at[t][n - 1]].last_fence : 0;
}

/*
 * A search in the cut that never looks at the read. certain: by what comes before what in every modification order, not in the witness. Whoever begins one
 * raises g->gen as well, before anything is arrived at.
 */
void witness_follow(struct reach *r, struct graph *g, const uint32_t *cut, uint32_t read,
		    const struct model *model);

/* Arrives at a write. */
void witness_arrive(struct reach *r, uint32_t write);
/* Arrives at what comes behind the write in mo, or overwrites it, as from an sc access that makes or reads it. */
void witness_arrive_by_mo(struct reach *r, uint32_t loc, uint32_t write);
/* The same as from an access behind an sc fence: also at those who read what comes behind. */
void witness_leave_by_eco(struct reach *r, uint32_t loc, uint32_t write);

/* Follows what was newly arrived at, one step. False: there was nothing. */
bool witness_look(struct reach *r);

#endif
