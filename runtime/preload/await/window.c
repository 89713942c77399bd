/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * window.c - the window of each thread, and how it is lost (await.c says what is in it)
 *
 * A thread may look so often for a round, or for a value, that there is no room for all of it: who looks a thousand times before it
 * yields. Then the older half of the window is passed over, all but its first operation (await.txt, A0). So the last
 * operations are there, which tell whether one repeats another, and one that is further back, which tells whether the thread
 * is where it was then. That one is exchanged for a later one from time to time, at distances that double: if the thread goes
 * round and round, from some time on it is in the round, and the next exchange is further away than the round is
 * long (Brent: "An improved Monte Carlo factorization algorithm", BIT 20, 1980).
 */
#include "preload/await/await.h"

#include <string.h>

#include "preload/core/context.h"
#include "preload/core/reset.h"
#include "preload/fiber/fiber.h"
#include "preload/image/unseen.h"

struct await await_of[HEDDLE_MAX_THREADS];
KEPT(await_of);

void await_forget(struct fiber *f)
{
	struct await *a = &await_of[f->self.tid];

	if (!f->self.window)
		return; /* and a->log is empty, and so on */
	f->self.window = a->nforeign = 0;
	a->open = false;
	a->log.n = a->log.used = 0;
	a->let_go_first = a->fenced = a->released = false;
	a->kept = 0;
	f->self.ntouch = 0;
	a->arena_used = 0;
	a->passed.ops = a->passed.parts = a->passed.patience = a->passed.nplaces = 0;
	a->passed.behind_kept = false;
}

void await_lose_window(struct fiber *f)
{
	await_of[f->self.tid].lost++;
	await_forget(f);
}

uint32_t told_from(const struct await *a)
{
	uint32_t r1 = fiber_self()->self.window;

	if (unseen_partly)
		return 0; /* it was compared all the time */
	while (r1 && a->ops[r1 - 1].stretch == STRETCH_TOLD)
		r1--;
	return r1;
}

/* ---- Long windows ------------------------------------------------------------------------------ */

uint32_t await_parts(const struct await *a, uint32_t from, uint32_t to)
{
	uint32_t n = from == 0 && to > 1 ? a->passed.parts : 0;

	for (; from < to; from++)
		n += a->ops[from].parts;
	return n;
}

uint32_t await_length(const struct await *a, uint32_t from, uint32_t to)
{
	return to - from + (from == 0 && to > 1 ? a->passed.ops : 0);
}

/* False if there is no room to remember where. */
static bool pass_place(struct await *a, uint64_t addr, uint32_t size)
{
	uint32_t n = a->passed.nplaces;

	for (uint32_t i = 0; i < n; i++)
		if (a->passed.place[i].addr == addr && a->passed.place[i].size == size)
			return true;
	if (n == AWAIT_PLACES)
		return false;
	a->passed.place[n].addr = addr;
	a->passed.place[n].size = size;
	a->passed.nplaces++;
	return true;
}

/* Operations [from, to) are passed over, behind operation `first`. */
static bool pass_over(struct await *a, uint32_t first, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		const struct await_op *o = &a->ops[i];

		a->passed.ops++;
		a->passed.parts += o->parts;
		if (o->stretch > a->ops[first].stretch)
			a->ops[first].stretch = o->stretch;
		if (o->op.size && !pass_place(a, o->op.addr, o->op.size))
			return false;
	}
	return true;
}

/* Which of the first n operations stays? */
static uint32_t choose_first(struct await *a, uint32_t n)
{
	const uint32_t patience = a->passed.patience;
	uint32_t first = n - 1;

	if (await_parts(a, 0, n) <= patience)
		return 0;
	while (first && !a->ops[first].reads)
		first--;
	if (first) {
		a->passed.ops = a->passed.parts = a->passed.nplaces = 0;
		a->passed.behind_kept |= a->kept && a->kept <= first;
	}
	a->passed.patience = patience ? 2 * patience : AWAIT_OPS;
	return first;
}

/* Saved states are moved to the front of their memory. */
static void pack_states(struct await *a, uint32_t n)
{
	a->arena_used = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct await_op *o = &a->ops[i];

		if (!o->saved)
			continue;
		o->stack = memmove(a->arena + a->arena_used, o->stack, o->size);
		a->arena_used += (o->size + 15) & ~15ul;
	}
}

/* Has the one before it, or another one since operation 0, done the same? */
static bool is_there(const struct touch *touch, uint32_t n, const struct touch *t)
{
	for (uint32_t i = 0; i < n; i++)
		if (touch[i].behind == t->behind && touch[i].addr == t->addr &&
		    touch[i].size == t->size && touch[i].write == t->write)
			return true;
	return false;
}

/* Where operation i stands when those but `first` have gone that come before number `half`, or what came behind i of them. */
static uint32_t place_after(uint32_t i, uint32_t first, uint32_t half)
{
	return i > half ? i - half + 1 : i > first;
}

static void move_touches(struct self *me, uint32_t first, uint32_t half)
{
	struct touch *touch = me->touch;
	uint32_t n = 0;

	for (uint32_t i = 0; i < me->ntouch; i++) {
		struct touch t = touch[i];

		t.behind = (uint16_t)place_after(t.behind, first, half);
		if (t.behind > 1 || !is_there(touch, n, &t))
			touch[n++] = t;
	}
	me->ntouch = n;
}

void await_make_room(struct fiber *f)
{
	struct await *a = &await_of[f->self.tid];
	const uint32_t n = f->self.window, half = n / 2, first = choose_first(a, half);
	uint32_t writes, folded;

	/* Where the program is not instrumented each operation has a hash of memory less the log (await_op.memory). */
	if (unseen || !pass_over(a, first, first + 1, half)) {
		await_forget(f);
		return;
	}
	writes = a->ops[first].writes;
	f->self.window = n - half + 1;
	for (uint32_t i = 0; i < f->self.window; i++) {
		struct await_op *o = &a->ops[i];

		*o = a->ops[i ? i + half - 1 : first];
		o->writes -= writes;
		o->twins = o->twins >> half << 1 | (o->twins >> first & 1);
		o->others = o->others >> half << 1 | (o->others >> first & 1);
	}
	log_forget(&a->log, writes);
	writes = a->ops[1].writes;
	folded = writes - log_fold(&a->log, writes);
	for (uint32_t i = 1; i < f->self.window; i++)
		a->ops[i].writes -= folded;
	pack_states(a, f->self.window);
	if (f->self.touch)
		move_touches(&f->self, first, half);
	if (a->kept)
		a->kept = a->kept > half ? a->kept - half + 1 : 1;
}
