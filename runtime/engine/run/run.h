/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run.h - from operations to events, for all strategies (run.c)
 */
#ifndef HEDDLE_ENGINE_RUN_RUN_H
#define HEDDLE_ENGINE_RUN_RUN_H

#include "engine/run/state.h"

/* The location's initial value is taken, if this run has not met it yet. */
void run_meet_anew(struct engine *e, const struct op *op, uint32_t loc);
static inline void run_meet_at(struct engine *e, const struct op *op, uint32_t loc)
{
	if (e->graph.locs[loc].run != e->begun)
		run_meet_anew(e, op, loc);
}
static inline bool run_has_location(const struct op *op)
{
	return op->addr && op->kind != OP_COND_WOKEN && op->kind != OP_BARRIER_PASS;
}
/* Likewise that of the operation's. */
static inline void run_meet(struct engine *e, const struct op *op)
{
	if (run_has_location(op))
		run_meet_at(e, op, graph_location(&e->graph, op->addr, op->size));
}

/*
 * Can the pending operation of a thread happen now? Guarded operations always can, in that
 * they can be seen to wait.
 */
bool run_enabled(struct engine *e, uint32_t tid);
/* Can it go on from there? For guarded operations: does a write that is free let it pass? */
bool run_can_pass(struct engine *e, uint32_t tid);
/* The same for the guarded read at pos, the last event of its thread. */
bool run_could_pass(struct engine *e, uint32_t pos);
/* Appends what op does but for a read's source: events without location, writes, fences. */
uint32_t run_add_simple(struct engine *e, uint32_t tid, const struct op *op);
/* The same, where it is known what it waits for (struct event's rf), or RF_NONE. */
uint32_t run_add_behind(struct engine *e, uint32_t tid, const struct op *op, uint32_t rf);
/* The event that op, the thread's next one, would be, if it reads or writes; it is in no graph. Until the next event is made. */
struct event *run_peek(struct engine *e, uint32_t tid, const struct op *op);
enum {
	RUN_LOCATIONS = 64 /* no operation brings in as many */
};

/*
 * Is there room for one more operation, and for what follows from it: work, at most one item for
 * each event and operation of it, and in an exploration a revisit, which copies the graph?
 */
static inline bool run_has_room(const struct engine *e)
{
	const struct graph *g = &e->graph;
	size_t n = (size_t)g->n + 4;

	if (e->nstops >= g->capacity || g->nlocs + RUN_LOCATIONS > g->capacity)
		return false;
	if (e->config.mode != ENGINE_EXPLORE)
		return n < g->capacity;
	return g->base + 2 * n < g->capacity && e->nwork + 2 * n < g->capacity;
}
/* Is the execution to be cut, since it is as long as it may be or there is no room? */
static inline bool run_is_cut(const struct engine *e)
{
	return (e->cut_at && engine_events(e) + e->yields >= e->cut_at) || !run_has_room(e);
}
/* Likewise, but asked once for many events: not to be cut. Whatever brings the end nearer otherwise sets calm_until to 0. */
bool run_stays_calm(struct engine *e);
static inline bool run_is_calm(struct engine *e)
{
	return e->graph.n < e->calm_until || run_stays_calm(e);
}
/* A thread yields, which counts like an event. */
static inline void run_count_yield(struct engine *e)
{
	e->yields++;
	e->calm_until = 0;
}
/* The first thread that waits to end the process, when no other one can move; or ENGINE_OVER. */
int run_exit(const struct engine *e);
/* OP_CHOOSE: it goes that way. */
void run_choose(struct engine *e, uint32_t pos, uint32_t choice);
/* At random: which way it goes. */
uint32_t run_draw_choice(struct engine *e, const struct op *op);
/* At random: does an operation that reads go by how things stand (enum load_how)? */
bool run_reads_latest_so(struct engine *e, unsigned how);
static inline bool run_reads_latest(struct engine *e, unsigned kind, unsigned how)
{
	return kind == OP_LOAD && how && run_reads_latest_so(e, how);
}
/* Appends the read of op, observing nothing yet. */
uint32_t run_add_read(struct engine *e, uint32_t tid, const struct op *op);
/* Sets what the read at pos observes, with all that follows from the value: flags, order,
 * clocks. Returns the guard; GUARD_WRITES means that run_add_write_part() comes next. */
