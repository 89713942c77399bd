/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine_graph.c - rc11 with sc accesses: execution graphs, and the axioms as they are written
 *
 * There is no simple machine for sc accesses of rc11, so a state is the whole execution so far:
 * events, reads-from and modification order. A step adds one event, in all ways that leave the graph
 * consistent (Lahav et al., "Repairing sequential consistency in C/C++11", PLDI 2017: coherence,
 * atomicity, acyclic(psc); po u rf is acyclic since events are added in that order). An inconsistent
 * graph stays inconsistent whatever is added, so it is left at once.
 *
 * To come to an end: when a thread has done the same reads and fences three times in a row, reading
 * from the same writes, the second time is taken out of the graph. Whatever path of hb, eco or
 * psc went into it and out of it finds the same event of the first time to go in, and of the third
 * to go out, and between these there is po. Loops whose rounds write without end are not for this.
 *
 * Everything is a matrix of bits. It is slow, and shares nothing with machine_views.c, which has to
 * agree with it where there are no sc accesses.
 */
#include "random/machine.h"

#include <string.h>

typedef uint64_t row;

struct relation {
	row to[GRAPH_EVENTS];
};

#define BIT(i) ((row)1 << (i))

static int per_thread(const struct search *search)
{
	return (GRAPH_EVENTS - MAX_CELLS) / search->p->nthreads;
}

static int event_of(const struct search *search, int t, int i)
{
	return MAX_CELLS + t * per_thread(search) + i;
}

static void start(const struct search *search, struct state *s)
{
	struct graph_memory *g = &s->graph;

	memset(g, 0, sizeof(*g));
	for (int c = 0; c < MAX_CELLS; c++) {
		g->event[c] = (struct graph_event){ .kind = GRAPH_WRITE, .cell = (uint8_t)c };
		g->event[c].value = c < search->p->nlocs ? search->p->init[c] : 0;
		g->nmo[c] = 1;
		g->mo[c][0] = (uint8_t)c;
	}
}

/* ---- Is it consistent? --------------------------------------------------------------------- */

struct judge {
	const struct graph_memory *g;
	row all, writes, fences, at[MAX_CELLS], sc;
	struct relation po, rf, mo, fr, eco, hb;
};

