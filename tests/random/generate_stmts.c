/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * generate_stmts.c - single statements, and what is drawn for them
 */
#include <string.h>

#include "random/gen.h"

/* splitmix64 */
uint64_t draw(struct gen *g)
{
	uint64_t z = g->rng += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

int upto(struct gen *g, int n)
{
	return n ? (int)(draw(g) % (unsigned)n) : 0;
}

bool chance(struct gen *g, int percent)
{
	return upto(g, 100) < percent;
}

struct stmt *append(struct gen *g, enum stmt_kind kind)
{
	struct program *p = g->p;
	int n = p->nstmts < MAX_STMTS ? p->nstmts++ : MAX_STMTS - 1;
	struct stmt *s = &p->s[n];

	memset(s, 0, sizeof(*s));
	s->kind = (uint8_t)kind;
	if (n == MAX_STMTS - 1)
		return s; /* not part of the program */
	*g->tail = (uint8_t)n;
	g->tail = &s->next;
	return s;
}

uint8_t some_reg(struct gen *g)
{
	return (uint8_t)upto(g, 4);
}

uint8_t new_reg(struct gen *g)
{
	struct thread *t = &g->p->t[g->thread];

	return t->nregs < MAX_REGS ? t->nregs++ : (uint8_t)(MAX_REGS - 1);
}

uint8_t some_loc(struct gen *g)
{
	return (uint8_t)upto(g, g->p->nlocs);
}

struct operand constant(int v)
{
	return (struct operand){ .v = (int8_t)v };
}

struct operand in_reg(int reg)
{
	return (struct operand){ .is_reg = true, .v = (int8_t)reg };
}

uint8_t read_order(struct gen *g)
{
	static const uint8_t sync[] = { RLX, ACQ, ACQ }, all[] = { RLX, ACQ, SC };

	switch (g->orders) {
	case SYNCHRONISING:
		return sync[upto(g, 3)];
	case ALL_ORDERS:
		return all[upto(g, 3)];
	default:
		return g->orders == DEFAULT_ORDERS ? SC : RLX;
	}
}

uint8_t write_order(struct gen *g)
{
	uint8_t order = read_order(g);

	return order == ACQ ? REL : order;
}

uint8_t rmw_order(struct gen *g)
{
	static const uint8_t sync[] = { RLX, ACQ, REL, ACQ_REL },
			     all[] = { RLX, ACQ, REL, ACQ_REL, SC };

	switch (g->orders) {
	case SYNCHRONISING:
		return sync[upto(g, 4)];
	case ALL_ORDERS:
		return all[upto(g, 5)];
	default:
		return g->orders == DEFAULT_ORDERS ? SC : RLX;
	}
}

struct cond test(int reg, enum compare cmp, int value)
{
	return (struct cond){ .a = { .reg = (uint8_t)reg, .cmp = cmp, .with = constant(value) } };
}

void add_fence(struct gen *g)
{
	static const uint8_t orders[] = { ACQ, REL, ACQ_REL, SC };

	append(g, ST_FENCE)->order = orders[upto(g, 4)];
}

void add_load(struct gen *g, int loc, int reg)
{
	struct stmt *s = append(g, ST_LOAD);

	s->loc = (uint8_t)loc;
	s->reg = (uint8_t)reg;
	s->order = read_order(g);
}

void add_store(struct gen *g, int loc, int value)
{
	struct stmt *s = append(g, ST_STORE);

	s->loc = (uint8_t)loc;
	s->arg = constant(value);
	s->order = write_order(g);
	g->writes--;
}

void add_rmw(struct gen *g, int loc, int reg, enum rmw_fn fn, int arg)
{
	struct stmt *s = append(g, ST_RMW);

	s->loc = (uint8_t)loc;
	s->reg = (uint8_t)reg;
	s->fn = (uint8_t)fn;
	s->arg = constant(arg);
	s->order = rmw_order(g);
}

void add_cas(struct gen *g, int loc, struct operand expected, struct operand desired)
{
	struct stmt *s = append(g, ST_CAS);

	s->loc = (uint8_t)loc;
	s->reg = some_reg(g);
	s->reg2 = (uint8_t)((s->reg + 1 + upto(g, 3)) % 4);
	s->expected = expected;
	s->arg = desired;
	s->order = rmw_order(g);
	s->order_fail = read_order(g);
}

void add_set(struct gen *g, int reg, enum set_fn fn, struct operand a, struct operand b)
{
	struct stmt *s = append(g, ST_SET);

	s->reg = (uint8_t)reg;
	s->fn = (uint8_t)fn;
	s->arg = a;
	s->expected = b;
}

/* An access that stands where it is done once. */
void add_access(struct gen *g)
{
	const int loc = some_loc(g), kind = g->writes > 0 ? upto(g, 10) : upto(g, 4);

	if (kind < 4)
		add_load(g, loc, some_reg(g));
	else if (kind < 7)
		add_store(g, loc, 1 + upto(g, 2));
	else if (kind < 8)
		add_fence(g);
	else if (kind < 9)
		add_rmw(g, loc, some_reg(g), upto(g, 5), 1 + upto(g, 2));
	else
		add_cas(g, loc, constant(upto(g, 3)), constant(1 + upto(g, 2)));
	g->writes -= kind >= 8;
}

/*
 * The compare-and-swap added last ends a loop by its success: returns a register that is the value then, and 0
 * otherwise.
 */
static int succeeded(struct gen *g, int value)
{
	const int reg = g->p->s[g->p->nstmts - 1].reg;

	if (value == 2)
		add_set(g, reg, SET_ADD, in_reg(reg), in_reg(reg));
	return reg;
}

/*
 * One that may be done again and again, and in the end does no more than read; silent: the probability
 * of a read-modify-write. Where it keeps what it read.
 */
int add_read(struct gen *g, int loc, int value, int silent)
{
	static const uint8_t neutral[] = { FN_ADD, FN_OR, FN_XOR };
	int reg = some_reg(g);

	if (!chance(g, silent)) {
		add_load(g, loc, reg);
		return reg;
	}
	switch (g->style->swaps && chance(g, g->style->swaps) ? 2 : upto(g, 5)) {
	case 0:
		/* Always the same value: else two threads could exchange theirs for ever. */
		add_rmw(g, loc, reg, FN_XCHG, 1);
		break;
	case 1:
		add_rmw(g, loc, reg, FN_AND, 127);
		break;
	case 2:
		add_cas(g, loc, constant(value), constant(value));
		reg = g->p->s[g->p->nstmts - 1].reg2;
		if (g->style->success && chance(g, g->style->success))
			reg = succeeded(g, value);
		break;
	default:
		add_rmw(g, loc, reg, neutral[upto(g, 3)], 0);
		break;
	}
	return reg;
}

struct cond left_when(struct gen *g, int reg, int value, int later)
{
	struct cond c = test(reg, chance(g, 80) ? IS_EQ : IS_GE, value);

	if (later >= 0 && chance(g, 60)) {
		c.join = chance(g, 85) ? AND : OR;
		c.b = test(later, IS_NE, 0).a;
		if (c.join == OR)
			c.b.cmp = IS_EQ, c.b.with = constant(2);
	}
	return c;
}

void want(struct gen *g, int loc, int value)
{
	if (g->nwanted == 16)
		return;
	g->wanted[g->nwanted].loc = (uint8_t)loc;
	g->wanted[g->nwanted].value = (int8_t)value;
	g->wanted[g->nwanted++].by = (uint8_t)g->thread;
}

struct stmt *begin_loop(struct gen *g, uint8_t **behind)
{
	struct stmt *s = append(g, ST_LOOP);

	if (chance(g, g->style->form))
		s->form = (uint8_t)upto(g, LOOP_FORMS);
	else
		s->form = (uint8_t)upto(g, LOOP_GOTO);
	*behind = g->tail;
	g->tail = &s->body;
	g->depth++;
	return s;
}

void end_loop(struct gen *g, uint8_t *behind)
{
	g->tail = behind;
	g->depth--;
}

void add_break(struct gen *g, struct cond c)
{
	append(g, ST_BREAK)->cond = c;
}
