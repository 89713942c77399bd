/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * driver.c - the root point and the loop over executions
 *
 * The first thread creation is the root point. Main's registers go to its stack, the driver
 * takes over on a stack of its own, captures the image of the program, and then runs
 * execution after execution:
 *
 *	restore the image; engine_begin(); let the first fiber run;
 *	... fibers switch among themselves until one finds the execution over ...
 *	engine_end(); publish the counters
 *
 * Main goes on in each of them as if root_point() had just returned.
 *
 * With the fork back end driver_execution() runs in a child, so all it leaves behind lives in
 * shared memory: the engine, `shared`, and `state`.
 */
#include "preload/loop/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/run/repeat.h"
#include "preload/await/alone.h"
#include "preload/await/follow.h"
#include "preload/await/rounds.h"
#include "preload/await/together.h"
#include "preload/code/modules.h"
#include "preload/core/active.h"
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/own.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sole.h"
#include "preload/core/sys.h"
#include "preload/facts/memo.h"
#include "preload/facts/split_marks.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/fiber/leave.h"
#include "preload/image/blocks.h"
#include "preload/image/snapshot.h"
#include "preload/image/unseen.h"
#include "preload/loop/backend.h"
#include "preload/loop/children.h"
#include "preload/loop/covered.h"
#include "preload/loop/dump.h"
#include "preload/loop/hang.h"
#include "preload/loop/steal.h"
#include "preload/memory/place.h"
#include "preload/report/bug.h"
#include "preload/step/debugger.h"
#include "preload/step/whole.h"

enum {
	DRIVER_STACK = 1 << 20,
	ESTIMATE_AFTER = 1 << 14, /* runs of an exploration: most are over before */
};

LASTING(struct driver_state, state);

uint64_t root_sp;

/* ---- Counters ---------------------------------------------------------------------------- */

static void publish_estimate(void)
{
	const struct engine_estimate *now = engine_estimate(engine);

	/* Numbers to look at, likewise; a page of the mapping is only touched when there are some. */
	if (now && now->descents != shared->estimate.descents)
		shared->estimate = *now;
}

static void publish(void)
{
	const struct engine_stats *s = engine_stats(engine);

	/* relaxed: numbers to look at; PHASE_DONE is released after the last of them */
	atomic_store_explicit(&shared->executions, s->executions, memory_order_relaxed);
	atomic_store_explicit(&shared->blocked, s->blocked, memory_order_relaxed);
	atomic_store_explicit(&shared->wasted, s->wasted, memory_order_relaxed);
	atomic_store_explicit(&shared->events, s->events, memory_order_relaxed);
	atomic_store_explicit(&shared->cut, s->cut, memory_order_relaxed);
	atomic_store_explicit(&shared->strayed, s->strayed, memory_order_relaxed);
	atomic_store_explicit(&shared->restarts, progress->restarts, memory_order_relaxed);
	for (unsigned i = 0; i < STRATEGY_COUNT; i++)
		atomic_store_explicit(&shared->drawn[i], s->drawn[i], memory_order_relaxed);
	publish_estimate();
}

static void phase(enum phase p)
{
	/* release: partner is the controller's acquire */
	atomic_store_explicit(&shared->phase, p, memory_order_release);
}

/*
 * Does what the engine did add up? "No bug" must not mean that something was dropped on the way. (In
 * replays, and where the search ends early, executions are left open.)
 */
static void audit(void)
{
	const struct ledger *l = &engine_stats(engine)->ledger;
	const char *why = ledger_unbalanced(l);

	/* relaxed: ours */
	if (!why && atomic_load_explicit(&shared->exhausted, memory_order_relaxed))
		why = facts->must ? "something was learned and never made use of"
				  : ledger_unfinished(l);
	if (why)
		internal_error("the executions do not add up: ", why, NULL);
	shared->ledger = *l;
	values_count(engine_stats(engine));
}

void driver_finish(void)
{
	if (engine && !state->discarded) {
		publish();
		memo_note();
		if (shared->config.mode != ENGINE_REPLAY)
			audit();
		if (shared->config.mode == ENGINE_ONLINE)
			shared->corpus = *engine_corpus(engine);
	}
	phase(PHASE_DONE);
	children_leave();
}

