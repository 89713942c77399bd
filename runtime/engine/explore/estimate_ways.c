/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * estimate_ways.c - the children of a node of a descent, and how much is below each, for all that is known
 *
 * A child that is thought to be large is taken often. What is thought of it is right or wrong, the estimate has no bias; but the better
 * it is, the less descents differ. At first all ways on from an event are thought to have as much below them
 * (share_out()). Then it is learned: below an item there is what its run is worth, and what is below the items that it notes
 * (ways_learn()).
 *
 * Caller: estimate.c.
 */
#include "engine/explore/estimate_ways.h"

#include <string.h>

/* ---- Names -------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t name, uint64_t x)
{
	name = (name ^ x) * 0x9e3779b97f4a7c15u;
	return name ^ name >> 29;
}

/* The events of the graph that an item belongs to. */
static const struct event *events_of(const struct engine *e, uint32_t item)
{
	uint32_t i = e->nframes;

	if (item >= e->work_base)
		return e->graph.ev;
	while (e->frame[i - 1].work > item)
		i--;
	return e->graph.pool + e->frame[i - 1].base;
}

static bool is_revisit(const struct work *w)
{
	return w->kind == WORK_REVISIT || w->kind == WORK_SLOT;
}

/* An await that could pass is to wait. */
static bool is_gate(const struct engine *e, uint32_t item)
{
	const struct work *w = &e->work[item];

	return w->kind == WORK_READ && w->rf == RF_NONE && w->open != GATE_OPEN &&
	       (events_of(e, item)[w->stamp].flags & EV_AWAIT);
}

static bool was_chosen(const struct sizes *s, const struct event *ev)
{
	const uint64_t name = mix(event_name(ev), 3);

	return s->chosen[(name >> 32) % CHOSEN] == name;
}

/* The graph that is left when an item is done. */
struct left {
	uint32_t n,
		free; /* events; and those behind the last that keeps all before it from being revisited, as far as is known */
	uint64_t bound;  /* that one's name */
	uint64_t events; /* sum of their names */
	uint64_t counts; /* of how many each thread has, whichever it is */
};

static struct left left_by(const struct engine *e, const struct sizes *s, uint32_t item)
{
	const struct work *w = &e->work[item];
	const struct event *ev = events_of(e, item);
	const uint32_t *prefix =
		e->graph.pool_porf + ((size_t)(ev - e->graph.pool) + w->stamp) * e->graph.stride;
	uint32_t count[HEDDLE_EXPLORED_THREADS] = { 0 };
	struct left l = { 0 };

	for (uint32_t p = 0; p <= w->stamp; p++) {
		const bool before = ev[p].index < prefix[ev[p].tid];

		if (is_revisit(w) && p > w->read && !before)
			continue;
		l.n++;
		l.free++;
		l.events += mix(event_name(&ev[p]), 1);
		count[ev[p].tid]++;
		if (!before && (ev[p].flags & EV_READ) && was_chosen(s, &ev[p])) {
			l.free = 0;
			l.bound = event_name(&ev[p]);
		}
	}
	for (uint32_t t = 0; t < e->graph.nthreads; t++)
		l.counts += mix(count[t], 2);
	return l;
}

static void name_way(const struct engine *e, const struct sizes *s, uint32_t item, struct way *out)
{
	const struct work *w = &e->work[item];
	const struct event *ev = &events_of(e, item)[is_revisit(w) ? w->read : w->stamp];
	const uint64_t what = (uint64_t)w->kind << 2 | (uint64_t)w->taken << 1 | is_gate(e, item);
	const struct left l = left_by(e, s, item);

	out->name.by[0] = mix(mix(mix(l.events, l.bound), what), event_name(ev));
	out->name.by[1] = mix(mix(mix(l.counts, l.free), what), ev->index);
	out->name.by[2] = mix(mix(mix(l.n, l.free), what), 2);
	out->place = ev->pc;
}

