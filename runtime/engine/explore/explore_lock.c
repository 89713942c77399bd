/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explore_lock.c - who takes a mutex next
 *
 * A mutex hands itself over, from one unlock to the next lock, in one order; to explore
 * that order is to explore which of the threads that ask for it is served. So each handover
 * (a slot) is treated as a read of the mutex: it observes one of the requests, that is, of the
 * threads whose next operation is to lock. A request is like a write, inserted when its
 * thread comes to it. That makes locks optimal by the same algorithm as reads
 * (explore.txt, E), with no execution that waits in vain:
 *
 *	forward		a slot branches over the requests that are there (WORK_TAKE);
 *	backward	a new request revisits each earlier slot of the mutex that is not in
 *			its porf-prefix: what was inserted after the slot goes, if it is
 *			maximally added, and the thread takes the mutex there (WORK_SLOT);
 *	canonical	a slot's request of the lowest thread, of those in previous(slot).
 *
 * The slot and the lock it leads to are one event, the read of the lock. After a backward
 * revisit it stands later in the graph than the slot was inserted: event.slot says where that
 * was. The rest of the engine sees a read-modify-write like any other.
 *
 * This needs handovers in one order: a thread locks only when the mutex is free, and there is
 * one write that says so. A trylock, or a mutex initialised anew beside others that use it,
 * breaks that; then the exploration starts again with locks that may wait (explore.c).
 *
 * Why that loses nothing: explore.txt, L1 to L3.
 *
 * Callers: explore.c, revisit.c.
 */
#include "engine/explore/explore.h"

static struct event *last_event(const struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;

	return g->count[tid] ? &g->ev[g->at[tid][g->count[tid] - 1]] : NULL;
}

/* The prefix of the request that the thread is about to make. */
static const uint32_t *prefix_of_request(const struct engine *e, uint32_t tid)
{
	static const uint32_t none[HEDDLE_MAX_THREADS];
	const struct event *before = last_event(e, tid);

	return before ? graph_porf(&e->graph, e->graph.at[tid][before->index]) : none;
}

/* L1 */
bool lock_breaks_order(struct engine *e, uint32_t tid, const struct op *op)
{
	struct graph *g = &e->graph;
	const struct event *state;
	uint32_t last;

	if (!e->slots)
		return false;
	if (op->kind == OP_TRYLOCK)
		return true;
	if (op->kind != OP_UNLOCK)
		return false;
	last = g->locs[graph_location(g, op->addr, op->size)].last;
	if (last == NO_POS)
		return false;
	state = &g->ev[last];
	return state->index >= prefix_of_request(e, tid)[state->tid];
}

/* Does the thread ask for this mutex, behind all that the graph has of it? */
static bool asks_for(const struct engine *e, uint32_t tid, uint32_t loc)
{
	const struct event *before = last_event(e, tid);

	if (!before)
		return !tid && e->first_asks == loc;
	return before->asked != NO_POS && before->asks == loc;
}

/* ---- The order of insertion, slots included ------------------------------------------------ */

static bool is_lock_part(const struct event *ev)
{
	return ev->kind == OP_LOCK && (ev->flags & EV_EXCLUSIVE);
}

struct stamp lock_stamp(const struct graph *g, uint32_t pos)
{
	const struct event *ev = &g->ev[pos];

	if (!is_lock_part(ev))
		return (struct stamp){ pos, UINT32_MAX };
	if (ev->flags & EV_WRITE)
		ev = &g->ev[g->at[ev->tid][ev->index - 1]];
	return (struct stamp){ ev->slot, ev->slot_rank };
}

/* Was the request behind the last event of the thread, up to index n, made by then? */
static bool asked_by(const struct graph *g, uint32_t tid, uint32_t n, struct stamp when,
		     const uint32_t *prefix)
{
	return !n || n <= prefix[tid] || g->ev[g->at[tid][n - 1]].asked <= when.pos;
}

/* L3 */
bool lock_close_cut(const struct graph *g, struct stamp when, const uint32_t *prefix, uint32_t *cut)
{
	for (uint32_t i = 0; i < g->nlate_locks; i++) {
		const struct event *ev = &g->ev[g->late_locks[i]];
		struct stamp slot = { ev->slot, ev->slot_rank };

		if (stamp_less(when, slot))
			continue;
		if (ev->index > cut[ev->tid] || !asked_by(g, ev->tid, ev->index, when, prefix))
			return false;
		if (cut[ev->tid] < ev->index + 2)
			cut[ev->tid] = ev->index + 2;
	}
	return true;
}

bool lock_canonical(const struct engine *e, uint32_t pos, const uint32_t *cut,
		    const uint32_t *prefix, uint32_t without)
{
	const struct graph *g = &e->graph;
	const struct event *lock = &g->ev[pos];
	struct stamp when = lock_stamp(g, pos);

	for (uint32_t t = 0; t < lock->tid; t++) {
		const struct event *next;

		if (t == without || !asked_by(g, t, cut[t], when, prefix))
			continue;
		if (cut[t] == g->count[t]) {
			if (asks_for(e, t, lock->loc))
				return false;
			continue;
		}
		next = &g->ev[g->at[t][cut[t]]];
		if (next->kind == OP_LOCK && next->loc == lock->loc)
			return false;
	}
	return true;
}

/* ---- Requests and slots -------------------------------------------------------------------- */

static void note_slot(struct engine *e, uint32_t lock, uint32_t tid)
{
	note_work(e, (struct work){ .kind = WORK_SLOT,
				    .stamp = e->graph.n - 1,
				    .read = lock,
				    .choice = tid });
}

