/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * generate.c - a program from a style and a seed
 *
 * A style is a row of probabilities. Whatever the style, a program comes to an end: loops without
 * a bound write only what does nothing in a later round (exchanges that store what they read),
 * and count only up to a limit. And it has no data race: plain variables are used with mutex 0.
 */
#include "random/program.h"

#include <string.h>

/* Probabilities in percent. */
struct style {
	const char *name;
	uint8_t threads, length; /* at most, of statements in a thread */
	uint8_t await;           /* a statement is a loop that waits */
	uint8_t silent;          /* a read in it is a read-modify-write */
	uint8_t reads;           /* more reads in a round */
	uint8_t count, place;    /* it counts; registers are kept in odd places */
	uint8_t first;           /* it is left in a later round only */
	uint8_t toggle;          /* rounds that net to nothing */
	uint8_t bounded;         /* loops with a bound, that raise flags */
	uint8_t retry;           /* loops around a compare-and-swap */
	uint8_t mutex, trylock, cond;
	uint8_t form; /* odd forms of loops, functions */
	uint8_t branch;
	bool stack; /* a location stands on a thread's stack */
	bool pairs; /* loops look twice at one location, and the other threads at what is around */
};

static const struct style styles[] = {
	{ .name = "plain", .threads = 3, .length = 4, .place = 20, .branch = 25, .form = 20 },
	{ .name = "await",
	  .threads = 3,
	  .length = 3,
	  .await = 40,
	  .reads = 40,
	  .first = 25,
	  .place = 5 },
	{ .name = "silent",
	  .threads = 3,
	  .length = 2,
	  .await = 50,
	  .silent = 60,
	  .reads = 60,
	  .first = 50 },
	{ .name = "count",
	  .threads = 2,
	  .length = 2,
	  .await = 60,
	  .silent = 10,
	  .reads = 20,
	  .count = 80,
	  .place = 80 },
	{ .name = "net",
	  .threads = 3,
	  .length = 2,
	  .await = 50,
	  .silent = 20,
	  .reads = 40,
	  .toggle = 80,
	  .place = 30,
	  .first = 20 },
	{ .name = "flags",
	  .threads = 2,
	  .length = 3,
	  .await = 20,
	  .reads = 40,
	  .bounded = 50,
	  .place = 10,
	  .branch = 20 },
	{ .name = "retry",
	  .threads = 3,
	  .length = 2,
	  .await = 15,
	  .silent = 20,
	  .retry = 50,
	  .place = 10,
	  .form = 20 },
	{ .name = "mutex",
	  .threads = 3,
	  .length = 3,
	  .await = 10,
	  .mutex = 50,
	  .place = 10,
	  .branch = 20 },
	{ .name = "trylock", .threads = 3, .length = 2, .mutex = 25, .trylock = 45, .place = 10 },
	{ .name = "cond", .threads = 3, .length = 2, .mutex = 20, .cond = 60, .place = 10 },
	{ .name = "forms",
	  .threads = 2,
	  .length = 3,
	  .await = 35,
	  .silent = 20,
	  .reads = 40,
	  .count = 20,
	  .place = 40,
	  .first = 20,
	  .bounded = 15,
	  .form = 90,
	  .branch = 20 },
	{ .name = "pairs", .threads = 3, .length = 1, .silent = 50, .pairs = true },
	{ .name = "stack",
	  .threads = 2,
	  .length = 2,
	  .await = 45,
	  .silent = 20,
	  .reads = 30,
	  .first = 20,
	  .retry = 15,
	  .place = 10,
	  .stack = true },
	{ .name = "mixed",
	  .threads = 3,
	  .length = 3,
	  .await = 20,
	  .silent = 25,
	  .reads = 40,
	  .count = 15,
	  .place = 25,
	  .first = 25,
	  .toggle = 20,
	  .bounded = 15,
	  .retry = 15,
	  .mutex = 15,
	  .trylock = 8,
	  .form = 35,
	  .branch = 15 },
};

enum {
	NSTYLES = sizeof(styles) / sizeof(styles[0])
};

/* Which orders accesses have. */
enum orders {
	ALL_RELAXED,
	SYNCHRONISING,
	ALL_ORDERS,
	DEFAULT_ORDERS,
	ORDERS
};

