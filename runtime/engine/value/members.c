/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * members.c - what other executions with the same values would show
 *
 * Executions in which all reads return the same values have the same events, but not the same happens-before, nor the same
 * modification order. Of all of them one is visited. So what depends on these is asked about all: whether plain
 * accesses race, and whether threads stopped in loops stay there for good. Where one of them may show such a bug,
 * the program is explored by reads-from, which finds out, and reports it.
 *
 * Plain accesses: those which are ordered by how threads are created, end and are joined are in every execution
 * (value_clock()). All others are events here, with order ORDER_NA, so that what they read is part of the vector. (preload/race/)
 */
#include "engine/explore/explore.h"
#include "engine/value/certain.h"
#include "engine/value/rebuild.h"

#include <string.h>

/* ---- Order that every execution has ------------------------------------------------------------- */

static const struct event *at_end(const struct engine *e, uint32_t tid)
{
	const struct graph *g = &e->graph;

	return &g->ev[g->at[tid][e->done[tid] - 1]];
}

void value_happened(struct engine *e, uint32_t tid)
{
	struct value_search *v = e->value;
	const struct event *ev = at_end(e, tid);
	uint32_t *clock = v->clock[tid];

	clock[tid] = e->done[tid];
	if (ev->kind == OP_CREATE)
		memcpy(v->clock[ev->peer], clock, sizeof(v->clock[0]));
	for (uint32_t u = 0; ev->kind == OP_JOIN && u < e->nthreads; u++)
		if (v->clock[ev->peer][u] > clock[u])
			clock[u] = v->clock[ev->peer][u];
	value_note_plain(v, ev);
}

const uint32_t *value_clock(const struct engine *e, uint32_t tid)
{
	return e->value->clock[tid];
}

const uint32_t *value_repeated(struct engine *e, uint32_t tid)
{
	value_happened(e, tid);
	return value_clock(e, tid);
}

/* ---- Races --------------------------------------------------------------------------------------- */

struct pair {
	uint32_t a, b; /* in the graph below */
};

/* What is asked about pairs of accesses. */
struct unordered {
	/* Of each event: how many of each thread come before it, or are it, in every execution. */
	uint32_t (*before)[VALUE_ROW];
	struct pair pair; /* which is asked about */
};

/* Is that pair ordered in the graph so far, for certain? */
static bool are_ordered(const struct rebuilt *b, const struct pair *p)
{
	const struct graph *g = &b->e->graph;
	const struct event *x = &b->old[p->a], *y = &b->old[p->b];
	uint32_t at_x, at_y;

	if (x->index >= g->count[x->tid] || y->index >= g->count[y->tid])
		return false;
	at_x = g->at[x->tid][x->index];
	at_y = g->at[y->tid][y->index];
	return happens_before(g, at_x, at_y) || happens_before(g, at_y, at_x);
}

/* Is the race looked for none in that graph? */
static bool is_ordered(const struct rebuilt *b, void *ctx)
{
	const struct unordered *u = ctx;

	return are_ordered(b, &u->pair);
}

static bool conflict(const struct event *x, const struct event *y)
{
	return x->tid != y->tid && x->loc == y->loc && ((x->flags | y->flags) & EV_WRITE) &&
	       (x->order == ORDER_NA || y->order == ORDER_NA);
}

/* All pairs of accesses that conflict, and are not in sections of one lock, into out; false: two of them race already. */
static bool find_pairs(const struct graph *g, const uint64_t *held, struct pair *out, uint32_t *n,
		       uint32_t max)
{
	*n = 0;
	for (uint32_t a = 0; a < g->n; a++) {
		if (g->ev[a].loc == NO_LOC)
			continue;
		for (uint32_t b = g->ev[a].prev_at_loc; b != NO_POS; b = g->ev[b].prev_at_loc) {
			if (!conflict(&g->ev[a], &g->ev[b]) || (held[a] & held[b]))
				continue;
			if (*n == max || (!happens_before(g, a, b) && !happens_before(g, b, a)))
				return false;
			out[(*n)++] = (struct pair){ a, b };
		}
	}
	return true;
}

/* Of two accesses that conflict, is either before the other one, wherever there are such, in the graph as it is? */
static bool all_ordered(const struct graph *g)
{
	for (uint32_t a = 0; a < g->n; a++) {
		if (g->ev[a].loc == NO_LOC)
			continue;
		for (uint32_t b = g->ev[a].prev_at_loc; b != NO_POS; b = g->ev[b].prev_at_loc)
			if (conflict(&g->ev[a], &g->ev[b]) && !happens_before(g, a, b) &&
			    !happens_before(g, b, a))
				return false;
	}
	return true;
}

enum {
	LONGEST =
		16 *
		VALUE_LONG /* events: asked from VALUE_LONG on, whenever these are twice as many */
};

