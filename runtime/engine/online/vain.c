/* SPDX-License-Identifier: BSD-2-Clause */
/* vain.c - see vain.h */
#include "engine/online/vain.h"

#include <string.h>

#include "base/must.h"

void vain_begin(struct vain *v)
{
	v->now = (struct thread_set){ 0 };
	for (uint32_t i = 0; i < CROWDS; i++)
		v->crowd[i].all = (struct thread_set){ 0 };
	memset(v->in, 0, sizeof(v->in));
}

static bool same(const struct crowd *c, uint32_t loc, const struct op *op)
{
	return c->loc == loc && c->op.kind == op->kind && c->op.fn == op->fn &&
	       value_eq(c->op.arg, op->arg) && value_eq(c->op.expected, op->expected);
}

/* That of those who wait there with such an operation, or a free one; or NULL. */
static struct crowd *crowd_of(struct vain *v, uint32_t loc, const struct op *op)
{
	struct crowd *free = NULL;

	for (struct crowd *c = v->crowd; c < v->crowd + CROWDS; c++) {
		if (!thread_set_any(&c->all))
			free = c;
		else if (same(c, loc, op))
			return c;
	}
	if (free) {
		free->loc = loc;
		free->op = *op;
	}
	return free;
}

void vain_asked(struct vain *v, uint32_t tid, uint32_t loc, const struct op *op, bool alike)
{
	struct crowd *c = alike ? crowd_of(v, loc, op) : NULL;

	v->at[tid] = loc;
	thread_set_add(&v->now, tid);
	if (!c)
		return;
	must(!v->in[tid] || &v->crowd[v->in[tid] - 1] == c);
	v->in[tid] = (uint8_t)(1 + (c - v->crowd));
	thread_set_add(&c->all, tid);
	thread_set_join(&v->now, &c->all);
}

void vain_changes_at(struct vain *v, uint32_t loc)
{
	/* The rest would find these as well, one by one. */
	for (const struct crowd *c = v->crowd; c < v->crowd + CROWDS; c++)
		if (c->loc == loc)
			thread_set_subtract(&v->now, &c->all);
	THREAD_SET_EACH(tid, &v->now)
		if (v->at[tid] == loc)
			thread_set_remove(&v->now, tid);
}
