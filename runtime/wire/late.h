/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * late.h - what modules are called that executions load, behind the root point
 *
 * A module is named by a number (place.h). Those that are there at the root point have the numbers
 * of the dynamic linker's list, which is the same in each process. Threads load others in any order, or
 * not at all, so these get the next free number when any process of the search loads them first, and
 * all processes read it here; a replay is given those of its trace. (Their addresses are what the
 * system had free then, and may be others in each execution.)
 */
#ifndef HEDDLE_WIRE_LATE_H
#define HEDDLE_WIRE_LATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	LATE_MODULES = 128, /* numbers of modules: those of the root point are not used here */
	LATE_PATH = 512
};

enum late_state {
	LATE_FREE,
	LATE_TAKEN, /* its path is being written, or who wrote it has died */
	LATE_THERE
};

struct late_modules {
	struct {
		_Atomic uint32_t state;
		char path[LATE_PATH];
	} at[LATE_MODULES];
};

static inline bool late_is_there(const struct late_modules *l, uint32_t i)
{
	/* acquire: partner is the release in late_put() */
	return atomic_load_explicit(&l->at[i].state, memory_order_acquire) == LATE_THERE;
}

/* Writes the path of number i, if that is free. */
static inline bool late_put(struct late_modules *l, uint32_t i, const char *path)
{
	uint32_t state = LATE_FREE;

	/* relaxed: to each its own; the path is released below */
	if (!atomic_compare_exchange_strong_explicit(&l->at[i].state, &state, LATE_TAKEN,
						     memory_order_relaxed, memory_order_relaxed))
		return false;
	for (uint32_t k = 0; k < LATE_PATH - 1 && path[k]; k++)
		l->at[i].path[k] = path[k];
	atomic_store_explicit(&l->at[i].state, LATE_THERE, memory_order_release);
	return true;
}

/* The number of a module, from `from` up; LATE_MODULES: there is none left. */
static inline uint32_t late_number(struct late_modules *l, uint32_t from, const char *path)
{
	for (uint32_t i = from; i < LATE_MODULES; i++) {
		if (late_put(l, i, path))
			return i;
		/* Another worker may be writing it: soon it is there, or that one has died. */
		for (int n = 0; n < 1000000 && !late_is_there(l, i); n++)
			__asm__ volatile("pause");
		if (late_is_there(l, i) && !strncmp(l->at[i].path, path, LATE_PATH - 1))
			return i;
	}
	return LATE_MODULES;
}

/* To other processes. */
static inline void late_copy(struct late_modules *to, const struct late_modules *from)
{
	for (uint32_t i = 0; i < LATE_MODULES; i++)
		if (late_is_there(from, i))
			late_put(to, i, from->at[i].path);
}

#endif
