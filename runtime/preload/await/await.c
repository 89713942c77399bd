/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * await.c - the redundant-round rule
 *
 * A thread has read v at r2, and r1 is an earlier read of the same location in that thread,
 * which orders no more, with nothing but silent operations between them. If the
 * thread, given v at r1 already, would come to the same next operation in the same state,
 * then the rounds between did nothing, and the thread stops (OP_STUCK instead of its next
 * operation): an execution in which r1 reads v is explored anyway. The rule, whole, and why it loses
 * nothing: await.txt, whose steps are named here.
 *
 * The two runs need not be in one state at once. What a lost round left in a variable that the
 * next one sets before it looks is still there at the operation after r2, and makes them
 * differ. So as long as both runs do the same operations, from r1 with v and from r2 on, each
 * given the same values, they are followed, up to AWAIT_REACH operations further, and the
 * thread stops where their states meet. That is as sound: this execution is then one in which
 * r1 reads v, with the reads and fences from r1 to r2 added, and those did nothing.
 *
 * Here is the bookkeeping: per fiber, the window, the silent operations (loads, fences, failed
 * compare-and-swaps and trylocks, exchanges that stored what they read) since its last operation
 * that was not silent. Plain writes in between are logged with what they overwrote; writes to the
 * thread's own stack need not be, since the stack is compared as a whole. A call with hidden
 * state, code that may enter the kernel (stretch.c), or too many writes empty the window (P5). Where the code
 * may change memory that nobody announces, the exploration starts again, compares all memory, and tries nothing
 * out (FACT_CODE_UNTOLD). Operations that a
 * later one, in the graph already, will make irrelevant are not even noted (self.settled), and
 * where the graph knows the thread's next operation, nothing is to be decided.
 *
 * A thread's stack may hold what others write: a node of a queue lock, an object that a callback is given. Such
 * writes are not what the rounds did, so they are done to the saved states as well, before the thread goes on
 * (probe_catch_up()). Or it would depend on when the others run whether the states are the same, and two
 * workers would count different executions.
 *
 * To probe from r1, its state must have been saved. Saving is kept to the places known to
 * repeat (facts.h). Where threads are known to wait, the engine is told beforehand what they do with
 * each value (await_ask.c).
 *
 * A program that is not instrumented says nothing of its plain writes, nor of its atomics. There a
 * thread's window also ends when memory is another at an operation than it was when the one
 * before was done (unseen.h), nothing is run again, and a thread is only stopped where it has come
 * back to the state that it was in.
 *
 * At random nothing is tried out, and threads are followed only where nothing else happens
 * (quiet.h). Who comes back to where it was stops there, too.
 *
 * Everything here is a function of the thread's own history, so the rule is part of what the
 * thread does, and replays itself.
 *
 * Cost: a few stores per read; a copy of the stack for a read that repeats; a probe, some
 * 100 ns, per new read of a location that was read before.
 */
#include "preload/await/await.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/await/arrival.h"
#include "preload/await/follow.h"
#include "preload/await/quiet.h"
#include "preload/await/rounds.h"
#include "preload/await/silent.h"
#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/facts/facts.h"
#include "preload/image/unseen.h"
#include "preload/memory/place.h"

enum {
	PATIENCE = 64, /* operations in a row that only look, before others go first; */
	MANY = 256,    /* any: where no write is silent (wra), a loop that waits goes on and on */
	ROUNDS = 256 /* windows in a row that are lost, before the thread is not followed further */
};

static bool enabled; /* threads are followed */
static bool at_random;
static bool blind; /* nothing is tried out, since it would not be undone */

bool await_lets_run;

bool await_tries_out(void)
{
	return enabled && !blind;
}

static void forget_all(void)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		await_forget(&fibers[t]);
}

static void settle_all(void)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		await_of[t].settled = await_of[t].lost = await_of[t].timed = 0;
}

static void await_begin(void)
{
	enabled = shared->config.mode == ENGINE_EXPLORE;
	at_random = shared->config.mode == ENGINE_ONLINE;
	unseen_partly |= fact_in_use(FACT_CODE_UNTOLD);
	blind = unseen || at_random || fact_in_use(FACT_MEMORY_UNSEEN) ||
		fact_in_use(FACT_CODE_UNTOLD);
	await_lets_run = at_random;
	quiet_begin();
	rounds_begin();
	forget_all();
	settle_all();
}

