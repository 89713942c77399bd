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

size_t value_bytes(uint32_t capacity)
{
	const size_t each = sizeof(struct value_node) + sizeof(struct value_read) +
			    sizeof(uint64_t) + sizeof(struct value_causal) +
			    sizeof(struct value_point) + VALUE_ROW * sizeof(uint32_t);

	return sizeof(struct value_search) + 64 + 6 * ARENA_SKEW + (capacity / 4) * each;
}

void value_init(struct engine *e, struct arena *a, uint32_t capacity)
{
	const uint32_t room = capacity / 4;
	struct value_search *v = arena_take(a, sizeof(*v));

	v->room = room;
	v->node = arena_table(a, room * sizeof(*v->node));
	v->reads = arena_table(a, room * sizeof(*v->reads));
	v->good = arena_table(a, room * sizeof(*v->good));
	v->causal = arena_table(a, room * sizeof(*v->causal));
	v->point = arena_table(a, room * sizeof(*v->point));
	v->wrote = arena_table(a, room * sizeof(*v->wrote));
	e->value = v;
}

/* Nothing was explored yet. */
static void value_empty(struct engine *e)
{
	struct value_search *v = e->value;

	v->nnodes = v->nreads = v->ngood = v->ncausal = v->npoints = 0;
	v->chosen = NO_POS;
	memset(v->last, 0, sizeof(v->last));
}

static struct value_node *latest(const struct value_search *v)
{
	return &v->node[v->nnodes - 1];
}

/* ---- The causal map ---------------------------------------------------------------------------- */

/* What it says of the thread's next read, or NULL. */
static const struct value_causal *causal_of(const struct engine *e, uint32_t tid)
{
	const struct value_search *v = e->value;
	const struct value_causal *c = v->last[tid] ? &v->causal[v->last[tid] - 1] : NULL;

	return c && c->index == e->graph.count[tid] ? c : NULL;
}

static void causal_add(struct engine *e, uint32_t tid)
{
	struct value_search *v = e->value;
	struct value_causal *c = &v->causal[v->ncausal++];

	c->tid = tid;
	c->index = e->graph.count[tid];
	c->before = v->last[tid];
	c->node = v->nnodes - 1;
	memcpy(c->count, e->graph.count, sizeof(c->count));
	v->last[tid] = v->ncausal;
}

static void causal_drop(struct value_search *v, uint32_t n)
{
	while (v->ncausal > n) {
		const struct value_causal *c = &v->causal[--v->ncausal];

		v->last[c->tid] = c->before;
	}
}

/* ---- Signals ----------------------------------------------------------------------------------- */

/* The thread writes that location: reads in turn above, of other threads, have something new to observe. */
static void signal_above(struct engine *e, uint32_t tid, uint64_t addr)
{
	struct value_search *v = e->value;

	for (uint32_t i = 0; i < v->nnodes; i++) {
		struct value_node *node = &v->node[i];
		const struct value_read *r = &v->reads[node->at];

		if (node->begun && r->tid != tid && r->op.addr == addr)
			node->goes_on = true;
	}
}

/* It is remembered for good who writes what. */
static void note_writer(struct engine *e, const struct event *write)
{
	uint32_t *last = e->value->wrote[write->loc < e->value->room ? write->loc : 0];

	if (write->loc < e->value->room && last[write->tid] <= write->index)
		last[write->tid] = write->index + 1;
}

/* ---- Nodes ------------------------------------------------------------------------------------- */

static bool has_room(const struct engine *e, uint32_t good)
{
	const struct value_search *v = e->value;
	const uint32_t n = VALUE_ROW + 4;

	return v->nnodes + n < v->room && v->nreads + n < v->room && v->ncausal + n < v->room &&
	       v->ngood + good < v->room;
}

/* How many other threads write what the thread is about to read, some time later, for all that was seen in other executions? */
static uint32_t writers_to_come(const struct engine *e, uint32_t tid)
{
	const struct op *op = &e->thread[tid].pending;
	const uint32_t loc = graph_find_location(&e->graph, op->addr, op->size);
	uint32_t n = 0;

	for (uint32_t t = 0; t < e->nthreads && loc < e->value->room; t++)
		n += t != tid && e->value->wrote[loc][t] > e->graph.count[t];
	return n;
}

