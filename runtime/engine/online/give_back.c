/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * give_back.c - see give_back.h
 */
#include "engine/online/give_back.h"

#include <string.h>

#include "engine/online/gone.h"
#include "engine/online/marks.h"
#include "engine/run/run.h"

enum {
	FIRST = 1 << 12, /* events, when it is done at first */
	RECENT = 256,    /* of each thread so many stay in any case */
	FEW = 1,         /* where it is done often, for tests */
	LARGE = 1
		<< 16, /* events that stay: from so many on it is done more often, for the memory */
	MUCH = 1 << 17, /* writes that may be read: 30 to 60 MB */
};

size_t giving_bytes(uint32_t capacity)
{
	return 2 * capacity * sizeof(uint32_t) + 2 * ARENA_SKEW;
}

void giving_init(struct engine *e, struct arena *a, uint32_t capacity)
{
	e->online->giving.left = arena_table(a, capacity * sizeof(uint32_t));
	e->online->giving.lives = arena_table(a, capacity * sizeof(uint32_t));
}

static uint32_t first_time(const struct engine *e)
{
	return e->config.give_back_after ? e->config.give_back_after : FIRST;
}

void giving_begin(struct engine *e)
{
	struct giving *v = &e->online->giving;

	if (v->any)
		graph_unfold(&e->graph);
	v->everything = e->config.everything || v->everything_next || guide_is(&e->online->guide);
	v->everything_next = false;
	v->at = first_time(e);
	v->any = v->synchronised = v->any_gone = false;
	v->nleft = v->from = v->nlives = 0;
	v->lost = false;
	memset(v->low, 0, sizeof(v->low));
	memset(v->given, 0, sizeof(v->given));
	memset(v->ended, 0, sizeof(v->ended));
}

/* ---- Lists ---------------------------------------------------------------------------------------------------- */

/* Lists of threads at locations, and of fences, by the event that was last. */
static void empty_lists(struct engine *e)
{
	struct online *on = e->online;
	struct modification *o = &on->mo;
	const struct graph *g = &e->graph;

	for (uint32_t loc = 0; loc < g->nlocs && loc < o->rows; loc++)
		for (uint32_t t = 0; g->locs[loc].last != NO_POS && t < o->stride; t++)
			o->last[(size_t)loc * o->stride + t] = NO_POS;
	for (uint32_t t = 0; on->way == WAY_RC11 && on->sc.first != NO_POS && t < g->nthreads; t++)
		on->sc.fences[t] = NO_POS;
}

/* The event stands for a write that does not stay: it has its label. */
static void stand_for_itself(struct modification *o, const uint8_t *keep, uint32_t pos)
{
	struct drawn *d = &o->of[pos];

	if (d->write == pos || d->write >= RF_NONE || keep[d->write])
		return;
	d->label = o->of[d->write].label;
	d->write = pos;
}

static void list_again(struct engine *e, const struct marks *m, uint32_t pos)
{
	struct online *on = e->online;
	struct modification *o = &on->mo;
	const struct event *ev = &e->graph.ev[pos];
	uint32_t *list = ev->loc == NO_LOC ? &on->sc.fences[ev->tid]
					   : &o->last[(size_t)ev->loc * o->stride + ev->tid];
	struct drawn was;

	stand_for_itself(o, m->keep, pos);
	was = o->of[pos];
	mod_list_add(o, list, pos);
	o->of[pos].newest = was.newest;
	o->of[pos].write = was.write;
	o->of[pos].label = was.label;
	o->of[pos].moment = was.moment;
}

/* The lists are made again of what stays. */
static void make_lists(struct engine *e, const struct marks *m)
{
	empty_lists(e);
	for (uint32_t i = 0; i < m->nevents; i++)
		if (e->online->mo.listed[m->events[i]])
			list_again(e, m, m->events[i]);
}

/* ---- Moving --------------------------------------------------------------------------------------------------- */

static void move_place(uint32_t *pos, const uint32_t *place)
{
	if (*pos < RF_NONE)
		*pos = place[*pos];
}

