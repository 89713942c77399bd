/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explore.c - the strategy that visits every execution graph once
 *
 * The algorithm is tests/reference/explore.py. Here it runs without recursion: while the
 * program executes, every alternative is noted as work on a stack, stamped with the size of
 * the graph it belongs to. When the program is through, the latest work is taken, the graph
 * cut back to its stamp, changed, and the program executed again: it repeats the graph and
 * goes on from there. A backward revisit makes a new graph on top of the current one
 * (graph_push()) with its own work; when that is done, the one below is current again. So
 * memory is one graph for each level of backward revisits.
 *
 * Events are added by the enabled thread with the lowest number: a function of the graph,
 * as optimality demands.
 *
 * Read-modify-writes. The read may observe a write that another has taken; the graph is then
 * only good for the revisits that take the other away (it is not executed).
 *
 * Guarded operations (semaphores, once controls, and mutexes of programs with trylock; others
 * are explore_lock.c's) may always wait, which is to observe nothing: one more choice
 * beside the writes that let them pass, and the canonical one. So what somebody else takes
 * first is never taken away from anyone; there is a graph in which it waited. As long as no write lets
 * them pass they are not in the graph. A graph
 * that ends with a thread waiting although a free write would let it pass is no execution.
 *
 * Why each graph is visited, and visited once: explore.txt, E1 and E2.
 *
 * Invariant: work is sorted by stamp within a graph. Caller: engine.c, through the strategy.
 */
#include "engine/explore/explore.h"
#include "engine/explore/around.h"
#include "engine/explore/estimate.h"
#include "engine/explore/strategy.h"
#include "engine/run/checks.h"

static void explore_begin(struct engine *e)
{
	e->picked = NO_POS;
	e->topping = !await_is_ready(e);
	around_begin(e);
}

/*
 * What a new write revisits is to be noted when the awaits know its value: at the end of the next
 * run. A graph that does not fit cannot be executed; then the read-modify-write is taken out
 * for that time.
 */
static void put_off(struct engine *e, uint32_t read, uint32_t write, bool fits)
{
	struct graph *g = &e->graph;

	e->late = write;
	e->late_fits = fits;
	if (fits)
		return;
	if (read + 1 == write) {
		e->late_read = g->ev[read];
		e->late_waits = g->waits[read];
		graph_truncate(g, read);
		return;
	}
	/* The read was revisited, and others may depend on it. */
	e->restart |= RESTART_AWAITS;
	graph_truncate(g, 0);
}

static void put_back(struct engine *e)
{
	const uint32_t tid = e->late_read.tid;
	const struct thread *th = &e->thread[tid];
	uint32_t read;

	/* Its thread stands there, and was asked about the value that the run was for. */
	if ((e->late_read.flags & EV_AWAIT) && e->done[tid] == e->late_read.index &&
	    th->await_at == e->done[tid] + 1)
		e->late_waits.mask = th->await;
	read = graph_add(&e->graph, &e->late_read);
	e->graph.waits[read] = e->late_waits;

	run_set_read(e, read, e->late_read.rf, e->late_read.choice);
	run_add_write_part(e, read);
}

/*
 * Notes what the newest write revisits, if that had to wait until the awaits of the graph knew
 * its value. False: the graph was only good for that.
 */
static bool note_late(struct engine *e)
{
	uint32_t write = e->late;

	if (write == NO_POS)
		return !e->dead_end;
	e->late = NO_POS;
	if (!e->late_fits)
		put_back(e);
	if (!await_is_ready(e)) { /* a run met no await that it should have */
		e->restart |= RESTART_AWAITS;
		return false;
	}
	must(write + 1 == e->graph.n);
	revisit_note(e, write);
	e->dead_end = !e->late_fits;
	return !e->dead_end;
}

/*
 * Nothing can move: shall the threads that wait for values look for good? Not if that can only
 * show that they need not wait for ever; and where the graph has awaits that wait, it is done
 * without them (look_again()).
 */
static bool may_look(struct engine *e)
{
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (await_waits(e, t) && e->done[t] < e->graph.count[t])
			return false;
	return await_may_be_stuck(e);
}

static int explore_pick(struct engine *e)
{
	e->last_looks = false;
	if (e->restart || !note_late(e))
		return ENGINE_OVER;
	if (around_follows(e))
		return around_pick(e);
	if (e->forced != NO_POS)
		return lock_is_forced(e) ? (int)e->forced : ENGINE_OVER;
	lock_arrivals(e);
	if (e->finishing && run_enabled(e, e->astray))
		return (int)e->astray;
	if (e->picked != NO_POS && run_enabled(e, e->picked))
		return (int)e->picked;
	THREAD_SET_EACH(t, &e->waiting) {
		/* Those that look do so last; who has looked goes on with its round. */
		if (!(e->looking && await_waits(e, t)) && run_enabled(e, t)) {
			e->picked = t;
			return (int)t;
		}
	}
	for (uint32_t t = 0; t < e->nthreads; t++)
		if (await_waits(e, t)) {
			e->last_looks = e->looking || may_look(e);
			return e->last_looks ? (int)t : ENGINE_OVER;
		}
	return run_exit(e);
}

/* The read at pos now observes a write that nobody has taken: may it write as well? */
static bool may_write(struct engine *e, uint32_t pos)
{
	struct graph *g = &e->graph;
	struct question q;
	bool ok;

	if (!e->model->rmw_differs)
		return true;
	model_ask(&q, e->model, g, g->count, pos);
	ok = model_admits_rmw(&q, g->ev[pos].rf);
	model_asked(&q);
	return ok;
}

/*
 * Adds the write part of the read at pos, which has its say about earlier reads in any case.
 * Returns whether the graph itself is consistent (fits, and mo agrees), and worth executing.
 */
static bool add_write_part(struct engine *e, uint32_t pos, bool fits)
{
	uint32_t write = run_add_write_part(e, pos);

	if (e->graph.mo)
		fits = mo_place_rmw(e, write) && fits;
	if (e->graph.ev[pos].flags & EV_LOOKS)
		return fits; /* nothing comes of it any more */
	if (!await_is_ready(e)) {
		put_off(e, pos, write, fits);
		return true;
	}
	if (!revisit_note(e, write) && !fits) /* E5 */
		e->stats.wasted++;
	return fits;
}

/*
 * Lets the read at pos, the latest event, observe rf. False: the graph is only good for
 * revisits, and they are noted.
 */
static bool observe(struct engine *e, uint32_t pos, uint32_t rf, uint32_t choice, bool taken)
{
	if (run_set_read(e, pos, rf, choice) != GUARD_WRITES)
		return true;
	return add_write_part(e, pos, !taken);
}

static void note_read(struct engine *e, uint32_t pos, const struct candidate *c, uint32_t choice)
{
	note_work(e, (struct work){ .kind = WORK_READ,
				    .stamp = pos,
				    .rf = c->write,
				    .choice = choice,
				    .taken = c->taken,
				    .witness = c->witness });
}

static const struct candidate waiting = { .write = RF_NONE };

/* The candidate that a new read observes first, or NO_POS. */
static uint32_t first_free(const struct candidate *c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!c[i].taken)
			return i;
	return NO_POS;
}

