/* SPDX-License-Identifier: BSD-2-Clause */
/* why_signal.c - see why_story.h: signals that came before anybody waited for them */
#include "config.h"

#include <stdlib.h>

#include "controller/describe/why_story.h"

/* A signal that came before a thread's last wait, as numbers of steps. */
struct early {
	size_t wait, signal;
};

/*
 * The steps that came before a wait at its condition variable, into on[]: each of its waits, and of its signals that end a wait, reads from
 * the one before, and is recorded behind it.
 */
static void mark_before(const struct story *s, size_t wait, bool *on)
{
	const struct engine_step_record *r = &s->bug->steps[wait].record;

	for (size_t i = wait; i-- > 0 && r->rf_tid >= 0;) {
		const struct engine_step_record *o = &s->bug->steps[i].record;

		if (o->tid != (uint32_t)r->rf_tid || o->index != r->rf_index || !step_happened(o))
			continue;
		on[i] = true;
		r = o;
	}
}

/* Has the signal read what was there before the wait? */
static bool is_before(const struct story *s, const struct engine_step_record *signal,
		      const bool *on)
{
	const struct step *read = why_named(s, signal->rf_tid, signal->rf_index);

	return signal->rf_tid == -1 || (read && on[read - s->bug->steps]);
}

static bool find_early(const struct story *s, uint32_t tid, struct early *e)
{
	const struct step *steps = s->bug->steps;
	const struct engine_step_record *wait = NULL;
	bool *on = calloc(s->bug->nsteps, sizeof(*on)), found = false;

	for (size_t i = 0; i < s->bug->nsteps; i++)
		if (steps[i].record.tid == tid && steps[i].record.kind == OP_COND_BEGIN) {
			wait = &steps[i].record;
			e->wait = i;
		}
	if (on && wait)
		mark_before(s, e->wait, on);
	for (size_t i = s->bug->nsteps; on && wait && !found && i-- > 0;) {
		const struct engine_step_record *r = &steps[i].record;

		found = r->addr == wait->addr &&
			(r->kind == OP_COND_SIGNAL || r->kind == OP_COND_BROADCAST) &&
			is_before(s, r, on);
		e->signal = i;
	}
	free(on);
	return found;
}

/* Of the mutex that a wait gives back: the step that does. */
static const struct step *given_back(const struct story *s, size_t wait)
{
	const struct engine_step_record *w = &s->bug->steps[wait].record;

	for (size_t i = wait + 1; i < s->bug->nsteps; i++) {
		const struct engine_step_record *r = &s->bug->steps[i].record;

		if (r->tid == w->tid && op_frees_lock(r->kind))
			return &s->bug->steps[i];
	}
	return NULL;
}

/* Has the thread of step `at` that lock there? */
static bool has_lock(const struct story *s, size_t at, uint64_t lock)
{
	const struct finding *bug = s->bug;
	unsigned times = 0; /* a mutex may be taken again by who has it */

	for (size_t i = 0; i < at; i++) {
		const struct engine_step_record *r = &bug->steps[i].record;

		if (r->tid != bug->steps[at].record.tid || r->addr != lock || !step_happened(r))
			continue;
		if (why_holds_by(r))
			times++;
		else if (op_frees_lock(r->kind) && times)
			times--;
	}
	return times;
}

static bool reads(const struct story *s, uint32_t tid, uint64_t addr, size_t before)
{
	for (size_t i = 0; i < before; i++) {
		const struct step *step = &s->bug->steps[i];

		if (step->record.tid == tid && step->record.addr == addr && why_accesses(step) &&
		    step->record.flags & STEP_READ)
			return true;
	}
	return false;
}

/* Who signalled had changed something that the waiter looks at: without the waiter's mutex? */
static void say_unlocked(struct story *s, const struct early *e)
{
	const struct step *steps = s->bug->steps, *lock = given_back(s, e->wait);
	const uint32_t waiter = steps[e->wait].record.tid, by = steps[e->signal].record.tid;
	char changed[WHY_PLACE], mutex[WHY_PLACE], at[WHY_PLACE];
	size_t i = e->signal;

	while (i-- > 0) {
		const struct engine_step_record *r = &steps[i].record;

		if (r->tid == by && r->flags & STEP_WROTE && why_accesses(&steps[i]) &&
		    reads(s, waiter, r->addr, e->wait))
			break;
	}
	if (!lock || i == SIZE_MAX || has_lock(s, i, lock->record.addr))
		return;
	describe_place(s->scene, &steps[i].place, changed, sizeof(changed));
	describe_place(s->scene, &lock->place, mutex, sizeof(mutex));
	why_say(s,
		"T%u changed %s (%s) without %s. If it has that locked there, and T%u looks at %s with it "
		"locked before it waits, such a signal would not be lost.",
		by, changed, why_at(s, steps[i].record.pc, at), mutex, waiter, changed);
}

void why_early_signal(struct story *s, const struct side *side)
{
	struct early e = { 0 };
	char site[WHY_PLACE];

	if (!find_early(s, side->thread, &e))
		return;
	why_say(s, "T%u signalled that at %s, before T%u waited for it.",
		s->bug->steps[e.signal].record.tid,
		why_at(s, s->bug->steps[e.signal].record.pc, site), side->thread);
	say_unlocked(s, &e);
}
