/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packet.h - parts of an exploration written down, to go from one engine to another (share.c, value/hand_over.c)
 *
 * Each item is aligned to 16 bytes. Locations stand there by address, with their initial values.
 */
#ifndef HEDDLE_ENGINE_EXPLORE_PACKET_H
#define HEDDLE_ENGINE_EXPLORE_PACKET_H

#include "engine/run/state.h"

struct writer {
	char *at, *end;
};

struct reader {
	const char *at, *end;
};

struct packed_location {
	uint64_t addr;
	uint32_t size;
	struct value initial;
};

/* Room for n bytes, or NULL. */
void *packet_put(struct writer *w, size_t n);
const void *packet_get(struct reader *r, size_t n);

/* Which of the n locations that are used so far this is; a new one is appended. number: of each location 1 + that, or 0. */
uint32_t packet_location(const struct graph *g, struct packed_location *locs, uint32_t *n,
			 uint32_t *number, uint32_t loc);
void packet_take_locations(struct graph *g, const struct packed_location *locs, uint32_t n);

/* Learns the names that others gave, so that there are at least n threads. */
void packet_learn_names(struct engine *e, uint32_t n);

#endif
