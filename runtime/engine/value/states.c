/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * states.c - see states.h
 *
 * A state is the step of each thread, which says all that it has read, and what memory holds. Threads go on one at a time, and all that can are tried,
 * but for those that would come to the same: where nothing that others do below conflicts with what a thread does next, that goes first and the others
 * need not be tried (persistent sets, found while the search goes on). What threads do below a state is kept with its name.
 *
 * Cost: O(threads) for each operation in each state; no events are made but for executions that end in new vectors, and where the program has to be asked.
 */
#include "engine/value/states.h"

#include <string.h>

#include "base/table.h"
#include "engine/explore/explore.h"
#include "engine/run/run.h"
#include "engine/value/certain.h"
#include "engine/value/known.h"
#include "engine/value/nodes.h"
#include "engine/value/way.h"

enum {
	FIRST_BITS = 10,
	MANY = 1 << 16, /* states, behind which there are to be no more than */
	FOR_EACH = 64,  /* for each vector */
	PATIENCE = 4096 /* moves: then the clock is looked at */
};
#define PATIENCE_TICKS (UINT64_C(1) << 31) /* about a second */

size_t states_bytes(uint32_t room)
{
	return sizeof(struct value_states) + (size_t)room * sizeof(struct value_state) +
	       (size_t)2 * room * sizeof(uint32_t) + 2 * ARENA_SKEW;
}

void states_init(struct value_search *v, struct arena *a, uint32_t room)
{
	v->states = arena_take(a, sizeof(*v->states));
	v->states->room = room;
	v->states->state = arena_table(a, room * sizeof(*v->states->state));
	v->states->slot = arena_table(a, (size_t)2 * room * sizeof(*v->states->slot));
}

/* ---- The table --------------------------------------------------------------------------------- */

static uint32_t *find(struct value_states *s, struct engine_id name)
{
	uint32_t *slot;

	TABLE_FIND(slot, s->slot, s->bits, name.a,
		   !*slot || (s->state[*slot - 1].name.a == name.a &&
			      s->state[*slot - 1].name.b == name.b));
	return slot;
}

static void widen(struct value_states *s)
{
	s->bits = table_wider(s->bits, FIRST_BITS);
	memset(s->slot, 0, table_slots(s->bits) * sizeof(*s->slot));
	for (uint32_t i = 0; i < s->nstates; i++)
		*find(s, s->state[i].name) = i + 1;
}

/* The search is through with that one. */
static void add(struct value_states *s, const struct value_move *m)
{
	if (table_full(s->nstates, s->bits))
		widen(s);
	*find(s, m->name) = s->nstates + 1;
	s->state[s->nstates++] = (struct value_state){ .name = m->name, .below = m->below };
}

static const struct value_state *finished(struct value_states *s, struct engine_id name)
{
	const uint32_t slot = s->bits ? *find(s, name) : 0;

	return slot ? &s->state[slot - 1] : NULL;
}

/* ---- Names ------------------------------------------------------------------------------------- */

/* Names are sums of those of their parts. */
static void name_add(struct engine_id *id, uint64_t what, struct value v, uint64_t sign)
{
	id->a += sign * table_mix(table_mix(table_mix(7, what), v.lo), v.hi);
	id->b += sign * table_mix(table_mix(table_mix(8, v.lo + 1), v.hi), what);
}

static void name_step(struct value_states *s, uint32_t tid, uint64_t sign)
{
	name_add(&s->name, tid, value_of(s->at[tid]), sign);
}

static void name_cell(struct value_states *s, const struct value_cell *c, uint64_t sign)
{
	if (c->uses)
		name_add(&s->name, (uint64_t)(STATE_THREADS + (c - s->cell)), c->held, sign);
}

/* ---- What a thread does next ------------------------------------------------------------------- */

enum does {
	NOTHING, /* it is over, or waits for another thread's end, or for good */
	HIDDEN,  /* what others neither see nor hinder */
	GOES,    /* an access, */
	WAITS,   /* or one that waits for another value */
	UNKNOWN,
	OTHERWISE /* what cannot be followed by states */
};