/*
 * In which order the reads of a node are tried: those of which the causal map says nothing come first, since signals are of
 * use there; and of these those for which nothing new comes up, as far as is known: then no other one need be tried.
 */
static uint32_t turn_of(const struct engine *e, uint32_t tid)
{
	return (causal_of(e, tid) ? VALUE_ROW : 0) + writers_to_come(e, tid);
}

static void insert_read(struct engine *e, uint32_t first, uint32_t tid)
{
	struct value_search *v = e->value;
	uint32_t i = v->nreads++;

	for (; i > first && turn_of(e, v->reads[i - 1].tid) > turn_of(e, tid); i--)
		v->reads[i] = v->reads[i - 1];
	v->reads[i] = (struct value_read){ .tid = tid, .op = e->thread[tid].pending };
}

/* All threads have come to a read, or wait for others: a node. False: no read is left. */
static bool new_node(struct engine *e)
{
	struct value_search *v = e->value;
	struct value_node *node = &v->node[v->nnodes];
	uint32_t first = v->nreads;

	THREAD_SET_EACH(t, &e->waiting) {
		const struct op *op = &e->thread[t].pending;

		if (!op_reads(op))
			continue;
		insert_read(e, first, t);
		/* Whoever reads what it reads cannot do so as a read-modify-write. */
		if (op->kind != OP_LOAD)
			signal_above(e, t, op->addr);
	}
	if (v->nreads == first)
		return false;
	*node = (struct value_node){ .n = e->graph.n,
				     .nframes = e->nframes,
				     .first = first,
				     .at = first,
				     .end = v->nreads,
				     .goes_on = true,
				     .good = v->ngood,
				     .causal = v->ncausal };
	v->nnodes++;
	return true;
}

static void drop_node(struct value_search *v)
{
	const struct value_node *node = latest(v);

	v->nreads = node->first;
	v->ngood = node->good;
	causal_drop(v, node->causal);
	v->nnodes--;
}

/* ---- The values of a read ---------------------------------------------------------------------- */

/* A write that a read may observe, by name, and its value. */
struct source {
	uint64_t name;
	struct value value;
};

/* All at its location, in the order of names, but for those that the causal map forbids; into out. */
static uint32_t sources(struct engine *e, const struct value_read *r, struct source *out)
{
	const struct graph *g = &e->graph;
	const struct value_causal *c = causal_of(e, r->tid);
	const struct location *l = &g->locs[graph_find_location(g, r->op.addr, r->op.size)];
	uint32_t n = 0;

	if (!c)
		out[n++] = (struct source){ .value = l->initial };
	for (uint32_t p = l->last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *ev = &g->ev[p];
		struct source s = { .name = event_name(ev), .value = ev->written };
		uint32_t i = n;

		if (!(ev->flags & EV_WRITE) || (c && ev->index < c->count[ev->tid]))
			continue;
		for (; i && out[i - 1].name > s.name; i--)
			out[i] = out[i - 1];
		out[i] = s;
		n++;
	}
	return n;
}

/* Would the operation wait if it found that? */
static bool waits_with(const struct op *op, struct value value)
{
	struct value written;
	const struct guard_op guard = { .kind = op->kind, .size = op->size };

	return op->kind == OP_LOCK && guard_apply(&guard, value, &written) == GUARD_BLOCKS;
}

/* Is it the first one of its value? */
static bool is_first(const struct source *s, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (value_eq(s[k].value, s[i].value))
			return false;
	return true;
}

/* The good writes of the read in turn become those of its next value. False: there is no other one. */
static bool next_value(struct engine *e, struct value_node *node)
{
	struct value_search *v = e->value;
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	struct source *s = arena_take(&g->scratch, (g->n + 1) * sizeof(*s));
	const struct op *op = &v->reads[node->at].op;
	uint32_t n = sources(e, &v->reads[node->at], s), which = node->tried++, i;

	v->ngood = node->good;
	node->ngood = 0;
	for (i = 0; i < n; i++)
		if (is_first(s, i) && !waits_with(op, s[i].value) && !which--)
			break;
	for (uint32_t k = i; k < n; k++)
		if (value_eq(s[k].value, s[i].value)) {
			v->good[v->ngood++] = s[k].name;
			node->ngood++;
		}
	arena_reset(&g->scratch, mark);
	return node->ngood;
}

