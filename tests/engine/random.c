/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random.c - see random.h
 *
 * Each style is a table of weights for what an instruction may be. Values are small and
 * repeat, so that reads and compare-and-swaps of different writes often return the same.
 */
#include "engine/random_gen.h"

#include <string.h>

const char *const style_names[STYLE_COUNT] = {
	"mixed", "plain", "rmw",   "sc",      "locks", "sync",  "loops", "na",
	"mutex", "await", "retry", "objects", "futex", "count", "sets",  "fences",
};

enum part {
	P_READ,
	P_WRITE,
	P_FAI,
	P_XCHG,
	P_CAS,
	P_FENCE,
	P_IF,
	P_LOCK,
	P_TRYLOCK,
	P_ASSUME,
	P_CHOOSE,
	P_SEM,
	P_COND,
	P_SPIN,
	P_CAS_LOOP,
	P_XCHG_LOCK,
	P_NA,
	P_AWAIT,
	P_RETRY,
	P_RWLOCK,
	P_TIMEDWAIT,
	P_BARRIER,
	P_FUTEX,
	P_COUNT,
	P_SET,
	P_KINDS
};

static const uint8_t weights[STYLE_COUNT][P_KINDS] = {
	[STYLE_MIXED] = { 30, 30, 6, 4, 6, 7, 5, 6, 2, 2, 1 },
	[STYLE_PLAIN] = { 45, 45, 0, 0, 0, 8, 4 },
	[STYLE_RMW] = { 15, 15, 25, 15, 25, 5, 3 },
	[STYLE_SC] = { 33, 33, 5, 3, 3, 22, 2 },
	[STYLE_LOCKS] = { 15, 15, 3, 0, 3, 2, 4, 40, 15, 2 },
	[STYLE_SYNC] = { 14, 14, 3, 0, 2, 2, 2, 8, 2, 0, 2, 30, 20 },
	[STYLE_LOOPS] = { 20, 25, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 20, 10 },
	[STYLE_NA] = { 12, 14, 4, 2, 3, 6, 8, 20, 2, 0, 0, 0, 0, 0, 0, 0, 40 },
	[STYLE_MUTEX] = { 16, 18, 3, 1, 2, 2, 5, 50, 0, 1, 1, 1, 3 },
	[STYLE_AWAIT] = { 20, 34, 8, 3, 4, 5, 8, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 25 },
	[STYLE_RETRY] = { 12, 22, 8, 6, 6, 3, 5, 0, 0, 0, 0, 0, 0, 0, 15, 3, 0, 4, 25 },
	[STYLE_OBJECTS] = { 14, 16, 3, 0, 2, 2, 4, 6, 2, 0, 1, 2, 6, 0, 0, 0, 0, 0, 0, 30, 12, 14 },
	[STYLE_FUTEX] = { 10, 22, 8, 3, 4, 3, 4, [P_FUTEX] = 45 },
	[STYLE_COUNTS] = { 12, 14, 4, 2, 3, 3, 5, 3, [P_COUNT] = 50 },
	[STYLE_SETS] = { 12, 14, 4, 2, 3, 3, 5, 3, [P_COUNT] = 5, [P_SET] = 45 },
	[STYLE_FENCES] = { 30, 30, 5, 2, 2, 30, 2 },
};

void gen_add_fence(struct gen *g, int t)
{
	static const enum mem_order ra[] = { ORDER_ACQ, ORDER_REL, ORDER_ACQ_REL };

	script_fence(g->s, t,
		     g->style == STYLE_SC || g->orders == ORD_SC || gen_below(g, 3) == 0
			     ? ORDER_SC
			     : ra[gen_below(g, 3)]);
}

static void add_part(struct gen *g, int t, int depth, bool locked);

void gen_add_some(struct gen *g, int t, int depth, int most, bool locked)
{
	for (int n = 1 + gen_below(g, most); n > 0; n--)
		add_part(g, t, depth, locked);
}

static void add_if(struct gen *g, int t, int depth)
{
	struct script *s = g->s;
	int value, reg;

	if (!s->thread[t].nregs)
		return;
	value = gen_below(g, 3);
	reg = gen_below(g, s->thread[t].nregs);
	script_cond(s, t, I_IF, gen_below(g, 2) ? CMP_EQ : CMP_NE, expr_reg(reg, 0),
		    expr_const(value));
	gen_add_some(g, t, depth + 1, 2, true);
	if (gen_below(g, 3) == 0) {
		script_add(s, t, I_ELSE);
		gen_add_some(g, t, depth + 1, 1, true);
	}
	script_add(s, t, I_ENDIF);
}

static void add_assume(struct gen *g, int t)
{
	int value;

	if (!g->s->thread[t].nregs)
		return;
	value = gen_below(g, 3);
	script_cond(g->s, t, I_ASSUME, CMP_NE, expr_reg(gen_below(g, g->s->thread[t].nregs), 0),
		    expr_const(value));
}

static void add_na(struct gen *g, int t)
{
	int l = script_loc(g->s, LOC_MEM, "p", 0);

	if (gen_below(g, 2))
		script_read(g->s, t, gen_reg(g, t, 'n'), l, ORDER_NA);
	else
		script_write(g->s, t, l, expr_const(1 + gen_below(g, 2)), ORDER_NA);
}

