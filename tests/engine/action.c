/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * action.c - see action.h
 */
#include "engine/action.h"
#include "engine/script.h"

bool action_reads(const struct action *act)
{
	return act->op != OP_STORE && act->op != OP_FENCE && act->op != OP_UNLOCK &&
	       act->op != OP_CHOOSE;
}

bool action_is_library(const struct action *act)
{
	return act->op > OP_CAS && act->op != OP_FENCE;
}

bool action_is_futex(const struct action *act)
{
	return act->op >= OP_FUTEX_WAIT && act->op <= OP_FUTEX_REQUEUE;
}

bool action_is_set(const struct action *act)
{
	return act->op >= OP_READY_TAKE && act->op <= OP_READY_RELEASE;
}

bool action_is_void(const struct action *act)
{
	return (act->op == OP_COND_WOKEN && act->fn && act->n) ||
	       (act->op == OP_READY_TAKE && act->n) || act->op == OP_FUTEX_WAIT ||
	       act->op == OP_FUTEX_REQUEUE;
}

static unsigned sleep_of(int64_t state, int t)
{
	return (unsigned)(state >> (8 * t)) & 0xff;
}

uint64_t futex_sleepers(int64_t state)
{
	uint64_t set = 0;

	for (int t = 0; t < SCRIPT_THREADS; t++)
		set |= (uint64_t) !!sleep_of(state, t) << (t + 1);
	return set;
}

uint64_t futex_moved(int64_t before, int64_t after)
{
	uint64_t set = 0;

	for (int t = 0; t < SCRIPT_THREADS; t++)
		if (sleep_of(after, t) && sleep_of(after, t) != sleep_of(before, t))
			set |= (uint64_t)1 << (t + 1);
	return set;
}

/* Whom a futex operation takes out, and whom it moves. */
struct pick {
	unsigned wake, move;
};

static bool is_subset(unsigned a, unsigned b)
{
	return !(a & ~b);
}

/* As many as there are, at most n. */
static bool fills(unsigned a, unsigned b, unsigned n)
{
	unsigned most = (unsigned)__builtin_popcount(b);

	return is_subset(a, b) && (unsigned)__builtin_popcount(a) == (n < most ? n : most);
}

/* The choice of this rank; false if there is none. */
static bool futex_pick(const struct action *act, int64_t state, uint32_t rank, struct pick *p)
{
	unsigned all = 0, end = 1u << SCRIPT_THREADS;

	for (int t = 0; t < SCRIPT_THREADS; t++) {
		unsigned s = sleep_of(state, t);

		if (s && (s & 15) == act->word + 1u && (s >> 4 & act->bits))
			all |= 1u << t;
	}
	for (p->wake = 0; p->wake < end; p->wake++) {
		if (!fills(p->wake, all, act->n))
			continue;
		for (p->move = 0; p->move < end; p->move++)
			if (fills(p->move, all & ~p->wake, act->moves) && !rank--)
				return true;
	}
	return false;
}

static int64_t futex_after(const struct action *act, int64_t state, uint32_t choice)
{
	struct pick p = { 0 };

	futex_pick(act, state, choice, &p);
	for (int t = 0; t < SCRIPT_THREADS; t++) {
		if (p.wake >> t & 1)
			state &= ~((int64_t)0xff << (8 * t));
		if (p.move >> t & 1)
			state = (state & ~((int64_t)0x0f << (8 * t))) | (int64_t)(act->to + 1)
										<< (8 * t);
	}
	return state;
}

uint32_t action_choices(const struct action *act, int64_t v)
{
	if (act->op == OP_CHOOSE)
		return act->n;
	if (act->op == OP_COND_SIGNAL && v)
		return (uint32_t)__builtin_popcountll((uint64_t)v);
	if (act->op == OP_FUTEX_WAKE || act->op == OP_FUTEX_REQUEUE) {
		uint32_t n = 0;
		while (futex_pick(act, v, n, &(struct pick){ 0 }))
			n++;
		return n;
	}
	return 1;
}

bool action_has_choice(const struct action *act, int64_t v)
{
	return act->op == OP_COND_SIGNAL ? v != 0
					 : action_is_futex(act) && action_choices(act, v) > 1;
}

