/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * value.c - the strategy that visits one execution for each vector of values (value.h)
 *
 * Without recursion: the nodes on the way are a stack. The program repeats the graph of the latest one,
 * with the read that is in turn, and goes on to the next reads: a new node. When an execution is over, the
 * latest node with anything left is looked for, its graph is made, and the program runs again.
 */
#include "engine/value/value.h"

#include <string.h>

#include "engine/explore/explore.h"
#include "engine/explore/strategy.h"
#include "engine/run/run.h"
#include "engine/value/ahead.h"
#include "engine/value/board.h"
#include "engine/value/certain.h"
#include "engine/value/finished.h"
#include "engine/value/hand_over.h"
#include "engine/value/known.h"
#include "engine/value/nodes.h"
#include "engine/value/queues.h"
#include "engine/value/states.h"
#include "engine/value/way.h"

/* So many steps (known.h) there is room for: more than for anything else, since they are those of all executions. */
static uint32_t steps_for(uint32_t capacity)
{
	return capacity / 2;
}

size_t value_bytes(uint32_t capacity)
{
	const size_t each = sizeof(struct value_node) + sizeof(struct value_read) +
			    sizeof(uint64_t) + sizeof(struct value_causal) +
			    sizeof(struct value_point) + 2 * VALUE_ROW * sizeof(uint32_t) +
			    sizeof(struct engine_id) + 2 * sizeof(uint32_t) +
			    sizeof(struct value_finished) + 2 * sizeof(uint32_t);
	const uint32_t steps = steps_for(capacity);

	return sizeof(struct value_search) + states_bytes(capacity / 4) + 64 + 13 * ARENA_SKEW +
	       (capacity / 4) * each + steps * sizeof(struct value_step) +
	       known_slots(steps) * sizeof(uint32_t);
}

void value_init(struct engine *e, struct arena *a, uint32_t capacity)
{
	const uint32_t room = capacity / 4, steps = steps_for(capacity);
	struct value_search *v = arena_take(a, sizeof(*v));

	v->room = room;
	v->node = arena_table(a, room * sizeof(*v->node));
	v->reads = arena_table(a, room * sizeof(*v->reads));
	v->good = arena_table(a, room * sizeof(*v->good));
	v->causal = arena_table(a, room * sizeof(*v->causal));
	v->point = arena_table(a, room * sizeof(*v->point));
	v->wrote = arena_table(a, room * sizeof(*v->wrote));
	v->certain = arena_table(a, room * sizeof(*v->certain));
	v->step = arena_table(a, steps * sizeof(*v->step));
	v->step_slot = arena_table(a, known_slots(steps) * sizeof(*v->step_slot));
	v->most = e->config.remembers && e->config.remembers < steps ? e->config.remembers : steps;
	v->visited = arena_table(a, room * sizeof(*v->visited));
	v->visited_slot = arena_table(a, (size_t)2 * room * sizeof(*v->visited_slot));
	v->finished = arena_table(a, room * sizeof(*v->finished));
	v->finished_slot = arena_table(a, (size_t)2 * room * sizeof(*v->finished_slot));
	states_init(v, a, room);
	e->value = v;
	e->repeated = value_repeated;
}

/* Nothing was explored yet. */
static void value_empty(struct engine *e)
{
	struct value_search *v = e->value;

	v->emptied = e->first_run + 1;
	v->nnodes = v->nreads = v->ngood = v->ncausal = v->npoints = v->ncertain = 0;
	v->is_new = false;
	v->makes = e->config.memo && !v->mistaken;
	v->nwithout = v->ngiven_up = v->nruns = v->nbefore = 0;
	v->why_runs = NULL;
	v->age = 1;
	v->in_vain = v->length = 0;
	memset(v->last, 0, sizeof(v->last));
	memset(v->asked, 0, sizeof(v->asked));
	v->plain = v->open = v->races = false;
	v->by_sets = v->by_states = v->no_states = v->had_queues = false;
	v->is_decided = e->config.by_nodes;
	v->nmade = 0;
	v->since = e->config.ticks ? e->config.ticks() : 0;
	finished_empty(v);
	known_empty(e);
	visited_empty(e);
}

static void value_begin(struct engine *e)
{
	struct value_search *v = e->value;

	if (v->emptied != e->first_run + 1) {
		value_empty(e);
		if (e->config.board)
			board_begin(e->config.board);
	}
	v->over = false;
	v->looked = 0;
	memset(v->clock, 0, sizeof(v->clock[0]) * e->nthreads);
	e->picked = NO_POS;
}

static const char no_room[] = "there is no memory for a search by values";

