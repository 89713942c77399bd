/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * generate_parts.c - critical sections, branches, functions, and any of all these
 */
#include "random/gen.h"

void add_plain(struct gen *g)
{
	struct stmt *s = append(g, chance(g, 50) ? ST_PLOAD : ST_PSTORE);

	s->loc = (uint8_t)upto(g, MAX_PLAIN);
	s->reg = some_reg(g);
	s->arg = chance(g, 60) ? constant(1 + upto(g, 2)) : in_reg(some_reg(g));
	g->p->nplain = MAX_PLAIN;
}

static bool writes_plain(const struct program *p, int first)
{
	for (int i = first; i; i = p->s[i].next)
		if (p->s[i].kind == ST_PSTORE || writes_plain(p, p->s[i].body) ||
		    writes_plain(p, p->s[i].other))
			return true;
	return false;
}

/* A section that only looks at plain variables may be one of several. */
static void share(struct gen *g, struct stmt *s)
{
	if (g->style->locks && chance(g, 60) && !writes_plain(g->p, s->body))
		s->fn = SHARE_READ;
}

/* r = p; p = 3; p = r, or less of it. */
static void add_nothing(struct gen *g, int plain)
{
	const int reg = new_reg(g);
	struct stmt *s = append(g, ST_PLOAD);

	s->loc = (uint8_t)plain;
	s->reg = (uint8_t)reg;
	if (chance(g, 60)) {
		s = append(g, ST_PSTORE);
		s->loc = (uint8_t)plain;
		s->arg = constant(1 + upto(g, 3));
	}
	if (chance(g, 30))
		add_read(g, some_loc(g), 1, 0);
	s = append(g, ST_PSTORE);
	s->loc = (uint8_t)plain;
	s->arg = in_reg(reg);
}

/* What is done under a mutex: with mutex 0 plain variables as well. */
static void add_section(struct gen *g, uint8_t *body, int mutex)
{
	uint8_t *behind = g->tail;

	g->tail = body;
	g->depth++;
	for (int n = 1 + upto(g, 2); n > 0; n--)
		if (!mutex && chance(g, 60))
			add_plain(g);
		else
			add_access(g);
	g->depth--;
	g->tail = behind;
}

static void add_locked(struct gen *g)
{
	struct stmt *s = append(g, ST_LOCKED);

	s->loc = (uint8_t)upto(g, MAX_MUTEXES);
	g->p->nmutexes = MAX_MUTEXES;
	add_section(g, &s->body, s->loc);
	if (s->loc && chance(g, 40)) { /* mutex 0 within mutex 1, and seldom the other way round */
		uint8_t *behind = g->tail;
		struct stmt *inner;

		g->tail = &s->body;
		while (*g->tail)
			g->tail = &g->p->s[*g->tail].next;
		inner = append(g, ST_LOCKED);
		if (chance(g, 25)) {
			inner->loc = 1;
			s->loc = 0;
		}
		add_section(g, &inner->body, inner->loc);
		g->tail = behind;
		share(g, inner);
	}
	share(g, s);
	g->writes--;
}

/* The plain variable is set to that, with mutex 0. */
void add_told(struct gen *g, int plain, int value)
{
	struct stmt *s = append(g, ST_LOCKED);
	uint8_t *behind = g->tail;

	g->tail = &s->body;
	s = append(g, ST_PSTORE);
	s->loc = (uint8_t)plain;
	s->arg = constant(value);
	g->tail = behind;
	g->p->nmutexes = MAX_MUTEXES;
	g->p->nplain = MAX_PLAIN;
}

