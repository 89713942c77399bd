/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex_table.c - futexes as the kernel has them: a table of those who sleep, and a lock around it
 *
 * hook_futex.c explores FUTEX_WAIT, _WAKE and _REQUEUE by operations of the engine's own, one queue for
 * each word. That does not do where one step changes a word that others read without asking the
 * kernel (FUTEX_WAKE_OP), or decides by what the word holds who is woken (priority inheritance): what they
 * have read must not depend on a step that comes to nothing. So a program that does this is learned
 * (FACT_FUTEX_TABLE), and from then on every futex operation of it is a section under one mutex,
 * as the kernel does all under the lock of a hash bucket; all orders of sections are explored. In a
 * replay the next recorded operation says whether a thread takes that mutex.
 *
 * Who sleeps without a timeout waits as for a condition variable of its own. A timed wait is over when the thread comes
 * back to the table: either somebody has roused it by then, or it has timed out. Whom a wake
 * takes is a choice; futex(2) promises no order.
 *
 * The table is restored with the program. Cost: a walk of all entries per operation.
 */
#include "preload/hooks/hook.h"

#include "preload/hooks/futex/futex.h"

#include <errno.h>
#include <limits.h>

#include "engine/engine.h"
#include "engine/graph/guard.h"
#include "preload/access/atomic.h"
#include "preload/core/context.h"
#include "preload/core/refuse.h"
#include "preload/facts/facts.h"
#include "preload/facts/values.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/lock/mutex.h"
#include "preload/hooks/world/time.h"
#include "preload/hooks/world/timeout.h"
#include "preload/step/perform.h"

HEDDLE_IMAGE_SELDOM struct sleeper futex_sleepers[HEDDLE_MAX_THREADS] = { { .how = AWAKE } };

static HEDDLE_IMAGE_SELDOM pthread_mutex_t futexes = PTHREAD_MUTEX_INITIALIZER;

/* ---- The guard ------------------------------------------------------------------------------------ */

bool futex_by_table(void)
{
	settle();
	if (!under_engine())
		return false;
	return fact_in_use(FACT_FUTEX_TABLE);
}

void futex_needs_table(void)
{
	settle();
	if (under_engine() && shared->config.mode != ENGINE_REPLAY &&
	    !fact_in_use(FACT_FUTEX_TABLE))
		fact_found(FACT_FUTEX_TABLE);
}

void futex_enter(uint64_t pc)
{
	/* What the table holds passes between threads, and nobody reads that as a value. */
	values_give_up("futexes are used otherwise than to wait and wake");
	if (under_engine())
		mutex_lock(&futexes, pc);
}

void futex_leave(uint64_t pc)
{
	if (under_engine())
		mutex_unlock(&futexes, pc);
}

/* ---- Words ----------------------------------------------------------------------------------------- */

static bool in_memory(const uint32_t *word, uint64_t pc)
{
	return !under_engine() || futex_hidden(word, pc);
}

static struct op_result word_op(struct op op, uint32_t *word, uint64_t pc)
{
	struct op_result res;

	op.size = sizeof(*word);
	op.addr = (uintptr_t)word;
	op.pc = pc;
	atomic_op(&op, &res);
	return res;
}

uint32_t futex_load(uint32_t *word, uint64_t pc)
{
	if (in_memory(word, pc))
		return *(volatile uint32_t *)word;
	return (uint32_t)word_op((struct op){ .kind = OP_LOAD, .order = ORDER_RLX }, word, pc)
		.value.lo;
}

bool futex_swap(uint32_t *word, uint32_t *seen, uint32_t value, uint64_t pc)
{
	struct op op = { .kind = OP_CAS,
			 .order = ORDER_ACQ_REL,
			 .order_fail = ORDER_RLX,
			 .expected = value_of(*seen),
			 .arg = value_of(value) };
	struct op_result res;

	if (in_memory(word, pc)) {
		note_plain_write((uintptr_t)word, sizeof(*word));
		return __atomic_compare_exchange_n(word, seen, value, false, __ATOMIC_SEQ_CST,
						   __ATOMIC_SEQ_CST);
	}
	res = word_op(op, word, pc);
	*seen = (uint32_t)res.value.lo;
	return cas_succeeded(&op, &res);
}

uint32_t futex_change(uint32_t *word, enum rmw_fn fn, uint32_t arg, uint64_t pc)
{
	struct op op = {
		.kind = OP_RMW, .order = ORDER_ACQ_REL, .fn = (uint8_t)fn, .arg = value_of(arg)
	};
	uint32_t old;

	if (!in_memory(word, pc))
		return (uint32_t)word_op(op, word, pc).value.lo;
	old = *(volatile uint32_t *)word;
	note_plain_write((uintptr_t)word, sizeof(*word));
	*(volatile uint32_t *)word =
		(uint32_t)guard_written(op.fn, sizeof(*word), value_of(old), op.arg).lo;
	return old;
}

/* ---- Who sleeps ------------------------------------------------------------------------------------- */

