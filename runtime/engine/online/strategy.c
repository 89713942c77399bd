/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * strategy.c - the strategy of random testing
 *
 * Who moves next the session's strategy chooses (strategies/); what it does is drawn from all that the model lets it
 * do (online.h). Execution i of a session draws from a generator seeded by the session's seed and i.
 */
#include "engine/explore/strategy.h"

#include "base/prng.h"
#include "engine/online/give_back.h"
#include "engine/online/turn.h"
#include "engine/run/run.h"

static void online_begin(struct engine *e)
{
	uint64_t mix = e->config.seed ^ (e->run - e->first_run) * 0x9e3779b97f4a7c15u;

	if (e->online->giving.any)
		graph_clear(&e->graph);
	else
		graph_truncate(&e->graph, 0);
	e->nthreads = 1;
	e->picked = NO_POS;
	e->seed = e->config.seed;
	e->random = prng_next(&mix);
	online_restart(e);
	if (guide_is(&e->online->guide))
		guide_begin(e);
}

/* Without those that are known to wait in vain. */
static void leave_out_vain(struct engine *e, struct thread_set *set)
{
#ifdef HEDDLE_CHECKS
	THREAD_SET_EACH(tid, set)
		must(!thread_set_has(&e->online->vain.now, tid) || !online_able(e, tid));
#endif
	thread_set_subtract(set, &e->online->vain.now);
}

/* Those of the set that can move; one of them cannot. */
static struct thread_set able_of(struct engine *e, const struct thread_set *set, uint32_t unable)
{
	struct thread_set *unsure = &e->online->unsure, able, ask;

	thread_set_copy(&able, set);
	thread_set_copy(&ask, set);
	thread_set_subtract(&able, unsure);
	thread_set_keep(&ask, unsure);
	thread_set_remove(&ask, unable);
	leave_out_vain(e, &ask);
	while (thread_set_any(&ask)) {
		const uint32_t tid = thread_set_first(&ask);
		const struct op *op = &e->thread[tid].pending;

		thread_set_remove(&ask, tid);
		if (op->kind <= OP_FENCE && !op->await)
			thread_set_remove(unsure, tid);
		if (online_able(e, tid))
			thread_set_add(&able, tid);
		else
			leave_out_vain(e, &ask);
	}
#ifdef HEDDLE_CHECKS
	THREAD_SET_EACH(tid, &able)
		must(online_able(e, tid));
#endif
	return able;
}

/* Whom the strategy chooses of the set, without one of them that cannot move. It has been asked about all of them. */
static int draw_another(struct engine *e, const struct thread_set *set, uint32_t unable)
{
	struct choices *c = &e->online->choices;
	const struct thread_set able = able_of(e, set, unable);

	return thread_set_any(&able) ? (int)c->chooser->thread(c, &able, false) : ENGINE_OVER;
}

/*
 * Whom the strategy chooses of the set, if any of them can move. It is asked once more at most, about those that can: where
 * a hundred threads wait for one lock, to ask again without each that cannot took ten thousand steps.
 */
static int draw_of(struct engine *e, const struct thread_set *set)
{
	struct choices *c = &e->online->choices;
	uint32_t tid;

	if (!thread_set_any(set))
		return ENGINE_OVER;
	tid = c->chooser->thread(c, set, true);
	return online_able(e, tid) ? (int)tid : draw_another(e, set, tid);
}

/* Of those that stand aside, the first that can move. Empties the set where there is none. */
static int draw_aside(struct engine *e, struct thread_set *set)
{
	while (thread_set_any(set)) {
		uint32_t tid = polling_longest(&e->online->polling, set);

		if (online_able(e, tid))
			return (int)tid;
		thread_set_remove(set, tid);
	}
	return ENGINE_OVER;
}

/* Some stand aside, of which those that spin go last. */
static int draw_with_aside(struct engine *e, struct thread_set *spin)
{
	struct thread_set set;
	int tid;

	thread_set_copy(&set, &e->waiting);
	thread_set_subtract(&set, &e->aside);
	thread_set_subtract(&set, spin);
	tid = draw_of(e, &set);
	if (tid != ENGINE_OVER)
		return tid;
	thread_set_subtract(spin, &e->aside);
	thread_set_keep(spin, &e->waiting);
	return draw_aside(e, spin);
}

