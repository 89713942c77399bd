/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * value.h - exploration by values: what its files share
 *
 * The algorithm is RVF-SMC (Agarwal et al., CAV 2021, Algorithm 2; tests/reference/values.py is its readable
 * form): a recursion on events, good writes and a causal map. Two executions are the same if each read returns
 * the same value.
 *
 * A node of the recursion is a set of events, closed under po, whose threads have all come to a read, and of
 * each read in it the writes that it may observe, all of one value: its good writes. The graph of the engine is
 * one execution with these events whose reads observe good writes: it shows that there is one. For each thread's
 * next read, and each value that is written at its location by then, there is a child, if some execution has
 * that read as well; which may be one that reads otherwise than the graph (feasible.c).
 *
 * What keeps children apart is the causal map. When all values of a read were tried at a node, its other reads
 * go on with: of the first one no write that was there already.
 * So executions in which it observes one of those are left out. And when no write of
 * its location came up below the node, there is nothing else that it could observe, and the other
 * reads need not be tried at all (a backtrack signal is what says otherwise).
 */
#ifndef HEDDLE_ENGINE_VALUE_VALUE_H
#define HEDDLE_ENGINE_VALUE_VALUE_H

#include "engine/run/state.h"

enum {
	VALUE_ROW = HEDDLE_EXPLORED_THREADS, /* of a count for each thread */
	VALUE_MEASURED = 1024, /* nodes, behind which the search may go by sets of events */
	VALUE_WRITERS = 8,     /* threads that are told apart in value_writes; more share one */
	VALUE_LONG = 256       /* events: an execution that may be one of a loop without end */
};

/* Which threads write at which addresses: hashes, so that there may be more. */
struct value_writes {
	uint64_t of[VALUE_WRITERS];
};

/* A read that a thread is about to do. */
struct value_read {
	uint32_t tid;
	struct op op;
};

/* A node on the way to where the search is, and what of it was tried. */
struct value_node {
	uint32_t n, nframes; /* its graph: so many events of that one of the stack */
	uint32_t first, at,
		end;     /* the reads that may be next: reads[first .. end), reads[at] in turn */
	uint32_t values; /* of that one, */
	uint32_t tried;  /* and how many of these were tried: */
	bool open;       /* as value_search.open was when it was made */
	bool begun;      /* whether any, */
	bool any;        /* and was possible */
	bool goes_on;    /* its other reads are to be tried as well */
	uint32_t good, ngood; /* of the value in turn: good[good .. good + ngood) */
	bool lists; /* good[list .. list + nlist) has all that the read in turn might observe, value by value, a number in front of each; */
	uint32_t list, nlist,
		behind;  /* and what is behind the value in turn begins at good[behind] */
	uint32_t choice; /* whom the signal takes that reads it */
	uint32_t causal; /* how many entries the causal map had */
	uint32_t under;  /* 1 + the entry that is about the read in turn, or 0 */
	/* Where the search goes by sets of events (finished.h): */
	bool is_named,
		is_settled; /* it has a name; the read that was in turn observes that write in all executions: */
	uint64_t write; /* its name, */
	uint32_t index; /* and the number of the read in its thread */
	struct engine_id name,
		settled; /* its name; what settled reads of its events observe is a part of it */
	struct value_writes below; /* which come up there */
	uint32_t join; /* 1 + that of the board, if other engines try values of it, too; or 0 */
};

/* All values of that read were tried, when each thread had so many events. */
struct value_causal {
	uint32_t tid, index;
	uint32_t before; /* 1 + the entry of the same thread before this one, or 0 */
	uint32_t node;   /* where they were tried */
	uint32_t count[VALUE_ROW];
};

/* Where a search for an execution has a choice (feasible.c). */
struct value_point {
	uint32_t n;      /* events before it */
	uint32_t tid;    /* whose read it is */
	uint32_t tried;  /* so many of its good writes; */
	bool later;      /* all, so that it is to observe one that is not there yet */
	uint32_t before; /* 1 + the point where this thread's read was put off before, or 0 */
	uint32_t count[VALUE_ROW]; /* if `later`: how many events there were */
};

/* Which event created a thread. */
struct value_made {
	uint32_t tid, index;
};

struct value_step;

