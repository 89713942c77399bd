/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runner.c - see runner.h
 *
 * Plain accesses are done natively, on an array beside the engine, with the happens-before
 * check of preload/race/race.h (last write and reads of each thread as epochs), so that
 * engine_clock() and engine_race_with_atomics() are tested too.
 */
#define _GNU_SOURCE
#include "engine/judged.h"
#include "engine/run/repeat.h"
#include "engine/runner_exec.h"

#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

static const size_t MEM_SIZE = (size_t)15 << 30; /* as the target gives it; sparse */

enum {
	TOO_MANY = 2000000
};

void runner_init(struct runner *r)
{
	memset(r, 0, sizeof(*r));
	class_set_init(&r->classes);
	class_set_init(&r->finals);
	class_set_init(&r->values);
	class_set_init(&r->deadlocks);
	r->mem = mmap(NULL, MEM_SIZE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r->mem == MAP_FAILED)
		r->mem = NULL;
}

void runner_release(struct runner *r)
{
	class_set_release(&r->classes);
	class_set_release(&r->finals);
	class_set_release(&r->values);
	class_set_release(&r->deadlocks);
	if (r->mem)
		munmap(r->mem, MEM_SIZE);
}

void runner_wrong(struct exec *x, const char *fmt, ...)
{
	va_list ap;

	if (x->r->error[0])
		return;
	x->wrong = true;
	va_start(ap, fmt);
	vsnprintf(x->r->error, sizeof(x->r->error), fmt, ap);
	va_end(ap);
}

static struct value initial(void *ctx, uint64_t addr, unsigned size, enum op_kind kind)
{
	const struct script *s = ctx;
	size_t loc = (addr - 0x10000) / 64;

	(void)size;
	(void)kind;
	if (loc < (size_t)s->nlocs && s->loc[loc].kind == LOC_SET)
		return set_wide(s->loc[loc].init);
	return value_of(loc < (size_t)s->nlocs ? (uint32_t)s->loc[loc].init : 0);
}

/* ---- one thread ---- */

static unsigned size_of(const struct action *act)
{
	return action_is_library(act) ? 0 : 4;
}

static void fill_op(const struct action *act, int pc, struct op *op)
{
	memset(op, 0, sizeof(*op));
	op->kind = act->op;
	op->order = act->order;
	op->order_fail = act->order_fail;
	op->fn = act->fn;
	op->peer = act->n;
	op->pc = 0x400000u + (unsigned)pc;
	if (act->op == OP_FENCE || act->op == OP_CHOOSE)
		return;
	op->size = (uint8_t)size_of(act);
	op->addr = runner_address(act->loc);
	op->arg = value_of((uint32_t)act->arg);
	op->expected = value_of((uint32_t)act->expected);
	if (act->op >= OP_COUNT_TAKE && act->op <= OP_COUNT_AWAIT)
		op->arg = value_of((uint64_t)act->arg);
	if (action_is_set(act)) {
		op->arg = set_wide(act->arg);
		op->expected = set_wide(act->op == OP_READY_RELEASE ? act->expected : 0);
	}
	if (!action_is_futex(act))
		return;
	op->arg = (struct value){ .lo = act->word, .hi = act->bits };
	if (act->op != OP_FUTEX_REQUEUE)
		return;
	op->arg.hi = act->moves;
	op->expected = value_of(act->to);
}

/*
 * A load whose value is assumed to be what is expected, behind a look at a futex, or not to be that, as the word of a futex is read: that
 * it goes on with no other one is said beforehand.
 */
static void fill_expected(const struct script_thread *th, int pc, struct op *op)
{
	const struct insn *in = &th->code[pc], *then = &th->code[pc + 1];
	const bool looked = pc && th->code[pc - 1].kind == I_FUTEX_LOOK;

	if (pc + 1 >= th->n || then->kind != I_ASSUME || then->cmp != (looked ? CMP_EQ : CMP_NE))
		return;
	if (then->a.reg[0] != in->reg || then->a.reg[1] >= 0 || then->a.k || then->b.reg[0] >= 0)
		return;
	op->fn = looked ? LOAD_OF_FUTEX : LOAD_CHANGED;
	op->expected = value_of((uint32_t)then->b.k);
}

/* A step whose status is not an answer: true when the thread must stop running. */
static bool stops(struct exec *x, enum step_status st)
{
	if (st == STEP_CUT)
		x->cut = true;
	if (st == STEP_WRONG)
		runner_wrong(x, "STEP_WRONG: %s", engine_error(x->e));
	return st != STEP_DONE;
}

