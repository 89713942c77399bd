/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * estimate_ways.h - the children of a node of a descent, and how much is below each, for all that is known
 */
#ifndef HEDDLE_ENGINE_EXPLORE_ESTIMATE_WAYS_H
#define HEDDLE_ENGINE_EXPLORE_ESTIMATE_WAYS_H

#include "engine/run/state.h"

enum {
	SIZES = 1 << 14 /* that are told apart */
};

/* How much is below items of one name, of so many nodes. */
struct size {
	uint64_t name;
	double n, mean;
};

/* An item of work: with which probability it is taken; how much is below it. */
struct way {
	double share, guess, size;
	uint64_t fine, coarse; /* names of sizes */
	uint64_t place;        /* in the code, of the operation that has the choice; */
	double ways; /* and the logarithm of how many its event has, if this item has its part of it */
	bool last; /* of its event */
};

/* The items of work from `from` on, one way each; returns how much is below all of them. */
double ways_weigh(struct engine *e, const struct size *sizes, uint32_t from, struct way *w);
/* So much is below an item of these names. */
void ways_learn(struct size *sizes, uint64_t fine, uint64_t coarse, double size);

#endif
