/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runner_plain.c - plain accesses of a script: do they race, and what the engine is told of them for its memo
 */
#include "engine/engine.h"
#include "engine/runner.h"
#include "engine/runner_exec.h"

static bool ordered(const struct exec *x, int me, int other, uint32_t at)
{
	if (me == other)
		return true;
	if ((uint32_t)other >= engine_threads(x->e))
		return false;
	return engine_clock(x->e, (uint32_t)me)[other] > at;
}

bool runner_races(const struct exec *x, int loc, int tid, bool write)
{
	const struct shadow *sh = &x->shadow[loc];

	if (sh->write_tid >= 0 && !ordered(x, tid, sh->write_tid, sh->write_at))
		return true;
	for (int u = 0; write && u < THREADS; u++)
		if (sh->read_at[u] && !ordered(x, tid, u, sh->read_at[u] - 1))
			return true;
	return false;
}

/* As struct memo_touch says; a location is a granule. */
static void note_touch(struct exec *x, int tid, int loc, bool write, uint32_t value)
{
	const uint32_t at = engine_clock(x->e, (uint32_t)tid)[tid];
	struct memo_touch *t;

	if (x->toucher != tid || x->touched_at != at)
		x->ntouched = 0;
	x->toucher = tid;
	x->touched_at = at;
	for (uint32_t i = 0; i < x->ntouched; i++) {
		t = &x->touch[i];
		if (t->granule != (uint32_t)loc || (write && t->how == TOUCH_READS))
			continue;
		if (write)
			t->value = value;
		return;
	}
	if (x->ntouched == 64) {
		engine_forget(x->e, "a thread accesses much");
		return;
	}
	x->touch[x->ntouched++] = (struct memo_touch){ .granule = (uint32_t)loc,
						       .mask = 15,
						       .how = write ? TOUCH_WRITES : TOUCH_READS,
						       .value = value };
}

void runner_tell_plain(struct exec *x, int tid)
{
	bool any = x->toucher == tid && x->touched_at == engine_clock(x->e, (uint32_t)tid)[tid];

	if (x->opt->equivalence == EQUIV_VALUE &&
	    x->opt->memo) /* plain accesses are operations there */
		engine_hands_over(x->e, (uint32_t)tid, 0, 0);
	else
		engine_touches(x->e, x->touch, any ? x->ntouched : 0, false);
}

void runner_share_plain(struct exec *x, struct engine *e)
{
	bool plain[SCRIPT_LOCS] = { false }, other[SCRIPT_LOCS] = { false };

	for (int t = 0; t < x->s->nthreads; t++)
		for (int i = 0; i < x->s->thread[t].n; i++) {
			const struct insn *in = &x->s->thread[t].code[i];

			if (in->loc < 0)
				continue;
			if ((in->kind == I_READ || in->kind == I_WRITE) && in->order == ORDER_NA)
				plain[in->loc] = true;
			else
				other[in->loc] = true;
		}
	for (int l = 0; l < x->s->nlocs; l++) {
		if (plain[l] && other[l])
			engine_forget(e, "a location is accessed in both ways");
		if (!engine_shares(e, (uint32_t)l))
			runner_wrong(x, "there is no room for %d granules", l + 1);
		engine_holds(e, (uint32_t)l, (uint32_t)x->s->loc[l].init, false);
	}
}

static void note_behind(struct exec *x, int loc, uint32_t tid, bool write)
{
	const uint32_t *clock = engine_clock(x->e, tid), *porf = engine_porf(x->e, tid);

	for (uint32_t t = 0; t < engine_threads(x->e); t++)
		x->r->behind[loc][write] |= (uint64_t)(porf[t] > clock[t]) << t;
}

void runner_plain(struct exec *x, int t, const struct action *act)
{
	bool write = act->op == OP_STORE;
	int loc = act->loc, tid = t + 1;
	struct shadow *sh = &x->shadow[loc];
	struct engine_step_record with;
	uint32_t now = engine_clock(x->e, (uint32_t)tid)[tid];
	struct effect eff = { .wrote = write, .read = x->memory[loc], .stored = act->arg };

	if (runner_races(x, loc, tid, write) ||
	    engine_race_with_atomics(x->e, (uint32_t)tid, runner_address(loc), write, &with))
		x->r->raced = true;
	note_behind(x, loc, (uint32_t)tid, write);
	if (x->opt->memo)
		note_touch(x, tid, loc, write, (uint32_t)(write ? act->arg : x->memory[loc]));
	if (write) {
		sh->write_tid = tid;
		sh->write_at = now;
		x->memory[loc] = act->arg;
	} else {
		sh->read_at[tid] = now + 1;
	}
	interp_done(&x->th[t].it, x->opt->rule ? &x->rounds[t] : NULL, act, &eff);
}