/* The last operation of a thread. */
static void finish_thread(struct exec *x, int t, enum interp_status status)
{
	struct op op = { .kind = OP_END };
	struct op_result res;

	if (status == IT_BLOCKED) {
		op.kind = OP_BLOCK;
		op.fn = BLOCK_ASSUMES;
	}
	if (status == IT_STUCK) {
		op.kind = OP_STUCK;
		op.peer = x->th[t].it.round;
	}
	runner_tell_plain(x, t + 1);
	if (status == IT_FAILED) {
		engine_fail(x->e);
		x->cut = true;
		return;
	}
	bool done = !stops(x, engine_step(x->e, (uint32_t)t + 1, &op, &res));
	if (done && op.kind != OP_END)
		runner_wrong(x, "thread %d: an operation of kind %d answered STEP_DONE", t + 1,
			     op.kind);
	x->th[t].over = done || x->th[t].over;
}

/* Every load or read-modify-write may turn out to be an await: says with which values the thread only waits there. */
static void look_ahead(struct exec *x, int t, const struct action *act, struct op *op)
{
	struct await_mask told = { .known = 0 };
	uint32_t round;

	op->await = 1;
	told.known = engine_await_unknown(x->e, (uint32_t)t + 1, op);
	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(told.known >> bit & 1) ||
		    !interp_fails(&x->th[t].it, &x->rounds[t], act,
				  (int64_t)engine_await_value(x->e, op, bit).lo, &round))
			continue;
		told.fails |= (uint64_t)1 << bit;
		told.stays |= (uint64_t)(round != 0) << bit;
		await_mask_round(&told, round);
	}
	if (told.known)
		engine_await_tell(x->e, (uint32_t)t + 1, &told);
}

static void run_thread(struct exec *x, int t)
{
	struct thread *th = &x->th[t];
	struct op op = { .kind = OP_START };
	struct op_result res;
	struct action act;

	if (!th->started) {
		runner_tell_plain(x, t + 1);
		if (stops(x, engine_step(x->e, (uint32_t)t + 1, &op, &res)))
			return;
		th->started = true;
	}
	while (!x->cut && !x->wrong && !x->r->raced) {
		enum interp_status st = interp_next(&th->it, &act);
		if (st == IT_OP && x->opt->max_reads && th->it.reads >= x->opt->max_reads &&
		    action_reads(&act)) {
			th->cut = true;
			st = IT_BLOCKED;
		}
		if (st != IT_OP) {
			finish_thread(x, t, st);
			return;
		}
		if ((act.op == OP_LOAD || act.op == OP_STORE) && act.order == ORDER_NA &&
		    !x->opt->plain_events) {
			runner_plain(x, t, &act);
			continue;
		}
		if (act.loc >= 0 && !x->opt->plain_events &&
		    runner_races(x, act.loc, t + 1, act.op != OP_LOAD))
			x->r->raced = true;
		fill_op(&act, th->it.pc, &op);
		if (x->opt->futexes && act.op == OP_LOAD)
			fill_expected(&x->s->thread[t], th->it.pc, &op);
		memset(&res, 0, sizeof(res));
		if (x->opt->rule && (act.op == OP_LOAD || act.op == OP_CAS || act.op == OP_RMW))
			look_ahead(x, t, &act, &op);
		runner_tell_plain(x, t + 1);
		th->fixed = engine_fixes(x->e, (uint32_t)t + 1);
		if (stops(x, engine_step(x->e, (uint32_t)t + 1, &op, &res)))
			return;
		runner_answer(x, t, &act, &res);
		if (x->opt->gone)
			runner_gone(x);
	}
}

/* Creates each thread, joins each, exits. */
static void run_main(struct exec *x)
{
	const int n = x->s->nthreads;

	while (!x->cut && !x->wrong) {
		struct op op = { .kind = OP_CREATE };
		struct op_result res = { .tid = 0 };
		if (x->main_at >= n) {
			op.kind = x->main_at < 2 * n ? OP_JOIN : OP_EXIT;
			op.peer = op.kind == OP_JOIN ? (uint32_t)(x->main_at - n + 1) : 0;
		}
		runner_tell_plain(x, 0);
		if (stops(x, engine_step(x->e, 0, &op, &res)))
			return;
		if (op.kind == OP_CREATE && res.tid != (uint32_t)x->main_at + 1)
			runner_wrong(x, "OP_CREATE gave thread %u, not %d", res.tid,
				     x->main_at + 1);
		if (op.kind == OP_EXIT)
			return;
		x->main_at++;
	}
}

