/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psc_explain.c - why the search found no mo with acyclic psc: pairs of chains for explain.c
 */
#include <stdlib.h>

#include "base/must.h"
#include "offline/explain.h"
#include "offline/psc_order.h"

enum {
	EFFORT = 1 << 28 /* edges that may be looked at, about */
};

struct tries {
	struct psc_order *s;
	uint64_t *none, *before; /* what was decided before all puts, and before the last */
	struct psc_put *puts;
	uint32_t nputs;
	uint32_t loc, a, b; /* where open() stands */
};

static void rewind_pairs(void *self)
{
	struct tries *t = self;

	t->loc = 0;
	t->a = t->b = 1;
}

static bool open_pair(void *self, uint32_t *a, uint32_t *b)
{
	struct tries *t = self;

	for (; t->loc < t->s->x->nlocs; t->loc++, t->a = t->b = 1) {
		const struct chain_matrix *m = &t->s->at[t->loc];

		for (; t->a < m->n; t->a++, t->b = t->a) {
			while (++t->b < m->n) {
				if (chain_before(m, t->a, t->b) || chain_before(m, t->b, t->a))
					continue;
				*a = m->first[t->a];
				*b = m->first[t->b];
				return true;
			}
		}
	}
	return false;
}

static void add_put(struct tries *t, const struct psc_put *put)
{
	const uint32_t *chain = t->s->order.c.chain;

	t->puts = offline_grow(t->puts, t->nputs + 1, sizeof(*t->puts));
	t->puts[t->nputs++] = *put;
	chain_put(&t->s->at[t->s->x->loc[put->from]], chain[put->from], chain[put->to]);
}

static bool put(void *self, uint32_t a, uint32_t b, enum reason_kind kind, uint32_t by,
		struct verdict *v)
{
	struct tries *t = self;

	(void)v;
	free(t->before);
	t->before = psc_order_save(t->s);
	add_put(t, &(struct psc_put){ a, b, by, kind });
	if (psc_order_acyclic(t->s))
		return true;
	psc_refute(t->s, t->puts, t->nputs);
	return false;
}

static void undo(void *self)
{
	struct tries *t = self;

	t->nputs--;
	psc_order_restore(t->s, t->before);
}

static void put_all(void *self, struct verdict *v)
{
	struct tries *t = self;
	uint32_t loc = 0, a = 1, b = 0;
	bool ok;

	(void)v;
	t->nputs = 0;
	psc_order_restore(t->s, t->none);
	while (psc_order_open(t->s, &loc, &a, &b))
		add_put(t, &(struct psc_put){ t->s->at[loc].first[a], t->s->at[loc].first[b], 0,
					      REASON_ASSUMED });
	ok = psc_order_acyclic(t->s);
	must(!ok);
	psc_refute(t->s, t->puts, t->nputs);
}

void psc_explain(struct psc_order *s)
{
	struct tries t = { .s = s };
	struct decider d = { &t, 0, open_pair, rewind_pairs, put, undo, put_all };
	uint64_t states = s->v->states;

	t.none = psc_order_save(s);
	s->v->ncases = 0;
	if (!psc_order_acyclic(s)) {
		psc_refute(s, NULL, 0);
	} else {
		d.tries = (uint32_t)(EFFORT / (s->psc.g.nedges + s->words + 1));
		explain(&d, s->v);
	}
	s->v->states = states;
	free(t.none);
	free(t.before);
	free(t.puts);
}
