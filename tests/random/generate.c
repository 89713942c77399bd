/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * generate.c - a program from a style and a seed
 *
 * A style is a row of probabilities. Whatever the style, a program comes to an end: loops without
 * a bound write only what does nothing in a later round (exchanges that store what they read),
 * and count only up to a limit. And it has no data race, but in style race: plain variables are used
 * with mutex 0.
 */
#include <string.h>

#include "random/gen.h"

/* Some of what is waited for shall come: a thread stores it somewhere among its statements. */
static void fulfil(struct gen *g)
{
	for (int i = 0; i < g->nwanted; i++) {
		struct program *p = g->p;
		uint8_t *at, rest;

		if (chance(g, g->style->vain ? g->style->vain : 12))
			continue;
		g->thread = (g->wanted[i].by + 1 + upto(g, p->nthreads - 1)) % p->nthreads;
		at = &p->t[g->thread].body;
		while (*at && chance(g, 30))
			at = &p->s[*at].next;
		rest = *at;
		g->tail = at;
		if (g->style->locks && chance(g, 20))
			add_try(g);
		if (g->wanted[i].loc >= MAX_LOCS)
			add_told(g, g->wanted[i].loc - MAX_LOCS, g->wanted[i].value);
		else if (chance(g, 85))
			add_store(g, g->wanted[i].loc, g->wanted[i].value);
		else
			add_rmw(g, g->wanted[i].loc, some_reg(g), FN_XCHG, g->wanted[i].value);
		*g->tail = rest;
	}
}

/* Which registers loops without a bound set, as a set of bits. */
static unsigned set_in_loops(const struct program *p, int first, bool inside)
{
	unsigned set = 0;

	for (int i = first; i; i = p->s[i].next) {
		const struct stmt *s = &p->s[i];
		const bool loop = inside || (s->kind == ST_LOOP && !s->bound);

		if (inside && (s->kind == ST_LOAD || s->kind == ST_RMW || s->kind == ST_CAS ||
			       s->kind == ST_SET || s->kind == ST_TRYLOCK || s->kind == ST_PLOAD))
			set |= 1u << s->reg;
		if (inside && s->kind == ST_CAS)
			set |= 1u << s->reg2;
		set |= set_in_loops(p, s->body, loop) | set_in_loops(p, s->other, loop);
	}
	return set;
}

bool has_untold_loop(const struct program *p)
{
	for (int t = 0; t < p->nthreads; t++) {
		const unsigned set = set_in_loops(p, p->t[t].body, false);

		for (int r = 0; r < MAX_REGS; r++)
			if (set >> r & 1 && p->t[t].place[r] >= IN_KEY)
				return true;
	}
	return false;
}

static void choose_places(struct gen *g, struct thread *t)
{
	const unsigned looped = set_in_loops(g->p, t->body, false);

	for (int r = 0; r < MAX_REGS; r++) {
		t->place[r] = chance(g, g->style->cancels ? 3 : 15) ? IN_VOLATILE : IN_LOCAL;
		if (chance(g, r < 4 ? g->style->place / 3 : g->style->place))
			t->place[r] = (uint8_t)upto(g, PLACES);
	}
	/* Files change the whole run (each execution has to be a process of its own): seldom. */
	for (int r = 0; r < MAX_REGS; r++)
		if ((t->place[r] == IN_SEEK || t->place[r] == IN_STREAM) && !chance(g, 30))
			t->place[r] = IN_KEY;
	if (g->style->untold) {
		for (int r = 0; r < MAX_REGS; r++)
			if (looped >> r & 1 && chance(g, g->style->untold))
				t->place[r] =
					(uint8_t)(IN_KEY +
						  upto(g, chance(g, 60) ? 2 : PLACES - IN_KEY));
		return;
	}
	/* A loop that changes what is not told has no end for heddle: seldom, and among few threads. */
	for (int r = 0; r < MAX_REGS; r++)
		if (t->place[r] >= IN_KEY && looped >> r & 1 &&
		    (g->p->nthreads > 2 || !chance(g, 25)))
			t->place[r] = IN_VOLATILE;
}

/* The registers that tell in a loop whether a try has failed, as a set of bits. */
static unsigned tried_in_loops(const struct program *p, int first, bool inside)
{
	unsigned set = 0;

	for (int i = first; i; i = p->s[i].next) {
		const struct stmt *s = &p->s[i];
		const bool loop = inside || s->kind == ST_LOOP;

		set |= inside && s->kind == ST_TRYLOCK ? 1u << s->reg : 0;
		set |= tried_in_loops(p, s->body, loop) | tried_in_loops(p, s->other, loop);
	}
	return set;
}

