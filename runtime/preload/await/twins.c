/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * twins.c - which earlier operation of its window may an operation only repeat, and does it?
 *
 * Such a one is its twin (await.txt, A): of the same location, ordering no more, in a loop. Whether it does is tried out by a
 * probe.
 */
#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/await/arrival.h"
#include "preload/await/silent.h"
#include "preload/core/context.h"
#include "preload/facts/facts.h"

/* A1; first, and fast, of what is most often so: one load, again. */
static bool is_twin(const struct await_op *r1, const struct await_op *r2)
{
	const struct op *a = &r1->op, *b = &r2->op;

	if (!r1->reads || a->addr != b->addr)
		return false;
	return (a->kind == OP_LOAD && b->kind == OP_LOAD && a->order == b->order &&
		a->size == b->size) ||
	       (may_repeat(a, b, r2->value) && silent_with(a, r2->value));
}

/* The operations of the window, bit i for the i-th, that operation r2 may repeat. */
static uint64_t twins_of(struct await *a, uint32_t r2)
{
	struct await_op *o = &a->ops[r2];
	uint64_t told = 0;

	if (o->asked)
		return o->twins;
	o->asked = true;
	o->twins = 0;
	for (uint32_t i = r2; o->reads && i-- > 0;) {
		const struct await_op *r1 = &a->ops[i];

		if (!is_twin(r1, o))
			continue;
		if (!r1->saved || r1->op.pc != told)
			fact_repeats(r1->op.pc, r1->saved);
		told = r1->op.pc;
		if (r1->saved)
			o->twins |= 1ul << i;
	}
	return o->twins;
}

/*
 * Did the thread come by one place twice from operation r1 on? Up to end, at r2, which comes behind
 * that, and with what it does then, at next_pc. `if (load(&x) != 1) load(&x);` may repeat
 * itself as well, but it is no loop: nobody waits for a better time to count its executions.
 */
static bool loops(const struct await_op *r1, const struct await_op *end, const struct await_op *r2,
		  uint64_t next_pc)
{
	bool loop = next_pc == SOMEWHERE || r2->op.pc == next_pc;

	for (const struct await_op *r = r1; !loop && r < end; r++)
		loop = r->reads && (r->op.pc == next_pc || r->op.pc == r2->op.pc);
	return loop;
}

bool await_repeats(const struct await *a, uint32_t r1, const struct await_op *next,
		   uint64_t next_pc)
{
	const struct await_op *o = &a->ops[r1];

	return o->reads && may_repeat(&o->op, &next->op, next->value) &&
	       silent_with(&o->op, next->value) &&
	       loops(o, &a->ops[fiber_self()->self.window], next, next_pc);
}

/* K1. Does the thread know of something, by operations [from, to) of its window, that it would not know without? */
static bool brings_news(const struct await *a, uint32_t from, uint32_t to)
{
	uint32_t tid = current->tid, end;

	if (!fact_in_use(FACT_ROUNDS_HIDE))
		return false;
	end = to < current->window ? a->ops[to].behind - 1 : engine_done(engine, tid);
	return !engine_knows_without(engine, tid, a->ops[from].behind - 1, end);
}

bool twins_may_go(struct await *a, uint32_t from, uint32_t to, uint32_t end)
{
	if (brings_news(a, from, to))
		return false;
	if (rounds_may_go(a, from, to, end))
		return true;
	if (!a->kept)
		a->kept = end;
	return false;
}

uint32_t twins_try(struct await *a, uint32_t r2, uint32_t n, const struct op *op)
{
	struct await_op *o = &a->ops[r2];
	uint64_t next_pc = r2 + 1 < n ? a->ops[r2 + 1].op.pc : op->pc;
	uint32_t tries = r2 + 1 < n ? AWAIT_TWINS : AWAIT_OPS, r1;

	for (uint64_t left = twins_of(a, r2); left && tries--; left &= ~(1ul << r1)) {
		r1 = 63 - (uint32_t)__builtin_clzl(left);
		if ((o->others >> r1 & 1) || !loops(&a->ops[r1], o, o, next_pc) ||
		    !told_since(a, r1))
			continue;
		switch (probe_run(a, r1, r2, op)) {
		case PROBE_EQUAL:
			/* What comes behind r1 need not be what was done behind r2. */
			if (twins_may_go(a, r1, r2, n))
				return r1;
			break;
		case PROBE_DRIFTS:
			break;
		case PROBE_OTHER:
			o->others |= 1ul << r1;
			break;
		}
	}
	return r2;
}

void twins_find_kept(const struct fiber *f, struct await *a, const struct op *op)
{
	uint64_t unsaved;
	uint32_t n = f->self.window, to = probe_came_back(a, op, &unsaved);

	if (to != NO_TWIN && told_since(a, to))
		twins_may_go(a, to, n, n);
	for (uint32_t r2 = n;
	     await_tries_out() && !a->kept && r2-- > 1 && n - r2 <= AWAIT_REACH + 1;)
		twins_try(a, r2, n, op);
}
