/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random.c - see random.h
 *
 * Each style is a table of weights for what an instruction may be. Values are small and
 * repeat, so that reads and compare-and-swaps of different writes often return the same.
 *
 * No two arguments of a call draw: which of them draws first, a compiler chooses.
 */
#include "engine/random.h"

#include <stdlib.h>
#include <string.h>

const char *const style_names[STYLE_COUNT] = {
	"mixed", "plain", "rmw",   "sc",    "locks",   "sync",  "loops",
	"na",    "mutex", "await", "retry", "objects", "futex", "count",
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
	P_KINDS
};

enum orders {
	ORD_RLX,
	ORD_RA,
	ORD_SC,
	ORD_MIX
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
};

struct gen {
	struct script *s;
	uint64_t state;
	enum random_style style;
	enum orders orders;
	int nlocs, regs;
	int budget;    /* operations left, over all threads */
	uint32_t held; /* mutexes that the thread holds here */
};

static uint64_t next(struct gen *g)
{
	uint64_t z = g->state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static int below(struct gen *g, int n)
{
	return (int)(next(g) >> 33) % n;
}

static int new_reg(struct gen *g, int t, char prefix)
{
	char name[SCRIPT_SHORT];

	if (g->s->thread[t].nregs == SCRIPT_REGS)
		return below(g, SCRIPT_REGS);
	snprintf(name, sizeof(name), "%c%u", prefix, (unsigned)g->regs++ % 100000u);
	return script_reg(g->s, t, name);
}

static enum mem_order order_of(struct gen *g, bool reads, bool writes)
{
	enum mem_order strong = reads && writes ? ORDER_ACQ_REL : reads ? ORDER_ACQ : ORDER_REL;

	switch (g->orders) {
	case ORD_RLX:
		return ORDER_RLX;
	case ORD_RA:
		return strong;
	case ORD_SC:
		return ORDER_SC;
	default:
		break;
	}
	int pick = below(g, reads && writes ? 5 : 3);
	if (pick == 0)
		return ORDER_RLX;
	if (pick == 1)
		return ORDER_SC;
	return pick == 2 ? strong : pick == 3 ? ORDER_ACQ : ORDER_REL;
}

static int mem_loc(struct gen *g)
{
	static const char *const names[] = { "x", "y", "z" };

	return script_loc(g->s, LOC_MEM, names[below(g, g->nlocs)], 0);
}

static int lib_loc(struct gen *g, enum loc_kind kind, int n)
{
	static const char *const names[][2] = {
		[LOC_MUTEX] = { "m", "n" },   [LOC_SEM] = { "s", "q" },
		[LOC_COND] = { "c", "d" },    [LOC_RWLOCK] = { "w", "v" },
		[LOC_BARRIER] = { "b", "a" },

		[LOC_FUTEX] = { "f", "g" },   [LOC_COUNT] = { "p", "u" }
	};
	int which = below(g, n);

	return script_loc(g->s, kind, names[kind][which], kind == LOC_SEM ? which : 0);
}

/* A small constant, or now and then a register of the thread. */
static struct expr small(struct gen *g, int t)
{
	if (g->s->thread[t].nregs && below(g, 8) == 0) {
		int plus = below(g, 2);

		return expr_reg(below(g, g->s->thread[t].nregs), plus);
	}
	return expr_const(1 + below(g, 2));
}

static void add_fence(struct gen *g, int t)
{
	static const enum mem_order ra[] = { ORDER_ACQ, ORDER_REL, ORDER_ACQ_REL };

	script_fence(g->s, t,
		     g->style == STYLE_SC || g->orders == ORD_SC || below(g, 3) == 0
			     ? ORDER_SC
			     : ra[below(g, 3)]);
}

static void add_part(struct gen *g, int t, int depth, bool locked);

static void add_some(struct gen *g, int t, int depth, int most, bool locked)
{
	for (int n = 1 + below(g, most); n > 0; n--)
		add_part(g, t, depth, locked);
}

static void add_if(struct gen *g, int t, int depth)
{
	struct script *s = g->s;
	int value, reg;

	if (!s->thread[t].nregs)
		return;
	value = below(g, 3);
	reg = below(g, s->thread[t].nregs);
	script_cond(s, t, I_IF, below(g, 2) ? CMP_EQ : CMP_NE, expr_reg(reg, 0), expr_const(value));
	add_some(g, t, depth + 1, 2, true);
	if (below(g, 3) == 0) {
		script_add(s, t, I_ELSE);
		add_some(g, t, depth + 1, 1, true);
	}
	script_add(s, t, I_ENDIF);
}

static void add_assume(struct gen *g, int t)
{
	int value;

	if (!g->s->thread[t].nregs)
		return;
	value = below(g, 3);
	script_cond(g->s, t, I_ASSUME, CMP_NE, expr_reg(below(g, g->s->thread[t].nregs), 0),
		    expr_const(value));
}

static bool many_locks(const struct gen *g)
{
	return g->style == STYLE_LOCKS || g->style == STYLE_MUTEX;
}

static void add_lock(struct gen *g, int t, int depth)
{
	int m = lib_loc(g, LOC_MUTEX, many_locks(g) ? 2 : 1);

	if (g->held & 1u << m)
		return;
	g->held |= 1u << m;
	script_lib(g->s, t, I_LOCK, -1, m);
	add_some(g, t, depth + 1, 2, !many_locks(g) || depth > 0);
	g->held &= ~(1u << m);
	if (below(g, 20)) /* or held for ever */
		script_lib(g->s, t, I_UNLOCK, -1, m);
}

static void add_trylock(struct gen *g, int t, int depth)
{
	int m = lib_loc(g, LOC_MUTEX, many_locks(g) ? 2 : 1);
	int reg;

	if (g->held & 1u << m)
		return;
	g->held |= 1u << m;
	reg = new_reg(g, t, 'b');
	script_lib(g->s, t, I_TRYLOCK, reg, m);
	script_cond(g->s, t, I_IF, CMP_EQ, expr_reg(reg, 0), expr_const(1));
	add_some(g, t, depth + 1, 1, true);
	g->held &= ~(1u << m);
	if (below(g, 10))
		script_lib(g->s, t, I_UNLOCK, -1, m);
	script_add(g->s, t, I_ENDIF);
}

static void add_sem(struct gen *g, int t)
{
	int k = below(g, 5), l = lib_loc(g, LOC_SEM, 2);

	if (k < 2)
		script_lib(g->s, t, I_SEM_POST, -1, l);
	else if (k < 4)
		script_lib(g->s, t, I_SEM_WAIT, -1, l);
	else
		script_lib(g->s, t, I_SEM_TRYWAIT, new_reg(g, t, 'b'), l);
}

/* lock; wait; unlock, or lock; signal; unlock, or a signal alone. */
static void add_cond(struct gen *g, int t)
{
	int c = lib_loc(g, LOC_COND, 1), m = lib_loc(g, LOC_MUTEX, 1), k = below(g, 4);

	if (k && g->held & 1u << m)
		return;
	if (k)
		script_lib(g->s, t, I_LOCK, -1, m);
	if (k == 1)
		script_cond_wait(g->s, t, c, m);
	else
		script_lib(g->s, t, k == 2 ? I_BROADCAST : I_SIGNAL, -1, c);
	if (k)
		script_lib(g->s, t, I_UNLOCK, -1, m);
	g->budget -= 2;
}

/* Read or write lock around a little, or a try at it. */
static void add_rwlock(struct gen *g, int t, int depth)
{
	int l = lib_loc(g, LOC_RWLOCK, 1), k = below(g, 8), reg;
	bool tries = k == 4 || k == 5;

	if (g->held & 1u << l)
		return;
	g->held |= 1u << l;
	if (tries) {
		reg = new_reg(g, t, 'b');
		script_lib(g->s, t, k == 4 ? I_TRYRDLOCK : I_TRYWRLOCK, reg, l);
		script_cond(g->s, t, I_IF, CMP_EQ, expr_reg(reg, 0), expr_const(1));
	} else if (k >= 6) {
		script_lib(g->s, t, I_WRASK, -1, l);
		script_lib(g->s, t, I_WRASKED, -1, l);
	} else {
		script_lib(g->s, t, k < 2 ? I_RDLOCK : I_WRLOCK, -1, l);
	}
	add_some(g, t, depth + 1, tries ? 1 : 2, true);
	g->held &= ~(1u << l);
	if (below(g, 15)) /* or held for ever */
		script_lib(g->s, t, I_RWUNLOCK, -1, l);
	if (tries)
		script_add(g->s, t, I_ENDIF);
}

static void add_timedwait(struct gen *g, int t)
{
	int c = lib_loc(g, LOC_COND, 1), m = lib_loc(g, LOC_MUTEX, 1);

	if (g->held & 1u << m)
		return;
	script_lib(g->s, t, I_LOCK, -1, m);
	script_timedwait(g->s, t, new_reg(g, t, 'b'), c, m);
	script_lib(g->s, t, I_UNLOCK, -1, m);
	g->budget -= 2;
}

/*
 * Sleeps, as futex(2) does if x is still what it was.
 */
static void add_futex_wait(struct gen *g, int t, int f, int word)
{
	int value = below(g, 2), how = below(g, 5), x = mem_loc(g), reg;
	int arg[4] = { word, 1 + below(g, 3) };
	bool checks = below(g, 3);

	if (how == 0) {
		reg = new_reg(g, t, 'a');
		script_read(g->s, t, reg, x, ORDER_RLX);
		script_cond(g->s, t, I_ASSUME, CMP_NE, expr_reg(reg, 0), expr_const(value));
		return;
	}
	script_futex(g->s, t, I_FUTEX_LOOK, f, (const int[4]){ 0 });
	if (checks) {
		reg = new_reg(g, t, 'a');
		script_read(g->s, t, reg, x, ORDER_RLX);
		script_cond(g->s, t, I_ASSUME, CMP_EQ, expr_reg(reg, 0), expr_const(value));
	}
	script_futex(g->s, t, I_FUTEX_WAIT, f, arg);
	script_futex(g->s, t, I_FUTEX_WOKEN, f, (const int[4]){ how == 1 });
}

static void add_futex(struct gen *g, int t)
{
	int f = lib_loc(g, LOC_FUTEX, 1), k = below(g, 6), word = below(g, 4) == 0;
	int n = below(g, 2) ? 1 : below(g, 3), moves = below(g, 3), to = word ? 2 * below(g, 2) : 1;

	if (k < 3) {
		add_futex_wait(g, t, f, word);
	} else if (k < 5) {
		int bits = below(g, 3) ? 3 : 1 + below(g, 2);

		script_futex(g->s, t, I_FUTEX_WAKE, f, (const int[4]){ word, bits, n });
	} else {
		script_futex(g->s, t, I_FUTEX_LOOK, f, (const int[4]){ 0 });
		if (below(g, 3) == 0) {
			int x = mem_loc(g), reg = new_reg(g, t, 'a');

			script_read(g->s, t, reg, x, ORDER_RLX);
		}
		script_futex(g->s, t, I_FUTEX_MOVE, f, (const int[4]){ word, to, n, moves });
	}
	g->budget--;
}

static void add_count(struct gen *g, int t)
{
	static const enum insn_kind kinds[] = {
		I_TAKE, I_TAKE,   I_TRYTAKE, I_ADD,  I_ADD,   I_ADD,
		I_ADD,  I_TRYADD, I_CLOSE,   I_LOOK, I_READY, I_OPEN
	};
	int c = lib_loc(g, LOC_COUNT, 2), reg = new_reg(g, t, 'k');
	enum insn_kind kind = kinds[below(g, 12)];
	int flags = kind == I_CLOSE ? 1 + (below(g, 3) == 0) : 1 + below(g, 3), n = 1 + below(g, 2);

	script_count(g->s, t, kind, reg, c, (const int[3]){ n, 3, flags });
}

static void add_spin(struct gen *g, int t)
{
	int reg = new_reg(g, t, 'a'), l = mem_loc(g), value;

	script_add(g->s, t, I_LOOP);
	script_read(g->s, t, reg, l, order_of(g, true, false));
	if (below(g, 2))
		add_fence(g, t);
	value = below(g, 2);
	script_cond(g->s, t, I_BREAK_IF, below(g, 2) ? CMP_NE : CMP_EQ, expr_reg(reg, 0),
		    expr_const(value));
	script_add(g->s, t, I_ENDLOOP);
}

static void add_cas_loop(struct gen *g, int t)
{
	int old = new_reg(g, t, 'r'), exp = new_reg(g, t, 'e'), l = mem_loc(g);
	enum mem_order fail = order_of(g, true, false);

	script_read(g->s, t, old, l, fail);
	script_add(g->s, t, I_LOOP);
	script_set(g->s, t, exp, expr_reg(old, 0));
	script_cas(g->s, t, old, l, expr_reg(exp, 0), expr_reg(exp, 1 + below(g, 2)), ORDER_ACQ_REL,
		   fail);
	script_cond(g->s, t, I_BREAK_IF, CMP_EQ, expr_reg(old, 0), expr_reg(exp, 0));
	script_add(g->s, t, I_ENDLOOP);
	g->budget--;
}

static void add_xchg_lock(struct gen *g, int t)
{
	int reg = new_reg(g, t, 'b'), l = script_loc(g->s, LOC_MEM, "l", 0), from;

	script_add(g->s, t, I_LOOP);
	script_rmw(g->s, t, I_XCHG, reg, l, expr_const(1), below(g, 2) ? ORDER_ACQ : ORDER_RLX);
	script_cond(g->s, t, I_BREAK_IF, CMP_EQ, expr_reg(reg, 0), expr_const(0));
	script_add(g->s, t, I_ENDLOOP);
	from = mem_loc(g);
	script_read(g->s, t, new_reg(g, t, 'r'), from, ORDER_RLX);
	script_write(g->s, t, l, expr_const(0), below(g, 2) ? ORDER_REL : ORDER_RLX);
	g->budget -= 2;
}

/* `while (x == k);`, or as in Peterson's lock `while (x == k && y == l);`, or with two values. */
static void add_await(struct gen *g, int t)
{
	struct script *s = g->s;
	int a = new_reg(g, t, 'a'), b = new_reg(g, t, 'b'), shape = below(g, 4);
	int x = mem_loc(g), y = mem_loc(g);
	enum cmp cmp = below(g, 2) ? CMP_NE : CMP_EQ;

	script_add(s, t, I_LOOP);
	script_read(s, t, a, x, order_of(g, true, false));
	script_cond(s, t, I_BREAK_IF, cmp, expr_reg(a, 0), expr_const(below(g, 3)));
	if (shape == 0) {
		script_read(s, t, b, y, order_of(g, true, false));
		script_cond(s, t, I_BREAK_IF, CMP_NE, expr_reg(b, 0), expr_const(below(g, 3)));
	} else if (shape == 1) {
		script_cond(s, t, I_BREAK_IF, cmp, expr_reg(a, 0), expr_const(below(g, 3)));
	}
	script_add(s, t, I_ENDLOOP);
}

/* Waits until the lock looks free, then tries to take it. */
static void add_test_and_set(struct gen *g, int t)
{
	struct script *s = g->s;
	int a = new_reg(g, t, 'a'), b = new_reg(g, t, 'b'), l = mem_loc(g);

	script_add(s, t, I_LOOP);
	script_add(s, t, I_LOOP);
	script_read(s, t, a, l, ORDER_RLX);
	script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(a, 0), expr_const(0));
	script_add(s, t, I_ENDLOOP);
	script_rmw(s, t, I_XCHG, b, l, expr_const(1), ORDER_ACQ);
	script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(b, 0), expr_const(0));
	script_add(s, t, I_ENDLOOP);
	script_write(s, t, l, expr_const(0), order_of(g, false, true));
	g->budget--;
}