/* An access that is next. */
struct deed {
	struct value_cell *cell;
	struct value held, written;
	bool plain, writes, may_write; /* writes: now, or as soon as it can */
};

static struct value_step *step_of(const struct value_search *v, uint32_t tid)
{
	return &v->step[v->states->at[tid] - 1];
}

/* 1 + its location, or 0: there is no room. */
static uint32_t cell_of(struct value_states *s, const struct op *op)
{
	for (uint32_t i = 0; i < s->ncells; i++)
		if (s->cell[i].addr == op->addr && s->cell[i].size == op->size)
			return i + 1;
	if (s->ncells == STATE_CELLS)
		return 0;
	s->cell[s->ncells++] = (struct value_cell){ .addr = op->addr, .size = op->size };
	return s->ncells;
}

static enum does access(const struct value_search *v, uint32_t tid, struct value_step *st,
			struct deed *d)
{
	struct value_states *s = v->states;
	enum guard guard;

	if (!st->cell)
		st->cell = cell_of(s, &st->op);
	if (!st->cell)
		return OTHERWISE;
	d->cell = &s->cell[st->cell - 1];
	if (!d->cell->uses && !st->began)
		return UNKNOWN;
	if (st->began && !d->cell->knows)
		d->cell->initial = st->initial;
	if (st->began && !value_eq(d->cell->initial, st->initial))
		return OTHERWISE;
	d->cell->knows = true;
	d->held = d->cell->uses ? d->cell->held : d->cell->initial;
	guard = way_guard(tid, &st->op, d->held, &d->written);
	d->writes = guard != GUARD_READS;
	d->may_write = st->op.kind != OP_LOAD;
	d->plain = st->op.order == ORDER_NA && st->op.size; /* and no object of the library */
	d->cell->plain = d->cell->plain || d->plain;
	if (d->cell->plain && d->cell->tried)
		return OTHERWISE;
	return guard == GUARD_BLOCKS ? WAITS : GOES;
}

static enum does does(const struct engine *e, uint32_t tid, struct deed *d)
{
	const struct value_search *v = e->value;
	struct value_step *st = step_of(v, tid);

	d->cell = NULL;
	if (v->states->over >> tid & 1)
		return NOTHING;
	if (st->cell)
		return access(v, tid, st, d);
	switch (st->op.kind) {
	case OP_KINDS:
		return UNKNOWN;
	case OP_EXIT:
	case OP_STUCK:
	case OP_BLOCK:
		return NOTHING;
	case OP_JOIN:
		return v->states->over >> st->op.peer & 1 ? HIDDEN : NOTHING;
	case OP_FENCE:
	case OP_START:
	case OP_END:
		return HIDDEN;
	default:
		return way_follows(e, &st->op) ? access(v, tid, st, d) : OTHERWISE;
	}
}

/* Bits of what it accesses, or may access there as soon as it can. */
static uint32_t bits_of(const struct value_states *s, const struct deed *d)
{
	const uint32_t bit = 1u << (uint32_t)(d->cell - s->cell) % 16;

	if (d->writes || (d->may_write && d->cell->plain))
		return bit | bit << 16;
	d->cell->tried = d->cell->tried || d->may_write;
	return bit;
}

static bool conflict(uint32_t a, uint32_t b)
{
	return (a & b) >> 16 || (a >> 16 & b) || (b >> 16 & a);
}

/* ---- Moves ------------------------------------------------------------------------------------- */

/* What the operation reads, as in the name of the step behind it. */
static struct value_came came_of(struct engine *e, uint32_t tid, const struct value_step *st,
				 const struct deed *d)
{
	const struct value_search *v = e->value;

	if (st->op.kind == OP_START)
		return known_created(v, v->states->at[v->made[tid].tid], v->made[tid].index + 1);
	if (st->op.kind == OP_JOIN)
		return known_joined(v, v->states->at[st->op.peer]);
	return (struct value_came){ .value = op_reads(&st->op) ? d->held : value_of(0) };
}

