/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bug.c - bugs and refusals, as the controller gets to see them
 *
 * A bug is written into the next free slot of shared->bugs while its execution still stands,
 * and released (nbugs) after engine_end(), when the seed is known. Steps go to the common
 * step area, each with the place of its address, since places are only known now.
 *
 * Two bugs are the same when kind, message and the code addresses of their first two sides
 * agree; only the first is kept. One that comes behind another one in its execution (keep_going) is only counted,
 * since a replay would end at the other; if it comes first elsewhere, it is kept as well, and its times are added.
 */
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include "preload/code/modules.h"
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/own.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/core/text.h"
#include "preload/core/touch.h"
#include "preload/facts/facts.h"
#include "preload/facts/memo.h"
#include "preload/facts/split_marks.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/fiber/leave.h"
#include "preload/fiber/stack.h"
#include "preload/memory/place.h"
#include "preload/race/memo_shared.h"
#include "preload/report/bug.h"
#include "preload/report/report.h"
#include "preload/report/said.h"
#include "preload/step/debugger.h"
#include "preload/step/perform.h"
#include "preload/step/whole.h"

struct pending {
	uint32_t is;       /* a bug waits for the end of its execution */
	uint64_t identity; /* of the last one, by its kind and calls */
	uint32_t seen;     /* in this execution, which goes on without the thread (keep_going) */
	uint32_t nshown, shown[SHARED_MAX_BUGS]; /* those of this execution */
};
static LASTING(struct pending, pending);

static void forget_seen(void)
{
	pending->seen = 0;
	pending->nshown = 0;
}

AT_BEGIN(forget_seen);

void bug_drop(void)
{
	pending->is = 0;
}

/* ---- Bugs ------------------------------------------------------------------------------------ */

static bool same_bug(const struct bug *a, const struct bug *b)
{
	if (a->kind != b->kind || a->nsides != b->nsides || strcmp(a->message, b->message))
		return false;
	for (uint32_t i = 0; i < a->nsides && i < 2; i++)
		if (a->side[i].pc != b->side[i].pc)
			return false;
	return true;
}

/* It is in this execution: counted if that is, once, however many threads have it. */
static void shows(uint32_t which)
{
	for (uint32_t i = 0; i < pending->nshown; i++)
		if (pending->shown[i] == which)
			return;
	if (pending->nshown < SHARED_MAX_BUGS)
		pending->shown[pending->nshown++] = which;
}

/* behind: another bug of its execution, so that it need not be known but for its count. */
static bool known_bug(const struct bug *b, uint32_t nbugs, bool behind)
{
	for (uint32_t i = 0; i < nbugs; i++) {
		if (!same_bug(&shared->bugs[i], b) || (shared->bugs[i].counted_only && !behind))
			continue;
		shows(i);
		return true;
	}
	return false;
}

void bug_count(void)
{
	for (uint32_t i = 0; i < pending->nshown; i++)
		shared->bugs[pending->shown[i]].times++;
	pending->nshown = 0;
}

static uint64_t identify(const struct bug *b)
{
	uint64_t h = b->kind;

	for (uint32_t i = 0; i < b->nsides && i < 2; i++)
		h = seen_mix(h, b->side[i].pc);
	return h;
}

uint64_t bug_identity(void)
{
	return pending->identity;
}

void bugs_count_anew(void)
{
	/* relaxed: ours */
	uint32_t n = atomic_load_explicit(&shared->nbugs, memory_order_relaxed);

	for (uint32_t i = 0; i < n; i++)
		shared->bugs[i].times = 0;
}

/* Is one known with the same calls, by whatever threads? */
static bool known_calls(enum bug_kind kind, const struct bug_side *sides, uint32_t nsides)
{
	/* relaxed: ours */
	uint32_t n = atomic_load_explicit(&shared->nbugs, memory_order_relaxed);

	for (uint32_t i = 0; i < n; i++) {
		const struct bug *b = &shared->bugs[i];

		if (b->kind == kind && b->nsides == nsides && b->side[0].pc == sides[0].pc &&
		    b->side[1].pc == sides[1].pc)
			return true;
	}
	return false;
}