#define EACH(i, set)                                               \
	for (row set_##i = (set); set_##i; set_##i &= set_##i - 1) \
		for (int i = __builtin_ctzll(set_##i), once_##i = 1; once_##i; once_##i = 0)

static void compose(struct relation *out, const struct relation *a, const struct relation *b,
		    row all)
{
	struct relation r;

	EACH(i, all)
	{
		r.to[i] = 0;
		EACH(k, a->to[i])
		r.to[i] |= b->to[k];
	}
	EACH(i, all)
	out->to[i] = r.to[i];
}

static void close_relation(struct relation *r, row all)
{
	EACH(k, all)
	EACH(i, all)
	if (r->to[i] & BIT(k))
		r->to[i] |= r->to[k];
}

static bool has_cycle(const struct relation *r, row all)
{
	struct relation c = *r;

	close_relation(&c, all);
	EACH(i, all)
	if (c.to[i] & BIT(i))
		return true;
	return false;
}

static bool acquiring(int order)
{
	return order == ACQ || order == ACQ_REL || order == SC;
}

static bool releasing(int order)
{
	return order == REL || order == ACQ_REL || order == SC;
}

static void classify(const struct search *search, struct judge *j)
{
	const struct graph_memory *g = j->g;
	row before;

	memset(&j->po, 0, sizeof(j->po));
	memset(&j->rf, 0, sizeof(j->rf));
	j->all = BIT(MAX_CELLS) - 1;
	for (int t = 0; t < search->p->nthreads; t++)
		for (int i = 0; i < g->n[t]; i++)
			j->all |= BIT(event_of(search, t, i));
	for (int e = 0; e < MAX_CELLS; e++)
		j->po.to[e] = j->all & ~(BIT(MAX_CELLS) - 1);
	for (int t = 0; t < search->p->nthreads; t++) {
		before = 0;
		for (int i = g->n[t]; i-- > 0;) {
			j->po.to[event_of(search, t, i)] = before;
			before |= BIT(event_of(search, t, i));
		}
	}
	EACH(e, j->all)
	{
		const struct graph_event *ev = &g->event[e];

		j->fences |= ev->kind == GRAPH_FENCE ? BIT(e) : 0;
		j->writes |= ev->kind & GRAPH_WRITE ? BIT(e) : 0;
		j->sc |= e >= MAX_CELLS && ev->order == SC ? BIT(e) : 0;
		if (ev->kind != GRAPH_FENCE)
			j->at[ev->cell] |= BIT(e);
		if (ev->kind & GRAPH_READ)
			j->rf.to[ev->rf] |= BIT(e);
	}
}

static void order_writes(struct judge *j)
{
	const struct graph_memory *g = j->g;

	memset(&j->mo, 0, sizeof(j->mo));
	memset(&j->fr, 0, sizeof(j->fr));
	for (int c = 0; c < MAX_CELLS; c++) {
		row later = 0;

		for (int i = g->nmo[c]; i-- > 0;) {
			const int w = g->mo[c][i];

			j->mo.to[w] = later;
			EACH(r, j->rf.to[w])
			j->fr.to[r] = later & ~BIT(r);
			later |= BIT(w);
		}
	}
	EACH(e, j->all)
	j->eco.to[e] = j->rf.to[e] | j->mo.to[e] | j->fr.to[e];
	close_relation(&j->eco, j->all);
}

/* The release sequence that a write heads. */
static row sequence(const struct judge *j, int w)
{
	row set = BIT(w) | (j->po.to[w] & j->at[j->g->event[w].cell] & j->writes), last = 0;

	if (w < MAX_CELLS)
		set = BIT(w); /* initial writes release nothing anyway */
	while (set != last) {
		last = set;
		EACH(x, last)
		set |= j->rf.to[x] & j->writes;
	}
	return set;
}

/* What happens before: program order, and from releases to acquires. */
static void happens_before(struct judge *j)
{
	EACH(e, j->all)
	j->hb.to[e] = j->po.to[e];
	EACH(w, j->writes & ~(BIT(MAX_CELLS) - 1))
	{
		row readers = 0, from = 0, to = 0;

		EACH(x, sequence(j, w))
		readers |= j->rf.to[x];
		if (releasing(j->g->event[w].order))
			from |= BIT(w);
		EACH(f, j->fences)
		if ((j->po.to[f] & BIT(w)) && releasing(j->g->event[f].order))
			from |= BIT(f);
		EACH(r, readers)
		{
			if (acquiring(j->g->event[r].order))
				to |= BIT(r);
			EACH(f, j->fences & j->po.to[r])
			if (acquiring(j->g->event[f].order))
				to |= BIT(f);
		}
		EACH(f, from)
		j->hb.to[f] |= to & ~BIT(f);
	}
	close_relation(&j->hb, j->all);
}

static bool coherent(const struct judge *j)
{
	EACH(a, j->all)
	{
		if (j->hb.to[a] & BIT(a))
			return false;
		EACH(b, j->hb.to[a])
		if (j->eco.to[b] & BIT(a))
			return false;
	}
	return true;
}

static row same_cell(const struct judge *j, int e)
{
	return j->g->event[e].kind == GRAPH_FENCE ? 0 : j->at[j->g->event[e].cell];
}

/* scb = po u po|!=loc;hb;po|!=loc u hb|loc u mo u fr */
static void sc_before(const struct judge *j, struct relation *scb)
{
	struct relation other;

	EACH(e, j->all)
	other.to[e] = j->po.to[e] & ~same_cell(j, e);
	compose(scb, &other, &j->hb, j->all);
	compose(scb, scb, &other, j->all);
	EACH(e, j->all)
	scb->to[e] |= j->po.to[e] | (j->hb.to[e] & same_cell(j, e)) | j->mo.to[e] | j->fr.to[e];
}

static bool psc_acyclic(const struct judge *j)
{
	struct relation left = { { 0 } }, right = { { 0 } }, scb, psc, strong;
	const row fences = j->fences & j->sc;

	if (!j->sc)
		return true;
	EACH(e, j->all)
	{
		left.to[e] = j->sc & BIT(e);
		if (fences & BIT(e))
			left.to[e] |= j->hb.to[e];
		right.to[e] = (j->sc & BIT(e)) | (j->hb.to[e] & fences);
	}
	sc_before(j, &scb);
	compose(&psc, &left, &scb, j->all);
	compose(&psc, &psc, &right, j->all);
	compose(&strong, &j->hb, &j->eco, j->all);
	compose(&strong, &strong, &j->hb, j->all);
	EACH(f, fences)
	psc.to[f] |= (j->hb.to[f] | strong.to[f]) & fences;
	return !has_cycle(&psc, j->all);
}

static bool consistent(const struct search *search, const struct graph_memory *g)
{
	struct judge j = { .g = g };

	classify(search, &j);
	order_writes(&j);
	happens_before(&j);
	return coherent(&j) && psc_acyclic(&j);
}

/* ---- Races --------------------------------------------------------------------------------- */

/* A plain variable's accesses are events as fences are that order nothing. */
static bool is_plain_variable(const struct graph_event *ev)
{
	return ev->kind == GRAPH_FENCE && ev->order == PLAIN;
}

static bool conflict(const struct graph_event *a, const struct graph_event *b)
{
	if (a->cell != b->cell || is_plain_variable(a) != is_plain_variable(b))
		return false;
	if (is_plain_variable(a))
		return a->value || b->value;
	return a->kind != GRAPH_FENCE && b->kind != GRAPH_FENCE &&
	       (a->order == PLAIN || b->order == PLAIN) && (a->kind | b->kind) & GRAPH_WRITE;
}

/* Does the event that was added last race with one of another thread? */
static bool races(const struct search *search, const struct graph_memory *g, int t)
{
	const int last = event_of(search, t, g->n[t] - 1);
	struct judge j = { .g = g };

	classify(search, &j);
	happens_before(&j);
	for (int u = 0; u < search->p->nthreads; u++)
		for (int i = 0; i < g->n[u] && u != t; i++)
			if (conflict(&g->event[event_of(search, u, i)], &g->event[last]) &&
			    !(j.hb.to[event_of(search, u, i)] & BIT(last)))
				return true;
	return false;
}

static void plain(struct search *search, struct state *s, int t, int variable, bool write)
{
	struct graph_memory *g = &s->graph;

	if (g->n[t] == per_thread(search)) {
		search->too_large = true;
		return;
	}
	g->event[event_of(search, t, g->n[t]++)] = (struct graph_event){
		.kind = GRAPH_FENCE, .order = PLAIN, .cell = (uint8_t)variable, .value = write
	};
	search->out->race |= races(search, g, t);
}

/* ---- Steps --------------------------------------------------------------------------------- */

/* Adds an event, and emits if that is consistent; at: the place in mo of what writes. */
static void add(struct search *search, struct state *next, int t, struct graph_event ev, int at)
{
	struct graph_memory *g = &next->graph;
	const int e = event_of(search, t, g->n[t]);

	if (g->n[t] == per_thread(search) ||
	    ((ev.kind & GRAPH_WRITE) && g->nmo[ev.cell] == GRAPH_WRITES)) {
		search->cut = true;
		return;
	}
	g->n[t]++;
	g->event[e] = ev;
	if (ev.kind != GRAPH_FENCE && (ev.kind & GRAPH_WRITE)) {
		memmove(&g->mo[ev.cell][at + 1], &g->mo[ev.cell][at],
			(size_t)(g->nmo[ev.cell] - at));
		g->mo[ev.cell][at] = (uint8_t)e;
		g->nmo[ev.cell]++;
	}
	if (!consistent(search, g))
		return;
	if (search->p->races)
		search->out->race |= races(search, g, t);
	search_emit(search, next, t, true);
}

static bool follows_its_source(const struct graph_memory *g, int cell, int at)
{
	return at < g->nmo[cell] && g->mo[cell][at] >= MAX_CELLS &&
	       g->event[g->mo[cell][at]].kind == (GRAPH_READ | GRAPH_WRITE);
}

/* What thread t does when it reads the write at this place in mo. */
static void read_from(struct search *search, const struct state *s, int t, const struct insn *i,
		      int at)
{
	struct state next = *s;
	int8_t *reg = next.t[t].reg;
	const uint8_t w = s->graph.mo[i->cell][at];
	const int old = s->graph.event[w].value;
	const bool mutex = i->op == OP_LOCK || i->op == OP_TRYLOCK;
	bool writes = i->op == OP_RMW || (mutex && !old);
	struct graph_event ev = { .kind = GRAPH_READ, .cell = i->cell, .order = i->order, .rf = w };

	if (i->op == OP_CAS)
		writes = old == operand_value(i->expected, reg);
	if (i->op == OP_LOCK && !writes)
		return;
	if (writes && follows_its_source(&s->graph, i->cell, at + 1))
		return;
	if (i->op == OP_CAS && !writes)
		ev.order = i->order_fail;
	if (mutex)
		ev.order = writes ? ACQ : RLX;
	if (writes) {
		ev.kind |= GRAPH_WRITE;
		ev.value = mutex ? 1
			   : i->op == OP_CAS
				   ? (int8_t)operand_value(i->arg, reg)
				   : (int8_t)rmw_value(i->fn, old, operand_value(i->arg, reg));
	}
	if (i->op == OP_LOAD || i->op == OP_RMW)
		reg[i->reg] = (int8_t)old;
	else if (i->op != OP_LOCK)
		reg[i->reg] = writes;
	if (i->op == OP_CAS)
		reg[i->reg2] = (int8_t)old;
	add(search, &next, t, ev, at + 1);
}

static void write_to(struct search *search, const struct state *s, int t, const struct insn *i,
		     int at)
{
	struct state next = *s;
	struct graph_event ev = { .kind = GRAPH_WRITE, .cell = i->cell, .order = i->order };

	if (follows_its_source(&s->graph, i->cell, at))
		return;
	if (i->op == OP_UNLOCK)
		ev.order = REL;
	else
		ev.value = (int8_t)operand_value(i->arg, s->t[t].reg);
	add(search, &next, t, ev, at);
}

static void step(struct search *search, const struct state *s, int t)
{
	const struct insn *i = next_insn(search, s, t);
	struct state next = *s;

	switch (i->op) {
	case OP_LOAD:
	case OP_RMW:
	case OP_CAS:
	case OP_LOCK:
	case OP_TRYLOCK:
		for (int at = 0; at < s->graph.nmo[i->cell]; at++)
			read_from(search, s, t, i, at);
		break;
	case OP_STORE:
	case OP_UNLOCK:
		for (int at = 1; at <= s->graph.nmo[i->cell]; at++)
			write_to(search, s, t, i, at);
		break;
	case OP_FENCE:
		add(search, &next, t,
		    (struct graph_event){ .kind = GRAPH_FENCE, .order = i->order }, 0);
		break;
	case OP_END:
		search_emit(search, &next, t, true);
		break;
	default:
		machine_cond(search, s, t);
		break;
	}
}

/* Do the last n events of a thread, which only read, stand there three times in a row? */
static bool three_times(const struct graph_event *last, int n)
{
	for (int i = 0; i < n; i++) {
		const struct graph_event *a = last - i;

		if (a->kind & GRAPH_WRITE || memcmp(a, a - n, sizeof(*a)) != 0 ||
		    memcmp(a, a - 2 * n, sizeof(*a)) != 0)
			return false;
	}
	return true;
}

static void tidy(const struct search *search, struct state *s)
{
	struct graph_memory *g = &s->graph;

	for (int t = 0; t < search->p->nthreads; t++)
		for (int n = 1; 3 * n <= g->n[t]; n++)
			if (three_times(&g->event[event_of(search, t, g->n[t] - 1)], n)) {
				g->n[t] = (uint8_t)(g->n[t] - n);
				n = 0;
			}
}

static uint8_t *pack(const struct search *search, const struct state *s, uint8_t *to)
{
	const struct graph_memory *g = &s->graph;

	for (int t = 0; t < search->p->nthreads; t++) {
		const size_t size = g->n[t] * sizeof(struct graph_event);

		*to++ = g->n[t];
		memcpy(to, &g->event[event_of(search, t, 0)], size);
		to += size;
	}
	for (int c = 0; c < MAX_CELLS; c++) {
		*to++ = g->nmo[c];
		memcpy(to, g->mo[c], g->nmo[c]);
		to += g->nmo[c];
	}
	return to;
}

static const uint8_t *unpack(const struct search *search, struct state *s, const uint8_t *from)
{
	struct graph_memory *g = &s->graph;

	start(search, s);
	for (int t = 0; t < search->p->nthreads; t++) {
		size_t size;

		g->n[t] = *from++;
		size = g->n[t] * sizeof(struct graph_event);
		memcpy(&g->event[event_of(search, t, 0)], from, size);
		from += size;
	}
	for (int c = 0; c < MAX_CELLS; c++) {
		g->nmo[c] = *from++;
		memcpy(g->mo[c], from, g->nmo[c]);
		from += g->nmo[c];
	}
	return from;
}

static void finish(struct search *search, const struct state *s, tell_fn tell)
{
	int8_t last[MAX_CELLS];

	for (int c = 0; c < MAX_CELLS; c++)
		last[c] = s->graph.event[s->graph.mo[c][s->graph.nmo[c] - 1]].value;
	tell(search, s, last);
}

const struct machine machine_graph = { start, step, tidy, pack, unpack, finish, NULL, NULL, plain };