static int draw_thread(struct engine *e)
{
	struct polling *p = &e->online->polling;
	const bool any = thread_set_any(&p->aside);
	struct thread_set spin;
	int tid;

	if (any)
		polling_drawn_aside(p, &e->graph, e->met + e->online->moments.now, &e->random,
				    &spin);
	tid = guide_is(&e->online->guide) ? guide_pick(e) : ENGINE_OVER;
	if (tid != ENGINE_OVER)
		return tid;
	if (any)
		return draw_with_aside(e, &spin);
	if (!thread_set_any(&e->aside))
		return draw_of(e, &e->waiting);
	spin = (struct thread_set){ 0 };
	return draw_with_aside(e, &spin);
}

/* It is that thread's turn, or time has to let somebody go on. */
static int give_turn(struct engine *e, int tid)
{
	if (tid == ENGINE_OVER && online_wait(e))
		tid = draw_thread(e);
	e->picked = tid == ENGINE_OVER ? NO_POS : (uint32_t)tid;
	return tid == ENGINE_OVER ? run_exit(e) : tid;
}

int turn_of_another(struct engine *e, uint32_t unable)
{
	return give_turn(e, draw_another(e, &e->waiting, unable));
}

/*
 * Is a thread about to end the process, and have the others done so much since that some may never end? The process ends with
 * whatever they are at.
 */
static bool ends_now(struct engine *e)
{
	enum {
		GRACE = 10000 /* events */
	};
	struct online *on = e->online;
	const uint64_t now = engine_events(e) + e->yields;

	if (on->exit == EXIT_NONE)
		return false;
	if (on->exit == EXIT_COMES) {
		on->exit = EXIT_WAITS;
		on->exit_since = now;
	}
	if (now - on->exit_since >= GRACE)
		on->exit = EXIT_NOW;
	return on->exit == EXIT_NOW;
}

/* A thread that was drawn has its turn until it has done something: to draw again would change nothing. */
static int online_pick(struct engine *e)
{
	online_look_after_memory(e);
	if (e->online->midway && !online_joins(e, &e->thread[e->picked].pending))
		e->picked = NO_POS;
	e->online->midway = false;
	if (e->picked != NO_POS && !is_aside(e, e->picked) &&
	    e->thread[e->picked].state == THREAD_WAITS && online_able(e, e->picked))
		return (int)e->picked;
	if (ends_now(e)) {
		e->picked = NO_POS;
		return run_exit(e);
	}
	return give_turn(e, draw_thread(e));
}

static enum step_status online_add(struct engine *e, uint32_t tid, const struct op *op)
{
	const struct event *ev = &e->graph.ev[e->graph.n];
	struct online *on = e->online;
	bool spins;
	const uint32_t pos = e->graph.n;

	/* Whoever came between would make it an execution that is none. */
	on->midway = online_is_part(e, op);
	e->picked = op->kind == OP_FUTEX_LOOK || (op->kind == OP_LOAD && op->fn == LOAD_OF_FUTEX) ||
				    on->midway
			    ? tid
			    : NO_POS;
	online_happens(e, tid, op);
	spins = polling_happened(&on->polling, &e->graph, (uint32_t)(ev - e->graph.ev));
	if (e->picked == NO_POS)
		e->picked = on->polling.goes_on;
	choices_happened(
		&on->choices,
		&(struct happening){ .ev = ev, .news = online_is_news(e, ev), .spins = spins });
	if (guide_is(&e->online->guide))
		guide_happened(e, tid, pos);
	return STEP_DONE;
}

static bool online_again(struct engine *e, struct engine_outcome *outcome)
{
	(void)outcome;
	e->stats.drawn[e->online->choices.strategy]++;
	choices_over(&e->online->choices);
	return true; /* until max_executions, or the caller has enough */
}

const struct strategy strategy_online = {
	.begin = online_begin,
	.pick = online_pick,
	.add = online_add,
	.again = online_again,
};
