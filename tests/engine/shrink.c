/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shrink.c - the smallest program that still shows a difference
 *
 * Greedy: try each simplification in turn, keep it when differs() still holds, go on until
 * a whole round changes nothing. Cost: a few hundred calls of differs().
 */
#include "script.h"

#include <string.h>

static bool keep(struct script *s, struct script *tried,
		 bool (*differs)(const struct script *, void *), void *ctx)
{
	if (!script_link(tried) || !differs(tried, ctx))
		return false;
	*s = *tried;
	return true;
}

static void cut(struct script_thread *th, int at)
{
	memmove(&th->code[at], &th->code[at + 1], (size_t)(th->n - at - 1) * sizeof(th->code[0]));
	th->n--;
}

static void drop_thread(struct script *s, int t)
{
	memmove(&s->thread[t], &s->thread[t + 1],
		(size_t)(s->nthreads - t - 1) * sizeof(s->thread[0]));
	memset(&s->thread[--s->nthreads], 0, sizeof(s->thread[0]));
}

/* Last instruction of the block that begins at i (i itself for a simple one). */
static int block_end(const struct script_thread *th, int i)
{
	int k = th->code[i].kind;
	if (k == I_LOOP)
		return th->code[i].jump;
	if (k != I_IF)
		return i;
	i = th->code[i].jump;
	return th->code[i].kind == I_ELSE ? th->code[i].jump : i;
}

/* The whole block at i, or with `unwrap` only its markers (and an else branch). */
static bool drop_block(struct script_thread *th, int i, bool unwrap)
{
	int k = th->code[i].kind, end = block_end(th, i), from = i;

	if (k == I_ELSE || k == I_ENDIF || k == I_ENDLOOP || (unwrap && end == i))
		return false;
	if (unwrap) {
		from = th->code[i].jump;
		for (int j = end; j >= from; j--)
			cut(th, j);
		cut(th, i);
		return true;
	}
	for (int j = end; j >= from; j--)
		cut(th, j);
	return true;
}

/* A lock together with its unlock. */
static bool drop_pair(struct script_thread *th, int i)
{
	if (th->code[i].kind != I_LOCK)
		return false;
	for (int j = i + 1; j < th->n; j++)
		if (th->code[j].kind == I_UNLOCK && th->code[j].loc == th->code[i].loc) {
			cut(th, j);
			cut(th, i);
			return true;
		}
	return false;
}

/* The next weaker order that the operation may have. */
static bool weaken(uint8_t *order, bool reads, bool writes)
{
	if (*order == ORDER_SC)
		*order = reads && writes ? ORDER_ACQ_REL : reads ? ORDER_ACQ : ORDER_REL;
	else if (*order == ORDER_ACQ_REL || *order == ORDER_ACQ || *order == ORDER_REL)
		*order = ORDER_RLX;
	else
		return false;
	return true;
}

/* One edit of an instruction; false when it does not apply. */
static bool edit(struct script_thread *th, int i, int how)
{
	struct insn *in = &th->code[i];
	bool ordered = in->kind < I_FENCE;

	switch (how) {
	case 0:
		return drop_block(th, i, false);
	case 1:
		return drop_pair(th, i);
	case 2:
		return drop_block(th, i, true);
	case 3:
		return ordered && weaken(&in->order, in->kind != I_WRITE, in->kind != I_READ);
	case 4:
		return in->kind == I_CAS && weaken(&in->order_fail, true, false);
	case 5:
		if (in->kind != I_WRITE || insn_uses(in) == 0)
			return false;
		in->a = expr_const(1);
		return true;
	default:
		return false;
	}
}

static bool round_of_edits(struct script *s, bool (*differs)(const struct script *, void *),
			   void *ctx)
{
	static struct script tried;
	bool any = false;

	for (int t = s->nthreads - 1; t >= 0; t--) {
		tried = *s;
		drop_thread(&tried, t);
		any |= keep(s, &tried, differs, ctx);
	}
	for (int how = 0; how < 6; how++)
		for (int t = 0; t < s->nthreads; t++)
			for (int i = s->thread[t].n - 1; i >= 0; i--) {
				tried = *s;
				if (i >= tried.thread[t].n || !edit(&tried.thread[t], i, how))
					continue;
				any |= keep(s, &tried, differs, ctx);
			}
	return any;
}

void script_shrink(struct script *s, bool (*differs)(const struct script *s, void *ctx), void *ctx)
{
	while (round_of_edits(s, differs, ctx))
		;
}