static bool take_steps(struct bug *b)
{
	uint64_t room = SHARED_STEPS - shared->nsteps;
	uint64_t at = shared->nsteps, n;

	if (!engine)
		return true;
	n = engine_steps(engine, &shared->steps[at], room);
	if (n > room)
		return false;
	for (uint64_t i = at; i < at + n; i++)
		shared->places[i] = place_of(shared->steps[i].addr);
	say_pointers(&shared->steps[at], n);
	b->steps_at = at;
	b->steps = n;
	return true;
}

static void take_bases(struct bug *b)
{
	modules_look();
	for (uint32_t i = 0; i < shared->nmodules && i < SHARED_MAX_MODULES; i++)
		b->base[i] = shared->modules[i].base;
}

static void count_only(struct bug *b, uint32_t n)
{
	take_bases(b);
	b->counted_only = 1;
	shows(n);
	/* release: partner is the controller's acquire */
	atomic_store_explicit(&shared->nbugs, n + 1, memory_order_release);
}

void bug_record(enum bug_kind kind, uint64_t addr, const char *message,
		const struct bug_side *sides, uint32_t nsides)
{
	uint32_t n = atomic_load_explicit(&shared->nbugs, memory_order_relaxed);
	struct bug *b = &shared->bugs[n];
	struct text t;

	if (n >= SHARED_MAX_BUGS) {
		atomic_fetch_add_explicit(&shared->bugs_more, 1, memory_order_relaxed);
		return;
	}
	memset(b, 0, sizeof(*b));
	b->kind = kind;
	t = text_in(b->message, SHARED_TEXT);
	text_str(&t, message);
	b->addr = addr;
	if (addr)
		b->place = place_of(addr);
	b->nsides = nsides < HEDDLE_MAX_THREADS ? nsides : HEDDLE_MAX_THREADS;
	memcpy(b->side, sides, b->nsides * sizeof(*sides));
	for (uint32_t i = 0; i < b->nsides; i++)
		b->side[i].created = stack_of_creation(sides[i].thread, b->side[i].creation);
	b->execution = progress->number ? progress->number : 1;
	pending->identity = identify(b);
	if (known_bug(b, n, pending->seen))
		return;
	if (pending->seen && n) {
		count_only(b, n);
		return;
	}
	if (!take_steps(b)) {
		atomic_fetch_add_explicit(&shared->bugs_more, 1, memory_order_relaxed);
		return;
	}
	shows(n);
	b->facts = facts_in_force();
	b->strategy = engine ? engine_strategy(engine) : shared->config.strategy;
	take_bases(b);
	pending->is = 1;
}

void bug_release(uint64_t seed)
{
	uint32_t n = atomic_load_explicit(&shared->nbugs, memory_order_relaxed);

	if (!pending->is)
		return;
	pending->is = 0;
	shared->bugs[n].seed = seed;
	shared->nsteps += shared->bugs[n].steps;
	/* release: partner is the controller's acquire */
	atomic_store_explicit(&shared->nbugs, n + 1, memory_order_release);
}

/*
 * keep_going: the thread with the bug goes no further, as after a failed assume, but the others
 * do; what they write shows other executions. Not from the handler of a fault, whose stack is
 * not the thread's. And not after a race: which of the two threads it shows in depends on who ran
 * first, and what the other reads, too, so that the execution could not be repeated.
 */
static bool may_go_on(enum bug_kind kind)
{
	return shared->config.mode == ENGINE_EXPLORE && rooted && current && kind != BUG_CRASH &&
	       kind != BUG_DATA_RACE && kind != BUG_USE_AFTER_FREE &&
	       kind != BUG_USE_AFTER_RETURN && kind != BUG_LEAK;
}

/*
 * Is it a matter of what the thread has read, as its next operation would be? Else others decide on it as well, by what they have done there.
 * (engine/memo.txt, K11)
 */
static bool is_its_own(enum bug_kind kind, uint64_t addr)
{
	switch (kind) {
	case BUG_DATA_RACE:
		return false;
	case BUG_USE_AFTER_FREE:
	case BUG_USE_AFTER_RETURN:
	case BUG_DOUBLE_FREE:
	case BUG_INVALID_FREE:
	case BUG_OUT_OF_BOUNDS:
	case BUG_UNINITIALISED_READ:
		return !memo_shares(addr);
	default:
		return true;
	}
}

