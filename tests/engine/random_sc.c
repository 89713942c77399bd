/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_sc.c - see random_sc.h
 *
 * sc fences, which most programs of style sc have, take the kept order out of use in part: here they are in one
 * program of four. Two or three locations, three or four threads. A read that observes an older write than the
 * last one asks most: so in half of the programs one thread looks at x again and again.
 */
#include "engine/random_sc.h"

#include "engine/random_gen.h"

/* Half are sc, and most others relaxed. */
static enum mem_order order_of(struct gen *g, bool reads, bool writes)
{
	g->orders = gen_below(g, 2) ? ORD_SC : gen_below(g, 3) ? ORD_RLX : ORD_MIX;
	return gen_order(g, reads, writes);
}

/* Of a hundred. */
struct some {
	int rmws, fences;
};

static void add_one(struct gen *g, int t, struct some some)
{
	const int l = gen_mem(g), kind = gen_below(g, 100);
	enum mem_order order;
	int reg, value;

	if (kind >= 100 - some.fences) {
		script_fence(g->s, t, ORDER_SC);
	} else if (kind < some.rmws) {
		reg = gen_reg(g, t, 'r');
		order = order_of(g, true, true);
		value = 1 + gen_below(g, 3);
		if (gen_below(g, 3))
			script_rmw(g->s, t, gen_below(g, 2) ? I_XCHG : I_FAI, reg, l,
				   expr_const(value), order);
		else
			script_cas(g->s, t, reg, l, expr_const(gen_below(g, 3)), expr_const(value),
				   order, order_of(g, true, false));
	} else if (kind % 2) {
		reg = gen_reg(g, t, 'r');
		order = order_of(g, true, false);
		script_read(g->s, t, reg, l, order);
	} else {
		order = order_of(g, false, true);
		script_write(g->s, t, l, expr_const(1 + gen_below(g, 3)), order);
	}
}

/* It sees x change, and its order counts for nothing. */
static void add_looks(struct gen *g, int t)
{
	const int x = script_loc(g->s, LOC_MEM, "x", 0);

	if (gen_below(g, 2))
		script_write(g->s, t, x, expr_const(4), ORDER_RLX);
	else
		script_read(g->s, t, gen_reg(g, t, 'r'), x, ORDER_RLX);
	for (int n = 1 + gen_below(g, 2); n > 0; n--)
		script_read(g->s, t, gen_reg(g, t, 'r'), x, ORDER_RLX);
}

void sc_script(struct script *s, uint64_t seed)
{
	struct gen g = { .s = s, .state = seed * 0x2545f4914f6cdd1du + 77 };
	struct some some;
	int threads, looks;

	gen_begin(&g, "accesses", seed);
	threads = 3 + (gen_below(&g, 4) == 0);
	g.nlocs = 2 + (gen_below(&g, 4) == 0);
	some.rmws = gen_below(&g, 3) ? 0 : 30;
	some.fences = seed % 4 ? 0 : 25;
	looks = gen_below(&g, 2) ? gen_below(&g, threads) : threads;
	g.budget = 7 + gen_below(&g, 4);
	for (int t = 0; t < threads; t++) {
		const int rest = threads - 1 - t;
		int mine = rest ? 1 + gen_below(&g, 4) : g.budget;

		script_thread(s);
		if (t == looks) {
			add_looks(&g, t);
			g.budget -= g.budget > rest + 2 ? 2 : 0;
			continue;
		}
		if (mine > g.budget - rest)
			mine = g.budget - rest;
		g.budget -= mine;
		while (mine-- > 0)
			add_one(&g, t, some);
	}
	gen_end(&g);
}
