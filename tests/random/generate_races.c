/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * generate_races.c - plain accesses that may race
 *
 * What a program does with plain variables follows the pattern of messages: they are used, a flag is raised; others wait for
 * it, or look at it once, and use them. Orders, values, and who does what are drawn; about every
 * second program has a race. Rounds of loops use plain variables, too, and may hold the only race.
 */
#include "random/gen.h"

static void some_plain(struct gen *g, int percent)
{
	while (chance(g, percent)) {
		add_plain(g);
		percent /= 3;
	}
}

/* A loop that waits, whose rounds use plain variables; before or behind its look. */
static void wait_and_use(struct gen *g)
{
	const int loc = some_loc(g), value = 1 + upto(g, 2), where = upto(g, 4);
	uint8_t *behind;
	int reg;

	begin_loop(g, &behind);
	if (where & 1)
		some_plain(g, 60);
	reg = add_read(g, loc, value, g->style->silent);
	if (chance(g, 10))
		add_fence(g);
	add_break(g, left_when(g, reg, value, -1));
	if (where & 2)
		some_plain(g, 60);
	end_loop(g, behind);
	some_plain(g, 15);
	if (chance(g, 50))
		add_store(g, some_loc(g), 1 + upto(g, 2));
	want(g, loc, value);
}

/* if (flag == 1) use */
static void look_and_use(struct gen *g)
{
	const int loc = some_loc(g), reg = some_reg(g);
	uint8_t *behind;
	struct stmt *s;

	add_load(g, loc, reg);
	if (chance(g, 10))
		add_fence(g);
	s = append(g, ST_IF);
	s->cond = test(reg, IS_EQ, 1 + upto(g, 2));
	behind = g->tail;
	g->tail = &s->body;
	some_plain(g, 100);
	g->tail = behind;
}

static void use_and_tell(struct gen *g)
{
	some_plain(g, 70);
	if (chance(g, 10))
		add_fence(g);
	add_store(g, some_loc(g), 1 + upto(g, 2));
}

static void use_locked(struct gen *g)
{
	struct stmt *s = append(g, ST_LOCKED);
	uint8_t *behind = g->tail;

	g->p->nmutexes = MAX_MUTEXES;
	g->tail = &s->body;
	some_plain(g, 100);
	g->tail = behind;
}

void add_racing(struct gen *g)
{
	const int d = upto(g, 100);

	if (d < 35)
		wait_and_use(g);
	else if (d < 60)
		look_and_use(g);
	else if (d < 80)
		use_and_tell(g);
	else if (d < 85)
		use_locked(g);
	else
		add_access(g);
}

/* while (flag != value) use, or with one more look behind what is used */
static void use_in_vain(struct gen *g, int loc, int value)
{
	uint8_t *behind;

	begin_loop(g, &behind);
	add_break(g, left_when(g, add_read(g, loc, value, g->style->silent), value, -1));
	if (g->shape == RACE_ROUNDS)
		some_plain(g, 100);
	if (chance(g, 20))
		add_break(g, left_when(g, add_read(g, loc, value, 0), value, -1));
	end_loop(g, behind);
}

/*
 * Location 0 is waited for, and location 1 says that this is over: thread 0 waits, thread 1 tells it, thread 2 (or 1
 * itself) uses what was used in rounds in vain. If that is a race depends on orders only.
 */
static void race_in_rounds(struct gen *g, int value)
{
	uint8_t *behind;

	if (chance(g, 15))
		add_racing(g);
	if (!g->thread) {
		use_in_vain(g, 0, value);
		add_store(g, 1, 1);
		return;
	}
	if (g->thread == 1)
		add_store(g, 0, value);
	if (g->thread + 1 < g->p->nthreads)
		return;
	if (chance(g, 50)) {
		struct stmt *s;

		add_load(g, 1, 0);
		s = append(g, ST_IF);
		s->cond = test(0, IS_EQ, 1);
		behind = g->tail;
		g->tail = &s->body;
		some_plain(g, 100);
		g->tail = behind;
	} else {
		begin_loop(g, &behind);
		add_break(g, left_when(g, add_read(g, 1, 1, 0), 1, -1));
		end_loop(g, behind);
		some_plain(g, 100);
	}
}

/* Location 0 is written plainly, then given the value that others wait for, or that says that it is there. */
static void race_in_looks(struct gen *g, int value)
{
	if (chance(g, 30))
		add_racing(g);
	/* Who comes first looks before anybody is known to wait. */
	if (g->thread != (g->style->looks ? 0 : 1)) {
		use_in_vain(g, 0, value);
		return;
	}
	add_store(g, 0, upto(g, 3));
	if (chance(g, 85))
		g->p->s[g->p->nstmts - 1].order = PLAIN;
	add_store(g, 0, value);
}

void add_race(struct gen *g)
{
	const int value = 1 + (int)(g->p->seed >> 4 & 1);

	if (g->shape == RACE_ROUNDS)
		race_in_rounds(g, value);
	else
		race_in_looks(g, value);
}

static bool swaps_at_0(const struct program *p)
{
	for (int i = 1; i < p->nstmts; i++)
		if (p->s[i].kind == ST_CAS && !p->s[i].loc)
			return true;
	return false;
}

/* races.c does not follow a compare-and-swap beside plain accesses. */
static void forbid_plain(struct program *p)
{
	for (int i = 1; i < p->nstmts; i++)
		if (p->s[i].order == PLAIN)
			p->s[i].order = RLX;
}

/* What stands in loops that wait stays atomic: such a loop would be no loop that anybody may write. */
static void make_list_plain(struct gen *g, int first)
{
	for (int i = first; i; i = g->p->s[i].next) {
		struct stmt *s = &g->p->s[i];

		if ((s->kind == ST_LOAD || s->kind == ST_STORE) && !s->loc && chance(g, 25))
			s->order = PLAIN;
		if (s->kind != ST_LOOP)
			make_list_plain(g, s->body);
	}
}

/* Some accesses to location 0 are none of atomics, as where a node is initialised. */
void make_plain(struct gen *g)
{
	const bool more = chance(g, 30);

	if (swaps_at_0(g->p))
		forbid_plain(g->p);
	if (swaps_at_0(g->p) || !more || g->shape == RACE_ROUNDS)
		return;
	for (int t = 0; t < g->p->nthreads; t++)
		make_list_plain(g, g->p->t[t].body);
}
