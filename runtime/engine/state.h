/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.h - what the files of the engine share: one engine, one run of the program
 *
 * The graph (graph.h) says what the execution is; the run says how far the program, started
 * anew, has repeated it. While it repeats (`done` events of each thread, fewer than the graph
 * has), operations are checked against the graph and get their values from it; threads wait
 * only for the writes they read from. When nothing is left to repeat, new events are added,
 * always by the enabled thread with the lowest number (explore.c), by a random one
 * (online.c), or by the recorded one (replay.c).
 */
#ifndef HEDDLE_ENGINE_STATE_H
#define HEDDLE_ENGINE_STATE_H

#include "engine/engine.h"
#include "engine/graph.h"
#include "engine/guard.h"
#include "engine/model.h"
#include "engine/witness.h"

enum thread_state {
	THREAD_NONE,    /* not created in this run */
	THREAD_RUNS,    /* between operations: its next one is not known yet */
	THREAD_WAITS,   /* `pending` is its next operation */
	THREAD_STUCK,   /* stopped for good by OP_STUCK */
	THREAD_STOPPED, /* stopped for good by OP_BLOCK */
	THREAD_ENDED,
};

struct thread {
	enum thread_state state;
	uint32_t created; /* threads it created in this run */
	uint32_t steps;   /* replay.c: operations it finished in this run */
	/* The event that created it, or, if its id is used again, created it last. */
	uint32_t creator, create_index;
	struct op pending;
	uint64_t aside_at; /* aside.c: when it stepped aside */

	/* explore_await.c: of its next operation, when that is its event number await_at - 1 */
	struct await_mask await;
	uint32_t await_at;
	uint32_t
		await_in_vain; /* 2 + the location's last event when nothing let it pass; 0: not yet */
};

/* What may be read at one location where threads wait. */
enum {
	AWAIT_VALUES = 64,
	AWAIT_LOCATIONS = 256,
};
struct await_values {
	uint32_t n;
	struct value value[AWAIT_VALUES];
};

/* Who created a thread: names of threads outlive executions. */
struct thread_name {
	uint32_t parent, rank;
};

/* One operation finished in this run; pos NO_POS: no event (OP_BLOCK, OP_STUCK, OP_EXIT), but
 * what its thread ended with, and still has as its pending one. */
struct ran {
	uint32_t pos;
	uint32_t tid;
};

enum work_kind {
	WORK_READ,    /* let the read at `stamp` observe `rf` instead */
	WORK_REVISIT, /* let the write at `stamp` be observed by the read at `read` */
	WORK_TAKE,    /* in place of the lock at `stamp`, let thread `choice` lock */
	WORK_SLOT,    /* let thread `choice` lock where the lock at `read` did */
	WORK_PLACE, /* place the write at `stamp` in mo behind `rf`; `read` observes it, or NO_POS */
};

/* What it takes for an await that could pass to wait as well: explore_gate.c. */
enum {
	GATE_BESIDE = 1,
	GATE_REASON = 2,
	GATE_OPEN = GATE_BESIDE | GATE_REASON,
};

struct work {
	uint8_t kind;
	uint32_t stamp; /* the graph had stamp + 1 events when it was noted */
	uint32_t read, rf, choice;
	uint32_t witness; /* WORK_READ: see struct candidate */
	uint64_t
		gate; /* WORK_READ: 1 + the number of the item that says whether it is to be done */
	uint8_t open; /* the gate: what is there of GATE_OPEN */
	bool taken;   /* WORK_READ: it cannot write as well, since another read-modify-write reads
		     * rf already, or the model is against it */
};

/* A graph of the stack that is not the current one, and where its work begins. */
struct frame {
	uint32_t base, n, work, doubt;
};

/* When an event was inserted: before the event now at pos if rank is not UINT32_MAX. */
struct stamp {
	uint32_t pos, rank;
};

static inline bool stamp_less(struct stamp a, struct stamp b)
{
	return a.pos != b.pos ? a.pos < b.pos : a.rank < b.rank;
}

struct engine {
	struct engine_config config;
	const struct model *model;
	const struct strategy *strategy;
	struct engine_stats stats;
	struct graph graph;

	struct thread thread[HEDDLE_MAX_THREADS];
	uint32_t
		done[HEDDLE_MAX_THREADS]; /* events of the graph this run has executed, by thread */
	struct thread_name name[HEDDLE_MAX_THREADS];
	uint64_t running, waiting; /* sets of threads: those that THREAD_RUNS and THREAD_WAITS */
	uint32_t nthreads;         /* names in use */
	uint64_t run;              /* number of this run, from 1 */
	uint64_t first_run;        /* how many there had been when the exploration began (again) */
	bool first;                /* the next one is the first of all */
	uint32_t repeating;        /* events of the graph not yet repeated in this run */
	bool failed, exited, limited, wrong;