/* Takes the member of this rank out of a set. */
static int64_t without(int64_t set, uint32_t rank)
{
	for (int bit = 0; bit < 64; bit++)
		if (set >> bit & 1 && !rank--)
			return set & ~((int64_t)1 << bit);
	return set;
}

/* A pipe: how much is in it, and whether either side is closed for good (bits 62 and 63). */
static enum action_result apply_count(const struct action *act, int64_t v, int64_t *stored)
{
	int64_t held = v & 0xffff;
	bool closed = v >> 62 & 1, broken = v >> 63 & 1, tries = false;

	switch (act->op) {
	case OP_COUNT_TRYTAKE:
		tries = true;
		/* fallthrough */
	case OP_COUNT_TAKE:
		*stored = held > act->arg ? v - act->arg : v - held;
		return held ? ACT_READS_AND_WRITES : tries || closed ? ACT_READS : ACT_WAITS;
	case OP_COUNT_TRYADD:
		tries = true;
		/* fallthrough */
	case OP_COUNT_ADD:
		*stored = v + act->arg;
		if (broken)
			return ACT_READS;
		if (held + act->arg > act->expected)
			return tries ? ACT_READS : ACT_WAITS;
		return ACT_READS_AND_WRITES;
	default:
		return (act->arg & 1 && (held || closed)) ||
				       (act->arg & 2 && (broken || held < act->expected))
			       ? ACT_READS
			       : ACT_WAITS;
	}
}

struct value set_wide(int64_t v)
{
	uint64_t any = (uint64_t)(v & SET_ANY) >> 2, out = (uint64_t)(v & SET_OUT) >> 6;

	return (struct value){ .lo = (uint64_t)(v & SET_LISTED) | any << READY_PLACES |
				     (v & SET_BUSY ? READY_BUSY : 0) |
				     (v & SET_FOREIGN ? READY_FOREIGN : 0),
			       .hi = (uint64_t)(v & SET_IN) >> 4 | out << READY_PLACES };
}

int64_t set_narrow(struct value v)
{
	return (int64_t)((v.lo & SET_LISTED) | (v.lo >> READY_PLACES << 2 & SET_ANY) |
			 (v.hi << 4 & SET_IN) | (v.hi >> READY_PLACES << 6 & SET_OUT) |
			 (v.lo & READY_BUSY ? SET_BUSY : 0) |
			 (v.lo & READY_FOREIGN ? SET_FOREIGN : 0));
}

/* A set: who is marked, and asks for that, is listed; all are while somebody looks. */
static enum action_result apply_set(const struct action *act, int64_t v, int64_t *stored)
{
	static const uint8_t shift[] = { 2, 4, 6 };
	int64_t marked = act->arg & (v & SET_BUSY ? SET_LISTED : v >> shift[act->fn]) & SET_LISTED;

	switch (act->op) {
	case OP_READY_MARK:
		*stored = v | marked;
		return ACT_READS_AND_WRITES;
	case OP_READY_RELEASE:
		*stored = (v & ~act->arg & ~(int64_t)SET_BUSY) | act->expected;
		return ACT_READS_AND_WRITES;
	case OP_READY_LOCK:
		*stored = v | SET_BUSY;
		return v & SET_BUSY ? ACT_WAITS : ACT_READS_AND_WRITES;
	default:
		*stored = (v & ~(int64_t)SET_LISTED) | SET_BUSY;
		if (v & SET_BUSY)
			return ACT_WAITS;
		if (v & act->arg)
			return ACT_READS_AND_WRITES;
		return act->op == OP_READY_TAKE ? ACT_WAITS : ACT_READS;
	}
}