/* A section of a round: it looks at a plain variable, if that is its mutex, or at locations. Returns where that is kept. */
static int add_looks(struct gen *g, int plain)
{
	const bool tries = g->style->locks && chance(g, 10);
	struct stmt *s = append(g, tries ? ST_TRYLOCK : ST_LOCKED), *section = s;
	uint8_t *behind = g->tail;
	int reg = new_reg(g);

	s->loc = plain < 0;
	if (tries)
		s->reg = new_reg(g);
	g->p->nmutexes = MAX_MUTEXES;
	g->tail = &s->body;
	if (plain >= 0) {
		s = append(g, ST_PLOAD);
		s->loc = (uint8_t)plain;
		s->reg = (uint8_t)reg;
		g->p->nplain = MAX_PLAIN;
	}
	if (plain < 0 || chance(g, g->style->reads))
		add_read(g, some_loc(g), 1 + upto(g, 2), g->style->silent);
	if (plain >= 0 && g->style->locks && chance(g, 25))
		add_nothing(g, upto(g, MAX_PLAIN));
	g->tail = behind;
	share(g, section);
	return reg;
}

/* A round that shows something, and takes it back under the next lock. */
static void add_shown(struct gen *g)
{
	const int plain = upto(g, MAX_PLAIN), reg = new_reg(g);

	for (int i = 0; i < 2; i++) {
		struct stmt *s = append(g, ST_LOCKED);
		uint8_t *behind = g->tail;

		g->tail = &s->body;
		if (!i) {
			s = append(g, ST_PLOAD);
			s->loc = (uint8_t)plain;
			s->reg = (uint8_t)reg;
		}
		s = append(g, ST_PSTORE);
		s->loc = (uint8_t)plain;
		s->arg = i ? in_reg(reg) : constant(1 + upto(g, 3));
		g->tail = behind;
	}
}

/* A loop that looks under a lock whether something was done. */
void add_poll(struct gen *g)
{
	const int plain = upto(g, MAX_PLAIN), value = 1 + upto(g, 2);
	uint8_t *behind;
	int reg;

	begin_loop(g, &behind);
	if (chance(g, 20))
		add_looks(g, -1);
	reg = add_looks(g, plain);
	add_break(g, test(reg, IS_EQ, value));
	if (chance(g, g->style->reads))
		add_read(g, some_loc(g), 1 + upto(g, 2), g->style->silent);
	if (chance(g, 20))
		add_looks(g, plain);
	if (g->style->locks && chance(g, 8))
		add_shown(g);
	end_loop(g, behind);
	want(g, MAX_LOCS + plain, value);
}

/* Tries once, before others are told to go on: what makes it fail may be nothing but a round in vain. */
void add_try(struct gen *g)
{
	struct stmt *s = append(g, ST_TRYLOCK), *look;
	uint8_t *behind = g->tail;

	s->reg = new_reg(g);
	g->p->nmutexes = MAX_MUTEXES;
	g->tail = &s->body;
	look = append(g, ST_PLOAD);
	look->loc = (uint8_t)upto(g, MAX_PLAIN);
	look->reg = some_reg(g);
	g->p->nplain = MAX_PLAIN;
	g->tail = behind;
	share(g, s);
}

static void add_trylock(struct gen *g)
{
	struct stmt *s;
	uint8_t *behind = NULL;
	const bool looped = chance(g, 40);

	if (looped)
		begin_loop(g, &behind);
	s = append(g, ST_TRYLOCK);
	s->loc = (uint8_t)upto(g, MAX_MUTEXES);
	s->reg = some_reg(g);
	g->p->nmutexes = MAX_MUTEXES;
	add_section(g, &s->body, s->loc);
	share(g, s);
	if (looped && chance(g, 50))
		add_load(g, some_loc(g), (s->reg + 1) % 4);
	if (looped) {
		/* The body must not have changed what tells that it was done. */
		const int done = new_reg(g);
		uint8_t *tail = g->tail;

		g->tail = &s->body;
		while (*g->tail)
			g->tail = &g->p->s[*g->tail].next;
		add_set(g, done, SET_MOVE, constant(1), constant(0));
		g->tail = tail;
		add_break(g, test(done, IS_EQ, 1));
		end_loop(g, behind);
	}
	g->writes--;
}