/* Notes all else that a new read may observe, or do with it. */
static void note_others(struct engine *e, uint32_t pos, const struct candidate *c, uint32_t n,
			uint32_t first)
{
	const struct event *ev = &e->graph.ev[pos];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t choices = graph_choices(&e->graph, ev, c[i].write);

		if (c[i].taken && !revisit_could_take(e, pos, c[i].write))
			continue;
		for (uint32_t k = i == first; k < choices; k++)
			note_read(e, pos, &c[i], k);
	}
}

static enum step_status add_read(struct engine *e, uint32_t tid, const struct op *op)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	const bool may_wait = guard_may_block(op->kind) && guard_others_move(e, tid);
	uint32_t pos = run_add_read(e, tid, op), n, first, alternatives;
	struct candidate *c = arena_take(&g->scratch, (g->n + 1) * sizeof(*c));
	bool blocks;

	/* To be there when the read observes it later: other executions may begin with another. */
	g->ev[pos].written = g->locs[g->ev[pos].loc].initial;
	if (op->await && e->last_looks)
		g->ev[pos].flags |= EV_LOOKS;
	n = run_candidates(e, pos, c, &blocks);
	if (g->ev[pos].flags & EV_LOOKS)
		n = await_last_words(e, pos, c, n);
	first = first_free(c, n);
	if ((g->ev[pos].flags & EV_LOOKS) && first == NO_POS) {
		e->dead_end = true; /* it would go on */
		n = 0;
	}
	if (first != NO_POS && is_await(&g->ev[pos]))
		await_note(e, pos, c, n, blocks);
	alternatives = e->nwork;
	note_others(e, pos, c, n, first);
	if (first == NO_POS && op->await && e->nwork == alternatives) {
		await_goes_on(e, pos);
		arena_reset(&g->scratch, mark);
		return STEP_WAIT;
	}
	if (!n && guard_may_block(op->kind) && !(g->ev[pos].flags & EV_LOOKS)) {
		guard_waits_outside(e, pos);
		arena_reset(&g->scratch, mark);
		return STEP_WAIT;
	}
	must(first != NO_POS || guard_may_block(op->kind) || op->await);
	if (first != NO_POS && may_wait)
		note_read(e, pos, &waiting, 0);
	g->witness.promised = first == NO_POS ? 0 : c[first].witness;
	observe(e, pos, first == NO_POS ? RF_NONE : c[first].write, 0, false);
	arena_reset(&g->scratch, mark);
	return first == NO_POS ? STEP_WAIT : STEP_DONE;
}

