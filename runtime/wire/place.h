/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * place.h - where an address lies, in terms that do not change from run to run
 */
#ifndef HEDDLE_WIRE_PLACE_H
#define HEDDLE_WIRE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

enum place_kind {
	PLACE_UNKNOWN,
	PLACE_GLOBAL,
	PLACE_HEAP,
	PLACE_STACK,
	PLACE_THREAD, /* no address: a thread; which a signal interrupts, if there is one */
	PLACE_MAPPED
};
struct place {
	uint8_t kind;
	uint32_t module; /* PLACE_GLOBAL: index into modules */
	uint32_t thread; /* PLACE_HEAP: allocating thread; PLACE_STACK: whose; PLACE_THREAD;
			  * PLACE_MAPPED: the one that mapped it */
	uint32_t count;  /* PLACE_HEAP, PLACE_MAPPED: rank among that thread's, from 0;
			  * PLACE_THREAD: the signal, or 0 */
	uint64_t size;   /* PLACE_HEAP, PLACE_MAPPED: of all of it */
	uint64_t
		offset; /* from the module's load base, the block or mapping, or the stack's top (down) */
};

/* The same byte of the same thing, in any run. */
static inline bool place_eq(const struct place *a, const struct place *b)
{
	return a->kind == b->kind && a->module == b->module && a->thread == b->thread &&
	       a->count == b->count && a->offset == b->offset;
}

#endif
