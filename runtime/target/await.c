/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * await.c - the redundant-round rule (design, section 5)
 *
 * A thread has read v at r2, and r1 is an earlier read of the same location in that thread,
 * of an order that is no stronger, with nothing but reads and fences between them. If the
 * thread, given v at r1 already, would come to the same next operation in the same state,
 * then the rounds between did nothing, and the thread stops (OP_STUCK instead of its next
 * operation): an execution in which r1 reads v is explored anyway.
 *
 * Here is the bookkeeping: per fiber, the silent reads (loads, failed compare-and-swaps and
 * trylocks, exchanges that stored what they read and release nothing) since its last
 * operation that was not silent. Plain writes in between are logged with what they
 * overwrote; writes to the thread's own stack need not be, since the stack is compared as a
 * whole. A call with hidden state, or too many writes, empties the list.
 *
 * To probe from r1, its state must have been saved. Saving is kept to the places (return
 * addresses) known to repeat: the first time that a place turns out to, it is noted in
 * state->site, and the execution is run again (engine_rerun()).
 *
 * Everything here is a function of the thread's own history, so the rule is part of what the
 * thread does, and replays itself.
 *
 * Cost: a few stores per read; a copy of the stack for a read that repeats; a probe, a
 * microsecond or two, per read of a location that was read before.
 */
#include "target/await.h"

#include <string.h>

#include "target/driver.h"

static struct await await_of[HEDDLE_MAX_THREADS];
static bool enabled;

static void forget(struct fiber *f)
{
	struct await *a = &await_of[f->self.tid];

	f->self.silent_reads = 0;
	a->log.n = a->log.used = 0;
	a->rank = 0;
	a->pending = false;
	a->arena_used = 0;
}

void await_reset(void)
{
	enabled = shared->config.mode == ENGINE_EXPLORE;
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		forget(&fibers[t]);
}

/* ---- Places that repeat ------------------------------------------------------------------- */

static uint64_t *site_slot(uint64_t pc)
{
	for (uint64_t i = pc * 0x9e3779b97f4a7c15ul >> 52, n = 0; n < SITES; n++, i++)
		if (!state->site[i % SITES] || state->site[i % SITES] == pc)
			return &state->site[i % SITES];
	return NULL;
}

static bool site_known(uint64_t pc)
{
	uint64_t *slot = site_slot(pc);

	return slot && *slot;
}

/* Notes the place and runs the execution again; returns when there is no room. */
static void site_learn(uint64_t pc)
{
	uint64_t *slot = state->sites < SITES / 2 ? site_slot(pc) : NULL;

	if (!slot || *slot)
		return;
	*slot = pc;
	state->sites++;
	state->reruns++;
	engine_rerun(engine);
	driver_leave(LEAVE_AGAIN);
}

/* ---- Reads ----------------------------------------------------------------------------------- */

static bool silent(const struct op *op, const struct op_result *res)
{
	switch (op->kind) {
	case OP_LOAD:
		return true;
	case OP_CAS:
	case OP_TRYLOCK:
	case OP_SEM_TRYWAIT:
		return !res->wrote;
	case OP_RMW:
		return (op->order == ORDER_RLX || op->order == ORDER_ACQ) &&
		       value_eq(res->stored, res->value);
	default:
		return false;
	}
}

static struct value truncated(uint64_t v, unsigned size)
{
	return value_of(size < 8 ? v & ((1ul << size * 8) - 1) : v);
}

/* Would the read have been silent with value v? */
static bool silent_with(const struct op *op, struct value v)
{
	uint64_t x = v.lo, y = op->arg.lo;

	if (op->kind == OP_CAS)
		return !value_eq(v, op->expected);
	if (op->kind != OP_RMW)
		return true;
	if (op->size == 16)
		return op->fn == RMW_XCHG && value_eq(v, op->arg);
	switch (op->fn) {
	case RMW_XCHG:
		x = y;
		break;
	case RMW_ADD:
		x += y;
		break;
	case RMW_SUB:
		x -= y;
		break;
	case RMW_AND:
		x &= y;
		break;
	case RMW_OR:
		x |= y;
		break;
	case RMW_XOR:
		x ^= y;
		break;
	default:
		x = ~(x & y);
		break;
	}
	return value_eq(truncated(x, op->size), v);
}

static unsigned strength(const struct op *op)
{
	static const unsigned of[] = { [ORDER_NA] = 0,  [ORDER_RLX] = 0,     [ORDER_ACQ] = 1,
				       [ORDER_REL] = 1, [ORDER_ACQ_REL] = 2, [ORDER_SC] = 3 };

	return of[op->kind == OP_CAS ? op->order_fail : op->order];
}

