/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * await_ask.c - what values would do to a thread that waits
 *
 * Where threads are known to wait (facts.h), the engine is told beforehand what the thread does with
 * each value that it may read: does it only come back to where it was, or where the same value had led
 * from an earlier read? That is tried out by probes that run ahead (probe.c). It is a function of
 * the state that the thread is in, and kept by a hash of that.
 *
 * Cost: a probe for each value that is new in a state.
 */
#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/await/await.h"
#include "preload/await/follow.h"
#include "preload/await/silent.h"
#include "preload/core/lasting.h"
#include "preload/facts/facts.h"

enum {
	KNOWN_STATES = 2048,
};

/* What values do to a thread at an await, by the state it is in (await.c). */
struct known_state {
	uint64_t hash[2];
	struct await_mask told;
	uint32_t epoch;
};
struct known_states {
	struct known_state at[KNOWN_STATES];
};
static LASTING(struct known_states, known);

const struct op *await_look(const struct op *op)
{
	struct await *a = await_of_fiber(fiber_self());
	struct frames ahead;

	if (!await_tries_out() || !may_be_await(op) || fact_in_use(FACT_ROUNDS_HIDE) ||
	    !current->entry.sp || !fact_used_at(FACT_WAITS, op->pc) ||
	    fact_used_at(FACT_OVERTIME, op->pc))
		return op;
	told_ahead(op, &ahead, STRETCH_TOLD);
	if ((ahead.worst != STRETCH_TOLD && !ahead.safe) || rounds_look(op))
		return op;
	a->look = *op;
	a->look.await = 1;
	return &a->look;
}

/* Finds out about these values. */
static struct await_mask try_values(struct await *a, const struct op *op, uint64_t values)
{
	struct await_mask told = { .known = values };
	uint64_t unsaved;
	uint32_t round;

	for (uint64_t left = values; left; left &= left - 1) {
		unsigned bit = (unsigned)__builtin_ctzl(left);
		struct value value = engine_await_value(engine, op, bit);

		if (!silent_with(op, value))
			continue;
		if (probe_fails(a, op, value, &round, &unsaved)) {
			told.fails |= 1ul << bit;
			told.stays |= (uint64_t)(round > 0) << bit;
			await_mask_round(&told, round);
		}
		if (unsaved)
			fact_found_at(FACT_REPEATS, unsaved);
	}
	return told;
}

/* What was found out in the same state before; an entry for it if it is new. */
static struct known_state *recall(const uint64_t hash[2])
{
	struct known_state *k = &known->at[hash[0] % KNOWN_STATES];
	uint32_t epoch = engine_await_epoch(engine);

	if (k->hash[0] != hash[0] || k->hash[1] != hash[1] || k->epoch != epoch)
		*k = (struct known_state){ .hash = { hash[0], hash[1] }, .epoch = epoch };
	return k;
}

void await_ask(const struct op *op)
{
	struct fiber *f = fiber_self();
	struct await *a = await_of_fiber(f);
	struct known_state *k = NULL;
	struct await_mask told;
	uint64_t unknown, hash[2];

	if (f->self.window == AWAIT_OPS)
		await_make_room(f); /* as it will be when the operation has happened */
	unknown = engine_await_unknown(engine, f->self.tid, op);
	if (!unknown)
		return;
	if (a->open)
		told_close(a, op);
	if (probe_state(a, op, hash)) {
		k = recall(hash);
		engine_await_tell(engine, f->self.tid, &k->told);
		unknown &= ~k->told.known;
	}
	if (!unknown)
		return;
	told = try_values(a, op, unknown);
	engine_await_tell(engine, f->self.tid, &told);
	if (k)
		await_mask_add(&k->told, &told);
}
