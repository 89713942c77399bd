/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapped.c - what the program has mapped for itself before the root point
 *
 * The kernel joins mappings that lie side by side, so /proc/self/maps does not tell what the
 * program asked for from what ld.so has, where the threads' control blocks are.
 *
 * Invariant: pieces do not overlap. Cost: a pass over them for each call. Those for which there
 * is no room, or which are small, are not known.
 */
#include "preload/image/mapped.h"

enum {
	PIECES = 1024,
	PAGE = 4096,
	LEAST = 16 * PAGE,
};

static struct {
	uint64_t start, end;
} piece[PIECES];
static uint32_t npieces;

static void add(uint64_t start, uint64_t end)
{
	if (start >= end || npieces == PIECES)
		return;
	piece[npieces].start = start;
	piece[npieces++].end = end;
}

void mapped_remove(uint64_t start, uint64_t size)
{
	uint64_t end = start + size;

	for (uint32_t i = npieces; i-- > 0;) {
		uint64_t from = piece[i].start, to = piece[i].end;

		if (from >= end || to <= start)
			continue;
		piece[i] = piece[--npieces];
		if (from < start)
			add(from, start);
		if (end < to)
			add(end, to);
	}
}

void mapped_add(uint64_t start, uint64_t size)
{
	uint64_t end = start + ((size + PAGE - 1) & ~(uint64_t)(PAGE - 1));

	mapped_remove(start, size);
	for (uint32_t i = 0; i < npieces; i++) /* allocators ask for one behind the other */
		if (piece[i].end == start || piece[i].start == end) {
			start = piece[i].start < start ? piece[i].start : start;
			end = piece[i].end > end ? piece[i].end : end;
			piece[i--] = piece[--npieces];
		}
	add(start, end);
}

bool mapped_at(uint64_t at, uint64_t *end)
{
	for (uint32_t i = 0; i < npieces; i++) {
		if (piece[i].end - piece[i].start < LEAST || piece[i].end <= at)
			continue;
		if (piece[i].start <= at) {
			*end = piece[i].end < *end ? piece[i].end : *end;
			return true;
		}
		*end = piece[i].start < *end ? piece[i].start : *end;
	}
	return false;
}
