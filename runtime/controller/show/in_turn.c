/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * in_turn.c - see in_turn.h
 *
 * A topological sort (Kahn, CACM 1962) by two kinds of edges: those that hold in any case, and those from a load to the next write, which
 * are given up where nothing else can come.
 */
#include "config.h"

#include "controller/show/in_turn.h"

#include <stdlib.h>
#include <string.h>

enum {
	EDGES_MOST = 6 /* of one step, for each reason that there is */
};

#define NONE SIZE_MAX

struct edge {
	size_t from, to;
	bool firm;
};

/* Steps that wait, the one that was executed first on top: a binary heap. */
struct waiting {
	size_t *at, n;
};

struct turns {
	const struct step *steps;
	size_t n;
	struct edge *edge;
	size_t nedges;
	size_t *first; /* edges of step i: first[i] to first[i + 1] - 1, when they are sorted */
	size_t *firm, *loose; /* edges that still lead to a step */
	size_t *list,
		*start; /* the steps of each thread, one behind the other; where those of a thread begin */
	size_t *next_write; /* of a step that writes its location: the next one that does; NONE */
	bool *done;
	struct waiting ready, held; /* no edge leads to it; no firm one does */
};

static void add_edge(struct turns *t, size_t from, size_t to, bool firm)
{
	if (from != NONE && to != NONE && from != to)
		t->edge[t->nedges++] = (struct edge){ from, to, firm };
}

/* ---- Who is who ------------------------------------------------------------------------------------- */

static void list_threads(struct turns *t)
{
	size_t at[HEDDLE_MAX_THREADS + 1];

	memset(t->start, 0, (HEDDLE_MAX_THREADS + 1) * sizeof(*t->start));
	for (size_t i = 0; i < t->n; i++)
		t->start[t->steps[i].record.tid + 1]++;
	for (size_t k = 0; k < HEDDLE_MAX_THREADS; k++)
		t->start[k + 1] += t->start[k];
	memcpy(at, t->start, sizeof(at));
	for (size_t i = 0; i < t->n; i++)
		t->list[at[t->steps[i].record.tid]++] = i;
}

/* The step of that name that was executed before `before`, or NONE. */
static size_t step_named(const struct turns *t, uint32_t tid, uint32_t index, size_t before)
{
	size_t lo = t->start[tid], hi = t->start[tid + 1];

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (t->steps[t->list[mid]].record.index < index)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* One that only stopped its thread has the index of what comes next. */
	for (; lo < t->start[tid + 1]; lo++) {
		const struct engine_step_record *r = &t->steps[t->list[lo]].record;

		if (r->index != index)
			return NONE;
		if (step_happened(r))
			return t->list[lo] < before ? t->list[lo] : NONE;
	}
	return NONE;
}

/* Does it only look at memory? */
static bool is_load(const struct engine_step_record *r)
{
	return r->kind <= OP_CAS && !(r->flags & STEP_WROTE);
}

/* It ends when nothing else can go on, so all before stays before it. */
static bool is_last(const struct engine_step_record *r)
{
	return r->kind == OP_EXIT || r->kind == OP_STUCK || r->kind == OP_BLOCK;
}

/* ---- Edges ------------------------------------------------------------------------------------------ */

static void add_threads(struct turns *t)
{
	for (uint32_t tid = 0; tid < HEDDLE_MAX_THREADS; tid++)
		for (size_t k = t->start[tid] + 1; k < t->start[tid + 1]; k++)
			add_edge(t, t->list[k - 1], t->list[k], true);
}

static const struct step *sorted_steps;

static int by_address(const void *a, const void *b)
{
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;
	const uint64_t x = sorted_steps[i].record.addr, y = sorted_steps[k].record.addr;

	return x != y ? (x < y ? -1 : 1) : i < k ? -1 : i > k;
}

