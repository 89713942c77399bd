/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runner_answer.c - what the engine answered, checked against what the operation means
 */
#include "engine/runner_exec.h"

/* A futex is in one state after the other, in the order of what is done to it. */
static void take_futex(struct exec *x, int t, const struct action *act, const struct op_result *res,
		       struct effect *eff)
{
	int64_t before = x->memory[(int)act->loc], after = 0;

	eff->read = before;
	if (futex_sleepers(before) != res->value.lo)
		runner_wrong(x, "thread %d: a futex has sleepers %#llx, not %#llx", t + 1,
			     (unsigned long long)res->value.lo,
			     (unsigned long long)futex_sleepers(before));
	for (uint32_t c = 0; c < action_choices(act, before); c++) {
		action_apply(act, t, before, c, &after);
		eff->choice = c;
		if (futex_sleepers(after) == res->stored.lo &&
		    (act->op != OP_FUTEX_REQUEUE || futex_moved(before, after) == res->stored.hi))
			return;
	}
	runner_wrong(x, "thread %d: no choice of a futex operation leads to %#llx", t + 1,
		     (unsigned long long)res->stored.lo);
}

void runner_trail(struct runner *r, uint64_t told)
{
	r->trail = (r->trail ^ told) * 0x9e3779b97f4a7c15u;
	r->trail ^= r->trail >> 29;
}

void runner_answer(struct exec *x, int t, const struct action *act, const struct op_result *res)
{
	struct thread *th = &x->th[t];
	struct effect eff = { .wrote = res->wrote, .read = (int64_t)res->value.lo };

	runner_trail(x->r,
		     ((uint64_t)t << 32 | act->op) ^ res->value.lo << 40 ^ res->stored.lo << 8);
	if (action_is_set(act))
		eff.read = set_narrow(res->value);
	if (act->op == OP_CHOOSE) {
		eff.choice = (uint32_t)res->value.lo;
		if (eff.choice >= act->n)
			runner_wrong(x, "CHOOSE(%u) of thread %d gave %u", act->n, t + 1,
				     eff.choice);
	}
	if (act->op == OP_COND_SIGNAL) /* which waiter: found from what was stored */
		for (uint32_t c = 0; c < action_choices(act, eff.read); c++) {
			int64_t stored = 0;
			action_apply(act, t, eff.read, c, &stored);
			if (res->wrote && stored == (int64_t)res->stored.lo)
				eff.choice = c;
		}
	if (action_is_futex(act))
		take_futex(x, t, act, res, &eff);
	enum action_result want = action_apply(act, t, eff.read, eff.choice, &eff.stored);
	uint64_t stored = action_is_futex(act)     ? futex_sleepers(eff.stored)
			  : action_is_set(act)     ? set_wide(eff.stored).lo
			  : action_is_library(act) ? (uint64_t)eff.stored
						   : (uint32_t)eff.stored;
	bool writes = want == ACT_WRITES || want == ACT_READS_AND_WRITES;
	bool wakes = act->op == OP_COND_WOKEN || act->op == OP_BARRIER_PASS;
	if (wakes)
		want = ACT_READS;
	if (want == ACT_WAITS)
		runner_wrong(x,
			     "thread %d passed an operation (kind %d) that must wait at value %lld",
			     t + 1, act->op, (long long)eff.read);
	else if (act->op != OP_FENCE && act->op != OP_CHOOSE && !wakes &&
		 (writes != eff.wrote || (writes && stored != res->stored.lo) ||
		  (writes && action_is_set(act) && eff.stored != set_narrow(res->stored))))
		runner_wrong(
			x,
			"thread %d, operation kind %d: read %lld, stored %lld (wrote %d), wanted %lld",
			t + 1, act->op, (long long)eff.read, (long long)res->stored.lo, res->wrote,
			(long long)stored);
	eff.wrote = writes;
	if (writes)
		x->memory[(int)act->loc] = eff.stored;
	if (th->ndone < MAX_DONE)
		th->done[th->ndone++] = (struct done){ .act = *act, .eff = eff };
	interp_done(&th->it, x->opt->rule && !th->fixed ? &x->rounds[t] : NULL, act, &eff);
}
