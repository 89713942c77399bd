/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * script.c - building scripted programs, and what running them needs to know
 *
 * script_link() resolves the structural markers to jumps, computes live registers by the
 * usual backward iteration, and refuses code whose unlocks are not covered by a lock of the
 * same thread: unlocking a mutex held by nobody is a bug of the program under test, which
 * is none of the engine's business.
 */
#include "script.h"

#include <stdlib.h>
#include <string.h>

void script_init(struct script *s, const char *name)
{
	memset(s, 0, sizeof(*s));
	snprintf(s->name, sizeof(s->name), "%s", name);
}

static void full(const struct script *s, const char *what)
{
	fprintf(stderr, "script %s: too many %s\n", s->name, what);
	abort();
}

int script_loc(struct script *s, enum loc_kind kind, const char *name, int32_t init)
{
	for (int i = 0; i < s->nlocs; i++)
		if (!strcmp(s->loc[i].name, name))
			return i;
	if (s->nlocs == SCRIPT_LOCS)
		full(s, "locations");
	struct script_loc *l = &s->loc[s->nlocs];
	l->kind = kind;
	l->init = init;
	snprintf(l->name, sizeof(l->name), "%s", name);
	return s->nlocs++;
}

int script_reg(struct script *s, int t, const char *name)
{
	struct script_thread *th = &s->thread[t];
	for (int i = 0; i < th->nregs; i++)
		if (!strcmp(th->reg_name[i], name))
			return i;
	if (th->nregs == SCRIPT_REGS)
		full(s, "registers");
	snprintf(th->reg_name[th->nregs], SCRIPT_SHORT, "%s", name);
	return th->nregs++;
}

int script_thread(struct script *s)
{
	if (s->nthreads == SCRIPT_THREADS)
		full(s, "threads");
	return s->nthreads++;
}

struct insn *script_add(struct script *s, int t, enum insn_kind kind)
{
	struct script_thread *th = &s->thread[t];
	if (th->n == SCRIPT_INSNS)
		full(s, "instructions");
	struct insn *in = &th->code[th->n++];
	memset(in, 0, sizeof(*in));
	in->kind = kind;
	in->reg = in->loc = in->loc2 = -1;
	in->a = in->b = expr_const(0);
	return in;
}

void script_read(struct script *s, int t, int reg, int loc, enum mem_order order)
{
	struct insn *in = script_add(s, t, I_READ);
	in->reg = reg;
	in->loc = loc;
	in->order = order;
}

void script_write(struct script *s, int t, int loc, struct expr a, enum mem_order order)
{
	struct insn *in = script_add(s, t, I_WRITE);
	in->loc = loc;
	in->a = a;
	in->order = order;
}

void script_rmw(struct script *s, int t, enum insn_kind kind, int reg, int loc, struct expr a,
		enum mem_order order)
{
	struct insn *in = script_add(s, t, kind);
	in->reg = reg;
	in->loc = loc;
	in->a = a;
	in->order = order;
}

void script_cas(struct script *s, int t, int reg, int loc, struct expr expected,
		struct expr desired, enum mem_order order, enum mem_order order_fail)
{
	struct insn *in = script_add(s, t, I_CAS);
	in->reg = reg;
	in->loc = loc;
	in->a = expected;
	in->b = desired;
	in->order = order;
	in->order_fail = order_fail;
}

void script_fence(struct script *s, int t, enum mem_order order)
{
	script_add(s, t, I_FENCE)->order = order;
}

void script_set(struct script *s, int t, int reg, struct expr a)
{
	struct insn *in = script_add(s, t, I_SET);
	in->reg = reg;
	in->a = a;
}

void script_cond(struct script *s, int t, enum insn_kind kind, enum cmp cmp, struct expr a,
		 struct expr b)
{
	struct insn *in = script_add(s, t, kind);
	in->cmp = cmp;
	in->a = a;
	in->b = b;
}

void script_lib(struct script *s, int t, enum insn_kind kind, int reg, int loc)
{
	struct insn *in = script_add(s, t, kind);
	in->reg = reg;
	in->loc = loc;
}

void script_cond_wait(struct script *s, int t, int cond, int mutex)
{
	struct insn *in = script_add(s, t, I_COND_WAIT);
	in->loc = cond;
	in->loc2 = mutex;
}

void script_timedwait(struct script *s, int t, int reg, int cond, int mutex)
{
	struct insn *in = script_add(s, t, I_TIMEDWAIT);
	in->reg = reg;
	in->loc = cond;
	in->loc2 = mutex;
}

void script_barrier(struct script *s, int t, int barrier, int n)
{
	struct insn *in = script_add(s, t, I_BARRIER);
	in->loc = barrier;
	in->a = expr_const(n);
}

void script_choose(struct script *s, int t, int reg, int n)
{
	struct insn *in = script_add(s, t, I_CHOOSE);
	in->reg = reg;
	in->a = expr_const(n);
}

void script_futex(struct script *s, int t, enum insn_kind kind, int loc, const int arg[4])
{
	struct insn *in = script_add(s, t, kind);
	in->loc = loc;
	in->a = expr_const(arg[0]);
	in->b = expr_const(arg[1]);
	in->order = (uint8_t)arg[2];
	in->order_fail = (uint8_t)arg[3];
}

