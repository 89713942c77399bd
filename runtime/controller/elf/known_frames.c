/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * known_frames.c - see known_frames.h
 *
 * A trace of 100,000 operations comes from a few hundred places. To find the scopes of one reads the DWARF of its whole unit: 1.6 ms
 * in an allocator that is one unit.
 */
#include "config.h"

#include "controller/elf/known_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"

enum {
	MOST = 1 << 16 /* a trace may have been made to have another place in each step */
};

struct known_pc {
	struct frame *frames; /* NULL: free */
	size_t n;
	uint64_t pc;
};

static struct known_pc *slot_of(struct known_pc *slots, uint32_t bits, uint64_t pc)
{
	struct known_pc *s;

	TABLE_FIND(s, slots, bits, table_hash(pc), !s->frames || s->pc == pc);
	return s;
}

const struct frame *known_frames_find(const struct known_frames *k, uint64_t pc, size_t *n)
{
	const struct known_pc *s = k->bits ? slot_of(k->slot, k->bits, pc) : NULL;

	if (!s || !s->frames)
		return NULL;
	*n = s->n;
	return s->frames;
}

static bool widen(struct known_frames *k)
{
	uint32_t bits = table_wider(k->bits, 8);
	struct known_pc *slots = calloc(table_slots(bits), sizeof(*slots));

	if (!slots)
		return false;
	for (uint64_t i = 0; i < table_slots(k->bits); i++)
		if (k->slot[i].frames)
			*slot_of(slots, bits, k->slot[i].pc) = k->slot[i];
	free(k->slot);
	k->slot = slots;
	k->bits = bits;
	return true;
}

void known_frames_add(struct known_frames *k, uint64_t pc, const struct frame *frames, size_t n)
{
	struct known_pc *s;

	if (k->n == MOST || (table_full(k->n, k->bits) && !widen(k)))
		return;
	s = slot_of(k->slot, k->bits, pc);
	s->frames = malloc(n * sizeof(*frames));
	if (!s->frames)
		return;
	memcpy(s->frames, frames, n * sizeof(*frames));
	s->n = n;
	s->pc = pc;
	k->n++;
}

void known_frames_release(struct known_frames *k)
{
	for (uint64_t i = 0; i < table_slots(k->bits); i++)
		free(k->slot[i].frames);
	free(k->slot);
	memset(k, 0, sizeof(*k));
}
