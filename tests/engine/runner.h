/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runner.h - runs a script through the engine, as the target runs a native program
 *
 *	struct runner r;
 *	runner_init(&r);
 *	if (runner_run(&r, &script, &(struct runner_options){ .model = MODEL_RC11 }))
 *		... r.classes.v[i].visits: how often class i was visited ...
 *	runner_release(&r);
 *
 * The engine's thread 0 creates one thread per scripted thread, in order, joins each, and
 * exits. Every answer of the engine is checked against the graph it reports in the end.
 */
#ifndef HEDDLE_TESTS_RUNNER_H
#define HEDDLE_TESTS_RUNNER_H

#include "engine/classes.h"
#include "engine/engine.h"

struct runner_options {
	enum engine_mode mode;
	enum engine_model model;
	enum engine_equivalence equivalence;
	uint64_t seed, max_executions;
	uint32_t strategy, depth;         /* ENGINE_ONLINE */
	bool rule;                        /* the redundant-round rule */
	bool waiting_locks, plain_awaits; /* as in struct engine_config */
	uint32_t give_back_after;         /* likewise; without `everything` there are no classes */
	bool everything;
	bool gone; /* the engine is told when nobody comes to a location any more, as of memory that was freed */
	uint32_t remembers;       /* as in struct engine_config */
	uint32_t by_sets_after;   /* likewise */
	uint32_t by_states_after; /* likewise */
	bool by_nodes;            /* likewise */
	bool plain_events;        /* plain accesses are events; nobody looks for races */
	bool futexes; /* loads of their words say what is expected, and no execution need come to its end */
	bool long_ones; /* there are no classes: executions are too long for their keys */
	uint64_t memo_bytes;
	bool memo; /* as in struct engine_config: most executions are none of those that are seen here */
	uint32_t makes;                /* so many of these in a row, at most; 0: all */
	enum search_estimate estimate; /* as in struct engine_config; descents are not seen here, */
	uint64_t estimate_after, descents;       /* and with ESTIMATE_ONLY it stops after so many */
	int max_reads;                           /* per thread, 0: none; a thread stops there */
	const struct engine_step_record *replay; /* as in struct engine_config */
	size_t replay_len;
};

struct runner {
	struct class_set classes;
	struct class_set finals;
	struct class_set values;    /* vectors of values read, of complete executions, */
	struct class_set deadlocks; /* and of those that end in a deadlock */
	uint64_t endings[CLASS_KINDS];
	uint64_t executions, wasted; /* those with a class; explorations that ended in none */
	uint64_t waiting;            /* blocked, with a thread that still waits for a value */
	uint64_t stuck_bugs;         /* END_AWAIT_STUCK */
	uint64_t graphs,
		ngraphs; /* options.memo, or not: of all graphs that count, and how many they are */
	uint64_t trail;  /* of all that threads were told, in order */
	/* Of each location: behind which threads, in po u rf and not in hb, others have read it plainly; or written it. */
	uint64_t behind[SCRIPT_LOCS][2];
	bool raced;         /* a plain access was found in a race; the run stops there */
	bool by_reads_from; /* what was to be explored by values */
	bool endless;       /* gave up after too many executions */
	char error[400];    /* what the engine did wrong, "" if nothing */
	struct engine_step_record
		*steps; /* room for those of the last execution; NULL: not wanted */
	size_t max_steps, nsteps;
	struct value_board *board; /* as in struct engine_config; NULL at first */
	void *mem;
};

/* One execution that was run, and what it was. */
struct visit {
	bool counts;   /* else it led nowhere, */
	bool descends; /* or is one of a random descent */
	unsigned
		restarted; /* why the exploration starts again (enum restart_reason): forget what was
			     * noted; 0: it does not */
	enum engine_ending ending;
	struct class_key key, values;
	uint64_t state; /* as in struct class */
};

void runner_init(struct runner *r);
void runner_release(struct runner *r);
/* False when the engine misbehaved: see error. */
bool runner_run(struct runner *r, const struct script *s, const struct runner_options *opt);

/*
 * The parts of runner_run(), for several engines in turn: runner_start(), then runner_engine() for
 * each of them (of at most `of`), and runner_execute() with one or the other. runner_execute()
 * is true when another execution of that engine follows; what was visited counts once it is
 * given to runner_note().
 */
void runner_start(struct runner *r, const struct script *s, const struct runner_options *opt);
struct engine *runner_engine(struct runner *r, int which, int of, struct engine_names *names);
/* runner_graph.c: adds the engine's graph to r->graphs. */
void runner_graph(struct runner *r, const struct engine *e);
/* runner_ran.c: in a run of the engine the thread has begun; and has read that behind a history, one after the other. */
uint64_t runner_ran_begins(const struct engine *e, uint32_t tid);
uint64_t runner_ran_reads(uint64_t history, uint64_t read);
/* The engine has made an execution. By values, has each of the threads 1 ... n done that in runs of the same engine, as far as that is known? */
bool runner_has_run(const struct engine *e, uint32_t n);
void runner_ran_nothing(void);
/* The latest one. */
struct engine *runner_last(void);
bool runner_execute(struct runner *r, struct engine *e, struct visit *v);
/* options.memo, where another one follows: makes some before the next is run. True when another follows still; *restarted as in struct visit. */
bool runner_make(struct engine *e, unsigned *restarted);
void runner_note(struct runner *r, const struct visit *v);

#endif
