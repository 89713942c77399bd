/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * handed.c - see handed.h
 *
 * Between two of its operations the calling thread is the only one that runs. What it has written is looked at when it comes to the next one.
 */
#include "preload/race/handed.h"

#include <string.h>

#include "base/table.h"
#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/core/lifecycle.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/facts/explored_marks.h"
#include "preload/facts/memo.h"
#include "preload/fiber/fiber.h"
#include "preload/race/memo_seen.h"

enum {
	BITS = 16,
	MOST = 256, /* granules, and */
	BLOCKS = 64 /* blocks, between two operations */
};

/* Who has accessed the bytes of a granule, in any run. */
static struct bytes {
	uint64_t key;   /* the granule, and 1; 0: free */
	uint8_t by[8];  /* 1 + the thread that was first; 0: nobody */
	uint8_t others; /* those that another one has accessed, too; */
	uint8_t written;
	uint8_t counts; /* both */
} * table;
KEPT(table);
static uint32_t ntable;
KEPT(ntable);

static struct {
	uint64_t granule;
	uint8_t mask;
} written[MOST];
KEPT(written);
static uint32_t nwritten;
static struct {
	uint64_t addr, size;
} blocks[BLOCKS];
KEPT(blocks);
static uint32_t nblocks;
static uint64_t a, b; /* of what was done to blocks */
static bool is_too_much;
static uint32_t by, behind; /* by which thread, when it had so many events */

static void forget(uint32_t tid, uint32_t done)
{
	nwritten = nblocks = 0;
	is_too_much = false;
	a = b = 0;
	by = tid;
	behind = done;
}

static void begin(void)
{
	if (by != current->tid || behind != engine_done(engine, current->tid))
		forget(current->tid, engine_done(engine, current->tid));
}

static void handed_begin(void)
{
	forget(UINT32_MAX, 0);
}

AT_BEGIN(handed_begin);

static bool is_own(uint64_t addr)
{
	const struct fiber *f = fiber_self();

	return current->tid &&
	       (on_own_stack(addr) || (addr >= f->block_low && addr < f->block_high));
}

static struct bytes *bytes_at(uint64_t granule)
{
	const uint64_t key = granule | 1;
	struct bytes *g;

	if (!table)
		table = map_own(sizeof(*table) << BITS);
	TABLE_FIND(g, table, BITS, table_hash(key), !g->key || g->key == key);
	if (!g->key && table_full(ntable, BITS)) {
		memo_give_up("it accesses too much memory plainly");
		return NULL;
	}
	ntable += !g->key;
	g->key = key;
	return g;
}

static void meets(struct bytes *g, uint8_t mask, bool is_write)
{
	const uint8_t me = (uint8_t)(current->tid + 1);

	for (unsigned i = 0; i < 8; i++) {
		if (!(mask >> i & 1))
			continue;
		if (g->by[i] && g->by[i] != me)
			g->others |= (uint8_t)(1u << i);
		else
			g->by[i] = me;
	}
	if (is_write)
		g->written |= mask;
	if (g->written & g->others & ~g->counts) {
		g->counts = g->written & g->others;
		engine_shares_more(engine);
	}
}

static void note(uint64_t granule, uint8_t mask)
{
	begin();
	for (uint32_t i = 0; i < nwritten; i++)
		if (written[i].granule == granule) {
			written[i].mask |= mask;
			return;
		}
	if (nwritten == MOST) {
		is_too_much = true;
		return;
	}
	written[nwritten].granule = granule;
	written[nwritten++].mask = mask;
}

void handed_access(uint64_t granule, uint8_t mask, bool is_write)
{
	struct bytes *g;

	if (is_own(granule))
		return;
	g = bytes_at(granule);
	if (!g)
		return;
	meets(g, mask, is_write);
	/* What is an event nobody finds but by events. */
	mask &= g->counts & (uint8_t)~explored_bytes(granule);
	if (is_write && mask)
		note(granule, mask);
}

void handed_tries(uint64_t granule, uint8_t mask)
{
	struct bytes *g = bytes_at(granule);

	if (g)
		meets(g, mask, false);
}

static void add(uint64_t what)
{
	a = table_mix(a, what);
	b = table_mix(b + 1, what);
}

void handed_frees(uint64_t header)
{
	begin();
	add(header);
}

void handed_allocates(uint64_t addr, uint64_t size)
{
	begin();
	if (nblocks == BLOCKS) {
		is_too_much = true;
		return;
	}
	blocks[nblocks].addr = addr;
	blocks[nblocks++].size = size;
}

/* Who has allocated it may have filled it: what is there now. */
static void add_block(uint64_t addr, uint64_t size)
{
	add(addr);
	add(size);
	for (uint64_t at = 0; at < size; at += 8) {
		uint64_t held = 0;

		memcpy(&held, (const void *)(addr + at), size - at < 8 ? size - at : 8);
		add(held);
	}
}

void handed_tell(void)
{
	uint64_t held;

	begin();
	for (uint32_t i = 0; i < nblocks; i++)
		add_block(blocks[i].addr, blocks[i].size);
	for (uint32_t i = 0; i < nwritten; i++) {
		memcpy(&held, (const void *)written[i].granule, sizeof(held));
		add(written[i].granule);
		add(written[i].mask);
		add(held & memo_bytes_in(written[i].mask));
	}
	if (!is_too_much)
		engine_hands_over(engine, current->tid, a, b);
	by = UINT32_MAX;
}
