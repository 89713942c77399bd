/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * generate_loops.c - loops that wait, that raise flags, that try again, that take back
 */
#include "random/gen.h"

/* Something in a round that is undone in the same or in the next one. */
static void add_toggle(struct gen *g, int reg)
{
	switch (upto(g, 3)) {
	case 0:
		add_set(g, reg, SET_XOR, in_reg(reg), constant(1));
		break;
	case 1:
		add_set(g, reg, SET_XOR, in_reg(reg), constant(1));
		add_read(g, some_loc(g), 1, g->style->silent);
		add_set(g, reg, SET_XOR, in_reg(reg), constant(1));
		break;
	default:
		add_set(g, reg, SET_ADD, in_reg(reg), constant(chance(g, 50) ? 4 : 1));
		add_set(g, reg, SET_ADD, in_reg(reg), constant(chance(g, 50) ? 4 : 7));
		break;
	}
}

/* A loop that waits for a value of a location, with what else a round may do. */
void add_await(struct gen *g)
{
	const struct style *st = g->style;
	const int loc = some_loc(g), value = 1 + upto(g, 2);
	const int later = chance(g, st->first) ? new_reg(g) : -1;
	const int counter = chance(g, st->count) ? new_reg(g) : -1;
	const int toggle = chance(g, st->toggle) ? new_reg(g) : -1;
	int reads = 1, reg;
	uint8_t *behind;

	begin_loop(g, &behind);
	while (reads < 3 && chance(g, st->reads))
		reads++;
	for (int i = 0; i < reads; i++) {
		if (counter >= 0 && chance(g, 30))
			add_set(g, counter, SET_UP, in_reg(counter), constant(1 + upto(g, 3)));
		reg = add_read(g, i && chance(g, 30) ? some_loc(g) : loc, value, st->silent);
		if (chance(g, 15))
			add_fence(g);
		if (toggle >= 0 && chance(g, 60))
			add_toggle(g, toggle);
		if (i + 1 == reads || chance(g, 60))
			add_break(g, left_when(g, reg, value, i || chance(g, 50) ? later : -1));
	}
	if (counter >= 0)
		add_set(g, counter, SET_UP, in_reg(counter), constant(1 + upto(g, 3)));
	if (later >= 0)
		add_set(g, later, SET_UP, in_reg(later), constant(1 + upto(g, 2)));
	if (chance(g, 10))
		append(g, ST_YIELD);
	end_loop(g, behind);
	want(g, loc, value);
}

/* The statement added last keeps what it read in this register. */
static int unify(struct gen *g, int reg)
{
	struct stmt *s = &g->p->s[g->p->nstmts - 1];

	if (s->kind == ST_CAS) {
		s->reg = 0;
		s->reg2 = (uint8_t)reg;
	} else {
		s->reg = (uint8_t)reg;
	}
	return reg;
}

/*
 * Two looks at location 0 in a round, mostly of different kinds, where one of them ends the loop in a later
 * round only; what was done before it and what is read behind it tells others how strong they were.
 */
void add_pair(struct gen *g)
{
	const int value = chance(g, 75) ? 1 : 2, later = new_reg(g), other = upto(g, 2);
	const bool all = chance(g, 75), same = chance(g, 50), first = chance(g, 50);
	const bool kind[] = { first, chance(g, 85) ? !first : first };
	uint8_t *behind;
	int reg;

	if (g->shape == PAIR_WRITES || (g->shape == PAIR_ANY && chance(g, 50)))
		add_store(g, 1, 1 + upto(g, 2));
	if (chance(g, g->shape == PAIR_WRITES ? 60 : 15))
		add_fence(g);
	begin_loop(g, &behind);
	for (int i = 0; i < 2; i++) {
		struct cond c;

		reg = add_read(g, 0, value, kind[i] ? 100 : 0);
		if (same)
			reg = unify(g, 1);
		c = test(reg, IS_EQ, value);
		if (i == other) {
			c.join = AND;
			c.b = test(later, IS_NE, 0).a;
		}
		if (all || i == other || chance(g, 90))
			add_break(g, c);
	}
	add_set(g, later, SET_MOVE, constant(1), constant(0));
	end_loop(g, behind);
	if (g->shape == PAIR_READS || (g->shape == PAIR_ANY && chance(g, 60)))
		add_load(g, 1, 0);
}

/*
 * for (later = 0;; later = 1) if (look == 1 || (other look == 1 && later)) break;
 *
 * The first look, in the first round, may stand for the other one in the second if it orders no more, and stores
 * only if that does. What orders differ in shows as in add_pair().
 */
void add_strength(struct gen *g)
{
	const bool reads = g->shape == PAIR_READS;
	const int later = new_reg(g), stores[] = { reads ? 50 : 80, reads ? 85 : 40 };
	uint8_t *behind;

	if (!reads)
		add_store(g, 1, 1);
	if (!reads && chance(g, 60))
		add_fence(g);
	begin_loop(g, &behind);
	for (int i = 0; i < 2; i++) {
		struct cond c;

		add_read(g, 0, 1, stores[i]);
		c = test(unify(g, 1), IS_EQ, 1);
		if (i) {
			c.join = AND;
			c.b = test(later, IS_NE, 0).a;
		}
		add_break(g, c);
	}
	add_set(g, later, SET_MOVE, constant(1), constant(0));
	end_loop(g, behind);
	if (reads)
		add_load(g, 1, 0);
}

