/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * axioms.h - is an execution graph consistent, by the definition of each memory model?
 *
 * The axioms are those of runtime/engine/model/models.txt and of tests/conformance/litmus_oracle.py, over
 * every modification order: slow, complete, and sharing nothing with the engine.
 */
#ifndef HEDDLE_TESTS_AXIOMS_H
#define HEDDLE_TESTS_AXIOMS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A set of events. With AX_WIDE (the tests of the offline checkers) it holds more of them, at
 * twice the cost.
 */
#ifdef AX_WIDE
__extension__ typedef unsigned __int128 ax_row;
#else
typedef uint64_t ax_row;
#endif

enum {
#ifdef AX_WIDE
	AX_EVENTS = 96,
	AX_LOCS = 16,
#else
	AX_EVENTS = 48,
	AX_LOCS = 8,
#endif
	AX_MODELS = 8
};

enum ax_kind {
	AX_R = 1,
	AX_W = 2,
	AX_U = 3,
	AX_F = 4
};

struct ax_event {
	int8_t tid; /* -1: an initial write */
	int8_t loc; /* -1: a fence */
	int8_t rf;  /* index of the source, -1: reads nothing; of a fence: what it waits for */
	uint8_t kind, order;
	bool sync; /* its rf edge is a happens-before edge in every model */
};

/*
 * Events in an order that extends po and rf; the initial writes, one per location, are the
 * first nlocs events.
 */
struct ax_graph {
	int n, nlocs;
	struct ax_event ev[AX_EVENTS];
	/*
	 * Reads that must have the latest value for good: nothing but quiet writes (read-modify-
	 * writes that store what they read) comes after their source in mo.
	 */
	ax_row latest, quiet;
};

struct ax_result {
	unsigned consistent;     /* mask of models */
	unsigned racy;           /* mask of models whose hb leaves a plain access unordered */
	uint64_t mos[AX_MODELS]; /* how many modification orders, when asked; wra: 0 or 1 */
};

/* Judges g under the models of the mask; count_mo: every modification order, not only one. */
void ax_judge(const struct ax_graph *g, unsigned models, bool count_mo, struct ax_result *res);

/* What happens after each event under a model (an enum engine_model; sc and tso: (po u rf)+). */
void ax_happens_before(const struct ax_graph *g, int model, ax_row after[AX_EVENTS]);

#endif