static void move_drawn(struct engine *e, const struct marks *m, const uint32_t *place)
{
	struct online *on = e->online;
	struct modification *o = &on->mo;
	const struct graph *g = &e->graph;

	for (uint32_t to = 0; to < m->nevents; to++) {
		const uint32_t pos = m->events[to];
		struct drawn *d = &o->of[to];

		*d = o->of[pos];
		o->listed[to] = o->listed[pos];
		if (!o->listed[pos])
			continue; /* nothing but its moment counts */
		move_place(&d->prev, place);
		move_place(&d->jump, place);
		move_place(&d->write, place);
		move_place(&d->last_write, place);
		move_place(&d->last_sc, place);
	}
	for (uint32_t loc = 0; loc < g->nlocs && loc < o->rows; loc++) {
		if (g->locs[loc].last == NO_POS)
			continue;
		move_place(&o->at[loc].oldest, place);
		move_place(&o->at[loc].chain, place);
		for (uint32_t t = 0; t < o->stride; t++)
			move_place(&o->last[(size_t)loc * o->stride + t], place);
	}
}

static void move_sc(struct engine *e, const uint32_t *place)
{
	struct sc_order *s = &e->online->sc;
	const uint32_t n = e->graph.n;
	uint32_t first = s->first;

	if (e->online->way != WAY_RC11 || first == NO_POS)
		return;
	for (uint32_t pos = first; pos < n; pos++) {
		if (place[pos] == NO_POS)
			continue;
		s->note[place[pos]] = s->note[pos];
	}
	/* Its last one stays, so there is one. */
	while (place[first] == NO_POS)
		first++;
	for (uint32_t p = s->last; p != NO_POS;) {
		struct sc_note *note = &s->note[place[p]];

		p = note->left;
		move_place(&note->left, place);
		move_place(&note->right, place);
	}
	move_place(&s->last, place);
	s->first = place[first];
	for (uint32_t t = 0; t < e->graph.nthreads; t++)
		move_place(&s->fences[t], place);
}

static void move_buffers(struct engine *e, const uint32_t *place)
{
	struct buffers *b = &e->online->buffers;

	for (uint32_t t = 0; e->online->way == WAY_BUFFERS && t < e->nthreads; t++) {
		uint32_t n = 0;

		for (uint32_t i = b->from[t]; i < b->to[t]; i++)
			b->store[t][n++] = place[b->store[t][i]];
		b->from[t] = 0;
		b->to[t] = n;
	}
}

/* What a thread has read is news if it is behind this one: that is said of the last before it that stays, as well. */
static void move_news(struct engine *e, const uint32_t *place)
{
	for (uint32_t t = 0; t < e->nthreads; t++) {
		uint32_t *newest = &e->online->newest[t];

		if (*newest == NO_POS)
			continue;
		while (*newest && place[*newest] == NO_POS)
			--*newest;
		*newest = place[*newest];
	}
}

/* Where threads went on behind yields, before those operations. */
static void move_stops(struct engine *e, uint32_t gone)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->nstops; i++) {
		if (e->stop[i].at < gone)
			continue;
		e->stop[n] = e->stop[i];
		e->stop[n++].at -= gone;
	}
	e->nstops = n;
}

/* The steps of the last operations stay, as many as have all their events. */
static void move_steps(struct engine *e, const struct marks *m, const uint32_t *place)
{
	struct giving *v = &e->online->giving;
	const uint32_t most = m->recent / 2, gone = e->nran > most ? e->nran - most : 0;

	v->synchronised = v->synchronised || run_synchronises(e);
	for (uint32_t i = gone; i < e->nran; i++) {
		e->ran[i - gone] = e->ran[i];
		move_place(&e->ran[i - gone].pos, place);
	}
	move_stops(e, gone);
	e->nran -= gone;
	e->ran_before += gone;
}