	/* aside.c */
	uint64_t aside;  /* set of threads that let others go first; they wait */
	uint64_t yields; /* of this run */
	bool idle;       /* they do nothing else any more */
	bool lets_go;    /* in random testing: who yields steps aside */

	struct ran *ran;
	uint32_t nran;

	/* explore.c */
	struct work *work;
	uint32_t nwork;
	struct frame *frame;
	uint32_t nframes;
	uint32_t work_base; /* of the current graph's work */
	uint64_t
		work_given; /* items taken away from below: an item's number is its place plus this */

	/* explore_lock.c */
	bool slots;               /* locks are explored by slots */
	unsigned restart;         /* the exploration starts again: enum restart_reason */
	uint64_t fresh;           /* threads whose next operation has not been asked for yet */
	uint32_t first_asks;      /* the mutex that the main thread locks first of all, or NO_LOC */
	uint32_t forced;          /* the thread that has to lock next, or NO_POS */
	struct stamp forced_slot; /* and where */
	uint64_t forced_addr;     /* and what */

	/* explore_await.c */
	bool awaits;                       /* reads wait for values that let their threads go on */
	struct await_values *await_values; /* AWAIT_LOCATIONS of them */
	uint32_t await_locs;               /* in use */
	uint32_t await_version;            /* grows with each new value */
	uint32_t await_epoch;              /* grows when all values are forgotten */
	uint32_t await_ready;   /* the version for which the graph's awaits know all values */
	bool topping;           /* this run asks again, of values met since */
	uint32_t picked;        /* the thread whose turn it is still, or NO_POS: to be found out */
	bool last_looks;        /* nothing can move: waiting threads look for good */
	bool looking;           /* that is all this run is for */
	bool look_again;        /* next, without the awaits that wait: they may do so for good */
	bool rerun;             /* the graph is to be executed again before anything else */
	bool dead_end;          /* nothing that counts comes of this execution */
	bool stray;             /* since a thread did something else than the graph says of it */
	uint32_t astray;        /* and which thread it was (config.strays) */
	bool finishing;         /* what it did repeat is brought to its end, for bugs only */
	uint32_t late;          /* a write whose revisits are not noted yet, or NO_POS */
	struct event late_read; /* unless it fits: the read before it; both are not in the graph */
	struct waits late_waits;
	bool late_fits; /* and whether the graph is worth executing then */

	const struct engine_id *skip; /* share.c: subtrees to be left out */
	size_t nskip;

	/* online.c */
	uint64_t seed, random;

	/* replay.c: the next step, and the event of each step of each thread; other modes list these when somebody
	 * asks (inspect.c) */
	size_t replay_at;
	uint32_t *step_at[HEDDLE_MAX_THREADS];

	char error[256];
};

/* Something to be done later. The books say in the end whether it was (ledger.h). */
static inline void note_work(struct engine *e, struct work w)
{
	must(e->nwork < e->graph.capacity && w.stamp <= e->graph.n);
	e->stats.ledger.noted++;
	e->work[e->nwork++] = w;
}

static inline void thread_set(struct engine *e, uint32_t tid, enum thread_state state)
{
	const uint64_t bit = (uint64_t)1 << tid;

	e->thread[tid].state = state;
	e->running = state == THREAD_RUNS ? e->running | bit : e->running & ~bit;
	e->waiting = state == THREAD_WAITS ? e->waiting | bit : e->waiting & ~bit;
}

/* Takes the lowest thread out of a set. */
static inline uint32_t thread_of_set(uint64_t *set)
{
	uint32_t tid = (uint32_t)__builtin_ctzll(*set);

	*set &= *set - 1;
	return tid;
}

/* Has the event happened in this run? */
static inline bool happened(const struct engine *e, uint32_t pos)
{
	const struct event *ev = &e->graph.ev[pos];

	return ev->index < e->done[ev->tid];
}

/*
 * The event creates a thread, whose first operation is its start. One that has the id of a thread
 * that was joined (reuse.c) goes on in the list of events that the other left. (Member by member: to
 * clear the whole would take longer than all else.)
 */