int value_leaves(struct engine *e, const char *why)
{
	e->restart |= RESTART_VALUES;
	e->why_by_reads = why;
	return ENGINE_OVER;
}

/* The graph is an execution that is over. How many values had the first one? */
static void note_length(struct value_search *v)
{
	if (!v->length)
		v->length = v->nnodes;
}

static const char may_race[] = "accesses may race";

/* No thread can do anything any more but to end the process. */
static int over(struct engine *e)
{
	e->value->over = true;
	note_length(e->value);
	e->dead_end = !e->value->is_new && !visited_first(e);
	if (e->dead_end && value_races_elsewhere(e))
		return value_leaves(e, may_race);
	if (e->dead_end)
		return ENGINE_OVER;
	if (value_counts_anew(&e->graph))
		return value_leaves(e, "a barrier is initialised again");
	if (!value_is_ordered(e->value) && value_may_race(e))
		return value_leaves(e, may_race);
	known_over(e);
	return run_exit(e);
}

/* Does the thread's next operation find nothing that lets it pass? */
static bool cannot_pass(struct engine *e, const struct value_read *r)
{
	uint32_t pos;
	bool found;

	if (!guard_may_block(r->op.kind))
		return false;
	pos = run_add_read(e, r->tid, &r->op);
	found = run_could_pass(e, pos);
	graph_truncate(&e->graph, pos);
	return !found;
}

/*
 * Does nothing but locks and the like come next that nobody gives back any more? What each was in the end is the same in all
 * executions with these events. (value.txt, M4)
 */
static bool all_wait(struct engine *e)
{
	const struct value_search *v = e->value;
	const struct value_node *node = value_latest(v);

	for (uint32_t i = node->first; i < node->end; i++)
		if (!cannot_pass(e, &v->reads[i]))
			return false;
	return true;
}

/* ---- The search ---------------------------------------------------------------------------------- */

void value_added(struct engine *e, uint32_t pos)
{
	const struct event *ev = &e->graph.ev[pos];

	known_goes(e, pos);
	value_note_plain(e->value, ev);
	ahead_note_create(e, pos);
	if (!(ev->flags & EV_WRITE))
		return;
	value_note_writer(e, ev);
	value_signal(e, ev->tid, e->graph.locs[ev->loc].addr);
}

/* The read in turn is the next event of the graph. */
static void observe(struct engine *e, uint32_t tid, const struct op *op, uint32_t rf)
{
	uint32_t pos;

	witness_settle(&e->graph, e->model);
	pos = run_add_read(e, tid, op);
	e->graph.ev[pos].slot = e->value->nnodes - 1;
	e->graph.ev[pos].written = e->graph.locs[e->graph.ev[pos].loc].initial;
	e->graph.witness.promised = 0;
	if (run_set_read(e, pos, rf, value_latest(e->value)->choice) == GUARD_WRITES)
		value_note_writer(e, &e->graph.ev[run_add_write_part(e, pos)]);
}

/* The thread takes that. */
static void take(struct engine *e, uint32_t tid, const struct op *op, uint32_t choice)
{
	uint32_t pos = run_add_behind(e, tid, op, RF_NONE);
	struct event *ev = &e->graph.ev[pos];

	ev->slot = e->value->nnodes - 1;
	ev->choice = choice;
	ev->read = value_of(choice);
}

/* The graph of the latest node. */
static void go_back(struct engine *e)
{
	const struct value_node *node = value_latest(e->value);

	certain_keep(e->value, e->nframes > node->nframes ? 0 : node->n);
	while (e->nframes > node->nframes)
		explore_pop(e);
	graph_truncate(&e->graph, node->n);
	memcpy(e->value->asked, e->graph.count, sizeof(e->value->asked));
}

/* The read in turn of the latest node happens; VALUE_OTHER: it is in the graph already. */
static void goes(struct engine *e, enum value_answer a, uint32_t rf)
{
	const struct value_search *v = e->value;
	const struct value_read *r = &v->reads[value_latest(v)->at];
	const struct graph *g = &e->graph;
	uint32_t last;

	if (a == VALUE_DIRECT && value_chooses(&r->op))
		take(e, r->tid, &r->op, rf);
	else if (a == VALUE_DIRECT)
		observe(e, r->tid, &r->op, rf);
	last = g->count[r->tid] - 1;
	last -= is_rmw_write(&g->ev[g->at[r->tid][last]]);
	known_goes(e, g->at[r->tid][last]);
	value_note_plain(e->value, &g->ev[g->at[r->tid][last]]);
}