static heddle_noreturn void finish_unrooted(void)
{
	lifecycle_outset();
	if (!atomic_load_explicit(&shared->nbugs, memory_order_relaxed)) {
		atomic_store_explicit(&shared->exhausted, 1, memory_order_relaxed);
		if (steal_is_first()) {
			atomic_store_explicit(&shared->executions, 1, memory_order_relaxed);
			shared->ledger.begun = shared->ledger.cause[CAUSE_FIRST] =
				shared->ledger.ended[ENDED_COMPLETE] = 1;
			dump_execution(END_COMPLETE);
		}
	}
	driver_finish();
}

static void name_unrooted(void)
{
	leave_unrooted = finish_unrooted;
}

AT_WAKING(name_unrooted);

/* ---- One execution ------------------------------------------------------------------------ */

/* Executions that a limit counts. */
static uint64_t counted(void)
{
	const struct engine_stats *s = engine_stats(engine);

	return s->executions + s->blocked + s->failed + s->cut;
}

/* Is the execution one too many? (Several workers run when the limit is reached.) */
static bool is_beyond_limit(uint64_t counted_before)
{
	if (counted() == counted_before || steal_counts())
		return false;
	bug_drop();
	state->discarded = 1;
	return true;
}

/* What the engine has found out in this execution. */
static void learn_of_engine(unsigned why)
{
	if (why & RESTART_LOCKS)
		fact_learn(FACT_LOCKS_WAIT);
	if (why & RESTART_AWAITS)
		fact_learn(FACT_AWAITS_PLAIN);
	if (why & RESTART_VALUES) {
		values_say_why(engine_why_by_reads(engine));
		fact_learn(FACT_BY_READS);
	}
	if (why & RESTART_MEMO)
		fact_learn(FACT_RUNS_ALWAYS);
}

/* The search starts again with all that is known. True: in this process. */
static bool start_again(void)
{
	dump_forget();
	if (!steal_restart())
		return false;
	facts_use();
	bugs_count_anew();
	covered_forget();
	if (values_equivalence() == EQUIV_RF)
		engine_by_reads_from(engine, lifecycle_reuses_ids);
	if (fact_in_use(FACT_PARTS_IN_ORDER))
		engine_parts_in_order(engine);
	engine_restart(engine);
	reset_anew();
	/* relaxed: likewise one writer; what was not followed comes again */
	atomic_store_explicit(&shared->not_followed, 0, memory_order_relaxed);
	progress->restarts++;
	return true;
}

/*
 * There is no memory for an execution that goes on. An exploration ends there: what is left of it begins with nearly all of that
 * execution, each time a step longer than before, and it would go on so for days. A test makes others.
 */
static bool goes_on_when_full(void)
{
	/* relaxed: the controller looks at it in the end */
	atomic_fetch_or_explicit(&shared->not_followed, CUT_FULL, memory_order_relaxed);
	if (shared->config.mode != ENGINE_EXPLORE)
		return true;
	steal_stop();
	return false;
}

static bool advance(struct engine_outcome *o)
{
	uint64_t counted_before = steal_counted(counted());
	bool more = engine_advance(engine, o);

	if (left == LEAVE_STOP || o->limit)
		return false;
	learn_of_engine(o->restarted);
	if (facts_due(counted_before, more)) {
		if (!start_again())
			return false;
		more = true;
	} else if (o->full && !goes_on_when_full()) {
		return false;
	}
	if (shared->config.workers > 1) /* this one may have to wait now */
		publish();
	more = steal_next(more);
	if (more || !steal_over())
		return more;
	/* What others have found out since this one's last run may be of what it did. */
	facts_look();
	rounds_look_back();
	if (facts_due(counted_before, false))
		return start_again();
	atomic_store_explicit(&shared->exhausted, 1, memory_order_relaxed);
	return false;
}

static bool stop_after_bug(void)
{
	return atomic_load_explicit(&shared->nbugs, memory_order_relaxed) &&
	       !shared->config.keep_going;
}

enum {
	MADE = 4096 /* executions without the program, before it runs again */
};

