/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * estimate_ways.h - the children of a node of a descent, and how much is below each, for all that is known
 */
#ifndef HEDDLE_ENGINE_EXPLORE_ESTIMATE_WAYS_H
#define HEDDLE_ENGINE_EXPLORE_ESTIMATE_WAYS_H

#include "engine/run/state.h"

enum {
	SIZES = 1 << 15, /* that are told apart */
	CHOSEN = 1 << 9,
	NAMES = 3
};

/* How much is below items of one name, of so many nodes. */
struct size {
	uint64_t name;
	double n, mean;
};

/* What is known of all descents, and of the one that is on the way: which events have not what they had first. */
struct sizes {
	struct size of[SIZES];
	uint64_t chosen[CHOSEN];
};

/* What is below an item depends on this: exactly, by what is alike in threads that do the same, and roughly. */
struct way_name {
	uint64_t by[NAMES];
	double guess; /* how much is below it, if nothing were known */
};

/* An item of work: with which probability it is taken; how much is below it. */
struct way {
	double share, size;
	struct way_name name;
	uint64_t place; /* in the code, of the operation that has the choice; */
	double ways; /* and the logarithm of how many its event has, of which this item has its part */
	bool last; /* of its event */
};

/* A descent begins; and takes this item. */
void ways_begin(struct sizes *s);
void ways_take(struct engine *e, struct sizes *s, uint32_t item);
/* The items of work from `from` on, one way each; returns how much is below all of them. */
double ways_weigh(struct engine *e, const struct sizes *s, uint32_t from, struct way *w);
/* So much is below an item of that name. */
void ways_learn(struct sizes *s, const struct way_name *name, double size);

#endif