/* The graph is an execution that is over. Is the program to run it? */
static bool is_target(struct engine *e)
{
	note_length(e->value);
	e->value->is_new = visited_first(e);
	e->value->races = !e->value->is_new && value_races_elsewhere(e);
	return e->value->is_new;
}

enum {
	PATIENCE = 4096 /* nodes, */
};
#define PATIENCE_TICKS (UINT64_C(1) << 31) /* or about a second */

/* Has the search gone on for long? Then the program runs, so that limits and what counts as standing still are looked at. */
static bool is_long(struct engine *e, uint64_t begun)
{
	return ++e->stats.values[VALUES_STEPS] % PATIENCE == 0 ||
	       (e->config.ticks && e->config.ticks() - begun > PATIENCE_TICKS);
}

/* Other engines have all that is left. */
static enum value_answer leave_all(struct engine *e)
{
	while (e->nframes)
		explore_pop(e);
	e->value->nnodes = e->value->ncertain = 0;
	return VALUE_NEVER;
}

/*
 * Where the search goes by sets of events it may let a read that has happened in the run in progress observe a write that has not. Such a run cannot go on,
 * though all is as it was for its threads: it has no order. Does each read that has happened observe what has?
 */
static bool is_in_order(const struct engine *e)
{
	const struct graph *g = &e->graph;

	for (uint32_t pos = 0; e->value->by_sets && pos < g->n; pos++)
		if (happened(e, pos) && g->ev[pos].rf < RF_NONE && !happened(e, g->ev[pos].rf))
			return false;
	return true;
}

/* The graph of the latest node again, whose child in turn is the next one again. */
static void not_yet(struct engine *e)
{
	struct value_node *node = value_latest(e->value);

	explore_pop(e);
	if (!--node->tried)
		node->values = 0;
}

/* What goes by sets of events needs the names of steps, and of vectors. */
static bool loses_names(const struct value_search *v)
{
	return v->by_sets && (v->lost || v->forgets || v->had_queues);
}

/*
 * The graph is that of the latest node. Goes on to the next one that the program is to run: one that ends in an execution which was
 * not visited, or where it is not known what comes next. VALUE_NEVER: there is none, or none for the run in progress; VALUE_LEFT: the search cannot go on by sets of
 * events. Nodes up to `floor` stay; begun: the latest was not looked at before.
 */
static enum value_answer next_target(struct engine *e, uint32_t floor, bool begun)
{
	struct value_search *v = e->value;
	const uint64_t start = e->config.ticks ? e->config.ticks() : 0;

	v->is_new = false;
	for (;;) {
		uint32_t rf;
		enum value_answer a = value_next_child(e, &rf);

		if (a == VALUE_FULL)
			return a;
		if (a == VALUE_LEFT)
			return leave_all(e);
		if (a == VALUE_OTHER && floor && !is_in_order(e)) {
			not_yet(e);
			return VALUE_NEVER;
		}
		if (a == VALUE_NEVER && begun && all_wait(e) && is_target(e))
			return VALUE_OTHER;
		if (a == VALUE_NEVER) {
			if (v->nnodes == floor)
				return VALUE_NEVER;
			if (v->by_sets)
				finished_add(e);
			value_drop_node(v);
			if (!v->nnodes)
				return VALUE_NEVER;
			go_back(e);
			begun = false;
			continue;
		}
		goes(e, a, rf);
		if (!ahead_go(e) || is_long(e, start))
			return VALUE_OTHER;
		value_look_at_order(e);
		begun = value_new_node(e);
		if (begun)
			continue;
		if (v->by_sets)
			finished_over(e);
		if (is_target(e))
			return VALUE_OTHER;
		if (v->races)
			return VALUE_FULL;
		if (loses_names(v))
			return VALUE_LEFT;
		go_back(e);
	}
}

/* From the first node on, by sets of events or not. What was visited stays so, and what threads do is known. */
static void search_anew(struct engine *e, bool by_sets)
{
	struct value_search *v = e->value;
	struct value_node *root = &v->node[0];

	v->nnodes = 1;
	v->nreads = root->end;
	root->at = root->first;
	root->begun = false;
	root->goes_on = true;
	root->is_settled = false;
	v->ngood = root->list = root->good = 0;
	root->lists = false;
	v->ncausal = 0;
	memset(v->last, 0, sizeof(v->last));
	go_back(e);
	certain_keep(v, 0);
	v->by_sets = by_sets;
	finished_empty(v);
	memset(&root->below, 0, sizeof(root->below));
	if (by_sets)
		finished_name(e);
}

enum {
	SOME = 256,        /* nodes, behind which the search may go by states, */
	NODES_FOR_EACH = 6 /* if there are more than these for each execution */
};