void ways_begin(struct sizes *s)
{
	memset(s->chosen, 0, sizeof(s->chosen));
}

void ways_take(struct engine *e, struct sizes *s, uint32_t item)
{
	const struct work *w = &e->work[item];
	const struct event *ev = events_of(e, item);
	const uint64_t name = mix(event_name(&ev[is_revisit(w) ? w->read : w->stamp]), 3);

	s->chosen[(name >> 32) % CHOSEN] = name;
}

/* ---- Sizes -------------------------------------------------------------------------------------------- */

static const struct size *known(const struct sizes *s, uint64_t name)
{
	const struct size *size = &s->of[(name >> 32) % SIZES];

	return size->name == name ? size : NULL;
}

void ways_learn(struct sizes *s, const struct way_name *name, double size)
{
	for (int i = 0; i < NAMES; i++) {
		struct size *to = &s->of[(name->by[i] >> 32) % SIZES];

		if (to->name != name->by[i])
			*to = (struct size){ .name = name->by[i] };
		to->n++;
		/* What is thought of those below gets better. */
		to->mean += (size / (i ? name->guess : 1) - to->mean) / (to->n < 16 ? to->n : 16);
	}
}

/* ---- Ways --------------------------------------------------------------------------------------------- */

/* Mostly nothing comes of a gate, and what it says of itself tells how likely that is. */
static double chance(const struct engine *e, uint32_t item)
{
	if (!is_gate(e, item))
		return 1;
	return e->work[item].open ? 1.0 / 16 : 1.0 / 64;
}

/* The first item behind i that is not of the same event. */
static uint32_t next_event(const struct engine *e, uint32_t i)
{
	const uint32_t stamp = e->work[i].stamp;
	const struct event *ev = events_of(e, i);

	while (i < e->nwork && e->work[i].stamp == stamp && events_of(e, i) == ev)
		i++;
	return i;
}

/* The logarithm to base 2, nearly: right for powers of two, with straight lines between these. */
static double logarithm(double x)
{
	double n = 0;

	for (; x >= 2; x /= 2)
		n++;
	return n + x - 1;
}

/* If below each way on from an event there is as much as below the others, what is below each item? */
static void share_out(const struct engine *e, uint32_t from, struct way *w)
{
	double rest = 1;

	for (uint32_t i = from, next; i < e->nwork; i = next) {
		double ways = 0;

		next = next_event(e, i);
		for (uint32_t k = i; k < next; k++)
			ways += w[k - from].share = chance(e, k);
		rest /= 1 + ways;
		for (uint32_t k = i; k < next; k++) {
			w[k - from].ways = logarithm(1 + ways) * w[k - from].share / ways;
			w[k - from].share *= rest;
			w[k - from].last = k + 1 == next;
		}
	}
	for (uint32_t i = from; i < e->nwork; i++)
		w[i - from].name.guess = w[i - from].share / rest;
}

/* What is thought to be below it: what was seen, the more exactly the better; and before that the guess. */
static double thought(const struct sizes *s, const struct way *w)
{
	double size = w->name.guess;

	for (int i = NAMES; i-- > 0;) {
		const struct size *seen = known(s, w->name.by[i]);

		if (seen)
			size = (seen->mean * (i ? w->name.guess : 1) * seen->n + size) /
			       (seen->n + 1);
	}
	return size;
}

double ways_weigh(struct engine *e, const struct sizes *s, uint32_t from, struct way *w)
{
	const uint32_t n = e->nwork - from;
	double shares = 0, all = 0;

	share_out(e, from, w);
	for (uint32_t i = 0; i < n; i++) {
		name_way(e, s, from + i, &w[i]);
		w[i].size = thought(s, &w[i]);
		shares += w[i].share;
		all += w[i].size;
	}
	for (uint32_t i = 0; i < n; i++)
		w[i].share =
			all > 0 ? w[i].share / shares / 8 + 1.0 / 8 / n + w[i].size / all * 6 / 8
				: w[i].share / shares;
	return all;
}
