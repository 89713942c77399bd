/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leads.c - does a thread do the same with either of two values?
 *
 * It is run ahead with each of them, to its next operation, or to a plain read of what others may write (probe.c). If it
 * comes to the same place in the same state, and has written the same, all that it does from there on is the same.
 * (await.txt, F1)
 *
 * Where a value leads is a function of the thread's state at the operation, and is kept by a hash of that.
 *
 * Cost: a hash of the stack for each question; a probe for each value that is new in a state.
 */
#include "preload/await/leads.h"

#include <string.h>

#define XXH_INLINE_ALL 1
#include <xxhash.h>

#include "preload/await/await.h"
#include "preload/await/polls.h"
#include "preload/core/lasting.h"
#include "preload/facts/facts.h"
#include "preload/liveness/callee.h"

enum {
	KNOWN_LEADS = 4096
};

/* Where a thread in some state comes to with some value. */
struct known_lead {
	uint64_t from[2], to[2];
	bool comes;
};
struct known_leads {
	struct known_lead at[KNOWN_LEADS];
};
static LASTING(struct known_leads, known);

/*
 * Does the operation, or the plain read, with its place in the code, say all that the hook is given? Of other hooks it may be
 * in registers only, and what the program has made of them is in no state any more.
 */
static bool says_all(const struct arrival *at)
{
	uint16_t reads, writes;
	struct insn call;
	uint8_t kind;

	if (at->op.kind == OP_END)
		return true;
	if (!callee_called(at->pc, &call))
		return false;
	if (at->op.kind == OP_LOAD && at->op.order == ORDER_NA)
		return callee_announces(callee_address(&call), &reads, &writes);
	kind = callee_of(&call).kind;
	return kind == CALLEE_LOAD || kind == CALLEE_ATOMIC;
}

bool leads_hash(const struct fiber *f, const struct arrival *at, const struct entry *call,
		const struct write_log *wrote, uint64_t hash[2])
{
	bool all = says_all(at) || polls_is_call(call, &at->op);

	if (!all && !call->sp)
		return false;
	arrival_hash(f, at, all ? NULL : call, wrote, hash);
	return true;
}

/* What is known of that already; an entry for it if it is new. */
static struct known_lead *recall(const uint64_t state[2], const struct op *op, struct value v,
				 bool *is_new)
{
	uint64_t what[] = { state[0], state[1], op->kind,   op->order,        op->size,
			    op->fn,   op->pc,   op->arg.lo, op->arg.hi,       v.lo,
			    v.hi,     op->addr, op->peer,   facts_in_force(), 0 };
	XXH128_hash_t h = XXH3_128bits(what, sizeof(what));
	struct known_lead *k = &known->at[h.low64 % KNOWN_LEADS];

	*is_new = k->from[0] != h.low64 || k->from[1] != h.high64;
	if (*is_new)
		*k = (struct known_lead){ .from = { h.low64, h.high64 } };
	return k;
}

static struct known_lead lead(const uint64_t state[2], const struct op *op, struct value v)
{
	struct self *me = current;
	uint8_t wrote = me->only_locks;
	struct known_lead *k;
	bool is_new;

	k = recall(state, op, v, &is_new);
	if (is_new)
		k->comes = probe_leads(op, v, k->to);
	me->only_locks = wrote; /* the probe did not happen */
	return *k;
}

bool leads_alike(const struct op *op, struct value a, struct value b)
{
	struct known_lead with_a, with_b;
	uint64_t state[2];

	if (!current->entry.sp || !probe_place(op, state))
		return false;
	with_a = lead(state, op, a);
	with_b = lead(state, op, b);
	return with_a.comes && with_b.comes && !memcmp(with_a.to, with_b.to, sizeof(with_a.to));
}

bool leads_back(const struct op *op, struct value v)
{
	static const struct write_log nothing;
	struct known_lead with_v;
	struct arrival here;
	uint64_t state[2];

	if (!current->entry.sp || !probe_place(op, state))
		return false;
	with_v = lead(state, op, v);
	arrive(&here, op);
	return with_v.comes && leads_hash(fiber_self(), &here, &current->entry, &nothing, state) &&
	       !memcmp(with_v.to, state, sizeof(state));
}
