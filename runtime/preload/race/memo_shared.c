/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo_shared.c - see memo_shared.h
 *
 * Cost: a probe of a table for each plain access that is the first of its kind since its thread's last operation, while it is watched.
 */
#include "preload/race/memo_shared.h"

#include "base/table.h"
#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/core/lifecycle.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/facts/facts.h"
#include "preload/facts/memo.h"
#include "preload/fiber/fiber.h"
#include "preload/memory/heap.h"
#include "preload/memory/place.h"
#include "preload/race/race.h"

enum {
	BITS = 16,
	LARGEST = 1 << 16, /* access */
	MEMO_SHARED = 1 << 10,
	TOUCHED = 64 /* parts of granules, between two operations */
};

/* Who has accessed a granule, in any execution. */
static struct memo_granule {
	uint64_t key; /* the granule, and 1; 0: free */
	uint64_t readers, writers;
	uint64_t initial;      /* what it held before anybody accessed it */
	uint32_t shared;       /* 1 + its number for the engine; 0: it is not */
	uint8_t plain, atomic; /* bytes that were accessed so */
} * granules;
KEPT(granules);
static uint32_t ngranules, nshared;
static uint64_t *shared_at; /* which granules these are */
KEPT(shared_at);
KEPT(ngranules);
KEPT(nshared);

/* Bytes of a granule, each all ones or zero. */
static uint64_t bytes_of(uint8_t mask)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < 8; i++)
		if (mask >> i & 1)
			bytes |= (uint64_t)0xff << 8 * i;
	return bytes;
}

static struct memo_granule *granule_at(uint64_t granule)
{
	const uint64_t key = granule | 1;
	struct memo_granule *g;

	if (!granules)
		granules = map_own(sizeof(*granules) << BITS);
	TABLE_FIND(g, granules, BITS, table_hash(key), !g->key || g->key == key);
	if (g->key)
		return g;
	if (table_full(ngranules, BITS)) {
		memo_give_up("it accesses too much memory plainly");
		return NULL;
	}
	ngranules++;
	*g = (struct memo_granule){ .key = key, .initial = *(const uint64_t *)granule };
	return g;
}

/* Who allocated it, in this execution, is taken for one who writes it. */
static uint64_t allocator(uint64_t granule)
{
	struct heap_birth birth;

	if (!heap_covers(granule) || !heap_birth(granule, &birth))
		return 0;
	return (uint64_t)1 << birth.tid;
}

/* ---- What the running thread has done since its latest operation ---------------------------------- */

static struct memo_touch touched[TOUCHED];
static uint64_t touched_at[TOUCHED]; /* the granules */
static uint32_t ntouched, touched_by,
	touched_behind; /* by which thread, when it had so many events */
KEPT(touched);
KEPT(touched_at);

static void forget_touched(void)
{
	ntouched = touched_by = touched_behind = 0;
}

AT_BEGIN(forget_touched);

static bool is_of_stretch(void)
{
	return touched_by == current->tid && touched_behind == engine_done(engine, current->tid);
}

static void note(const struct memo_granule *g, uint64_t granule, uint8_t mask, bool is_write)
{
	uint8_t done = 0;

	if (!is_of_stretch())
		ntouched = 0;
	touched_by = current->tid;
	touched_behind = engine_done(engine, current->tid);
	for (uint32_t i = 0; i < ntouched; i++) {
		struct memo_touch *t = &touched[i];

		if (touched_at[i] != granule)
			continue;
		if (is_write && t->is_write) {
			t->mask |= mask;
			return;
		}
		done |= t->mask;
	}
	if (!is_write)
		mask &= (uint8_t)~done; /* of the others it is known what it finds */
	if (!mask)
		return;
	if (ntouched == TOUCHED) {
		memo_give_up("a thread accesses too much memory that is shared");
		return;
	}
	touched_at[ntouched] = granule;
	touched[ntouched++] = (struct memo_touch){
		.granule = g->shared - 1,
		.mask = mask,
		.is_write = is_write,
		.value = *(const uint64_t *)granule & bytes_of(mask),
	};
}