/* Those that write a location, one behind the other; and loads of the initial value before the first of them. */
static void add_location(struct turns *t, const size_t *at, size_t n)
{
	size_t last = NONE, first = NONE;

	for (size_t i = 0; i < n; i++) {
		if (is_load(&t->steps[at[i]].record))
			continue;
		add_edge(t, last, at[i], true);
		if (last != NONE)
			t->next_write[last] = at[i];
		else
			first = at[i];
		last = at[i];
	}
	for (size_t i = 0; i < n; i++) {
		const struct engine_step_record *r = &t->steps[at[i]].record;

		if (is_load(r) && r->rf_tid == -1)
			add_edge(t, at[i], first, false);
	}
}

static bool add_locations(struct turns *t)
{
	size_t *at = malloc((t->n + 1) * sizeof(*at)), n = 0;

	if (!at)
		return false;
	for (size_t i = 0; i < t->n; i++)
		if (t->steps[i].record.addr)
			at[n++] = i;
	sorted_steps = t->steps;
	qsort(at, n, sizeof(*at), by_address);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && t->steps[at[k]].record.addr == t->steps[at[i]].record.addr;)
			k++;
		add_location(t, at + i, k - i);
	}
	free(at);
	return true;
}

/* What it reads from, or was woken by; of a load, the next write behind that as well. */
static void add_source(struct turns *t, size_t i)
{
	const struct engine_step_record *r = &t->steps[i].record;
	size_t from;

	if (r->rf_tid < 0 || (!(r->flags & STEP_READ) && !step_is_woken(r)))
		return;
	from = step_named(t, (uint32_t)r->rf_tid, r->rf_index, i);
	add_edge(t, from, i, true);
	if (from != NONE && is_load(r) && t->steps[from].record.addr == r->addr)
		add_edge(t, i, t->next_write[from], false);
}

/* Threads are created before they begin, and have ended before they are joined; other objects without a place keep their order. */
static void add_objects(struct turns *t)
{
	size_t created[HEDDLE_MAX_THREADS], ended[HEDDLE_MAX_THREADS], other = NONE;

	memset(created, 0xff, sizeof(created));
	memset(ended, 0xff, sizeof(ended));
	for (size_t i = 0; i < t->n; i++) {
		const struct engine_step_record *r = &t->steps[i].record;

		if (r->kind == OP_START)
			add_edge(t, created[r->tid], i, true);
		if (r->kind == OP_JOIN && r->peer < HEDDLE_MAX_THREADS)
			add_edge(t, ended[r->peer], i, true);
		if (r->kind == OP_CREATE && r->peer < HEDDLE_MAX_THREADS)
			created[r->peer] = i;
		if (r->kind == OP_END)
			ended[r->tid] = i;
		if (r->kind <= OP_FENCE || r->addr || r->kind == OP_START || r->kind == OP_JOIN ||
		    r->kind == OP_END || !step_happened(r))
			continue;
		add_edge(t, other, i, true);
		other = i;
	}
}

static bool add_edges(struct turns *t)
{
	list_threads(t);
	add_threads(t);
	if (!add_locations(t))
		return false;
	for (size_t i = 0; i < t->n; i++)
		add_source(t, i);
	add_objects(t);
	return true;
}