bool value_races(struct engine *e)
{
	struct value_search *v = e->value;
	const uint32_t n = e->graph.n;

	if (!v->plain || n < VALUE_LONG || n > LONGEST || n < 2 * v->looked)
		return false;
	v->looked = n;
	return !all_ordered(&e->graph);
}

/* Leaves those that are not ordered by what has to be in every execution, and keeps what comes before each event there. */
static void drop_ordered(struct rebuilt *b, struct unordered *u, struct pair *pair, uint32_t *n)
{
	const struct graph *g = &b->e->graph;
	uint32_t kept = 0;

	must(rebuild_musts(b, NULL));
	for (uint32_t i = 0; i < *n; i++)
		if (!are_ordered(b, &pair[i]))
			pair[kept++] = pair[i];
	*n = kept;
	for (uint32_t i = 0; kept && i < b->n; i++)
		memcpy(u->before[i], graph_hb(g, g->at[b->old[i].tid][b->old[i].index]),
		       b->e->nthreads * sizeof(uint32_t));
}

/* Does the event come before that one of the graph below in every execution, or is it that? */
static bool comes_before(const struct unordered *u, const struct event *ev, uint32_t pos)
{
	return ev->index < u->before[pos][ev->tid];
}

/* Where two accesses are not ordered, nothing that comes before the one, or is it, synchronises with anything that is the other, or behind it. (value.txt, M2) */
static bool keeps_unordered(const struct rebuilt *b, const struct event *read,
			    const struct event *write)
{
	const struct unordered *u = b->ctx;
	const struct graph *g = &b->e->graph;
	const struct event *x = &b->old[u->pair.a], *y = &b->old[u->pair.b];
	uint32_t at;

	if (!write || !order_hands_on(g, write) || !order_takes_over(g, read))
		return true;
	at = b->at[write->tid][write->index];
	return !(comes_before(u, x, at) && comes_before(u, read, u->pair.b)) &&
	       !(comes_before(u, y, at) && comes_before(u, read, u->pair.a));
}

/* Is there an execution in which the pair is not ordered? (Also if that is too much to ask.) */
static bool may_be_unordered(struct rebuilt *b)
{
	struct graph *g = &b->e->graph;
	bool found;

	b->may_observe = keeps_unordered;
	graph_truncate(g, 0);
	found = rebuild_musts(b, NULL) && !is_ordered(b, b->ctx);
	graph_truncate(g, 0);
	return found && rebuild_search(b) != VALUE_NEVER;
}

static bool is_plain(const struct event *ev)
{
	return ev->order == ORDER_NA && ev->loc != NO_LOC;
}

/*
 * The first of the plain accesses that the event stands among in its thread, with nothing else between them; or itself. What other threads do is before all of
 * them, or behind, or neither, since they synchronise with nothing, but where whatever is read does.
 */
static uint32_t first_of_run(const struct rebuilt *b, uint32_t pos)
{
	const struct event *ev = &b->old[pos];
	uint32_t i = ev->index;

	if (b->e->graph.sync == SYNC_PORF || !is_plain(ev))
		return pos;
	while (i && is_plain(&b->old[b->at[ev->tid][i - 1]]))
		i--;
	return b->at[ev->tid][i];
}

static bool was_asked(const struct pair *asked, uint32_t n, const struct pair *p)
{
	for (uint32_t i = 0; i < n; i++)
		if ((asked[i].a == p->a && asked[i].b == p->b) ||
		    (asked[i].a == p->b && asked[i].b == p->a))
			return true;
	return false;
}

/* Is that pair to be asked about? `asked` of them were, into the same list. */
static bool is_asked(const struct rebuilt *b, struct unordered *u, const struct pair *p,
		     struct pair *list, uint32_t *asked)
{
	u->pair = (struct pair){ first_of_run(b, p->a), first_of_run(b, p->b) };
	if (was_asked(list, *asked, &u->pair))
		return false;
	list[(*asked)++] = u->pair;
	return true;
}

static bool any_unordered(struct engine *e, struct pair *pair, uint32_t n)
{
	struct unordered u;
	struct rebuilt b;
	uint32_t asked = 0;
	bool found = false;

	if (!rebuild_begin(&b, e, false))
		return true;
	u.before = arena_take(&e->graph.scratch, b.n * sizeof(*u.before));
	b.by_value = true;
	drop_ordered(&b, &u, pair, &n);
	b.is_useless = is_ordered;
	b.ctx = &u;
	for (uint32_t i = 0; i < n && !found; i++)
		found = is_asked(&b, &u, &pair[i], pair, &asked) && may_be_unordered(&b);
	explore_pop(e);
	return found;
}

enum {
	PAIRS = 1 << 16
};