struct gen {
	struct program *p;
	const struct style *style;
	uint64_t rng;
	uint8_t *tail; /* where the next statement is named */
	int thread, depth, writes, orders;
	bool locked; /* mutex 0 is held */
	/* Values that somebody waits for. */
	int nwanted;
	struct {
		uint8_t loc, by;
		int8_t value;
	} wanted[16];
};

int style_count(void)
{
	return NSTYLES;
}

const char *style_name(int style)
{
	return styles[style].name;
}

/* splitmix64 */
static uint64_t draw(struct gen *g)
{
	uint64_t z = g->rng += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static int upto(struct gen *g, int n)
{
	return n ? (int)(draw(g) % (unsigned)n) : 0;
}

static bool chance(struct gen *g, int percent)
{
	return upto(g, 100) < percent;
}

static struct stmt *append(struct gen *g, enum stmt_kind kind)
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

static uint8_t some_reg(struct gen *g)
{
	return (uint8_t)upto(g, 4);
}

static uint8_t new_reg(struct gen *g)
{
	struct thread *t = &g->p->t[g->thread];

	return t->nregs < MAX_REGS ? t->nregs++ : (uint8_t)(MAX_REGS - 1);
}

static uint8_t some_loc(struct gen *g)
{
	return (uint8_t)upto(g, g->p->nlocs);
}

static struct operand constant(int v)
{
	return (struct operand){ .v = (int8_t)v };
}

static struct operand in_reg(int reg)
{
	return (struct operand){ .is_reg = true, .v = (int8_t)reg };
}

static uint8_t read_order(struct gen *g)
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

static uint8_t write_order(struct gen *g)
{
	uint8_t order = read_order(g);

	return order == ACQ ? REL : order;
}

static uint8_t rmw_order(struct gen *g)
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

static struct cond test(int reg, enum compare cmp, int value)
{
	return (struct cond){ .a = { .reg = (uint8_t)reg, .cmp = cmp, .with = constant(value) } };
}

static void add_fence(struct gen *g)
{
	static const uint8_t orders[] = { ACQ, REL, ACQ_REL, SC };

	append(g, ST_FENCE)->order = orders[upto(g, 4)];
}

static void add_load(struct gen *g, int loc, int reg)
{
	struct stmt *s = append(g, ST_LOAD);

	s->loc = (uint8_t)loc;
	s->reg = (uint8_t)reg;
	s->order = read_order(g);
}

static void add_store(struct gen *g, int loc, int value)
{
	struct stmt *s = append(g, ST_STORE);

	s->loc = (uint8_t)loc;
	s->arg = constant(value);
	s->order = write_order(g);
	g->writes--;
}

static void add_rmw(struct gen *g, int loc, int reg, enum rmw_fn fn, int arg)
{
	struct stmt *s = append(g, ST_RMW);

	s->loc = (uint8_t)loc;
	s->reg = (uint8_t)reg;
	s->fn = (uint8_t)fn;
	s->arg = constant(arg);
	s->order = rmw_order(g);
}

static void add_cas(struct gen *g, int loc, struct operand expected, struct operand desired)
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

static void add_set(struct gen *g, int reg, enum set_fn fn, struct operand a, struct operand b)
{
	struct stmt *s = append(g, ST_SET);

	s->reg = (uint8_t)reg;
	s->fn = (uint8_t)fn;
	s->arg = a;
	s->expected = b;
}

/* An access that stands where it is done once. */
static void add_access(struct gen *g)
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

/* One that may be done again and again, and in the end does no more than read. */
static int add_read(struct gen *g, int loc, int value)
{
	static const uint8_t neutral[] = { FN_ADD, FN_OR, FN_XOR };
	int reg = some_reg(g);

	if (!chance(g, g->style->silent)) {
		add_load(g, loc, reg);
		return reg;
	}
	switch (upto(g, 5)) {
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
		break;
	default:
		add_rmw(g, loc, reg, neutral[upto(g, 3)], 0);
		break;
	}
	return reg;
}

static struct cond left_when(struct gen *g, int reg, int value, int later)
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

static void want(struct gen *g, int loc, int value)
{
	if (g->nwanted == 16)
		return;
	g->wanted[g->nwanted].loc = (uint8_t)loc;
	g->wanted[g->nwanted].value = (int8_t)value;
	g->wanted[g->nwanted++].by = (uint8_t)g->thread;
}

static struct stmt *begin_loop(struct gen *g, uint8_t **behind)
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

static void end_loop(struct gen *g, uint8_t *behind)
{
	g->tail = behind;
	g->depth--;
}

static void add_break(struct gen *g, struct cond c)
{
	append(g, ST_BREAK)->cond = c;
}

/* Something in a round that is undone in the same or in the next one. */
static void add_toggle(struct gen *g, int reg)
{
	switch (upto(g, 3)) {
	case 0:
		add_set(g, reg, SET_XOR, in_reg(reg), constant(1));
		break;
	case 1:
		add_set(g, reg, SET_XOR, in_reg(reg), constant(1));
		add_read(g, some_loc(g), 1);
		add_set(g, reg, SET_XOR, in_reg(reg), constant(1));
		break;
	default:
		add_set(g, reg, SET_ADD, in_reg(reg), constant(chance(g, 50) ? 4 : 1));
		add_set(g, reg, SET_ADD, in_reg(reg), constant(chance(g, 50) ? 4 : 7));
		break;
	}
}

/* A loop that waits for a value of a location, with what else a round may do. */
static void add_await(struct gen *g)
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
		reg = add_read(g, i && chance(g, 30) ? some_loc(g) : loc, value);
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

/*
 * Two looks at location 0 in a round, of different kinds, where one of them ends the loop in a later
 * round only; what was done before it and what is read behind it tells others how strong they were.
 */
static void add_pair(struct gen *g)
{
	const int value = 1 + upto(g, 2), later = new_reg(g), other = upto(g, 2);
	const int all = (int)upto(g, 4);
	uint8_t *behind;
	int reg;

	if (chance(g, 60))
		add_store(g, 1, 1 + upto(g, 2));
	if (chance(g, 25))
		add_fence(g);
	begin_loop(g, &behind);
	for (int i = 0; i < 2; i++) {
		struct cond c;

		reg = add_read(g, 0, value);
		c = test(reg, IS_EQ, value);
		if (i == other) {
			c.join = AND;
			c.b = test(later, IS_NE, 0).a;
		}
		if (!all || i == other || chance(g, 90))
			add_break(g, c);
	}
	add_set(g, later, SET_MOVE, constant(1), constant(0));
	end_loop(g, behind);
	if (chance(g, 50))
		add_load(g, 1, 0);
	want(g, 0, value);
}

static void add_around(struct gen *g)
{
	if (chance(g, 60))
		add_rmw(g, 0, 1, chance(g, 70) ? FN_ADD : FN_XCHG, 1);
	else
		add_store(g, 0, 1 + upto(g, 2));
	add_load(g, 1, 2);
	if (chance(g, 20))
		add_load(g, 0, 3);
}

/* Peterson's and Dekker's: a flag is raised, the other's is looked at, and it is lowered again. */
static void add_bounded(struct gen *g)
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
static void add_retry(struct gen *g)
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

static void add_list(struct gen *g, uint8_t *tail, int length);

static void add_plain(struct gen *g)
{
	struct stmt *s = append(g, chance(g, 50) ? ST_PLOAD : ST_PSTORE);

	s->loc = (uint8_t)upto(g, MAX_PLAIN);
	s->reg = some_reg(g);
	s->arg = chance(g, 60) ? constant(1 + upto(g, 2)) : in_reg(some_reg(g));
	g->p->nplain = MAX_PLAIN;
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
	}
	g->writes--;
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

	if (g->depth < 2 && (d -= st->await) < 0)
		add_await(g);
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

static void add_list(struct gen *g, uint8_t *tail, int length)
{
	g->tail = tail;
	for (int i = 0; i < length; i++)
		add_any(g);
}

/* Some of what is waited for shall come: a thread stores it somewhere among its statements. */
static void fulfil(struct gen *g)
{
	for (int i = 0; i < g->nwanted; i++) {
		struct program *p = g->p;
		uint8_t *at, rest;

		if (chance(g, 12))
			continue;
		g->thread = (g->wanted[i].by + 1 + upto(g, p->nthreads - 1)) % p->nthreads;
		at = &p->t[g->thread].body;
		while (*at && chance(g, g->style->pairs ? 80 : 30))
			at = &p->s[*at].next;
		rest = *at;
		g->tail = at;
		if (chance(g, 85))
			add_store(g, g->wanted[i].loc, g->wanted[i].value);
		else
			add_rmw(g, g->wanted[i].loc, some_reg(g), FN_XCHG, g->wanted[i].value);
		*g->tail = rest;
	}
}

static struct stmt *append_fixed(struct gen *g, enum stmt_kind kind, int loc, int order)
{
	struct stmt *s = append(g, kind);

	s->fixed = true;
	s->loc = (uint8_t)loc;
	s->order = (uint8_t)order;
	return s;
}

static void await_fixed(struct gen *g, int loc, int value)
{
	struct stmt *s = append_fixed(g, ST_LOOP, 0, 0);
	uint8_t *behind = g->tail;

	g->tail = &s->body;
	append_fixed(g, ST_LOAD, loc, ACQ)->reg = 3;
	append_fixed(g, ST_BREAK, 0, 0)->cond = test(3, IS_EQ, value);
	g->tail = behind;
}

/*
 * Location 0 is on the stack of thread 0, as the nodes of queue locks are. The thread says that it is
 * there (location 2), the others wait for that, and it waits until they are done (location 3).
 */
static void share_stack(struct gen *g)
{
	struct program *p = g->p;
	const int told = p->nlocs, done = p->nlocs + 1;
	struct stmt *s;
	uint8_t body;

	p->home[0] = HOME_THREAD;
	p->nlocs += 2;
	for (int t = 0; t < p->nthreads; t++) {
		body = p->t[t].body;
		g->tail = &p->t[t].body;
		if (!t)
			append_fixed(g, ST_PUBLISH, 0, 0);
		if (!t)
			append_fixed(g, ST_STORE, told, REL)->arg = constant(1);
		else
			await_fixed(g, told, 1);
		*g->tail = body;
		while (*g->tail)
			g->tail = &p->s[*g->tail].next;
		if (!t) {
			await_fixed(g, done, p->nthreads - 1);
			continue;
		}
		s = append_fixed(g, ST_RMW, done, ACQ_REL);
		s->fn = FN_ADD;
		s->arg = constant(1);
		s->reg = 3;
	}
}

static void choose_places(struct gen *g, struct thread *t)
{
	for (int r = 0; r < MAX_REGS; r++) {
		t->place[r] = chance(g, 15) ? IN_VOLATILE : IN_LOCAL;
		if (chance(g, r < 4 ? g->style->place / 3 : g->style->place))
			t->place[r] = (uint8_t)upto(g, PLACES);
	}
	/* Files change the whole run (each execution has to be a process of its own): seldom. */
	for (int r = 0; r < MAX_REGS; r++)
		if ((t->place[r] == IN_SEEK || t->place[r] == IN_STREAM) && !chance(g, 30))
			t->place[r] = IN_KEY;
}

void program_generate(struct program *p, int style, uint64_t seed)
{
	struct gen g = { .p = p, .style = &styles[style], .rng = seed * 64 + (unsigned)style };

	memset(p, 0, sizeof(*p));
	p->seed = seed;
	p->style = style_name(style);
	p->nstmts = 1;
	p->nthreads = (uint8_t)(2 + upto(&g, g.style->threads - 1));
	p->nlocs = (uint8_t)(g.style->pairs ? 2 : 1 + upto(&g, g.style->stack ? 2 : 3));
	g.orders = upto(&g, ORDERS);
	g.writes = 6;
	for (int l = 0; l < p->nlocs; l++) {
		p->init[l] = (int8_t)(chance(&g, 20) ? 1 : 0);
		p->type[l] = (uint8_t)(chance(&g, 60) ? 0 : upto(&g, 5));
		p->home[l] = (uint8_t)(chance(&g, 85) ? HOME_STATIC : HOME_MAIN + upto(&g, 2));
	}
	for (int t = 0; t < p->nthreads; t++) {
		g.thread = t;
		p->t[t].nregs = 4;
		g.tail = &p->t[t].body;
		if (g.style->pairs && (!t || chance(&g, 25)))
			add_pair(&g);
		else if (g.style->pairs && (t == 2 || chance(&g, 50)))
			add_around(&g);
		else if (g.style->pairs && chance(&g, 70))
			add_store(&g, 1, 1);
		else
			add_list(&g, &p->t[t].body, 1 + upto(&g, g.style->length));
	}
	fulfil(&g);
	if (g.style->stack)
		share_stack(&g);
	for (int t = 0; t < p->nthreads; t++) {
		choose_places(&g, &p->t[t]);
		p->t[t].outs = (uint8_t)((1 << p->t[t].nregs) - 1);
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
