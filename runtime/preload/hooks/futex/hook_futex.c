/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_futex.c - futexes, as syscall(SYS_futex, ...) asks for them
 *
 * FUTEX_WAIT looks at the word and goes to sleep in one step, as far as futex operations on the
 * word go. Here that is a choice (OP_CHOOSE) and what follows from it:
 *
 *	it does not sleep	the word is read. Another value than expected: EAGAIN. The
 *				expected one: ETIMEDOUT in a timed wait, else no such execution
 *	it sleeps		the queue is read, the word, and then the thread enters the queue
 *				(OP_FUTEX_LOOK, OP_FUTEX_WAIT), all in one step. If the word is not
 *				what was expected, there is no such execution; else it
 *				sleeps until it is taken out (OP_COND_WOKEN)
 *
 * Operations on a queue are in one order. Whoever changes the word and then wakes comes before the
 * sleeper in it, who then reads the change, or behind, and finds the sleeper: no wake-up is lost
 * that the kernel would not lose. A wait that times out never enters the queue: whoever picks
 * others out of it does what it could do had it not been there.
 *
 * Random testing makes no such choices that come to nothing: comes_to_nothing(), takes_itself_out().
 *
 * There are no spurious wake-ups. Whom FUTEX_WAKE wakes is the engine's choice.
 *
 * A queue is named by the address of its word. Words between which FUTEX_REQUEUE has moved
 * threads share one; that is found out on the way, and the exploration starts again. Where
 * nothing can be found out (random testing, replays) all words share one.
 *
 * A program with operations that change words is explored in another way: see futex_table.c.
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "engine/engine.h"
#include "preload/access/parts.h"
#include "preload/code/modules.h"
#include "preload/core/context.h"
#include "preload/core/refuse.h"
#include "preload/core/touch.h"
#include "preload/facts/facts.h"
#include "preload/facts/split_marks.h"
#include "preload/fiber/leave.h"
#include "preload/hooks/futex/futex.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/world/time.h"
#include "preload/hooks/world/timeout.h"
#include "preload/image/unseen.h"
#include "preload/report/racereport.h"
#include "preload/step/perform.h"

/* ---- Queues ------------------------------------------------------------------------------- */

static char futex_queues; /* its address names the queue of all words with moves */

static uint64_t queue_of(const uint32_t *word)
{
	uint64_t name = (uint64_t)(uintptr_t)word;

	if (shared->config.mode == ENGINE_EXPLORE && !fact_used_at(FACT_QUEUE, name))
		return name;
	return (uint64_t)(uintptr_t)&futex_queues;
}

static void share_queue(const uint32_t *a, const uint32_t *b)
{
	if (queue_of(a) == queue_of(b))
		return;
	fact_learn_at(FACT_QUEUE, (uint64_t)(uintptr_t)a);
	fact_learn_at(FACT_QUEUE, (uint64_t)(uintptr_t)b);
	repeat_execution();
}

static struct op_result queue_op(struct op op)
{
	struct op_result res;

	operate(&op, &res);
	return res;
}

/* ---- Words that change behind our back ------------------------------------------------------ */

bool futex_hidden(const uint32_t *word, uint64_t pc)
{
	return unseen || (!memory_from_program(pc) && !shadow_location_of((uintptr_t)word).size);
}

/* ---- Waiting ------------------------------------------------------------------------------- */

/* Before the word is looked at, since nothing may come between that and the read of it. */
static void announce_word(const struct futex_wait *w)
{
	struct op op = { .size = sizeof(*w->word), .addr = (uintptr_t)w->word, .pc = w->pc };

	settle();
	if (unlikely(may_be_on_stack(op.addr)))
		promote_unannounced(&op);
}