static void add_choice(struct engine *e, uint32_t tid, const struct op *op)
{
	uint32_t pos = run_add_simple(e, tid, op);

	e->graph.ev[pos].read = value_of(0);
	for (uint32_t k = 1; k < op->peer; k++)
		note_work(e, (struct work){ .kind = WORK_READ, .stamp = pos, .choice = k });
}

static void add_write(struct engine *e, uint32_t pos)
{
	if (e->graph.mo)
		must(mo_place(e, pos, NO_POS));
	if (await_is_ready(e))
		revisit_note(e, pos);
	else
		e->late = pos;
	e->late_fits = true;
}

/*
 * Does the operation, happening, leave other threads as they are: able to move, or not? (Who has begun, or has joined
 * another one, is waited for by nobody.)
 */
static bool is_private(struct engine *e, const struct op *op)
{
	struct graph *g = &e->graph;

	if (op->kind > OP_FENCE)
		return op->kind == OP_START || op->kind == OP_JOIN;
	if (op->kind == OP_LOAD || op->kind == OP_FENCE)
		return true;
	return !g->locs[graph_location(g, op->addr, op->size)].awaits;
}

static enum step_status explore_add(struct engine *e, uint32_t tid, const struct op *op)
{
	enum step_status status = STEP_DONE;
	uint32_t pos;

	if (e->restart)
		return STEP_CUT;
	if ((op->kind == OP_TRYLOCK || op->kind == OP_UNLOCK) && lock_breaks_order(e, tid, op)) {
		e->restart |= RESTART_LOCKS;
		return STEP_CUT;
	}
	e->fresh |= (uint64_t)1 << tid;
	if (!is_private(e, op))
		e->picked = NO_POS;
	witness_settle(&e->graph, e->model);
	if (around_follows(e))
		return around_add(e, tid, op);
	if (lock_slotted(e, op)) {
		lock_add(e, tid, op);
		return STEP_DONE;
	}
	if (op_reads(op)) {
		status = add_read(e, tid, op);
	} else if (op->kind == OP_CHOOSE) {
		add_choice(e, tid, op);
	} else {
		pos = run_add_simple(e, tid, op);
		if (e->graph.ev[pos].flags & EV_WRITE)
			add_write(e, pos);
	}
	if (e->late == NO_POS)
		return status;
	e->rerun = true;
	return STEP_CUT;
}