#ifdef HEDDLE_CHECKS
static bool all_known(const struct graph *g, uint32_t p, const uint32_t *prefix)
{
	while (p != NO_POS && g->ev[p].index < prefix[g->ev[p].tid])
		p = g->ev[p].prev_at_loc;
	return p == NO_POS;
}
#endif

/*
 * A thread has come to a lock: which earlier slots may it take? None that it knows of; and who knows one state of the
 * mutex knows all before (L1).
 */
static void arrive(struct engine *e, uint32_t tid, uint32_t loc)
{
	struct graph *g = &e->graph;
	const uint32_t *prefix = prefix_of_request(e, tid);
	uint32_t p;

	for (p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *ev = &g->ev[p];

		if (ev->index < prefix[ev->tid])
			break;
		if (is_lock_part(ev) && ev->flags & EV_READ &&
		    revisit_slot_maximal(e, p, tid, prefix))
			note_slot(e, p, tid);
	}
#ifdef HEDDLE_CHECKS
	must(all_known(g, p, prefix));
#endif
}

void lock_arrivals(struct engine *e)
{
	uint64_t asked;

	while (e->slots && (asked = e->fresh & ~e->aside.word[0])) {
		uint32_t tid = (uint32_t)__builtin_ctzll(asked), asks = NO_LOC;
		const struct thread *th = &e->thread[tid];
		struct event *before = last_event(e, tid);

		e->fresh &= ~((uint64_t)1 << tid);
		if (th->state == THREAD_WAITS && th->pending.kind == OP_LOCK)
			asks = graph_location(&e->graph, th->pending.addr, 0);
		if (before) {
			before->asked = e->graph.n;
			before->asks = asks;
		} else {
			e->first_asks = asks;
		}
		if (asks != NO_LOC)
			arrive(e, tid, asks);
	}
}

bool lock_is_forced(struct engine *e)
{
	const struct thread *th = &e->thread[e->forced];

	return (th->state == THREAD_WAITS && lock_slotted(e, &th->pending) &&
		th->pending.addr == e->forced_addr) ||
	       is_aside(e, e->forced) || !engine_strays(e, e->forced);
}

void lock_add(struct engine *e, uint32_t tid, const struct op *op)
{
	struct graph *g = &e->graph;
	uint32_t pos = run_add_read(e, tid, op), state = g->ev[pos].prev_at_loc, write;
	struct event *ev = &g->ev[pos];

	ev->slot = pos;
	ev->slot_rank = UINT32_MAX;
	if (e->forced != NO_POS && e->forced_slot.rank != UINT32_MAX) {
		ev->slot = e->forced_slot.pos;
		ev->slot_rank = e->forced_slot.rank;
		g->late_locks[g->nlate_locks++] = pos;
	}
	for (uint32_t t = 0; e->forced == NO_POS && t < e->nthreads; t++)
		if (t != tid && asks_for(e, t, ev->loc))
			note_work(e, (struct work){ .kind = WORK_TAKE, .stamp = pos, .choice = t });
	e->forced = NO_POS;
	must(run_set_read(e, pos, state == NO_POS ? RF_INIT : state, 0) == GUARD_WRITES);
	write = run_add_write_part(e, pos);
	if (g->mo)
		must(mo_place_rmw(e, write));
}

void lock_take(struct engine *e, const struct work *w)
{
	const struct event *before;
	uint32_t loc;

	graph_truncate(&e->graph, w->stamp);
	before = last_event(e, w->choice);
	loc = before ? before->asks : e->first_asks;
	must(loc != NO_LOC);
	e->forced_addr = e->graph.locs[loc].addr;
	e->forced = w->choice;
	e->forced_slot = (struct stamp){ w->stamp, UINT32_MAX };
}

/* Slots that stand at the same place keep their order by rank. */
static uint32_t next_rank(const struct graph *g, uint32_t slot)
{
	uint32_t rank = 0;

	for (uint32_t i = 0; i < g->nlate_locks; i++) {
		const struct event *ev = &g->ev[g->late_locks[i]];

		if (ev->slot == slot && ev->slot_rank >= rank)
			rank = ev->slot_rank + 1;
	}
	return rank;
}

void lock_take_slot(struct engine *e, const struct work *w)
{
	struct graph *g = &e->graph;
	struct stamp slot = lock_stamp(g, w->read);
	const uint32_t *prefix = prefix_of_request(e, w->choice);
	char *mark = arena_mark(&g->scratch);
	uint8_t *keep = arena_take(&g->scratch, g->n);
	uint32_t at = 0;

	e->forced_addr = g->locs[g->ev[w->read].loc].addr;
	for (uint32_t p = 0; p < g->n; p++) {
		keep[p] =
			g->ev[p].index < prefix[g->ev[p].tid] || stamp_less(lock_stamp(g, p), slot);
		at += p < slot.pos && keep[p];
	}
	explore_push(e, keep, NO_POS, NO_POS);
	arena_reset(&g->scratch, mark);
	e->forced = w->choice;
	e->forced_slot.pos = at;
	e->forced_slot.rank = slot.rank == UINT32_MAX ? next_rank(g, at) : slot.rank;
	lock_refresh(e, at);
	/* Its request is what has just been inserted. */
	e->fresh &= ~((uint64_t)1 << w->choice);
	if (g->count[w->choice])
		last_event(e, w->choice)->asked = g->n;
}

void lock_refresh(struct engine *e, uint32_t cutoff)
{
	e->fresh = 0;
	for (uint32_t t = 0; t < e->graph.nthreads; t++)
		if (last_event(e, t) && last_event(e, t)->asked > cutoff)
			lock_ask_again(e, t);
}

void lock_ask_again(struct engine *e, uint32_t tid)
{
	struct event *before = last_event(e, tid);

	if (before)
		before->asked = NO_POS;
	e->fresh |= (uint64_t)1 << tid;
}
