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

#include "wire/op.h"
#include "wire/search.h"

struct engine;

/*
 * What a thread, about to read a location, would do with the values that were met there (bits of a
 * word, see engine_await_unknown()): of which that is known; which of those fail, so that it would
 * be stopped at its next operation; and with which of these it stays, back where it was, for ever if
 * it reads the same again. round: its last so many operations, this one included, are done
 * again and again then, for any of those values (0: there is none).
 */
struct await_mask {
	uint64_t known, fails, stays;
	uint32_t round;
};

/* A round for one of the values. */
static inline void await_mask_round(struct await_mask *m, uint32_t round)
{
	if (round && (!m->round || round < m->round))
		m->round = round;
}

/* Both is known. */
static inline void await_mask_add(struct await_mask *m, const struct await_mask *more)
{
	m->known |= more->known;
	m->fails |= more->known & more->fails;
	m->stays |= more->known & more->fails & more->stays;
	await_mask_round(m, more->round);
}

struct engine_config {
	enum engine_mode mode;
	enum engine_model model;
	enum engine_equivalence equivalence;
	uint64_t seed;           /* ENGINE_ONLINE: of the session; execution i derives its own */
	uint64_t max_executions; /* 0: no limit */
	uint64_t max_events;     /* of one execution; 0: no limit */
	bool plain_awaits;       /* explore what threads see while they wait, from the start */
	bool strays;        /* threads act on what no operation tells (ENGINE_EXPLORE): one that
				  * does not repeat the graph makes a dead end, which is counted */
	bool waiting_locks; /* explore locks as operations that may wait, from the start
				  * (where a program has trylock the engine finds out itself) */
	/*
	 * Value of a location before the first operation on it in this execution; called
	 * once per location and execution, at its first operation. size 0: a library object.
	 */
	struct value (*initial)(void *ctx, uint64_t addr, unsigned size, enum op_kind kind);
	void *ctx;
	/* ENGINE_REPLAY: the execution to repeat; must stay valid. */
	const struct engine_step_record *replay;
	size_t replay_len;
	/* Threads may get the ids of others that their creator joined (reuse.c). */
	bool reuse_threads;
	/* ENGINE_EXPLORE: common to all engines that share the exploration; NULL: one alone. */
	struct engine_names *names;
};

enum step_status {
	STEP_DONE,
	STEP_WAIT,
	STEP_CUT,   /* this execution is over at once (a limit, or a dead end): call engine_end() */
	STEP_WRONG, /* not what the recorded execution did: see engine_error() */
};

enum {
	ENGINE_OVER = -1
};

/* In another way, which config says from the start. */
enum restart_reason {
	RESTART_LOCKS = 1,  /* config.waiting_locks (explore_lock.c) */
	RESTART_AWAITS = 2, /* config.plain_awaits (explore_await.c) */
};

struct engine_outcome {
	enum engine_ending ending;
	bool unknown;       /* END_BLOCKED: perhaps threads wait for ever, nobody knows (wra) */
	bool full;          /* END_LIMIT: there is no memory for a longer one */
	bool more;          /* engine_advance(): another execution follows */
	bool limit;         /* more is false because max_executions was reached */
	unsigned restarted; /* engine_advance(): the exploration starts again from the first
			     * execution, with the counters at zero; why (enum restart_reason) */
	uint64_t seed;      /* ENGINE_ONLINE: of this execution */
	uint32_t thread;    /* END_DEADLOCK, END_AWAIT_STUCK: the first such thread */
	struct op waiting;  /* and what it waits for (addr, pc, kind) */
};

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
/* In random testing only from on to off, and with op.fn set: who is aside then is drawn like others. */
void engine_let_go(struct engine *e, bool on);

/* Judges the execution that is over, and counts it. It can be inspected until engine_advance(). */
void engine_end(struct engine *e, struct engine_outcome *outcome);

/* Prepares the next execution; false, and outcome->limit says why, when there is none. */
bool engine_advance(struct engine *e, struct engine_outcome *outcome);

/* The target found a bug (race, assertion, crash ...): the execution ends here, as failed. */
void engine_fail(struct engine *e);

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
/* The execution is a bug, END_AWAIT_STUCK. */
void engine_alone_for_ever(struct engine *e, struct engine_outcome *outcome);

