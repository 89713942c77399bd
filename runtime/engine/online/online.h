/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * online.h - what random testing keeps of the execution that it makes
 *
 * An execution is made forward only. Its modification order, and what else its model needs, is drawn
 * as it goes on (modification.h, sc_order.h, buffers.h), so that the execution is always one of the model and
 * each read is a choice from a list. Every execution of the model has a positive probability: online.txt.
 */
#ifndef HEDDLE_ENGINE_ONLINE_ONLINE_H
#define HEDDLE_ENGINE_ONLINE_ONLINE_H

#include "engine/online/buffers.h"
#include "engine/online/guide.h"
#include "engine/online/polling.h"
#include "engine/online/sc_order.h"
#include "engine/online/strategies/chooser.h"
#include "engine/online/vain.h"
#include "engine/run/state.h"

/* How the executions of a model are made (online.txt). */
enum online_way {
	WAY_MEMORY,   /* sc: a read observes the last write */
	WAY_BUFFERS,  /* tso: or its thread's own that is in its buffer */
	WAY_APPEND,   /* sra: writes come last in mo; a read observes what coherence lets it */
	WAY_COHERENT, /* ra, relaxed, rc20: writes come anywhere in mo where coherence lets them */
	WAY_RC11,     /* the same, and the order of sc events agrees */
	WAY_WEAK,     /* wra: no mo */
};

/* How memory is given back while an execution goes on (give_back.h). */
struct giving {
	uint32_t at;                      /* when the graph has so many events */
	bool any;                         /* it was, in this execution */
	bool everything, everything_next; /* of this execution, of the next one, all events stay */
	/* Instead of being given back, events are left alone: those that would have stayed, and all from `from` on. */
	uint32_t *left, nleft, from;
	bool lost; /* writes were given up that somebody could have read: config.window */
	/* How often each id was given to a thread, and such a thread ended, by events given back. */
	uint32_t given[HEDDLE_MAX_THREADS], ended[HEDDLE_MAX_THREADS];
	uint32_t
		low[HEDDLE_MAX_THREADS]; /* of each thread the first event since which all stayed */
	/* Creations, ends and joins, and how many of them. */
	uint32_t *lives, nlives;
	bool any_gone;     /* the memory of some location was freed (gone.h) */
	bool synchronised; /* they were more than creations, starts, ends and joins */
};

struct online {
	enum online_way way;
	bool at_once; /* accesses to memory are done by access.c */
	struct choices choices;
	struct polling polling;
	struct modification mo;
	struct sc_order sc;
	struct moments moments;
	struct buffers buffers;
	struct giving giving;
	uint32_t newest
		[HEDDLE_MAX_THREADS]; /* write of another one that the thread has read, or NO_POS */
	struct guide guide;
	bool midway; /* W: the thread picked has done a part of an access */
	struct vain vain;
	/*
	 * Whoever waits, is not aside and not in it can go on: it is about to access memory, or to start. (Who is in it may have come to
	 * another operation since.)
	 */
	struct thread_set unsure;
	/* Is a thread about to end the process? And when had it come, in events and yields? */
	enum {
		EXIT_NONE,
		EXIT_COMES,
		EXIT_WAITS,
		EXIT_NOW /* whatever the others are at */
	} exit;
	uint64_t exit_since;
};

size_t online_bytes(uint32_t capacity);
void online_init(struct engine *e, struct arena *a, uint32_t capacity);
/* An execution begins. */
void online_restart(struct engine *e);

/* Is what a thread may read decided by mod_floor_now()? */
static inline bool online_looks_at_floors(const struct online *on)
{
	return on->way == WAY_APPEND || on->way == WAY_COHERENT || on->way == WAY_RC11;
}

/* W: is the location one of those that are accessed in order? */
static inline bool online_in_order(const struct engine *e, uint32_t loc)
{
	return e->config.parts_in_order && e->graph.locs[loc].cell;
}

/* W: is the operation a part of an access? And are the one before it of its thread, and it, of the same? */
static inline bool online_is_part(const struct engine *e, const struct op *op)
{
	return e->config.parts_in_order && op->kind <= OP_CAS && op->peer;
}

static inline bool online_joins(const struct engine *e, const struct op *op)
{
	return online_is_part(e, op) && op_part_joined(op->peer);
}

/* The thread has been chosen, with an operation that is to be called off (struct thread): does it still have to wait? */
bool online_is_off(struct engine *e, uint32_t tid);

/* Can the thread's operation happen now, or be called off? It waits, and is not aside. */
bool online_is_able(struct engine *e, uint32_t tid);
static inline bool online_able(struct engine *e, uint32_t tid)
{
	if (thread_set_has(&e->online->unsure, tid))
		return online_is_able(e, tid);
#ifdef HEDDLE_CHECKS
	must(online_is_able(e, tid));
#endif
	return true;
}

/* The thread comes with an operation. */
static inline void online_comes(struct online *on, uint32_t tid, const struct op *op)
{
	vain_comes(&on->vain, tid);
	if (op->kind > OP_FENCE || op->await)
		thread_set_add(&on->unsure, tid);
	if (op->kind == OP_EXIT && on->exit == EXIT_NONE)
		on->exit = EXIT_COMES;
}
/* Makes it happen, as drawn: its event, or two, are added. */
void online_happens(struct engine *e, uint32_t tid, const struct op *op);
/* Has the event's thread learned of something that another one did, for the first time? */
static inline bool online_is_news(struct engine *e, const struct event *ev)
{
	uint32_t *newest = &e->online->newest[ev->tid];

	if (ev->kind == OP_CREATE || ev->kind == OP_START)
		return true;
	if ((ev->flags & EV_EXCLUSIVE) && ev->size)
		return false; /* it may be one that counts its rounds, as others do */
	if (ev->rf >= RF_NONE || e->graph.ev[ev->rf].tid == ev->tid ||
	    (*newest != NO_POS && ev->rf <= *newest))
		return false;
	*newest = ev->rf;
	return true;
}
/* The thread yields, which is no event. */
void online_yields(struct engine *e, uint32_t tid);
/* When nobody can move: does time let somebody? */
bool online_wait(struct engine *e);

#endif
