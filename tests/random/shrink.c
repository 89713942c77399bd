/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shrink.c - a smaller program that still differs
 *
 * Tries one simplification after the other, from large to small, and keeps each that leaves the
 * difference; until none does.
 */
#include "random/shrink.h"

#include <string.h>

#include "random/code.h"

struct shrinker {
	struct program *best;
	bool (*differs)(void *arg, const struct program *p);
	void *arg;
	bool progress;
};

static void try(struct shrinker *s, struct program *p)
{
	struct code code;

	program_update(p);
	for (int t = 0; t < p->nthreads; t++)
		if (!code_make(&code, p, t))
			return;
	if (!s->differs(s->arg, p))
		return;
	*s->best = *p;
	s->progress = true;
}

/* Where statement n is named: the list that it stands in. */
static uint8_t *link_to(struct program *p, int n)
{
	for (int t = 0; t < p->nthreads; t++)
		if (p->t[t].body == n)
			return &p->t[t].body;
	for (int i = 1; i < p->nstmts; i++) {
		struct stmt *s = &p->s[i];

		if (s->next == n)
			return &s->next;
		if (s->body == n)
			return &s->body;
		if (s->other == n)
			return &s->other;
	}
	return NULL;
}

/* Statements that nothing names any more. */
static void collect(struct program *p)
{
	bool again = true;

	while (again) {
		again = false;
		for (int i = 1; i < p->nstmts; i++)
			if (p->s[i].kind && !link_to(p, i)) {
				memset(&p->s[i], 0, sizeof(p->s[i]));
				again = true;
			}
	}
}

static void drop_threads(struct shrinker *s)
{
	for (int l = 0; l < s->best->nlocs; l++)
		if (s->best->home[l] >= HOME_THREAD)
			return; /* they count each other */
	for (int t = s->best->nthreads - 1; t >= 0 && s->best->nthreads > 1; t--) {
		struct program p = *s->best;

		memmove(&p.t[t], &p.t[t + 1], (size_t)(p.nthreads - t - 1) * sizeof(p.t[0]));
		p.nthreads--;
		collect(&p);
		try(s, &p);
	}
}

static void drop_statements(struct shrinker *s)
{
	for (int i = 1; i < s->best->nstmts; i++) {
		struct program p = *s->best;
		uint8_t *link = link_to(&p, i);

		if (!link || p.s[i].fixed)
			continue;
		*link = p.s[i].next;
		collect(&p);
		try(s, &p);
	}
}

/* A statement's body in its place; needs_lock: what stands there is used with mutex 0. */
static bool needs_lock(const struct program *p, int first)
{
	for (int i = first; i; i = p->s[i].next)
		if (p->s[i].kind == ST_PLOAD || p->s[i].kind == ST_PSTORE ||
		    p->s[i].kind == ST_WAIT || p->s[i].kind == ST_SIGNAL ||
		    p->s[i].kind == ST_BROADCAST || needs_lock(p, p->s[i].body) ||
		    needs_lock(p, p->s[i].other))
			return true;
	return false;
}

static void unwrap(struct shrinker *s)
{
	for (int i = 1; i < s->best->nstmts; i++) {
		struct program p = *s->best;
		const struct stmt *st = &p.s[i];
		uint8_t *link = link_to(&p, i), *end;

		if (!link || !st->body || st->fixed || needs_lock(&p, st->body) ||
		    st->kind == ST_LOOP)
			continue;
		*link = st->body;
		for (end = link; *end; end = &p.s[*end].next)
			;
		*end = p.s[i].next;
		collect(&p);
		try(s, &p);
	}
}

/* Sets one field to a simpler value. */
static void simpler(struct shrinker *s, size_t offset, uint8_t value)
{
	struct program p = *s->best;
	uint8_t *field = (uint8_t *)&p + offset;

	if (*field == value)
		return;
	*field = value;
	try(s, &p);
}

#define SIMPLER(s, field, value) \
	simpler(s, (size_t)((uint8_t *)&(s)->best->field - (uint8_t *)(s)->best), value)

static void simplify_statements(struct shrinker *s)
{
	for (int i = 1; i < s->best->nstmts; i++) {
		const int kind = s->best->s[i].kind;

		if (!kind || s->best->s[i].fixed)
			continue;
		SIMPLER(s, s[i].order, RLX);
		if (s->best->s[i].order > ACQ)
			SIMPLER(s, s[i].order, kind == ST_STORE ? REL : ACQ);
		SIMPLER(s, s[i].order_fail, RLX);
		SIMPLER(s, s[i].form, 0);
		if (s->best->s[i].bound > 1)
			SIMPLER(s, s[i].bound, s->best->s[i].bound - 1);
		SIMPLER(s, s[i].cond.join, ALONE);
		/* races.c knows of no compare-and-swap there */
		if (kind != ST_LOCKED && kind != ST_TRYLOCK && !(kind == ST_CAS && s->best->races))
			SIMPLER(s, s[i].loc, 0);
	}
}

static void simplify_threads(struct shrinker *s)
{
	for (int t = 0; t < s->best->nthreads; t++) {
		for (int r = 0; r < MAX_REGS; r++)
			SIMPLER(s, t[t].place[r], IN_LOCAL);
		for (int r = 0; r < MAX_REGS; r++)
			SIMPLER(s, t[t].outs, (uint8_t)(s->best->t[t].outs & ~(1u << r)));
	}
	for (int l = 0; l < s->best->nlocs; l++) {
		SIMPLER(s, type[l], 0);
		SIMPLER(s, init[l], 0);
		if (s->best->home[l] < HOME_THREAD)
			SIMPLER(s, home[l], HOME_STATIC);
	}
}

void shrink(struct program *p, bool (*differs)(void *arg, const struct program *p), void *arg)
{
	struct shrinker s = { .best = p, .differs = differs, .arg = arg, .progress = true };

	while (s.progress) {
		s.progress = false;
		drop_threads(&s);
		drop_statements(&s);
		unwrap(&s);
		simplify_statements(&s);
		simplify_threads(&s);
	}
}
