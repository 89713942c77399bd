/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kinds.c - which operations are explored by values, and why others are not (value.txt, M5)
 */
#include "engine/value/nodes.h"
#include "engine/value/queues.h"

bool value_is_queue(uint8_t kind)
{
	return kind == OP_COND_BEGIN || kind == OP_COND_SIGNAL || kind == OP_COND_BROADCAST ||
	       kind == OP_COND_LEAVE || queue_kind(kind);
}

/* What it cannot do yet is explored by reads-from. */
bool value_knows(const struct op *op)
{
	switch (op->kind) {
	case OP_LOAD:
	case OP_STORE:
	case OP_RMW:
	case OP_CAS:
	case OP_FENCE:
	case OP_CREATE:
	case OP_START:
	case OP_END:
	case OP_JOIN:
	case OP_EXIT:
	case OP_LOCK:
	case OP_TRYLOCK:
	case OP_UNLOCK:
	case OP_ONCE_ENTER:
	case OP_ONCE_DONE:
	case OP_SEM_TRYWAIT:
	case OP_SEM_POST:
	case OP_RDLOCK:
	case OP_TRYRDLOCK:
	case OP_WRLOCK:
	case OP_TRYWRLOCK:
	case OP_RWUNLOCK:
	case OP_RW_ASK:
	case OP_BARRIER_ARRIVE:
	case OP_BARRIER_PASS:
	case OP_COND_BEGIN:
	case OP_COND_SIGNAL:
	case OP_COND_BROADCAST:
	case OP_COND_LEAVE:
	case OP_FUTEX_LOOK:
	case OP_FUTEX_WAIT:
	case OP_FUTEX_WAKE:
		return !op->peer || op->kind > OP_FENCE;
	case OP_SEM_WAIT:
	case OP_COND_WOKEN:
		return !op->arg.hi; /* it is not called off */
	case OP_CHOOSE:
		return op->fn != CHOOSE_ENDS;
	default:
		return false;
	}
}

/* The operation is not explored by values. */
const char *value_why_unknown(const struct op *op)
{
	switch (op->kind) {
	case OP_SEM_WAIT:
	case OP_COND_WOKEN:
		return "a wait may be called off, as a thread is cancelled or a signal comes";
	case OP_FUTEX_LOOK:
	case OP_FUTEX_WAIT:
	case OP_FUTEX_WAKE:
		return "a futex is used in a way of its own";
	case OP_CHOOSE:
		return "a call may end in more than one way";
	default:
		return op->kind > OP_FENCE
			       ? "pipes, files, signals or calls that move threads on a futex synchronise threads"
			       : "operations are made for another one";
	}
}

bool value_counts_anew(const struct graph *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		for (uint32_t p = g->ev[i].kind == OP_BARRIER_ARRIVE ? g->locs[g->ev[i].loc].last
								     : NO_POS;
		     p != NO_POS; p = g->ev[p].prev_at_loc)
			if ((g->ev[p].flags & EV_WRITE) && !is_rmw_write(&g->ev[p]))
				return true;
	return false;
}