static void note_final(struct exec *x)
{
	struct class_key key = { .len = 0 };

	for (int t = 0; t < x->s->nthreads; t++)
		for (int i = 0; i < x->s->thread[t].nregs; i++)
			if (x->s->thread[t].reg_name[i][0] == 'r')
				key_push(&key, (unsigned)i, (uint8_t)x->th[t].it.reg[i]);
	class_set_add(&x->r->finals, &key)->visits++;
}

static bool key_has(const struct class_key *key, uint8_t letter)
{
	for (int i = 0; i + 1 < key->len; i += 2)
		if (key->b[i] == 0xff && key->b[i + 1] == letter)
			return true;
	return false;
}

static void check_ending(struct exec *x, const struct engine_outcome *out,
			 const struct class_key *key)
{
	enum class_kind kind = key_kind(key);
	bool ok = false;

	if (key_has(key, 'A')) {
		if (out->ending != END_BLOCKED)
			runner_wrong(x, "an execution with threads at awaits ended with %d",
				     out->ending);
		return;
	}
	switch (out->ending) {
	case END_COMPLETE:
		ok = kind == CLASS_COMPLETE;
		break;
	case END_AWAIT_STUCK:
		ok = kind == CLASS_BLOCKED && x->opt->rule;
		break;
	case END_BLOCKED:
		ok = kind == CLASS_BLOCKED || kind == CLASS_CUT;
		break;
	case END_DEADLOCK:
		ok = kind == CLASS_DEADLOCK || (kind == CLASS_BLOCKED && key_has(key, 'W'));
		break;
	case END_FAILED:
		ok = kind == CLASS_ERROR;
		break;
	default:
		break;
	}
	if (!ok)
		runner_wrong(x, "an execution of kind %d ended with %d%s%s", kind, out->ending,
			     out->ending == END_WRONG ? ": " : "",
			     out->ending == END_WRONG ? engine_error(x->e) : "");
}

static void begin(struct exec *x)
{
	x->main_at = 0;
	x->toucher = -1;
	x->cut = x->wrong = false;
	memset(x->shadow, 0, sizeof(x->shadow));
	for (int l = 0; l < x->s->nlocs; l++) {
		x->memory[l] = x->s->loc[l].init;
		x->shadow[l].write_tid = -1;
	}
	for (int t = 0; t < x->s->nthreads; t++) {
		struct thread *th = &x->th[t];
		interp_init(&th->it, x->s, t);
		th->started = th->over = th->cut = th->fixed = false;
		th->ndone = 0;
		x->rounds[t].n = 0;
		x->rounds[t].no_mo = x->opt->model == MODEL_WRA;
	}
	engine_begin(x->e);
}

static void runner_forget(struct runner *r)
{
	class_set_clear(&r->classes);
	class_set_clear(&r->finals);
	class_set_clear(&r->values);
	class_set_clear(&r->deadlocks);
	memset(r->endings, 0, sizeof(r->endings));
	r->graphs = r->ngraphs = 0;
	r->executions = r->waiting = r->wasted = r->stuck_bugs = 0;
}

void runner_note(struct runner *r, const struct visit *v)
{
	struct class *c;

	if (v->restarted) {
		r->by_reads_from |= v->restarted & RESTART_VALUES;
		runner_forget(r);
		return;
	}
	if (v->descends)
		return;
	if (!v->counts) {
		r->wasted++;
		return;
	}
	if (v->ending == END_BLOCKED && key_has(&v->key, 'A')) {
		r->waiting++;
		return;
	}
	c = class_set_add(&r->classes, &v->key);
	if (v->ending == END_COMPLETE)
		class_set_add(&r->values, &v->values)->visits++;
	if (key_kind(&v->key) == CLASS_DEADLOCK)
		class_set_add(&r->deadlocks, &v->values)->visits++;
	c->visits++;
	c->state = v->state;
	c->stuck |= v->ending == END_AWAIT_STUCK; /* in some modification order */
	r->endings[key_kind(&v->key)]++;
	r->executions++;
	r->stuck_bugs += v->ending == END_AWAIT_STUCK;
}

