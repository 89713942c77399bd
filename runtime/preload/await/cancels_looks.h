/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cancels_looks.h - threads whose read-modify-writes cancel out: what is kept of each
 *
 * Internal to runtime/preload: cancels.c, cancels_pieces.c, cancels_open.c and together.c.
 */
#ifndef HEDDLE_PRELOAD_CANCELS_LOOKS_H
#define HEDDLE_PRELOAD_CANCELS_LOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "preload/core/context.h"
#include "preload/liveness/stretch.h"
#include "wire/op.h"

enum {
	LOOKS = 128, /* of a thread in an execution; beyond them it goes on */
	PIECE = 64,  /* read-modify-writes in a row */
	PLACES = 4   /* where it may go round */
};

/* A thread at a read-modify-write. */
struct look {
	uint64_t hash[2];
	struct op op;
	uint32_t event; /* its number in the thread */
	bool goes_on; /* it comes right behind the look before, and nothing was written in between, */
	bool quiet;   /* or read */
	uint32_t rank; /* how many looks come before it like that, */
	uint32_t ops;  /* and operations */
	uint64_t sum;  /* what these have added, */
	bool mixed;    /* if they did not do something else, and this one, too */
	bool ignored;  /* the program does not look at what it finds */
	bool began;    /* that is not so of all of them; */
	uint64_t open; /* what they have added since the first one that is looked at */
	uint64_t
		minds; /* set of threads: it would do something else without what they have added, and not taken back */
};

struct place_rounds {
	uint64_t pc, sum;
	uint32_t times;
};

struct cancels {
	uint64_t addr; /* of its last operation, if current->cancels */
	uint64_t
		behind; /* of its last read-modify-write, if only loads of that came behind it; or 0 */
	uint64_t added; /* by its last read-modify-write */
	uint64_t sum;   /* by all in a row, */
	bool mixed;     /* if they added, */
	bool looked;    /* and it has loaded what is there in between */
	bool open;      /* `ahead` is about its last operation, and not all of it is told */
	bool quiet; /* nothing was read or written between that read-modify-write and this one */
	struct frames ahead;
	uint32_t event,
		ops; /* of its last operation: its number; how many came before it in the row */
	uint32_t n, run, next;
	struct place_rounds place[PLACES];
	struct op stuck;
	struct look look[LOOKS];
};

#pragma GCC visibility push(hidden)

extern struct cancels cancels_of[HEDDLE_MAX_THREADS];
/* Some read does not synchronise with its write. */
extern bool cancels_strict;

/* The thread's look at that event, or NULL. */
static inline const struct look *look_at(uint32_t tid, uint32_t event)
{
	const struct cancels *c = &cancels_of[tid];

	for (uint32_t i = c->n; i-- > 0;)
		if (c->look[i].event == event)
			return &c->look[i];
	return NULL;
}

/* Those of a value of so many bytes. */
static inline uint64_t bits_of(uint32_t size)
{
	return size < 8 ? ((uint64_t)1 << size * 8) - 1 : UINT64_MAX;
}

static inline bool is_sum(const struct op *op)
{
	return op->fn == RMW_ADD || op->fn == RMW_SUB;
}

bool cancels_same(const struct look *a, const struct look *b);

/* ---- cancels_pieces.c ---- */

/*
 * How many of the calling thread's looks up to the last one, x, which is at its next operation, are in the shortest piece behind
 * which it stands that did nothing; 0: there is none. (E)
 */
uint32_t cancels_find_piece(const struct look *x);
/* The same of a piece of which only this thread's are left out. looks: its location is one that is looked at. (F) */
uint32_t cancels_find_own(const struct look *x, bool looks);

/* ---- cancels_open.c ---- */

/*
 * The calling thread has done op, its event of that number, in whose hook it is, and found `read`. The threads without
 * whose rounds, which they are in there, it would do something else. (F)
 */
uint64_t cancels_minds(const struct op *op, struct value read, uint32_t event);

#pragma GCC visibility pop

#endif
