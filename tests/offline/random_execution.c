/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_execution.c - see random_execution.h
 *
 * A run appends one event of a random thread at a time. A read observes the latest write of
 * its location, or a slightly older one, or with the given chance any earlier one at all, so
 * that both consistent and inconsistent executions come out, near the border.
 */
#include "offline/random_execution.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"

struct run {
	struct execution *x;
	const struct shape *s;
	uint64_t *seed;
	uint32_t *tid, *index, *loc; /* of each write so far */
	uint32_t nwrites;
	uint32_t *next; /* index of each thread's next event */
};

static uint32_t pick_order(struct run *r, uint32_t kind)
{
	static const uint8_t reads[] = { ORDER_RLX, ORDER_ACQ, ORDER_RLX, ORDER_ACQ, ORDER_NA };
	static const uint8_t writes[] = { ORDER_RLX, ORDER_REL, ORDER_RLX, ORDER_REL, ORDER_NA };
	static const uint8_t both[] = { ORDER_RLX, ORDER_ACQ, ORDER_REL, ORDER_ACQ_REL, ORDER_RLX };
	static const uint8_t fences[] = { ORDER_ACQ, ORDER_REL, ORDER_ACQ_REL };

	if (prng_below(r->seed, 100) < r->s->strong)
		return ORDER_SC;
	if (kind == EX_FENCE)
		return fences[prng_below(r->seed, 3)];
	return (kind == EX_READ ? reads : kind == EX_WRITE ? writes : both)[prng_below(r->seed, 5)];
}

/* One of the latest few writes of a location, or any; EX_NONE: the initial one. */
static uint32_t pick_source(struct run *r, uint32_t loc)
{
	uint32_t at[64], n = 0;
	bool wild = prng_below(r->seed, 100) < r->s->wild;

	for (uint32_t w = r->nwrites; w-- > 0 && n < (wild ? 64 : 3);)
		if (r->loc[w] == loc)
			at[n++] = w;
	if (wild) {
		uint32_t i = prng_below(r->seed, n + 1);

		return i == n ? EX_NONE : at[i];
	}
	if (!n)
		return EX_NONE;
	return prng_below(r->seed, 100) >= r->s->stale ? at[0] : at[prng_below(r->seed, n)];
}

static void add_event(struct run *r)
{
	struct execution_event ev = { .tid = prng_below(r->seed, r->s->threads) };
	uint32_t dice = prng_below(r->seed, 100), w;

	ev.kind = dice < r->s->rmws                  ? EX_RMW
		  : dice < r->s->rmws + r->s->fences ? EX_FENCE
		  : dice & 1                         ? EX_READ
						     : EX_WRITE;
	ev.order = pick_order(r, ev.kind);
	ev.loc = prng_below(r->seed, r->s->locations);
	if (ev.kind & EX_READ) {
		w = pick_source(r, ev.loc);
		ev.rf_tid = w == EX_NONE ? EX_INIT : r->tid[w];
		ev.rf_index = w == EX_NONE ? 0 : r->index[w];
	}
	execution_add(r->x, &ev);
	if (ev.kind & EX_WRITE) {
		r->tid[r->nwrites] = ev.tid;
		r->index[r->nwrites] = r->next[ev.tid];
		r->loc[r->nwrites++] = ev.loc;
	}
	r->next[ev.tid]++;
}

void random_execution(struct execution *x, const struct shape *s, uint64_t *seed)
{
	struct run r = { .x = x, .s = s, .seed = seed };
	struct execution_error e;

	r.tid = offline_room(s->events, sizeof(*r.tid));
	r.index = offline_room(s->events, sizeof(*r.index));
	r.loc = offline_room(s->events, sizeof(*r.loc));
	r.next = offline_zeroed(s->threads, sizeof(*r.next));
	execution_init(x);
	for (uint32_t l = 0; l < s->locations; l++) {
		char name[2] = { (char)('a' + l), 0 };

		execution_location(x, name, 1);
	}
	for (uint32_t i = 0; i < s->events; i++)
		add_event(&r);
	if (!execution_finish(x, &e))
		abort();
	free(r.tid);
	free(r.index);
	free(r.loc);
	free(r.next);
}

/* ---- Executions of which no single pair of writes says that they are inconsistent ------------ */

struct tangle {
	struct execution *x;
	uint64_t *seed;
	uint32_t threads, strong;
};

static void append(struct tangle *g, uint32_t tid, uint32_t kind, uint32_t loc, uint32_t rf_tid,
		   uint32_t rf_index)
{
	bool sc = prng_below(g->seed, 100) < g->strong;

	execution_add(g->x, &(struct execution_event){ .tid = tid,
						       .kind = kind,
						       .order = sc ? ORDER_SC : ORDER_RLX,
						       .loc = loc,
						       .rf_tid = rf_tid,
						       .rf_index = rf_index });
}

