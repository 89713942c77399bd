/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * config.h - what an engine is told, and what it answers
 *
 * See engine.h, which is for those who run a program; the files of the engine take this.
 */
#ifndef HEDDLE_ENGINE_RUN_CONFIG_H
#define HEDDLE_ENGINE_RUN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/op.h"
#include "wire/search.h"

struct corpus;
struct engine;
struct value_board;

struct memo_touch;

struct engine_config {
	enum engine_mode mode;
	enum engine_model model;
	enum engine_equivalence equivalence;
	uint64_t seed; /* ENGINE_ONLINE: of the session; execution i derives its own */
	const struct corpus *corpus; /* STRATEGY_RF_FUZZ: to begin with; NULL: empty */
	uint32_t strategy, depth;    /* ENGINE_ONLINE: enum search_strategy, and its number */
	uint64_t max_executions;     /* 0: no limit */
	uint64_t max_events;         /* of one execution; 0: no limit */
	bool plain_awaits;           /* explore what threads see while they wait, from the start */
	/*
	 * ENGINE_ONLINE: where accesses of several sizes meet, all are done at one moment, in the order in which they happen
	 * (online.txt, W), which are not all executions. ENGINE_REPLAY: that is how the recorded one was made.
	 */
	bool parts_in_order;
	bool strays;        /* threads act on what no operation tells (ENGINE_EXPLORE): one that
				  * does not repeat the graph makes a dead end, which is counted */
	bool waiting_locks; /* explore locks as operations that may wait, from the start
				  * (where a program has trylock the engine finds out itself) */
	/*
	 * Value of a location before the first operation on it in this execution; called
	 * once per location and execution, at its first operation. size 0: a library object.
	 */
	struct value (*initial)(void *ctx, uint64_t addr, unsigned size, enum op_kind kind);
	/* May an access take this location and others together (op_part())? What is the same for all of these, or 0. */
	uint64_t (*cell)(void *ctx, uint64_t addr, unsigned size);
	/* A name for a place in the code that is the same in each run of the program; NULL: the address is. */
	uint64_t (*code)(void *ctx, uint64_t pc);
	/*
	 * Memory that rounds of loops access which are left out (engine_minds_rounds()) is accessed by a thread of an execution that is made. May that be in a race
	 * with such a round? From clock on to porf of other threads it comes behind them in po u rf, not in hb. NULL: it may.
	 */
	bool (*behind_rounds)(void *ctx, const struct memo_touch *touch, uint32_t tid,
			      const uint32_t *clock, const uint32_t *porf);
	void *ctx;
	/*
	 * ENGINE_REPLAY: the execution to repeat; ENGINE_EXPLORE: the operations that those to be visited begin with
	 * (explore/around.c), or NULL; ENGINE_ONLINE: one to be followed where that is possible (online/guide.h),
	 * or NULL. Must stay valid.
	 */
	const struct engine_step_record *replay;
	size_t replay_len;
	/* ENGINE_REPLAY: behind its last step goes on at random, as ENGINE_ONLINE does, in the so manieth way; 0: does not */
	uint32_t go_on;
	uint64_t memo_bytes; /* memory for what is known of that; 0: as much as there is */
	bool memo; /* ENGINE_EXPLORE: executions that are known are made without the program (explore/memo.h) */
	/*
	 * ENGINE_EXPLORE: how many executions are there (explore/estimate.c)? Seeded by seed; ESTIMATE_BESIDE: asked first
	 * when the exploration has had so many runs.
	 */
	enum search_estimate estimate;
	uint64_t estimate_after;
	/* EQUIV_VALUE: so many steps of threads, and vectors, are remembered at most (value/known.h); 0: as there is room */
	uint32_t remembers;
	/* EQUIV_VALUE: goes by sets of events (value/finished.h) behind so many nodes; 0: if nodes repeat others much */
	uint32_t by_sets_after;
	uint32_t by_states_after; /* likewise by states (value/states.h), where it can */
	bool by_nodes;            /* it never does, and that is known from the first node on */
	uint64_t (*ticks)(
		void); /* EQUIV_VALUE: to time its questions, some 2^31 a second; NULL: they are not timed */
	/* Threads may get the ids of others that their creator joined (reuse.c). */
	bool reuse_threads;
	/*
	 * ENGINE_ONLINE, how a long execution gives memory back (online/give_back.h): at first after so many events
	 * (0: as is good), but `everything` stays, for its steps, though what happens is the same; so many
	 * writes of a location may be read at most (0: all that can be), and so many where much memory was needed else.
	 */
	uint32_t give_back_after;
	bool everything;
	uint32_t window, window_of_full;
	/* Events were given back, or there are more threads: clocks are elsewhere. NULL: nobody keeps them. */
	void (*moved)(void *ctx);
	/* ENGINE_EXPLORE: common to all engines that share the exploration; NULL: one alone. */
	struct engine_names *names;
	/* Likewise, EQUIV_VALUE. */
	struct value_board *board;
};

enum step_status {
	STEP_DONE,
	STEP_WAIT,
	STEP_CUT,   /* this execution is over at once (a limit, or a dead end): call engine_end() */
	STEP_WRONG, /* not what the recorded execution did: see engine_error() */
	STEP_OFF,   /* the wait is called off: engine_call_off() */
};

enum {
	ENGINE_OVER = -1
};

/* In another way, which config says from the start. */
enum restart_reason {
	RESTART_LOCKS = 1,  /* config.waiting_locks (explore_lock.c) */
	RESTART_AWAITS = 2, /* config.plain_awaits (run/await.c) */
	RESTART_MEMO = 8,   /* without config.memo: threads do not what they did */
	RESTART_VALUES =
		4, /* by reads-from: there is what cannot be explored by values (value/value.c) */
};

struct engine_outcome {
	enum engine_ending ending;
	bool unknown;  /* END_BLOCKED: perhaps threads wait for ever, nobody knows (wra) */
	bool mutual;   /* likewise: those whose rounds cancel out */
	bool together; /* and all others do; see engine_is_together() */
	bool unjudged; /* whether accesses of several parts are done at one moment could not be said */
	bool full;     /* END_LIMIT: there is no memory for a longer one */
	bool more;     /* engine_advance(): another execution follows */
	bool limit;    /* more is false because max_executions was reached */
	unsigned restarted; /* engine_advance(): the exploration starts again from the first
			     * execution, with the counters at zero; why (enum restart_reason) */
	uint64_t seed;      /* ENGINE_ONLINE: of this execution */
	uint32_t thread;    /* END_DEADLOCK, END_AWAIT_STUCK: the first such thread */
	struct op waiting;  /* and what it waits for (addr, pc, kind) */
};

#endif
