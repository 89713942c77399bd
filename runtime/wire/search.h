/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * search.h - what a search is asked for, and what it says, on both sides of the shared memory
 *
 * The engine (engine/engine.h) decides; here is what of it others write down and hand on: the controller
 * in traces and reports, workers among each other.
 */
#ifndef HEDDLE_WIRE_SEARCH_H
#define HEDDLE_WIRE_SEARCH_H

#include <stdatomic.h>
#include <stdint.h>

#include "wire/ledger.h"
#include "wire/op.h"

enum engine_mode {
	ENGINE_EXPLORE,
	ENGINE_ONLINE,
	ENGINE_REPLAY
};
enum engine_model {
	MODEL_SC,
	MODEL_TSO,
	MODEL_SRA,
	MODEL_RA,
	MODEL_WRA,
	MODEL_RELAXED,
	MODEL_RC20,
	MODEL_RC11,
	MODEL_COUNT
};
enum engine_equivalence {
	EQUIV_RF,
	EQUIV_MO,
	EQUIV_VALUE
};

/* How random testing chooses (engine/online/strategies/). */
enum search_strategy {
	STRATEGY_RANDOM,
	STRATEGY_PCT,
	STRATEGY_PCTWM,
	STRATEGY_POS,
	STRATEGY_SURW,
	STRATEGY_RF_FUZZ,
	STRATEGY_DELAY,
	STRATEGY_EVEN,
	STRATEGY_MIX,
	STRATEGY_COUNT
};
enum {
	STRATEGY_DEPTH_MOST = 64 /* of those that take a number */
};

/*
 * One step of a recorded execution, in the order in which the program executed it. So are threads that were stopped in a
 * yield, where they go on: OP_YIELD, which is no step, and has the index of the one behind it.
 */
struct engine_step_record {
	uint32_t tid, index; /* its name: thread.index, index from 0 */
	uint8_t kind, order, size;
	uint8_t flags;  /* STEP_* */
	int32_t rf_tid; /* what it reads from; -1: the initial write; -2: reads nothing */
	uint32_t rf_index;
	uint32_t choice; /* OP_CHOOSE: the value; OP_COND_SIGNAL: rank of the waiter taken out;
			  * OP_YIELD: 1 if the thread did not go on, last in the list; OP_PAUSE: likewise;
			  * OP_STUCK: 1 if it stays, with others (STUCK_TOGETHER) */
	uint32_t peer;   /* OP_CREATE, OP_JOIN: the other thread; OP_YIELD: struct op's */
	uint64_t addr, pc;
	struct value value;  /* value read (or the value of OP_CHOOSE) */
	struct value stored; /* value written, with STEP_WROTE */
};
enum {
	STEP_WROTE = 1,
	STEP_READ = 2,
	/* Of a step to be replayed: a debugger stops before it, and behind it. */
	STEP_BREAK = 4,
	STEP_BREAK_BEHIND = 8,
	/* Of a step that guides a random execution: it reads the newest write that it may. */
	STEP_NEWEST = 16
};

enum engine_ending {
	END_COMPLETE,
	END_BLOCKED,     /* a failed assume, or an await that another execution continues */
	END_DEADLOCK,    /* bug: threads blocked for ever on locks, joins, conditions, ... */
	END_AWAIT_STUCK, /* bug: an await that reads the latest values and still waits */
	END_WASTED,      /* a dead end of the exploration: no execution at all, not counted */
	END_LIMIT,       /* max_events, or the memory's end, reached */
	END_FAILED,      /* engine_fail() was called: the target found a bug in it */
	END_WRONG,       /* STEP_WRONG, or a replay that ended early */
};

/* What the search by values asked itself (EQUIV_VALUE). */
enum value_count {
	VALUES_STEPS,  /* reads that were let happen without the program (engine/value/ahead.c) */
	VALUES_ASKED,  /* may that read return that value? */
	VALUES_DIRECT, /* yes, in the graph as it was; */
	VALUES_EXCLUDED, /* no, since none above has a choice, or too few writes are there to be taken; */
	VALUES_SEARCHED, /* else searched for */
	VALUES_FOUND,    /* and found */
	VALUES_STATES, /* states of threads and memory that the search is through with (engine/value/states.h) */
	VALUES_NS, /* time all that took; in the engine: ticks of config.ticks() */
	VALUE_COUNTS
};

/* What was made without the program (engine/run/memo.h). */
enum memo_count {
	MEMO_MADE,     /* executions */
	MEMO_GIVEN_UP, /* that were begun so, and not known to their end */
	MEMO_STEPS,    /* of threads that are known; with several workers, to each of them */
	MEMO_COUNTS
};

struct engine_stats {
	uint64_t executions; /* complete ones */
	uint64_t blocked;
	uint64_t wasted;
	uint64_t failed; /* ended by engine_fail() or as a bug */
	uint64_t cut;    /* ended at max_events, or at the memory's end */
	uint64_t
		strayed; /* of the wasted ones: the program did not repeat the graph (config.strays) */
	uint64_t events;                /* sum over all executions of their events */
	uint64_t drawn[STRATEGY_COUNT]; /* random testing: executions, by who chose */
	uint64_t values[VALUE_COUNTS];  /* enum value_count */
	struct ledger ledger;
};

/* Is it asked how large an exploration is (engine/explore/estimate.c)? */
enum search_estimate {
	ESTIMATE_NONE,
	ESTIMATE_BESIDE, /* now and then, beside exploring */
	ESTIMATE_ONLY    /* instead */
};

enum {
	ESTIMATE_PLACES = 32
};

/* Where executions part: an operation in the code, and the logarithm of how many ways it had, over all descents. */
struct estimate_place {
	uint64_t pc;
	double ways;
};

/* What random descents have found; descent i has the weight w, the root of i, rounded down. */
struct engine_estimate {
	double descents, runs;    /* runs: of the program, in all */
	double root;              /* w of the latest */
	double weight, weight2;   /* sum of w, and of w^2 */
	double complete, blocked; /* sums of w times what there is by that descent */
	double all2, square2;     /* of both together: w^2 times that, and w^2 times its square */
	double ways;              /* of all places, and of those that there is room for */
	struct estimate_place place[ESTIMATE_PLACES];
};

/* Names of threads that several engines agree on; zero at first. See engine_give(). */
struct engine_names {
	_Atomic uint64_t name[HEDDLE_MAX_THREADS];
};

/* Of the root of a subtree that goes from one engine to another. */
struct engine_id {
	uint64_t a, b;
};

#endif
