/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_waits.c - see random_waits.h
 */
#include "engine/random_waits.h"

#include "engine/random_gen.h"

const char *const waits_names[WAITS_SHAPES] = { "races", "mutual", "objects+", "crowd" };

static const char *const memory[] = { "x", "y" };

static void access(struct gen *g, int t)
{
	int l = gen_mem(g), value = 1 + gen_below(g, 2);

	switch (gen_below(g, 4)) {
	case 0:
		script_read(g->s, t, gen_reg(g, t, 'r'), l, gen_order(g, true, false));
		break;
	case 1:
		script_rmw(g->s, t, I_FAI, gen_reg(g, t, 'r'), l, expr_const(1),
			   gen_order(g, true, true));
		break;
	default:
		script_write(g->s, t, l, expr_const(value), gen_order(g, false, true));
	}
}

static void wait_for(struct gen *g, int t)
{
	switch (gen_below(g, 5)) {
	case 0:
		gen_add_retry(g, t);
		break;
	case 1:
		gen_add_test_and_set(g, t);
		break;
	default:
		gen_add_await(g, t);
	}
}

static void race_part(struct gen *g, int t)
{
	static const uint8_t waits = 3, accesses = 6, all = 10;
	int pick = gen_below(g, all);

	if (pick < waits)
		wait_for(g, t);
	else if (pick < accesses)
		access(g, t);
	else
		gen_add_plain(g, t);
}

static void object(struct gen *g, int t)
{
	switch (gen_below(g, 6)) {
	case 0:
		gen_add_sem(g, t);
		break;
	case 1:
		gen_add_cond(g, t);
		break;
	case 2:
		gen_add_trylock(g, t, 1);
		break;
	case 3:
		gen_add_rwlock(g, t, 1);
		break;
	default:
		gen_add_lock(g, t, 1);
	}
}

static void object_part(struct gen *g, int t)
{
	int pick = gen_below(g, 9);

	if (pick < 3)
		wait_for(g, t);
	else if (pick < 6)
		object(g, t);
	else
		access(g, t);
}

/* An exchange that is tried until it finds something else, or a compare-and-swap until it succeeds. */
static void try_again(struct gen *g, int t)
{
	struct script *s = g->s;
	int a = gen_reg(g, t, 'a'), x = gen_mem(g), value = gen_below(g, 3), old = gen_below(g, 3);
	enum mem_order order = gen_order(g, true, true), fail = gen_order(g, true, false);

	script_add(s, t, I_LOOP);
	if (gen_below(g, 2)) {
		script_rmw(s, t, I_XCHG, a, x, expr_const(value), order);
		script_cond(s, t, I_BREAK_IF, CMP_NE, expr_reg(a, 0), expr_const(value));
	} else {
		script_cas(s, t, a, x, expr_const(old), expr_const(value), order, fail);
		script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(a, 0), expr_const(old));
		if (gen_below(g, 3) == 0)
			script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(a, 0), expr_const(2));
	}
	script_add(s, t, I_ENDLOOP);
}

static void crowd_part(struct gen *g, int t)
{
	int pick = gen_below(g, 5), a, l, value;

	if (pick < 2) {
		try_again(g, t);
	} else if (pick == 2) {
		a = gen_reg(g, t, 'r');
		l = gen_mem(g);
		value = gen_below(g, 3);
		script_cas(g->s, t, a, l, expr_const(gen_below(g, 3)), expr_const(value),
			   gen_order(g, true, true), ORDER_RLX);
		script_cond(g->s, t, I_ASSUME, CMP_NE, expr_reg(a, 0), expr_const(gen_below(g, 3)));
	} else {
		l = gen_mem(g);
		value = gen_below(g, 3);
		script_write(g->s, t, l, expr_const(value), gen_order(g, false, true));
	}
}

static void until_flag(struct gen *g, int t, const char *flag)
{
	int r = script_reg(g->s, t, "r");

	script_read(g->s, t, r, script_loc(g->s, LOC_MEM, flag, 0), ORDER_ACQ);
	script_cond(g->s, t, I_ASSUME, CMP_EQ, expr_reg(r, 0), expr_const(1));
}