AT_BEGIN(await_begin);

/* ---- Behind an operation ----------------------------------------------------------------------- */

/* A hash of memory as if the writes that were announced had not happened. */
static bool hash_but_log(struct await *a, uint64_t *hash)
{
	static char now[LOG_BYTES];
	FRESH(now);
	const struct write_log *log = &a->log;
	bool ok;

	for (uint32_t i = 0; i < log->n; i++)
		memcpy(now + log->write[i].at, (void *)log->write[i].addr, log->write[i].size);
	log_undo(log, 0);
	ok = unseen_hash(hash);
	for (uint32_t i = 0; i < log->n; i++)
		memcpy((void *)log->write[i].addr, now + log->write[i].at, log->write[i].size);
	return ok;
}

/* Memory as the thread finds it when it goes on. */
static void look_at_memory(struct fiber *f, struct await *a, uint64_t *also)
{
	if (!hash_but_log(a, &a->memory))
		await_lose_window(f);
	*also = a->memory;
}

/* At random threads are followed while nothing else happens. */
static void follow_quiet(bool silent)
{
	bool was = enabled;

	enabled = quiet_after(silent);
	if (was == enabled)
		return;
	await_lets_run = !enabled;
	engine_let_go(engine, enabled);
	forget_all();
}

/* Does the silent operation, which stores if `wrote`, hand on what its thread did before? (L2) */
static bool releases(const struct await *a, const struct op *op, bool wrote)
{
	return wrote && (a->fenced || op->order >= ORDER_REL);
}

/* For the state at an operation, because of those that are saved already. */
static void no_room(const struct fiber *f, const struct await *a)
{
	for (uint32_t i = 0; i < f->self.window; i++)
		if (a->ops[i].saved)
			fact_takes_room(a->ops[i].op.pc);
}

void await_after(const struct op *op, const struct op_result *res, uint32_t parts)
{
	struct fiber *f = fiber_self();
	struct await *a = &await_of[f->self.tid];
	struct await_op *r;

	if (at_random)
		follow_quiet(op->kind == OP_YIELD || is_silent(op, res));
	if (!enabled)
		return;
	if (a->settled < f->self.settled)
		a->settled = f->self.settled;
	if (op->kind != OP_YIELD && !is_silent(op, res)) {
		a->settled = engine_done(engine, f->self.tid);
		a->lost = a->timed = 0;
	}
	if (unlikely(a->nforeign))
		probe_catch_up(f, a);
	if (unlikely(a->open) && op->kind != OP_YIELD)
		told_close(a, op);
	if (op->kind == OP_YIELD) {
		if (unseen_partly && f->self.window)
			look_at_memory(f, a, &a->memory); /* others may have been there */
		return;
	}
	if (!is_silent(op, res)) {
		await_forget(f);
		return;
	}
	if (f->self.window && !a->kept && fact_in_use(FACT_KEPT_ROUNDS))
		twins_find_kept(f, a, op);
	if (f->self.window == AWAIT_OPS)
		await_make_room(f);
	r = &a->ops[f->self.window];
	r->reads = op->kind != OP_FENCE && op->kind != OP_CHOOSE && op->kind != OP_PAUSE &&
		   !(op->kind == OP_LOAD && op->order == ORDER_NA);
	if (!r->reads && !f->self.window)
		return;
	a->fenced |= op->kind == OP_FENCE && op->order >= ORDER_REL;
	a->released |= releases(a, op, res->wrote);
	f->self.touch = a->touch + 1;
	r->op = *op;
	r->value = res->value;
	r->parts = parts;
	r->writes = a->log.n;
	r->behind = engine_done(engine, f->self.tid);
	r->saved = false;
	r->others = 0;
	r->asked = false;
	if (r->reads && (at_random || fact_saves_at(op->pc)))
		probe_save(a, r);
	if (unlikely(facts->eager) && r->reads && !r->saved)
		no_room(f, a);
	r->stretch = STRETCH_TOLD;
	if (a->arena_used && !unseen) /* else nothing of the window is a round yet */
		told_open(a, r);
	f->self.window++;
	if (unseen_partly)
		look_at_memory(f, a, &r->memory);
}