struct value_search {
	uint32_t room; /* of each table */
	struct value_node *node;
	uint32_t nnodes;
	struct value_read *reads;
	uint32_t nreads;
	uint64_t *good; /* event_name(), 0: the initial write */
	uint32_t ngood;
	struct value_causal *causal;
	uint32_t ncausal;
	uint32_t last[VALUE_ROW]; /* of each thread 1 + its latest entry, or 0 */
	struct value_point *point;
	uint32_t npoints;
	uint32_t (
		*wrote)[VALUE_ROW]; /* of each location and thread 1 + its last write there, ever */
	uint32_t (*certain)[VALUE_ROW];       /* certain.c: of each event */
	uint32_t ncertain;                    /* so many have one */
	uint32_t clock[VALUE_ROW][VALUE_ROW]; /* of this run, value_clock() */
	bool plain;                           /* there were plain accesses as events, in any; */
	bool over;                 /* this one was looked at when it had come to its end, */
	uint32_t looked;           /* or, before that, when it had so many events */
	struct op next[VALUE_ROW]; /* what each thread does next; OP_KINDS: nothing */
	uint32_t asked[VALUE_ROW]; /* so many events of each thread are those of the latest node; */
	bool open; /* of two plain accesses of the graph it is not known that they are ordered in all executions of the node; */
	bool races;  /* and in one they are not, whose values were met elsewhere */
	bool is_new; /* the graph ends in what was not visited, for certain */

	/* engine/value_made.c */
	bool makes;    /* such a one is made without the program, if nothing speaks against it; */
	bool mistaken; /* or what the program was known to do was wrong, so none is any more */
	uint64_t nruns,
		nbefore; /* runs, and nwithout when it was last asked whether it is worth it */
	uint64_t nwithout, ngiven_up; /* so many were, and were not, since the program had to run */
	const char *why_runs;         /* none is any more, or NULL */

	uint32_t searches,
		excludes; /* feasible.c: how many, and how often what has to be observed says no, lately */

	/* known.c */
	struct value_step *step;
	uint32_t *step_slot; /* 1 + the step with that name */
	uint32_t nsteps, step_bits;
	uint32_t root[VALUE_ROW],
		at[VALUE_ROW]; /* of each thread 1 + its first step, and where it was last */
	uint32_t most;         /* steps; and half as many vectors */
	bool lost;             /* there is no room */
	uint32_t
		age; /* grows with the memory of which it counts what is there when a thread ends */
	struct value_made made[VALUE_ROW]; /* ahead.c */

	/* value.c */
	uint64_t in_vain; /* executions that ended with threads in loops */
	uint32_t length;  /* how many values the first one had that came to its end */

	uint64_t emptied; /* 1 + engine.first_run when it was */

	/* visited.c */
	struct engine_id *visited;
	uint32_t *visited_slot;
	uint32_t nvisited, visited_bits;
	bool forgets;

	/* finished.c */
	bool by_sets;    /* the search goes by sets of events, */
	bool is_decided; /* and whether it does is decided */
	uint64_t since;  /* config.ticks() when it began */
	bool had_queues; /* a thread does something to a condition variable or a futex */
	struct value_finished *finished;
	uint32_t *finished_slot;
	uint32_t nfinished, finished_bits;
	struct value_writes met; /* below what finished_has() has found */
	uint32_t nmade;          /* nodes, until it is known how the search goes on */

	/* states.c */
	bool by_states,    /* the search goes by states of threads and memory, */
		no_states; /* or has tried to, and cannot, or not any more */
	struct value_states *states;
};

size_t value_bytes(uint32_t capacity);
void value_init(struct engine *e, struct arena *a, uint32_t capacity);
/* From the next engine_anew() on, explores by reads-from. */
void value_give_up(struct engine *e);

/* The write of that name (event_name(), 0: the initial one). */
static inline uint32_t value_named(const struct graph *g, uint64_t name)
{
	return name ? g->at[(name - 1) >> 32][(uint32_t)(name - 1)] : RF_INIT;
}

/* Is it the name of a good write of the read that was in turn at that node? */
bool value_has_name(const struct value_search *v, uint32_t node, uint64_t name);
/* Is the write (RF_INIT: the initial one) a good one of the read that was in turn at that node? */
bool value_is_good(const struct engine *e, uint32_t node, uint32_t write);

/*
 * Is there an execution of the graph's events and that read, in which each observes a good write? op is
 * what thread tid does next, its good writes are those of `node`. VALUE_DIRECT: *rf is one that it may observe in the graph as it is.
 * VALUE_OTHER: the graph is another one now, on top of the stack, which has the read, and its write if it writes as well.
 * VALUE_FULL: there is no memory to find out. The graph is what it was, but in case of VALUE_OTHER.
 */
