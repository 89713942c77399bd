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
#include "preload/core/touch.h"
#include "preload/facts/facts.h"
#include "preload/facts/memo.h"
#include "preload/fiber/fiber.h"
#include "preload/memory/access.h"
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
	uint64_t tried;        /* by whom in probes */
	uint32_t shared;       /* 1 + its number for the engine; 0: it is not */
	uint8_t plain, atomic; /* bytes that were accessed so */
	uint8_t object;        /* bytes by which an object of a library is known (shadow_use()) */
} * granules;
KEPT(granules);
static uint32_t ngranules, nshared, ntold; /* of ntold the engine knows what they hold at first */
static uint64_t *shared_at;                /* which granules these are */
KEPT(shared_at);
KEPT(ngranules);
KEPT(nshared);
KEPT(ntold);

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
	*g = (struct memo_granule){ .key = key };
	return g;
}

/* What it holds now; what cannot be read may be there in other executions only, or the program's access is about to fault. */
static uint64_t held(uint64_t granule)
{
	uint64_t value = 0;

	if (copy_safely(&value, (const void *)granule, sizeof(value)))
		engine_forget(engine, "it accesses memory that is not there");
	return value;
}

/* An execution begins, with what the granules hold now. */
static void tell_initial(void)
{
	for (; memo_is_in_use() && ntold < nshared; ntold++)
		engine_holds(engine, ntold, held(shared_at[ntold]));
}

/* ---- What the running thread has done since its latest operation ---------------------------------- */

static struct memo_touch touched[TOUCHED];
static uint64_t touched_at[TOUCHED]; /* the granules */
static uint32_t ntouched, touched_by,
	touched_behind; /* by which thread, when it had so many events */
KEPT(touched);
KEPT(touched_at);

static void memo_shared_begin(void)
{
	ntouched = touched_by = touched_behind = 0;
	tell_initial();
}

AT_BEGIN(memo_shared_begin);

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
		.value = held(granule) & bytes_of(mask),
	};
}

void memo_arrives(const struct op *op)
{
	const uint32_t n = is_of_stretch() ? ntouched : 0;

	for (uint32_t i = 0; i < n; i++)
		if (touched[i].is_write)
			touched[i].value = held(touched_at[i]) & bytes_of(touched[i].mask);
	engine_touches(engine, touched, n);
	if (engine_known(engine, current->tid))
		engine_learns(engine, current->tid, op);
}

/* ---- Who shares memory ------------------------------------------------------------------------------ */

/*
 * Is it memory of another thread, its stack or a block that it has allocated in this execution? Not all that is written there is told: a
 * caller puts arguments on its stack, and a library fills a block.
 */
static bool is_of_another(uint64_t granule)
{
	struct heap_block block;
	struct place p;

	if (heap_covers(granule))
		return !heap_early(granule) &&
		       (!heap_block_of(granule, &block) || block.thread != current->tid);
	return !on_own_stack(granule) && place_on_stack(granule, &p) && p.thread != current->tid;
}

/* Its accesses are told from the next execution on. */
static void share(struct memo_granule *g, uint64_t granule)
{
	if (nshared == MEMO_SHARED || !engine_shares(engine, nshared)) {
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

/* Objects of libraries change in ways that nobody announces, and whoever writes one anew does no operation. */
static bool is_object(struct memo_granule *g, uint8_t mask, const struct access *access)
{
	if (access->is_object)
		g->object |= mask;
	else
		g->plain |= mask;
	if (g->plain & g->object)
		memo_give_up("mutexes are written to");
	return access->is_object;
}

/* What one thread reads when it is run again is no part of what it has read, so nobody else is to write there. */
static void keep_apart(const struct memo_granule *g)
{
	const uint64_t all = g->tried | g->writers;

	if (g->tried && g->writers && ((all - 1) & all))
		memo_give_up("rounds of loops may read what others write");
}

static void plain_granule(uint64_t granule, uint8_t mask, const struct access *access)
{
	const bool is_write = access->is_write;
	const uint64_t me = (uint64_t)1 << current->tid;
	struct memo_granule *g = granule_at(granule);
	uint64_t all;

	if (!g)
		return;
	if (is_of_another(granule)) {
		memo_give_up("threads access stacks of others, or memory that others allocate");
		return;
	}
	if (is_object(g, mask, access))
		return;
	*(is_write ? &g->writers : &g->readers) |= me;
	keep_apart(g);
	all = g->readers | g->writers;
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

void memo_plain(const struct access *access)
{
	const uint64_t end = access->addr + access->size;

	if (current->tid >= HEDDLE_EXPLORED_THREADS || access->size > LARGEST) {
		memo_give_up("a plain access is large");
		return;
	}
	for (uint64_t a = access->addr & ~7ul; memo_watched && a < end; a += 8)
		plain_granule(a, race_bytes(a, access->addr, end), access);
}

void memo_tries(const struct access *access)
{
	const uint64_t end = access->addr + access->size;

	for (uint64_t a = access->addr & ~7ul; memo_watched && a < end; a += 8) {
		struct memo_granule *g = granule_at(a);

		if (!g)
			return;
		g->tried |= (uint64_t)1 << current->tid;
		if (is_of_another(a))
			memo_give_up("rounds of loops may read what others write");
		keep_apart(g);
	}
}

/*
 * Who accesses it behind that finds a bug, and need not know that it was freed. A block that a thread allocates is its own (is_of_another()).
 */
void memo_frees(uint64_t addr)
{
	if (heap_early(addr) && !engine_by_itself(engine, current->tid, current->clock))
		memo_give_up("memory that was there before is freed beside other threads");
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

/* Who joins a thread that another one has joined finds a bug, and need not know of the other one. */
static void join(uint32_t tid)
{
	static uint32_t by[HEDDLE_MAX_THREADS]; /* 1 + who did, in any execution */
	KEPT(by);

	if (by[tid] && by[tid] != current->tid + 1)
		memo_give_up("threads are joined by several ones");
	by[tid] = current->tid + 1;
}

void memo_op(const struct op *op)
{
	struct place p;

	if (!is_known(op)) {
		memo_give_up(op_kind_name(op->kind));
		return;
	}
	if (op->kind == OP_JOIN)
		join(op->peer);
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
