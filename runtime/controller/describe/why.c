/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * why.c - see why.h
 *
 * The execution is that of heddle check (trace/check_trace.h), so what is said here of happens-before and of consistency has
 * the checkers' word for it.
 */
#include "config.h"

#include "controller/describe/why.h"

#include <stdlib.h>

#include "controller/describe/why_story.h"
#include "controller/trace/check_trace.h"

static void tell_deadlock(struct story *s)
{
	for (uint32_t i = 0; i < s->bug->nsides; i++)
		if (!why_only_joins(s->bug, &s->bug->sides[i]))
			why_locks(s, &s->bug->sides[i]);
	why_lock_order(s);
	why_model(s);
}

void why_of(struct why *w, struct scene *scene, enum engine_model model, const struct finding *bug)
{
	struct story s = { .why = w, .scene = scene, .bug = bug, .model = model };
	struct trace_symbols names = scene_trace_symbols(scene);
	char error[600];

	*w = (struct why){ 0 };
	if (!bug->nsteps || bug->lacks_steps)
		return;
	s.event = calloc(bug->nsteps, sizeof(*s.event));
	if (s.event &&
	    check_steps(&s.x, bug->steps, bug->nsteps, &names, s.event, error, sizeof(error))) {
		if (bug->kind == BUG_DATA_RACE)
			why_race(&s);
		else if (bug->kind == BUG_DEADLOCK)
			tell_deadlock(&s);
		else
			why_model(&s);
		if (bug->kind != BUG_DEADLOCK)
			why_aba(&s);
	}
	if (s.event)
		execution_release(&s.x);
	free(s.event);
}

void why_release(struct why *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->line[i]);
	w->n = 0;
}
