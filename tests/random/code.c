/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code.c - see code.h
 */
#include "random/code.h"

#include <string.h>

struct maker {
	struct code *c;
	const struct program *p;
	bool full;
};

static int put(struct maker *m, struct insn i)
{
	if (m->c->n == MAX_INSNS) {
		m->full = true;
		return 0;
	}
	m->c->i[m->c->n] = i;
	return m->c->n++;
}

/* Places of jumps out of a loop, to be told where its end is. */
struct exits {
	int n, at[32];
};

static void make_list(struct maker *m, int first, struct exits *out);

static uint8_t how_of(const struct program *p, const struct stmt *s)
{
	switch (p->lock[s->loc]) {
	case LOCK_RW:
	case LOCK_RW_WRITERS:
		return s->fn == SHARE_READ ? HOW_READ : HOW_WRITE;
	case LOCK_SEM:
	case LOCK_SEM_TWO:
		return HOW_COUNT;
	default:
		return HOW_MUTEX;
	}
}

static void make_locked(struct maker *m, const struct stmt *s)
{
	const uint8_t cell = MAX_LOCS + s->loc, how = how_of(m->p, s);
	const bool asks = how == HOW_WRITE && m->p->lock[s->loc] == LOCK_RW_WRITERS;

	if (asks)
		put(m, (struct insn){ .op = OP_LOCK, .cell = cell, .fn = HOW_ASK });
	put(m, (struct insn){ .op = OP_LOCK, .cell = cell, .fn = asks ? HOW_ASKED : how });
	make_list(m, s->body, NULL);
	put(m, (struct insn){ .op = OP_UNLOCK, .cell = cell, .fn = how });
}

static void make_trylock(struct maker *m, const struct stmt *s, struct exits *out)
{
	const uint8_t cell = MAX_LOCS + s->loc, how = how_of(m->p, s);
	const struct cond taken = { .a = { .reg = s->reg, .cmp = IS_EQ, .with = { .v = 1 } } };
	int unless, jump;

	put(m, (struct insn){ .op = OP_TRYLOCK, .cell = cell, .reg = s->reg, .fn = how });
	unless = put(m, (struct insn){ .op = OP_UNLESS, .cond = taken });
	make_list(m, s->body, NULL);
	put(m, (struct insn){ .op = OP_UNLOCK, .cell = cell, .fn = how });
	jump = put(m, (struct insn){ .op = OP_JUMP });
	m->c->i[unless].target = (uint8_t)m->c->n;
	make_list(m, s->other, out);
	m->c->i[jump].target = (uint8_t)m->c->n;
}

static void make_if(struct maker *m, const struct stmt *s, struct exits *out)
{
	int jump, unless = put(m, (struct insn){ .op = OP_UNLESS, .cond = s->cond });

	make_list(m, s->body, out);
	jump = put(m, (struct insn){ .op = OP_JUMP });
	m->c->i[unless].target = (uint8_t)m->c->n;
	make_list(m, s->other, out);
	m->c->i[jump].target = (uint8_t)m->c->n;
}

static void make_loop(struct maker *m, const struct stmt *s)
{
	const struct cond more = {
		.a = { .reg = s->reg, .cmp = IS_LT, .with = { .v = (int8_t)s->bound } }
	};
	struct exits out = { 0 };
	int top;

	if (s->bound)
		put(m, (struct insn){ .op = OP_SET, .reg = s->reg, .fn = SET_MOVE });
	top = m->c->n;
	if (s->bound)
		out.at[out.n++] = put(m, (struct insn){ .op = OP_UNLESS, .cond = more });
	make_list(m, s->body, &out);
	if (s->bound)
		put(m, (struct insn){ .op = OP_SET,
				      .reg = s->reg,
				      .fn = SET_UP,
				      .arg = { .is_reg = true, .v = (int8_t)s->reg },
				      .expected = { .v = (int8_t)s->bound } });
	put(m, (struct insn){ .op = OP_JUMP, .target = (uint8_t)top });
	for (int i = 0; i < out.n; i++)
		m->c->i[out.at[i]].target = (uint8_t)m->c->n;
}

static void make_break(struct maker *m, const struct stmt *s, struct exits *out)
{
	int unless = put(m, (struct insn){ .op = OP_UNLESS, .cond = s->cond });
	int jump = put(m, (struct insn){ .op = OP_JUMP });

	m->c->i[unless].target = (uint8_t)m->c->n;
	if (!out || out->n == 32)
		m->full = true;
	else
		out->at[out->n++] = jump;
}

/* The instruction that a statement without parts is. */
static void make_simple(struct maker *m, const struct stmt *s, enum opcode op)
{
	put(m, (struct insn){ .op = op,
			      .cell = s->loc,
			      .reg = s->reg,
			      .reg2 = s->reg2,
			      .order = s->order,
			      .order_fail = s->order_fail,
			      .fn = s->fn,
			      .arg = s->arg,
			      .expected = s->expected });
}

static void make_wait(struct maker *m)
{
	put(m, (struct insn){ .op = OP_WAIT });
	put(m, (struct insn){ .op = OP_UNLOCK, .cell = MAX_LOCS });
	put(m, (struct insn){ .op = OP_WOKEN });
	put(m, (struct insn){ .op = OP_LOCK, .cell = MAX_LOCS });
}