/* The thread may only be tried out (await.c). */
struct sleeper *futex_sleeper(uint32_t tid)
{
	note_plain_write((uintptr_t)&futex_sleepers[tid], sizeof(*futex_sleepers));
	return &futex_sleepers[tid];
}

struct thread_set futex_sleepers_on(uint64_t name)
{
	struct thread_set set = { 0 };
	bool mixed = false;

	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++) {
		if (!futex_sleepers[t].how || futex_sleepers[t].word != name)
			continue;
		thread_set_add(&set, t);
		mixed |= futex_sleepers[t].how != futex_sleep_of(&set);
	}
	if (mixed)
		refuse("threads wait at one futex with priority inheritance and without, or for "
		       "FUTEX_CMP_REQUEUE_PI, and whom the kernel meets first is not explored: use "
		       "a futex for each",
		       NULL);
	return set;
}

enum sleep futex_sleep_of(const struct thread_set *set)
{
	return thread_set_any(set) ? futex_sleepers[thread_set_first(set)].how : AWAKE;
}

static bool either(uint64_t pc)
{
	struct op op = { .kind = OP_CHOOSE, .peer = 2, .pc = pc };
	struct op_result res;

	operate(&op, &res);
	return res.value.lo;
}

struct thread_set futex_some_of(const struct thread_set *set, uint32_t n, uint64_t pc)
{
	uint32_t left = thread_set_count(set);
	struct thread_set some = { 0 };

	THREAD_SET_EACH(t, set) {
		if (!n)
			break;
		if (left-- > n && either(pc))
			continue;
		thread_set_add(&some, t);
		n--;
	}
	return some;
}

void futex_rouse(uint32_t tid, uint64_t pc)
{
	struct sleeper *s = futex_sleeper(tid);

	s->how = AWAKE;
	if (!s->timed)
		object_op(OP_COND_SIGNAL, &s->bed, pc);
}

static void rouse_all(const struct thread_set *set, uint64_t pc)
{
	THREAD_SET_EACH(t, set)
		futex_rouse(t, pc);
}

/* The only thread, which nobody can rouse. */
static bool sleep_alone(const struct futex_wait *w)
{
	if (time_rings(w->until ? time_end_ns(w->until, w->absolute, w->clock) : TIME_FOR_EVER,
		       w->pc) != RING_NONE)
		refuse("a timer of the program interrupts a futex wait before there are threads: "
		       "set it later",
		       NULL);
	if (!w->until)
		report_bug_here(BUG_DEADLOCK, (uintptr_t)w->word, w->pc,
				"the only thread waits for a futex");
	return false;
}

/* It is not asleep any more; how it was till now: AWAKE if somebody has roused it. */
static enum sleep get_up(uint64_t pc)
{
	struct sleeper *s = futex_sleeper(self_id());
	enum sleep how;

	futex_enter(pc);
	how = s->how;
	s->how = AWAKE;
	if (how && !s->timed)
		object_op(OP_COND_LEAVE, &s->bed, pc);
	futex_leave(pc);
	return how;
}

/* A signal comes meanwhile. */
static int interrupted(enum sleep before, uint64_t pc)
{
	enum sleep now = get_up(pc);

	if (!now)
		interrupt_too_early(pc);
	return !now ? 0 : now == before ? -EINTR : -EAGAIN;
}

int futex_sleep(struct sleeper as, const struct futex_wait *w)
{
	struct sleeper *s = futex_sleeper(self_id());
	struct op wake = { .kind = OP_COND_WOKEN,
			   .addr = (uintptr_t)&s->bed,
			   .expected = value_of((uintptr_t)w->word),
			   .pc = w->pc };
	struct op_result res;

	if (under_engine()) {
		as.timed = w->until != NULL;
		*s = as;
		if (!as.timed)
			object_op(OP_COND_BEGIN, &s->bed, w->pc);
		futex_leave(w->pc);
		if (interrupt_comes(w->pc))
			return interrupted(as.how, w->pc);
	}
	if (under_engine() && !w->until) {
		operate(&wake, &res);
		return 0;
	}
	if (under_engine() ? !get_up(w->pc) : sleep_alone(w))
		return 0;
	time_waited(w->until, w->absolute, w->clock);
	timed_out(w->clock, NULL, w->pc);
	return -ETIMEDOUT;
}

/* ---- FUTEX_WAIT, FUTEX_WAKE, FUTEX_REQUEUE -------------------------------------------------------------- */

long futex_table_wait(const struct futex_wait *w)
{
	struct sleeper as = { .how = SLEEPS, .word = futex_name(w->word, w->op), .bits = w->bits };
	int result;

	futex_enter(w->pc);
	if (futex_load(w->word, w->pc) != w->expected) {
		futex_leave(w->pc);
		return -EAGAIN;
	}
	result = futex_sleep(as, w);
	if (result == -EINTR && interrupt_ends(-1, EINTR, true, w->pc))
		return futex_table_wait(w);
	return result;
}