/*
 * Awaits (explore_await.c). Before engine_step() with an OP_LOAD, OP_CAS or OP_RMW that has `await`
 * set, whoever runs the program asks which values the thread might read there of which it is
 * not known whether it, given them, would be stopped at its next operation; finds that out; and
 * tells. (To stay is to be stopped by OP_STUCK with a round that is not 0.) What a bit means stays
 * the same for a location as long as engine_await_epoch() does. What is told counts for good,
 * so it must depend on nothing but what the thread has done, and the value. Ask again whenever
 * engine_step() said STEP_WAIT. In all modes but ENGINE_EXPLORE nothing is unknown.
 */
uint64_t engine_await_unknown(struct engine *e, uint32_t tid, const struct op *op);
struct value engine_await_value(const struct engine *e, const struct op *op, unsigned bit);
void engine_await_tell(struct engine *e, uint32_t tid, const struct await_mask *told);
uint32_t engine_await_epoch(const struct engine *e);

/*
 * Forgets everything and starts again from the first execution, with the counters at zero
 * (after a location was promoted, since its plain accesses are events from now on). Call
 * between engine_end() and engine_begin(), or in the middle of an execution.
 */
void engine_restart(struct engine *e);

/*
 * Abandons this execution: it is not counted, and the next engine_begin() replays the same
 * one from its start (the target wants to look closer at it, or to run it elsewhere). Not in
 * ENGINE_REPLAY. Call it instead of engine_end().
 */
void engine_rerun(struct engine *e);

/*
 * The happens-before clock of a thread now: clock[u] = number of events of thread u that
 * happen before the next thing thread tid does (clock[tid] = its own events so far). Valid
 * for engine_threads() entries, until the thread's next STEP_DONE. A plain access of thread
 * u made when its own clock entry was c happens before thread tid's next access iff
 * u == tid or engine_clock(e, tid)[u] > c.
 */
const uint32_t *engine_clock(const struct engine *e, uint32_t tid);

/* The same for po u rf. */
const uint32_t *engine_porf(const struct engine *e, uint32_t tid);

/* The place in the code of one of the thread's events in the graph. */
uint64_t engine_event_pc(const struct engine *e, uint32_t tid, uint32_t index);

/* Says is_it() so of a value that was written in this execution so far where that event is, or of the initial one? */
bool engine_any_value(const struct engine *e, uint32_t tid, uint32_t index,
		      bool (*is_it)(struct value v, void *ctx), void *ctx);

/* Has any event of the search so far been read from without synchronising? Then these two may differ. */
bool engine_beyond_hb(const struct engine *e);
uint32_t engine_threads(const struct engine *e);

/* Is there an id for the thread that this one is about to create? */
bool engine_may_create(struct engine *e, uint32_t tid);

/* ENGINE_REPLAY: is the next operation of the thread recorded as one of this kind? */
bool engine_recorded(const struct engine *e, uint32_t tid, enum op_kind kind);

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

/*
 * Takes the initial value of the operation's location, if this run has not met it yet: for
 * writes that are in memory before their operation is performed.
 */
void engine_meet(struct engine *e, const struct op *op);

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
 * Sharing an exploration among engines, which may live in different processes of one program
 * (share.c). The program must have the same addresses everywhere.
 *
 * engine_give() writes the oldest work of this engine, the root of a subtree, into buf (16-byte
 * aligned), and forgets it; returns its length, or 0 when there is no work to give, or no
 * room. *id identifies the subtree. engine_take() goes on from there, in an engine that has
 * nothing left to do, instead of engine_advance(); false: no execution is in it. len 0
 * means the whole exploration, from the first execution on. It leaves out the subtrees of
 * skip, which must stay valid until the next engine_take(). Statistics go on. Call both
 * between engine_advance() and engine_begin().
 */
size_t engine_give(struct engine *e, void *buf, size_t size, struct engine_id *id);
bool engine_take(struct engine *e, const void *buf, size_t len, const struct engine_id *skip,
		 size_t nskip);

/* ENGINE_ONLINE: the execution that engine_begin() begins next is the number-th, from 1. */
void engine_number(struct engine *e, uint64_t number);

const struct engine_stats *engine_stats(const struct engine *e);

/* Why STEP_WRONG: one English line, e.g. "thread 2: expected a load of ..., got a fence". */
const char *engine_error(const struct engine *e);

#endif