enum guard run_set_read(struct engine *e, uint32_t pos, uint32_t rf, uint32_t choice);
uint32_t run_add_write_part(struct engine *e, uint32_t read);
/* Would the read at pos write, only read, or block, given this write? */
enum guard run_guard(struct engine *e, uint32_t pos, uint32_t rf, uint32_t choice);
/*
 * The writes that the read at pos, the last event of its thread, may observe now, into out
 * (room for graph.n + 1), marked as taken where a read-modify-write could not write as well;
 * returns how many. Latest inserted first. *blocks: coherence admits one with which it would wait.
 */
struct candidate {
	uint32_t write;
	uint32_t witness; /* to be promised when it is observed: graph.h, witness.extends */
	bool taken;
};
uint32_t run_candidates(struct engine *e, uint32_t pos, struct candidate *out, bool *blocks);
/*
 * Of n writes those that the read at pos, likewise, may observe, and write as well if it then writes, in their order: the
 * first `most` of them, into out; returns how many.
 */
uint32_t run_may_observe(struct engine *e, uint32_t pos, const uint32_t *write, uint32_t n,
			 uint32_t most, uint32_t *out);
/* May the read at pos, asked about in q, observe this write and go on from there? */
bool run_may_go_on(struct engine *e, struct question *q, uint32_t pos, uint32_t write);
/* Is the operation a lock that is explored by slots (explore_lock.c)? */
static inline bool lock_slotted(const struct engine *e, const struct op *op)
{
	return e->slots && op->kind == OP_LOCK;
}
/* Does the operation observe a location? */
static inline bool op_reads(const struct op *op)
{
	return op->kind == OP_LOAD || guard_is_rmw(op->kind);
}
/*
 * Does the thread wait where that, for good, is no execution? In a timed wait, since there is
 * another in which it times out; to go to sleep on a futex that has changed since it looked.
 */
bool run_is_void(const struct engine *e, uint32_t tid);
/* The thread is stopped for good by op, OP_STUCK or OP_BLOCK, or the process is over (OP_EXIT). */
enum step_status run_stops(struct engine *e, uint32_t tid, const struct op *op);
/* Is one of the operations listed one by which threads synchronise, beside that they are created, end and are joined? */
bool run_synchronises(const struct engine *e);
/* The event that woke a waiting thread, or NO_POS. */
uint32_t run_waker(const struct engine *e, uint32_t tid, const struct op *op);

/* await.c */
/* Gives a bit to all that is written where threads of the graph wait. */
void await_meet(struct engine *e);
/* Do the awaits of the graph know, of all values of their locations, which of them fail? */
bool await_is_ready(struct engine *e);
/* May the thread, about to look at a location, see a value that lets it go on? */
bool await_may_pass(struct engine *e, uint32_t tid);
/* The thread of the read at pos, the last event, cannot go on for now: takes the read back. */
void await_goes_on(struct engine *e, uint32_t pos);
/* Does the thread of this await only wait when it reads that write (or RF_INIT)? */
bool await_fails(struct engine *e, const struct event *ev, uint32_t write);
/* It is known from elsewhere that the write lets the read pass, if it is an await. */
void await_passes(struct engine *e, uint32_t read, uint32_t write);
/* Has a thread of the graph looked at a location for good? */
bool await_looked_in_vain(const struct engine *e);
/* May it fail with a write of this value, for all that is known? */
bool await_may_fail(const struct engine *e, const struct event *ev, struct value value);
/* Does a thread of which that is known come back to where it was with the write, for ever? */
bool await_stays_with(const struct engine *e, const struct await_mask *mask, uint32_t loc,
		      uint32_t write);
/* What is known of the thread's next operation, an await; NULL if the graph has it as none. */
struct await_mask *await_mask_of(struct engine *e, uint32_t tid);
/* Is a write before another one of its location in every modification order? */
bool await_comes_first(const struct graph *g, uint32_t write, uint32_t other);
/* Forgets all values. */
void await_clear(struct engine *e);

/* reuse.c */
/* A thread that the parent joined, whose id its next child gets; 0: none. */
uint32_t reuse_id(const struct engine *e, uint32_t parent);

/* What was executed is about to be listed in another order: what memory holds is kept (engine/left.c). */
void run_keep_left(struct engine *e);

#endif
