/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine.h - decides what each operation of the program under test does
 *
 * The engine knows nothing of processes. Whoever runs the program (preload/ natively, the
 * tests with scripted programs) executes it again and again:
 *
 *	engine_init(&e, mem, size, &config);
 *	do {
 *		engine_begin(e);
 *		while ((t = engine_next(e)) != ENGINE_OVER)
 *			run thread t until engine_step() says STEP_WAIT or the thread is over;
 *		engine_end(e, &outcome);
 *	} while (engine_advance(e, &outcome));
 *
 * A thread runs until its next operation and calls engine_step(). STEP_DONE: the operation
 * happened, use the result and go on, with no need to ask engine_next(). STEP_WAIT: some
 * other thread must move first; park this one, call engine_next() and, when it is chosen,
 * call engine_step() with the same operation again. OP_END, OP_EXIT, OP_BLOCK and OP_STUCK
 * never return to the thread: after STEP_DONE of OP_END call engine_next(); the other three
 * answer STEP_WAIT for ever, or (OP_EXIT) STEP_DONE when it is the last thing that happens:
 * after it, engine_next() says ENGINE_OVER.
 *
 * STEP_OFF: the operation has not happened. Something comes to the thread in its wait, and it does another operation
 * first (engine_call_off()).
 *
 * Threads are small integers, 0 the main one, and mean the same thread (same creator, same
 * rank among the threads it created) in every execution. With config.reuse_threads an id may
 * stand for several threads, one after the other.
 *
 * All memory comes from the region given to engine_init(); nothing is allocated elsewhere.
 * Not thread-safe: one kernel thread uses an engine.
 */
#ifndef HEDDLE_ENGINE_ENGINE_H
#define HEDDLE_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/explore/share.h"
#include "engine/model/wholeness.h"
#include "engine/run/await.h"
#include "engine/run/config.h"
#include "engine/run/memo_touch.h"
#include "wire/op.h"
#include "wire/search.h"

/*
 * Sets up an engine inside mem (zero-filled, page-aligned, size bytes). Returns 0,
 * -ENOTSUP for a model or equivalence that does not exist, -ENOMEM when size is too small.
 */
int engine_init(struct engine **out, void *mem, size_t size, const struct engine_config *config);

void engine_begin(struct engine *e);
enum step_status engine_step(struct engine *e, uint32_t tid, const struct op *op,
			     struct op_result *result);
int engine_next(struct engine *e);
/*
 * A thread that performs OP_YIELD goes on when no other one can. It is known that those do nothing
 * but yield any more; and a number that is another when anybody has done anything else.
 */
void engine_idle(struct engine *e);
uint64_t engine_progress(const struct engine *e);
/* In a replay: how many of the recorded steps were done; and the next one, NULL behind the last. */
size_t engine_replayed(const struct engine *e);
const struct engine_step_record *engine_next_recorded(const struct engine *e);
/* Is what happens next recorded (a replay)? Then, is the thread to be stopped in that of its yields (struct op's peer)? */
bool engine_is_recorded(const struct engine *e);
/* And has the thread done all that is recorded of it, when it yields for the so manieth time? It goes on to its next operation then, and waits there. */
bool engine_has_repeated(struct engine *e, uint32_t tid, uint32_t yield);
bool engine_stops_here(struct engine *e, uint32_t tid, uint32_t yield);
/* In random testing only from on to off, and with op.fn set: who is aside then is drawn like others. */
void engine_let_go(struct engine *e, bool on);

/* Judges the execution that is over, and counts it. It can be inspected until engine_advance(). */
void engine_end(struct engine *e, struct engine_outcome *outcome);

/* Prepares the next execution; false, and outcome->limit says why, when there is none. */
bool engine_advance(struct engine *e, struct engine_outcome *outcome);

/*
 * config.memo, where engine_advance() said that there is another execution: it is made without the program, judged and counted, as by
 * engine_end(), and engine_advance() is next. False: the program has to run.
 */
bool engine_makes(struct engine *e, struct engine_outcome *outcome);

/* The target found a bug (race, assertion, crash ...): the execution ends here, as failed. */
void engine_fail(struct engine *e);

/*
 * Accesses of several parts (op_part()): is what happened before the thread's next operation an execution,
 * and is the graph with all its events? Where it is not, the target does not go on; engine_end() takes
 * such an execution for wasted. engine_void(): it ends here, as none.
 */
enum wholeness engine_thread_is_whole(struct engine *e, uint32_t tid);
enum wholeness engine_is_whole(struct engine *e);
void engine_void(struct engine *e);
/* engine_config.parts_in_order, from the next execution on. */
void engine_parts_in_order(struct engine *e);

