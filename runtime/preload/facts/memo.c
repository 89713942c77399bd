/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo.c - see memo.h
 *
 * Cost: a probe of a table for each plain access that is the first of its kind since its thread's last operation, while it is watched.
 */
#include "preload/facts/memo.h"

#include "base/table.h"
#include "engine/engine.h"
#include "preload/core/lifecycle.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/core/text.h"
#include "preload/facts/facts.h"
#include "preload/fiber/fiber.h"
#include "preload/image/unseen.h"
#include "preload/memory/heap.h"
#include "preload/memory/place.h"

enum {
	BITS = 16,
	LARGEST = 1 << 16 /* access */
};

bool memo_watched;

/* Who has accessed a granule, in any execution. */
static struct memo_granule {
	uint64_t key; /* the granule, and 1; 0: free */
	uint64_t readers, writers;
	bool is_atomic;
} *granules;
KEPT(granules);
static uint32_t ngranules;
KEPT(ngranules);

bool memo_is_asked(void)
{
	const struct shared_config *c = &shared->config;

	return c->mode == ENGINE_EXPLORE && c->equivalence != EQUIV_VALUE && c->workers < 2 &&
	       c->backend != BACKEND_FORK && !c->max_executions && !c->dump && !c->unroll &&
	       !c->replay_steps && !c->setting[SETTING_NO_MEMO] && !c->setting[SETTING_PLAIN] &&
	       !c->setting[SETTING_LEAKS] && !c->setting[SETTING_SPURIOUS_CAS];
}

bool memo_is_in_use(void)
{
	return memo_is_asked() && engine_remembers(engine);
}

static void memo_begin(void)
{
	memo_watched = memo_is_in_use();
	if (memo_watched && (unseen || unseen_partly))
		memo_give_up("not all of its code is instrumented");
	if (memo_watched && !granules)
		granules = map_own(sizeof(*granules) << BITS);
}

AT_BEGIN(memo_begin);

void memo_give_up(const char *why)
{
	if (!memo_watched)
		return;
	memo_watched = false;
	engine_forget(engine, why);
}

void memo_note(void)
{
	struct engine_memory m;
	struct text t;

	if (shared->note[0] || !engine_memory(engine, &m))
		return;
	t = text_in(shared->note, SHARED_TEXT);
	text_int(&t, (int64_t)m.made);
	text_str(&t, " executions were made without the program, ");
	text_int(&t, (int64_t)m.given_up);
	text_str(&t, " were begun so; ");
	text_int(&t, (int64_t)m.steps);
	text_str(&t, " steps of threads are known");
	if (!m.why)
		return;
	text_str(&t, "; then the program ran each time: ");
	text_str(&t, m.why);
}

static struct memo_granule *granule_at(uint64_t granule)
{
	const uint64_t key = granule | 1;
	struct memo_granule *g;

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

/* Who allocated it, in this execution, is taken for one who writes it. */
static uint64_t allocator(uint64_t granule)
{
	struct heap_birth birth;

	if (!heap_covers(granule) || !heap_birth(granule, &birth))
		return 0;
	return (uint64_t)1 << birth.tid;
}

void memo_plain(uint64_t addr, uint64_t size, bool is_write)
{
	const uint64_t me = (uint64_t)1 << current->tid;

	if (current->tid >= HEDDLE_EXPLORED_THREADS || size > LARGEST) {
		memo_give_up("a plain access is large");
		return;
	}
	for (uint64_t a = addr & ~7ul; memo_watched && a < addr + size; a += 8) {
		struct memo_granule *g = granule_at(a);

		if (!g)
			return;
		*(is_write ? &g->writers : &g->readers) |= me;
		g->writers |= allocator(a);
		if (g->is_atomic)
			memo_give_up("an atomic location is accessed plainly, too");
		else if ((g->writers & ~me) || ((g->writers & me) && (g->readers & ~me)))
			memo_give_up("threads share memory that they write plainly");
	}
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
	if (!op->size)
		return;
	if ((heap_covers(op->addr) && !heap_early(op->addr)) || place_on_stack(op->addr, &p)) {
		memo_give_up("atomic locations are in memory that threads allocate");
		return;
	}
	for (uint64_t a = op->addr & ~7ul; memo_watched && a < op->addr + op->size; a += 8) {
		struct memo_granule *g = granule_at(a);

		if (!g)
			return;
		g->is_atomic = true;
		if (g->readers | g->writers)
			memo_give_up("an atomic location is accessed plainly, too");
	}
}
