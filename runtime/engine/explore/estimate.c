/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * estimate.c - how large is an exploration? Random descents of its own tree say so (estimate.txt)
 *
 * A node is a run of the program, or an item of work that is only good for what it notes; its children are the
 * items noted in it. A descent begins at the root, an empty graph, takes one child of each node at random, and adds up
 * what the nodes are worth, each times the inverse of the probability of being there: Knuth's estimator (Math. Comp. 29,
 * 1975). With which probability a child is taken is nobody's business but the spread's. It follows from how many
 * ways each event of the run has (share_out()), and from what earlier descents have found below items of the same name
 * (learn()).
 *
 * A descent stands on a graph of its own, on top of the exploration's (explore_push()). What is counted meanwhile
 * is put aside in the end, and gates are open, so nothing of the exploration depends on it.
 *
 * Caller: explore.c, between two items of work.
 */
#include "engine/explore/estimate.h"

#include <string.h>

#include "base/prng.h"
#include "engine/explore/explore.h"

enum {
	KINDS = 1 << 12,  /* items of work that are told apart */
	LEVELS = 1 << 12, /* of a descent, of which something is learned */
	SHARE = 32        /* one run in so many is of a descent */
};

/* Below items of one name: how much, in so many descents. */
struct kind {
	uint64_t name;
	double n, sum;
};

/* One level of the descent: which item was taken, and how much there was by then. */
struct level {
	uint64_t name;
	double weight, found;
};

struct estimate {
	struct engine_estimate out;
	struct engine_stats stats; /* the exploration's, while a descent is on the way */
	uint64_t random;
	uint64_t runs_at; /* of the exploration, when the next one is due */
	uint32_t frames;  /* of the exploration */
	uint32_t from;    /* items of work from here on are children of the node */
	double weight;    /* the inverse of the probability of being there */
	double complete, blocked;
	uint32_t nlevels;
	struct level level[LEVELS];
	struct kind kind[KINDS];
};

/* A child, and with which probability it is taken. */
struct child {
	double share, size;
	struct kind *kind;
};

size_t estimate_bytes(void)
{
	return sizeof(struct estimate) + 64;
}

void estimate_init(struct engine *e, struct arena *a)
{
	if (e->config.estimate == ESTIMATE_NONE)
		return;
	e->estimate = arena_table(a, sizeof(*e->estimate));
	e->estimate->random = e->config.seed;
	estimate_forget(e);
}

void estimate_forget(struct engine *e)
{
	struct estimate *s = e->estimate;

	e->estimating = false;
	if (!s)
		return;
	memset(&s->out, 0, sizeof(s->out));
	memset(s->kind, 0, sizeof(s->kind));
	s->runs_at = e->config.estimate_after;
}

bool estimate_is_due(const struct engine *e)
{
	const struct estimate *s = e->estimate;

	if (!s || e->around.n)
		return false;
	return e->config.estimate == ESTIMATE_ONLY || e->stats.ledger.begun >= s->runs_at;
}

uint32_t estimate_own_work(const struct engine *e)
{
	if (!e->estimating)
		return e->nwork;
	return e->nframes == e->estimate->frames + 1 ? e->work_base
						     : e->frame[e->estimate->frames + 1].work;
}

const struct engine_stats *estimate_stats(const struct engine *e)
{
	return e->estimating ? &e->estimate->stats : &e->stats;
}

const struct engine_estimate *estimate_so_far(const struct engine *e)
{
	return e->estimate ? &e->estimate->out : NULL;
}

void estimate_begin(struct engine *e)
{
	struct estimate *s = e->estimate;
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	uint8_t *keep = arena_take(&g->scratch, g->n + 1);

	s->stats = e->stats;
	s->frames = e->nframes;
	memset(keep, 0, g->n + 1);
	explore_push(e, keep, NO_POS, NO_POS);
	arena_reset(&g->scratch, mark);
	s->from = e->nwork;
	s->weight = 1;
	s->complete = s->blocked = 0;
	s->nlevels = 0;
	e->estimating = true;
	e->forced = NO_POS;
	e->fresh = 1;
	e->looking = false;
}

