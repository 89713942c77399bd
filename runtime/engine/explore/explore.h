/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explore.h - what the files of the exploration ask each other
 */
#ifndef HEDDLE_ENGINE_EXPLORE_EXPLORE_H
#define HEDDLE_ENGINE_EXPLORE_EXPLORE_H

#include "engine/run/run.h"
#include "engine/run/state.h"

/* explore.c */
/* Works on a new graph with these events (graph_push()); what to do with it comes later. */
uint32_t explore_push(struct engine *e, const uint8_t *keep, uint32_t read, uint32_t write);
/* Goes back to the graph below, when all that was noted of the current one is done. */
void explore_pop(struct engine *e);
/* Cuts the graph back to the item, and makes of it what it says; false: that is no graph to be executed. */
bool explore_do(struct engine *e, const struct work *w);

/* revisit.c */
/* Notes as work every revisit of earlier reads that the new write at pos has to do. */
uint32_t revisit_note(struct engine *e, uint32_t write);

/*
 * The read-modify-write at pos, the last event, may observe a write that another has taken. Could
 * its own write then revisit anything, such that the other one goes?
 */
bool revisit_could_take(struct engine *e, uint32_t pos, uint32_t write);

/*
 * Does what the slot at `lock` decided, and all that its new taker tid deletes, stand there by
 * default? prefix: of the taker's request.
 */
bool revisit_slot_maximal(struct engine *e, uint32_t lock, uint32_t tid, const uint32_t *prefix);

/* explore_lock.c */
/* Does the operation, about to happen, end the one order of handovers? */
bool lock_breaks_order(struct engine *e, uint32_t tid, const struct op *op);
/* Is the thread that has to lock next about to? If not, this is a dead end. */
bool lock_is_forced(struct engine *e);
void lock_add(struct engine *e, uint32_t tid, const struct op *op);
/* Lets the threads that came to a lock since the last time revisit earlier slots. */
void lock_arrivals(struct engine *e);
/* Threads that came to their next operation after place `cutoff` come to it again. */
void lock_refresh(struct engine *e, uint32_t cutoff);
/* A thread comes to its next operation again. */
void lock_ask_again(struct engine *e, uint32_t tid);
void lock_take(struct engine *e, const struct work *w);
void lock_take_slot(struct engine *e, const struct work *w);
/* When an event was inserted, for locks their slot. */
struct stamp lock_stamp(const struct graph *g, uint32_t pos);
/*
 * previous(e) has the locks whose slots were inserted by then, if it has their requests: adds
 * them to the cut, or says false.
 */
bool lock_close_cut(const struct graph *g, struct stamp when, const uint32_t *prefix,
		    uint32_t *cut);
/* Does the lock at pos observe the canonical request of the cut? Not counting that of thread
 * `without` (or NO_POS). */
bool lock_canonical(const struct engine *e, uint32_t pos, const uint32_t *cut,
		    const uint32_t *prefix, uint32_t without);

/* explore_guard.c */
/* Nothing lets the thread of the read at pos pass, the latest event: it is taken back, and not enabled until something may. */
void guard_waits_outside(struct engine *e, uint32_t pos);
/* Can another thread than tid move? If not, to wait for a write that is there would be in vain. */
bool guard_others_move(struct engine *e, uint32_t tid);

/* explore_gate.c */
/* Notes that the await at pos, which may observe one of these and pass, may wait as well;
 * could_fail: there is a write, already, that it may observe and that fails. */
void await_note(struct engine *e, uint32_t pos, const struct candidate *c, uint32_t n,
		bool could_fail);
/* An execution is over: opens the gates of those that could have waited for good. */
void await_last_chance(struct engine *e);
/* Is the item of work worth doing? */
bool await_wants(const struct engine *e, const struct work *w);
/* A write that fails may be added beside this event, if it is an await that passes. */
void await_open(struct engine *e, const struct event *ev);
/* The same, for whatever reason, since another engine gets to know what it takes. */
void await_give(struct engine *e, const struct event *ev);
/* Would a write of this value do that to a gate that is shut? */
bool await_would_open(struct engine *e, const struct event *ev, struct value value);

/* explore_stuck.c */
/* Of the writes that the await at pos may observe: those with which it stays where it is, and that
 * may be the last of their location. */
uint32_t await_last_words(struct engine *e, uint32_t pos, struct candidate *c, uint32_t n);
/* Does the thread wait for a value, at an await in the graph or at its next operation? */
bool await_waits(const struct engine *e, uint32_t tid);
/* Nothing can move: could all threads that wait do so for good? (No: certainly not.) */
bool await_may_be_stuck(struct engine *e);

/* explore_mo.c */
/*
 * Places the new write in mo at the latest place that is consistent, and notes the others as
 * work; read is the read that was revisited by it, or NO_POS. False: there is no place.
 */
bool mo_place(struct engine *e, uint32_t write, uint32_t read);
/* Places a read-modify-write's write behind what it read; is the graph consistent then? */
bool mo_place_rmw(struct engine *e, uint32_t write);
/* Is nothing in the cut later in mo than this write? */
bool mo_latest(const struct graph *g, const uint32_t *cut, uint32_t loc, uint32_t write);

/* go_on.c */
/* A thread that can go on behind the recorded steps, drawn at random; or ENGINE_OVER. */
int go_on_pick(struct engine *e);
/* Makes its operation happen. */
void go_on_add(struct engine *e, uint32_t tid, const struct op *op);

/* share.c */
/* Is this item of work, of the graph whose events are at ev, to be left out? */
bool share_skips(struct engine *e, const struct event *ev, const struct work *w);
/* The name of thread t that all engines agree on: mine, if nobody else gave it one before. */
struct thread_name engine_agree(struct engine_names *names, uint32_t t, struct thread_name mine);

#endif