static inline void thread_create(struct engine *e, const struct event *ev)
{
	struct thread *child = &e->thread[ev->peer];

	e->thread[ev->tid].created++;
	child->creator = ev->tid;
	child->create_index = ev->index;
	child->pending = (struct op){ .kind = OP_START, .pc = ev->pc };
	child->await_at = child->await_in_vain = 0;
	thread_set(e, ev->peer, THREAD_WAITS);
}

/* How new events are chosen; one file each. */
struct strategy {
	/* A run begins. */
	void (*begin)(struct engine *e);
	/* The thread that may add the next event, or ENGINE_OVER. Threads all wait. */
	int (*pick)(struct engine *e);
	/*
	 * The thread's operation, enabled and not in the graph: make it happen. Result false:
	 * this execution ends here.
	 */
	enum step_status (*add)(struct engine *e, uint32_t tid, const struct op *op);
	/* The run is over, and counted; is there another execution? */
	bool (*again)(struct engine *e, struct engine_outcome *outcome);
};

extern const struct strategy strategy_explore, strategy_online, strategy_replay;

/* run.c */
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
/* May the read at pos, asked about in q, observe this write and go on from there? */
bool run_may_go_on(struct engine *e, struct question *q, uint32_t pos, uint32_t write);
/* Does the operation observe a location? */
bool op_reads(const struct op *op);
/*
 * Does the thread wait where that, for good, is no execution? In a timed wait, since there is
 * another in which it times out; to go to sleep on a futex that has changed since it looked.
 */
bool run_is_void(const struct engine *e, uint32_t tid);
/* The thread is stopped by op, OP_STUCK or OP_BLOCK. */
void run_stops(struct engine *e, uint32_t tid, const struct op *op);
/* The event that woke a waiting thread, or NO_POS. */
uint32_t run_waker(const struct engine *e, uint32_t tid, const struct op *op);

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

/* aside.c */
static inline bool is_aside(const struct engine *e, uint32_t tid)
{
	return e->aside >> tid & 1;
}
/* Whose turn is it, if it would be that thread's but for those aside? */
int aside_turn(const struct engine *e, int picked);
/* engine_step() for OP_YIELD, but in random testing. */
enum step_status aside_step(struct engine *e, uint32_t tid, const struct op *op,
			    struct op_result *r);

/* explore.c */
/* Works on a new graph with these events (graph_push()); what to do with it comes later. */
uint32_t explore_push(struct engine *e, const uint8_t *keep, uint32_t read, uint32_t write);

/* explore_lock.c */
bool lock_slotted(const struct engine *e, const struct op *op);
/* Can the thread's lock be executed? */
bool lock_is_free(struct engine *e, const struct op *op);
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

/* explore_await.c */
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
/* Of the writes that the await at pos may observe: those with which it stays where it is, and that
 * may be the last of their location. */
uint32_t await_last_words(struct engine *e, uint32_t pos, struct candidate *c, uint32_t n);
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
/* Does the thread wait for a value, at an await in the graph or at its next operation? */
bool await_waits(const struct engine *e, uint32_t tid);
/* Nothing can move: could all threads that wait do so for good? (No: certainly not.) */
bool await_may_be_stuck(struct engine *e);
/* Has a thread of the graph looked at a location for good? */
bool await_looked_in_vain(const struct engine *e);
/* Might it with a write of this value? */
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

/* share.c */
/* Is this item of work, of the graph whose events are at ev, to be left out? */
bool share_skips(struct engine *e, const struct event *ev, const struct work *w);
/* The name of thread t that all engines agree on: mine, if nobody else gave it one before. */
struct thread_name engine_agree(struct engine_names *names, uint32_t t, struct thread_name mine);

/* verdict.c */
void verdict_judge(struct engine *e, struct engine_outcome *outcome);

/* engine.c */
/* A thread that can repeat its next event now, or ENGINE_OVER. */
int engine_next_to_repeat(const struct engine *e);
/* No graph, no work: where the exploration, or that of another subtree, begins. */
void engine_empty(struct engine *e);
/* The thread created as the rank-th by parent; a new number when it is a new name, or
 * HEDDLE_MAX_THREADS when there are no more. */
uint32_t engine_child(struct engine *e, uint32_t parent, uint32_t rank);
/* A thread does not repeat the graph: is that just a dead end? */
bool engine_strays(struct engine *e, uint32_t tid);
void engine_wrong(struct engine *e, uint32_t tid, const char *what, const struct op *op);

/* reuse.c */
/* A thread that the parent joined, whose id its next child gets; 0: none. */
uint32_t reuse_id(const struct engine *e, uint32_t parent);

#endif
