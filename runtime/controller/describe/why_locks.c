/* SPDX-License-Identifier: BSD-2-Clause */
/* why_locks.c - see why_story.h: who holds what */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/describe/why_story.h"

enum {
	MOST = 8
};

/* What a thread has taken and not given back. */
struct held {
	const struct step *at[MOST];
	size_t n;
};

bool why_holds_by(const struct engine_step_record *r)
{
	return op_takes_lock(r->kind) && r->flags & STEP_WROTE && r->kind != OP_SEM_WAIT &&
	       r->kind != OP_SEM_TRYWAIT && r->kind != OP_RW_ASK;
}

static void give_back(struct held *held, uint64_t addr)
{
	for (size_t k = held->n; k-- > 0;)
		if (held->at[k]->record.addr == addr) {
			for (held->n--; k < held->n; k++)
				held->at[k] = held->at[k + 1];
			return;
		}
}

/* before: those operations of the thread that have this number or a later one do not count; 0: all do. */
static struct held held_before(const struct finding *bug, uint32_t tid, uint32_t before)
{
	struct held held = { .n = 0 };

	for (size_t i = 0; i < bug->nsteps; i++) {
		const struct step *step = &bug->steps[i];
		const struct engine_step_record *r = &step->record;

		if (r->tid != tid || !step_happened(r) || (before && r->index + 1 >= before))
			continue;
		if (why_holds_by(r) && held.n < MOST)
			held.at[held.n++] = step;
		else if (op_frees_lock(r->kind))
			give_back(&held, r->addr);
	}
	return held;
}

static struct held held_by(const struct finding *bug, const struct side *side)
{
	/* Who waits has done all that there is. */
	return held_before(bug, side->thread, side->behind);
}

/* By which step one holds the lock that the side waits for, or NULL. */
static const struct step *takes(const struct held *held, const struct side *side)
{
	for (size_t k = 0; side->waits.kind && k < held->n; k++)
		if (place_eq(&held->at[k]->place, &side->waits))
			return held->at[k];
	return NULL;
}

/* The side whose end that one waits for; NULL: it waits for something else, or holds what others may wait for. */
static const struct side *awaited(const struct finding *bug, const struct side *side)
{
	if (side->blocked_on != OP_JOIN || held_by(bug, side).n)
		return NULL;
	for (uint32_t i = 0; i < bug->nsides; i++)
		if (bug->sides[i].thread == side->peer)
			return &bug->sides[i];
	return NULL;
}

bool why_only_joins(const struct finding *bug, const struct side *side)
{
	const struct side *of = awaited(bug, side);

	if (bug->kind != BUG_DEADLOCK || bug->lacks_steps || !of)
		return false;
	/* Unless these wait for one another's end. */
	for (uint32_t i = 0; of && i < bug->nsides; i++)
		of = awaited(bug, of);
	return !of;
}

/* The side that holds the lock that one waits for, or NULL. */
static const struct side *holder(const struct story *s, const struct side *side)
{
	for (uint32_t i = 0; i < s->bug->nsides; i++) {
		const struct side *other = &s->bug->sides[i];
		const struct held has = held_by(s->bug, other);

		if (other != side && takes(&has, side))
			return other;
	}
	return NULL;
}

const struct step *why_kept(const struct finding *bug, const struct side *side)
{
	for (size_t i = 0; bug->kind == BUG_DEADLOCK && i < bug->nsteps; i++) {
		const struct engine_step_record *r = &bug->steps[i].record;

		if (r->kind == OP_END && step_happened(r)) {
			const struct held has = held_before(bug, r->tid, 0);
			const struct step *taken = takes(&has, side);

			if (taken)
				return taken;
		}
	}
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(a, b);
}

/*
 * Threads each of which waits for a lock that the next one holds: where all take their locks in one order, nobody waits for one while
 * holding a later one. But here the holder of the last of them does.
 */
void why_lock_order(struct story *s)
{
	char name[MOST][WHY_PLACE], text[MOST * WHY_PLACE];
	size_t n = 0, length = 0;

	for (uint32_t i = 0; i < s->bug->nsides; i++) {
		const struct side *first = &s->bug->sides[i], *side = first;

		n = 0;
		do {
			describe_place(s->scene, &side->waits, name[n++], WHY_PLACE);
			side = holder(s, side);
		} while (side && side != first && n < MOST);
		if (side == first && n > 1)
			break;
		n = 0;
	}
	if (!n)
		return;
	qsort(name, n, sizeof(name[0]), by_name);
	for (size_t i = 0; i < n; i++) {
		/* Of the same name: which is which is not known. */
		if (i && !strcmp(name[i], name[i - 1]))
			return;
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s",
					   i ? ", " : "", name[i]);
	}
	why_say(s,
		"If all threads take these locks in one order (%s), this deadlock is not possible.",
		text);
}

static void tell_kept(struct story *s, const struct side *side)
{
	const struct step *taken = why_kept(s->bug, side);
	char place[WHY_PLACE], site[WHY_PLACE];

	if (!taken)
		return;
	describe_place(s->scene, &taken->place, place, sizeof(place));
	why_say(s, "T%u has ended without giving back %s (taken at %s).", taken->record.tid, place,
		why_at(s, taken->record.pc, site));
}

void why_locks(struct story *s, const struct side *side)
{
	const struct held held = held_by(s->bug, side);
	char text[MOST * 2 * WHY_PLACE] = "no lock", place[WHY_PLACE], site[WHY_PLACE];
	size_t n = 0;

	for (size_t i = 0; i < held.n; i++) {
		describe_place(s->scene, &held.at[i]->place, place, sizeof(place));
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s (taken at %s)",
				      i ? ", " : "", place, why_at(s, held.at[i]->record.pc, site));
	}
	if (side->blocked_on < 0) {
		why_say(s, "T%u holds %s.", side->thread, text);
		return;
	}
	describe_awaited(s->scene, side, place, sizeof(place));
	why_say(s, "T%u holds %s, and waits%s%s at %s.", side->thread, text, *place ? " for " : "",
		place, why_at(s, side->pc, site));
	tell_kept(s, side);
	if (side->blocked_on == OP_COND_WOKEN)
		why_early_signal(s, side);
}
