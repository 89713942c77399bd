/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * why_aba.c - see why_story.h: a compare-exchange that succeeds, though the pointer was another one in between
 *
 * Thread T reads pointer v from write W1, and later compares and exchanges v, which it reads from W2, of another thread. By coherence
 * W1 is before W2 in mo. Where W2 is a read-modify-write, the write P that it read from is right before it there; P has not stored v,
 * so it is not W1, and stands between them: who exchanged did not see that.
 */
#include "config.h"

#include <stdio.h>

#include "controller/describe/why_story.h"

enum {
	SAID_MOST = 2,
	STEPS_MOST = 5000 /* that are looked at: each exchange is compared with all before */
};

static bool same_source(const struct engine_step_record *a, const struct engine_step_record *b)
{
	return a->rf_tid == b->rf_tid && (a->rf_tid < 0 || a->rf_index == b->rf_index);
}

/* What the thread of step `at` did there last, before it. */
static const struct step *last_before(const struct story *s, size_t at)
{
	const struct engine_step_record *r = &s->bug->steps[at].record;

	while (at-- > 0) {
		const struct engine_step_record *o = &s->bug->steps[at].record;

		if (o->tid == r->tid && o->addr == r->addr && why_accesses(&s->bug->steps[at]))
			return &s->bug->steps[at];
	}
	return NULL;
}

/* The step of a compare-exchange: was it another pointer in between? Then who made it so, and who made it the same again. */
static bool comes_back(const struct story *s, size_t at, const struct step **read,
		       const struct step **other, const struct step **again)
{
	const struct engine_step_record *r = &s->bug->steps[at].record, *seen;

	if (r->kind != OP_CAS || !(r->flags & STEP_WROTE))
		return false;
	*read = last_before(s, at);
	*again = why_named(s, r->rf_tid, r->rf_index);
	if (!*read || !*again)
		return false;
	seen = &(*read)->record;
	if (!(seen->flags & STEP_READ) || seen->flags & STEP_WROTE || seen->size != r->size ||
	    !value_eq(seen->value, r->value) || same_source(seen, r))
		return false;
	if ((*again)->record.size != r->size || value_eq((*again)->record.value, r->value))
		return false;
	/* Of a store there is none. */
	*other = why_named(s, (*again)->record.rf_tid, (*again)->record.rf_index);
	return *other && why_accesses(*other);
}

static void say_one(struct story *s, const struct step *cas, const struct step *read,
		    const struct step *other, const struct step *again)
{
	const struct engine_step_record *r = &cas->record;
	char place[WHY_PLACE], old[DESCRIBED_VALUE], new[DESCRIBED_VALUE], others[DESCRIBED_VALUE];
	char at[WHY_PLACE], seen[WHY_PLACE], changed[WHY_PLACE], back[WHY_PLACE], who[32] = "";

	describe_place(s->scene, &cas->place, place, sizeof(place));
	describe_value(s->scene, r->value, r->size, old);
	describe_value(s->scene, r->stored, r->size, new);
	describe_value(s->scene, other->record.stored, r->size, others);
	if (again->record.tid != other->record.tid)
		snprintf(who, sizeof(who), "T%u ", again->record.tid);
	why_say(s,
		"ABA: T%u exchanges %s = %s for %s (%s), as it had read %s (%s). But T%u stored %s in "
		"between (%s), and %s%s again (%s).",
		r->tid, place, old, new, why_at(s, r->pc, at), old,
		why_at(s, read->record.pc, seen), other->record.tid, others,
		why_at(s, other->record.pc, changed), who, old, why_at(s, again->record.pc, back));
	why_say(s,
		"  With a version beside the pointer, which each exchange counts up, it would fail.");
}

void why_aba(struct story *s)
{
	unsigned said = 0;

	for (size_t i = 0; s->bug->nsteps <= STEPS_MOST && i < s->bug->nsteps; i++) {
		const struct step *cas = &s->bug->steps[i], *read, *other, *again;
		char pointer[DESCRIBED_VALUE];

		if (said < SAID_MOST && comes_back(s, i, &read, &other, &again) &&
		    describe_pointer(s->scene, cas->record.value, cas->record.size, pointer)) {
			say_one(s, cas, read, other, again);
			said++;
		}
	}
}