/*
 * After engine_end() with END_FAILED, END_DEADLOCK or END_AWAIT_STUCK: that it counts as something
 * else than a bug.
 */
void engine_amend(struct engine *e, enum ledger_end as);

/*
 * After engine_end() said END_BLOCKED and `unknown` (wra): who runs the program may follow each
 * thread that is alone (alone.c) from where it is, and tell that all of them wait for ever.
 * knows: of each thread, how many of its events the thread alone knows of; engine_porf() at first.
 */
struct engine_source {
	struct value value;
	const uint32_t *knows; /* who reads it knows of that, too; NULL: the initial value */
};
bool engine_is_alone(const struct engine *e, uint32_t tid);
/* What op, a read, may find: into out, max of them at most; returns how many there are. */
uint32_t engine_alone_reads(struct engine *e, const struct op *op, const uint32_t *knows,
			    struct engine_source *out, uint32_t max);
/* May rounds of loops, which were left out, hide from a thread that is alone what it may read here? (explore.txt, S7) */
bool engine_rounds_may_hide(struct engine *e);
/* The execution is a bug, END_AWAIT_STUCK, unless the process has ended. Likewise if all that follow stay. */
void engine_alone_for_ever(struct engine *e, struct engine_outcome *outcome);

/*
 * After engine_end() said END_BLOCKED and `together`: threads whose read-modify-writes cancel out, or who look at what these
 * do, may be followed together from where they are (await.txt, E8). Is this one of the former?
 */
bool engine_cancels(const struct engine *e, uint32_t tid);
/*
 * Then: the location of its read-modify-writes, as that of an operation, and the value that it has at the end. False: some write
 * of it is not before them.
 */
bool engine_together_at(const struct engine *e, uint32_t tid, struct op *at, struct value *last);
/* Has the last round of a thread that was stopped in a loop anything at that location? */
bool engine_is_together(const struct engine *e, uint32_t tid, const struct op *at);

/*
 * Forgets everything and starts again from the first execution, with the counters at zero
 * (after a location was promoted, since its plain accesses are events from now on). Call
 * between engine_end() and engine_begin(), or in the middle of an execution.
 */
void engine_restart(struct engine *e);

/* From the next engine_restart() on, explores by reads-from what it was to explore by values. reuse: config.reuse_threads */
void engine_by_reads_from(struct engine *e, bool reuse);
/* By values: do plain accesses race in an execution with the same values as this one so far? (Perhaps, if that is too much to ask.) */
bool engine_may_race(struct engine *e);

/*
 * Abandons this execution: it is not counted, and the next engine_begin() replays the same
 * one from its start (the target wants to look closer at it, or to run it elsewhere). Not in
 * ENGINE_REPLAY. Call it instead of engine_end().
 */
void engine_rerun(struct engine *e);

/*
 * Random testing: the memory at addr was freed, so no thread does anything there any more, if it is a location of atomics. Its events
 * may be given back (online/gone.h). O(1)
 */
void engine_gone(struct engine *e, uint64_t addr);

/* This execution is cut when it has twice as many events as now, and so many more; if not before, by config.max_events. */
void engine_bound(struct engine *e, uint64_t more);

/* ENGINE_ONLINE: were there writes that a thread could have read, but for config.window? */
bool engine_gave_up_writes(const struct engine *e);
/* Random testing: did an sc fence come last in the order of sc events, since memory would have been full else, that might have come elsewhere? */
bool engine_gave_up_fences(const struct engine *e);

/*
 * ENGINE_ONLINE: the steps of this execution are not all there any more, since it gave memory back. If there is room
 * for them, says true: the next execution keeps everything. Then, after engine_rerun(), this one comes again with its steps.
 */
bool engine_wants_steps(struct engine *e);
/* The same, when nothing can move any more and that would be reported as a bug. */
bool engine_hang_wants_steps(struct engine *e);

/*
 * The happens-before clock of a thread now: clock[u] = number of events of thread u that
 * happen before the next thing thread tid does (clock[tid] = its own events so far). Valid
 * for engine_threads() entries, until the thread's next STEP_DONE. A plain access of thread
 * u made when its own clock entry was c happens before thread tid's next access iff
 * u == tid or engine_clock(e, tid)[u] > c. It may come to be elsewhere: config.moved.
 */
const uint32_t *engine_clock(const struct engine *e, uint32_t tid);