bool value_may_race(struct engine *e)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	struct pair *pair;
	uint64_t *held;
	uint32_t n;
	bool race;

	if (!e->value->plain)
		return false;
	held = arena_take(&g->scratch, (g->n + 1) * sizeof(*held));
	value_sections(e, held, false);
	pair = arena_take(&g->scratch, PAIRS * sizeof(*pair));
	race = !find_pairs(g, held, pair, &n, PAIRS) || (n && any_unordered(e, pair, n));
	arena_reset(&g->scratch, mark);
	return race;
}

/* ---- Races, node by node (value.txt, M2) ----------------------------------------------------------- */

static bool is_new(const struct value_search *v, const struct event *ev)
{
	return ev->index >= v->asked[ev->tid];
}

/* Is one of them before the other in all executions of the node, by its clocks? */
static bool is_certain(struct engine *e, uint32_t a, uint32_t b)
{
	const struct event *x = &e->graph.ev[a], *y = &e->graph.ev[b];

	return certain_clock(e, b)[x->tid] > x->index || certain_clock(e, a)[y->tid] > y->index;
}

/* Pairs with that event, which is new, into out. False: they race already. */
static bool add_pairs(struct engine *e, uint32_t a, struct pair *out, uint32_t *n, uint32_t max)
{
	const struct graph *g = &e->graph;

	for (uint32_t b = g->locs[g->ev[a].loc].last; b != NO_POS; b = g->ev[b].prev_at_loc) {
		/* Of two that are new the one meets the other. */
		if ((b > a && is_new(e->value, &g->ev[b])) || !conflict(&g->ev[a], &g->ev[b]) ||
		    is_certain(e, a, b))
			continue;
		if (*n == max || (!happens_before(g, a, b) && !happens_before(g, b, a)))
			return false;
		out[(*n)++] = (struct pair){ a, b };
	}
	return true;
}

static bool new_pairs(struct engine *e, struct pair *out, uint32_t *n, uint32_t max)
{
	const struct graph *g = &e->graph;

	*n = 0;
	for (uint32_t t = 0; t < e->nthreads; t++)
		for (uint32_t i = e->value->asked[t]; i < g->count[t]; i++)
			if (g->ev[g->at[t][i]].loc != NO_LOC &&
			    !add_pairs(e, g->at[t][i], out, n, max))
				return false;
	return true;
}

/* Leaves those that are not in sections of one lock. */
static void drop_guarded(struct engine *e, struct pair *pair, uint32_t *n)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	uint64_t *held = arena_take(&g->scratch, (g->n + 1) * sizeof(*held));
	uint32_t kept = 0;

	value_sections(e, held, false);
	for (uint32_t i = 0; i < *n; i++)
		if (!(held[pair[i].a] & held[pair[i].b]))
			pair[kept++] = pair[i];
	*n = kept;
	arena_reset(&g->scratch, mark);
}

/* Is there no execution of the node in which one of the pairs is not ordered? (False also if that is too much to ask.) */
static bool all_are_ordered(struct engine *e, struct pair *pair, uint32_t n)
{
	struct graph *g = &e->graph;
	struct rebuilt b;
	struct unordered u;
	uint32_t asked = 0;
	bool found = false;

	u.before = arena_take(&g->scratch, (g->n + 1) * sizeof(*u.before));
	for (uint32_t i = 0; i < g->n; i++)
		memcpy(u.before[i], certain_clock(e, i), e->nthreads * sizeof(uint32_t));
	if (!rebuild_begin(&b, e, false))
		return false;
	b.is_useless = is_ordered;
	b.ctx = &u;
	for (uint32_t i = 0; i < n && !found; i++)
		found = is_asked(&b, &u, &pair[i], pair, &asked) && may_be_unordered(&b);
	explore_pop(e);
	return !found;
}

enum {
	FEW = 1 << 12 /* pairs */
};

static bool is_in_order(struct engine *e)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	struct pair *pair = arena_take(&g->scratch, FEW * sizeof(*pair));
	uint32_t n;
	bool ordered = new_pairs(e, pair, &n, FEW);

	if (ordered && n)
		drop_guarded(e, pair, &n);
	ordered = ordered && (!n || all_are_ordered(e, pair, n));
	arena_reset(&g->scratch, mark);
	return ordered;
}

void value_look_at_order(struct engine *e)
{
	struct value_search *v = e->value;
	const bool above = v->nnodes && v->node[v->nnodes - 1].open;

	v->open = above || (v->plain && (v->by_sets || e->graph.n >= v->room || !is_in_order(e)));
	memcpy(v->asked, e->graph.count, sizeof(v->asked));
}

bool value_races_elsewhere(struct engine *e)
{
	const struct value_search *v = e->value;

	return v->is_decided && !v->by_sets && v->open && value_may_race(e);
}