/* States take less time than nodes where these are many. */
static bool states_pay(const struct engine *e)
{
	const struct value_search *v = e->value;
	const uint32_t sets = e->config.by_sets_after, states = e->config.by_states_after;

	if (v->no_states || sets)
		return false;
	if (states)
		return v->nmade >= states && states_can(e);
	return v->nmade >= SOME &&
	       v->nmade / NODES_FOR_EACH > e->stats.executions + e->stats.blocked && states_can(e);
}

/* It pays to look at each set of events once where half of the nodes have the same events as others. */
static bool sets_pay(const struct value_search *v)
{
	return !v->had_queues && finished_names(v) < v->nmade / 2;
}

/* How is it to go on? That is known once, when some nodes were made. */
static void decide(struct engine *e)
{
	struct value_search *v = e->value;
	const uint32_t sets = e->config.by_sets_after;

	if (states_pay(e)) {
		search_anew(e, false);
		v->is_decided = states_begin(e);
		v->no_states = true;
		v->nmade = 0;
		return;
	}
	if (v->nmade < (sets ? sets : VALUE_MEASURED))
		return;
	v->is_decided = true;
	if (!v->had_queues && (sets || sets_pay(v)))
		search_anew(e, true);
}

/* ---- The strategy ------------------------------------------------------------------------------ */

/* What was just learned of the threads, which all wait. */
static void learn(struct engine *e)
{
	struct value_search *v = e->value;

	for (uint32_t t = 0; t < e->nthreads; t++) {
		const struct thread *th = &e->thread[t];
		const bool does = th->state == THREAD_WAITS && !is_aside(e, t);

		v->next[t].kind = OP_KINDS;
		if (does)
			v->next[t] = th->pending;
		if ((does && th->pending.kind != OP_CREATE) || th->state == THREAD_STUCK ||
		    th->state == THREAD_STOPPED)
			known_learn(e, t, &th->pending);
	}
}

enum {
	LONG = 512 /* values on the way to an execution */
};

/*
 * Does the execution not come to an end, being twice as long as the first one that did, if any? A thread that goes round, and writes in each round, may do so for ever, or once
 * more in each execution; by reads-from the others have their turns.
 */
static bool goes_on(const struct value_search *v)
{
	return v->nnodes >= LONG && v->nnodes / 2 >= v->length;
}

/* The graph has operations that are next, and the program repeats them; or the execution is over. */
static int repeat_new(struct engine *e)
{
	value_list_again(e);
	e->repeating = e->graph.n;
	for (uint32_t t = 0; t < e->nthreads; t++)
		e->repeating -= e->done[t];
	return e->repeating ? engine_next_to_repeat(e) : over(e);
}

/*
 * All threads have come to a read: a new node. The thread that goes on, or ENGINE_OVER, if nothing comes of this run. (The values that
 * threads have read so far stay what they are, whatever the search does with the graph.)
 */
static int choose(struct engine *e)
{
	struct value_search *v = e->value;

	if (goes_on(v))
		return value_leaves(e, "an execution does not end behind 512 values");
	/* If it is new, the search was here before the program, and all wait. */
	switch (v->is_new ? VALUE_OTHER : next_target(e, v->nnodes, true)) {
	case VALUE_NEVER:
	case VALUE_LEFT:
		e->dead_end = true;
		return ENGINE_OVER;
	case VALUE_FULL:
		return value_leaves(e, v->races ? may_race : no_room);
	default:
		return repeat_new(e);
	}
}

/* By states: the program goes on behind what it was to repeat, and one of the reads that are next happens, or nothing can. */
static int any_order(struct engine *e)
{
	if (!e->value->is_new && way_goes_on(e))
		return repeat_new(e);
	e->dead_end = e->value->states->failed;
	return e->dead_end ? ENGINE_OVER : over(e);
}

static int value_pick(struct engine *e)
{
	struct value_search *v = e->value;

	if (e->restart || e->dead_end)
		return ENGINE_OVER;
	if (v->over)
		return run_exit(e);
	learn(e);
	THREAD_SET_EACH(t, &e->waiting) {
		const struct op *op = &e->thread[t].pending;

		if (is_aside(e, t))
			continue;
		if (!value_knows(op) || !queue_may_come(e, t, op))
			return value_leaves(e, value_why_unknown(op));
		if (!op_reads(op) && !value_chooses(op) && run_enabled(e, t))
			return (int)t;
	}
	/* One of those that are aside goes on (aside.c; value.txt, V12), but where they only repeat themselves. */
	if (thread_set_any(&e->aside) && !e->idle)
		return ENGINE_OVER;
	if (e->idle)
		return value_leaves(e, "all threads only yield");
	if (!value_has_room(e, 2 * (e->graph.n + 1)))
		return value_leaves(e, no_room);
	if (value_races(e))
		return value_leaves(e, "accesses race");
	run_keep_left(e);
	if (v->by_states)
		return any_order(e);
	if (!e->value->is_new)
		value_look_at_order(e);
	return value_new_node(e) ? choose(e) : over(e);
}

