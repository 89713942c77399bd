/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo_plain.c - memory that threads share, in executions that are made (memo.h)
 *
 * In an execution without a race all writes of a byte that happen before a read are ordered, and the read finds the last of
 * them. So what it finds follows from the clocks, in whatever order threads were followed. (memo.txt, K4, K8, K9)
 */
#include "engine/run/memo.h"

#include "engine/run/run.h"

uint64_t memo_bytes_of(uint8_t mask)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < 8; i++)
		if (mask >> i & 1)
			bytes |= (uint64_t)0xff << 8 * i;
	return bytes;
}

/* What the thread knows of, behind so many of its events. */
static const uint32_t *clock_at(const struct engine *e, uint32_t tid, uint32_t index)
{
	static const uint32_t none[HEDDLE_MAX_THREADS];

	return index ? graph_hb(&e->graph, e->graph.at[tid][index - 1]) : none;
}

/* Does that come before what a thread does behind so many events, with that clock? */
static bool is_before(const struct memo_access *a, uint32_t tid, uint32_t index,
		      const uint32_t *clock)
{
	return a->tid == tid ? a->index <= index : clock[a->tid] > a->index;
}

static uint32_t *list_of(struct engine *e, uint32_t granule)
{
	struct memo_granule *g = &e->memo->granule[granule];

	if (g->age != e->memo->age) {
		g->age = e->memo->age;
		g->list = 0;
	}
	return &g->list;
}

/* All that comes before what the thread does there is to be in the lists. */
static void follow_all(struct engine *e, uint32_t tid, const uint32_t *clock)
{
	for (uint32_t u = 0; u < e->graph.nthreads; u++)
		if (u != tid && e->memo->index[u] < clock[u] && !memo_go_to(e, u, clock[u], false))
			e->memo->unknown = true;
}

/* Does it put something into plain memory? (What atomic operations write there plain reads do not find: they would be events.) */
static bool leaves(const struct memo_touch *t)
{
	return t->how == TOUCH_WRITES || t->how == TOUCH_BEARS;
}

/* Accesses of one thread are listed in their order, the latest first. */
static bool is_later(const struct engine *e, const struct memo_access *a,
		     const struct memo_access *than)
{
	return a->tid != than->tid &&
	       is_before(than, a->tid, a->index, clock_at(e, a->tid, a->index));
}

void memo_follow(struct engine *e, uint32_t tid, uint32_t index)
{
	follow_all(e, tid, clock_at(e, tid, index));
}

uint64_t memo_read(struct engine *e, uint32_t tid, uint32_t index, uint32_t granule, uint8_t mask)
{
	struct memo *m = e->memo;
	const uint32_t *clock = clock_at(e, tid, index);
	const struct memo_access *last[8] = { NULL };
	uint64_t value = m->granule[granule].initial;

	follow_all(e, tid, clock);
	for (uint32_t i = *list_of(e, granule); (i = m->access[i].left); i = m->access[i].next) {
		const struct memo_access *a = &m->access[i];

		if (!(a->put & mask))
			break;
		if (!is_before(a, tid, index, clock))
			continue;
		for (unsigned b = 0; b < 8; b++)
			if ((a->touch.mask & mask) >> b & 1 &&
			    (!last[b] || is_later(e, a, last[b])))
				last[b] = a;
		/* All that is left happens before that. */
		if (a->settled && (a->touch.mask & mask) == mask)
			break;
	}
	for (unsigned b = 0; b < 8; b++)
		if (last[b])
			value = (value & ~((uint64_t)0xff << 8 * b)) |
				(last[b]->touch.value & (uint64_t)0xff << 8 * b);
	return value & memo_bytes_of(mask);
}

static bool changes(const struct memo_touch *t)
{
	return t->how != TOUCH_READS && t->how != TOUCH_LOADS;
}

/* May one come before the other, of the same bytes? (K8, K9) */
static bool may_follow(const struct memo_touch *first, const struct memo_touch *second)
{
	if (first->how == TOUCH_FREES || second->how == TOUCH_BEARS)
		return false;
	/* The plain access would be an event (preload/access/promote.c). */
	return !touch_is_atomic(first->how) || touch_is_atomic(second->how) ||
	       second->how == TOUCH_FREES;
}

/* Is that more than can be known? */
static bool clash(const struct engine *e, const struct memo_access *a, const struct memo_access *b,
		  const uint32_t *clock)
{
	const struct memo_touch *s = &a->touch, *t = &b->touch;

	if (!(s->mask & t->mask))
		return false;
	if (touch_is_atomic(s->how) && touch_is_atomic(t->how))
		return s->mask != t->mask || s->value != t->value; /* of another size */
	if (!changes(s) && !changes(t))
		return false;
	if (a->tid == b->tid || clock[a->tid] > a->index)
		return !may_follow(s, t);
	if (clock_at(e, a->tid, a->index)[b->tid] > b->index)
		return !may_follow(t, s);
	return true; /* they race */
}

/* Of how many bytes an atomic operation is that has its place, so that two of one size are at the same place, or apart; else 0. */
static uint8_t aligned_size(const struct memo_touch *t)
{
	const unsigned at = (unsigned)__builtin_ctz(t->mask | 0x100u);

	if (!touch_is_atomic(t->how) || t->value > 8 || (t->value & (t->value - 1)) ||
	    t->value != (uint64_t)__builtin_popcount(t->mask) || at % t->value)
		return 0;
	return (uint8_t)t->value;
}