static bool do_read(struct engine *e, const struct work *w)
{
	struct event *ev = &e->graph.ev[w->stamp];

	if (ev->kind != OP_CHOOSE) {
		if (w->rf == RF_INIT)
			e->graph.locs[ev->loc].initial = ev->written;
		if (w->gate)
			waits_of(&e->graph, ev)->gate = 0; /* it is this item */
		e->graph.witness.promised = w->witness;
		return observe(e, w->stamp, w->rf, w->choice, w->taken);
	}
	ev->choice = w->choice;
	ev->read = value_of(w->choice);
	return true;
}

/* The read at pos observes the write that revisited it: its write part comes next. */
static bool revisited(struct engine *e, uint32_t pos)
{
	if (!(e->graph.ev[pos].flags & EV_EXCLUSIVE))
		return true;
	return add_write_part(e, pos, may_write(e, pos));
}

uint32_t explore_push(struct engine *e, const uint8_t *keep, uint32_t read, uint32_t write)
{
	struct graph *g = &e->graph;

	must(e->nframes < g->capacity);
	e->frame[e->nframes++] = (struct frame){
		.base = g->base,
		.n = g->n,
		.work = e->work_base,
		.doubt = g->witness.doubt,
		.await_ready = e->await_ready,
	};
	e->work_base = e->nwork;
	return graph_push(g, keep, read, write);
}

/* Was the event inserted no later than the read? */
static bool inserted_by(const struct graph *g, uint32_t pos, uint32_t read)
{
	return pos <= read || (g->nlate_locks &&
			       !stamp_less((struct stamp){ read, UINT32_MAX }, lock_stamp(g, pos)));
}

static bool do_revisit(struct engine *e, const struct work *w)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	const uint32_t *prefix = graph_porf(g, w->stamp);
	uint8_t *keep = arena_take(&g->scratch, g->n);
	uint32_t read;

	for (uint32_t p = 0; p < g->n; p++)
		keep[p] = inserted_by(g, p, w->read) || g->ev[p].index < prefix[g->ev[p].tid];
	if (g->mo)
		graph_unplace(g, w->stamp);
	read = explore_push(e, keep, w->read, w->stamp);
	arena_reset(&g->scratch, mark);
	lock_refresh(e, read);
	lock_ask_again(e, g->ev[read].tid);
	run_set_read(e, read, g->ev[read].rf, w->choice);
	if (g->mo && !mo_place(e, g->n - 1, read)) {
		e->stats.wasted++;
		return false;
	}
	return revisited(e, read);
}

static bool do_place(struct engine *e, const struct work *w)
{
	graph_unplace(&e->graph, w->stamp);
	graph_place(&e->graph, w->stamp, w->rf);
	if (w->read == NO_POS)
		return true;
	lock_refresh(e, w->read);
	lock_ask_again(e, e->graph.ev[w->read].tid);
	return revisited(e, w->read);
}

void explore_pop(struct engine *e)
{
	const struct frame *f = &e->frame[--e->nframes];
	struct graph *g = &e->graph;

	/* Its work is done, and that of the one below is not. */
	must(e->nwork == e->work_base && f->work <= e->work_base);
	graph_pop(g, f->base, f->n);
	g->witness.doubt = f->doubt;
	e->work_base = f->work;
	/* As it was: where values were met since, the version is another one. */
	e->await_ready = f->await_ready;
}

bool explore_do(struct engine *e, const struct work *w)
{
	e->forced = NO_POS;
	e->fresh = 0;
	/* In place of the event at the stamp, which does not come along from another engine. */
	if (w->kind == WORK_TAKE) {
		e->looking = false;
		lock_take(e, w);
		return true;
	}
	must(w->stamp < e->graph.n);
	graph_truncate(&e->graph, w->stamp + 1);
	graph_changes(&e->graph, w->stamp);
	e->looking = e->graph.ev[w->stamp].flags & EV_LOOKS;
	switch ((enum work_kind)w->kind) {
	case WORK_TAKE:
		break;
	case WORK_SLOT:
		lock_take_slot(e, w);
		return true;
	case WORK_READ:
		lock_ask_again(e, e->graph.ev[w->stamp].tid);
		return do_read(e, w);
	case WORK_REVISIT:
		return do_revisit(e, w);
	case WORK_PLACE:
		lock_ask_again(e, e->graph.ev[w->stamp].tid);
		return do_place(e, w);
	}
	must(!"an item of work is of a kind that is known");
	return false;
}