enum value_answer {
	VALUE_NEVER,
	VALUE_DIRECT,
	VALUE_OTHER,
	VALUE_FULL,
	VALUE_MET, /* the search is through with that node (finished.h) */
	VALUE_LEFT /* value_next_child(): what is left of the node, and all above, is another engine's */
};
enum value_answer value_feasible(struct engine *e, uint32_t tid, const struct op *op, uint32_t node,
				 uint32_t *rf);

/* The run in progress is over, and what it has done stands elsewhere in the graph now, or is not there any more. */
void value_list_again(struct engine *e);

/* kinds.c */
/* Is the operation one that is explored by values? And why not? */
bool value_knows(const struct op *op);
const char *value_why_unknown(const struct op *op);
/* Was a barrier that threads came to set to 0 again? Then counts do not tell any more who let whom go on. */
bool value_counts_anew(const struct graph *g);

/* value.c */
/* The search starts again by reads-from, for that reason. ENGINE_OVER. */
int value_leaves(struct engine *e, const char *why);
/* An operation of a thread was added to the graph, and the first event of it is at pos. */
void value_added(struct engine *e, uint32_t pos);

/* known.c; executions are made without the program by engine/value_made.c */
/* From now on the program runs each time, for that reason. */
void value_runs_always(struct engine *e, const char *why);
/* A thread did not do what was known of it. True: executions were made by that, so the search starts again, without. */
bool value_was_mistaken(struct engine *e);

/* visited.c */
void visited_empty(struct engine *e);
/* Is the graph, an execution that is over, the first one with its vector, in whichever engine? Then it is noted. */
bool visited_first(struct engine *e);
/* The same of the vector with that name; it is none, and value_search.forgets, if there is no room for it. */
bool visited_claims(struct engine *e, struct engine_id id);

/* The name of a vector, from that of no thread on, one thread after the other: what it has read. */
static const struct engine_id visited_no_name = { 1, 2 };
void visited_add_name(struct engine_id *id, struct engine_id reads, uint32_t tid);
/* Was that one visited, as far as this engine remembers? */
bool visited_has(struct value_search *v, struct engine_id id);

/* again.c */
/* An execution is over: has another one, with the same values, been visited, or come to be known as such a one? */
bool value_was_visited(struct engine *e);

/* sections.c */
/* Which locks (bits) are held where each event of the graph stands, such as whose sections are in order in every execution. settled: only those whose sections begin with a settled read (V13). */
void value_sections(struct engine *e, uint64_t *held, bool settled);

/* members.c */
/* An operation of the thread is done: keeps its clock. */
void value_happened(struct engine *e, uint32_t tid);
/*
 * As engine_clock(), but what it says holds in each execution with these events: threads are ordered where they are created,
 * end and are joined.
 */
const uint32_t *value_clock(const struct engine *e, uint32_t tid);
/* Both, of an operation that is repeated (struct engine). */
const uint32_t *value_repeated(struct engine *e, uint32_t tid);
/* The execution in progress has become long, and may have no end: do plain accesses race in it? Asked now and then only. */
bool value_races(struct engine *e);
/* Is there an execution with the same values in which plain accesses race? (Also if that is too much to ask.) */
bool value_may_race(struct engine *e);
/*
 * The graph is an execution that is over, and its values were met before. May accesses race in an execution that this one stands for? The one that was visited was not
 * asked about it if its own could not.
 */
bool value_races_elsewhere(struct engine *e);
/*
 * The graph is that of the latest node, and what has come behind a read of that: are plain accesses that conflict ordered in all executions? Says so in
 * value_search.open.
 */
void value_look_at_order(struct engine *e);
/* Does that say that no accesses race in any execution of the node whose graph that is, and is value_may_race() not to be asked, then? */
static inline bool value_is_ordered(const struct value_search *v)
{
	return v->is_decided && !v->open;
}
static inline void value_note_plain(struct value_search *v, const struct event *ev)
{
	v->plain |= ev->order == ORDER_NA && ev->loc != NO_LOC;
}
/* Or one in which threads that were stopped in loops stay there for good, as is_stuck() says of a graph? */
bool value_may_be_stuck(struct engine *e, bool (*is_stuck)(struct engine *e));

#endif