/*
 * `do old = x; while (!cas(&x, old, k));`, with a look at something else in between, or a lock made
 * of a compare-and-swap. Values come back, and there may be other threads that write at any time.
 */
static void add_retry(struct gen *g, int t)
{
	struct script *s = g->s;
	int a = new_reg(g, t, 'a'), b = new_reg(g, t, 'b'), c = new_reg(g, t, 'c');
	int x = mem_loc(g), y = mem_loc(g), shape = below(g, 4);
	enum mem_order fail = order_of(g, true, false);

	script_add(s, t, I_LOOP);
	if (shape == 0) {
		script_cas(s, t, a, x, expr_const(0), expr_const(1), ORDER_ACQ, fail);
		script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(a, 0), expr_const(0));
	} else {
		script_read(s, t, b, x, order_of(g, true, false));
		if (shape == 1)
			script_read(s, t, c, y, order_of(g, true, false));
		script_cas(s, t, a, x, expr_reg(b, 0),
			   shape == 2 ? expr_const(below(g, 3)) : expr_reg(b, 1), ORDER_ACQ_REL,
			   fail);
		script_cond(s, t, I_BREAK_IF, CMP_EQ, expr_reg(a, 0), expr_reg(b, 0));
	}
	script_add(s, t, I_ENDLOOP);
	if (shape == 0)
		script_write(s, t, x, expr_const(0), order_of(g, false, true));
	g->budget--;
}

