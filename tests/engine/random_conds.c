/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_conds.c - see random_conds.h
 */
#include "engine/random_conds.h"

#include "engine/random_gen.h"

static void access(struct gen *g, int t)
{
	int l = gen_mem(g), value = 1 + gen_below(g, 2);

	switch (gen_below(g, 5)) {
	case 0:
		script_rmw(g->s, t, I_FAI, gen_reg(g, t, 'r'), l, expr_const(1),
			   gen_order(g, true, true));
		break;
	case 1:
	case 2:
		script_write(g->s, t, l, expr_const(value), gen_order(g, false, true));
		break;
	default:
		script_read(g->s, t, gen_reg(g, t, 'r'), l, gen_order(g, true, false));
	}
}

static void something(struct gen *g, int t)
{
	if (gen_below(g, 6) == 0)
		gen_add_plain(g, t);
	else
		access(g, t);
}

/* Waits, once or again, if it does not find a flag, or whatever it finds. */
static void wait_for(struct gen *g, int t, int m)
{
	int c = gen_lib(g, LOC_COND, 1 + (gen_below(g, 5) == 0)), asks = gen_below(g, 2);

	if (asks) {
		int r = gen_reg(g, t, 'r'), x = gen_mem(g);

		script_read(g->s, t, r, x, ORDER_RLX);
		script_cond(g->s, t, I_IF, CMP_EQ, expr_reg(r, 0), expr_const(0));
	}
	for (int n = gen_below(g, 4) ? 1 : 2; n > 0; n--)
		if (gen_below(g, 4))
			script_cond_wait(g->s, t, c, m);
		else
			script_timedwait(g->s, t, gen_reg(g, t, 'b'), c, m);
	if (asks)
		script_add(g->s, t, I_ENDIF);
}

static void wake(struct gen *g, int t)
{
	int c = gen_lib(g, LOC_COND, 1 + (gen_below(g, 5) == 0));

	script_lib(g->s, t, gen_below(g, 4) ? I_SIGNAL : I_BROADCAST, -1, c);
}

static void section(struct gen *g, int t, bool waits)
{
	int m = gen_lib(g, LOC_MUTEX, 1 + (gen_below(g, 4) == 0));

	script_lib(g->s, t, I_LOCK, -1, m);
	if (gen_below(g, 3) == 0)
		something(g, t);
	if (waits)
		wait_for(g, t, m);
	else
		wake(g, t);
	if (gen_below(g, 3) == 0)
		something(g, t);
	script_lib(g->s, t, I_UNLOCK, -1, m);
}

static void part(struct gen *g, int t, bool waiter)
{
	switch (gen_below(g, 8)) {
	case 0:
		something(g, t);
		break;
	case 1:
	case 2:
		if (waiter)
			something(g, t);
		else
			wake(g, t);
		break;
	case 3:
		section(g, t, !waiter);
		break;
	default:
		section(g, t, waiter);
	}
}

void conds_script(struct script *s, uint64_t seed)
{
	struct gen g = { .s = s, .style = STYLE_SYNC, .state = seed * 0x2545f4914f6cdd1du + 200 };
	int threads, waiters;

	gen_begin(&g, "conds", seed);
	g.orders = (enum orders)gen_below(&g, 4);
	g.nlocs = 1 + gen_below(&g, 2);
	threads = 2 + (gen_below(&g, 3) > 0) + (gen_below(&g, 4) == 0);
	waiters = 1 + gen_below(&g, threads - 1);
	for (int t = 0; t < threads; t++) {
		script_thread(s);
		for (int n = threads > 3 ? 1 : 1 + gen_below(&g, 2); n > 0; n--) {
			if (gen_below(&g, 3) == 0)
				something(&g, t);
			part(&g, t, t < waiters);
		}
		if (gen_below(&g, 3) == 0)
			something(&g, t);
	}
	gen_end(&g);
}