/* Can the engine tell the steps of an execution? */
static bool has_steps(const struct exec *x)
{
	return !x->opt->long_ones && (!x->opt->give_back_after || x->opt->everything);
}

/* As often as was asked for. */
static bool has_descended(const struct exec *x)
{
	return x->opt->estimate == ESTIMATE_ONLY &&
	       engine_estimate(x->e)->descents >= (double)x->opt->descents;
}

/* Those that need no program. */
static void make_others(struct exec *x, struct engine_outcome *out)
{
	struct engine_outcome made;

	for (uint32_t n = x->opt->makes ? x->opt->makes : UINT32_MAX;
	     x->opt->memo && n-- && out->more && !out->restarted && !has_descended(x) &&
	     engine_makes(x->e, &made);) {
		if (made.ending != END_WASTED && !engine_is_descending(x->e))
			runner_graph(x->r, x->e);
		if (!runner_has_run(x->e, (uint32_t)x->s->nthreads))
			runner_wrong(x, "an execution is made of what other engines have run");
		engine_advance(x->e, &made);
		out->more = made.more;
		out->limit = made.limit;
		out->restarted = made.restarted;
	}
}

/* What its threads have read. */
static void note_run(const struct exec *x)
{
	for (int t = 0; t < x->s->nthreads; t++) {
		uint64_t history = runner_ran_begins(x->e, (uint32_t)t + 1);

		for (int i = 0; i < x->th[t].ndone; i++)
			if (action_reads(&x->th[t].done[i].act))
				history = runner_ran_reads(history,
							   (uint64_t)x->th[t].done[i].eff.read);
	}
}

/* One execution; true when another follows. */
static bool execute(struct exec *x, struct visit *v)
{
	struct engine_outcome out = { .more = false };
	int t, switches = 0;

	v->counts = false;
	v->restarted = 0;
	v->descends = engine_is_descending(x->e);
	begin(x);
	while (!x->cut && !x->wrong && !x->r->raced && (t = engine_next(x->e)) != ENGINE_OVER) {
		if (t == 0)
			run_main(x);
		else if (t > 0 && t <= x->main_at && t <= x->s->nthreads && !x->th[t - 1].over)
			run_thread(x, t - 1);
		else
			runner_wrong(
				x, "engine_next() chose thread %d, which does not exist or is over",
				t);
		if (++switches > 100000)
			runner_wrong(x, "engine_next() goes on for ever");
	}
	if (x->wrong)
		return false;
	if (x->r->raced) {
		engine_fail(x->e);
		return false;
	}
	bool failed = false;
	for (int i = 0; i < x->s->nthreads; i++)
		failed |= x->th[i].it.status == IT_FAILED;
	if ((!x->cut || failed) && has_steps(x))
		runner_key(x, &v->key);
	runner_values(x, &v->values);
	note_run(x);
	v->state = 0;
	for (int i = 0; i < x->s->nthreads; i++)
		v->state += interp_state(&x->th[i].it);
	if (x->r->steps)
		x->r->nsteps = engine_steps(x->e, x->r->steps, x->r->max_steps);
	engine_end(x->e, &out);
	if (out.ending != END_WASTED && !v->descends)
		runner_graph(x->r, x->e);
	engine_advance(x->e, &out);
	make_others(x, &out);
	if (has_descended(x))
		out.more = false;
	x->limited = out.limit;
	runner_trail(x->r, out.ending);
	if (x->wrong)
		return false;
	if (out.restarted) {
		v->restarted = out.restarted;
		return out.more;
	}
	if (v->descends)
		return out.more;
	v->ending = out.ending;
	if (x->cut && !failed) {
		x->r->endless |= out.ending == END_LIMIT;
		if (out.ending != END_WASTED)
			runner_wrong(x, "STEP_CUT, then ending %d", out.ending);
		return out.more;
	}
	if (out.ending == END_WASTED)
		return out.more;
	if (!has_steps(x))
		return out.more;
	v->counts = true;
	check_ending(x, &out, &v->key);
	if (key_kind(&v->key) == CLASS_COMPLETE)
		note_final(x);
	return out.more;
}

