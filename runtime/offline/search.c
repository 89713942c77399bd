/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * search.c - sc, tso, and sra with read-modify-writes: exact, by saturation and search, unless
 * the recorded order will do
 *
 * Each model is an ordering problem (order.h):
 *
 *	sc	a line per thread, every read locks
 *	sra	a line per thread, only read-modify-writes lock; coherence of the other reads
 *		follows from the order of writes that saturation demands (Theorem 1.3)
 *	tso	two lines per thread: what it executes (reads) and what leaves its store buffer
 *		(writes, read-modify-writes). A write comes after the thread's reads before it;
 *		a read comes after the thread's writes before it only across a
 *		read-modify-write, an sc fence or from an sc store. A read from the thread's
 *		own buffer may come before its write.
 *
 * Fences take no part (under tso they are in the edges). The questions are NP-complete.
 */
#include <stdlib.h>
#include <string.h>

#include "offline/order.h"

static void add_item(struct order *o, const struct execution *x, uint32_t i, uint32_t line,
		     uint32_t e)
{
	o->line[i] = line;
	o->event[i] = e;
	o->loc[i] = x->loc[e];
	o->rf[i] = x->rf[e];
	o->flags[i] = 0;
	if (x->kind[e] & EX_READ)
		o->flags[i] |= ITEM_READ;
	if (x->kind[e] & EX_WRITE)
		o->flags[i] |= ITEM_WRITE;
}

/* Reads name items rather than events. */
static void map_sources(struct order *o, const struct execution *x, const uint32_t *item)
{
	for (uint32_t i = 0; i < o->n; i++)
		if (o->rf[i] < x->n)
			o->rf[i] = item[o->rf[i]];
}

static uint32_t *number_items(struct order *o, const struct execution *x, uint32_t lines)
{
	uint32_t n = 0;

	for (uint32_t e = 0; e < x->n; e++)
		n += !(x->kind[e] & EX_FENCE);
	order_init(o, n, lines, x->nlocs);
	return offline_room(x->n, sizeof(uint32_t));
}

static void build_threads(struct order *o, const struct execution *x, bool all_lock)
{
	uint32_t *item = number_items(o, x, x->k), n = 0;

	for (uint32_t t = 0; t < x->k; t++) {
		o->first[t] = n;
		for (uint32_t e = x->first[t]; e < x->first[t + 1]; e++) {
			if (x->kind[e] & EX_FENCE)
				continue;
			item[e] = n;
			add_item(o, x, n, t, e);
			if ((x->kind[e] & EX_READ) && (all_lock || (x->kind[e] & EX_WRITE)))
				o->flags[n] |= ITEM_LOCKS;
			n++;
		}
	}
	o->first[x->k] = n;
	map_sources(o, x, item);
	free(item);
}

static void given(struct order *o, uint32_t from, uint32_t to)
{
	order_edge(o, (struct order_edge){ from, to, EX_NONE, 0, ORDER_PO });
}

/* Edges between the two lines of a thread. */
static void relate_lines(struct order *o, const struct execution *x, uint32_t t,
			 const uint32_t *item)
{
	uint32_t read = EX_NONE, write = EX_NONE, barrier = EX_NONE, wanted = EX_NONE;
	uint32_t ordered = EX_NONE;

	for (uint32_t e = x->first[t]; e < x->first[t + 1]; e++) {
		if (x->kind[e] & EX_FENCE) {
			if (x->order[e] == ORDER_SC)
				barrier = write;
		} else if (x->kind[e] & EX_WRITE) {
			if (read != EX_NONE && read != ordered)
				given(o, item[read], item[e]);
			ordered = read;
			write = e;
			if (x->order[e] == ORDER_SC || (x->kind[e] & EX_READ))
				barrier = write;
		} else {
			if (barrier != EX_NONE && barrier != wanted)
				given(o, item[barrier], item[e]);
			wanted = barrier;
			read = e;
		}
	}
}

/* The thread's last store to each read's location before it, which the read may not miss. */
static bool relate_own(struct order *o, const struct execution *x, uint32_t t, const uint32_t *item,
		       uint32_t *last, struct verdict *v)
{
	for (uint32_t e = x->first[t]; e < x->first[t + 1]; e++)
		if (x->loc[e] != EX_NONE)
			last[x->loc[e]] = EX_NONE;
	for (uint32_t e = x->first[t]; e < x->first[t + 1]; e++) {
		uint32_t own, w = x->rf[e];

		if (x->loc[e] == EX_NONE)
			continue;
		own = last[x->loc[e]];
		if (x->kind[e] & EX_WRITE)
			last[x->loc[e]] = e;
		if (!(x->kind[e] & EX_READ) || own == EX_NONE || own == w)
			continue;
		if (w == EX_INIT || (w < own && x->tid[w] == t)) {
			verdict_fails(v, "sc per location", x->loc[e]);
			if (w != EX_INIT) {
				verdict_reason(v, REASON_SINCE, w, own);
				verdict_step(v, w, "po");
				verdict_step(v, own, NULL);
				verdict_cycle(v);
			}
			verdict_step(v, w, "mo");
			verdict_step(v, own, "po");
			verdict_step(v, e, "rf^-1");
			return false;
		}
		if (w != EX_NONE)
			order_edge(o, (struct order_edge){ item[own], item[w], item[e], 0,
							   ORDER_OWN });
	}
	return true;
}