void memo_arrives(const struct op *op)
{
	const uint32_t n = is_of_stretch() ? ntouched : 0;

	for (uint32_t i = 0; i < n; i++)
		if (touched[i].is_write)
			touched[i].value =
				*(const uint64_t *)touched_at[i] & bytes_of(touched[i].mask);
	engine_touches(engine, touched, n);
	if (engine_known(engine, current->tid))
		engine_learns(engine, current->tid, op);
}

/* ---- Who shares memory ------------------------------------------------------------------------------ */

/* Its accesses are told from the next execution on. */
static void share(struct memo_granule *g, uint64_t granule)
{
	if (heap_covers(granule) && !heap_early(granule)) {
		memo_give_up("threads share memory that they allocate");
		return;
	}
	if (nshared == MEMO_SHARED || !engine_shares(engine, nshared, g->initial)) {
		memo_give_up("threads share too much memory that they write plainly");
		return;
	}
	if (!shared_at)
		shared_at = map_own(MEMO_SHARED * sizeof(*shared_at));
	shared_at[nshared] = granule;
	g->shared = ++nshared;
}

bool memo_shares(bool (*is_one)(uint64_t granule))
{
	for (uint32_t i = 0; i < nshared; i++)
		if (is_one(shared_at[i]))
			return true;
	return false;
}

static void plain_granule(uint64_t granule, uint8_t mask, bool is_write)
{
	const uint64_t me = (uint64_t)1 << current->tid;
	struct memo_granule *g = granule_at(granule);
	uint64_t all;

	if (!g)
		return;
	*(is_write ? &g->writers : &g->readers) |= me;
	g->writers |= allocator(granule);
	all = g->readers | g->writers;
	g->plain |= mask;
	if (g->plain & g->atomic) {
		memo_give_up("an atomic location is accessed plainly, too");
		return;
	}
	if (!g->shared && g->writers && ((all - 1) & all))
		share(g, granule);
	if (!g->shared || !memo_watched)
		return;
	/* Compilers announce no read that a write of the same follows. */
	note(g, granule, mask, false);
	if (is_write)
		note(g, granule, mask, true);
}

void memo_plain(uint64_t addr, uint64_t size, bool is_write)
{
	if (current->tid >= HEDDLE_EXPLORED_THREADS || size > LARGEST) {
		memo_give_up("a plain access is large");
		return;
	}
	for (uint64_t a = addr & ~7ul; memo_watched && a < addr + size; a += 8)
		plain_granule(a, race_bytes(a, addr, addr + size), is_write);
}

/* Is what the operation answers, and what its hook does besides, a matter of what it reads? */
static bool is_known(const struct op *op)
{
	switch (op->kind) {
	case OP_LOAD:
		return !op->fn && !op->peer && op->order != ORDER_NA;
	case OP_STORE:
		return !op->peer && op->order != ORDER_NA;
	case OP_RMW:
	case OP_CAS:
		return !op->peer;
	case OP_LOCK:
	case OP_TRYLOCK:
	case OP_UNLOCK:
	case OP_FENCE:
	case OP_CREATE:
	case OP_START:
	case OP_END:
	case OP_EXIT:
	case OP_STUCK:
		return true;
	case OP_JOIN:
		return !op->arg.hi;
	default:
		return false;
	}
}

void memo_op(const struct op *op)
{
	struct place p;

	if (!is_known(op)) {
		memo_give_up(op_kind_name(op->kind));
		return;
	}
	if (!op->addr)
		return;
	if ((heap_covers(op->addr) && !heap_early(op->addr)) || place_on_stack(op->addr, &p)) {
		memo_give_up("atomic locations are in memory that threads allocate");
		return;
	}
	for (uint64_t a = op->addr & ~7ul; memo_watched && a < op->addr + op->size; a += 8) {
		struct memo_granule *g = granule_at(a);

		if (!g)
			return;
		g->atomic |= race_bytes(a, op->addr, op->addr + op->size);
		if (g->plain & g->atomic)
			memo_give_up("an atomic location is accessed plainly, too");
	}
}
