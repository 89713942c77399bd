/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write_log.h - plain writes, with what they overwrote, so that they can be undone
 *
 * Internal to runtime/preload: await.c, probe.c and rounds.c.
 */
#ifndef HEDDLE_PRELOAD_WRITE_LOG_H
#define HEDDLE_PRELOAD_WRITE_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum {
	LOG_WRITES = 256, /* of a window, */
	LOG_BYTES = 2048, /* and the bytes these overwrite */
	OWN_WRITES = 8
};

/* Writes of a probe to its thread's own stack, the latest OWN_WRITES of them. */
struct own_writes {
	uint32_t n;
	struct {
		uint64_t addr, size;
	} at[OWN_WRITES];
};

/* All zero: empty. */
struct write_log {
	uint32_t n, used;
	struct {
		uint64_t addr;
		uint32_t size, at; /* at: into the bytes */
		bool shows;        /* what an atomic location holds for the next instruction only */
	} write[LOG_WRITES];
	char old[LOG_BYTES];
};

#pragma GCC visibility push(hidden)

/* Appends a write about to happen; false when there is no room, or no memory. */
bool log_add(struct write_log *log, uint64_t addr, uint64_t size);
/* Is there, where entry i, of those from `from` on, or any of them wrote, what was there before? */
bool log_is_undone_at(const struct write_log *log, uint32_t from, uint32_t i);
bool log_is_undone(const struct write_log *log, uint32_t from);
/* Undoes (in reverse) the writes from entry `from` on. */
void log_undo(const struct write_log *log, uint32_t from);
/* Leaves the first n writes as they are: they are not to be undone any more. */
void log_forget(struct write_log *log, uint32_t n);
/*
 * The first n writes are only undone together, from now on: of those that are to the same place the first one stays.
 * Returns how many there are of them then.
 */
uint32_t log_fold(struct write_log *log, uint32_t n);
void own_add(struct own_writes *own, uint64_t addr, uint64_t size);
/* Has one of these written all of that? */
bool own_covers(const struct own_writes *own, uint64_t addr, uint64_t size);

#pragma GCC visibility pop

#endif