/* What the loops of add_pair() wait for, with something before it. */
void add_message(struct gen *g)
{
	if (chance(g, g->shape == PAIR_READS ? 90 : g->shape == PAIR_WRITES ? 10 : 60))
		add_store(g, 1, 1 + upto(g, 2));
	add_store(g, 0, g->style->strength || chance(g, 75) ? 1 : 2);
}

void add_around(struct gen *g)
{
	if (chance(g, 75))
		add_rmw(g, 0, 1, chance(g, 80) ? FN_ADD : FN_XCHG, 1);
	else
		add_store(g, 0, 1 + upto(g, 2));
	add_load(g, 1, 2);
	if (chance(g, 20))
		add_load(g, 0, 3);
}

/* Peterson's and Dekker's: a flag is raised, the other's is looked at, and it is lowered again. */
void add_bounded(struct gen *g)
{
	const int mine = some_loc(g), other = some_loc(g), counter = new_reg(g), reg = some_reg(g);
	const bool lower = chance(g, 60);
	uint8_t *behind;
	struct stmt *s = begin_loop(g, &behind);

	s->bound = (uint8_t)(1 + upto(g, 3));
	s->reg = (uint8_t)counter;
	add_store(g, mine, 1 + upto(g, 2));
	if (chance(g, 30))
		add_fence(g);
	add_load(g, other, reg);
	add_break(g, test(reg, chance(g, 50) ? IS_EQ : IS_NE, upto(g, 2)));
	if (lower)
		add_store(g, mine, 0);
	g->writes -= s->bound * (1 + lower) - 1 - lower;
	end_loop(g, behind);
}

/* do old = x; while (!cas(x, old, old + 1)), and others of this form. */
void add_retry(struct gen *g)
{
	const int loc = some_loc(g), old = some_reg(g);
	const bool again = chance(g, 60);
	struct stmt *s;
	uint8_t *behind;

	if (!again)
		add_load(g, loc, old);
	begin_loop(g, &behind);
	if (again)
		add_load(g, loc, old);
	if (chance(g, 20))
		add_toggle(g, new_reg(g));
	add_set(g, (old + 1) % 4, SET_ADD, in_reg(old), constant(1 + upto(g, 2)));
	add_cas(g, loc, in_reg(old), in_reg((old + 1) % 4));
	s = &g->p->s[g->p->nstmts - 1];
	s->reg = (uint8_t)((old + 2) % 4);
	s->reg2 = (uint8_t)old;
	add_break(g, test(s->reg, IS_EQ, 1));
	end_loop(g, behind);
	g->writes -= 2;
}

/* Looks at a location behind a round in vain: until it is like this, or once. */
static void add_glance(struct gen *g, int loc, int reg)
{
	const int value = g->p->init[loc] + upto(g, 5) - 2;
	struct cond c = test(reg, chance(g, 60) ? IS_EQ : upto(g, 4), value);
	uint8_t *behind;

	if (chance(g, 20)) {
		add_load(g, loc, chance(g, 70) ? reg : some_reg(g));
		return;
	}
	if (chance(g, 25)) { /* is it odd? */
		c.join = OR;
		c.b = test(reg, IS_EQ, value + (chance(g, 50) ? 2 : -2)).a;
	}
	begin_loop(g, &behind);
	add_load(g, loc, reg);
	if (chance(g, 85))
		g->p->s[g->p->nstmts - 1].order = RLX;
	add_break(g, c);
	end_loop(g, behind);
}

/*
 * A loop that adds something, looks whether that was right, and takes it back; and may do so behind the loop, or look
 * before it tries again.
 */
void add_cancels(struct gen *g)
{
	const bool glances = g->style->glances && chance(g, g->style->glances);
	const int loc = chance(g, 80) ? 0 : some_loc(g), reg = some_reg(g), n = 1 + upto(g, 2);
	const int by = glances && chance(g, 50) ? -n : n;
	const enum rmw_fn fn = chance(g, g->style->glances ? 95 : 80) ? FN_ADD : FN_XOR;
	const int back = fn == FN_ADD ? -by : by, at = glances ? g->p->init[loc] : 0;
	const bool twice = chance(g, 15);
	uint8_t *behind;

	begin_loop(g, &behind);
	add_rmw(g, loc, reg, fn, by);
	add_break(g, test(reg,
			  chance(g, 75)   ? IS_EQ
			  : chance(g, 50) ? IS_NE
					  : IS_GE,
			  at + upto(g, 3)));
	if (twice)
		add_rmw(g, loc, reg, fn, by);
	add_rmw(g, loc, reg, fn, back);
	if (twice)
		add_rmw(g, loc, reg, fn, back);
	if (glances)
		add_glance(g, loc, reg);
	end_loop(g, behind);
	if (chance(g, 60))
		add_rmw(g, loc, some_reg(g), fn, back);
}

/* What such loops see of others. */
void add_count(struct gen *g)
{
	if (chance(g, 5))
		add_access(g);
	else if (g->style->glances && chance(g, g->style->glances / 4))
		add_glance(g, chance(g, 80) ? 0 : some_loc(g), some_reg(g));
	else
		add_rmw(g, chance(g, 80) ? 0 : some_loc(g), some_reg(g),
			chance(g, 80) ? FN_ADD : upto(g, 5), 1 + upto(g, 2));
}