static heddle_noreturn void block_thread(uint64_t pc, enum block_why why)
{
	struct op op = { .kind = OP_BLOCK, .fn = (uint8_t)why, .pc = pc };
	struct op_result res;

	perform(&op, &res);
	internal_error("a thread goes on after its bug", NULL);
}

static void stop_thread(uint64_t pc, bool its_own)
{
	bug_release(0);
	pending->seen = 1;
	block_thread(pc, its_own ? BLOCK_HAS_BUG : BLOCK_IN_BUG);
}

/*
 * The execution is none (whole.h), so neither is the bug; where what led its thread there is one, others find it. It ends
 * the thread, whatever else there is. But how a thread goes on behind a race, nobody knows.
 */
static heddle_noreturn void is_none(enum bug_kind kind, uint64_t pc)
{
	if (may_go_on(kind))
		block_thread(pc, BLOCK_OTHERWISE);
	current = NULL;
	whole_leave();
}

void bug_note(enum bug_kind kind, uint64_t addr, const char *message, const struct bug_side *sides,
	      uint32_t nsides)
{
	if (known_calls(kind, sides, nsides) || (whole_asked && !whole_so_far()))
		return;
	bug_record(kind, addr, message, sides, nsides);
	bug_release(shared->config.seed);
}

void report_bug(enum bug_kind kind, uint64_t addr, const char *message,
		const struct bug_side *sides, uint32_t nsides)
{
	static struct bug_side copy[HEDDLE_MAX_THREADS];
	FRESH(copy);

	if (!shared)
		sys_exit_group(134); /* a child that runs alone: as abort() ends it */
	lifecycle_hidden();          /* in a probe it is no bug, only a difference */
	if (!rooted)
		lifecycle_outset();
	if (unlikely(split_learning))
		repeat_execution();
	if (unlikely(whole_asked) && rooted && !whole_so_far())
		is_none(kind, nsides ? sides[0].pc : 0);
	/* The race is the bug then, and what came of it may be anything. */
	if (rooted && engine && engine_may_race(engine))
		values_give_up("a bug was found where accesses may race");
	if (rooted && engine && engine_wants_steps(engine))
		repeat_execution();
	if (kind == BUG_ABORT || kind == BUG_ASSERTION)
		progress->ending = SIGABRT;
	nsides = nsides < HEDDLE_MAX_THREADS ? nsides : HEDDLE_MAX_THREADS;
	memcpy(copy, sides, nsides * sizeof(*sides));
	if (nsides && !copy[0].frames)
		copy[0].frames = stack_take(copy[0].frame, SHARED_MAX_FRAMES);
	bug_record(kind, addr, message, copy, nsides);
	debugger_bug(self_id());
	if (!rooted) {
		bug_count();
		bug_release(0);
		leave_unrooted();
	}
	if (shared->config.keep_going && may_go_on(kind))
		stop_thread(nsides ? copy[0].pc : 0, is_its_own(kind, addr));
	if (unlikely(memo_watched) && current)
		memo_has_bug(is_its_own(kind, addr), nsides ? copy[0].pc : 0);
	current = NULL;
	engine_fail(engine);
	leave_execution(LEAVE_FAILED);
}

void report_bug_here(enum bug_kind kind, uint64_t addr, uint64_t pc, const char *message)
{
	static struct bug_side side;
	FRESH(side);

	memset(&side, 0, sizeof(side));
	side.thread = self_id();
	side.pc = pc;
	report_bug(kind, addr, message, &side, 1);
}

const struct engine_step_record *bug_take_replay_steps(void)
{
	uint64_t n = shared->config.replay_steps;
	struct engine_step_record *steps;

	must(n <= SHARED_STEPS);
	steps = map_own((n + 1) * sizeof(*steps));
	memcpy(steps, shared->steps, n * sizeof(*steps));
	shared->nsteps = 0;
	return steps;
}