/* Those of the set that sleep with some of these bits. */
static struct thread_set with_bits(const struct thread_set *set, uint32_t bits)
{
	struct thread_set with = { 0 };

	THREAD_SET_EACH(t, set)
		if (futex_sleepers[t].bits & bits)
			thread_set_add(&with, t);
	return with;
}

long futex_rouse_on(uint64_t name, uint32_t n, uint32_t bits, uint64_t pc)
{
	struct thread_set set = futex_sleepers_on(name), some;

	if (thread_set_any(&set) && futex_sleep_of(&set) != SLEEPS)
		return -EINVAL;
	set = with_bits(&set, bits);
	some = futex_some_of(&set, n, pc);
	rouse_all(&some, pc);
	return thread_set_count(&some);
}

long futex_table_wake(uint64_t name, uint32_t n, uint32_t bits, uint64_t pc)
{
	long woken;

	futex_enter(pc);
	woken = futex_rouse_on(name, n, bits, pc);
	futex_leave(pc);
	return woken;
}

static long requeue(const struct futex_requeue *r)
{
	struct thread_set set = { 0 }, woken, moved;

	if (r->compares && futex_load(r->from, r->pc) != r->expected)
		return -EAGAIN;
	if (r->wake || r->move)
		set = futex_sleepers_on(futex_name(r->from, r->op));
	if (thread_set_any(&set) && futex_sleep_of(&set) != SLEEPS)
		return -EINVAL;
	woken = futex_some_of(&set, (uint32_t)r->wake, r->pc);
	thread_set_subtract(&set, &woken);
	moved = futex_some_of(&set, (uint32_t)r->move, r->pc);
	rouse_all(&woken, r->pc);
	THREAD_SET_EACH(t, &moved)
		futex_sleeper(t)->word = futex_name(r->to, r->op);
	return (long)thread_set_count(&woken) + thread_set_count(&moved);
}

long futex_table_requeue(const struct futex_requeue *r)
{
	long n;

	futex_enter(r->pc);
	n = requeue(r);
	futex_leave(r->pc);
	return n;
}

/* ---- FUTEX_WAKE_OP ----------------------------------------------------------------------------------- */

/* Bits from..from+11, as a signed number. */
static int32_t twelve_bits(uint32_t encoded, unsigned from)
{
	return (int32_t)(encoded << (20 - from)) >> 20;
}

/* Changes the word as asked; *old: what it was. 0 or an error. */
static long change(const struct futex_wake_op *o, uint32_t *old)
{
	uint32_t arg = (uint32_t)twelve_bits(o->encoded, 12);
	enum rmw_fn fn = RMW_XCHG;

	if (o->encoded >> 28 & FUTEX_OP_OPARG_SHIFT)
		arg = (uint32_t)1 << (arg & 31);
	switch (o->encoded >> 28 & 7) {
	case FUTEX_OP_SET:
		break;
	case FUTEX_OP_ADD:
		fn = RMW_ADD;
		break;
	case FUTEX_OP_OR:
		fn = RMW_OR;
		break;
	case FUTEX_OP_ANDN:
		fn = RMW_AND;
		arg = ~arg;
		break;
	case FUTEX_OP_XOR:
		fn = RMW_XOR;
		break;
	default:
		return -ENOSYS;
	}
	*old = futex_change(o->second, fn, arg, o->pc);
	return 0;
}

/* 1, 0 or an error. */
static long compare(const struct futex_wake_op *o, int32_t old)
{
	int32_t arg = twelve_bits(o->encoded, 0);

	switch (o->encoded >> 24 & 15) {
	case FUTEX_OP_CMP_EQ:
		return old == arg;
	case FUTEX_OP_CMP_NE:
		return old != arg;
	case FUTEX_OP_CMP_LT:
		return old < arg;
	case FUTEX_OP_CMP_GE:
		return old >= arg;
	case FUTEX_OP_CMP_LE:
		return old <= arg;
	case FUTEX_OP_CMP_GT:
		return old > arg;
	default:
		return -ENOSYS;
	}
}

static uint32_t at_least_one(int n)
{
	return n < 1 ? 1 : (uint32_t)n;
}

static long wake_op(const struct futex_wake_op *o)
{
	uint32_t old = 0;
	long error = change(o, &old), second, woken, more = 0;

	second = error ? error : compare(o, (int32_t)old);
	if (second < 0)
		return second;
	woken = futex_rouse_on(futex_name(o->first, o->op), at_least_one(o->wake_first),
			       FUTEX_BITSET_MATCH_ANY, o->pc);
	if (woken >= 0 && second)
		more = futex_rouse_on(futex_name(o->second, o->op), at_least_one(o->wake_second),
				      FUTEX_BITSET_MATCH_ANY, o->pc);
	return woken < 0 || more < 0 ? -EINVAL : woken + more;
}

long futex_table_wake_op(const struct futex_wake_op *o)
{
	long n;

	futex_needs_table();
	futex_enter(o->pc);
	n = wake_op(o);
	futex_leave(o->pc);
	return n;
}
