/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * racereport.c - turns a race into a bug with both sides
 *
 * The stacks of a watched place are kept in a small ring, found again by thread, kind of
 * access and place in the code. Only the newest entry that fits is used: for one thread and
 * one place in the code, the shadow knows the newest access as well. What a thread does again from the same place,
 * with the same kilobyte of its stack, is kept once.
 *
 * Callers: shadow_plain.c, shadow_atomic.c, promote.c, the hooks of atomic accesses (watch_access).
 */
#include "preload/report/racereport.h"

#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/core/text.h"
#include "preload/facts/explored_marks.h"
#include "preload/facts/split_marks.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/fiber/stack.h"
#include "preload/memory/origin.h"
#include "preload/memory/place.h"
#include "preload/report/bug.h"
#include "preload/report/report.h"

#include <string.h>

enum {
	RING = 64,
	NEAR = 128 /* words of the program's stack: where it was called from */
};

struct kept {
	uint64_t pc, sp;
	uint32_t tid, words;
	bool is_write, is_atomic;
	uint32_t frames;
	uint64_t frame[SHARED_MAX_FRAMES];
	uint64_t near[NEAR];
};

bool watching;

static struct kept ring[RING];
static uint32_t kept;

static void watch_begin_execution(void)
{
	watching = shared && shared->config.mode == ENGINE_REPLAY &&
		   shared->config.watch.kind != PLACE_UNKNOWN;
	kept = 0;
}

AT_BEGIN(watch_begin_execution);

/* Is [addr, addr + size) within a granule of the watched place? */
static bool watched(uint64_t addr, uint64_t size)
{
	const struct place *w = &shared->config.watch;
	struct place p = place_of(addr);
	uint64_t low, high;

	if (p.kind != w->kind || p.module != w->module || p.thread != w->thread ||
	    p.count != w->count)
		return false;
	/* Offsets grow with the address, but for a stack's they shrink. */
	low = p.kind == PLACE_STACK ? p.offset - size : p.offset;
	high = p.kind == PLACE_STACK ? p.offset : p.offset + size;
	return low <= w->offset + 16 && w->offset <= high + 16;
}

/* Where the program stands, if the hook was entered. */
static void look_near(struct kept *k)
{
	const struct fiber *f = fiber_self();

	k->sp = f->self.entry.sp;
	k->words = k->sp ? (uint32_t)((f->stack_high - k->sp) / sizeof(*k->near)) : 0;
	if (k->words > NEAR)
		k->words = NEAR;
	memcpy(k->near, (const void *)k->sp, k->words * sizeof(*k->near));
}

/* Is it what the newest entry tells, so that a thread in a loop neither takes its stack each time nor takes all the room? */
static bool is_kept(const struct kept *now)
{
	const struct kept *k = &ring[(kept - 1) % RING];

	return kept && now->words && k->words == now->words && k->sp == now->sp &&
	       k->pc == now->pc && k->tid == now->tid && k->is_write == now->is_write &&
	       k->is_atomic == now->is_atomic &&
	       !memcmp(k->near, now->near, now->words * sizeof(*now->near));
}

void watch_access(const struct access *access)
{
	struct kept now = { .pc = access->pc,
			    .tid = current->tid,
			    .is_write = access->is_write,
			    .is_atomic = access->is_atomic };

	if (!watched(access->addr, access->size))
		return;
	look_near(&now);
	if (is_kept(&now))
		return;
	now.frames = stack_take(now.frame, SHARED_MAX_FRAMES);
	ring[kept++ % RING] = now;
}

static void add_stack(struct bug_side *side)
{
	for (uint32_t n = 0; n < RING && n < kept; n++) {
		const struct kept *k = &ring[(kept - 1 - n) % RING];

		if (k->tid != side->thread || k->is_atomic != (side->is_atomic != 0) ||
		    k->pc != side->pc)
			continue;
		side->frames = k->frames;
		memcpy(side->frame, k->frame, k->frames * sizeof(k->frame[0]));
		return;
	}
}

void side_of(struct bug_side *side, const struct access *access)
{
	memset(side, 0, sizeof(*side));
	side->thread = self_id();
	side->is_write = access->is_write;
	side->is_atomic = access->is_atomic;
	side->size = access->size > 255 ? 255 : (uint8_t)access->size;
	side->pc = access->pc;
	if (current)
		side->behind = 1 + engine_step_behind(engine, current->tid, UINT32_MAX);
}

const char *kind_of(bool is_write, bool is_atomic)
{
	if (is_atomic)
		return is_write ? "an atomic write" : "an atomic read";
	return is_write ? "a plain write" : "a plain read";
}

const char *const giving_back[] = { "free()", "operator delete", "operator delete[]" };

static bool same_place(struct place a, const struct place *b)
{
	return a.kind == b->kind && a.module == b->module && a.thread == b->thread &&
	       a.count == b->count && (a.kind == PLACE_UNKNOWN || a.offset == b->offset);
}