/* What is known of a list with one more access in front; `behind`: what was first, or the null access. */
static struct memo_access with(const struct memo_access *behind, uint32_t tid, uint32_t index,
			       const struct memo_touch *touch)
{
	const bool plain = touch->how <= TOUCH_WRITES;
	const uint8_t size = aligned_size(touch);

	return (struct memo_access){
		.tid = tid,
		.index = index,
		.touch = *touch,
		.plain = behind->plain | (plain ? touch->mask : 0),
		.mixed = behind->mixed | (plain ? 0 : touch->mask),
		.put = behind->put | (leaves(touch) ? touch->mask : 0),
		.size = size ? size : behind->size,
		.varied = behind->varied ||
			  (!plain && (!size || (behind->size && behind->size != size))),
		.settled = true,
	};
}

/* Is each access to be looked at? Not where those clash alone that are plain, or that are not. */
static bool wants_all(const struct memo_access *now, const struct memo_access *behind)
{
	if (now->touch.how <= TOUCH_WRITES)
		return behind->mixed & now->touch.mask;
	return now->varied;
}

/* The threads behind which it is in po u rf, and not in hb. */
static uint64_t behind(const struct engine *e, uint32_t tid, uint32_t index)
{
	const struct graph *g = &e->graph;
	const uint32_t *clock = clock_at(e, tid, index), *porf;
	uint64_t set = 0;

	if (!index || !g->beyond_hb)
		return 0;
	porf = graph_porf(g, g->at[tid][index - 1]);
	for (uint32_t u = 0; u < g->nthreads; u++)
		set |= (uint64_t)(porf[u] > clock[u]) << u;
	return set;
}

/* Rounds of loops that are left out and access it may be noted later. (K4) */
static void note_behind(struct engine *e, uint32_t tid, uint32_t index,
			const struct memo_touch *touch)
{
	struct memo_granule *g = &e->memo->granule[touch->granule];

	if (!touch_is_atomic(touch->how))
		*(changes(touch) ? &g->written_behind : &g->read_behind) |= behind(e, tid, index);
}

void memo_access(struct engine *e, uint32_t tid, uint32_t index, const struct memo_touch *touch)
{
	struct memo *m = e->memo;
	const uint32_t *clock = clock_at(e, tid, index);
	const bool born = m->granule[touch->granule].born && touch->how != TOUCH_BEARS;
	struct memo_access now;
	uint8_t there = 0; /* bytes that were allocated before */
	uint32_t *list;
	bool all;

	if (born)
		follow_all(e, tid, clock);
	list = list_of(e, touch->granule);
	now = with(&m->access[*list], tid, index, touch);
	all = born || wants_all(&now, &m->access[*list]);
	for (uint32_t i = *list; i; i = m->access[i].next) {
		const struct memo_access *a = &m->access[i];
		const bool before = is_before(a, tid, index, clock);

		if (!all && !(a->plain & touch->mask) && touch_is_atomic(touch->how)) {
			now.settled &= !a->plain;
			break;
		}
		/* All plain ones behind it happen before that. */
		if (!all && before && a->settled)
			break;
		now.settled &= before || touch_is_atomic(a->touch.how);
		if (clash(e, a, &now, clock))
			m->unknown = true;
		if (a->touch.how == TOUCH_BEARS && before)
			there |= a->touch.mask;
	}
	if ((born && (touch->mask & ~there)) || m->naccesses == MEMO_ACCESSES)
		m->unknown = true;
	if (m->naccesses == MEMO_ACCESSES)
		return;
	note_behind(e, tid, index, touch);
	now.next = *list;
	now.left = leaves(touch) ? m->naccesses : m->access[*list].left;
	m->access[m->naccesses] = now;
	*list = m->naccesses++;
}

void memo_holds(struct engine *e, uint32_t tid, uint32_t index, const struct op *op,
		const struct memo_touch *touch)
{
	const uint32_t loc = graph_find_location(&e->graph, op->addr, op->size);
	const struct location *l = loc == NO_LOC ? NULL : &e->graph.locs[loc];

	if (!l || !l->run ||
	    memo_read(e, tid, index, touch->granule, touch->mask) != l->initial.lo
									     << 8 * (op->addr & 7))
		e->memo->unknown = true;
}

/* The thread comes behind rounds that access the granule, and is not ordered with them. May it race with them (await.txt, L2)? */
static bool minds_rounds(const struct engine *e, const struct memo_access *a)
{
	const struct graph *g = &e->graph;

	if (touch_is_atomic(a->touch.how) || !behind(e, a->tid, a->index))
		return false;
	return !e->config.behind_rounds ||
	       e->config.behind_rounds(e->config.ctx, &a->touch, a->tid,
				       clock_at(e, a->tid, a->index),
				       graph_porf(g, g->at[a->tid][a->index - 1]));
}

bool memo_any_minds_rounds(struct engine *e)
{
	const struct memo *m = e->memo;

	for (uint32_t k = 0; k < m->nrounds; k++) {
		const struct memo_granule *g = &m->granule[m->rounds[k]];

		if (!(g->read_behind | g->written_behind))
			continue;
		for (uint32_t i = *list_of(e, m->rounds[k]); i; i = m->access[i].next)
			if (minds_rounds(e, &m->access[i]))
				return true;
	}
	return false;
}
