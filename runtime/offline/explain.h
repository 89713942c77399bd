/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explain.h - for people: why no modification order will do, after a search found none
 */
#ifndef HEDDLE_OFFLINE_EXPLAIN_H
#define HEDDLE_OFFLINE_EXPLAIN_H

#include "offline/check.h"

/* What decides the order of two writes and sees what follows. */
struct decider {
	void *self;
	uint32_t tries; /* how many may be made */
	/* The next pair of writes of one location that are not ordered yet; false: no more. */
	bool (*open)(void *self, uint32_t *a, uint32_t *b);
	void (*rewind)(void *self);
	/*
	 * Puts a before b for this reason (REASON_REFUTED: by that case). False: refuted, and v
	 * has one more case.
	 */
	bool (*put)(void *self, uint32_t a, uint32_t b, enum reason_kind kind, uint32_t by,
		    struct verdict *v);
	/* Takes the last put back. */
	void (*undo)(void *self);
	/* Forgets every put, and decides all: refuted, and v has one more case. */
	void (*put_all)(void *self, struct verdict *v);
};

/* Cases of v: a proof if one is found by trying single pairs, or one order that fails. */
void explain(const struct decider *d, struct verdict *v);

#endif
