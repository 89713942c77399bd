/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runner_key.c - what an execution was: its class, from engine_steps()
 *
 * The steps are compared with what each thread saw happen on the way.
 */
#include "engine/runner_exec.h"

#include <string.h>

enum {
	MAX_STEPS = 512
};

static bool counted(unsigned kind)
{
	return kind <= OP_CAS || (kind >= OP_LOCK && kind <= OP_CHOOSE && kind != OP_COND_WOKEN &&
				  kind != OP_BARRIER_PASS);
}

/* Checks one step of a scripted thread and adds it to the thread's key. */
static void check_step(struct exec *x, const struct engine_step_record *all, size_t n, size_t at,
		       int *named, const uint8_t *name, struct class_key *key)
{
	const struct engine_step_record *st = &all[at];
	int t = (int)st->tid - 1, i = 0;
	const struct thread *th = &x->th[t];

	for (int k = 0; i < th->ndone; i++)
		if (counted(th->done[i].act.op) && k++ == named[t])
			break;
	named[t]++;
	if (i == th->ndone) {
		runner_wrong(
			x, "engine_steps() has a step %u.%u (kind %u) that thread never saw happen",
			st->tid, st->index, st->kind);
		return;
	}
	const struct done *d = &th->done[i];
	bool reads = action_reads(&d->act);
	if (d->act.op != st->kind)
		runner_wrong(x, "step %u.%u has kind %u, not %u", st->tid, st->index, st->kind,
			     d->act.op);
	if (d->act.op == OP_CHOOSE)
		key_push(key, 0x80 | d->eff.choice, 0xfe);
	if (!!(st->flags & STEP_WROTE) != (d->eff.wrote && d->act.op != OP_CHOOSE))
		runner_wrong(x, "step %u.%u: STEP_WROTE is wrong", st->tid, st->index);
	if (!reads)
		return;
	int64_t source = x->s->loc[(int)d->act.loc].init;
	unsigned a = 0, b = 0;
	if (st->rf_tid >= 0) {
		size_t w = 0;
		while (w < n &&
		       (all[w].tid != (uint32_t)st->rf_tid || all[w].index != st->rf_index))
			w++;
		if (w >= at || !(all[w].flags & STEP_WROTE) || all[w].addr != st->addr) {
			runner_wrong(x,
				     "step %u.%u reads from %d.%u, which is no earlier write of it",
				     st->tid, st->index, st->rf_tid, st->rf_index);
			return;
		}
		source = action_is_set(&d->act) ? set_narrow(all[w].stored)
						: (int64_t)all[w].stored.lo;
		a = all[w].tid;
		b = name[w];
	} else if (st->rf_tid != -1) {
		runner_wrong(x, "step %u.%u reads from nothing", st->tid, st->index);
	}
	int64_t read =
		action_is_futex(&d->act) ? (int64_t)futex_sleepers(d->eff.read) : d->eff.read;
	if ((uint32_t)source != (uint32_t)read)
		runner_wrong(x, "step %u.%u read %lld where its source stored %lld", st->tid,
			     st->index, (long long)read, (long long)source);
	key_push(key, a, b);
	if (action_has_choice(&d->act, d->eff.read))
		key_push(key, 0x80 | d->eff.choice, action_is_futex(&d->act) ? 0xfd : 0xfe);
}

/* Does it wait where that is no execution? */
static bool is_void(const struct exec *x, int t)
{
	struct interp it = x->th[t].it;
	struct action act;

	return interp_next(&it, &act) == IT_OP && action_is_void(&act);
}

/* Does the thread wait at an await that nothing lets it leave? */
static bool awaits(const struct exec *x, int t)
{
	struct op op;

	return x->th[t].it.status == IT_OP && engine_waiting(x->e, (uint32_t)t + 1, &op) &&
	       op.await;
}

void runner_key(struct exec *x, struct class_key *key)
{
	static struct engine_step_record steps[MAX_STEPS];
	static uint8_t name[MAX_STEPS];
	struct class_key part[SCRIPT_THREADS] = { 0 };
	int named[SCRIPT_THREADS] = { 0 }, counts[SCRIPT_THREADS] = { 0 };
	size_t n = engine_steps(x->e, steps, MAX_STEPS);
	bool failed = false;

	for (size_t i = 0; i < n; i++)
		if (steps[i].tid && counted(steps[i].kind))
			name[i] = (uint8_t)counts[steps[i].tid - 1]++;
	for (size_t i = 0; i < n && !x->wrong; i++)
		if (steps[i].tid && counted(steps[i].kind))
			check_step(x, steps, n, i, named, name, &part[steps[i].tid - 1]);
	key->len = 0;
	for (int t = 0; t < x->s->nthreads; t++)
		failed |= x->th[t].it.status == IT_FAILED;
	for (int t = 0; t < x->s->nthreads; t++) {
		const struct thread *th = &x->th[t];
		int want = 0;
		for (int i = 0; i < th->ndone; i++)
			want += counted(th->done[i].act.op);
		if (want != counts[t])
			runner_wrong(x, "engine_steps() has %d steps of thread %d, not %d",
				     counts[t], t + 1, want);
		for (int i = 0; i < part[t].len; i += 2)
			key_push(key, part[t].b[i], part[t].b[i + 1]);
		key_end_thread(key, th->cut                   ? 'C'
				    : awaits(x, t) && !failed ? 'A'
				    : is_void(x, t)           ? 'T'
							      : key_letter(th->it.status));
	}
}

/* What it read; of a futex who slept, and who does behind it. */
static void push_value(struct class_key *key, int t, const struct done *d)
{
	if (!action_is_futex(&d->act)) {
		key_push(key, (unsigned)t, class_value(d->eff.read));
		return;
	}
	key_push(key, (unsigned)t, class_value((int64_t)futex_sleepers(d->eff.read)));
	key_push(key, (unsigned)t, class_value((int64_t)futex_sleepers(d->eff.stored)));
}

void runner_values(const struct exec *x, struct class_key *key)
{
	key->len = 0;
	if (x->opt->equivalence != EQUIV_VALUE) /* longer executions than have room */
		return;
	for (int t = 0; t < x->s->nthreads; t++) {
		const struct done *done = x->th[t].done;

		for (int i = 0; i < x->th[t].ndone; i++)
			if (action_reads(&done[i].act) && counted(done[i].act.op))
				push_value(key, t, &done[i]);
		for (int i = 0; i < x->th[t].ndone; i++)
			if (done[i].act.op == OP_CHOOSE ||
			    (!action_is_futex(&done[i].act) &&
			     action_has_choice(&done[i].act, done[i].eff.read)))
				key_push(key, 0x80 | done[i].eff.choice, 0xfe);
	}
}