/* ---- Which child ------------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t name, uint64_t x)
{
	name = (name ^ x) * 0x9e3779b97f4a7c15u;
	return name ^ name >> 29;
}

/* What an item is known by in other descents: what it does to which events, by their names. */
static uint64_t name_of(const struct event *ev, const struct work *w)
{
	const bool other = w->kind == WORK_REVISIT || w->kind == WORK_SLOT;
	uint64_t name = mix(w->kind, event_name(&ev[w->stamp]));

	if (other)
		name = mix(name, event_name(&ev[w->read]));
	if (w->kind == WORK_READ)
		name = mix(name, (uint64_t)w->taken << 1 | (w->rf == RF_NONE));
	return name;
}

/* Where it is noted what was found below items of that name. */
static struct kind *kind_of(struct estimate *s, uint64_t name)
{
	uint32_t i = (uint32_t)(name >> 32) % KINDS;

	for (uint32_t n = 0; n < 8; n++, i = (i + 1) % KINDS) {
		if (!s->kind[i].name)
			s->kind[i].name = name;
		if (s->kind[i].name == name)
			return &s->kind[i];
	}
	return NULL;
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

/* The first item behind i that is not of the same event. */
static uint32_t next_event(const struct engine *e, uint32_t i)
{
	const uint32_t stamp = e->work[i].stamp;
	const struct event *ev = events_of(e, i);

	while (i < e->nwork && e->work[i].stamp == stamp && events_of(e, i) == ev)
		i++;
	return i;
}

/* An await that could pass is to wait. Mostly nothing comes of that; its gate says how likely it is. */
static double chance(const struct engine *e, uint32_t item)
{
	const struct work *w = &e->work[item];

	if (w->kind != WORK_READ || w->rf != RF_NONE || w->open == GATE_OPEN ||
	    !(events_of(e, item)[w->stamp].flags & EV_AWAIT))
		return 1;
	return w->open ? 1.0 / 16 : 1.0 / 64;
}

/* If below each way on from an event there is as much as below the others, what is below each item? */
static void share_out(const struct engine *e, struct child *c)
{
	const uint32_t from = e->estimate->from;
	double rest = 1;

	for (uint32_t i = from, next; i < e->nwork; i = next) {
		double ways = 1;

		next = next_event(e, i);
		for (uint32_t k = i; k < next; k++)
			ways += c[k - from].share = chance(e, k);
		rest /= ways;
		for (uint32_t k = i; k < next; k++)
			c[k - from].share *= rest;
	}
}

/* The logarithm to base 2, nearly: right for powers of two, with straight lines between these. */
static double logarithm(double x)
{
	double n = 0;

	for (; x >= 2; x /= 2)
		n++;
	return n + x - 1;
}

/* The operation that has the choice: which write it observes, say. */
static uint64_t place_of(const struct engine *e, uint32_t item)
{
	const struct event *ev = events_of(e, item);
	const struct work *w = &e->work[item];
	const bool other = w->kind == WORK_REVISIT || w->kind == WORK_SLOT;

	return ev[other ? w->read : w->stamp].pc;
}

static void note_place(struct engine_estimate *out, uint64_t pc, double ways)
{
	out->ways += ways;
	for (uint32_t i = 0; i < ESTIMATE_PLACES; i++) {
		if (!out->place[i].ways)
			out->place[i].pc = pc;
		if (out->place[i].pc == pc) {
			out->place[i].ways += ways;
			return;
		}
	}
}

/* The descent has come by the ways of the items up to this one, which it takes. */
static void note_ways(struct engine *e, uint32_t taken)
{
	struct estimate *s = e->estimate;

	for (uint32_t i = s->from, next; i <= taken; i = next) {
		double ways = 0;

		next = next_event(e, i);
		for (uint32_t k = i; k < next; k++)
			ways += chance(e, k);
		for (uint32_t k = i; k < next; k++)
			note_place(&s->out, place_of(e, k),
				   logarithm(1 + ways) / ways * chance(e, k));
	}
}

static double sum_of_shares(const struct child *c, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += c[i].share;
	return sum;
}

/* What earlier descents have found, and the shares, make probabilities; their sum is 1. */
static void weigh(struct engine *e, struct child *c, uint32_t n)
{
	struct estimate *s = e->estimate;
	double shares = sum_of_shares(c, n), known = 0, seen = 0, sizes = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t at = s->from + i;

		c[i].kind = kind_of(s, name_of(events_of(e, at), &e->work[at]));
		if (c[i].kind && c[i].kind->n > 0) {
			known += c[i].share;
			seen += c[i].kind->sum / c[i].kind->n;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		const double guess = known > 0 && seen > 0 ? c[i].share * seen / known : c[i].share;
		const struct kind *k = c[i].kind;

		c[i].size = k ? (k->sum + guess) / (k->n + 1) : guess;
		sizes += c[i].size;
	}
	for (uint32_t i = 0; i < n; i++)
		c[i].share = c[i].share / shares / 8 + c[i].size / sizes * 7 / 8;
}

static double drawn(uint64_t *random)
{
	return (double)(prng_next(random) >> 11) / (double)(1ull << 53);
}

/* The item that the descent goes on with; NO_POS: the node has no child. */
static uint32_t choose(struct engine *e)
{
	struct estimate *s = e->estimate;
	const uint32_t n = e->nwork - s->from;
	char *mark = arena_mark(&e->graph.scratch);
	struct child *c = arena_take(&e->graph.scratch, (n + 1) * sizeof(*c));
	double at = drawn(&s->random);
	uint32_t i = 0;

	if (n) {
		share_out(e, c);
		weigh(e, c, n);
		while (i + 1 < n && at >= c[i].share)
			at -= c[i++].share;
		s->weight /= c[i].share;
		note_ways(e, s->from + i);
		if (s->nlevels < LEVELS)
			s->level[s->nlevels++] =
				(struct level){ c[i].kind ? c[i].kind->name : 0, s->weight,
						s->complete + s->blocked };
	}
	arena_reset(&e->graph.scratch, mark);
	return n ? s->from + i : NO_POS;
}

/* ---- The end of a descent ----------------------------------------------------------------------------- */

static void learn(struct estimate *s)
{
	const double all = s->complete + s->blocked;

	for (uint32_t i = 0; i < s->nlevels; i++) {
		const struct level *l = &s->level[i];
		struct kind *k = l->name ? kind_of(s, l->name) : NULL;

		if (!k)
			continue;
		k->n++;
		k->sum += (all - l->found) / l->weight;
	}
}

/* Later descents know more, so they count more: by the root of their number, rounded, whatever they find. */
static void add_up(struct engine_estimate *out, double complete, double blocked)
{
	const double all = complete + blocked;
	double w;

	out->descents++;
	if ((out->root + 1) * (out->root + 1) <= out->descents)
		out->root++;
	w = out->root;
	out->weight += w;
	out->weight2 += w * w;
	out->complete += w * complete;
	out->blocked += w * blocked;
	out->all2 += w * w * all;
	out->square2 += w * w * all * all;
}

static void take_away(struct engine *e, uint32_t frames)
{
	while (e->nframes > frames) {
		e->nwork = e->work_base;
		explore_pop(e);
	}
}

static void end(struct engine *e)
{
	struct estimate *s = e->estimate;
	const uint64_t runs = e->stats.ledger.begun - s->stats.ledger.begun;

	learn(s);
	add_up(&s->out, s->complete, s->blocked);
	s->out.runs += runs;
	take_away(e, s->frames);
	e->stats = s->stats;
	s->runs_at = e->stats.ledger.begun + runs * SHARE;
	e->estimating = false;
}

/* Goes back to the graph of the item, which is no longer in the list. */
static struct work take(struct engine *e, uint32_t item)
{
	const struct work w = e->work[item];

	while (e->work_base > item) {
		e->nwork = e->work_base;
		explore_pop(e);
	}
	e->nwork = item;
	return w;
}

bool estimate_goes_on(struct engine *e, const struct engine_outcome *o)
{
	struct estimate *s = e->estimate;
	uint32_t item;

	if (o->ending == END_COMPLETE)
		s->complete += s->weight;
	if (o->ending == END_BLOCKED)
		s->blocked += s->weight;
	while ((item = choose(e)) != NO_POS) {
		const struct work w = take(e, item);

		s->from = item;
		if (explore_do(e, &w))
			return true;
	}
	end(e);
	return false;
}