static uint32_t read_word(const struct futex_wait *w, enum load_how how)
{
	struct op op = { .kind = OP_LOAD,
			 .order = ORDER_RLX,
			 .fn = how,
			 .expected = value_of(how ? w->expected : 0),
			 .size = sizeof(*w->word),
			 .addr = (uintptr_t)w->word,
			 .pc = w->pc };
	struct shadow_cell *cell = NULL;
	struct access access = { .addr = op.addr, .size = op.size, .pc = op.pc, .is_atomic = true };
	struct op_result res;

	settle();
	if (!current->probing)
		cell = shadow_atomic_begin(&op, op.addr, op.size);
	if (cell == SHADOW_PARTS && split_learning)
		repeat_execution();
	if (cell == SHADOW_PARTS) {
		parts_op(&op, &res);
		return (uint32_t)res.value.lo;
	}
	perform(&op, &res);
	if (cell)
		shadow_atomic_end(cell, &op, op.addr, op.size, false);
	if (unlikely(watching))
		watch_access(&access);
	return (uint32_t)res.value.lo;
}

/* There is no such execution. */
static void never(const struct futex_wait *w)
{
	queue_op((struct op){ .kind = OP_BLOCK, .pc = w->pc });
}

/* For random testing: the way that the word speaks for; 2 is either. */
static uint64_t likely_way(const struct futex_wait *w)
{
	if (shared->config.mode != ENGINE_ONLINE || (*w->word == w->expected && w->until))
		return 2;
	return *w->word == w->expected;
}

static bool sleeps(const struct futex_wait *w)
{
	struct op op = { .kind = OP_CHOOSE,
			 .fn = CHOOSE_SLEEPS,
			 .peer = 2,
			 .arg = value_of(likely_way(w)),
			 .pc = w->pc };

	return queue_op(op).value.lo;
}

/*
 * What was chosen is not what came about. To an exploration that is no execution, for another
 * choice leads to the one it looks like. Random testing chooses once: the thread does what fits
 * what it found. A replay does as was recorded.
 */
static bool comes_to_nothing(const struct futex_wait *w)
{
	if (shared->config.mode == ENGINE_ONLINE)
		return false;
	if (shared->config.mode == ENGINE_REPLAY &&
	    !engine_recorded(engine, current->tid, OP_BLOCK))
		return false;
	never(w);
	return true;
}

/* Reads the queue, and the word behind that; false: it is not as expected. */
static bool look(const struct futex_wait *w)
{
	queue_op((struct op){ .kind = OP_FUTEX_LOOK, .addr = queue_of(w->word), .pc = w->pc });
	return read_word(w, LOAD_OF_FUTEX) == w->expected || comes_to_nothing(w);
}

/* Until its time was over. Timers that ring meanwhile do so before the next hook. */
static void waited(const struct futex_wait *w)
{
	time_passes(time_end_ns(w->until, w->absolute, w->clock), w->pc);
	time_waited(w->until, w->absolute, w->clock);
}

/* True if the thread has its answer: in *result, the error. */
static bool stays_awake(const struct futex_wait *w, int *result)
{
	const enum load_how how = w->until ? 0 : LOAD_CHANGED;

	*result = read_word(w, how) == w->expected ? ETIMEDOUT : EAGAIN;
	if (*result == EAGAIN)
		return true;
	if (!w->until)
		return comes_to_nothing(w);
	waited(w);
	timed_out(w->clock, NULL, w->pc);
	return true;
}

/*
 * For a hidden word. True if the thread has its answer: in *result, the error.
 */
static bool stays_awake_unseen(const struct futex_wait *w, int *result)
{
	*result = ETIMEDOUT;
	if (w->until && *w->word == w->expected && !sleeps(w)) {
		waited(w);
		return true;
	}
	*result = EAGAIN;
	queue_op((struct op){ .kind = OP_FUTEX_LOOK, .addr = queue_of(w->word), .pc = w->pc });
	return *w->word != w->expected;
}

/*
 * A timed wait that nobody ends is no execution either, since another choice times out at once.
 * In random testing the thread takes itself out of the queue instead, or finds that it was
 * taken out.
 */
static bool takes_itself_out(const struct futex_wait *w)
{
	if (!w->until || shared->config.mode == ENGINE_EXPLORE)
		return false;
	return shared->config.mode == ENGINE_ONLINE ||
	       engine_recorded_rather(engine, current->tid, OP_COND_LEAVE, OP_COND_WOKEN);
}

static long wait_under_engine(const struct futex_wait *w);

