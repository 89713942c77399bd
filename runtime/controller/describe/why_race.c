/* SPDX-License-Identifier: BSD-2-Clause */
/* why_race.c - see why_story.h: data races */
#include "config.h"

#include <stdio.h>

#include "controller/describe/why_story.h"
#include "offline/unordered.h"

static const char *order_word(unsigned order)
{
	static const char *const words[] = { "plain",   "relaxed",         "acquire",
					     "release", "acquire-release", "seq_cst" };

	return order < sizeof(words) / sizeof(words[0]) ? words[order] : "?";
}

/* The first event of a side's thread that is the access, or comes behind it; the last one before it. EX_NONE: there is none. */
static uint32_t event_near(const struct story *s, const struct side *side, bool behind)
{
	uint32_t found = EX_NONE;

	for (size_t i = 0; i < s->bug->nsteps; i++) {
		const struct engine_step_record *r = &s->bug->steps[i].record;

		if (r->tid != side->thread || s->event[i] == EX_NONE)
			continue;
		if (behind && r->index + 1 >= side->behind)
			return s->event[i];
		if (!behind && r->index + 1 < side->behind)
			found = s->event[i];
	}
	return found;
}

static const char *access_word(const struct side *side)
{
	return describe_freeing(side) ? "free" : side->is_write ? "write" : "read";
}

static const char *kind_word(const struct step *step, const char *access)
{
	return step->record.kind >= OP_RMW ? "read-modify-write" : access;
}

/* What each side of reads-from would have to be. */
static void say_cure(struct story *s, const struct unordered *u, const struct step *write,
		     const struct step *read, const char *from, const char *to)
{
	const char *store = kind_word(write, "store"), *load = kind_word(read, "load");

	if (!u->releases && !u->acquires)
		why_say(s, "  a release %s at %s, with an acquire %s at %s, would.", store, from,
			load, to);
	else if (!u->releases)
		why_say(s, "  a release %s at %s would.", store, from);
	else if (!u->acquires)
		why_say(s, "  an acquire %s at %s would.", load, to);
	else
		why_say(s, "  the fence that releases, or acquires, is on the other side of it.");
}

static void say_unordered(struct story *s, const struct unordered *u)
{
	const struct step *write = why_step(s, u->write), *read = why_step(s, u->read);
	char place[WHY_PLACE], from[WHY_PLACE], to[WHY_PLACE], value[DESCRIBED_VALUE];

	if (!why_accesses(write) || !why_accesses(read))
		return;
	describe_place(s->scene, &read->place, place, sizeof(place));
	describe_value(s->scene, read->record.value, read->record.size, value);
	why_say(s, "T%u reads %s = %s (%s, %s) from T%u (%s, %s), which does not synchronise:",
		read->record.tid, place, value, why_at(s, read->record.pc, to),
		order_word(read->record.order), write->record.tid,
		why_at(s, write->record.pc, from), order_word(write->record.order));
	say_cure(s, u, write, read, from, to);
}

static bool takes_locks(const struct story *s, uint32_t tid)
{
	for (size_t i = 0; i < s->bug->nsteps; i++)
		if (s->bug->steps[i].record.tid == tid && why_holds_by(&s->bug->steps[i].record))
			return true;
	return false;
}

void why_race(struct story *s)
{
	const struct side *later = &s->bug->sides[0], *earlier = &s->bug->sides[1];
	struct unordered u[UNORDERED_MOST];
	char first[WHY_PLACE], second[WHY_PLACE];
	uint32_t a, b, n = 0;

	if (s->bug->nsides < 2 || !later->behind || !earlier->behind)
		return;
	a = event_near(s, earlier, true);
	b = event_near(s, later, false);
	if (a != EX_NONE && b != EX_NONE)
		n = unordered_reads(&s->x, s->model, a, b, u);
	for (uint32_t i = 0; i < n && i < UNORDERED_MOST; i++)
		say_unordered(s, &u[i]);
	if (s->why->n)
		why_say(s, "So nothing orders the %s of T%u (%s) before the %s of T%u (%s).",
			access_word(earlier), earlier->thread, why_at(s, earlier->pc, first),
			access_word(later), later->thread, why_at(s, later->pc, second));
	else if (!n)
		why_say(s,
			"Nothing orders them: before its %s T%u has observed nothing that T%u did "
			"behind its %s.",
			access_word(later), later->thread, earlier->thread, access_word(earlier));
	if (takes_locks(s, earlier->thread) || takes_locks(s, later->thread)) {
		why_locks(s, earlier);
		why_locks(s, later);
	}
}