/* May r1 be what r2 only repeats? */
static bool may_repeat(const struct op *r1, const struct op *r2)
{
	return r1->addr == r2->addr && r1->size == r2->size && strength(r1) <= strength(r2) &&
	       (r1->size || r1->kind == r2->kind);
}

/* Looks for reads that this one may repeat; sets a->pending if there are. */
static void look_back(struct fiber *f, struct await *a, const struct op *op, struct value v)
{
	for (uint32_t i = f->self.silent_reads; i-- > 0;) {
		struct await_read *r1 = &a->read[i];

		if (!may_repeat(&r1->op, op) || !silent_with(&r1->op, v))
			continue;
		if (!r1->saved)
			site_learn(r1->op.pc);
		else
			a->pending = true;
	}
	a->value = v;
}

void await_after(const struct op *op, struct op_result *res)
{
	struct fiber *f = fiber_self();
	struct await *a = &await_of[f->self.tid];
	struct await_read *r;

	if (!enabled || op->kind == OP_YIELD)
		return;
	a->rank++;
	if (op->kind == OP_FENCE || (op->kind == OP_LOAD && op->order == ORDER_NA))
		return;
	if (!silent(op, res)) {
		forget(f);
		return;
	}
	if (f->self.silent_reads == AWAIT_READS)
		forget(f);
	look_back(f, a, op, res->value);
	r = &a->read[f->self.silent_reads++];
	r->op = *op;
	r->value = res->value;
	r->rank = a->rank;
	r->writes = a->log.n;
	r->saved = false;
	if (!site_known(op->pc))
		return;
	probe_save(a, r);
	if (unlikely(f->self.probing)) {
		res->value = probe_value();
		res->wrote = 0;
	}
}

/* ---- Before an operation ------------------------------------------------------------------------ */

/*
 * Did the thread come by one place twice since r1? `if (load(&x) != 1) load(&x);` may repeat
 * itself as well, but it is no loop: nobody waits for a better time to count its executions.
 */
static bool loops(const struct await_read *r1, const struct await_read *r2, const struct op *next)
{
	for (const struct await_read *r = r1; r <= r2; r++)
		if (r->op.pc == next->pc || (r != r2 && r->op.pc == r2->op.pc))
			return true;
	return false;
}

const struct op *await_before(const struct op *op)
{
	struct fiber *f = fiber_self();
	struct await *a = &await_of[f->self.tid];
	const struct await_read *r2;

	if (unlikely(f->self.probing))
		probe_arrive(op);
	if (!a->pending)
		return op;
	a->pending = false;
	r2 = &a->read[f->self.silent_reads - 1];
	for (uint32_t i = f->self.silent_reads - 1; i-- > 0;) {
		struct await_read *r1 = &a->read[i];

		if (!r1->saved || !may_repeat(&r1->op, &r2->op) ||
		    !silent_with(&r1->op, a->value) || !loops(r1, r2, op) ||
		    !probe_equal(a, r1, op))
			continue;
		a->stuck = r2->op;
		a->stuck.kind = OP_STUCK;
		a->stuck.peer = value_eq(r1->value, r2->value) ? r2->rank - r1->rank : 0;
		return &a->stuck;
	}
	return op;
}

void await_end(enum op_kind kind, void *value)
{
	struct op op = { .kind = (uint8_t)kind, .arg = value_of((uint64_t)(uintptr_t)value) };
	const struct op *stuck;
	struct op_result res;

	if (!current)
		return;
	stuck = await_before(&op);
	if (stuck != &op)
		perform(stuck, &res);
}

/* ---- Plain writes ----------------------------------------------------------------------------------- */

bool log_add(struct write_log *log, uint64_t addr, uint64_t size)
{
	uint32_t n = log->n;

	if (n == AWAIT_WRITES || size > AWAIT_BYTES - log->used)
		return false;
	log->write[n].addr = addr;
	log->write[n].size = (uint32_t)size;
	log->write[n].at = log->used;
	if (copy_safely(log->old + log->used, (void *)addr, size))
		return false;
	log->used += (uint32_t)size;
	log->n++;
	return true;
}

void log_undo(const struct write_log *log, uint32_t from)
{
	for (uint32_t i = log->n; i-- > from;)
		memcpy((void *)log->write[i].addr, log->old + log->write[i].at, log->write[i].size);
}

void await_plain_write(uint64_t addr, uint64_t size)
{
	struct fiber *f = fiber_self();

	if (addr >= f->stack_low && addr < f->stack_high)
		return;
	if (f->self.probing)
		probe_write(addr, size);
	else if (!log_add(&await_of[f->self.tid].log, addr, size))
		forget(f);
}

void await_hidden_state(void)
{
	if (current->probing)
		probe_differs();
	forget(fiber_self());
}
