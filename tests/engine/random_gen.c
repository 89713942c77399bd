/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_gen.c - see random_gen.h
 */
#include "engine/random_gen.h"

#include <stdio.h>
#include <stdlib.h>

uint64_t gen_next(struct gen *g)
{
	uint64_t z = g->state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

int gen_below(struct gen *g, int n)
{
	return (int)(gen_next(g) >> 33) % n;
}

int gen_reg(struct gen *g, int t, char prefix)
{
	char name[SCRIPT_SHORT];

	if (g->s->thread[t].nregs == SCRIPT_REGS)
		return gen_below(g, SCRIPT_REGS);
	snprintf(name, sizeof(name), "%c%u", prefix, (unsigned)g->regs++ % 100000u);
	return script_reg(g->s, t, name);
}

enum mem_order gen_order(struct gen *g, bool reads, bool writes)
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
	int pick = gen_below(g, reads && writes ? 5 : 3);
	if (pick == 0)
		return ORDER_RLX;
	if (pick == 1)
		return ORDER_SC;
	return pick == 2 ? strong : pick == 3 ? ORDER_ACQ : ORDER_REL;
}

int gen_mem_at(struct gen *g, int which)
{
	static const char *const names[] = { "x", "y", "z" };

	return script_loc(g->s, LOC_MEM, names[which % g->nlocs], 0);
}

int gen_mem(struct gen *g)
{
	return gen_mem_at(g, gen_below(g, g->nlocs));
}

int gen_lib(struct gen *g, enum loc_kind kind, int n)
{
	static const char *const names[][2] = {
		[LOC_MUTEX] = { "m", "n" },   [LOC_SEM] = { "s", "q" },
		[LOC_COND] = { "c", "d" },    [LOC_RWLOCK] = { "w", "v" },
		[LOC_BARRIER] = { "b", "a" },

		[LOC_FUTEX] = { "f", "g" },   [LOC_COUNT] = { "p", "u" },
		[LOC_SET] = { "e", "h" }
	};
	int which = gen_below(g, n);

	if (kind == LOC_SET)
		return script_loc(g->s, kind, names[kind][which], SET_ANY | SET_IN | (1 << 6));
	return script_loc(g->s, kind, names[kind][which], kind == LOC_SEM ? which : 0);
}

/* A small constant, or now and then a register of the thread. */
struct expr gen_small(struct gen *g, int t)
{
	if (g->s->thread[t].nregs && gen_below(g, 8) == 0) {
		int plus = gen_below(g, 2);

		return expr_reg(gen_below(g, g->s->thread[t].nregs), plus);
	}
	return expr_const(1 + gen_below(g, 2));
}

void gen_begin(struct gen *g, const char *kind, uint64_t seed)
{
	char name[SCRIPT_NAME];

	for (int i = 0; i < 4; i++)
		gen_next(g);
	snprintf(name, sizeof(name), "%s-%llu", kind, (unsigned long long)seed);
	script_init(g->s, name);
}

void gen_end(struct gen *g)
{
	struct script *s = g->s;

	if (!s->nlocs)
		script_loc(s, LOC_MEM, "x", 0);
	if (!script_link(s)) {
		fprintf(stderr, "%s: the generator made a broken script\n", s->name);
		script_print(s, stderr);
		abort();
	}
}

void gen_add_plain(struct gen *g, int t)
{
	int p = script_loc(g->s, LOC_MEM, "p", 0);

	if (gen_below(g, 2))
		script_read(g->s, t, gen_reg(g, t, 'n'), p, ORDER_NA);
	else
		script_write(g->s, t, p, expr_const(1), ORDER_NA);
}