/* Is another one to be made without the program? */
static bool may_make(void)
{
	/* relaxed: one writer; the controller only watches it grow. And a wish of the controller, nothing else travels with it */
	uint64_t beat = atomic_load_explicit(&shared->heartbeat, memory_order_relaxed) + 1;

	atomic_store_explicit(&shared->heartbeat, beat, memory_order_relaxed);
	return !stop_after_bug() && !atomic_load_explicit(&shared->stop, memory_order_relaxed);
}

bool driver_advance(struct engine_outcome *o)
{
	struct engine_outcome made;
	bool more = advance(o);

	for (uint32_t n = 0; more && n < MADE && may_make(); n++) {
		const uint64_t before = counted();

		facts_look();
		if (!engine_makes(engine, &made))
			break;
		progress->begun++;
		more = !is_beyond_limit(before) && advance(&made);
	}
	return more;
}

/* It is not known whether threads that were stopped in loops ever go on. */
static void decide_alone(struct engine_outcome *o, struct bug_side *sides, uint32_t *waiting)
{
	switch (alone_follow()) {
	case ALONE_LEAVES:
		if (!fact_in_use(FACT_ROUNDS_HIDE) && engine_rounds_may_hide(engine)) {
			if (values_explored())
				values_say_why("others may come to know of rounds of loops");
			fact_learn(values_explored() ? FACT_BY_READS : FACT_ROUNDS_HIDE);
		}
		break;
	case ALONE_STAYS:
		engine_alone_for_ever(engine, o);
		*waiting = hang_sides(sides);
		break;
	case ALONE_UNKNOWN:
		/* relaxed: the controller looks at it in the end */
		atomic_fetch_or_explicit(&shared->not_followed, CUT_WAITS, memory_order_relaxed);
	}
}

/* The same of threads whose rounds cancel out. */
static void decide_together(struct engine_outcome *o, struct bug_side *sides, uint32_t *waiting)
{
	switch (together_follow()) {
	case ALONE_LEAVES:
		o->mutual = false;
		break;
	case ALONE_STAYS:
		engine_alone_for_ever(engine, o);
		*waiting = hang_sides(sides);
		break;
	case ALONE_UNKNOWN:
		break;
	}
}

/* What cannot be seen of this execution. */
static void look_for_unseen(void)
{
	unseen_loaded();
	/* relaxed: one writer; the controller looks at it in the end */
	if (unseen && !atomic_load_explicit(&shared->synchronised, memory_order_relaxed) &&
	    engine_synchronises(engine))
		atomic_store_explicit(&shared->synchronised, 1, memory_order_relaxed);
}

static void finish_execution(void)
{
	static struct bug_side sides[HEDDLE_MAX_THREADS];
	FRESH(sides);
	struct engine_outcome o = { 0 };
	uint32_t waiting = hang_sides(sides), given_up;
	bool doubts = await_doubts();
	uint64_t before = counted();

	lifecycle_end();
	look_for_unseen();
	engine_end(engine, &o);
	if (is_beyond_limit(before))
		return;
	whole_ended(o.unjudged);
	given_up = (engine_gave_up_writes(engine) ? CUT_WINDOW : 0) |
		   (engine_gave_up_fences(engine) ? CUT_FENCES : 0);
	if (given_up)
		/* relaxed: the controller looks at it in the end */
		atomic_fetch_or_explicit(&shared->not_followed, given_up, memory_order_relaxed);
	if (o.unknown && o.ending == END_BLOCKED)
		decide_alone(&o, sides, &waiting);
	if (o.together && o.ending == END_BLOCKED)
		decide_together(&o, sides, &waiting);
	if (o.mutual && o.ending == END_BLOCKED)
		/* relaxed: the controller looks at it in the end */
		atomic_fetch_or_explicit(&shared->not_followed, CUT_CANCELS, memory_order_relaxed);
	if (o.ending == END_FAILED && left == LEAVE_STOP)
		engine_amend(engine, ENDED_STOPPED);
	if (o.ending == END_AWAIT_STUCK && doubts) {
		o.ending = END_BLOCKED;
		engine_amend(engine, ENDED_DOUBTFUL);
		/* relaxed: one writer; the controller looks at it in the end */
		atomic_store_explicit(&shared->doubtful, 1, memory_order_relaxed);
	}
	/* A thread that stopped too early to hear of a signal: in another execution it does. */
	if ((o.ending == END_DEADLOCK || o.ending == END_AWAIT_STUCK) && lifecycle_may_hear) {
		o.ending = END_BLOCKED;
		engine_amend(engine, ENDED_BLOCKED);
	}
	if (o.ending == END_DEADLOCK || o.ending == END_AWAIT_STUCK)
		hang_bug(&o, sides, waiting);
	else if (o.ending == END_WRONG)
		engine_disagrees();
	if (counted() != before || engine_is_descending(engine))
		bug_count();
	bug_release(o.seed);
	dump_execution(o.ending);
	if (left != LEAVE_STOP)
		covered_note(o.ending);
	if (shared->config.mode == ENGINE_ONLINE && shared->config.replay_steps)
		guided_note(o.ending);
	state->more = driver_advance(&o);
}