static void add_na(struct gen *g, int t)
{
	int l = script_loc(g->s, LOC_MEM, "p", 0);

	if (below(g, 2))
		script_read(g->s, t, new_reg(g, t, 'n'), l, ORDER_NA);
	else
		script_write(g->s, t, l, expr_const(1 + below(g, 2)), ORDER_NA);
}

static enum part pick_part(struct gen *g, int depth, bool locked)
{
	int total = 0, at;

	for (int p = 0; p < P_KINDS; p++)
		total += weights[g->style][p];
	for (;;) {
		at = below(g, total);
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
	int l = mem_loc(g), reg, value;
	enum mem_order order, fail;

	switch (p) {
	case P_READ:
		order = order_of(g, true, false);
		script_read(g->s, t, new_reg(g, t, 'r'), l, order);
		break;
	case P_WRITE:
		order = order_of(g, false, true);
		script_write(g->s, t, l, small(g, t), order);
		break;
	case P_FAI:
	case P_XCHG:
		reg = new_reg(g, t, 'r');
		order = order_of(g, true, true);
		script_rmw(g->s, t, p == P_FAI ? I_FAI : I_XCHG, reg, l,
			   expr_const(1 + below(g, 2)), order);
		break;
	default:
		reg = new_reg(g, t, 'r');
		order = order_of(g, true, true);
		fail = order_of(g, true, false);
		value = 1 + below(g, 2);
		script_cas(g->s, t, reg, l, expr_const(below(g, 3)), expr_const(value), order,
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
		add_fence(g, t);
		break;
	case P_IF:
		add_if(g, t, depth);
		break;
	case P_LOCK:
		add_lock(g, t, depth);
		break;
	case P_TRYLOCK:
		add_trylock(g, t, depth);
		break;
	case P_ASSUME:
		add_assume(g, t);
		break;
	case P_CHOOSE:
		script_choose(s, t, new_reg(g, t, 'r'), 2);
		break;
	case P_SEM:
		add_sem(g, t);
		break;
	case P_COND:
		add_cond(g, t);
		break;
	case P_SPIN:
		add_spin(g, t);
		break;
	case P_CAS_LOOP:
		add_cas_loop(g, t);
		break;
	case P_XCHG_LOCK:
		add_xchg_lock(g, t);
		break;
	case P_NA:
		add_na(g, t);
		break;
	case P_AWAIT:
		if (below(g, 5))
			add_await(g, t);
		else
			add_test_and_set(g, t);
		break;
	case P_FUTEX:
		add_futex(g, t);
		break;
	case P_COUNT:
		add_count(g, t);
		break;
	case P_RETRY:
		add_retry(g, t);
		break;
	case P_RWLOCK:
		add_rwlock(g, t, depth);
		break;
	case P_TIMEDWAIT:
		add_timedwait(g, t);
		break;
	case P_BARRIER:
		script_barrier(s, t, lib_loc(g, LOC_BARRIER, 1), 2);
		break;
	default:
		add_access(g, t, p);
	}
}

void random_script(struct script *s, uint64_t seed, enum random_style style)
{
	struct gen g = { .s = s, .style = style, .state = seed * 0x2545f4914f6cdd1du + style };
	char name[SCRIPT_NAME];
	int threads;

	for (int i = 0; i < 4; i++)
		next(&g);
	snprintf(name, sizeof(name), "%s-%llu", style_names[style], (unsigned long long)seed);
	script_init(s, name);
	g.orders = style == STYLE_SC && below(&g, 2) ? ORD_SC : (enum orders)below(&g, 4);
	g.nlocs = style == STYLE_RMW ? 1 + below(&g, 2) : 1 + below(&g, 3);
	threads = style == STYLE_LOOPS || style == STYLE_AWAIT || style == STYLE_RETRY
			  ? 2 + (below(&g, 3) == 0)
			  : 2 + below(&g, 3);
	g.budget = style == STYLE_LOOPS ? threads + 1 + below(&g, 2) : 4 + below(&g, 7);
	int share = g.budget / threads;
	for (int t = 0; t < threads; t++) {
		int rest = g.budget;
		script_thread(s);
		g.budget = t == threads - 1 ? rest : 1 + below(&g, 2 * share);
		int mine = g.budget;
		g.held = 0;
		while (g.budget > 0 && s->thread[t].n <= SCRIPT_INSNS - 14)
			add_part(&g, t, 0, false);
		g.budget = rest - mine;
		if (g.budget < 1)
			g.budget = 1;
	}
	if (!s->nlocs)
		script_loc(s, LOC_MEM, "x", 0);
	if (!script_link(s)) {
		fprintf(stderr, "%s: the generator made a broken script\n", s->name);
		script_print(s, stderr);
		abort();
	}
}