bool value_has_name(const struct value_search *v, uint32_t node, uint64_t name)
{
	const struct value_node *of = &v->node[node];

	for (uint32_t i = 0; i < of->ngood; i++)
		if (v->good[of->good + i] == name)
			return true;
	return false;
}

bool value_is_good(const struct engine *e, uint32_t node, uint32_t write)
{
	return value_has_name(e->value, node,
			      write == RF_INIT ? 0 : event_name(&e->graph.ev[write]));
}

/*
 * The next value that some execution has, of the latest node. VALUE_NEVER: none is left.
 */
static enum value_answer next_child(struct engine *e, uint32_t *rf)
{
	struct value_search *v = e->value;
	struct value_node *node = latest(v);

	for (; node->at < node->end && (node->begun || node->goes_on); node->at++) {
		const struct value_read *r = &v->reads[node->at];

		if (!node->begun) {
			node->begun = true;
			node->any = false;
			node->tried = 0;
			node->under = causal_of(e, r->tid) ? v->last[r->tid] : 0;
		}
		while (next_value(e, node)) {
			enum value_answer a = value_feasible(e, r->tid, &r->op, v->nnodes - 1, rf);

			/* A lock that nothing lets pass leaves it to others to go on. */
			if (a != VALUE_NEVER && !node->any && !node->under)
				node->goes_on = false;
			node->any |= a != VALUE_NEVER;
			if (a != VALUE_NEVER)
				return a;
		}
		causal_add(e, r->tid);
		node->begun = false;
	}
	return VALUE_NEVER;
}

/* ---- The strategy ------------------------------------------------------------------------------ */

static void value_begin(struct engine *e)
{
	struct value_search *v = e->value;

	if (e->run == e->first_run + 1)
		value_empty(e);
	v->chosen = NO_POS;
	v->plain = v->over = false;
	memset(v->clock, 0, sizeof(v->clock[0]) * e->nthreads);
	e->picked = NO_POS;
}

/* No thread can do anything any more but to end the process. */
static int over(struct engine *e)
{
	e->value->over = true;
	e->dead_end = value_was_visited(e);
	if (e->dead_end)
		return ENGINE_OVER;
	if (value_may_race(e)) {
		e->restart |= RESTART_VALUES;
		return ENGINE_OVER;
	}
	return run_exit(e);
}

/* What it cannot do yet is explored by reads-from. */
static bool is_known(const struct op *op)
{
	switch (op->kind) {
	case OP_LOAD:
	case OP_STORE:
	case OP_RMW:
	case OP_CAS:
	case OP_FENCE:
	case OP_CREATE:
	case OP_START:
	case OP_END:
	case OP_JOIN:
	case OP_EXIT:
	case OP_LOCK:
	case OP_TRYLOCK:
	case OP_UNLOCK:
		return !op->peer || op->kind > OP_FENCE;
	default:
		return false;
	}
}

/*
 * Does nothing but locks come next that nobody gives back any more? How often each was taken and given back is the same in
 * all executions with these events, and so is whether it is free in the end.
 */
static bool all_wait(struct engine *e)
{
	const struct value_search *v = e->value;
	const struct value_node *node = latest(v);

	for (uint32_t i = node->first; i < node->end; i++)
		if (v->reads[i].op.kind != OP_LOCK || run_can_pass(e, v->reads[i].tid))
			return false;
	return true;
}