void driver_execution(void)
{
	int first;

	facts_look();
	progress->begun++;
	progress->number = steal_number() ? steal_number() : progress->begun;
	state->discarded = 0;
	left = LEAVE_OVER;
	engine_begin(engine);
	reset_before();
	lifecycle_begin();
	reset_after();
	fibers[0].self.settled = engine_settled(engine, 0);
	fibers[0].context.sp = root_sp;
	fiber_clear_stack(&fibers[0], root_sp);
	first = engine_next(engine);
	if (first != ENGINE_OVER)
		fiber_run((uint32_t)first);
	if ((split_learning && left != LEAVE_AGAIN && left != LEAVE_STOP) ||
	    (left == LEAVE_OVER && engine_hang_wants_steps(engine))) {
		progress->reruns++;
		engine_rerun(engine);
		left = LEAVE_AGAIN;
	}
	if (left == LEAVE_AGAIN) {
		progress->begun--;
		state->more = !facts_due(0, false) || start_again();
	} else {
		finish_execution();
	}
	if (left == LEAVE_STOP)
		state->more = 0;
	if (!state->discarded)
		publish();
}

/* ---- All of them --------------------------------------------------------------------------- */

static struct value initial_value(void *ctx, uint64_t addr, unsigned size, enum op_kind kind)
{
	(void)ctx;
	return size ? perform_load(addr, size) : lifecycle_initial(addr, kind);
}

/* Memory was given back, or there are more threads. */
static void clocks_moved(void *ctx)
{
	(void)ctx;
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		if (fibers[t].self.clock)
			fibers[t].self.clock = engine_clock(engine, t);
}

