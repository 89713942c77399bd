/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cancels_open.c - who sees the middle of a round, and would do something else without it: await.txt, F
 *
 * What a thread finds at a location is what all have added before in the row. If another thread is in a round there, and
 * that is left out, it finds less. So it is run ahead with both values (leads.c).
 *
 * A round is left out only if it adds up to 0 from one place in its thread's row to another where the thread has nothing
 * open. So what is missing is what the thread has open there, and a function of what is before the read.
 */
#include "preload/await/cancels_looks.h"

#include "preload/await/leads.h"
#include "preload/facts/facts.h"

/* What the thread has added, and not taken back, behind its read-modify-write of that number. */
static uint64_t open_behind(uint32_t tid, uint32_t event, const struct engine_rmw *rmw)
{
	const struct look *l = look_at(tid, event);

	/* It is in no round that is left out. */
	if (!l || l->mixed || !l->began || !engine_stays_at(engine, current->tid, tid, event))
		return 0;
	return (l->open + rmw->written.lo - rmw->read.lo) & bits_of(l->op.size);
}

/* A look in vain, which is left out in turn, is in no execution that matters; if none has to stay for its races. (F3) */
static bool is_in_vain(const struct op *op, struct value read)
{
	return op->kind == OP_LOAD && !fact_in_use(FACT_KEPT_ROUNDS) &&
	       !fact_in_use(FACT_LOOKED_AT) && leads_back(op, read);
}

static bool does_without(const struct op *op, struct value read, uint64_t open)
{
	return !open || leads_alike(op, read, value_of((read.lo - open) & bits_of(op->size))) ||
	       is_in_vain(op, read);
}

uint64_t cancels_minds(const struct op *op, struct value read, uint32_t event)
{
	uint64_t met = (uint64_t)1 << current->tid, minds = 0;
	uint32_t tid = current->tid, at = event;
	struct engine_rmw rmw;

	if (!engine_row_at(engine, tid, at, &tid, &at))
		return 0;
	/* A piece is no longer than that. */
	for (uint32_t n = 0; n < PIECE && engine_rmw(engine, tid, at, &rmw); n++) {
		uint64_t bit = (uint64_t)1 << tid;

		if (!(met & bit) && !does_without(op, read, open_behind(tid, at, &rmw)))
			minds |= bit;
		met |= bit;
		if (!rmw.has_before)
			break;
		tid = rmw.tid;
		at = rmw.index;
	}
	return minds;
}