/* while (!p) wait; or the other side of it. */
static void add_cond(struct gen *g)
{
	struct stmt *s = append(g, ST_LOCKED);
	uint8_t *tail = g->tail, *behind;
	const int plain = upto(g, MAX_PLAIN), value = 1 + upto(g, 2), reg = some_reg(g);

	g->p->nmutexes = MAX_MUTEXES;
	g->p->nplain = MAX_PLAIN;
	g->p->cond = true;
	g->tail = &s->body;
	g->depth++;
	if (chance(g, 45)) {
		struct stmt *load;

		begin_loop(g, &behind);
		load = append(g, ST_PLOAD);
		load->loc = (uint8_t)plain;
		load->reg = (uint8_t)reg;
		add_break(g, test(reg, IS_GE, value));
		append(g, ST_WAIT);
		end_loop(g, behind);
		if (chance(g, 40))
			add_plain(g);
	} else {
		struct stmt *store = append(g, ST_PSTORE);

		store->loc = (uint8_t)plain;
		store->arg = constant(1 + upto(g, 2));
		if (chance(g, 90))
			append(g, chance(g, 60) ? ST_SIGNAL : ST_BROADCAST);
	}
	g->depth--;
	g->tail = tail;
}

/*
 * What is learned at the futex changes how the program is explored, however much was learned before. One execution that reads
 * at so many places takes a second, so it is seldom.
 */
void add_crowd(struct gen *g)
{
	g->p->crowd = true;
	if (chance(g, 4))
		append(g, ST_CROWD);
	append(g, ST_REQUEUE);
}

static void add_branch(struct gen *g)
{
	struct stmt *s = append(g, ST_IF);
	uint8_t *tail = g->tail;

	s->cond = test(some_reg(g), upto(g, 4), upto(g, 3));
	g->depth++;
	add_list(g, &s->body, 1);
	if (chance(g, 40))
		add_list(g, &s->other, 1);
	g->depth--;
	g->tail = tail;
}

static void add_call(struct gen *g)
{
	struct stmt *s = append(g, ST_CALL);
	uint8_t *tail = g->tail;

	s->form = (uint8_t)upto(g, 2);
	g->depth++;
	add_list(g, &s->body, 2);
	g->depth--;
	g->tail = tail;
}

static void add_any(struct gen *g)
{
	const struct style *st = g->style;
	int d = upto(g, 100);

	if (st->races && !g->depth)
		add_racing(g);
	else if (g->depth < 2 && (d -= st->await) < 0)
		add_await(g);
	else if (!g->depth && (d -= st->polls) < 0)
		add_poll(g);
	else if (!g->depth && (d -= st->cancels) < 0)
		add_cancels(g);
	else if (st->cancels)
		add_count(g);
	else if (g->depth < 2 && g->writes > 2 && (d -= st->bounded) < 0)
		add_bounded(g);
	else if (g->depth < 2 && g->writes > 1 && (d -= st->retry) < 0)
		add_retry(g);
	else if (g->depth < 2 && (d -= st->mutex) < 0)
		add_locked(g);
	else if (g->depth < 2 && (d -= st->trylock) < 0)
		add_trylock(g);
	else if (g->depth < 2 && (d -= st->cond) < 0)
		add_cond(g);
	else if (g->depth < 2 && chance(g, st->branch))
		add_branch(g);
	else if (g->depth < 2 && chance(g, st->form / 4))
		add_call(g);
	else if (chance(g, 12))
		add_set(g, some_reg(g), upto(g, 5), in_reg(some_reg(g)),
			chance(g, 50) ? in_reg(some_reg(g)) : constant(upto(g, 3)));
	else
		add_access(g);
}

void add_list(struct gen *g, uint8_t *tail, int length)
{
	g->tail = tail;
	for (int i = 0; i < length; i++)
		add_any(g);
}