static void make_stmt(struct maker *m, const struct stmt *s, struct exits *out)
{
	static const uint8_t simple[] = {
		[ST_LOAD] = OP_LOAD,     [ST_STORE] = OP_STORE,         [ST_RMW] = OP_RMW,
		[ST_CAS] = OP_CAS,       [ST_FENCE] = OP_FENCE,         [ST_SET] = OP_SET,
		[ST_SIGNAL] = OP_SIGNAL, [ST_BROADCAST] = OP_BROADCAST, [ST_PLOAD] = OP_PLOAD,
		[ST_PSTORE] = OP_PSTORE
	};

	switch (s->kind) {
	case ST_IF:
		make_if(m, s, out);
		break;
	case ST_LOOP:
		make_loop(m, s);
		break;
	case ST_BREAK:
		make_break(m, s, out);
		break;
	case ST_LOCKED:
		make_locked(m, s);
		break;
	case ST_TRYLOCK:
		make_trylock(m, s, out);
		break;
	case ST_WAIT:
		make_wait(m);
		break;
	case ST_CALL:
		make_list(m, s->body, NULL);
		break;
	case ST_NONE:
	case ST_YIELD:
	case ST_PUBLISH:
	case ST_CROWD:
	case ST_REQUEUE:
		break;
	default:
		make_simple(m, s, simple[s->kind]);
		break;
	}
}

static void make_list(struct maker *m, int first, struct exits *out)
{
	for (int i = first; i; i = m->p->s[i].next)
		make_stmt(m, &m->p->s[i], out);
}

bool code_make(struct code *c, const struct program *p, int thread)
{
	struct maker m = { .c = c, .p = p };

	c->n = 0;
	make_list(&m, p->t[thread].body, NULL);
	put(&m, (struct insn){ .op = OP_END });
	return !m.full;
}

/* Of a read-write lock: how many read, and these. */
enum {
	RW_WRITER = 16,
	RW_ASKED = 32 /* and more */
};

bool lock_passes(int how, int value)
{
	switch (how) {
	case HOW_READ:
		return value < RW_WRITER;
	case HOW_ASK:
		return true;
	case HOW_ASKED:
		return !(value % RW_ASKED);
	case HOW_COUNT:
		return value;
	default:
		return !value;
	}
}

int lock_taken(int how, int value)
{
	switch (how) {
	case HOW_WRITE:
		return value + RW_WRITER;
	case HOW_ASK:
		return value + RW_ASKED;
	case HOW_ASKED:
		return value + RW_WRITER - RW_ASKED;
	case HOW_COUNT:
		return value - 1;
	default:
		return value + 1;
	}
}

int lock_freed(int how, int value)
{
	return how == HOW_COUNT ? value + 1 : value - (how == HOW_WRITE ? RW_WRITER : 1);
}

int lock_begins(const struct program *p, int mutex)
{
	return p->lock[mutex] == LOCK_SEM ? 1 : p->lock[mutex] == LOCK_SEM_TWO ? 2 : 0;
}

int operand_value(struct operand o, const int8_t *reg)
{
	return o.is_reg ? reg[o.v] : o.v;
}

int rmw_value(int fn, int old, int arg)
{
	switch (fn) {
	case FN_ADD:
		return old + arg;
	case FN_OR:
		return old | arg;
	case FN_AND:
		return old & arg;
	case FN_XOR:
		return old ^ arg;
	default:
		return arg;
	}
}

static int set_value(int fn, int a, int b)
{
	switch (fn) {
	case SET_ADD:
		return (a + b) & 7;
	case SET_XOR:
		return a ^ b;
	case SET_UP:
		return a < b ? a + 1 : b;
	case SET_SAME:
		return a == b;
	default:
		return a;
	}
}

static bool term_holds(const struct term *t, const int8_t *reg)
{
	int a = reg[t->reg], b = operand_value(t->with, reg);

	switch (t->cmp) {
	case IS_EQ:
		return a == b;
	case IS_NE:
		return a != b;
	case IS_GE:
		return a >= b;
	default:
		return a < b;
	}
}

static bool cond_holds(const struct cond *c, const int8_t *reg)
{
	bool a = term_holds(&c->a, reg);

	if (c->join == AND)
		return a && term_holds(&c->b, reg);
	if (c->join == OR)
		return a || term_holds(&c->b, reg);
	return a;
}

bool code_local(const struct code *c, struct thread_state *t, int8_t *plain,
		const struct plain_watch *watch)
{
	for (int n = 0; n < 1000; n++) {
		const struct insn *i = &c->i[t->pc];

		if (i->op < OP_SET)
			return true;
		t->pc++;
		if (watch && (i->op == OP_PLOAD || i->op == OP_PSTORE))
			watch->access(watch->arg, i->cell, i->op == OP_PSTORE);
		switch (i->op) {
		case OP_SET:
			t->reg[i->reg] = (int8_t)set_value(i->fn, operand_value(i->arg, t->reg),
							   operand_value(i->expected, t->reg));
			break;
		case OP_PLOAD:
			t->reg[i->reg] = plain[i->cell];
			break;
		case OP_PSTORE:
			plain[i->cell] = (int8_t)operand_value(i->arg, t->reg);
			break;
		case OP_UNLESS:
			if (!cond_holds(&i->cond, t->reg))
				t->pc = i->target;
			break;
		default:
			t->pc = i->target;
			break;
		}
	}
	return false;
}