enum action_result action_apply(const struct action *act, int t, int64_t v, uint32_t choice,
				int64_t *stored)
{
	int64_t me = (int64_t)1 << (t + 1); /* the engine's number of scripted thread t */

	if (act->op == OP_COND_WOKEN && act->fn)
		me = (int64_t)0xff << (8 * t);
	switch (act->op) {
	case OP_LOAD:
		return ACT_READS;
	case OP_STORE:
		*stored = act->arg;
		return ACT_WRITES;
	case OP_UNLOCK:
		*stored = 0;
		return ACT_WRITES;
	case OP_RMW:
		*stored = act->fn == RMW_ADD ? v + act->arg : act->arg;
		return ACT_READS_AND_WRITES;
	case OP_CAS:
		*stored = act->arg;
		return v == act->expected ? ACT_READS_AND_WRITES : ACT_READS;
	case OP_LOCK:
	case OP_TRYLOCK:
		*stored = 1;
		return v == 0 ? ACT_READS_AND_WRITES : act->op == OP_LOCK ? ACT_WAITS : ACT_READS;
	case OP_SEM_WAIT:
	case OP_SEM_TRYWAIT:
		*stored = v - 1;
		return v > 0                    ? ACT_READS_AND_WRITES
		       : act->op == OP_SEM_WAIT ? ACT_WAITS
						: ACT_READS;
	case OP_SEM_POST:
		*stored = v + 1;
		return ACT_READS_AND_WRITES;
	case OP_COND_LEAVE:
		*stored = v & ~me;
		return v & me ? ACT_READS_AND_WRITES : ACT_READS;
	case OP_RDLOCK:
	case OP_TRYRDLOCK:
		*stored = v + 1;
		return v < OP_RW_WRITER       ? ACT_READS_AND_WRITES
		       : act->op == OP_RDLOCK ? ACT_WAITS
					      : ACT_READS;
	case OP_WRLOCK:
		*stored = (v - (act->arg ? OP_RW_ASKED : 0)) | OP_RW_WRITER;
		return v == 0 || (act->arg && !(v & (OP_RW_ASKED - 1))) ? ACT_READS_AND_WRITES
									: ACT_WAITS;
	case OP_TRYWRLOCK:
		*stored = OP_RW_WRITER;
		return v == 0 ? ACT_READS_AND_WRITES : ACT_READS;
	case OP_RWUNLOCK:
		*stored = v & OP_RW_WRITER ? v & ~OP_RW_WRITER : v & (OP_RW_WRITER - 1) ? v - 1 : v;
		return ACT_READS_AND_WRITES;
	case OP_RW_ASK:
		*stored = v + OP_RW_ASKED;
		return ACT_READS_AND_WRITES;
	case OP_BARRIER_ARRIVE:
		*stored = v + 1;
		return ACT_READS_AND_WRITES;
	case OP_BARRIER_PASS:
		return v == act->expected ? ACT_READS : ACT_WAITS;
	case OP_COND_BEGIN:
		*stored = v | me;
		return ACT_READS_AND_WRITES;
	case OP_COUNT_TAKE:
	case OP_COUNT_TRYTAKE:
	case OP_COUNT_ADD:
	case OP_COUNT_TRYADD:
	case OP_COUNT_AWAIT:
		return apply_count(act, v, stored);
	case OP_COUNT_CLOSE:
		*stored = v | act->arg;
		return ACT_READS_AND_WRITES;
	case OP_COUNT_OPEN:
		*stored = 0;
		return ACT_READS_AND_WRITES;
	case OP_READY_TAKE:
	case OP_READY_TRYTAKE:
	case OP_READY_LOCK:
	case OP_READY_MARK:
	case OP_READY_RELEASE:
		return apply_set(act, v, stored);
	case OP_COUNT_LOOK:
	case OP_FUTEX_LOOK:
		return ACT_READS;
	case OP_FUTEX_WAIT:
		*stored = (v & ~((int64_t)0xff << (8 * t))) |
			  (int64_t)(act->word + 1 + 16 * act->bits) << (8 * t);
		return ACT_READS_AND_WRITES;
	case OP_FUTEX_WAKE:
	case OP_FUTEX_REQUEUE:
		*stored = futex_after(act, v, choice);
		return ACT_READS_AND_WRITES;
	case OP_COND_WOKEN:
		return v & me ? ACT_WAITS : ACT_READS;
	case OP_COND_SIGNAL:
		*stored = without(v, choice);
		return v ? ACT_READS_AND_WRITES : ACT_READS;
	case OP_COND_BROADCAST:
		*stored = 0;
		return v ? ACT_READS_AND_WRITES : ACT_READS;
	default:
		return ACT_NEITHER;
	}
}