/* A signal comes. out: it has taken itself out of the queue; else it was woken before. */
static long is_interrupted(const struct futex_wait *w, bool out)
{
	if (out)
		return interrupt_ends(-1, EINTR, true, w->pc) ? wait_under_engine(w)
							      : futex_fails(EINTR);
	interrupt_too_early(w->pc);
	return 0;
}

static long sleep_in(uint64_t queue, const struct futex_wait *w)
{
	struct op wake = { .kind = OP_COND_WOKEN,
			   .addr = queue,
			   .fn = WOKEN_OR_ENDED,
			   .peer = w->until != NULL,
			   .expected = value_of((uintptr_t)w->word),
			   .pc = w->pc };
	struct op leave = { .kind = OP_COND_LEAVE, .addr = queue, .pc = w->pc };
	bool out;

	queue_op((struct op){
		.kind = OP_FUTEX_WAIT,
		.addr = queue,
		.arg = { .lo = futex_name(w->word, w->op), .hi = w->bits },
		.pc = w->pc,
	});
	if (interrupt_comes(w->pc))
		return is_interrupted(w, queue_op(leave).wrote);
	if (takes_itself_out(w))
		wake = leave;
	out = queue_op(wake).wrote;
	if (interrupt_left())
		return is_interrupted(w, out);
	if (!out || wake.kind != OP_COND_LEAVE)
		return 0;
	waited(w);
	timed_out(w->clock, NULL, w->pc);
	return futex_fails(ETIMEDOUT);
}

static long wait_under_engine(const struct futex_wait *w)
{
	int result;

	if (futex_by_table())
		return futex_answers(futex_table_wait(w));
	if (futex_hidden(w->word, w->pc)) {
		if (stays_awake_unseen(w, &result))
			return futex_fails(result);
	} else {
		announce_word(w);
		if (!sleeps(w) && stays_awake(w, &result))
			return futex_fails(result);
		if (!look(w))
			return futex_fails(EAGAIN);
	}
	return sleep_in(queue_of(w->word), w);
}

static long wait_alone(const struct futex_wait *w)
{
	uint64_t end = w->until ? time_end_ns(w->until, w->absolute, w->clock) : TIME_FOR_EVER;
	enum time_ring ring;

	do {
		if (*w->word != w->expected)
			return futex_fails(EAGAIN);
		ring = time_rings(end, w->pc);
	} while (ring == RING_RESTARTS);
	if (ring == RING_ENDS)
		return futex_fails(EINTR);
	if (!w->until)
		report_bug_here(BUG_DEADLOCK, (uintptr_t)w->word, w->pc,
				"the only thread waits for a futex");
	waited(w);
	timed_out(w->clock, NULL, w->pc);
	return futex_fails(ETIMEDOUT);
}

static long futex_wait(const struct futex_wait *w)
{
	if ((uintptr_t)w->word % sizeof(*w->word))
		return futex_fails(EINVAL);
	if (w->until) {
		if (!memory_readable(w->until, sizeof(*w->until)))
			return futex_fails(EFAULT);
		if (!time_valid(w->until))
			return futex_fails(EINVAL);
	}
	if (!w->bits)
		return futex_fails(EINVAL);
	if (!memory_readable(w->word, sizeof(*w->word)) || !futex_is_there(w->word, w->op))
		return futex_fails(EFAULT);
	return under_engine() ? wait_under_engine(w) : wait_alone(w);
}

/* ---- Waking and moving ----------------------------------------------------------------------- */

static long futex_wake(uint32_t *word, int command, int n, uint32_t bits, uint64_t pc)
{
	struct op op = { .kind = OP_FUTEX_WAKE, .peer = n < 1 ? 1 : (uint32_t)n, .pc = pc };
	struct op_result res;

	if ((uintptr_t)word % sizeof(*word) || !bits)
		return futex_fails(EINVAL);
	if (!futex_is_there(word, command))
		return futex_fails(EFAULT);
	if (!under_engine())
		return 0;
	if (futex_by_table())
		return futex_answers(
			futex_table_wake(futex_name(word, command), op.peer, bits, pc));
	op.addr = queue_of(word);
	op.arg = (struct value){ .lo = futex_name(word, command), .hi = bits };
	res = queue_op(op);
	return engine_wakes(engine, res.value, res.stored).woken;
}