void await_arrives(void)
{
	struct fiber *f = fiber_self();
	struct await *a = &await_of[f->self.tid];
	uint64_t memory;

	memory_moves(); /* it has, since */
	if (f->self.window && !f->self.probing &&
	    (!hash_but_log(a, &memory) || memory != a->memory))
		await_lose_window(f);
}

bool await_doubts(void)
{
	bool asked = false, same = false;
	uint64_t memory = 0;
	struct op op;

	if (!unseen || !(enabled || at_random))
		return false;
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		const struct await *a = &await_of[t];

		if (!fibers[t].alive || !engine_waiting(engine, t, &op) || op.kind != OP_STUCK)
			continue;
		if (!asked)
			same = unseen_hash(&memory);
		asked = true;
		if (!same || a->doubtful || a->memory != memory)
			return true;
	}
	return false;
}

/* ---- Before an operation ------------------------------------------------------------------------ */

/* Is the round from r1 to r2 one that the thread does again and again, as it is? */
static bool same_round(const struct await *a, uint32_t r1, uint32_t r2, uint32_t n)
{
	if (!r1 && a->passed.ops && r2 + 1 < n)
		return false; /* what came behind r1 is not there any more */
	for (; r2 < n; r1++, r2++)
		if (!value_eq(a->ops[r1].value, a->ops[r2].value))
			return false;
	return true;
}

/*
 * Was memory the same all through the last operations? Then a thread that looked at it, too, has
 * seen in them what is there now.
 */
static bool saw_one_memory(const struct await *a, uint32_t n, uint32_t round)
{
	for (uint32_t i = n > round ? n - round : 0; i < n; i++)
		if (a->ops[i].memory != a->memory)
			return false;
	return true;
}

/* How many operations of the engine are that round's, which ends with the window? */
static uint32_t last_round(const struct await *a, uint32_t r1, uint32_t r2, uint32_t n)
{
	return await_parts(a, r1, n) - await_parts(a, r1, r1 + n - r2);
}

/* round: how many operations of the engine it would do again and again; 0: none. */
static const struct op *stop(struct await *a, const struct op *op, uint32_t round)
{
	a->doubtful = unseen && !saw_one_memory(a, fiber_self()->self.window, round);
	/* Where it would go on, which is what a replay finds it at. */
	a->stuck = a->before = *op;
	a->stuck.kind = OP_STUCK;
	a->stuck.fn = STUCK_ROUND;
	a->stuck.peer = round;
	return &a->stuck;
}

/* A read after which a thread was stopped. */
static void site_waits(const struct op *op)
{
	if (may_be_await(op) && !at_random)
		fact_learn_at(FACT_WAITS, op->pc);
}

/* Is a thread aside that may do something else yet? */
static bool others_may_act(void)
{
	struct op op;

	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		if (fibers[t].alive && engine_waiting(engine, t, &op) && op.kind == OP_YIELD &&
		    op.fn != YIELD_BACK)
			return true;
	return false;
}

/*
 * At random others may be about to change something, after long work. Returns false when all had
 * their turn already.
 */
static bool lets_others_go(struct await *a)
{
	if (a->let_go_first && !others_may_act())
		return false;
	a->let_go_first = true; /* until the window is emptied, since something happened */
	return true;
}

static const struct op *yield_first(struct await *a, const struct op *op, enum yield_state how)
{
	a->yield = (struct op){ .kind = OP_YIELD, .fn = how, .pc = op->pc };
	return &a->yield;
}

/* Has the thread come back to where it was already? Then it only waits. Returns what it does instead of op. */
static const struct op *came_back(struct fiber *f, struct await *a, const struct op *op)
{
	uint64_t unsaved;
	uint32_t n = f->self.window, to = probe_came_back(a, op, &unsaved), r;

	if (unsaved && !at_random)
		fact_found_at(FACT_REPEATS, unsaved);
	if (to == NO_TWIN || !told_since(a, to) || !twins_may_go(a, to, n, n))
		return NULL;
	if (at_random && lets_others_go(a))
		return yield_first(a, op, YIELD_BACK);
	for (r = n - 1; !a->ops[r].reads;) /* `to` does */
		r--;
	site_waits(&a->ops[r].op);
	return stop(a, op, await_parts(a, to, n));
}

