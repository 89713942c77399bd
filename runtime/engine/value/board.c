/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * board.c - see board.h
 *
 * Names are taken with one instruction, so an engine that is gone has taken it or not.
 */
#include "engine/value/board.h"

#include "base/table.h"

/* ---- Vectors --------------------------------------------------------------------------------------- */

void board_begin(struct value_board *b)
{
	/* relaxed: nobody else has begun */
	atomic_fetch_add_explicit(&b->begun, 1, memory_order_relaxed);
	atomic_store_explicit(&b->forgets, 0, memory_order_relaxed);
}

/* If the slot is free, it has that name from now on. False: somebody was faster. */
static bool take_slot(struct board_name *slot, struct engine_id id)
{
	uint64_t a = 0, b = 0;
	bool ok;

	/* gcc would call libatomic, which need not be there. */
	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(ok), "+m"(*slot), "+a"(a), "+d"(b)
			 : "b"(id.a), "c"(id.b)
			 : "memory");
	return ok;
}

enum claim board_claim(struct value_board *b, struct engine_id id)
{
	const uint64_t begun = atomic_load_explicit(&b->begun, memory_order_relaxed);
	const uint64_t most =
		b->most && b->most < 1 << (BOARD_BITS - 1) ? b->most : 1 << (BOARD_BITS - 1);

	id.a = table_mix(id.a, begun) | 1; /* no name is 0 */
	for (uint64_t at = table_first(id.a, BOARD_BITS);; at = table_next(at, BOARD_BITS)) {
		struct board_name *slot = &b->name[at];
		uint64_t a = atomic_load_explicit(&slot->a, memory_order_relaxed);

		if (!a && atomic_load_explicit(&b->nnames, memory_order_relaxed) >= most) {
			atomic_store_explicit(&b->forgets, 1, memory_order_relaxed);
			return CLAIM_NO_ROOM;
		}
		if (!a && take_slot(slot, id)) {
			atomic_fetch_add_explicit(&b->nnames, 1, memory_order_relaxed);
			return CLAIM_FIRST;
		}
		a = atomic_load_explicit(&slot->a, memory_order_relaxed);
		if (a == id.a && atomic_load_explicit(&slot->b, memory_order_relaxed) == id.b)
			return CLAIM_TAKEN;
	}
}

/* ---- Nodes ------------------------------------------------------------------------------------- */

static uint32_t free_join(struct value_board *b)
{
	for (uint32_t i = 0; i < BOARD_JOINS; i++) {
		uint64_t none = 0;

		/* acquire: whoever had it before has cleared it */
		if (!atomic_load_explicit(&b->join[i].left, memory_order_relaxed) &&
		    atomic_compare_exchange_strong_explicit(
			    &b->join[i].left, &none, 2, memory_order_acquire, memory_order_relaxed))
			return i + 1;
	}
	return 0;
}

bool board_share(struct value_board *b, struct value_node *node)
{
	if (!node->join)
		node->join = free_join(b);
	if (!node->join)
		return false;
	/* relaxed: this engine has not arrived yet, so it is not the last one */
	atomic_fetch_add_explicit(&b->join[node->join - 1].left, 1, memory_order_relaxed);
	return true;
}

void board_unshare(struct value_board *b, const struct value_node *node)
{
	atomic_fetch_sub_explicit(&b->join[node->join - 1].left, 1, memory_order_relaxed);
}

static void tell(const struct value_search *v, struct board_join *j)
{
	for (uint32_t i = 0; i < v->nnodes; i++)
		if (v->node[i].goes_on)
			atomic_fetch_or_explicit(&j->goes_on[i / 64], UINT64_C(1) << i % 64,
						 memory_order_relaxed);
}

/* Takes over what all have told, and nobody has the join any more. */
static void hear(struct value_search *v, struct board_join *j)
{
	for (uint32_t i = 0; i < v->nnodes; i++)
		v->node[i].goes_on |=
			atomic_load_explicit(&j->goes_on[i / 64], memory_order_relaxed) >> i % 64 &
			1;
	for (uint32_t i = 0; i < BOARD_DEPTH / 64; i++)
		atomic_store_explicit(&j->goes_on[i], 0, memory_order_relaxed);
	/* release: partner is the acquire in free_join() */
	atomic_store_explicit(&j->left, 0, memory_order_release);
}

bool board_arrive(struct engine *e)
{
	struct value_search *v = e->value;
	struct value_node *node = &v->node[v->nnodes - 1];
	struct board_join *j = &e->config.board->join[node->join - 1];

	must(v->nnodes <= BOARD_DEPTH);
	tell(v, j);
	/* acq_rel: the last one hears what the others have told */
	if (atomic_fetch_sub_explicit(&j->left, 1, memory_order_acq_rel) != 2)
		return false;
	node->join = 0;
	hear(v, j);
	return true;
}
