/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reordered.c - a trace whose steps are in turn (in_turn.h), and what its threads say stands where it stood in each of them
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "controller/show/in_turn.h"
#include "controller/show/model.h"

/* Behind how many steps that happened does each step of `b`, the steps as they were executed, come in `order`? of[i]: of step i, itself included. */
static size_t *ranks(const struct finding *b, const size_t *order)
{
	size_t *of = malloc((b->nsteps + 1) * sizeof(*of)), n = 0;

	for (size_t i = 0; of && i < b->nsteps; i++) {
		n += step_happened(&b->steps[order[i]].record);
		of[order[i]] = n;
	}
	return of;
}

/* Few are out of order, if any. What stands at the same place stays in its order. */
static void sort_texts(struct said_text *text, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct said_text now = text[i];
		size_t k = i;

		for (; k && text[k - 1].after > now.after; k--)
			text[k] = text[k - 1];
		text[k] = now;
	}
}

/* Each text comes right behind the last step that its thread had done. */
static void place_texts(const struct finding *b, const size_t *of, struct said_text *out)
{
	uint64_t last[HEDDLE_MAX_THREADS] = { 0 };
	size_t step = 0, happened = 0;

	for (size_t i = 0; i < b->said.ntexts; i++) {
		const struct said_text *text = &b->said.text[i];

		for (; step < b->nsteps && happened < text->after; step++)
			if (step_happened(&b->steps[step].record)) {
				happened++;
				last[b->steps[step].record.tid] = of[step];
			}
		out[i] = *text;
		out[i].after = last[text->tid];
	}
	sort_texts(out, b->said.ntexts);
}

bool model_reorder(const struct trace *t, struct trace *out)
{
	const struct finding *b = &t->bug;
	size_t *order = malloc((b->nsteps + 1) * sizeof(*order)), *of = NULL;
	struct step *steps = malloc((b->nsteps + 1) * sizeof(*steps));
	struct said_text *texts = malloc((b->said.ntexts + 1) * sizeof(*texts));
	bool ok = order && steps && texts && steps_in_turn(b->steps, b->nsteps, order);

	of = ok ? ranks(b, order) : NULL;
	ok = of != NULL;
	if (ok) {
		for (size_t i = 0; i < b->nsteps; i++)
			steps[i] = b->steps[order[i]];
		place_texts(b, of, texts);
		*out = *t;
		out->bug.steps = steps;
		out->bug.said.text = texts;
	} else {
		free(steps);
		free(texts);
	}
	free(of);
	free(order);
	return ok;
}