/* Is it the one that the trace is of? */
static bool is_the_race(uint64_t addr, const struct bug_side *sides)
{
	const struct race_named *r = &shared->config.race;

	return sides[0].thread == r->thread && sides[1].thread == r->earlier &&
	       same_place(place_of(sides[0].pc), &r->code) && same_place(place_of(addr), &r->place);
}

/* The execution ends with that race, unless it is one to be noted, or one before that of the trace. */
static void end_with(uint64_t addr, const char *message, const struct bug_side *sides,
		     uint32_t nsides)
{
	if (split_learning)
		return; /* its threads may not know of each other */
	if (shared->config.races == RACES_ALL)
		bug_note(BUG_DATA_RACE, addr, message, sides, nsides);
	else if (shared->config.races == RACES_ANY || is_the_race(addr, sides))
		report_bug(BUG_DATA_RACE, addr, message, sides, nsides);
}

/* "a plain write by thread 2 and": what came later, as all of these say it. */
static void add_later(struct text *t, const struct access *access, enum heap_family family)
{
	text_str(t, access->is_free ? giving_back[family]
				    : kind_of(access->is_write, access->is_atomic));
	text_str(t, " by thread ");
	text_int(t, current->tid);
	text_str(t, " and ");
}

/*
 * The bytes were allocated by another thread, and nothing says that this was before: who got the pointer
 * by a relaxed read may find the memory as it was before it was a block.
 */
static void report_race_allocation(const struct access *access, uint64_t addr, uint32_t tid)
{
	static char buf[SHARED_TEXT];
	FRESH(buf);
	static struct bug_side sides[2];
	FRESH(sides);
	struct text t = text_in(buf, sizeof(buf));
	struct heap_block block = { .family = HEAP_C };

	values_give_up("accesses race");
	heap_block_of(addr, &block);
	side_of(&sides[0], access);
	if (access->is_free)
		sides[0].call = (uint8_t)origin_freeing((enum heap_family)block.family);
	origin_of(&sides[1], &block);
	add_later(&t, access, (enum heap_family)block.family);
	text_str(&t, "the allocation of the block by thread ");
	text_int(&t, tid);
	text_str(&t, " are not ordered by happens-before");
	end_with(addr, buf, sides, 2);
}

/* "a plain write by thread 2 and an earlier atomic read by thread 1 are not ordered" */
static void report_race(const struct access *access, uint64_t addr, struct bug_side *sides)
{
	static char buf[SHARED_TEXT];
	FRESH(buf);
	struct text t = text_in(buf, sizeof(buf));
	struct heap_block block = { .family = HEAP_C };
	bool in_heap;

	values_give_up("accesses race");
	in_heap = heap_covers(addr) && heap_block_of(addr, &block);
	if (access->is_free && in_heap)
		sides[0].call = (uint8_t)origin_freeing((enum heap_family)block.family);
	add_later(&t, access, (enum heap_family)block.family);
	text_str(&t, kind_of(sides[1].is_write, sides[1].is_atomic));
	text_str(&t, " by thread ");
	text_int(&t, sides[1].thread);
	text_str(&t, " before it are not ordered by happens-before");
	if (watching)
		add_stack(&sides[1]);
	if (in_heap)
		origin_of(&sides[2], &block);
	end_with(addr, buf, sides, in_heap ? 3 : 2);
}

/* Nothing is there, near the null pointer: each of the two is a fault, before which the access was announced. */
enum {
	NOWHERE = 4096
};

void report_race_plain(const struct access *access, uint64_t granule,
		       const struct race_prior *prior)
{
	static struct bug_side sides[3];
	FRESH(sides);

	if (granule < NOWHERE)
		return;
	if (prior->allocates) {
		report_race_allocation(access, granule + (unsigned)__builtin_ctz(prior->mask),
				       prior->tid);
		return;
	}
	explored_race(access, granule + (unsigned)__builtin_ctz(prior->mask),
		      (unsigned)__builtin_popcount(prior->mask));
	side_of(&sides[0], access);
	memset(&sides[1], 0, sizeof(sides[1]));
	sides[1].thread = prior->tid;
	sides[1].is_write = prior->is_write;
	sides[1].size = (uint8_t)__builtin_popcount(prior->mask);
	sides[1].pc = prior->pc;
	sides[1].behind = 1 + engine_step_behind(engine, prior->tid, prior->clock);
	report_race(access, granule + (unsigned)__builtin_ctz(prior->mask), sides);
}

void report_race_event(const struct access *access, uint64_t addr,
		       const struct engine_step_record *event)
{
	const struct access whole = { .addr = addr, .size = event->size };
	static struct bug_side sides[3];
	FRESH(sides);

	if (!access->is_free)
		explored_race(&whole, addr, event->size);
	side_of(&sides[0], access);
	memset(&sides[1], 0, sizeof(sides[1]));
	sides[1].thread = event->tid;
	sides[1].is_write = (event->flags & STEP_WROTE) != 0;
	sides[1].is_atomic = event->order != ORDER_NA;
	sides[1].size = event->size;
	sides[1].pc = event->pc;
	sides[1].behind = 1 + event->index;
	report_race(access, addr, sides);
}