/* Waits at one place for 1, by what it read there before, and writes to the other. */
static void mutual_waiter(struct gen *g, int t)
{
	struct script *s = g->s;
	int mine = script_loc(s, LOC_MEM, memory[t], 0);
	int other = script_loc(s, LOC_MEM, memory[1 - t], 0);
	int a = script_reg(s, t, "a"), f = script_reg(s, t, "f"),
	    shape = gen_below(g, 2) ? 3 : gen_below(g, 3);
	struct expr sum = { .reg = { (int8_t)a, (int8_t)f } };

	if (gen_below(g, 6))
		until_flag(g, t, t ? "g" : "h");
	if (shape)
		script_read(s, t, f, mine, ORDER_RLX);
	if (shape == 3)
		script_cond(s, t, I_IF, CMP_LT, expr_const(2), expr_reg(f, 0));
	script_add(s, t, I_LOOP);
	script_read(s, t, a, mine, gen_order(g, true, false));
	script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(a, 0), expr_const(1));
	if (shape) {
		script_cond(s, t, I_BREAK_IF, CMP_EQ, sum,
			    expr_const(gen_below(g, 4) ? 6 : 3 + gen_below(g, 6)));
		script_cond(s, t, I_IF, CMP_EQ, expr_reg(a, 0), expr_const(2));
		script_set(s, t, f, expr_const(5));
		script_add(s, t, I_ELSE);
		script_set(s, t, f, expr_reg(a, 0));
		script_add(s, t, I_ENDIF);
	}
	script_add(s, t, I_ENDLOOP);
	script_write(s, t, other, expr_const(gen_below(g, 3) ? 3 : 1 + gen_below(g, 3)),
		     gen_order(g, false, true));
	if (shape == 3)
		script_add(s, t, I_ENDIF);
}

static void write_value(struct gen *g, int t, int l, int value)
{
	script_write(g->s, t, script_loc(g->s, LOC_MEM, memory[l], 0), expr_const(value),
		     gen_order(g, false, true));
}

/* Thread 2 lets both go on, the next ones keep one of them each where it is; or anything like it. */
static void mutual_writer(struct gen *g, int t)
{
	static const int values[] = { 1, 1, 2, 2, 5, 3 };
	bool any = gen_below(g, 4) == 0;
	int l = any || t == 2 ? gen_below(g, 2) : t - 3;

	if (any)
		for (int n = 1 + gen_below(g, 2); n > 0; n--)
			write_value(g, t, gen_below(g, 2), values[gen_below(g, 6)]);
	for (int n = 0; !any && t == 2 && n < 4; n++)
		write_value(g, t, n < 2 ? l : 1 - l, n & 1 ? 1 : 5);
	if (!any && t > 2)
		write_value(g, t, l, 2);
	if (any ? gen_below(g, 2) : t > 2)
		script_write(g->s, t, script_loc(g->s, LOC_MEM, l ? "h" : "g", 0), expr_const(1),
			     ORDER_REL);
}

static void fill(struct gen *g, enum waits_shape shape, int t)
{
	static void (*const part[])(struct gen * g, int t) = {
		[WAITS_RACES] = race_part, [WAITS_OBJECTS] = object_part, [WAITS_CROWD] = crowd_part
	};

	if (shape == WAITS_MUTUAL) {
		if (t < 2)
			mutual_waiter(g, t);
		else
			mutual_writer(g, t);
		return;
	}
	g->held = 0;
	g->budget = 3;
	for (int n = 1 + gen_below(g, shape == WAITS_CROWD ? 2 : 3); n > 0; n--)
		if (g->s->thread[t].n <= SCRIPT_INSNS - 20)
			part[shape](g, t);
}

void waits_script(struct script *s, uint64_t seed, enum waits_shape shape)
{
	struct gen g = { .s = s,
			 .style = STYLE_AWAIT,
			 .state = seed * 0x2545f4914f6cdd1du + 100 + (unsigned)shape };
	int threads;

	gen_begin(&g, waits_names[shape], seed);
	g.orders = (enum orders)gen_below(&g, 4);
	g.nlocs = 1 + gen_below(&g, 2);
	threads = shape == WAITS_MUTUAL  ? 4 + (gen_below(&g, 3) > 0)
		  : shape == WAITS_CROWD ? 3 + gen_below(&g, 3)
					 : 2 + gen_below(&g, 2);
	for (int t = 0; t < threads; t++) {
		script_thread(s);
		fill(&g, shape, t);
	}
	gen_end(&g);
}