/* The same for po u rf. */
const uint32_t *engine_porf(const struct engine *e, uint32_t tid);
/* Does another thread than tid access the location so, in this execution so far: write it, or at all? */
bool engine_others_access(const struct engine *e, uint64_t addr, unsigned size, uint32_t tid,
			  bool write);

/* Both, as they were when the thread had so many events. */
void engine_knew(const struct engine *e, uint32_t tid, uint32_t index, const uint32_t **clock,
		 const uint32_t **porf);

/*
 * What the thread knows (po u rf) of threads: how often each id was given to one, into given; returns the set of those
 * ids of which it does not know that the last one has ended.
 */
struct thread_set engine_known_threads(const struct engine *e, uint32_t tid,
				       uint32_t given[HEDDLE_MAX_THREADS]);

/* Would the thread know of as much (po u rf) by now if it had not done its events [from, to), silent ones? */
bool engine_knows_without(const struct engine *e, uint32_t tid, uint32_t from, uint32_t to);

/* The place in the code of one of the thread's events in the graph. */
uint64_t engine_event_pc(const struct engine *e, uint32_t tid, uint32_t index);

/* Says is_it() so of a value that was written in this execution so far where that event is, by a write that does not come behind the event in po u rf, or of the initial one? */
bool engine_any_value(const struct engine *e, uint32_t tid, uint32_t index,
		      bool (*is_it)(struct value v, void *ctx), void *ctx);

/*
 * Has any event of the search so far been read from without synchronising? Then these two may differ. tries: also by tries
 * that failed.
 */
bool engine_beyond_hb(const struct engine *e, bool tries);
uint32_t engine_threads(const struct engine *e);
/* Are all other threads not created yet, or over, with all that they have done before what thread tid does next, by that clock of it? */
bool engine_by_itself(const struct engine *e, uint32_t tid, const uint32_t *clock);
/*
 * EQUIV_VALUE: where a thread is, by how threads are created and joined. It is there in each execution in which it has read the same: which others are over, with all
 * that they do (bits), and how many it has created.
 */
struct engine_place {
	uint64_t over;
	uint32_t created;
};
struct engine_place engine_place(const struct engine *e, uint32_t tid);
/* Is all that the other thread ever does before or behind what thread tid does there, for that reason? */
bool engine_is_apart(const struct engine *e, uint32_t tid, const struct engine_place *there,
		     uint32_t other);
/*
 * May what thread tid does next come behind an operation of the other one by what threads read, in any execution, and not by that clock of it? Also if the
 * other one has not done it yet.
 */
bool engine_may_follow(const struct engine *e, uint32_t tid, const uint32_t *clock, uint32_t other);

/* How many threads it tells apart, the first one included. */
uint32_t engine_most_threads(const struct engine *e);
/* Is there an id for the thread that this one is about to create? */
bool engine_may_create(struct engine *e, uint32_t tid);
/* Which one that is, but where a replay has recorded another one; NO_POS: none. */
uint32_t engine_next_child(struct engine *e, uint32_t tid);

/* ENGINE_REPLAY: is the next operation of the thread recorded as one of this kind? */
bool engine_recorded(const struct engine *e, uint32_t tid, enum op_kind kind);
/* And does it observe one of that kind? */
bool engine_recorded_from(const struct engine *e, uint32_t tid, enum op_kind from);
/* And which of two comes first, where one of them does, behind others? */
bool engine_recorded_rather(const struct engine *e, uint32_t tid, enum op_kind kind,
			    enum op_kind other);

/*
 * Has an event of the location happened in this run? (Threads that are about to do one, and wait, do not count.) And where
 * none has: a plain write has changed what it holds at first.
 */
bool engine_has_event(const struct engine *e, uint64_t addr, unsigned size);
void engine_initial_changes(struct engine *e, uint64_t addr, unsigned size);

/*
 * Is that what the write of the location that was executed last has left there? (In modification order it may be an earlier one.) Or
 * what a plain read has put there since then, which has told engine_shows(); or where nobody wrote what it held at first.
 * True of a location that the engine does not know, since whatever it holds is that; and of what a thread is about to store there, and waits.
 */
void engine_shows(struct engine *e, uint64_t addr, unsigned size, struct value read);
bool engine_was_left(struct engine *e, uint64_t addr, unsigned size, struct value held);

/*
 * For a plain access to a location that also has atomic events in this execution: an
 * event of that location that conflicts with the access (one of them writes) and does not
 * happen before the next thing thread tid does, as a step; false when there is none. Of several it
 * is the one that was executed last.
 */
bool engine_race_with_atomics(const struct engine *e, uint32_t tid, uint64_t addr, bool is_write,
			      struct engine_step_record *conflict);

