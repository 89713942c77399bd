/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_spins.c - see random_spins.h
 */
#include "engine/random_spins.h"

#include "engine/random_gen.h"

static int lock_of(struct gen *g)
{
	return script_loc(g->s, LOC_MEM, gen_below(g, 5) ? "l" : "k", 0);
}

static void access(struct gen *g, int t)
{
	int x = gen_mem(g), value = 1 + gen_below(g, 2);

	switch (gen_below(g, 6)) {
	case 0:
		script_write(g->s, t, x, expr_const(value), gen_order(g, false, true));
		break;
	case 1:
		script_read(g->s, t, gen_reg(g, t, 'r'), x, gen_order(g, true, false));
		break;
	default:
		gen_add_plain(g, t);
	}
}

/* What only a lock that is not used as one would meet. */
static void disturb(struct gen *g, int t)
{
	int l = lock_of(g), value = gen_below(g, 3);
	enum mem_order order = gen_order(g, false, true);

	if (gen_below(g, 2))
		script_write(g->s, t, l, expr_const(value), order);
	else
		script_rmw(g->s, t, gen_below(g, 3) ? I_XCHG : I_FAI, gen_reg(g, t, 'b'), l,
			   expr_const(value), order);
}

static void take(struct gen *g, int t, int l, int reg)
{
	enum mem_order order = gen_below(g, 6) ? ORDER_ACQ : gen_order(g, true, true);

	if (gen_below(g, 2))
		script_rmw(g->s, t, I_XCHG, reg, l, expr_const(1), order);
	else
		script_cas(g->s, t, reg, l, expr_const(0), expr_const(1), order, ORDER_RLX);
	script_cond(g->s, t, I_IF, CMP_EQ, expr_reg(reg, 0), expr_const(0));
}

static void give_back(struct gen *g, int t, int l)
{
	enum mem_order order = gen_below(g, 6) ? ORDER_REL : gen_order(g, false, true);

	if (gen_below(g, 8) == 0)
		return;
	if (gen_below(g, 4))
		script_write(g->s, t, l, expr_const(0), order);
	else
		script_rmw(g->s, t, I_XCHG, gen_reg(g, t, 'u'), l, expr_const(0), order);
}

static void section(struct gen *g, int t)
{
	int l = lock_of(g), reg = gen_reg(g, t, 'a');

	take(g, t, l, reg);
	for (int n = 1 + gen_below(g, 2); n > 0; n--)
		access(g, t);
	if (gen_below(g, 10) == 0)
		disturb(g, t);
	give_back(g, t, l);
	script_add(g->s, t, I_ENDIF);
}

void spins_script(struct script *s, uint64_t seed)
{
	struct gen g = { .s = s, .style = STYLE_NA, .state = seed * 0x2545f4914f6cdd1du + 400 };
	int threads;

	gen_begin(&g, "spins", seed);
	g.orders = (enum orders)gen_below(&g, 4);
	g.nlocs = 1;
	threads = 2 + gen_below(&g, 2);
	for (int t = 0; t < threads; t++) {
		script_thread(s);
		for (int n = threads > 2 ? 1 : 1 + gen_below(&g, 2); n > 0; n--) {
			section(&g, t);
			if (gen_below(&g, 10) == 0)
				disturb(&g, t);
			if (gen_below(&g, 12) == 0)
				access(&g, t);
		}
	}
	gen_end(&g);
}
