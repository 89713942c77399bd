/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * why.h - why an execution has its bug, in sentences
 *
 *	struct why why;
 *
 *	why_of(&why, &scene, model, &bug);
 *	for (size_t i = 0; i < why.n; i++)
 *		puts(why.line[i]);
 *	why_release(&why);
 *
 * Of a data race: which reads on the way from one access to the other do not synchronise, and what would; or that there
 * is none; and which locks each side held. Of a deadlock: who holds what, and waits for what. Of all but races: if the execution is none of sequential consistency,
 * reads of old values, and along which cycle; else, but for deadlocks, that it is one.
 */
#ifndef HEDDLE_CONTROLLER_WHY_H
#define HEDDLE_CONTROLLER_WHY_H

#include "controller/describe/describe.h"
#include "engine/engine.h"

enum {
	WHY_LINES = 16
};

struct why {
	char *line[WHY_LINES];
	size_t n; /* 0: there is nothing to say */
};

/* Needs the steps of the bug. Release it in any case. */
void why_of(struct why *w, struct scene *scene, enum engine_model model, const struct finding *bug);
void why_release(struct why *w);

/* Of a deadlock: does that thread hold nothing, and wait only for another one to end, which waits for something else? */
bool why_only_joins(const struct finding *bug, const struct side *side);

/* Likewise: the step by which a thread took the lock that this one waits for, if it has ended and not given it back; or NULL. */
const struct step *why_kept(const struct finding *bug, const struct side *side);

#endif