void program_generate(struct program *p, int style, uint64_t seed)
{
	struct gen g = { .p = p, .style = &styles[style], .rng = seed * 64 + (unsigned)style };

	memset(p, 0, sizeof(*p));
	p->seed = seed;
	p->style = style_name(style);
	p->nstmts = 1;
	p->nthreads = (uint8_t)(2 + upto(&g, g.style->threads - 1));
	if (g.style->pairs)
		g.shape = upto(&g, 3);
	if (g.style->strength)
		g.shape = chance(&g, 50) ? PAIR_READS : PAIR_WRITES;
	if (g.style->pairs && chance(&g, g.shape == PAIR_WRITES ? 90 : 50))
		p->nthreads = 3;
	p->nlocs = (uint8_t)(g.style->pairs ? 2 : 1 + upto(&g, g.style->stack ? 2 : 3));
	g.orders = upto(&g, ORDERS);
	if (g.style->strength || (g.style->pairs && chance(&g, 75)))
		g.orders = SYNCHRONISING;
	if (g.style->races && chance(&g, 70))
		g.orders = chance(&g, 70) ? SYNCHRONISING : ALL_RELAXED;
	if (g.style->races)
		g.shape = chance(&g, 50) ? RACE_ANY : chance(&g, 75) ? RACE_ROUNDS : RACE_LOOKS;
	for (int m = 0; m < MAX_MUTEXES && g.style->locks; m++)
		if (chance(&g, g.style->locks))
			p->lock[m] = (uint8_t)(LOCK_SPIN + upto(&g, m ? LOCKS - 1 : LOCKS - 2));
	if (g.style->polls && chance(&g, 90))
		g.orders = SYNCHRONISING;
	if (g.style->looks) {
		g.shape = RACE_LOOKS;
		g.orders = SYNCHRONISING;
	}
	if (g.shape == RACE_ROUNDS && g.style->races) {
		p->nlocs = 2 + (p->nlocs > 2);
		p->nthreads = chance(&g, 80) ? 3 : 2;
	}
	p->races = g.style->races;
	g.writes = 6;
	for (int l = 0; l < p->nlocs; l++) {
		p->init[l] = (int8_t)((g.style->glances ? 6 : 0) + (chance(&g, 20) ? 1 : 0));
		p->type[l] = (uint8_t)(chance(&g, 60) || g.style->cancels ? 0 : upto(&g, 5));
		p->home[l] =
			(uint8_t)(chance(&g, g.style->cancels ? 97 : 85) ? HOME_STATIC
									 : HOME_MAIN + upto(&g, 2));
	}
	for (int t = 0; t < p->nthreads; t++) {
		g.thread = t;
		p->t[t].nregs = 4;
		g.tail = &p->t[t].body;
		if (g.style->crowd && !t)
			add_crowd(&g);
		if (g.style->races && g.shape != RACE_ANY && t < 3)
			add_race(&g);
		else if (g.style->strength && !t)
			add_strength(&g);
		else if (g.style->pairs && (!t || chance(&g, 15)))
			add_pair(&g);
		else if (g.style->pairs && t == 1)
			add_message(&g);
		else if (g.style->pairs && chance(&g, 85))
			add_around(&g);
		else
			add_list(&g, g.tail, 1 + upto(&g, g.style->length));
	}
	fulfil(&g);
	if (g.style->races)
		make_plain(&g);
	if (g.style->stack)
		share_stack(&g);
	for (int t = 0; t < p->nthreads; t++) {
		choose_places(&g, &p->t[t]);
		/* What nobody looks at any more must not tell one round from another. */
		p->t[t].outs = (uint8_t)((1 << p->t[t].nregs) - 1);
		if (g.style->strength)
			p->t[t].outs &= t ? 0xff : g.shape == PAIR_READS ? 3 : 2;
		else if (chance(&g, 65))
			p->t[t].outs &= (uint8_t)draw(&g);
		if (g.style->locks)
			p->t[t].outs &= (uint8_t)~tried_in_loops(p, p->t[t].body, false);
	}
	program_update(p);
}

static bool is_sc_access(const struct stmt *s)
{
	return (s->kind == ST_LOAD || s->kind == ST_STORE || s->kind == ST_RMW ||
		s->kind == ST_CAS) &&
	       (s->order == SC || (s->kind == ST_CAS && s->order_fail == SC));
}

static void look_at(struct program *p, int first, unsigned *used)
{
	for (int i = first; i; i = p->s[i].next) {
		const struct stmt *s = &p->s[i];

		p->sc_accesses |= is_sc_access(s);
		if (s->kind == ST_LOAD || s->kind == ST_RMW || s->kind == ST_CAS ||
		    s->kind == ST_SET || s->kind == ST_TRYLOCK || s->kind == ST_PLOAD ||
		    (s->kind == ST_LOOP && s->bound))
			*used |= 1u << s->reg;
		if (s->kind == ST_CAS)
			*used |= 1u << s->reg2;
		look_at(p, s->body, used);
		look_at(p, s->other, used);
	}
}

void program_update(struct program *p)
{
	p->sc_accesses = false;
	for (int t = 0; t < p->nthreads; t++) {
		unsigned used = 0;

		look_at(p, p->t[t].body, &used);
		p->t[t].outs &= (uint8_t)used;
	}
}
