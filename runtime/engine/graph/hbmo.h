/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hbmo.h - the part of every modification order that is known, kept up to date
 *
 * hbmo is happens-before and modification order in one relation. Let mo be the part of the
 * modification order that every consistent extension has (minimally coherent: it has each edge
 * that coherence demands, no more), and hb_x and mo_x what hb and mo say of the writes of one
 * location x. Then
 *
 *	hb_x u (mo_x ; po_x?)  is part of  hbmo_x,  which is part of  (hb_x u mo_x)+
 *
 * So w' is known to come before w if (w', w) is in hbmo_x+, and a read that w' happens before may
 * not observe a write that is known to come before w'.
 *
 * It is the order of a whole graph, maintained as events come and go, after
 * Algorithm 5 of "Optimal Reads-From Consistency Checking for C11-Style Memory Models" (PLDI
 * 2023, Section 5.2 and Appendix B.2). Writes form rf-chains: a write and the
 * read-modify-writes that follow it directly. Each chain has one clock, kept with its first
 * write (its top): for every thread, the last write of that thread to the location that
 * must come before the chain. The clocks are not transitively closed; a question closes what
 * it needs, so adding an event is O(k) for k threads in the common case.
 *
 * Events enter the order lazily, in the order of insertion, when somebody asks; taking
 * events back undoes what they changed from a log. Questions about a part of the graph (a
 * cut) are coherence.c's.
 *
 *	hbmo_ask(&view, g, read);
 *	ok = hbmo_admits(&view, g, write);
 */
#ifndef HEDDLE_ENGINE_HBMO_H
#define HEDDLE_ENGINE_HBMO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "wire/op.h"

struct graph;

/* What the order keeps for an event that has entered it. Places are in the current graph. */
struct placed {
	uint32_t index; /* of the event in its thread */
	/* The events of its thread at its location are a list, newest first: the one before, and
	 * one further back, so that searching it takes O(log n) (depth: how many there are). */
	uint32_t prev, jump, depth; /* depth 0: has not entered, or takes no part */
	uint32_t write;             /* the last write among them up to this event */
	uint32_t top, rank; /* of a write: first write of its chain (RF_INIT: the initial one),
				  * and how far behind it */
	/* Writes of other chains that follow a write of this chain in its thread. */
	uint32_t exits;              /* of a top: the latest of them */
	uint32_t next_exit, exit_of; /* of such a write: the next one, and the chain's top */
	uint32_t nlog;               /* length of the log before the event entered */
	uint64_t closed; /* of a top: its clock was closed when there were so many raises */
};

/* A clock entry before it was raised. */
struct raise {
	uint32_t top, tid, old;
};

struct hbmo {
	uint32_t entered; /* events of the current graph before this place have entered */
	uint32_t floor;   /* the log reaches back to here; before, nothing can be undone */
	bool logging;
	uint64_t raises;   /* of clocks of chains that were there, from 1: what was closed may not
			  * be any more */
	bool weak;         /* no modification order at all (wra): the lists alone are kept */
	struct placed *at; /* of the current graph's first event, in the pool */
	uint32_t *clock;   /* likewise: clocks of tops, in places + 1 */
	uint32_t *last;    /* per location and thread: its last event that has entered */
	uint32_t *queue;   /* chains whose clock was raised, to be carried on */
	struct raise *log; /* of all graphs of the stack */
	uint32_t nlog, maxlog; /* used, and room */
	uint32_t log_base;     /* where the current graph's part of the log begins */
	bool intact; /* what the current graph shares with the one below has not been taken out */
	/* Graphs below the current one; shared: the events that are the same in the one above. */
	struct hbmo_saved {
		uint32_t entered, floor, nlog, log_base, shared;
		bool intact;
	} * saved;
	uint32_t nsaved;
	struct placed *pool;
	uint32_t *pool_clock;
};

/* Cuts the tables for capacity events of so many threads (hbmo_bytes()) from the arena. */
void hbmo_init(struct hbmo *h, struct arena *a, uint32_t capacity, uint32_t threads);
size_t hbmo_bytes(uint32_t capacity, uint32_t threads);

/* Keeping in step with the graph's pool: the current graph begins elsewhere; there is a new
 * location; clocks are about to get wider. */
void hbmo_rebase(struct graph *g);
void hbmo_locate(struct graph *g, uint32_t loc);
void hbmo_respread(struct graph *g, uint32_t stride);

/*
 * The current graph is about to be set aside for a new one at `base`, whose first events, so many
 * as are shared, are the same. They stay in the order.
 */
void hbmo_push(struct graph *g, uint32_t base, uint32_t shared);
/* The current graph is done with; then: the one below it is the current one again. */
void hbmo_drop(struct graph *g);
void hbmo_pop(struct graph *g);
/* Forgets everything: the graph is emptied. */
void hbmo_clear(struct graph *g);

/*
 * Takes the events from place n on out of the order, as they are about to leave the graph
 * or to observe another write. Call it before anything about them changes.
 */
void hbmo_retract(struct graph *g, uint32_t n);

/* One question: which writes may a read, the last event of its thread, observe? */
struct hbmo_view {
	uint32_t loc, read;
	/* The last event of each thread at the location that happens before the read. */
	struct {
		uint32_t pos;
		uint32_t top, rank; /* of the write it makes or reads */
	} seen[HEDDLE_MAX_THREADS];
	uint32_t nseen;
	bool beyond_init;   /* one of them is not in the initial write's chain */
	uint32_t init_rank; /* how far the others are in it */
	/* Writes that come before those: places + 1, by thread. */
	uint32_t before[HEDDLE_MAX_THREADS];
};

/* Can hbmo_ask() answer for this read? It must be the newest event of the graph, or wait. */
bool hbmo_knows(const struct graph *g, uint32_t read);

/* Brings the order up to date and asks about the read. O(k) when nothing has to be closed. */
void hbmo_ask(struct hbmo_view *v, struct graph *g, uint32_t read);

/*
 * The same for any read, about cuts of the graph that contain its past (revisit.c). They have
 * the same events seen and no more constraints than the graph, so two answers hold in
 * them: hbmo_admits() true; and hbmo_overwritten() true, then it may not observe the write.
 * (Without modification order the latter says all.)
 */
void hbmo_ask_within(struct hbmo_view *v, struct graph *g, uint32_t read);
bool hbmo_overwritten(const struct hbmo_view *v, const struct graph *g, uint32_t write);

/*
 * With a total modification order (`mo`): the latest in it of what the event asked about has
 * seen. It may observe, or be, that one or any that comes later. O(q)
 */
uint32_t hbmo_floor(const struct hbmo_view *v, struct graph *g);

/* May the read observe this write (a place, or RF_INIT)? O(k) */
bool hbmo_admits(const struct hbmo_view *v, const struct graph *g, uint32_t write);

/*
 * Does a write (or RF_INIT) come before another one of its location in every modification order, by
 * the events that have entered? False says nothing. O(1)
 */
bool hbmo_precedes(const struct graph *g, uint32_t write, uint32_t other);

/* Brings the order up to date, and the lists of hbmo_list.h. */
void hbmo_sync(struct graph *g);

#endif
