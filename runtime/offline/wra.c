/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wra.c - weak release-acquire: Algorithm 1 of the PLDI 2023 paper
 *
 * hb is (po u rf)+ and there is no mo. Weak atomicity: no two read-modify-writes read from
 * one write. Weak read coherence: no write of the location lies between a read and its write
 * in hb; of each thread only the last write before the read can be that one.
 *
 * Cost: O(n k).
 */
#include <stdlib.h>
#include <string.h>

#include "offline/chains.h"
#include "offline/scan.h"

struct work {
	const struct execution *x;
	struct clocks clocks;
	struct scan scan;
	struct verdict *v;
};

static bool fails(const struct work *s, uint32_t w, uint32_t b, uint32_t e)
{
	verdict_fails(s->v, "weak read coherence", s->x->loc[e]);
	verdict_step(s->v, w, "hb");
	verdict_step(s->v, b, "hb");
	verdict_step(s->v, e, "rf^-1");
	return false;
}

/*
 * Of each thread, the last write before the read e must not come after the write w that e observes.
 * Nothing is wrong with a thread of which w knows all that e knows: which is so of most.
 */
static bool check_read(void *self, const struct look *l)
{
	const struct work *s = self;
	uint32_t w = l->source, b;

	for (uint32_t g = 0; g < s->scan.n && w != EX_NONE; g++)
		if (scan_last(&s->scan, l, g, l->known, &b) &&
		    (w == EX_INIT || (b != w && clock_before(&s->clocks, w, b))))
			return fails(s, w, b, l->e);
	return true;
}

static void check_all(struct work *s, const uint32_t *sort)
{
	clocks_build(&s->clocks, s->x, MODEL_WRA, sort);
	scan_init(&s->scan, s->x, &s->clocks, sort, EX_WRITE, EX_RMW);
	s->v->consistent = scan_all(&s->scan, check_read, s);
	scan_release(&s->scan);
	clocks_release(&s->clocks);
}

bool check_wra(const struct execution *x, enum engine_model m, bool witness, struct verdict *v)
{
	uint32_t *sort = verdict_begin(v, x);
	struct work s = { .x = x, .v = v };
	struct chains c;

	(void)m;
	(void)witness;
	if (!sort)
		return true;
	if (chains_build(&c, x, sort, v))
		check_all(&s, sort);
	else
		v->axiom = "weak atomicity";
	chains_release(&c);
	free(sort);
	return true;
}
