/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * incremental_check.c - see incremental_check.h
 *
 * A sequence grows by a write, a read or a read-modify-write of a random thread and location.
 * For a read, each write is a question: hbmo, the order kept closed, that order with edges
 * to tops, and (every eighth sequence) brute force over all modification orders.
 * hbmo, tops and brute force must agree. The order kept closed as described may say yes
 * where they say no (see incremental_closed.c), never no where they say yes. Then the read
 * observes one of the writes that it may, and all are told.
 */
#include "incremental_check.h"

#include <stdio.h>
#include <string.h>

#include "base/prng.h"
#include "engine/axioms.h"
#include "engine/engine.h"
#include "incremental_closed.h"

enum {
	OPERATIONS = 24,
	CAPACITY = 2 * OPERATIONS + 8
};

struct counts {
	uint64_t questions, yes, judged, weaker, wrong;
};

struct sequence {
	struct graph g;
	struct closed closed, tops;
	uint64_t *random;
	struct counts *count;
	bool judge;
};

static struct ax_event ax_of(const struct graph *g, uint32_t pos, const int8_t *at)
{
	const struct event *ev = &g->ev[pos];
	struct ax_event out = {
		.tid = (int8_t)ev->tid, .loc = (int8_t)ev->loc, .rf = -1, .order = ORDER_ACQ_REL
	};

	out.kind = ev->flags & EV_WRITE ? AX_W : ev->flags & EV_EXCLUSIVE ? AX_U : AX_R;
	if (ev->flags & EV_READ)
		out.rf = ev->rf == RF_INIT ? (int8_t)ev->loc : at[ev->rf];
	return out;
}

/* Is the graph consistent once the read at its end observes the write? */
static bool by_axioms(struct graph *g, uint32_t read, uint32_t write)
{
	static struct ax_graph ax;
	struct ax_result result;
	int8_t at[CAPACITY];

	ax.n = ax.nlocs = (int)g->nlocs;
	for (int l = 0; l < ax.nlocs; l++)
		ax.ev[l] = (struct ax_event){ .tid = -1, .loc = (int8_t)l, .rf = -1, .kind = AX_W };
	g->ev[read].rf = write;
	for (uint32_t pos = 0; pos < g->n; pos++) {
		if (is_rmw_write(&g->ev[pos])) {
			at[pos] = at[pos - 1];
			continue;
		}
		at[pos] = (int8_t)ax.n;
		ax.ev[ax.n++] = ax_of(g, pos, at);
	}
	g->ev[read].rf = RF_NONE;
	ax_judge(&ax, 1u << MODEL_RA, false, &result);
	return result.consistent;
}

static bool ask(struct sequence *s, const struct hbmo_view *view, uint32_t read, uint32_t write)
{
	struct graph *g = &s->g;
	bool hbmo = hbmo_admits(view, g, write), closed = closed_admits(&s->closed, read, write);
	bool tops = closed_admits(&s->tops, read, write);

	s->count->questions++;
	s->count->yes += hbmo;
	s->count->weaker += closed && !hbmo;
	if (tops != hbmo || (hbmo && !closed))
		s->count->wrong++;
	if (s->judge) {
		s->count->judged++;
		s->count->wrong += by_axioms(g, read, write) != hbmo;
	}
	return hbmo;
}

static uint32_t choose(struct sequence *s, uint32_t read, bool rmw)
{
	struct graph *g = &s->g;
	struct hbmo_view view;
	uint32_t may[CAPACITY], n = 0, loc = g->ev[read].loc;

	hbmo_ask(&view, g, read);
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if ((g->ev[p].flags & EV_WRITE) && ask(s, &view, read, p) &&
		    !(rmw && taken_in_cut(g, g->count, loc, p)))
			may[n++] = p;
	if (ask(s, &view, read, RF_INIT) && !(rmw && taken_in_cut(g, g->count, loc, RF_INIT)))
		may[n++] = RF_INIT;
	return n ? may[prng_below(s->random, n)] : RF_NONE;
}

static void tell(struct sequence *s, uint32_t pos)
{
	if (s->g.ev[pos].flags & EV_READ) {
		closed_observe(&s->closed, pos);
		closed_observe(&s->tops, pos);
	}
	closed_add(&s->closed, pos);
	closed_add(&s->tops, pos);
}

static void grow(struct sequence *s)
{
	struct graph *g = &s->g;
	uint32_t tid = prng_below(s->random, g->nthreads), loc = prng_below(s->random, g->nlocs);
	uint32_t dice = prng_below(s->random, 10), read, write;

	if (dice < 4) {
		tell(s, add_write(g, tid, loc));
		return;
	}
	read = add_read(g, tid, loc, RF_NONE);
	write = choose(s, read, dice < 6);
	if (write == RF_NONE) {
		graph_truncate(g, read);
		return;
	}
	hbmo_retract(g, read);
	g->ev[read].rf = write;
	graph_clocks(g, read);
	tell(s, read);
	if (dice < 6)
		tell(s, add_rmw_write(g, read));
}

static void one_sequence(uint64_t *random, bool judge, struct counts *count)
{
	struct sequence s = { .random = random, .count = count, .judge = judge };

	graph_begin(&s.g, CAPACITY, 2 + prng_below(random, 4), 1 + prng_below(random, 2));
	s.g.hbmo.logging = prng_below(random, 2);
	closed_init(&s.closed, &s.g, false);
	closed_init(&s.tops, &s.g, true);
	for (int i = 0; i < OPERATIONS; i++)
		grow(&s);
	closed_release(&s.closed);
	closed_release(&s.tops);
	graph_done(&s.g);
}

int check_sequences(uint32_t sequences, uint64_t seed)
{
	struct counts count = { 0 };

	for (uint32_t i = 0; i < sequences; i++)
		one_sequence(&seed, i % 8 == 0, &count);
	printf("%lu questions (%lu yes, %lu judged by the axioms): %lu wrong answers; "
	       "the closed order as described allows %lu more\n",
	       count.questions, count.yes, count.judged, count.wrong, count.weaker);
	return count.wrong != 0;
}