static int value_pick(struct engine *e)
{
	struct value_search *v = e->value;

	if (e->restart || e->rerun)
		return ENGINE_OVER;
	if (v->chosen != NO_POS)
		return (int)v->chosen;
	if (v->over)
		return run_exit(e);
	THREAD_SET_EACH(t, &e->waiting) {
		const struct op *op = &e->thread[t].pending;

		if (!is_known(op)) {
			e->restart |= RESTART_VALUES;
			return ENGINE_OVER;
		}
		if (!op_reads(op) && run_enabled(e, t))
			return (int)t;
	}
	if (!has_room(e, e->graph.n + 1)) {
		e->restart |= RESTART_VALUES;
		return ENGINE_OVER;
	}
	if (!new_node(e))
		return over(e);
	switch (next_child(e, &v->chosen_rf)) {
	case VALUE_DIRECT:
		v->chosen = v->reads[latest(v)->at].tid;
		return (int)v->chosen;
	case VALUE_OTHER:
		e->rerun = true;
		break;
	case VALUE_NEVER:
		if (all_wait(e))
			return over(e);
		e->dead_end = true;
		break;
	case VALUE_FULL:
		e->restart |= RESTART_VALUES;
		break;
	}
	return ENGINE_OVER;
}

/* The read in turn is the next event of the graph. */
static void observe(struct engine *e, uint32_t tid, const struct op *op, uint32_t rf)
{
	uint32_t pos = run_add_read(e, tid, op);

	e->graph.ev[pos].slot = e->value->nnodes - 1;
	e->graph.ev[pos].written = e->graph.locs[e->graph.ev[pos].loc].initial;
	e->graph.witness.promised = 0;
	if (run_set_read(e, pos, rf, 0) == GUARD_WRITES)
		note_writer(e, &e->graph.ev[run_add_write_part(e, pos)]);
}

static enum step_status value_add(struct engine *e, uint32_t tid, const struct op *op)
{
	struct value_search *v = e->value;
	uint32_t pos;

	if (e->restart)
		return STEP_CUT;
	witness_settle(&e->graph, e->model);
	if (op_reads(op)) {
		must(v->chosen == tid);
		v->chosen = NO_POS;
		observe(e, tid, op, v->chosen_rf);
		return STEP_DONE;
	}
	pos = run_add_simple(e, tid, op);
	if (e->graph.ev[pos].flags & EV_WRITE) {
		note_writer(e, &e->graph.ev[pos]);
		signal_above(e, tid, op->addr);
	}
	return STEP_DONE;
}

/* The graph of the latest node. */
static void go_back(struct engine *e)
{
	const struct value_node *node = latest(e->value);

	while (e->nframes > node->nframes)
		explore_pop(e);
	graph_truncate(&e->graph, node->n);
	witness_settle(&e->graph, e->model);
}

void value_give_up(struct engine *e)
{
	while (e->nframes)
		explore_pop(e);
	e->strategy = &strategy_explore;
	e->config.equivalence = EQUIV_RF;
	e->value = NULL;
	e->slots = !e->config.waiting_locks;
	e->awaits = !e->config.plain_awaits;
}

/* The whole again. */
static bool by_reads_from(struct engine *e)
{
	value_give_up(e);
	e->restart = 0;
	engine_anew(e);
	return true;
}

/* The latest node with anything left, and its graph with the read in turn; VALUE_NEVER: there is none. */
static enum value_answer next_of_all(struct engine *e)
{
	struct value_search *v = e->value;
	enum value_answer a = VALUE_NEVER;
	uint32_t rf;

	while (v->nnodes) {
		const struct value_read *r;

		go_back(e);
		a = next_child(e, &rf);
		r = &v->reads[latest(v)->at];
		if (a == VALUE_DIRECT)
			observe(e, r->tid, &r->op, rf);
		if (a != VALUE_NEVER)
			break;
		drop_node(v);
	}
	return a;
}

static bool value_again(struct engine *e, struct engine_outcome *outcome)
{
	struct ledger *l = &e->stats.ledger;
	enum value_answer a;

	outcome->restarted = e->restart;
	if (e->restart)
		return by_reads_from(e);
	if (e->rerun) {
		e->rerun = false;
		l->cause[CAUSE_ASK]++;
		return true;
	}
	a = next_of_all(e);
	if (a == VALUE_FULL) {
		outcome->restarted = RESTART_VALUES;
		return by_reads_from(e);
	}
	l->noted += a != VALUE_NEVER;
	l->work[WORK_DONE] += a != VALUE_NEVER;
	return a != VALUE_NEVER;
}

const struct strategy strategy_value = {
	.begin = value_begin,
	.pick = value_pick,
	.add = value_add,
	.again = value_again,
};