/* The thread in turn goes on. False: there is no room. */
static bool go(struct engine *e)
{
	struct value_search *v = e->value;
	struct value_states *s = v->states;
	struct value_move *m = &s->way[s->nway - 1];
	const uint32_t tid = m->turn;
	const struct value_step *st = step_of(v, tid);
	struct deed d;
	uint32_t behind;

	(void)does(e, tid, &d);
	behind = known_behind_or_new(v, s->at[tid],
				     st->index + 1 + (d.cell && d.writes && op_reads(&st->op)),
				     came_of(e, tid, st, &d));
	if (!behind || s->nway > STATE_WAY)
		return false;
	m->step = s->at[tid];
	name_step(s, tid, -UINT64_C(1));
	s->at[tid] = behind;
	name_step(s, tid, 1);
	s->over |= (uint8_t)((st->op.kind == OP_END) << tid);
	m->own = d.cell ? bits_of(s, &d) : 0;
	m->below.of[tid] |= m->own;
	if (d.cell) {
		m->held = d.cell->held;
		name_cell(s, d.cell, -UINT64_C(1));
		d.cell->uses++;
		d.cell->held = d.writes ? d.written : d.held;
		name_cell(s, d.cell, 1);
	}
	if (s->bits)
		__builtin_prefetch(&s->slot[table_first(s->name.a, s->bits)]);
	s->way[s->nway].name = s->name;
	s->way[s->nway].begun = s->way[s->nway].ran = false;
	s->nway++;
	s->moves++;
	return true;
}

/* Which others are to be tried, since what they do below may come before what the thread in turn has done? */
static void add_others(const struct engine *e, struct value_move *m,
		       const struct value_deeds *below)
{
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (t != m->turn && !(m->todo >> t & 1) && conflict(m->own, below->of[t]))
			m->todo |= m->able >> t & 1 ? (uint8_t)(1 << t) : m->able;
}

/* Back to the state before the last move, below which all that is done is known. */
static void go_back(struct engine *e, const struct value_deeds *below)
{
	struct value_search *v = e->value;
	struct value_states *s = v->states;
	struct value_move *m;
	const struct value_step *st;

	s->nway--;
	if (!s->nway)
		return;
	m = &s->way[s->nway - 1];
	if (s->nbuilt > s->nway - 1)
		s->nbuilt = s->nway - 1;
	s->at[m->turn] = m->step;
	st = step_of(v, m->turn);
	s->over &= (uint8_t) ~((st->op.kind == OP_END) << m->turn);
	if (st->cell) {
		s->cell[st->cell - 1].uses--;
		s->cell[st->cell - 1].held = m->held;
	}
	s->name = m->name;
	add_others(e, m, below);
	for (uint32_t t = 0; t < e->nthreads; t++)
		m->below.of[t] |= below->of[t];
}

/* ---- A state ----------------------------------------------------------------------------------- */

enum kind {
	NEW,  /* with moves to be tried */
	MET,  /* the search is through with it */
	END,  /* nobody can do anything any more */
	ASKS, /* nobody knows what a thread does next */
	RACES,
	LEAVES /* it cannot be followed by states */
};

/* Two accesses are next, of which one is plain and one may write. Then they race, if it does. */
static enum kind race(const struct deed *a, const struct deed *b)
{
	if (!a->cell || a->cell != b->cell || !(a->plain || b->plain) ||
	    !(a->may_write || b->may_write))
		return NEW;
	return a->writes || b->writes ? RACES : LEAVES;
}

static enum kind races(const struct engine *e, const struct deed *d)
{
	for (uint32_t t = 0; t < e->nthreads; t++)
		for (uint32_t u = 0; d[t].cell && u < t; u++)
			if (race(&d[t], &d[u]) != NEW)
				return race(&d[t], &d[u]);
	return NEW;
}

