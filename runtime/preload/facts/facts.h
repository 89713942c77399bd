/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * facts.h - what is found out about the program on the way
 *
 *	if (fact_in_use(FACT_FUTEX_TABLE))		as it is done from then on
 *		...
 *	else if (needs_table)
 *		fact_found(FACT_FUTEX_TABLE);		leaves; later all runs once more from here
 *
 * A fact is learned once, and is in force from some start on (wire/facts.h). What has to start
 * again for it depends on its kind:
 *
 *	the execution	FACT_REPEATS, FACT_NEEDS_*: it changes how executions are run, not what comes of them
 *	the search	all others, since executions begun without them are other ones
 *	the search, in
 *	its own time	FACT_WAITS: without them there are more executions that lead nowhere, no less
 *
 * There is one way to start again: whoever learns may leave the execution (fact_found(),
 * repeat_execution()), or go on to its end if what it does is right without the fact; behind that
 * the driver asks facts_due(). A worker alone then puts all it knows in force and restarts its
 * engine. Several stop, and the controller starts them anew.
 *
 * Cost: fact_in_use() is a test of a bit, fact_known_at() and fact_used_at() are a probe of a
 * hash table.
 */
#ifndef HEDDLE_PRELOAD_FACTS_H
#define HEDDLE_PRELOAD_FACTS_H

#include "preload/core/context.h"
#include "wire/facts.h"

#pragma GCC visibility push(hidden)

/* Must outlive an execution that runs in a child (fork back end). */
struct facts_state {
	uint64_t known, used;       /* sets of kinds */
	uint32_t bits, taken;       /* of the index: 2^bits slots, so many of them not free */
	uint32_t seen;              /* entries of the table that were looked at */
	uint32_t waiting;           /* the search is to start again, in its own time, */
	uint32_t before_end;        /* likewise, but it has to */
	uint32_t must;              /* or now */
	uint32_t eager, next_eager; /* this execution, the next one saves states everywhere */
	uint64_t interrupts[HEDDLE_MAX_THREADS]; /* FACT_INTERRUPTED, sets of signals: bit s - 1 */
	struct thread_set fences;                /* FACT_FENCES */
	uint64_t actions;                        /* FACT_ACTIONS, a set of signals */
	uint64_t anybody;                        /* FACT_ANYBODY, likewise */
};
extern struct facts_state *facts;

/* Where facts are kept; when the runtime wakes up. */
void facts_at(struct fact_table *table, struct fact_slot *index);

/* At the root point, before there is an engine: what is known already is put in force. */
void facts_begin(void);

/* Before each execution: takes note of what is known by now. */
void facts_look(void);

/* Is some fact of the kind in force? */
static inline bool fact_in_use(enum fact_kind kind)
{
	return facts->used >> kind & 1;
}

/* Is it known of that address, in force of it? */
bool fact_known_at(enum fact_kind kind, uint64_t addr);
bool fact_used_at(enum fact_kind kind, uint64_t addr);

/* Are states to be saved at that place in the code? */
bool fact_saves_at(uint64_t pc);

/*
 * A location is read again behind one of these places, at which a state was saved, or was not:
 * then the execution is left.
 */
void fact_repeats(uint64_t pc, bool saved);

/*
 * There was no room for a state, also for one at that place: leaves if that one need not have
 * been saved.
 */
void fact_takes_room(uint64_t pc);

/* What the bytes of a granule are in force to be (explored_marks.h); 0: nothing. */
uint32_t fact_marks(uint64_t granule);
/* And where accesses of several sizes meet (split_marks.h). */
uint32_t fact_split_marks(uint64_t granule);
/* The same with what is known, and not in force yet. */
uint32_t fact_split_known(uint64_t granule);

/*
 * Notes a fact, of the program or of an address; what is known already is not noted again.
 * Refuses the program where there is no room for it. The execution goes on.
 */
void fact_learn(enum fact_kind kind);
void fact_learn_at(enum fact_kind kind, uint64_t addr);
/* Of a location whose accesses are to be events; of a signal that interrupts a thread; of a thread that asks for fences; of a signal. */
void fact_learn_explored(uint64_t addr, uint32_t size);
/* Of an access where several sizes meet. */
void fact_learn_split(uint64_t addr, uint32_t size);
/* One of this kind is known, and waits for the search to start again: it has to. */
void fact_starts_again(enum fact_kind kind);
/* Not to be asked twice for the same. */
void fact_learn_touched(uint64_t granule, uint32_t arg);
void fact_learn_interrupted(uint32_t tid, int sig);
void fact_learn_fences(uint32_t tid);
void fact_learn_of_signal(enum fact_kind kind, int sig);

/* The same, and leaves the execution. fact_found_at() returns if it is known. */
heddle_noreturn void fact_found(enum fact_kind kind);
void fact_found_at(enum fact_kind kind, uint64_t addr);

/*
 * Behind an execution, one of so many, about: is the search to start again? more: it would go on.
 */
bool facts_due(uint64_t executions, bool more);

/* Puts all that is known in force; by a worker that is alone. */
void facts_use(void);

/* How many entries of the table are in force. */
uint32_t facts_in_force(void);

/* Those of one kind that are known, entries `from` to `to` - 1 of the table, with addresses of this process: calls
 * fn with each, and returns where to go on. */
uint32_t facts_each_known(enum fact_kind kind, uint32_t from, uint32_t to,
			  void (*fn)(const struct fact *f));

/*
 * In a replay: is the fact looked for by its address, not by its place? Memory that threads allocate is at the same addresses in each run, and
 * an address is what the search has gone by; which block of its thread is there differs between executions.
 */
bool fact_is_by_address(const struct fact *f);

/* Those of one kind that are in force: calls fn with each. */
void facts_each(enum fact_kind kind, void (*fn)(const struct fact *f, void *ctx), void *ctx);

#pragma GCC visibility pop

#endif