/* The same number in each run of this build, for rf-fuzz. */
static uint64_t name_of_code(void *ctx, uint64_t pc)
{
	const struct place p = place_of(pc);
	uint64_t hash = 0xcbf29ce484222325u;

	(void)ctx;
	if (p.kind != PLACE_GLOBAL || p.module >= SHARED_MAX_MODULES)
		return pc;
	for (const char *c = shared->modules[p.module].path; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	return (hash ^ p.offset) * 0x100000001b3u;
}

static void engine_start(void)
{
	const struct shared_config *c = &shared->config;
	struct engine_config config = {
		.mode = c->mode,
		.model = c->model,
		.equivalence = values_equivalence(),
		.seed = c->mode == ENGINE_EXPLORE ? c->seed + c->worker : c->seed,
		.strategy = c->strategy,
		.depth = c->depth,
		.max_executions = c->max_executions,
		.max_events = c->max_events,
		.waiting_locks = fact_in_use(FACT_LOCKS_WAIT),
		.plain_awaits = fact_in_use(FACT_AWAITS_PLAIN),
		.parts_in_order = fact_in_use(FACT_PARTS_IN_ORDER),
		.reuse_threads = lifecycle_reuses_ids && !values_explored(),
		.strays = unseen,
		.memo = memo_is_asked(),
		.memo_bytes = (uint64_t)c->memo_mib << 20,
		.estimate = c->estimate,
		.estimate_after = ESTIMATE_AFTER,
		.names = steal_names(),
		.board = steal_board(),
		.initial = initial_value,
		.behind_rounds = rounds_are_before,
		.code = name_of_code,
		.corpus = &shared->corpus,
		.cell = split_cell,
		.ticks = values_ticks(),
		.window = c->window,
		.window_of_full = CUT_WINDOW_WRITES,
		.moved = clocks_moved,
		.everything = c->dump,
	};
	int err;

	if (config.mode == ENGINE_REPLAY) {
		config.replay_len = c->replay_steps;
		config.replay = bug_take_replay_steps();
		config.go_on = c->races == RACES_ALL ? c->way : 0;
	} else if (c->replay_steps) {
		config.replay_len = c->replay_steps;
		config.replay = bug_take_replay_steps();
	}
	err = engine_init(&engine, (char *)shared + SHARED_ENGINE_AT, SHARED_ENGINE_SIZE, &config);
	if (err == -ENOTSUP)
		refuse("this model or equivalence is not implemented: see heddle explore --help",
		       NULL);
	must(!err);
	shared->engine = (uint64_t)(uintptr_t)engine;
}

/* Will the image be put back in this process? */
static bool keeps_image(void)
{
	const struct shared_config *c = &shared->config;

	return c->stop_at_bug || c->backend == BACKEND_ROLLBACK ||
	       (c->backend == BACKEND_AUTO && !snapshot_is_large());
}

/* How the next execution is to begin, as far as is known what the program does. */
static const struct backend_ops *backend_for(void)
{
	/* A debugger stops in this process, and nothing has to be undone behind the only execution. */
	if (shared->config.stop_at_bug)
		return &backend_rollback;
	if (shared->config.backend == BACKEND_FORK)
		return &backend_fork;
	if (shared->config.backend == BACKEND_ROLLBACK)
		return &backend_rollback;
	if (fact_in_use(FACT_NEEDS_COPY) || !snapshot_kept() || modules_root_in_loader)
		return &backend_fork;
	if (fact_in_use(FACT_NEEDS_CHILD))
		return split_possible() ? &backend_split : &backend_fork;
	return &backend_rollback;
}

/* On the driver's stack, with main stopped in root_point(). */
static void driver_main(void)
{
	const struct backend_ops *be;

	root_sp = fibers[0].context.sp;
	snapshot_capture(root_sp);
	if (keeps_image())
		snapshot_keep();
	steal_root();
	steal_wait();
	facts_begin();
	engine_start();
	/* What code that is not instrumented does is not seen, and depends on who read from whom. */
	if (values_explored() && (unseen || unseen_partly)) {
		values_say_why("not all of its code is instrumented");
		fact_learn(FACT_BY_READS);
	}
	phase(PHASE_RUNNING);
	if (!steal_begin(root_sp)) {
		if (steal_over())
			atomic_store_explicit(&shared->exhausted, 1, memory_order_relaxed);
		driver_finish();
	}
	do {
		be = backend_for();
		atomic_store_explicit(&shared->backend, be->id, memory_order_relaxed);
		state->more = 0;
		be->run();
		if (stop_after_bug()) {
			atomic_store_explicit(&shared->exhausted, 0, memory_order_relaxed);
			break;
		}
		if (atomic_load_explicit(&shared->stop, memory_order_relaxed))
			break;
	} while (state->more);
	driver_finish();
}

extern void *__libc_stack_end; /* of ld.so: where the first thread's stack began */

void root_point(void)
{
	void *stack;

	if (rooted || !shared)
		return;
	sole_check(); /* the engine's memory is shared with the process that made this one */
	lifecycle_outset();
	rooted = true;
	modules_fill();
	stack_init();
	fibers_init();
	fibers[0].tcb = (uint64_t)pthread_self();
	fibers[0].context.fs = fibers[0].tcb;
	if (!main_stack_top) /* a constructor creates a thread: where main() will begin is not known */
		main_stack_top = (uint64_t)(uintptr_t)__libc_stack_end;
	fibers[0].stack_high = main_stack_top;
	fibers[0].stack_low = main_stack_low = main_stack_top - (64ul << 20);
	block_prepare(
		1, blocks_seen->stack_size
			   [1]); /* libc now knows that there are threads, and the image has it */
	lifecycle_root();
	unseen_root();
	atomic_store_explicit(&shared->roots, 1, memory_order_relaxed);
	stack = map_own(DRIVER_STACK);
	context_make(&scheduler, (uint64_t)(uintptr_t)stack + DRIVER_STACK, fibers[0].tcb,
		     driver_main);
	switch_context(&fibers[0].context, &scheduler);
}