static enum step_status value_add(struct engine *e, uint32_t tid, const struct op *op)
{
	if (e->restart)
		return STEP_CUT;
	must(!op_reads(op));
	if (op->kind == OP_CREATE)
		known_learn(e, tid, op);
	value_added(e, run_add_simple(e, tid, op));
	return STEP_DONE;
}

const char *engine_why_by_reads(const struct engine *e)
{
	return e->why_by_reads;
}

void value_give_up(struct engine *e)
{
	while (e->nframes)
		explore_pop(e);
	e->strategy = &strategy_explore;
	e->config.equivalence = EQUIV_RF;
	e->value = NULL;
	e->repeated = NULL;
	e->slots = !e->config.waiting_locks;
	e->awaits = !e->config.plain_awaits;
	/* Plain accesses that were events read what they did not synchronise with. */
	e->graph.beyond_hb = e->graph.beyond_hb_else = false;
}

/* The whole again. */
static bool by_reads_from(struct engine *e)
{
	value_give_up(e);
	e->restart = 0;
	engine_anew(e);
	return true;
}

enum {
	IN_VAIN = 1 << 12,
	FOR_EACH = 64 /* execution that is complete */
};

/*
 * Does nearly all that is visited end with threads that wait in loops? By values each of N such threads may have looked too early, so these
 * are 2^N; by reads-from there is one, or none (explore_gate.c).
 */
static bool waits_mostly(struct engine *e)
{
	struct value_search *v = e->value;
	bool any = false;

	for (uint32_t t = 0; t < e->nthreads; t++)
		any |= e->thread[t].state == THREAD_STUCK;
	v->in_vain += any;
	return v->in_vain >= IN_VAIN && v->in_vain / FOR_EACH >= e->stats.executions;
}

/* What was made may be wrong. */
static bool all_again(struct engine *e)
{
	e->restart = 0;
	engine_anew(e);
	return true;
}

/* By states. VALUE_LEFT: it cannot go on so, and begins anew by nodes. */
static enum value_answer next_state(struct engine *e)
{
	struct value_search *v = e->value;
	const enum value_answer a = states_next(e);

	if (a == VALUE_NEVER)
		v->nnodes = 0;
	if (a == VALUE_LEFT) {
		states_leave(e);
		search_anew(e, false);
		v->nmade = 0;
		v->is_decided = v->plain; /* nodes say whether what was visited races */
	}
	return a;
}

/* The graph becomes the next one that the program is to run. */
static enum value_answer next_run(struct engine *e)
{
	struct value_search *v = e->value;
	enum value_answer a = VALUE_LEFT;

	if (!v->is_decided)
		decide(e);
	if (v->by_states)
		a = next_state(e);
	while (a == VALUE_LEFT) {
		if (loses_names(v))
			search_anew(e, false);
		go_back(e);
		a = next_target(e, 0, false);
		if (a == VALUE_NEVER && loses_names(v))
			a = VALUE_LEFT;
	}
	return a;
}

static bool value_again(struct engine *e, struct engine_outcome *outcome)
{
	struct value_search *v = e->value;
	struct ledger *l = &e->stats.ledger;
	enum value_answer a;

	if (waits_mostly(e))
		value_leaves(e, "nearly all executions end with threads that wait in loops");
	outcome->restarted = e->restart;
	if (e->restart)
		return e->restart & RESTART_MEMO ? all_again(e) : by_reads_from(e);
	if (!v->nnodes)
		return false;
	a = next_run(e);
	if (a == VALUE_FULL) {
		value_leaves(e, v->races ? may_race : no_room);
		outcome->restarted = RESTART_VALUES;
		return by_reads_from(e);
	}
	l->noted += a != VALUE_NEVER;
	l->work[WORK_DONE] += a != VALUE_NEVER;
	return a != VALUE_NEVER;
}

static void value_take(struct engine *e, const void *buf, size_t len)
{
	if (e->value->emptied != e->first_run + 1)
		value_empty(e);
	value_take_over(e, buf, len);
}

const struct strategy strategy_value = {
	.begin = value_begin,
	.pick = value_pick,
	.add = value_add,
	.again = value_again,
	.give = value_hand_over,
	.take = value_take,
};