/* The thread that has done least goes first, of those that can. */
static uint32_t first_of(const struct value_search *v, uint8_t able)
{
	uint32_t first = STATE_THREADS;

	for (uint32_t t = 0; t < STATE_THREADS; t++)
		if ((able >> t & 1) &&
		    (first == STATE_THREADS || step_of(v, t)->index < step_of(v, first)->index))
			first = t;
	return first;
}

/* Looks at what all threads do next. */
static enum kind look(struct engine *e, struct value_move *m, struct deed *d)
{
	struct value_states *s = e->value->states;
	uint32_t hidden = STATE_THREADS;
	enum kind kind = NEW;
	bool plain = false;

	m->able = m->todo = m->tried = 0;
	memset(&m->below, 0, sizeof(m->below));
	for (uint32_t t = 0; t < e->nthreads; t++) {
		const enum does does_next = does(e, t, &d[t]);

		if (does_next == OTHERWISE)
			return LEAVES;
		if (does_next == UNKNOWN) {
			d[t].cell = NULL;
			kind = ASKS;
		}
		if (does_next == HIDDEN)
			hidden = t;
		m->able |= (uint8_t)((does_next == GOES) << t);
		if (does_next == WAITS)
			m->below.of[t] = bits_of(s, &d[t]);
		plain = plain || (d[t].cell && d[t].plain);
	}
	if (hidden < STATE_THREADS)
		m->able = (uint8_t)(1 << hidden);
	m->is_named = m->able && hidden == STATE_THREADS;
	if (kind == ASKS || hidden < STATE_THREADS)
		return kind;
	return plain ? races(e, d) : NEW;
}

/* The state at the end of the way is a new one there. */
static enum kind begin(struct engine *e, struct value_move *m)
{
	struct value_search *v = e->value;
	struct deed d[STATE_THREADS];
	const enum kind kind = look(e, m, d);

	if (kind != NEW)
		return kind;
	m->begun = true;
	if (!m->able)
		return END;
	if (m->is_named && finished(v->states, m->name))
		return MET;
	m->todo = (uint8_t)(1 << first_of(v, m->able));
	return NEW;
}

/* ---- The search -------------------------------------------------------------------------------- */

/* The execution is over. Is its vector a new one? */
static bool is_new(struct engine *e)
{
	const struct value_search *v = e->value;
	struct engine_id id = visited_no_name;

	for (uint32_t t = 0; t < e->nthreads; t++)
		visited_add_name(&id, step_of(v, t)->reads, t);
	return visited_claims(e, id);
}

/* Is the search no better than one that goes by nodes? */
static bool are_many(const struct engine *e)
{
	const struct value_states *s = e->value->states;

	return s->nstates == s->room ||
	       (s->nstates > MANY &&
		s->nstates / FOR_EACH > e->stats.executions + e->stats.blocked);
}

static bool is_long(struct engine *e, uint64_t begun)
{
	return e->value->states->moves % PATIENCE == 0 && e->config.ticks &&
	       e->config.ticks() - begun > PATIENCE_TICKS;
}

/* The state is the last one of the way, and new there, but for MET and END. */
static enum value_answer target(struct engine *e, struct value_move *m, enum kind kind)
{
	struct value_search *v = e->value;

	if (kind == RACES) {
		v->races = true;
		return VALUE_FULL;
	}
	if (kind == LEAVES || (kind == ASKS && m->ran))
		return VALUE_LEFT;
	m->ran = true;
	return way_build(e) ? VALUE_OTHER : VALUE_LEFT;
}

/* Tries the next thread there. False: all were. */
static bool try_next(struct value_move *m)
{
	const uint8_t left = m->todo & (uint8_t)~m->tried;

	if (!left)
		return false;
	m->turn = (uint8_t)__builtin_ctz(left);
	m->tried |= (uint8_t)(1 << m->turn);
	return true;
}