static bool build_tso(struct order *o, const struct execution *x, struct verdict *v)
{
	uint32_t *item = number_items(o, x, x->k * 2), n = 0;
	uint32_t *last = offline_room(x->nlocs, sizeof(*last));
	bool ok = true;

	for (uint32_t line = 0; line < x->k * 2; line++) {
		uint32_t t = line / 2;

		o->first[line] = n;
		for (uint32_t e = x->first[t]; e < x->first[t + 1]; e++) {
			uint32_t w = x->rf[e];

			if ((x->kind[e] & EX_FENCE) ||
			    (x->kind[e] & EX_WRITE) != (line & 1) * EX_WRITE)
				continue;
			item[e] = n;
			add_item(o, x, n, line, e);
			if (x->kind[e] & EX_READ)
				o->flags[n] |= ITEM_LOCKS;
			if ((x->kind[e] & EX_RMW) == EX_READ && w < x->n && x->tid[w] == t && w < e)
				o->flags[n] |= ITEM_EARLY;
			n++;
		}
	}
	o->first[x->k * 2] = n;
	for (uint32_t t = 0; t < x->k && ok; t++) {
		relate_lines(o, x, t, item);
		ok = relate_own(o, x, t, item, last, v);
	}
	map_sources(o, x, item);
	free(item);
	free(last);
	return ok;
}

/* mo is the order of the writes in what was found. */
static uint32_t *found_rank(const struct order *o, const struct execution *x)
{
	uint32_t *count = offline_zeroed(x->nlocs, sizeof(*count));
	uint32_t *rank = offline_zeroed(x->n, sizeof(*rank));

	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t e = o->event[o->found[i]];

		if (x->kind[e] & EX_WRITE)
			rank[e] = ++count[x->loc[e]];
	}
	free(count);
	return rank;
}

static void take_witness(const struct order *o, const struct execution *x, enum engine_model m,
			 struct verdict *v)
{
	v->rank = found_rank(o, x);
	if (m == MODEL_TSO)
		return;
	v->total = offline_room(x->n, sizeof(*v->total));
	for (uint32_t i = 0; i < o->n; i++)
		v->total[i] = o->event[o->found[i]];
	/* Fences, which were left out, at the end: they stand for nothing here. */
	for (uint32_t e = 0, n = o->n; e < x->n; e++)
		if (x->kind[e] & EX_FENCE)
			v->total[n++] = e;
}

/* Of sra, which axiom it is depends on what the cycles are made of. */
static const char *axiom_of(const struct execution *x, enum engine_model m, const struct verdict *v)
{
	const struct verdict_step *s = v->steps + v->cases->cycle;
	uint32_t n = v->cases->ncycle;

	if (m != MODEL_SRA)
		return m == MODEL_SC ? "acyclic(po u rf u mo u fr)"
				     : "acyclic(ppo u rfe u mo u fr)";
	if (v->ncases > 1 || v->searched)
		return "acyclic(hb u mo), read coherence and atomicity";
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(s[i].relation, "fr"))
			return x->kind[s[i].event] & EX_WRITE ? "acyclic(hb u mo) and atomicity"
							      : "read coherence";
	return "acyclic(hb u mo)";
}

/*
 * The order in which the events stand (execution_sort()), which mostly is that of the run. Under
 * sra reads that do not lock have to be looked at as well: saturation does.
 */
static bool follow(struct order *o, const struct execution *x, enum engine_model m,
		   const uint32_t *sort)
{
	uint32_t *when;

	if (m == MODEL_SRA)
		return false;
	when = offline_room(x->n, sizeof(*when));
	o->hint = offline_room(o->n, sizeof(*o->hint));
	for (uint32_t i = 0; i < x->n; i++)
		when[sort[i]] = i;
	for (uint32_t i = 0; i < o->n; i++)
		o->hint[i] = when[o->event[i]];
	free(when);
	return order_follow(o);
}

static bool too_large(const struct order *o)
{
	return (uint64_t)o->n * o->lines > (uint64_t)1 << 31;
}

static int decide(struct order *o, const struct execution *x, enum engine_model m,
		  const uint32_t *sort, bool witness, struct verdict *v)
{
	int found = 0;

	if (follow(o, x, m, sort)) {
		found = 1;
	} else if (too_large(o)) {
		return -1;
	} else if (order_saturate(o, v)) {
		found = order_search(o, UINT64_MAX);
		v->states = o->states;
		if (found == 0)
			order_explain(o, v);
	}
	if (found == 0) {
		v->axiom = axiom_of(x, m, v);
		v->loc = EX_NONE;
	} else if (found > 0) {
		v->consistent = true;
		if (witness)
			take_witness(o, x, m, v);
	}
	return found;
}

bool check_search(const struct execution *x, enum engine_model m, bool witness, struct verdict *v)
{
	uint32_t *sort = verdict_begin(v, x);
	struct order o;
	int found = 0;

	if (!sort)
		return true;
	if (m == MODEL_TSO) {
		if (build_tso(&o, x, v))
			found = decide(&o, x, m, sort, witness, v);
		order_release(&o);
	} else {
		build_threads(&o, x, m == MODEL_SC);
		found = decide(&o, x, m, sort, witness, v);
		order_release(&o);
	}
	free(sort);
	return found >= 0;
}

uint32_t *search_rank(const struct execution *x, enum engine_model m, const uint32_t *sort,
		      bool follow_only)
{
	uint32_t *rank = NULL;
	struct verdict v = { 0 };
	struct order o;
	bool ok = true;

	if (m == MODEL_TSO)
		ok = build_tso(&o, x, &v);
	else
		build_threads(&o, x, true);
	if (ok && (follow(&o, x, m, sort) || (!follow_only && !too_large(&o) &&
					      order_saturate(&o, &v) && order_search(&o, o.n) > 0)))
		rank = found_rank(&o, x);
	order_release(&o);
	verdict_release(&v);
	return rank;
}