static int by_origin(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static void count_edges(struct turns *t)
{
	size_t at = 0;

	qsort(t->edge, t->nedges, sizeof(*t->edge), by_origin);
	for (size_t i = 0; i <= t->n; i++) {
		while (at < t->nedges && t->edge[at].from < i)
			at++;
		t->first[i] = at;
	}
	for (size_t k = 0; k < t->nedges; k++)
		(t->edge[k].firm ? t->firm : t->loose)[t->edge[k].to]++;
}

/* ---- The sort --------------------------------------------------------------------------------------- */

static void put(struct waiting *w, size_t step)
{
	size_t i = w->n++;

	for (; i && w->at[(i - 1) / 2] > step; i = (i - 1) / 2)
		w->at[i] = w->at[(i - 1) / 2];
	w->at[i] = step;
}

static size_t take(struct waiting *w)
{
	const size_t top = w->at[0], last = w->at[--w->n];
	size_t i = 0, k;

	while ((k = 2 * i + 1) < w->n) {
		k += k + 1 < w->n && w->at[k + 1] < w->at[k];
		if (w->at[k] >= last)
			break;
		w->at[i] = w->at[k];
		i = k;
	}
	w->at[i] = last;
	return top;
}

/* No firm edge leads to it any more, or no other one. */
static void may_come(struct turns *t, size_t i)
{
	if (!t->firm[i])
		put(t->loose[i] ? &t->held : &t->ready, i);
}

static size_t next(struct turns *t)
{
	while (t->ready.n || t->held.n) {
		const size_t i = take(t->ready.n ? &t->ready : &t->held);

		if (!t->done[i])
			return i;
	}
	return NONE;
}

/* Returns how many steps have come. */
static size_t sort(struct turns *t, size_t *order)
{
	size_t n = 0, i;

	for (i = 0; i < t->n; i++)
		may_come(t, i);
	while ((i = next(t)) != NONE) {
		t->done[i] = true;
		order[n++] = i;
		for (size_t k = t->first[i]; k < t->first[i + 1]; k++) {
			const struct edge *e = &t->edge[k];

			if (--(e->firm ? t->firm : t->loose)[e->to] == 0 && !t->done[e->to])
				may_come(t, e->to);
		}
	}
	return n;
}

static bool make_room(struct turns *t)
{
	const size_t n = t->n + 2;

	t->edge = malloc(EDGES_MOST * n * sizeof(*t->edge));
	t->first = malloc(n * sizeof(size_t));
	t->firm = calloc(n, sizeof(size_t));
	t->loose = calloc(n, sizeof(size_t));
	t->list = malloc(n * sizeof(size_t));
	t->start = malloc((HEDDLE_MAX_THREADS + 1) * sizeof(size_t));
	t->next_write = malloc(n * sizeof(size_t));
	t->done = calloc(n, sizeof(bool));
	t->ready.at = malloc(2 * n * sizeof(size_t));
	t->held.at = malloc(2 * n * sizeof(size_t));
	if (t->next_write)
		memset(t->next_write, 0xff, n * sizeof(size_t));
	return t->edge && t->first && t->firm && t->loose && t->list && t->start && t->next_write &&
	       t->done && t->ready.at && t->held.at;
}

static void release(struct turns *t)
{
	void *all[] = { t->edge,  t->first,      t->firm, t->loose,    t->list,
			t->start, t->next_write, t->done, t->ready.at, t->held.at };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(all[i]);
}

/* Takes away the edges against which the order goes, which is what the model allows. Were there any? */
static bool drop_edges(struct turns *t, const size_t *order)
{
	const size_t before = t->nedges;
	size_t *place = t->list;

	for (size_t i = 0; i < t->n; i++)
		place[order[i]] = i;
	t->nedges = 0;
	for (size_t k = 0; k < before; k++)
		if (place[t->edge[k].from] < place[t->edge[k].to])
			t->edge[t->nedges++] = t->edge[k];
	return t->nedges < before;
}

/* Without those edges nothing waits for them in vain, and so all else comes when it was executed. */
static bool in_turn(const struct step *steps, size_t n, size_t *order)
{
	struct turns t = { .steps = steps, .n = n };
	bool ok = make_room(&t) && add_edges(&t);

	if (ok) {
		count_edges(&t);
		ok = sort(&t, order) == n;
	}
	if (ok && drop_edges(&t, order)) {
		memset(t.done, 0, n * sizeof(*t.done));
		memset(t.firm, 0, n * sizeof(*t.firm));
		memset(t.loose, 0, n * sizeof(*t.loose));
		count_edges(&t);
		ok = sort(&t, order) == n;
	}
	release(&t);
	return ok;
}

bool steps_in_turn(const struct step *steps, size_t n, size_t *order)
{
	size_t end = 0;

	while (end < n && !is_last(&steps[end].record))
		end++;
	for (size_t i = end; i < n; i++)
		order[i] = i;
	return in_turn(steps, end, order);
}
