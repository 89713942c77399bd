/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * generate_stack.c - a location on a thread's stack
 */
#include "random/gen.h"

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
void share_stack(struct gen *g)
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
