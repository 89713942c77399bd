/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds.h - races that only rounds of loops are in which the redundant-round rule leaves out
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_ROUNDS_H
#define HEDDLE_PRELOAD_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/op.h"

#pragma GCC visibility push(hidden)

enum {
	TOUCHES = 256, /* plain accesses in a window */
	ROUND_FILTER = 1024
};
#define ROUND_SEVERAL 1ul /* no granule */

/* A plain access in the window of a thread. */
struct touch {
	uint64_t addr;
	uint32_t size;
	uint16_t behind; /* how many operations of the window came before it */
	bool write;
};

/*
 * What was accessed in this worker's executions since the search began: by a hash of the granule, threads behind which others have read, or written, it, in
 * po u rf and not in hb. In its state, which outlives children.
 */
struct round_filters {
	uint64_t starts; /* of which search */
	uint32_t taken;  /* facts that were looked at */
	uint64_t read[ROUND_FILTER], written[ROUND_FILTER];
	/* What anybody accessed atomically: a granule, ROUND_SEVERAL, or 0; and which bytes. */
	uint64_t located[ROUND_FILTER];
	uint8_t located_bytes[ROUND_FILTER];
};
extern struct round_filters *rounds_filters;

struct await;

/* Before each execution. */
void rounds_begin(void);
/* Likewise, and behind the last one: takes the notes of other workers, and asks whether what this one did conflicts with them. */
void rounds_look_back(void);

/*
 * May the operations of the calling fiber's window from number `from` up to, without, number `to`, and what it did
 * behind each, be left out? The operation at `from` is done all the same, once. Notes what is left out if so.
 * What was done behind `to`, before number `end`, goes as well, but for what the last run from `from` did again.
 */
bool rounds_may_go(const struct await *a, uint32_t from, uint32_t to, uint32_t end);
/* A run from an earlier operation begins, and does a plain access. */
void rounds_run_begins(void);
void rounds_again(uint64_t addr, uint64_t size, bool write);

/* Part of what decides about that, as a hash. */
uint64_t rounds_hash(const struct await *a);

/* Does this model need it? A plain access happens, of a thread with a window. */
extern bool rounds_counted;
void rounds_touch(uint64_t addr, uint64_t size, bool write);

static inline uint32_t rounds_slot(uint64_t addr)
{
	return (uint32_t)((addr >> 3) * 0x9e3779b97f4a7c15ul >> 54);
}

/* Is there anything in po u rf that is not in hb, in this model? Kept up to date by rounds_new_event(). */
extern bool rounds_weak;
void rounds_new_event(void);

extern bool rounds_watched; /* is anything left out? */
/* If so (rounds_weak): the running thread's first plain access to this since its last operation, or one among others. */
void rounds_access(uint64_t addr, uint64_t size, bool write);
/* The first atomic access of an execution to this. */
void rounds_location(uint64_t addr, uint64_t size);
/* engine_config.behind_rounds */
struct memo_touch;
bool rounds_are_before(void *ctx, const struct memo_touch *touch, uint32_t tid,
		       const uint32_t *clock, const uint32_t *porf);
/*
 * A thread arrives at op, where it may wait: are the looks in vain to be done? True if so; leaves the
 * execution when that has just been found out.
 */
bool rounds_look(const struct op *op);
/* The running thread writes plainly to, or frees, memory with atomic locations in it. */
void rounds_write_atomic(uint64_t addr, uint64_t size);

#pragma GCC visibility pop

#endif
