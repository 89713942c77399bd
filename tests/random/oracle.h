/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oracle.h - the final states of a program, by an operational machine
 *
 * Every state of threads and machine that can be reached is visited once, so loops that wait end
 * by themselves. A machine is the one of its memory model's literature, not its axioms:
 *
 *	sc			one memory
 *	tso			a store buffer per thread (machine_memory.c)
 *	ra, sra, relaxed, rc20, rc11	messages with timestamps and views (machine_views.c)
 *	wra			messages with their past (machine_past.c)
 *	rc11 with sc accesses	execution graphs (machine_graph.c), not for programs with loops
 *				that may exchange without end
 *
 * Data races are found on the way (races.c): with one of them nothing else is asked of a program.
 *
 * A final state is what the threads show of their registers, and the last value of each location.
 * The program can be stuck if from some state on nothing but reads in vain ever happens: the
 * states that can be reached from there reach each other (a bottom component of the graph of
 * states), and threads are left in them. Components are found as by Tarjan (1972).
 */
#ifndef TESTS_RANDOM_ORACLE_H
#define TESTS_RANDOM_ORACLE_H

#include "random/program.h"

enum model {
	SC_MODEL,
	TSO_MODEL,
	SRA_MODEL,
	RA_MODEL,
	WRA_MODEL,
	RELAXED_MODEL,
	RC20_MODEL,
	RC11_MODEL,
	MODELS
};

extern const char *const model_names[MODELS];

/* Has the oracle a machine for this program under this model? */
bool oracle_knows(const struct program *p, enum model model);

/* Has the program loops that may exchange without end under this model, for heddle as well? */
bool is_endless(const struct program *p, enum model model);
/* May a thread lock without end? heddle may have none of those either (preload/await/polls.c). */
bool locks_in_loop(const struct program *p);
/* Or change something by read-modify-writes? It may have none of those either (preload/await/cancels.c). */
bool changes_in_loop(const struct program *p);

enum {
	STUCK_LOCK = 1, /* who is left waits for mutexes, signals */
	STUCK_SPIN = 2  /* somebody looks at memory again and again */
};

/*
 * May the machine of views have less than rc11 allows? It runs sc fences in an order that po and rf agree with, as
 * machines do. The axioms do not ask for that: of two fences the one that runs later may come first in psc if
 * nothing on the way from the one to the other synchronises, which takes a third thread:
 *
 *	x = 1; F; y = 1  |  a = y; z = 1  |  b = z; F; c = x	all relaxed: a = 1, b = 1, c = 0
 *
 * The machine of execution graphs has it (program.as_graph), but is slow.
 */
bool views_may_miss(const struct program *p, enum model model);

/* Final states as lines of text, sorted, each once. */
struct outcomes {
	int n, room;
	char **line;
	int stuck; /* ways in which it can be */
	bool race; /* some execution has a data race; the search ends there */
	long states;
	bool too_large; /* given up: nothing is known */
	bool partial;   /* there may be more of everything */
};

void outcomes_init(struct outcomes *o);
void outcomes_release(struct outcomes *o);
void outcomes_add(struct outcomes *o, const char *line);
void outcomes_sort(struct outcomes *o);

/* Is each line of a one of b? The first that is not, or NULL. */
const char *outcomes_missing(const struct outcomes *a, const struct outcomes *b);

void oracle_run(struct outcomes *o, const struct program *p, enum model model, long max_states);

#endif