/* What has to be known of creations, ends and joins that go. */
static void move_lives(struct engine *e, const uint32_t *place)
{
	struct giving *v = &e->online->giving;
	uint32_t n = 0;

	for (uint32_t i = 0; i < v->nlives; i++) {
		const struct event *ev = &e->graph.ev[v->lives[i]];

		if (place[v->lives[i]] != NO_POS) {
			v->lives[n++] = place[v->lives[i]];
			continue;
		}
		v->given[ev->peer % HEDDLE_MAX_THREADS] += ev->kind == OP_CREATE;
		v->ended[ev->tid] += ev->kind == OP_END;
	}
	v->nlives = n;
}

static void move_all(struct engine *e, const struct marks *m)
{
	struct graph *g = &e->graph;
	uint32_t *place = arena_take(&g->scratch, g->n * sizeof(*place));

	memset(place, 0xff, g->n * sizeof(*place));
	for (uint32_t i = 0; i < m->nevents; i++)
		place[m->events[i]] = i;
	move_lives(e, place);
	move_drawn(e, m, place);
	move_sc(e, place);
	move_news(e, place);
	move_buffers(e, place);
	move_steps(e, m, place);
	graph_compact(g, m->events, m->nevents, place, e->online->giving.low);
}

static void leave(struct engine *e, const struct marks *m)
{
	struct giving *v = &e->online->giving;
	uint32_t nlives = 0;

	v->nleft = m->nevents;
	memcpy(v->left, m->events, m->nevents * sizeof(*m->events));
	v->from = e->graph.n;
	for (uint32_t i = 0; i < v->nlives; i++)
		if (m->keep[v->lives[i]])
			v->lives[nlives++] = v->lives[i];
	v->nlives = nlives;
}

/* When to do it again: so that it is O(1) for each event, unless there are many locations. */
static void when_next(struct engine *e, uint32_t nkept)
{
	struct giving *v = &e->online->giving;
	const uint32_t last = e->graph.capacity / 8 * 7;
	uint32_t more = first_time(e);

	if (!e->config.give_back_after)
		more += (nkept < LARGE ? 3 : 1) * nkept + e->graph.nlocs / 4 * e->graph.nthreads;
	v->at = e->graph.n < last && e->graph.n + more > last ? last : e->graph.n + more;
}

/* When memory would be full of the writes that may be read, only the last of each location may be. */
static void give_up(struct engine *e, const struct floors *f)
{
	bool *lost = &e->online->giving.lost;

	*lost |= floors_give_up(e, f, e->config.window);
	if (!e->config.window && e->config.window_of_full && e->graph.n > MUCH &&
	    floors_left(e) > MUCH)
		*lost |= floors_give_up(e, f, e->config.window_of_full);
}

void online_give_back(struct engine *e)
{
	struct giving *v = &e->online->giving;
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	struct marks m = { .e = e,
			   .old = v->left,
			   .nold = v->nleft,
			   .from = v->from,
			   .recent = first_time(e) < RECENT ? FEW : RECENT };
	struct floors floors;

	/* Whether accesses of several parts are whole is asked of all events. */
	if (g->parts && !v->any && !e->config.parts_in_order) {
		v->at = NO_POS;
		return;
	}
	v->any = true;
	e->calm_until = 0;
	graph_fold(g);
	floors_find(e, &floors);
	/* Also where all events stay, so that as many are listed, and it is done again at the same time. */
	if (!guide_is(&e->online->guide))
		gone_bury(e, &floors.goes_on);
	give_up(e, &floors);
	m.floors = &floors;
	marks_make(&m);
	for (uint32_t t = 0; t < g->nthreads; t++)
		v->low[t] = marks_low(&m, t);
	make_lists(e, &m);
	mod_moved(&e->online->mo);
	if (v->everything)
		leave(e, &m);
	else
		move_all(e, &m);
	if (e->online->way == WAY_WEAK)
		mod_far_again(&e->online->mo);
	arena_reset(&g->scratch, mark);
	when_next(e, m.nevents);
	if (e->config.moved && !v->everything)
		e->config.moved(e->config.ctx);
}