/* The execution so far, in the order in which it was executed; returns how many (at most max
 * are stored). */
size_t engine_steps(const struct engine *e, struct engine_step_record *out, size_t max);
/* How many steps of it were executed so far, but for those that only stopped a thread. */
uint64_t engine_ran(const struct engine *e);

/*
 * Which writes may op observe, if the thread does it now? Into out, max of them at most; returns
 * how many there are. 0 if it reads nothing, or can only wait. Nothing is changed.
 */
struct engine_choice {
	int32_t rf_tid; /* the step that writes, rf_tid.rf_index; -1: the initial write */
	uint32_t rf_index;
	struct value value;
};
size_t engine_could_read(struct engine *e, uint32_t tid, const struct op *op,
			 struct engine_choice *out, size_t max);

/*
 * Takes the initial value of the operation's location, if this run has not met it yet: for
 * writes that are in memory before their operation is performed.
 */
void engine_meet(struct engine *e, const struct op *op);

/* ENGINE_ONLINE with a guide (online/guide.h): has the execution that is over all of it, in its order? */
bool engine_followed(struct engine *e);

/* The execution so far as a number, which is the same for the same threads, operations and reads-from (wire/coverage.h). */
uint64_t engine_fingerprint(struct engine *e);
/* Each of its reads, with the write that it observes, likewise: by threads and places in the code. */
void engine_pairs(struct engine *e, void (*pair)(void *ctx, uint64_t hash), void *ctx);

/* Has this execution any operation by which threads synchronise, beside that they are created, end and are joined? */
bool engine_synchronises(const struct engine *e);

/* What a read-modify-write did, by its thread and the number of its read among the thread's events. */
struct engine_rmw {
	struct value read, written;
	bool has_before; /* a read-modify-write has written what it read, which is this one: */
	uint32_t tid, index;
};
bool engine_rmw(const struct engine *e, uint32_t tid, uint32_t index, struct engine_rmw *out);
/* Likewise, the read-modify-write that wrote what that event read; false: something else did, or it reads nothing. */
bool engine_row_at(const struct engine *e, uint32_t tid, uint32_t index, uint32_t *by,
		   uint32_t *at);
/*
 * Has thread `by` done nothing since its event, an access to a location, that thread tid knows of (po u rf), but
 * read-modify-writes and atomic loads there?
 */
bool engine_stays_at(const struct engine *e, uint32_t tid, uint32_t by, uint32_t event);
/*
 * Of those two at one location one is a read-modify-write, the other is not: does either happen before the other, for
 * the thread's last operation, op, and all there that have happened so far? looks: atomic loads do not count.
 */
bool engine_apart(const struct engine *e, uint32_t tid, const struct op *op, bool looks);
/*
 * The first operation of the thread, by its number in traces, of which no event is among its first n; in a random execution 0 if
 * that has been given back. O(operations)
 */
uint32_t engine_step_behind(const struct engine *e, uint32_t tid, uint32_t n);
/* At the end: did thread tid do what it did with n events of its own so far behind what thread `of` did with c? */
bool engine_after(const struct engine *e, uint32_t tid, uint32_t n, uint32_t of, uint32_t c);
/*
 * At the end: is there an event of another thread at a location that is in no order with what thread tid did there,
 * unseen, with c events of its own, when its clock (engine_clock()) was that? One of both has to write.
 */
bool engine_crosses(const struct engine *e, uint64_t addr, unsigned size, uint32_t tid, uint32_t c,
		    const uint32_t *clock, bool writes);
/* Does the thread know (po u rf) of a read-modify-write there that does not happen before op, which it is about to do? */
bool engine_knows_beyond_hb(const struct engine *e, uint32_t tid, const struct op *op);
/*
 * Does thread tid know (po u rf) of no other operation there that does not happen before this read-modify-write? looks:
 * likewise.
 */
bool engine_rmw_alone(const struct engine *e, uint32_t tid, uint32_t first_tid, uint32_t first,
		      bool looks);

/* How many threads a futex operation has woken, and moved, that found the queue so and left it so. */
struct engine_wakes {
	uint32_t woken, moved;
};
struct engine_wakes engine_wakes(const struct engine *e, struct value before, struct value after);

/* Was the thread's last operation a read of the initial value, or a read-modify-write of it? */
bool engine_read_initial(const struct engine *e, uint32_t tid);

/* Before engine_end(): that a thread waits in an operation with a `peer` that makes this no execution
 * (OP_COND_WOKEN, OP_COUNT_AWAIT) is one, and a deadlock, after all. */