/* Threads that read x, then y, for all writes of both: one order of x and y each. */
static void tangle_reads(struct tangle *g, uint32_t locs, uint32_t kept)
{
	for (uint32_t l = 0; l < locs; l++) {
		for (uint32_t i = 0; i < 4; i++) {
			uint32_t next = (l + 1) % locs, t = g->threads;

			if (prng_below(g->seed, 100) >= kept)
				continue;
			append(g, t, EX_READ, l, 2 * l + (i & 1), 0);
			append(g, t, EX_READ, next, 2 * next + i / 2, 0);
			g->threads++;
		}
	}
}

/* The same with read-modify-writes, which learn of the writes through messages. */
static void tangle_rmws(struct tangle *g, uint32_t locs, uint32_t kept)
{
	for (uint32_t l = 0; l < 2 * locs; l++) {
		append(g, l, EX_WRITE, locs + l, 0, 0);
		for (uint32_t i = 0; i < 2; i++) {
			uint32_t from = 2 * ((l / 2 + locs - 1) % locs) + i;

			if (prng_below(g->seed, 100) < kept)
				append(g, g->threads, EX_READ, locs + from, from, 1);
		}
		append(g, g->threads++, EX_RMW, l / 2, l, 0);
	}
}

void tangled_execution(struct execution *x, uint32_t locs, bool rmws, uint32_t kept,
		       uint32_t strong, uint64_t *seed)
{
	struct tangle g = { .x = x, .seed = seed, .threads = 2 * locs, .strong = strong };
	struct execution_error e;

	execution_init(x);
	for (uint32_t l = 0; l < locs * (rmws ? 3 : 1); l++) {
		char name[2] = { (char)('a' + l), 0 };

		execution_location(x, name, 1);
	}
	for (uint32_t l = 0; l < 2 * locs; l++)
		append(&g, l, EX_WRITE, l / 2, 0, 0);
	if (rmws)
		tangle_rmws(&g, locs, kept);
	else
		tangle_reads(&g, locs, kept);
	if (!execution_finish(x, &e))
		abort();
}

/* ---- For others ------------------------------------------------------------------------------ */

void to_axioms(const struct execution *x, struct ax_graph *g, uint32_t *at)
{
	uint32_t *sort = offline_room(x->n, sizeof(*sort));

	memset(g, 0, sizeof(*g));
	if (execution_sort(x, sort) < x->n || x->n + x->nlocs > AX_EVENTS)
		abort();
	g->nlocs = (int)x->nlocs;
	for (uint32_t l = 0; l < x->nlocs; l++)
		g->ev[g->n++] = (struct ax_event){
			.tid = -1, .loc = (int8_t)l, .rf = -1, .kind = AX_W, .order = ORDER_NA
		};
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t e = sort[i], rf = x->rf[e];

		at[e] = (uint32_t)g->n;
		g->ev[g->n++] = (struct ax_event){
			.tid = (int8_t)x->tid[e],
			.loc = x->kind[e] & EX_FENCE ? -1 : (int8_t)x->loc[e],
			.rf = rf == EX_INIT   ? (int8_t)x->loc[e]
			      : rf == EX_NONE ? -1
					      : (int8_t)at[rf],
			.kind = x->kind[e] & EX_FENCE ? AX_F : x->kind[e] & EX_RMW,
			.order = x->order[e],
			.sync = x->kind[e] & EX_SYNC,
		};
	}
	free(sort);
}

char *to_text(const struct execution *x)
{
	static const char *const orders[] = { "na", "rlx", "acq", "rel", "acq_rel", "sc" };
	size_t size = 64 + (size_t)x->n * 64 + (size_t)x->k * 32, n;
	char *text = offline_room(size, 1);

	n = (size_t)sprintf(text, "heddle-execution 1\n");
	for (uint32_t e = 0; e < x->n; e++) {
		uint32_t rf = x->rf[e];

		if (!e || x->tid[e] != x->tid[e - 1])
			n += (size_t)sprintf(text + n, "thread %u\n", x->tid[e]);
		if (x->kind[e] & EX_FENCE) {
			n += (size_t)sprintf(text + n, "f %s\n", orders[x->order[e]]);
			continue;
		}
		n += (size_t)sprintf(text + n, "%c %s %s", " rwu"[x->kind[e] & EX_RMW],
				     x -> name[x->loc[e]],
				     x -> kind[e] & EX_SYNC ? "sync" : orders[x->order[e]]);
		if (rf == EX_INIT)
			n += (size_t)sprintf(text + n, " init");
		else if (rf != EX_NONE)
			n += (size_t)sprintf(text + n, " %u.%u", x->tid[rf],
					     execution_index(x, rf));
		text[n++] = '\n';
	}
	text[n] = 0;
	return text;
}