/* The engine's own counters, against what was seen. */
static void check_stats(struct exec *x)
{
	const struct engine_stats *st = engine_stats(x->e);

	if (!has_steps(x) || x->opt->memo)
		return;
	uint64_t complete = x->r->endings[CLASS_COMPLETE];

	if (st->executions != complete ||
	    st->blocked + st->failed != x->r->executions + x->r->waiting - complete)
		runner_wrong(
			x,
			"engine_stats() has %llu complete, %llu blocked, %llu failed; seen %llu, %llu",
			(unsigned long long)st->executions, (unsigned long long)st->blocked,
			(unsigned long long)st->failed, (unsigned long long)complete,
			(unsigned long long)(x->r->executions + x->r->waiting - complete));
	if (ledger_unbalanced(&st->ledger))
		runner_wrong(x, "%s", ledger_unbalanced(&st->ledger));
	const char *why =
		x->opt->futexes ? ledger_unfinished(&st->ledger) : ledger_incomplete(&st->ledger);
	if (x->opt->mode == ENGINE_EXPLORE && !x->limited && !x->r->endless &&
	    x->opt->estimate != ESTIMATE_ONLY && why)
		runner_wrong(x, "%s", why);
	if (st->wasted < x->r->wasted)
		runner_wrong(x, "engine_stats() has %llu wasted, seen %llu",
			     (unsigned long long)st->wasted, (unsigned long long)x->r->wasted);
	x->r->wasted = st->wasted; /* also those that it never had executed */
}

static struct exec only;

void runner_start(struct runner *r, const struct script *s, const struct runner_options *opt)
{
	runner_forget(r);
	runner_ran_nothing();
	r->raced = r->endless = r->by_reads_from = false;
	memset(r->behind, 0, sizeof(r->behind));
	r->trail = 0;
	r->error[0] = 0;
	memset(&only, 0, sizeof(only));
	only.r = r;
	only.s = s;
	only.opt = opt;
}

struct engine *runner_engine(struct runner *r, int which, int of, struct engine_names *names)
{
	const struct runner_options *opt = only.opt;
	struct engine_config cfg = {
		.mode = opt->mode,
		.model = opt->model,
		.equivalence = opt->equivalence,
		.seed = opt->seed,
		.strategy = opt->strategy,
		.depth = opt->depth,
		.max_executions = opt->max_executions,
		.waiting_locks = opt->waiting_locks,
		.plain_awaits = opt->plain_awaits,
		.remembers = opt->remembers,
		.by_sets_after = opt->by_sets_after,
		.by_states_after = opt->by_states_after,
		.by_nodes = opt->by_nodes,
		.give_back_after = opt->give_back_after,
		.everything = opt->everything,
		.replay = opt->replay,
		.replay_len = opt->replay_len,
		.names = names,
		.board = r->board,
		.memo = opt->memo,
		.memo_bytes = opt->memo_bytes,
		.estimate = opt->estimate,
		.estimate_after = opt->estimate_after,
		.initial = initial,
		.ctx = (void *)only.s,
	};
	size_t size = MEM_SIZE / (size_t)of & ~(size_t)4095;
	struct engine *e;
	void *mem = (char *)r->mem + (size_t)which * size;
	int err;

	madvise(mem, size, MADV_DONTNEED);
	err = engine_init(&e, mem, size, &cfg);
	if (!err && opt->memo && !opt->plain_events)
		runner_share_plain(&only, e);
	if (!err)
		return e;
	snprintf(r->error, sizeof(r->error), "engine_init: %d", err);
	return NULL;
}

struct engine *runner_last(void)
{
	return only.e;
}

bool runner_execute(struct runner *r, struct engine *e, struct visit *v)
{
	bool more;

	only.e = e;
	if (setjmp(judged_escape)) {
		runner_wrong(&only, "%s", judged_error);
		return false;
	}
	judged_begin();
	more = execute(&only, v);
	judged_end();
	(void)r;
	return more;
}

bool runner_make(struct engine *e, unsigned *restarted)
{
	struct engine_outcome out = { .more = true };

	only.e = e;
	make_others(&only, &out);
	*restarted = out.restarted;
	return out.more && !only.wrong;
}

bool runner_run(struct runner *r, const struct script *s, const struct runner_options *opt)
{
	struct visit v;
	bool more = true;

	runner_start(r, s, opt);
	only.e = runner_engine(r, 0, 1, NULL);
	if (!only.e)
		return false;
	while (more) {
		more = runner_execute(r, only.e, &v);
		if (r->error[0] || r->raced)
			break;
		runner_note(r, &v);
		if (r->executions + r->waiting + r->wasted > TOO_MANY) {
			r->endless = true;
			break;
		}
	}
	if (!r->raced && !r->error[0])
		check_stats(&only);
	return !r->error[0];
}
