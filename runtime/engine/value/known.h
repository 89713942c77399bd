/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * known.h - what each thread does next, as far as earlier runs have shown
 *
 * What a thread does is a function of the values that it has read, and of what those have read that it has joined, or that created it
 * (value.txt, V1). So what the runs of a search show of it is a tree: a step is a place behind so many of its operations, which read such
 * values; it leads to others, one for each value that the next operation read: a join reads the step at which the other thread ended, and a
 * thread begins with the one at which it was created. Where it is known what all threads do next, the search goes on without the program
 * (ahead.c), and by its last steps a vector of values has a name (visited.c).
 *
 *	known_learn(e, tid, op);	the thread, which is where the graph is, does that next
 *	known_goes(e, pos);		the graph has its operation now, whose first event is at pos
 *	known_over(e);			the graph is an execution that is over, and the program has done all of it
 *	s = known_step(e, tid);		what it does next is s->op; NULL, or OP_KINDS there: nobody knows
 *
 * Where there is no room for more, or a thread did not repeat itself, value_search.lost says so, and nothing is known any more.
 *
 * Cost: one step for each history that a thread has in any execution; O(1) for each operation, on average.
 */
#ifndef HEDDLE_ENGINE_VALUE_KNOWN_H
#define HEDDLE_ENGINE_VALUE_KNOWN_H

#include "engine/value/value.h"

struct value_step {
	uint32_t above,
		latest; /* 1 + the step that leads here, and the latest one that this one has led to; or 0 */
	struct engine_id name;  /* of what the thread has read up to there, and was handed over; */
	struct engine_id reads; /* and of what it has read alone: the same in each engine */
	struct engine_id
		hands; /* of what it hands over to who joins it, if that is of value_search.age (V14) */
	uint32_t age;
	uint32_t index;    /* events of the thread before it */
	struct value came; /* what the operation of `above` read */
	struct op op;      /* OP_KINDS: not known yet */
	uint32_t cell;     /* states.h: 1 + the location of `op`, or 0 */
	bool told : 1;     /* `came` is what another thread has handed over */
	bool handed : 1;   /* its name says of a join only that */
	bool own : 1;      /* a run of this engine has come here (V14) */
	bool met : 1;      /* known_over() has seen it */
	bool began : 1; /* it was the first one at its location, or could have been, which held */
	struct value initial; /* that */
};

/* What an operation read, and what is known of that. */
struct value_came {
	struct value value;
	bool told, handed; /* as in struct value_step, of the step that it leads to */
};

/* Of a table with the names of so many steps. */
size_t known_slots(uint32_t most);

/* No step is known. */
void known_empty(struct engine *e);
void known_learn(struct engine *e, uint32_t tid, const struct op *op);
void known_goes(struct engine *e, uint32_t pos);
void known_over(struct engine *e);

/* The step of a thread whose events are those of the graph; NULL: it is not known. */
struct value_step *known_step(struct engine *e, uint32_t tid);

/* The thread has ended in the graph. Has it in a run of this engine, too, by the same history? */
bool known_has_ended(struct engine *e, uint32_t tid);

/* What a thread reads that joins one whose last step, 1 + its place, that is. */
struct value_came known_joined(const struct value_search *v, uint32_t step);

/* 1 + the step that the one before it, 1 + its place as well, leads to where its operation reads that; 0: that was not met. */
uint32_t known_behind(struct value_search *v, uint32_t step, struct value came);

/* The same, and where that was not met it is a new step, behind so many events of the thread; 0: there is no room. */
uint32_t known_behind_or_new(struct value_search *v, uint32_t step, uint32_t index,
			     struct value_came came);

/* What a thread reads as it begins, whose creator did that with its event before `index`, and is at that step by now. */
struct value_came known_created(const struct value_search *v, uint32_t step, uint32_t index);

#endif
