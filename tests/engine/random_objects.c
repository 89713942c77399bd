/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_objects.c - what random programs do with locks, semaphores, futexes and the like
 */
#include "engine/random_gen.h"

static bool many_locks(const struct gen *g)
{
	return g->style == STYLE_LOCKS || g->style == STYLE_MUTEX;
}

void gen_add_lock(struct gen *g, int t, int depth)
{
	int m = gen_lib(g, LOC_MUTEX, many_locks(g) ? 2 : 1);

	if (g->held & 1u << m)
		return;
	g->held |= 1u << m;
	script_lib(g->s, t, I_LOCK, -1, m);
	gen_add_some(g, t, depth + 1, 2, !many_locks(g) || depth > 0);
	g->held &= ~(1u << m);
	if (gen_below(g, 20)) /* or held for ever */
		script_lib(g->s, t, I_UNLOCK, -1, m);
}

void gen_add_trylock(struct gen *g, int t, int depth)
{
	int m = gen_lib(g, LOC_MUTEX, many_locks(g) ? 2 : 1);
	int reg;

	if (g->held & 1u << m)
		return;
	g->held |= 1u << m;
	reg = gen_reg(g, t, 'b');
	script_lib(g->s, t, I_TRYLOCK, reg, m);
	script_cond(g->s, t, I_IF, CMP_EQ, expr_reg(reg, 0), expr_const(1));
	gen_add_some(g, t, depth + 1, 1, true);
	g->held &= ~(1u << m);
	if (gen_below(g, 10))
		script_lib(g->s, t, I_UNLOCK, -1, m);
	script_add(g->s, t, I_ENDIF);
}

void gen_add_sem(struct gen *g, int t)
{
	int k = gen_below(g, 5), l = gen_lib(g, LOC_SEM, 2);

	if (k < 2)
		script_lib(g->s, t, I_SEM_POST, -1, l);
	else if (k < 4)
		script_lib(g->s, t, I_SEM_WAIT, -1, l);
	else
		script_lib(g->s, t, I_SEM_TRYWAIT, gen_reg(g, t, 'b'), l);
}