static enum part pick_part(struct gen *g, int depth, bool locked)
{
	int total = 0, at;

	for (int p = 0; p < P_KINDS; p++)
		total += weights[g->style][p];
	for (;;) {
		at = gen_below(g, total);
		int p = 0;
		while (at >= weights[g->style][p])
			at -= weights[g->style][p++];
		bool nests = p == P_IF || p == P_LOCK || p == P_TRYLOCK || p >= P_COND;
		if (p == P_NA ? true : nests ? depth < 2 && !(locked && p != P_IF) : true)
			return (enum part)p;
	}
}

static void add_access(struct gen *g, int t, enum part p)
{
	int l = gen_mem(g), reg, value;
	enum mem_order order, fail;

	switch (p) {
	case P_READ:
		order = gen_order(g, true, false);
		script_read(g->s, t, gen_reg(g, t, 'r'), l, order);
		break;
	case P_WRITE:
		order = gen_order(g, false, true);
		script_write(g->s, t, l, gen_small(g, t), order);
		break;
	case P_FAI:
	case P_XCHG:
		reg = gen_reg(g, t, 'r');
		order = gen_order(g, true, true);
		script_rmw(g->s, t, p == P_FAI ? I_FAI : I_XCHG, reg, l,
			   expr_const(1 + gen_below(g, 2)), order);
		break;
	default:
		reg = gen_reg(g, t, 'r');
		order = gen_order(g, true, true);
		fail = gen_order(g, true, false);
		value = 1 + gen_below(g, 2);
		script_cas(g->s, t, reg, l, expr_const(gen_below(g, 3)), expr_const(value), order,
			   fail);
		break;
	}
}

static void add_part(struct gen *g, int t, int depth, bool locked)
{
	struct script *s = g->s;

	if (g->budget-- <= 0 || s->thread[t].n > SCRIPT_INSNS - 14)
		return;
	enum part p = pick_part(g, depth, locked);
	switch (p) {
	case P_FENCE:
		gen_add_fence(g, t);
		break;
	case P_IF:
		add_if(g, t, depth);
		break;
	case P_LOCK:
		gen_add_lock(g, t, depth);
		break;
	case P_TRYLOCK:
		gen_add_trylock(g, t, depth);
		break;
	case P_ASSUME:
		add_assume(g, t);
		break;
	case P_CHOOSE:
		script_choose(s, t, gen_reg(g, t, 'r'), 2);
		break;
	case P_SEM:
		gen_add_sem(g, t);
		break;
	case P_COND:
		gen_add_cond(g, t);
		break;
	case P_SPIN:
		gen_add_spin(g, t);
		break;
	case P_CAS_LOOP:
		gen_add_cas_loop(g, t);
		break;
	case P_XCHG_LOCK:
		gen_add_xchg_lock(g, t);
		break;
	case P_NA:
		add_na(g, t);
		break;
	case P_AWAIT:
		if (gen_below(g, 5))
			gen_add_await(g, t);
		else
			gen_add_test_and_set(g, t);
		break;
	case P_FUTEX:
		gen_add_futex(g, t);
		break;
	case P_COUNT:
		gen_add_count(g, t);
		break;
	case P_SET:
		gen_add_set(g, t);
		break;
	case P_RETRY:
		gen_add_retry(g, t);
		break;
	case P_RWLOCK:
		gen_add_rwlock(g, t, depth);
		break;
	case P_TIMEDWAIT:
		gen_add_timedwait(g, t);
		break;
	case P_BARRIER:
		script_barrier(s, t, gen_lib(g, LOC_BARRIER, 1), 2);
		break;
	default:
		add_access(g, t, p);
	}
}

static enum orders orders_of(struct gen *g)
{
	if (g->style == STYLE_FENCES)
		return ORD_RLX;
	return g->style == STYLE_SC && gen_below(g, 2) ? ORD_SC : (enum orders)gen_below(g, 4);
}

void random_script(struct script *s, uint64_t seed, enum random_style style)
{
	struct gen g = { .s = s, .style = style, .state = seed * 0x2545f4914f6cdd1du + style };
	int threads;

	gen_begin(&g, style_names[style], seed);
	g.orders = orders_of(&g);
	g.nlocs = style == STYLE_RMW ? 1 + gen_below(&g, 2) : 1 + gen_below(&g, 3);
	threads = style == STYLE_LOOPS || style == STYLE_AWAIT || style == STYLE_RETRY
			  ? 2 + (gen_below(&g, 3) == 0)
			  : 2 + gen_below(&g, 3);
	g.budget = style == STYLE_LOOPS ? threads + 1 + gen_below(&g, 2) : 4 + gen_below(&g, 7);
	int share = g.budget / threads;
	for (int t = 0; t < threads; t++) {
		int rest = g.budget;
		script_thread(s);
		g.budget = t == threads - 1 ? rest : 1 + gen_below(&g, 2 * share);
		int mine = g.budget;
		g.held = 0;
		while (g.budget > 0 && s->thread[t].n <= SCRIPT_INSNS - 14)
			add_part(&g, t, 0, false);
		g.budget = rest - mine;
		if (g.budget < 1)
			g.budget = 1;
	}
	gen_end(&g);
}
