/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explain.c - see explain.h
 *
 * A pair of writes is tried both ways. If both are refuted, that is the proof; if only one is,
 * the other holds from then on and may refute more. If no pair is left that is refuted
 * one way, the proof would branch: then one order that fails is shown instead, and the search
 * answers for the others.
 */
#include "offline/explain.h"

#include <stdlib.h>

/* Tries one pair. True: the proof is complete. *learned: one way is refuted. */
static bool try_pair(const struct decider *d, uint32_t a, uint32_t b, bool *learned,
		     struct verdict *v)
{
	for (int i = 0; i < 2; i++) {
		uint32_t from = i ? b : a, to = i ? a : b;
		bool refuted = !d->put(d->self, from, to, REASON_ASSUMED, 0, v);

		d->undo(d->self);
		if (!refuted)
			continue;
		*learned = true;
		return !d->put(d->self, to, from, REASON_REFUTED, v->ncases - 1, v);
	}
	return false;
}

static bool try_pairs(const struct decider *d, struct verdict *v)
{
	uint32_t left = d->tries, a, b;
	bool learned = true;

	while (learned) {
		learned = false;
		d->rewind(d->self);
		while (d->open(d->self, &a, &b)) {
			if (!left--)
				return false;
			if (try_pair(d, a, b, &learned, v))
				return true;
		}
	}
	return false;
}

/* Drops the cases that the last one does not need. */
static void prune(struct verdict *v)
{
	uint32_t *number = offline_zeroed(v->ncases, sizeof(*number)), n = 0;

	number[v->ncases - 1] = 1;
	for (uint32_t c = v->ncases; c-- > 0;) {
		const struct verdict_case *k = &v->cases[c];

		for (uint32_t r = k->reasons; number[c] && r < k->reasons + k->nreasons; r++)
			if (v->reasons[r].kind == REASON_REFUTED)
				number[v->reasons[r].by] = 1;
	}
	for (uint32_t c = 0; c < v->ncases; c++) {
		if (!number[c])
			continue;
		number[c] = n;
		v->cases[n++] = v->cases[c];
	}
	v->ncases = n;
	for (uint32_t c = 0; c < n; c++)
		for (uint32_t r = 0; r < v->cases[c].nreasons; r++)
			if (v->reasons[v->cases[c].reasons + r].kind == REASON_REFUTED)
				v->reasons[v->cases[c].reasons + r].by =
					number[v->reasons[v->cases[c].reasons + r].by];
	free(number);
}

void explain(const struct decider *d, struct verdict *v)
{
	v->ncases = v->nreasons = v->nsteps = 0;
	if (try_pairs(d, v)) {
		prune(v);
		return;
	}
	v->ncases = v->nreasons = v->nsteps = 0;
	v->searched = true;
	d->put_all(d->self, v);
}