const struct op *await_patience(const struct op *op)
{
	const struct fiber *f = fiber_self();
	struct await *a = &await_of[f->self.tid];
	uint32_t n;

	if (!enabled || at_random || op->kind == OP_YIELD || engine_known(engine, f->self.tid))
		return NULL;
	n = engine_done(engine, f->self.tid);
	return n && (n % MANY == 0 || (n > a->settled && (n - a->settled) % PATIENCE == 0))
		       ? yield_first(a, op, YIELD_ASIDE)
		       : NULL;
}

void await_asks_time(void)
{
	if (current && !current->probing)
		await_of[current->tid].timed++;
}

const struct op *await_before(const struct op *op)
{
	struct fiber *f = fiber_self();
	struct await *a = &await_of[f->self.tid];
	const struct op *instead;
	uint32_t n, r1;

	if (a->lost > ROUNDS && enabled && !at_random && op->kind != OP_YIELD &&
	    !engine_fixes(engine, f->self.tid)) {
		/* relaxed: one writer; the controller looks at it in the end */
		atomic_fetch_or_explicit(&shared->not_followed,
					 CUT_ROUNDS | (a->timed >= ROUNDS ? CUT_TIME : 0),
					 memory_order_relaxed);
		return stop(a, op, 0);
	}
	if (op->kind == OP_YIELD || op->kind == OP_STUCK || engine_known(engine, f->self.tid))
		return op;
	if (unlikely(a->open))
		told_close(a, op);
	n = f->self.window;
	if (!n)
		return op;
	instead = came_back(f, a, op);
	if (instead)
		return instead;
	for (uint32_t r2 = n; !blind && r2-- > 1 && n - r2 <= AWAIT_REACH + 1;) {
		r1 = twins_try(a, r2, n, op);
		if (r1 == r2)
			continue;
		if (r2 + 1 == n)
			site_waits(&a->ops[r2].op);
		return stop(a, op, same_round(a, r1, r2, n) ? last_round(a, r1, r2, n) : 0);
	}
	return op;
}

/* ---- What the rest rests on -------------------------------------------------------------------- */

bool await_own(uint64_t addr)
{
	const struct fiber *f = fiber_self();

	return addr >= f->stack_low && addr < f->stack_high && !fact_in_use(FACT_STACKS_SHARED);
}

void await_foreign_write(uint64_t addr, uint64_t size, bool is_atomic)
{
	struct await *a;
	struct place p;

	if (!enabled || current->probing || !place_on_stack(addr, &p) || p.thread == current->tid)
		return;
	a = &await_of[p.thread];
	if (fibers[p.thread].self.window) {
		if (a->nforeign == AWAIT_FOREIGN) /* which happened, so only this one is missing */
			probe_catch_up(&fibers[p.thread], a);
		a->foreign[a->nforeign].addr = addr;
		a->foreign[a->nforeign++].size = size;
	}
	if (!is_atomic && !at_random)
		fact_learn(FACT_STACKS_SHARED); /* what was told of awaits may be wrong */
}

/* ---- Plain writes ----------------------------------------------------------------------------------- */

void await_plain_write(uint64_t addr, uint64_t size)
{
	struct fiber *f = fiber_self();
	struct await *a = &await_of[f->self.tid];

	if (addr >= f->stack_low && addr < f->stack_high) {
		if (f->self.probing)
			probe_own_write(addr, size);
		if (rounds_counted && !f->self.probing)
			rounds_touch(addr, size, true);
		return;
	}
	if (f->self.probing) {
		probe_write(addr, size, false);
		return;
	}
	if (!log_add(&a->log, addr, size))
		await_lose_window(f);
	else if (rounds_counted)
		rounds_touch(addr, size, true);
}

void await_shows(uint64_t addr, uint64_t size)
{
	struct fiber *f = fiber_self();
	struct write_log *log = &await_of[f->self.tid].log;

	if (addr >= f->stack_low && addr < f->stack_high)
		return;
	if (f->self.probing)
		probe_write(addr, size, true);
	else if (unseen_partly && f->self.window && log_add(log, addr, size))
		log->write[log->n - 1].shows = true;
}

void await_hidden_state(void)
{
	if (current->probing)
		probe_differs();
	if (current->window)
		await_lose_window(fiber_self());
}

AT_HIDDEN(await_hidden_state);