enum value_answer states_next(struct engine *e)
{
	struct value_search *v = e->value;
	struct value_states *s = v->states;
	const uint64_t start = e->config.ticks ? e->config.ticks() : 0;

	v->is_new = false;
	if (s->failed)
		return VALUE_LEFT;
	while (s->nway) {
		struct value_move *m = &s->way[s->nway - 1];
		const struct value_deeds *below = &m->below;
		enum kind kind = m->begun ? NEW : begin(e, m);

		if (kind != NEW && kind != MET && kind != END)
			return target(e, m, kind);
		if (kind == END && is_new(e)) {
			v->is_new = true;
			return target(e, m, kind);
		}
		if (v->lost || v->forgets || are_many(e))
			return VALUE_LEFT;
		if (kind == MET)
			below = &finished(s, m->name)->below;
		if (kind == NEW && try_next(m)) {
			if (!go(e))
				return VALUE_LEFT;
			if (is_long(e, start))
				return target(e, &s->way[s->nway - 1], END);
			continue;
		}
		if (kind == NEW && m->is_named) {
			add(s, m);
			e->stats.values[VALUES_STATES]++;
		}
		go_back(e, below);
	}
	return VALUE_NEVER;
}

/* ---- Begin and end ----------------------------------------------------------------------------- */

/* Are all threads created by the events before that one, by which nothing is accessed? */
static bool all_are_there(const struct engine *e, uint32_t n)
{
	const struct graph *g = &e->graph;
	uint32_t created = 1;

	for (uint32_t pos = 0; pos < n; pos++)
		created += g->ev[pos].kind == OP_CREATE;
	return created == e->nthreads;
}

/* Is it no access? */
static bool is_between(unsigned kind)
{
	return kind == OP_FENCE || kind == OP_CREATE || kind == OP_START || kind == OP_END ||
	       kind == OP_JOIN || kind == OP_EXIT || kind == OP_STUCK || kind == OP_BLOCK ||
	       kind == OP_KINDS;
}

/* As far as it is known what threads do. */
bool states_can(const struct engine *e)
{
	const struct value_search *v = e->value;

	if (!way_model(e) || v->lost || e->nthreads > STATE_THREADS)
		return false;
	for (uint32_t i = 0; i < v->nsteps; i++)
		if (!is_between(v->step[i].op.kind) && !way_follows(e, &v->step[i].op))
			return false;
	return true;
}

/* A graph of its first n events, above it. */
static void push(struct engine *e, uint32_t n)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	uint8_t *keep = arena_take(&g->scratch, g->n);

	for (uint32_t pos = 0; pos < g->n; pos++)
		keep[pos] = pos < n;
	explore_push(e, keep, NO_POS, NO_POS);
	arena_reset(&g->scratch, mark);
}

/* The graph is that of the first node. */
bool states_begin(struct engine *e)
{
	struct value_search *v = e->value;
	struct value_states *s = v->states;
	struct graph *g = &e->graph;
	uint32_t n = 0;

	while (n < g->n && g->ev[n].loc == NO_LOC)
		n++;
	if (!all_are_there(e, n))
		return false;
	certain_keep(v, 0);
	push(e, n);
	s->way[0].n = n;
	s->ncells = s->nbuilt = s->nstates = s->bits = 0;
	s->nthreads = e->nthreads;
	s->over = 0;
	s->failed = false;
	s->name = (struct engine_id){ 0, 0 };
	for (uint32_t t = 0; t < e->nthreads; t++) {
		s->first_node[t] = v->at[t];
		known_step(e, t);
		s->at[t] = v->at[t];
		name_step(s, t, 1);
	}
	s->nway = 1;
	s->way[0].name = s->name;
	s->way[0].begun = s->way[0].ran = false;
	v->open = false;
	return v->by_states = true;
}

void states_leave(struct engine *e)
{
	struct value_search *v = e->value;

	explore_pop(e);
	memcpy(v->at, v->states->first_node, v->states->nthreads * sizeof(*v->at));
	v->by_states = false;
}
