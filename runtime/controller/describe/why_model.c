/* SPDX-License-Identifier: BSD-2-Clause */
/* why_model.c - see why_story.h: whether sequential consistency has the execution as well */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "controller/describe/why_story.h"
#include "offline/explain_read.h"

enum {
	MOST_EVENTS = 2000, /* that are looked at: to decide for sc may take long */
	OLD_READS = 3,
	LONG_CYCLE = 300 /* characters, and no longer one is shown */
};

/* Another thread's write there, that came behind the one that is read, and before the read, in this order; or NULL. */
static const struct step *newer_write(const struct story *s, size_t read)
{
	const struct engine_step_record *r = &s->bug->steps[read].record;
	const struct step *found = NULL;

	for (size_t i = 0; i < read; i++) {
		const struct engine_step_record *w = &s->bug->steps[i].record;

		if (r->rf_tid >= 0 && w->tid == (uint32_t)r->rf_tid && w->index == r->rf_index)
			found = NULL;
		else if (w->flags & STEP_WROTE && w->addr == r->addr && w->size == r->size &&
			 w->tid != r->tid)
			found = &s->bug->steps[i];
	}
	return found;
}

static void say_old_reads(struct story *s)
{
	const size_t most = s->why->n + OLD_READS;

	for (size_t i = 0; i < s->bug->nsteps && s->why->n < most; i++) {
		const struct step *read = &s->bug->steps[i], *newer;
		char place[WHY_PLACE], here[WHY_PLACE], there[WHY_PLACE];
		char value[DESCRIBED_VALUE], stored[DESCRIBED_VALUE];

		if (!(read->record.flags & STEP_READ) || !why_accesses(read))
			continue;
		newer = newer_write(s, i);
		if (!newer || !why_accesses(newer) ||
		    value_eq(newer->record.stored, read->record.value))
			continue;
		describe_place(s->scene, &read->place, place, sizeof(place));
		describe_value(s->scene, read->record.value, read->record.size, value);
		describe_value(s->scene, newer->record.stored, newer->record.size, stored);
		why_say(s,
			"T%u reads %s = %s (%s), an old value: T%u stored %s before (%s), but nothing "
			"orders that store before this read.",
			read->record.tid, place, value, why_at(s, read->record.pc, here),
			newer->record.tid, stored, why_at(s, newer->record.pc, there));
	}
}

/* The number of an event in its thread, as steps have it. */
static uint32_t *numbers(const struct story *s)
{
	uint32_t *number = calloc(s->x.n + 1, sizeof(*number));

	for (size_t i = 0; number && i < s->bug->nsteps; i++)
		if (s->event[i] != EX_NONE)
			number[s->event[i]] = s->bug->steps[i].record.index;
	return number;
}

static void say_cycle(struct story *s, const struct verdict *v)
{
	struct explanation e = { .x = s->x, .v = *v, .step = numbers(s) };
	char line[LONG_CYCLE + 1];

	if (!e.step)
		return;
	if (explanation_line(&e, line, sizeof(line)) <= LONG_CYCLE)
		why_say(s, "Not possible under -m sc: %s", line);
	else
		why_say(s, "Not possible under -m sc (heddle check -m sc says why).");
	free(e.step);
}

void why_model(struct story *s)
{
	const struct checker *c = checker_best(&s->x, MODEL_SC);
	struct verdict v;
	bool decided;

	if (s->model == MODEL_SC || s->x.n > MOST_EVENTS || checker_unfit(c, &s->x, MODEL_SC))
		return;
	decided = c->check(&s->x, MODEL_SC, false, &v);
	/* Else there is an order in which no read is of an old value. */
	if (!decided || !v.consistent)
		say_old_reads(s);
	if (decided && !v.consistent) {
		say_cycle(s, &v);
		why_mend(s, &v);
	} else if (decided && s->bug->kind != BUG_DEADLOCK)
		why_say(s,
			"Possible under -m sc as well: the order in which threads run is enough.");
	verdict_release(&v);
}
