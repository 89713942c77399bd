/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * estimate_ways.c - the children of a node of a descent, and how much is below each, for all that is known
 *
 * A child that is thought to be large is taken often. What is thought of it is right or wrong, the estimate has no bias; but the better
 * it is, the less descents differ. At first all ways on from an event are thought to have as much below them
 * (share_out()). Then it is learned: below an item there is what its run is worth, and what is below the items that it notes
 * (ways_learn()). Names are fine, the events that the graph has with the item, and coarse, how many these are.
 *
 * Caller: estimate.c.
 */
#include "engine/explore/estimate_ways.h"

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

/* The events that are left when the item is done, as a sum of their names; and how many. */
static uint64_t kept(const struct engine *e, uint32_t item, uint32_t *n)
{
	const struct work *w = &e->work[item];
	const struct event *ev = events_of(e, item);
	const uint32_t *prefix =
		e->graph.pool_porf + ((size_t)(ev - e->graph.pool) + w->stamp) * e->graph.stride;
	uint64_t sum = 0;

	*n = 0;
	for (uint32_t p = 0; p <= w->stamp; p++) {
		if (is_revisit(w) && p > w->read && ev[p].index >= prefix[ev[p].tid])
			continue;
		sum += mix(event_name(&ev[p]), 1);
		++*n;
	}
	return sum;
}

/* An await that could pass is to wait. */
static bool is_gate(const struct engine *e, uint32_t item)
{
	const struct work *w = &e->work[item];

	return w->kind == WORK_READ && w->rf == RF_NONE && w->open != GATE_OPEN &&
	       (events_of(e, item)[w->stamp].flags & EV_AWAIT);
}

static void name_way(const struct engine *e, uint32_t item, struct way *out)
{
	const struct work *w = &e->work[item];
	const struct event *ev = events_of(e, item);
	const uint64_t what = (uint64_t)w->kind << 2 | (uint64_t)w->taken << 1 | is_gate(e, item);
	uint32_t n;

	out->fine = mix(mix(kept(e, item, &n), what),
			event_name(&ev[is_revisit(w) ? w->read : w->stamp]));
	out->coarse = mix(mix(n, what), 2);
	out->place = ev[is_revisit(w) ? w->read : w->stamp].pc;
}

/* ---- Sizes -------------------------------------------------------------------------------------------- */

static struct size *size_of(const struct size *sizes, uint64_t name)
{
	return (struct size *)&sizes[(name >> 32) % SIZES];
}

static const struct size *known(const struct size *sizes, uint64_t name)
{
	const struct size *s = size_of(sizes, name);

	return s->name == name ? s : NULL;
}

static void learn(struct size *s, uint64_t name, double size)
{
	if (s->name != name)
		*s = (struct size){ .name = name };
	s->n++;
	/* What is thought of those below gets better. */
	s->mean += (size - s->mean) / (s->n < 16 ? s->n : 16);
}

void ways_learn(struct size *sizes, uint64_t fine, uint64_t coarse, double size)
{
	learn(size_of(sizes, fine), fine, size);
	learn(size_of(sizes, coarse), coarse, size);
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
		w[i - from].guess = w[i - from].share / rest;
}

/* What is thought to be below it: by its coarse name, and if there is nothing known of that, as much as was guessed. */
static double thought(const struct size *sizes, const struct way *w)
{
	const struct size *fine = known(sizes, w->fine), *coarse = known(sizes, w->coarse);
	const double most =
		coarse ? (coarse->mean * coarse->n + w->guess) / (coarse->n + 1) : w->guess;

	return fine ? (fine->mean * fine->n + most) / (fine->n + 1) : most;
}

double ways_weigh(struct engine *e, const struct size *sizes, uint32_t from, struct way *w)
{
	const uint32_t n = e->nwork - from;
	double shares = 0, all = 0;

	share_out(e, from, w);
	for (uint32_t i = 0; i < n; i++) {
		name_way(e, from + i, &w[i]);
		w[i].size = thought(sizes, &w[i]);
		shares += w[i].share;
		all += w[i].size;
	}
	for (uint32_t i = 0; i < n; i++)
		w[i].share = all > 0 ? w[i].share / shares / 16 + 1.0 / 16 / n + w[i].size / all * 14 / 16
				     : w[i].share / shares;
	return all;
}
