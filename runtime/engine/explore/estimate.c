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
#include "engine/explore/estimate_ways.h"
#include "engine/explore/explore.h"

enum {
	SHARE = 32,       /* one run in so many is of a descent, */
	FIRST_SHARE = 16, /* and as long as these are few, in so many */
	FEW = 1000
};

struct estimate {
	struct engine_estimate out;
	struct engine_stats stats; /* the exploration's, while a descent is on the way */
	uint64_t random;
	bool used;
	uint64_t runs_at; /* of the exploration, when the next one is due */
	uint32_t frames;  /* of the exploration */
	uint32_t from;    /* items of work from here on are children of the node */
	double weight;    /* the inverse of the probability of being there */
	double complete, blocked;
	bool named; /* the node is below an item; and that one's name */
	struct way_name name;
	struct sizes sizes;
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
	estimate_forget(e);
}

void estimate_forget(struct engine *e)
{
	struct estimate *s = e->estimate;

	e->estimating = false;
	if (!s)
		return;
	s->random = e->config.seed;
	if (s->used) { /* most explorations never touch these pages */
		memset(&s->out, 0, sizeof(s->out));
		memset(&s->sizes, 0, sizeof(s->sizes));
	}
	s->used = false;
	s->runs_at = e->config.estimate_after;
}

bool estimate_is_due(const struct engine *e)
{
	const struct estimate *s = e->estimate;

	if (!s || e->around.n)
		return false;
	return e->config.estimate == ESTIMATE_ONLY || e->stats.ledger.begun >= s->runs_at;
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

	s->used = true;
	s->stats = e->stats;
	s->frames = e->nframes;
	memset(keep, 0, g->n + 1);
	explore_push(e, keep, NO_POS, NO_POS);
	arena_reset(&g->scratch, mark);
	s->from = e->nwork;
	s->weight = 1;
	s->complete = s->blocked = 0;
	s->named = false;
	ways_begin(&s->sizes);
	e->estimating = true;
	e->forced = NO_POS;
	e->fresh = 1;
	e->looking = false;
}

/* ---- Which child ------------------------------------------------------------------------------------ */

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

/* The descent has come by the events of the items up to this one, which it takes. */
static void note_ways(struct estimate *s, const struct way *w, uint32_t taken)
{
	while (!w[taken].last)
		taken++;
	for (uint32_t i = 0; i <= taken; i++)
		note_place(&s->out, w[i].place, w[i].ways);
}

static double drawn(uint64_t *random)
{
	return (double)(prng_next(random) >> 11) / (double)(1ull << 53);
}

/* The item that the descent goes on with, from a node that is worth so much; NO_POS: it has no child. */
static uint32_t choose(struct engine *e, double worth)
{
	struct estimate *s = e->estimate;
	const uint32_t n = e->nwork - s->from;
	char *mark = arena_mark(&e->graph.scratch);
	struct way *w = arena_take(&e->graph.scratch, (n + 1) * sizeof(*w));
	double at = drawn(&s->random);
	uint32_t i = 0;

	worth += ways_weigh(e, &s->sizes, s->from, w);
	if (s->named)
		ways_learn(&s->sizes, &s->name, worth);
	if (n) {
		while (i + 1 < n && at >= w[i].share)
			at -= w[i++].share;
		s->weight /= w[i].share;
		s->named = true;
		s->name = w[i].name;
		ways_take(e, &s->sizes, s->from + i);
		note_ways(s, w, i);
	}
	arena_reset(&e->graph.scratch, mark);
	return n ? s->from + i : NO_POS;
}

/* ---- The end of a descent ----------------------------------------------------------------------------- */

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

	add_up(&s->out, s->complete, s->blocked);
	s->out.runs += runs;
	take_away(e, s->frames);
	e->stats = s->stats;
	s->runs_at = e->stats.ledger.begun + runs * (s->out.descents < FEW ? FIRST_SHARE : SHARE);
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
	double worth = o->ending == END_COMPLETE || o->ending == END_BLOCKED;
	uint32_t item;

	if (o->ending == END_COMPLETE)
		s->complete += s->weight;
	if (o->ending == END_BLOCKED)
		s->blocked += s->weight;
	while ((item = choose(e, worth)) != NO_POS) {
		const struct work w = take(e, item);

		s->from = item;
		if (explore_do(e, &w))
			return true;
		worth = 0;
	}
	end(e);
	return false;
}
