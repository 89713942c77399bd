/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * beside.c - see beside.h
 *
 * An access that says nothing which another one in the list does not say is left out: one of the same thread and kind, to no other bytes, where fewer
 * threads may have been beside it.
 *
 * Cost: one visit of the list, which has few entries for each thread.
 */
#include "preload/race/beside.h"

#include "base/table.h"
#include "engine/engine.h"
#include "preload/core/lifecycle.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/facts/explored_marks.h"
#include "preload/facts/memo.h"
#include "preload/facts/values.h"
#include "preload/race/race.h"

enum {
	BITS = 16,
	MOST = 1 << 17,   /* accesses */
	LONGEST = 256,    /* of a granule */
	LARGEST = 1 << 16 /* block */
};

static struct beside {
	struct engine_place there;
	uint32_t next;
	uint8_t tid, mask, how; /* enum beside_how */
} * entries;
KEPT(entries);
static uint32_t nentries; /* the first is none */
KEPT(nentries);

static struct beside_list {
	uint64_t key;   /* the granule, and 1; 0: free */
	uint32_t first; /* 0: none */
} * lists;
KEPT(lists);
static uint32_t nlists;
KEPT(nlists);

static bool is_event(uint8_t how)
{
	return how == BESIDE_LOOKS || how == BESIDE_OPERATES;
}

static bool writes(uint8_t how)
{
	return how == BESIDE_WRITES || how == BESIDE_HOLDS || how == BESIDE_OPERATES;
}

/* Its bytes where it is none of the events. What is an event by now counts as one (M1), but that a block is freed never is. */
static uint8_t bytes_of(const struct beside *x, uint8_t explored)
{
	return x->how == BESIDE_READS || x->how == BESIDE_WRITES ? x->mask & (uint8_t)~explored
								 : x->mask;
}

static bool clash(const struct beside *x, const struct beside *y, uint8_t explored)
{
	return x->tid != y->tid && (bytes_of(x, explored) & bytes_of(y, explored)) &&
	       (writes(x->how) || writes(y->how)) && !(is_event(x->how) && is_event(y->how)) &&
	       !engine_is_apart(engine, x->tid, &x->there, y->tid) &&
	       !engine_is_apart(engine, y->tid, &y->there, x->tid);
}

/* Is all that x may be beside what y may be beside? */
static bool says_no_more(const struct beside *x, const struct beside *y)
{
	return x->tid == y->tid && x->how == y->how && !(x->mask & ~y->mask) &&
	       x->there.created <= y->there.created && !(y->there.over & ~x->there.over);
}

/* In place of what it says as well, or as one more. */
static bool add(uint32_t *list, const struct beside *x)
{
	for (uint32_t i = *list; i; i = entries[i].next)
		if (says_no_more(&entries[i], x)) {
			const uint32_t next = entries[i].next;

			entries[i] = *x;
			entries[i].next = next;
			return true;
		}
	if (nentries == MOST)
		return false;
	entries[nentries] = *x;
	entries[nentries].next = *list;
	*list = nentries++;
	return true;
}

/* The list of the granule; NULL: there is no room. */
static uint32_t *list_of(uint64_t granule)
{
	const uint64_t key = granule | 1;
	struct beside_list *l;

	if (!lists) {
		lists = map_own(sizeof(*lists) << BITS);
		entries = map_own(MOST * sizeof(*entries));
		nentries = 1;
	}
	TABLE_FIND(l, lists, BITS, table_hash(key), !l->key || l->key == key);
	if (!l->key && table_full(nlists, BITS))
		return NULL;
	nlists += !l->key;
	l->key = key;
	return &l->first;
}

/* False: it may be beside what another thread does there, in this execution or in another one; or there is no room to know. */
static bool note(uint64_t granule, const struct beside *x)
{
	const uint8_t explored = explored_any ? explored_bytes(granule) : 0;
	uint32_t *list = list_of(granule), n = 0;
	bool is_known = false;

	for (uint32_t i = list ? *list : 0; i; i = entries[i].next) {
		if (n++ == LONGEST || clash(x, &entries[i], explored))
			return false;
		is_known |= says_no_more(x, &entries[i]);
	}
	return is_known || (list && add(list, x));
}

static void note_at(uint64_t granule, const struct beside *x)
{
	if (!note(granule, x))
		memo_give_up("threads access memory plainly that others may change meanwhile");
}

void beside_note(uint64_t granule, uint8_t mask, enum beside_how how)
{
	note_at(granule, &(struct beside){ .there = engine_place(engine, current->tid),
					   .tid = (uint8_t)current->tid,
					   .mask = mask,
					   .how = (uint8_t)how });
}

void beside_holds(uint64_t addr, uint64_t size)
{
	if (size > LARGEST)
		memo_give_up("a block is large");
	for (uint64_t a = addr & ~7ul; memo_watched && a < addr + size; a += 8)
		beside_note(a, race_bytes(a, addr, addr + size), BESIDE_HOLDS);
}

void beside_round(uint64_t granule, uint8_t mask, bool is_write, bool is_plain, uint32_t tid)
{
	/* Where the thread was: anywhere. Another worker may tell, and what was told once is not told again elsewhere. */
	const struct beside x = { .there = { .created = UINT32_MAX },
				  .tid = (uint8_t)tid,
				  .mask = mask,
				  .how = !is_plain  ? BESIDE_LOOKS
					 : is_write ? BESIDE_WRITES
						    : BESIDE_READS };

	if (values_explored() && memo_is_asked())
		note_at(granule, &x);
}
