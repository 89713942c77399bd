/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_loops.c - loops of random programs: those that wait, and those that try again
 */
#include "engine/random_gen.h"

void gen_add_spin(struct gen *g, int t)
{
	int reg = gen_reg(g, t, 'a'), l = gen_mem(g), value;

	script_add(g->s, t, I_LOOP);
	script_read(g->s, t, reg, l, gen_order(g, true, false));
	if (gen_below(g, 2))
		gen_add_fence(g, t);
	value = gen_below(g, 2);
	script_cond(g->s, t, I_BREAK_IF, gen_below(g, 2) ? CMP_NE : CMP_EQ, expr_reg(reg, 0),
		    expr_const(value));
	script_add(g->s, t, I_ENDLOOP);
}

void gen_add_cas_loop(struct gen *g, int t)
{
	int old = gen_reg(g, t, 'r'), exp = gen_reg(g, t, 'e'), l = gen_mem(g);
	enum mem_order fail = gen_order(g, true, false);

	script_read(g->s, t, old, l, fail);
	script_add(g->s, t, I_LOOP);
	script_set(g->s, t, exp, expr_reg(old, 0));
	script_cas(g->s, t, old, l, expr_reg(exp, 0), expr_reg(exp, 1 + gen_below(g, 2)),
		   ORDER_ACQ_REL, fail);
	script_cond(g->s, t, I_BREAK_IF, CMP_EQ, expr_reg(old, 0), expr_reg(exp, 0));
	script_add(g->s, t, I_ENDLOOP);
	g->budget--;
}

void gen_add_xchg_lock(struct gen *g, int t)
{
	int reg = gen_reg(g, t, 'b'), l = script_loc(g->s, LOC_MEM, "l", 0), from;
	enum mem_order order = gen_order(g, true, true);

	script_add(g->s, t, I_LOOP);
	if (gen_below(g, 4)) {
		script_rmw(g->s, t, I_XCHG, reg, l, expr_const(1), order);
	} else { /* an exchange made of compare-and-swaps, the second of which stores what is there */
		script_cas(g->s, t, reg, l, expr_const(0), expr_const(1), order, ORDER_RLX);
		script_cond(g->s, t, I_BREAK_IF, CMP_EQ, expr_reg(reg, 0), expr_const(0));
		script_cas(g->s, t, reg, l, expr_const(1), expr_const(1), order, ORDER_RLX);
	}
	script_cond(g->s, t, I_BREAK_IF, CMP_EQ, expr_reg(reg, 0), expr_const(0));
	script_add(g->s, t, I_ENDLOOP);
	from = gen_mem(g);
	script_read(g->s, t, gen_reg(g, t, 'r'), from, ORDER_RLX);
	script_write(g->s, t, l, expr_const(0), gen_below(g, 2) ? ORDER_REL : ORDER_RLX);
	g->budget -= 2;
}

/* `while (x == k);`, or as in Peterson's lock `while (x == k && y == l);`, or with two values. */
void gen_add_await(struct gen *g, int t)
{
	struct script *s = g->s;
	int a = gen_reg(g, t, 'a'), b = gen_reg(g, t, 'b'), shape = gen_below(g, 4);
	int x = gen_mem(g), y = gen_mem(g);
	enum cmp cmp = gen_below(g, 2) ? CMP_NE : CMP_EQ;

	script_add(s, t, I_LOOP);
	script_read(s, t, a, x, gen_order(g, true, false));
	script_cond(s, t, I_BREAK_IF, cmp, expr_reg(a, 0), expr_const(gen_below(g, 3)));
	if (shape == 0) {
		script_read(s, t, b, y, gen_order(g, true, false));
		script_cond(s, t, I_BREAK_IF, CMP_NE, expr_reg(b, 0), expr_const(gen_below(g, 3)));
	} else if (shape == 1) {
		script_cond(s, t, I_BREAK_IF, cmp, expr_reg(a, 0), expr_const(gen_below(g, 3)));
	}
	script_add(s, t, I_ENDLOOP);
}

/* Waits until the lock looks free, then tries to take it. */
void gen_add_test_and_set(struct gen *g, int t)
{
	struct script *s = g->s;
	int a = gen_reg(g, t, 'a'), b = gen_reg(g, t, 'b'), l = gen_mem(g);

	script_add(s, t, I_LOOP);
	script_add(s, t, I_LOOP);
	script_read(s, t, a, l, ORDER_RLX);
	script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(a, 0), expr_const(0));
	script_add(s, t, I_ENDLOOP);
	script_rmw(s, t, I_XCHG, b, l, expr_const(1), gen_order(g, true, true));
	script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(b, 0), expr_const(0));
	script_add(s, t, I_ENDLOOP);
	script_write(s, t, l, expr_const(0), gen_order(g, false, true));
	g->budget--;
}

/*
 * `do old = x; while (!cas(&x, old, k));`, with a look at something else in between, or a lock made
 * of a compare-and-swap. Values come back, and there may be other threads that write at any time.
 */
void gen_add_retry(struct gen *g, int t)
{
	struct script *s = g->s;
	int a = gen_reg(g, t, 'a'), b = gen_reg(g, t, 'b'), c = gen_reg(g, t, 'c');
	int x = gen_mem(g), y = gen_mem(g), shape = gen_below(g, 4);
	enum mem_order fail = gen_order(g, true, false);

	script_add(s, t, I_LOOP);
	if (shape == 0) {
		script_cas(s, t, a, x, expr_const(0), expr_const(1), ORDER_ACQ, fail);
		script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(a, 0), expr_const(0));
	} else {
		script_read(s, t, b, x, gen_order(g, true, false));
		if (shape == 1)
			script_read(s, t, c, y, gen_order(g, true, false));
		script_cas(s, t, a, x, expr_reg(b, 0),
			   shape == 2 ? expr_const(gen_below(g, 3)) : expr_reg(b, 1), ORDER_ACQ_REL,
			   fail);
		script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(a, 0), expr_reg(b, 0));
	}
	script_add(s, t, I_ENDLOOP);
	if (shape == 0)
		script_write(s, t, x, expr_const(0), gen_order(g, false, true));
	g->budget--;
}