void script_count(struct script *s, int t, enum insn_kind kind, int reg, int loc, const int arg[3])
{
	struct insn *in = script_add(s, t, kind);
	in->reg = (int8_t)reg;
	in->loc = (int8_t)loc;
	in->a = expr_const(arg[0]);
	in->b = expr_const(arg[1]);
	in->order = (uint8_t)arg[2];
}

static uint32_t expr_uses(const struct expr *e)
{
	uint32_t used = 0;
	for (int i = 0; i < 2; i++)
		if (e->reg[i] >= 0)
			used |= 1u << e->reg[i];
	return used;
}

uint32_t insn_uses(const struct insn *in)
{
	return expr_uses(&in->a) | expr_uses(&in->b);
}

/* Matches the markers of one thread. */
static bool link_jumps(struct script_thread *th)
{
	int open[SCRIPT_INSNS], depth = 0;

	for (int i = 0; i < th->n; i++) {
		struct insn *in = &th->code[i];
		int top = depth ? open[depth - 1] : -1;
		switch (in->kind) {
		case I_IF:
		case I_LOOP:
			open[depth++] = i;
			break;
		case I_ELSE:
			if (top < 0 || th->code[top].kind != I_IF)
				return false;
			th->code[top].jump = i;
			open[depth - 1] = i;
			break;
		case I_ENDIF:
			if (top < 0 || (th->code[top].kind != I_IF && th->code[top].kind != I_ELSE))
				return false;
			th->code[top].jump = i;
			depth--;
			break;
		case I_ENDLOOP:
			if (top < 0 || th->code[top].kind != I_LOOP)
				return false;
			in->jump = top;
			th->code[top].jump = i;
			depth--;
			break;
		}
	}
	return depth == 0;
}

/* Second pass: a break leaves the innermost loop around it. */
static bool link_breaks(struct script_thread *th)
{
	int loops[SCRIPT_INSNS], depth = 0;

	for (int i = 0; i < th->n; i++) {
		struct insn *in = &th->code[i];
		if (in->kind == I_LOOP)
			loops[depth++] = i;
		if (in->kind == I_ENDLOOP)
			depth--;
		if (in->kind == I_BREAK_IF) {
			if (!depth)
				return false;
			in->jump = th->code[loops[depth - 1]].jump;
		}
	}
	return true;
}

static void find_live(struct script_thread *th)
{
	bool changed = true;

	memset(th->live, 0, sizeof(th->live));
	while (changed) {
		changed = false;
		for (int i = th->n - 1; i >= 0; i--) {
			const struct insn *in = &th->code[i];
			uint32_t out = th->live[i + 1];
			if (in->kind == I_IF || in->kind == I_BREAK_IF)
				out |= th->live[in->jump + 1];
			if (in->kind == I_ELSE || in->kind == I_ENDLOOP)
				out = th->live[in->jump];
			if (in->reg >= 0)
				out &= ~(1u << in->reg);
			out |= insn_uses(in);
			changed |= out != th->live[i];
			th->live[i] = out;
		}
	}
}

/* Every unlock (and condition wait) is covered by a lock of the same block structure. */
static bool locks_held(const struct script_thread *th)
{
	uint32_t held[SCRIPT_INSNS + 1] = { 0 }, now = 0;
	int depth = 0, tried_reg = -1, tried_loc = -1;

	for (int i = 0; i < th->n; i++) {
		const struct insn *in = &th->code[i];
		bool tested = tried_reg >= 0 && in->kind == I_IF && in->cmp == CMP_EQ &&
			      in->a.reg[0] == tried_reg && in->a.reg[1] < 0 && !in->a.k &&
			      !expr_uses(&in->b) && in->b.k == 1;
		if (in->kind == I_IF || in->kind == I_LOOP)
			held[depth++] = now;
		if (tested)
			now |= 1u << tried_loc;
		tried_reg = -1;
		switch (in->kind) {
		case I_LOCK:
			now |= 1u << in->loc;
			break;
		case I_UNLOCK:
			if (!(now & 1u << in->loc))
				return false;
			now &= ~(1u << in->loc);
			break;
		case I_COND_WAIT:
		case I_TIMEDWAIT:
			if (!(now & 1u << in->loc2))
				return false;
			break;
		case I_TRYLOCK:
			tried_reg = in->reg;
			tried_loc = in->loc;
			break;
		case I_ELSE:
			now = held[depth - 1];
			break;
		case I_ENDIF:
		case I_ENDLOOP:
			now &= held[--depth];
			break;
		}
	}
	return true;
}

bool script_link(struct script *s)
{
	s->loops = s->asserts = s->plain = false;
	for (int l = 0; l < s->nlocs; l++)
		s->loc[l].plain = false;
	for (int t = 0; t < s->nthreads; t++) {
		struct script_thread *th = &s->thread[t];
		if (!link_jumps(th) || !link_breaks(th) || (!s->gives_any && !locks_held(th)))
			return false;
		find_live(th);
		for (int i = 0; i < th->n; i++) {
			const struct insn *in = &th->code[i];
			s->loops |= in->kind == I_LOOP;
			s->asserts |= in->kind == I_ASSERT;
			if ((in->kind == I_READ || in->kind == I_WRITE) && in->order == ORDER_NA)
				s->plain = s->loc[in->loc].plain = true;
		}
	}
	return true;
}
