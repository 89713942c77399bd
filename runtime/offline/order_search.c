/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * order_search.c - the search for a total order, over positions in the lines
 *
 * A state is how far each line has come. The current write of a location and which of its
 * locking readers are still to come follow from that, since no other write may come in
 * between: a location is *locked* while some are. So there are at most n^l states, and each is
 * left at most once: O(l n^(l+1)) (Theorem 1.3 of the PLDI 2023 paper, with l = k).
 *
 * Done at once, without an alternative, because doing them now takes no choice away:
 * reads; writes that nothing to come observes, at a location that is not locked;
 * read-modify-writes that are the last reader the location waits for; and a write whose
 * readers can all follow at once, so that its location is not locked afterwards. What is left
 * to choose is which write with late readers comes next.
 */
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "offline/order_state.h"

struct frame {
	uint32_t done; /* length of the order when the choice is made */
	uint32_t line; /* next one to try */
};

struct search {
	struct order *o;
	struct order_state state;
	uint32_t *previous; /* what was current before each write */
	uint32_t *trail, ntrail;
	struct frame *frames;
	uint32_t nframes, room;
	/* Positions that failed; a table of these (base/table.h), position + 1. */
	uint32_t *failed, *slots, slots_bits;
	size_t nfailed, failed_room;
};

#define MAX_FAILED ((size_t)1 << 30) /* bytes */

/* All that must come before the next item of a line has come. */
static bool enabled(const struct search *s, uint32_t line, uint32_t i)
{
	const struct order *o = s->o;
	const uint32_t *row = o->clock + (size_t)i * o->lines;

	for (uint32_t l = 0; l < o->lines; l++)
		if (l != line && row[l] > s->state.at[l] - o->first[l])
			return false;
	return true;
}

static void perform(struct search *s, uint32_t i)
{
	s->trail[s->ntrail++] = i;
	if (s->o->flags[i] & ITEM_WRITE)
		s->previous[i] = s->state.current[s->o->loc[i]];
	order_perform(&s->state, i);
}

static void undo(struct search *s, uint32_t to)
{
	const struct order *o = s->o;

	while (s->ntrail > to) {
		uint32_t i = s->trail[--s->ntrail];

		s->state.at[o->line[i]]--;
		if (o->flags[i] & ITEM_WRITE)
			s->state.current[o->loc[i]] = s->previous[i];
		if (o->flags[i] & ITEM_LOCKS)
			s->state.remaining[order_source(o, i)]++;
	}
}

static bool at_once(const struct search *s, uint32_t i)
{
	const struct order *o = s->o;

	if (!(o->flags[i] & ITEM_WRITE))
		return true;
	if (!order_unlocked(&s->state, i))
		return false;
	return (o->flags[i] & ITEM_LOCKS) || !s->state.remaining[i];
}

static void perform_at_once(struct search *s)
{
	const struct order *o = s->o;
	bool moved = true;

	while (moved) {
		moved = false;
		for (uint32_t l = 0; l < o->lines; l++)
			for (uint32_t i; (i = s->state.at[l]) < o->first[l + 1] && at_once(s, i) &&
					 enabled(s, l, i);
			     moved = true)
				perform(s, i);
	}
}

/* ---- Positions that failed -------------------------------------------------------------------- */

static uint64_t hash_position(const uint32_t *at, uint32_t n)
{
	uint64_t h = 0;

	for (uint32_t l = 0; l < n; l++)
		h = table_mix(h, at[l]);
	return h;
}

static uint32_t *find_slot(const struct search *s, const uint32_t *at)
{
	uint32_t n = s->o->lines, *slot;

	TABLE_FIND(slot, s->slots, s->slots_bits, hash_position(at, n),
		   !*slot || !memcmp(s->failed + (size_t)(*slot - 1) * n, at, n * sizeof(*at)));
	return slot;
}

static bool has_failed(const struct search *s)
{
	return s->slots && *find_slot(s, s->state.at);
}

static bool remember(struct search *s)
{
	uint32_t n = s->o->lines;

	if (s->nfailed * n * sizeof(*s->failed) > MAX_FAILED)
		return false;
	if (s->nfailed == s->failed_room) {
		s->failed_room = s->failed_room ? s->failed_room * 2 : 256;
		s->failed = offline_grow(s->failed, s->failed_room * n, sizeof(*s->failed));
	}
	if (table_full(s->nfailed, s->slots_bits)) {
		s->slots_bits = table_wider(s->slots_bits, 10);
		free(s->slots);
		s->slots = offline_zeroed(table_slots(s->slots_bits), sizeof(*s->slots));
		for (size_t i = 0; i < s->nfailed; i++)
			*find_slot(s, s->failed + i * n) = (uint32_t)i + 1;
	}
	memcpy(s->failed + s->nfailed * n, s->state.at, n * sizeof(*s->failed));
	s->nfailed++;
	*find_slot(s, s->state.at) = (uint32_t)s->nfailed;
	return true;
}

/* ---- Choices ------------------------------------------------------------------------------------ */

static void push(struct search *s)
{
	if (s->nframes == s->room) {
		s->room = s->room ? s->room * 2 : 256;
		s->frames = offline_grow(s->frames, s->room, sizeof(*s->frames));
	}
	s->frames[s->nframes++] = (struct frame){ s->ntrail, 0 };
	s->o->states++;
}

/* Tries the choices that are left at the last frame; true if one led to another state. */
static bool advance(struct search *s)
{
	const struct order *o = s->o;
	struct frame *f = &s->frames[s->nframes - 1];

	while (f->line < o->lines) {
		uint32_t l = f->line++, i = s->state.at[l];

		if (i == o->first[l + 1] || !(o->flags[i] & ITEM_WRITE) ||
		    !order_unlocked(&s->state, i) || !enabled(s, l, i))
			continue;
		perform(s, i);
		perform_at_once(s);
		if (has_failed(s)) {
			undo(s, f->done);
			continue;
		}
		if (!s->state.remaining[s->state.current[o->loc[i]]])
			f->line = o->lines;
		return true;
	}
	return false;
}

static int run(struct search *s, uint64_t most)
{
	perform_at_once(s);
	push(s);
	while (s->nframes) {
		if (s->ntrail == s->o->n)
			return 1;
		if (advance(s)) {
			push(s);
			continue;
		}
		if (s->o->states > most || !remember(s))
			return -1;
		if (--s->nframes)
			undo(s, s->frames[s->nframes - 1].done);
	}
	return 0;
}

int order_search(struct order *o, uint64_t most)
{
	struct search s = { .o = o };
	int result;

	order_state_init(&s.state, o);
	s.previous = offline_room(o->n, sizeof(*s.previous));
	s.trail = offline_room(o->n, sizeof(*s.trail));
	result = run(&s, most);
	o->found = s.trail;
	order_state_release(&s.state);
	free(s.previous);
	free(s.frames);
	free(s.failed);
	free(s.slots);
	return result;
}
