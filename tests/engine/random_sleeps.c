/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_sleeps.c - see random_sleeps.h
 */
#include "engine/random_sleeps.h"

#include "engine/random_gen.h"

static void something(struct gen *g, int t)
{
	int l = gen_mem(g), value = 1 + gen_below(g, 2);

	switch (gen_below(g, 7)) {
	case 0:
		gen_add_plain(g, t);
		break;
	case 1:
		script_rmw(g->s, t, I_FAI, gen_reg(g, t, 'r'), l, expr_const(1),
			   gen_order(g, true, true));
		break;
	case 2:
	case 3:
		script_write(g->s, t, l, expr_const(value), gen_order(g, false, true));
		break;
	default:
		script_read(g->s, t, gen_reg(g, t, 'r'), l, gen_order(g, true, false));
	}
}

static int futex(struct gen *g)
{
	return gen_lib(g, LOC_FUTEX, 1 + (gen_below(g, 5) == 0));
}

/* Words share a queue where threads are moved between them; it is named by one of them. */
static int word(struct gen *g)
{
	return gen_below(g, 5) == 0;
}

static int bits(struct gen *g)
{
	return gen_below(g, 5) ? 3 : 1 + gen_below(g, 2);
}

/* Reads x behind the look, or instead of it, and goes on if it is what it has to be. */
static void compare(struct gen *g, int t, int x, int value, enum cmp cmp)
{
	int reg = gen_reg(g, t, 'a');

	script_read(g->s, t, reg, x, ORDER_RLX);
	script_cond(g->s, t, I_ASSUME, cmp, expr_reg(reg, 0), expr_const(value));
}

static void sleep_on(struct gen *g, int t)
{
	const int arg[4] = { word(g), bits(g) };
	int f = futex(g), x = gen_mem(g), value = gen_below(g, 4) == 0;
	bool compares = gen_below(g, 3) > 0;

	if (compares) {
		int reg = gen_reg(g, t, 'c');

		script_choose(g->s, t, reg, 2);
		script_cond(g->s, t, I_IF, CMP_EQ, expr_reg(reg, 0), expr_const(0));
		compare(g, t, x, value, CMP_NE);
		script_add(g->s, t, I_ELSE);
	}
	script_futex(g->s, t, I_FUTEX_LOOK, f, (const int[4]){ 0 });
	if (compares)
		compare(g, t, x, value, CMP_EQ);
	script_futex(g->s, t, I_FUTEX_WAIT, f, arg);
	script_futex(g->s, t, I_FUTEX_WOKEN, f, (const int[4]){ gen_below(g, 6) == 0 });
	if (compares)
		script_add(g->s, t, I_ENDIF);
}

static void wake(struct gen *g, int t)
{
	const int arg[4] = { word(g), bits(g), gen_below(g, 3) ? 1 : 2 + gen_below(g, 2) };

	script_futex(g->s, t, I_FUTEX_WAKE, futex(g), arg);
}

static void part(struct gen *g, int t, bool sleeps)
{
	if (gen_below(g, 5) == 0)
		sleeps = !sleeps;
	if (gen_below(g, 3) == 0)
		something(g, t);
	if (sleeps)
		sleep_on(g, t);
	else
		wake(g, t);
	if (gen_below(g, 3) == 0)
		something(g, t);
}

void sleeps_script(struct script *s, uint64_t seed)
{
	struct gen g = { .s = s, .style = STYLE_FUTEX, .state = seed * 0x2545f4914f6cdd1du + 300 };
	int threads, sleepers;

	gen_begin(&g, "sleeps", seed);
	g.orders = (enum orders)gen_below(&g, 4);
	g.nlocs = 1 + gen_below(&g, 2);
	threads = 2 + (gen_below(&g, 3) > 0) + (gen_below(&g, 4) == 0);
	sleepers = 1 + gen_below(&g, threads - 1);
	for (int t = 0; t < threads; t++) {
		script_thread(s);
		for (int n = threads > 3 ? 1 : 1 + gen_below(&g, 2); n > 0; n--)
			part(&g, t, t < sleepers);
	}
	gen_end(&g);
}