/* lock; wait; unlock, or lock; signal; unlock, or a signal alone. */
void gen_add_cond(struct gen *g, int t)
{
	int c = gen_lib(g, LOC_COND, 1), m = gen_lib(g, LOC_MUTEX, 1), k = gen_below(g, 4);

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
void gen_add_rwlock(struct gen *g, int t, int depth)
{
	int l = gen_lib(g, LOC_RWLOCK, 1), k = gen_below(g, 8), reg;
	bool tries = k == 4 || k == 5;

	if (g->held & 1u << l)
		return;
	g->held |= 1u << l;
	if (tries) {
		reg = gen_reg(g, t, 'b');
		script_lib(g->s, t, k == 4 ? I_TRYRDLOCK : I_TRYWRLOCK, reg, l);
		script_cond(g->s, t, I_IF, CMP_EQ, expr_reg(reg, 0), expr_const(1));
	} else if (k >= 6) {
		script_lib(g->s, t, I_WRASK, -1, l);
		script_lib(g->s, t, I_WRASKED, -1, l);
	} else {
		script_lib(g->s, t, k < 2 ? I_RDLOCK : I_WRLOCK, -1, l);
	}
	gen_add_some(g, t, depth + 1, tries ? 1 : 2, true);
	g->held &= ~(1u << l);
	if (gen_below(g, 15)) /* or held for ever */
		script_lib(g->s, t, I_RWUNLOCK, -1, l);
	if (tries)
		script_add(g->s, t, I_ENDIF);
}

void gen_add_timedwait(struct gen *g, int t)
{
	int c = gen_lib(g, LOC_COND, 1), m = gen_lib(g, LOC_MUTEX, 1);

	if (g->held & 1u << m)
		return;
	script_lib(g->s, t, I_LOCK, -1, m);
	script_timedwait(g->s, t, gen_reg(g, t, 'b'), c, m);
	script_lib(g->s, t, I_UNLOCK, -1, m);
	g->budget -= 2;
}

/*
 * Sleeps, as futex(2) does if x is still what it was.
 */
static void add_futex_wait(struct gen *g, int t, int f, int word)
{
	int value = gen_below(g, 2), how = gen_below(g, 5), x = gen_mem(g), reg;
	int arg[4] = { word, 1 + gen_below(g, 3) };
	bool checks = gen_below(g, 3);

	if (how == 0) {
		reg = gen_reg(g, t, 'a');
		script_read(g->s, t, reg, x, ORDER_RLX);
		script_cond(g->s, t, I_ASSUME, CMP_NE, expr_reg(reg, 0), expr_const(value));
		return;
	}
	script_futex(g->s, t, I_FUTEX_LOOK, f, (const int[4]){ 0 });
	if (checks) {
		reg = gen_reg(g, t, 'a');
		script_read(g->s, t, reg, x, ORDER_RLX);
		script_cond(g->s, t, I_ASSUME, CMP_EQ, expr_reg(reg, 0), expr_const(value));
	}
	script_futex(g->s, t, I_FUTEX_WAIT, f, arg);
	script_futex(g->s, t, I_FUTEX_WOKEN, f, (const int[4]){ how == 1 });
}

void gen_add_futex(struct gen *g, int t)
{
	int f = gen_lib(g, LOC_FUTEX, 1), k = gen_below(g, 6), word = gen_below(g, 4) == 0;
	int n = gen_below(g, 2) ? 1 : gen_below(g, 3), moves = gen_below(g, 3),
	    to = word ? 2 * gen_below(g, 2) : 1;

	if (k < 3) {
		add_futex_wait(g, t, f, word);
	} else if (k < 5) {
		int bits = gen_below(g, 3) ? 3 : 1 + gen_below(g, 2);

		script_futex(g->s, t, I_FUTEX_WAKE, f, (const int[4]){ word, bits, n });
	} else {
		script_futex(g->s, t, I_FUTEX_LOOK, f, (const int[4]){ 0 });
		if (gen_below(g, 3) == 0) {
			int x = gen_mem(g), reg = gen_reg(g, t, 'a');

			script_read(g->s, t, reg, x, ORDER_RLX);
		}
		script_futex(g->s, t, I_FUTEX_MOVE, f, (const int[4]){ word, to, n, moves });
	}
	g->budget--;
}

void gen_add_count(struct gen *g, int t)
{
	static const enum insn_kind kinds[] = {
		I_TAKE, I_TAKE,   I_TRYTAKE, I_ADD,  I_ADD,   I_ADD,
		I_ADD,  I_TRYADD, I_CLOSE,   I_LOOK, I_READY, I_OPEN
	};
	int c = gen_lib(g, LOC_COUNT, 2), reg = gen_reg(g, t, 'k');
	enum insn_kind kind = kinds[gen_below(g, 12)];
	int flags = kind == I_CLOSE ? 1 + (gen_below(g, 3) == 0) : 1 + gen_below(g, 3),
	    n = 1 + gen_below(g, 2);

	script_count(g->s, t, kind, reg, c, (const int[3]){ n, 3, flags });
}

/* What a thread does to a set that it has made busy, or not; and how it leaves it. */
static void add_set_walk(struct gen *g, int t, int e, enum insn_kind kind)
{
	static const int waits[] = { SET_LISTED, SET_LISTED, 1, SET_LISTED | SET_FOREIGN };
	int reg = gen_reg(g, t, 'k'), timed = kind == I_SET_TAKE && gen_below(g, 6) == 0;

	script_count(g->s, t, kind, reg, e, (const int[3]){ waits[gen_below(g, 4)], timed, 0 });
	if (gen_below(g, 3) == 0)
		script_read(g->s, t, gen_reg(g, t, 'a'), gen_mem(g), ORDER_RLX);
	script_count(g->s, t, I_SET_RELEASE, gen_reg(g, t, 'k'), e,
		     (const int[3]){ gen_below(g, 1 << 10), gen_below(g, 1 << 8), 0 });
}

void gen_add_set(struct gen *g, int t)
{
	static const enum insn_kind kinds[] = { I_SET_TAKE,    I_SET_TAKE, I_SET_TAKE,
						I_SET_TRYTAKE, I_SET_LOCK, I_SET_LOCK };
	int e = gen_lib(g, LOC_SET, 1);

	g->budget--;
	if (gen_below(g, 2))
		add_set_walk(g, t, e, kinds[gen_below(g, 6)]);
	else
		script_count(g->s, t, I_SET_MARK, gen_reg(g, t, 'k'), e,
			     (const int[3]){ 1 + gen_below(g, 3), 0, gen_below(g, 3) });
}