/* Before threads are moved; false: the word is not as expected. See wait_under_engine(). */
static bool compare_first(const struct futex_requeue *r)
{
	struct futex_wait w = { .word = r->from, .expected = r->expected, .pc = r->pc };
	int result;

	if (r->compares && futex_hidden(r->from, r->pc))
		return !stays_awake_unseen(&w, &result);
	if (r->compares)
		announce_word(&w);
	if (r->compares && !sleeps(&w) &&
	    (read_word(&w, LOAD_CHANGED) != r->expected || comes_to_nothing(&w)))
		return false;
	if (r->compares)
		return look(&w);
	queue_op((struct op){ .kind = OP_FUTEX_LOOK, .addr = queue_of(r->from), .pc = r->pc });
	return true;
}

static long requeue_under_engine(const struct futex_requeue *r)
{
	struct op op = { .kind = OP_FUTEX_REQUEUE, .peer = (uint32_t)r->wake, .pc = r->pc };
	struct engine_wakes wakes;
	struct op_result res;

	if (futex_by_table())
		return futex_answers(futex_table_requeue(r));
	share_queue(r->from, r->to);
	if (!compare_first(r))
		return futex_fails(EAGAIN);
	op.addr = queue_of(r->from);
	op.arg = (struct value){ .lo = futex_name(r->from, r->op), .hi = (uint64_t)r->move };
	op.expected = value_of(futex_name(r->to, r->op));
	res = queue_op(op);
	wakes = engine_wakes(engine, res.value, res.stored);
	return (long)wakes.woken + wakes.moved;
}

static long futex_requeue(const struct futex_requeue *r)
{
	if ((uintptr_t)r->from % 4 || (uintptr_t)r->to % 4 || r->wake < 0 || r->move < 0)
		return futex_fails(EINVAL);
	if (!futex_is_there(r->from, r->op) || !futex_is_there(r->to, r->op))
		return futex_fails(EFAULT);
	if (r->compares && !memory_readable(r->from, sizeof(*r->from)))
		return futex_fails(EFAULT);
	if (under_engine())
		return requeue_under_engine(r);
	if (r->compares && *r->from != r->expected)
		return futex_fails(EAGAIN);
	return 0;
}

/* ---- The call -------------------------------------------------------------------------------- */

long futex_call(const long arg[6], uint64_t pc)
{
	uint32_t *word = (uint32_t *)arg[0], val = (uint32_t)arg[2], bits = (uint32_t)arg[5];
	int op = (int)arg[1], command = op & FUTEX_CMD_MASK;
	bool realtime = op & FUTEX_CLOCK_REALTIME || command == FUTEX_LOCK_PI;
	struct futex_wait w = { .op = op,
				.word = word,
				.target = (uint32_t *)arg[4],
				.expected = val,
				.bits = command == FUTEX_WAIT ? FUTEX_BITSET_MATCH_ANY : bits,
				.until = (const struct timespec *)arg[3],
				.absolute = command != FUTEX_WAIT,
				.clock = realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC,
				.pc = pc };
	struct futex_requeue r = { .from = word,
				   .to = (uint32_t *)arg[4],
				   .op = op,
				   .wake = (int)val,
				   .move = (int)arg[3],
				   .compares = command == FUTEX_CMP_REQUEUE,
				   .expected = bits,
				   .pc = pc };

	if (op & FUTEX_CLOCK_REALTIME && command != FUTEX_WAIT_BITSET &&
	    command != FUTEX_WAIT_REQUEUE_PI && command != FUTEX_LOCK_PI2)
		return futex_fails(ENOSYS);
	switch (command) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return futex_wait(&w);
	case FUTEX_WAKE:
		return futex_wake(word, op, (int)val, FUTEX_BITSET_MATCH_ANY, pc);
	case FUTEX_WAKE_BITSET:
		return futex_wake(word, op, (int)val, bits, pc);
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		return futex_requeue(&r);
	default:
		return futex_other_call(&w, &r);
	}
}