void engine_waits_in_vain(struct engine *e, uint32_t tid);

/* Has the thread, since engine_done() (repeat.h) was `since`, done nothing but look, leave counts as they
 * were, and take and free mutexes and read-write locks? */
bool engine_only_locked(const struct engine *e, uint32_t tid, uint32_t since);

/* A thread that is waiting: false if tid is not; else what for. */
bool engine_waiting(const struct engine *e, uint32_t tid, struct op *op);

/*
 * ENGINE_ONLINE: if the thread still has to wait in the operation that it is at when its turn is drawn next, the wait is called
 * off: engine_step() says STEP_OFF, once. So it can be chosen as if it need not wait. In a replay that is said where it is
 * recorded: where the thread would wait, and what is recorded of it is a look at something.
 */
void engine_call_off(struct engine *e, uint32_t tid);
/* Random testing and replays: how many operations of the thread have happened in this execution. */
uint32_t engine_operations(const struct engine *e, uint32_t tid);

/* ENGINE_ONLINE: what rf-fuzz has found worth to be tried again. */
const struct corpus *engine_corpus(const struct engine *e);

/* ENGINE_ONLINE: who chooses in this execution (enum search_strategy). */
unsigned engine_strategy(const struct engine *e);

/* ENGINE_ONLINE: the execution that engine_begin() begins next is the number-th, from 1. */
void engine_number(struct engine *e, uint64_t number);

const struct engine_stats *engine_stats(const struct engine *e);
/* What random descents have found so far of how large the exploration is; NULL: nobody asked (config.estimate). */
const struct engine_estimate *engine_estimate(const struct engine *e);
/* Is this run one of those? Then it counts for nothing else. */
bool engine_is_descending(const struct engine *e);

/*
 * config.memo: may executions be made without the program, as things stand? From now on they may not, for this
 * reason: a thread does what is no matter of what its operations have read. Those that were made do not
 * come to that.
 */
bool engine_remembers(const struct engine *e);

/* EQUIV_VALUE: for which reason the exploration goes on by reads-from, as the engine has found; NULL: for none of the engine's. */
const char *engine_why_by_reads(const struct engine *e);
void engine_forget(struct engine *e, const char *why);
/*
 * A granule, of those numbered from 0 on, is memory that threads share: from the next run on all their accesses are to be told. False:
 * there is no room. Each time a thread comes to an operation, before that is performed: what it has done there since the one before.
 * And where it is repeated without engine_step(): that it comes to it.
 */
bool engine_shares(struct engine *e, uint32_t granule);
/* Before the first operation of that run: what the granule holds when a run begins; or that it is of no block until a thread has allocated one. */
void engine_holds(struct engine *e, uint32_t granule, uint64_t initial, bool born);
/* varies: threads have written to the location of its operation plainly, so what it holds at first need not be the same each time. */
void engine_touches(struct engine *e, const struct memo_touch *touched, uint32_t n, bool varies);
/* Rounds of loops that are left out access it. Who accesses it behind their threads, and not behind them in hb, may race with them. */
void engine_minds_rounds(struct engine *e, uint32_t granule);
/* Was any execution made in which something is read without synchronising? */
bool engine_made_beyond_hb(const struct engine *e);
/* Is there any in which another thread accesses the granule, so that it conflicts with a read or write of that one, behind it in po u rf and not in hb? */
bool engine_made_behind(const struct engine *e, uint32_t granule, uint32_t tid, bool write);
/*
 * EQUIV_VALUE: before each operation of a thread, a name of all that it has done since the one before which who joins it may find. Where nobody tells, that is
 * taken for a matter of all that it has read.
 */
void engine_hands_over(struct engine *e, uint32_t tid, uint64_t a, uint64_t b);
/* From now on that is of more memory than before. */
void engine_shares_more(struct engine *e);
void engine_learns(struct engine *e, uint32_t tid, const struct op *op);
/* Has this run shown that something which is known was wrong? It is none then, wherever it came to, and the exploration is to begin again. */
bool engine_was_mistaken(const struct engine *e);
/* How many executions were made so; were begun so, and not known to their end; and steps of threads that are known. False: none can be. */
struct engine_memory {
	uint64_t made, given_up, steps;
	const char *why; /* no more are made, or NULL */
	bool mistaken;   /* since something that was known did not come true */
};
bool engine_memory(const struct engine *e, struct engine_memory *out);

/* Why STEP_WRONG: one English line, e.g. "thread 2: expected a load of ..., got a fence". */
const char *engine_error(const struct engine *e);

#endif
