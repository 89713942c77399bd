/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * why_story.h - an execution and its bug, as the parts of why.c tell it
 *
 * Internal to why*.c.
 */
#ifndef HEDDLE_CONTROLLER_WHY_STORY_H
#define HEDDLE_CONTROLLER_WHY_STORY_H

#include "controller/describe/why.h"
#include "offline/check.h"
#include "offline/execution.h"

struct story {
	struct why *why;
	struct scene *scene;
	const struct finding *bug;
	enum engine_model model;
	struct execution x;
	uint32_t *event; /* of each step, or EX_NONE */
};

/* Adds a line, if it is not there already: who looks again and again finds the same. */
__attribute__((format(printf, 2, 3))) void why_say(struct story *s, const char *format, ...);

/* The step of an event, or NULL. */
const struct step *why_step(const struct story *s, uint32_t event);

/* The step of a name, as reads have that of what they read from; NULL: there is none, as that is the initial write. */
const struct step *why_named(const struct story *s, int32_t tid, uint32_t index);

/* Does it read or write the program's own memory? NULL does not. */
bool why_accesses(const struct step *step);

/* "mp.c:9": where in the source, without the function. Returns out. */
enum {
	WHY_PLACE = 256
};
const char *why_at(struct story *s, uint64_t pc, char out[WHY_PLACE]);

/* Why no happens-before orders the two sides of a data race. */
void why_race(struct story *s);

/* Does the operation take a lock that is its thread's from then on? */
bool why_holds_by(const struct engine_step_record *r);

/* Which locks a side's thread holds there; and where it waits, if it does. */
void why_locks(struct story *s, const struct side *side);

/* A side that waits for a condition variable: the signal that it has missed, if there is one, and what would have kept it. */
void why_early_signal(struct story *s, const struct side *side);

/* Compare-exchanges that do not see that a pointer was another one in between. */
void why_aba(struct story *s);

/* Of a deadlock: where threads wait for one another's locks, that one order of these would exclude it. */
void why_lock_order(struct story *s);

/* Whether the memory model has to do with it. */
void why_model(struct story *s);

/* v: why sequential consistency does not have it. Which stronger orders would exclude it under the model, too; or nothing. */
void why_mend(struct story *s, const struct verdict *v);

#endif