/* The same execution again, without the awaits that wait in the graph: they look for good. */
static void look_again(struct engine *e)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	uint8_t *keep = arena_take(&g->scratch, g->n);

	for (uint32_t p = 0; p < g->n; p++)
		keep[p] = !(g->ev[p].flags & EV_BLOCKED) || !(g->ev[p].flags & EV_AWAIT);
	explore_push(e, keep, NO_POS, NO_POS);
	arena_reset(&g->scratch, mark);
	e->forced = NO_POS;
	e->fresh = 0;
	e->looking = true;
}

/*
 * The program did not repeat the graph, since it acts on what no operation tells. What it did repeat
 * is an execution all the same, if not the one that was wanted: it is done once more and brought to
 * its end, for the bugs in it, with the thread that went
 * astray in front, since it was to come before others. Nothing is noted on the way, or there might be no end of that.
 */
static void finish_stray(struct engine *e)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	uint8_t *keep = arena_take(&g->scratch, g->n);

	for (uint32_t p = 0; p < g->n; p++)
		keep[p] = happened(e, p);
	explore_push(e, keep, NO_POS, NO_POS);
	arena_reset(&g->scratch, mark);
	e->forced = NO_POS;
	e->fresh = 0;
	e->looking = false;
	e->finishing = true;
}

static bool explore_again(struct engine *e, struct engine_outcome *outcome)
{
	bool finished = e->finishing, stray = e->stray && !finished;
	struct ledger *l = &e->stats.ledger;

	e->finishing = e->stray = false;
	/* The run that awaits were to be asked in came to no end: a bug is on the way. */
	if (e->late != NO_POS && !e->rerun)
		e->restart |= RESTART_AWAITS;
	outcome->restarted = e->restart;
	if (e->restart) {
		e->slots = e->slots && !(e->restart & RESTART_LOCKS);
		e->awaits = e->awaits && !(e->restart & RESTART_AWAITS);
		e->restart = 0;
		engine_anew(e);
		estimate_forget(e);
		return true;
	}
	if (finished) {
		l->work[WORK_DROPPED] += e->nwork - e->work_base;
		e->nwork = e->work_base;
	}
	if (stray) {
		l->cause[CAUSE_STRAY]++;
		finish_stray(e);
		return true;
	}
	if (e->rerun || e->look_again) {
		l->cause[e->look_again ? CAUSE_LOOK : CAUSE_ASK]++;
		if (e->look_again)
			look_again(e);
		e->rerun = e->look_again = false;
		return true;
	}
	if (estimate_is_on(e) && estimate_goes_on(e, outcome))
		return true;
	if (estimate_is_due(e)) {
		estimate_begin(e);
		return true;
	}
	for (;;) {
		while (e->nwork > e->work_base) {
			struct work w = e->work[--e->nwork];

			if (e->nskip && share_skips(e, e->graph.ev, &w)) {
				l->work[WORK_SKIPPED]++;
				continue;
			}
			if (!await_wants(e, &w)) {
				l->work[WORK_UNWANTED]++;
				continue;
			}
			if (explore_do(e, &w)) {
				l->work[WORK_DONE]++;
				checks_step(e);
				return true;
			}
			l->work[WORK_FRUITLESS]++;
		}
		if (!e->nframes)
			return false;
		explore_pop(e);
		checks_popped(e);
	}
}

const struct strategy strategy_explore = {
	.begin = explore_begin,
	.pick = explore_pick,
	.add = explore_add,
	.again = explore_again,
};