/* ---- Threads that stay in loops ------------------------------------------------------------------ */

/* May a write (of the graph below, or RF_INIT) be the last of its location, for all that has to be in every execution? */
static bool may_be_last(const struct rebuilt *b, uint32_t loc, uint32_t write)
{
	const struct graph *g = &b->e->graph;

	for (uint32_t i = 0; i < b->n; i++) {
		const struct event *w = &b->old[i];

		if (!(w->flags & EV_WRITE) || w->loc != loc || i == write)
			continue;
		if (write == RF_INIT ||
		    happens_before(g, g->at[b->old[write].tid][b->old[write].index],
				   g->at[w->tid][w->index]))
			return false;
	}
	return true;
}

/* The same for any write with the value that the read returned. */
static bool may_stay(const struct rebuilt *b, const struct event *read)
{
	if (value_eq(b->e->graph.locs[read->loc].initial, read->read) &&
	    may_be_last(b, read->loc, RF_INIT))
		return true;
	for (uint32_t i = 0; i < b->n; i++)
		if ((b->old[i].flags & EV_WRITE) && b->old[i].loc == read->loc &&
		    value_eq(b->old[i].written, read->read) && may_be_last(b, read->loc, i))
			return true;
	return false;
}

/* The reads of the last round of a thread, which has so many events, into out; returns how many. */
static uint32_t last_reads(const struct engine *e, uint32_t tid, const struct event *ev,
			   const uint32_t *at, uint32_t end, uint32_t *out)
{
	uint32_t left = e->thread[tid].pending.peer, n = 0;

	for (uint32_t i = end; i-- && left;) {
		if (is_rmw_write(&ev[at[i]]))
			continue;
		left--;
		if (ev[at[i]].flags & EV_READ)
			out[n++] = at[i];
	}
	return n;
}

/* Does each read of its last round let the thread stay? */
static bool stays(const struct rebuilt *b, uint32_t tid)
{
	uint32_t n = last_reads(b->e, tid, b->old, b->at[tid], b->end[tid], b->out);

	while (n && may_stay(b, &b->old[b->out[n - 1]]))
		n--;
	return !n;
}

/* Do all of them, in what has to be in every execution? */
static bool all_may_stay(struct rebuilt *b)
{
	const struct engine *e = b->e;

	must(rebuild_musts(b, NULL));
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (e->thread[t].state == THREAD_STUCK &&
		    (!e->thread[t].pending.peer || !stays(b, t)))
			return false; /* 0: it would end its round another way */
	return true;
}

/* Has the thread of that write written there again? Then it is the last one in no execution. */
static bool is_written_again(const struct graph *g, uint32_t write)
{
	const struct event *ev = &g->ev[write];

	for (uint32_t p = g->locs[ev->loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if ((g->ev[p].flags & EV_WRITE) && g->ev[p].tid == ev->tid &&
		    g->ev[p].index > ev->index)
			return true;
	return false;
}

/* Is there a write with what the read returned that may be the last one, as far as its own thread tells? */
static bool has_last(const struct graph *g, const struct event *read)
{
	bool none = true;

	for (uint32_t p = g->locs[read->loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		if (!(g->ev[p].flags & EV_WRITE))
			continue;
		none = false;
		if (value_eq(g->ev[p].written, read->read) && !is_written_again(g, p))
			return true;
	}
	return none;
}

/* The same of all reads of all last rounds: most threads that wait are told so that another one goes on. */
static bool all_have_last(struct engine *e)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	uint32_t *read = arena_take(&g->scratch, (g->n + 1) * sizeof(*read)), n = 0;

	for (uint32_t t = 0; t < e->nthreads && !n; t++) {
		if (e->thread[t].state != THREAD_STUCK)
			continue;
		n = last_reads(e, t, g->ev, g->at[t], g->count[t], read);
		while (n && has_last(g, &g->ev[read[n - 1]]))
			n--;
	}
	arena_reset(&g->scratch, mark);
	return !n;
}

bool value_may_be_stuck(struct engine *e, bool (*is_stuck)(struct engine *e))
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	struct rebuilt b;
	bool any = false, found;

	for (uint32_t t = 0; t < e->nthreads; t++)
		any |= e->thread[t].state == THREAD_STUCK;
	if (!any || (!e->model->admits && !all_have_last(e)))
		return false;
	if (e->model->admits || !rebuild_begin(&b, e, false)) /* wra: there is no last write */
		return true;
	b.by_value = true;
	b.is_wanted = is_stuck;
	found = all_may_stay(&b);
	graph_truncate(g, 0);
	found = found && rebuild_search(&b) != VALUE_NEVER;
	explore_pop(e);
	arena_reset(&g->scratch, mark);
	return found;
}
