/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * states.h - the search goes by states: where each thread is, and what memory holds (value.txt, V15)
 *
 * Where all executions are such of sequential consistency, whatever reads return they return in some order of all accesses. So the search
 * follows such orders, without a graph, and leaves out what begins with a state that it is through with.
 *
 *	if (states_can(e) && states_begin(e))	it can go so; value_search.by_states is set. The graph is that of the first node
 *		a = states_next(e);	VALUE_OTHER: the graph is what the program is to run next; VALUE_NEVER: that was all; VALUE_LEFT: it cannot go on
 *					so; VALUE_FULL: accesses race
 *	states_leave(e);		the graph is that of the first node again
 *
 * The program that runs such a graph goes on behind it in any order of sequential consistency (way.h).
 */
#ifndef HEDDLE_ENGINE_VALUE_STATES_H
#define HEDDLE_ENGINE_VALUE_STATES_H

#include "engine/value/value.h"

enum {
	STATE_THREADS = 8, /* at most, */
	STATE_CELLS = 64,  /* locations, */
	STATE_WAY = 4096   /* and operations of an execution */
};

/* A location. */
struct value_cell {
	uint64_t addr;
	uint8_t size;
	bool plain,
		tried; /* it is accessed plainly; an operation that might have written there did not; */
	bool knows;    /* it is known what it holds at first, */
	uint32_t uses; /* and so many operations on the way were there */
	struct value held, initial;
};

/* What threads do somewhere: bits of locations, those that are accessed and, in the upper half, those that are written. */
struct value_deeds {
	uint32_t of[STATE_THREADS];
};

/* A state that the search is through with. */
struct value_state {
	struct engine_id name;
	struct value_deeds below; /* what comes up below it */
};

/* A state on the way to where the search is, and who goes on from there. */
struct value_move {
	struct engine_id name;
	struct value_deeds below;
	uint32_t n;                      /* events of its graph, if it has one */
	uint32_t step;                   /* 1 + the step of the thread in turn */
	uint32_t own;                    /* what it does, as in struct value_deeds, */
	struct value held;               /* and what its location held */
	uint8_t turn, todo, tried, able; /* threads: bits, but for the first one */
	bool begun, is_named, ran;
};

struct value_states {
	struct value_cell cell[STATE_CELLS];
	uint32_t ncells;
	struct value_move way[STATE_WAY + 1];
	uint32_t nway,                     /* moves, the last of which may be open */
		nbuilt;                    /* so many of them are in the graph */
	uint32_t at[STATE_THREADS],        /* 1 + the step where each thread is, */
		first_node[STATE_THREADS]; /* and where it is in the graph of the first node */
	uint32_t nthreads;                 /* when it began */
	uint8_t over;                      /* threads that have ended: bits */
	bool failed;                       /* the run in progress did what cannot be followed so */
	struct engine_id name;
	struct value_state *state;
	uint32_t *slot;
	uint32_t nstates, bits, room;
	uint64_t moves;
};

size_t states_bytes(uint32_t room);
void states_init(struct value_search *v, struct arena *a, uint32_t room);
bool states_can(const struct engine *e);
bool states_begin(struct engine *e);
enum value_answer states_next(struct engine *e);
void states_leave(struct engine *e);

#endif
