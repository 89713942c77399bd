/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo.c - what each thread does next: the trees of steps (memo.h)
 *
 * Where a thread is follows from the graph: from its first step it goes down, by what its events have read. That is done anew in
 * each run of the program, as far as somebody asks; executions that are made go on from the one before (memo.txt, K2).
 */
#include "engine/run/memo.h"

#include <string.h>

#include "engine/run/run.h"

enum {
	LINE = 64,
	STEP_BYTES = sizeof(struct memo_step) + sizeof(struct await_mask)
};

static void *on_line(char *p)
{
	return p + (-(uintptr_t)p & (LINE - 1));
}

size_t memo_bytes(uint32_t capacity)
{
	return sizeof(struct memo) + 64 + 7 * ARENA_SKEW + 64 + capacity / 4 * STEP_BYTES +
	       (size_t)capacity * sizeof(uint32_t) + MEMO_WRITES * sizeof(struct memo_touch) +
	       MEMO_GRANULES * sizeof(struct memo_granule) +
	       MEMO_ACCESSES * sizeof(struct memo_access) + MEMO_MOVES * sizeof(struct memo_move);
}

void memo_init(struct engine *e, struct arena *a, uint32_t capacity)
{
	struct memo *m = arena_take(a, sizeof(*m));

	m->most = capacity / 4;
	if (e->config.memo_bytes && e->config.memo_bytes / STEP_BYTES < m->most)
		m->most = (uint32_t)(e->config.memo_bytes / STEP_BYTES);
	m->step = on_line(arena_table(a, m->most * sizeof(*m->step) + LINE));
	m->asked = arena_table(a, m->most * sizeof(*m->asked));
	m->behind = arena_table(a, capacity * sizeof(*m->behind));
	m->write = arena_table(a, MEMO_WRITES * sizeof(*m->write));
	m->granule = arena_table(a, MEMO_GRANULES * sizeof(*m->granule));
	m->access = arena_table(a, MEMO_ACCESSES * sizeof(*m->access));
	m->move = arena_table(a, MEMO_MOVES * sizeof(*m->move));
	m->nsteps = 1;
	e->memo = m;
}

void memo_empty(struct engine *e)
{
	struct memo *m = e->memo;

	m->nsteps = 1;
	m->nwrites = 0;
	m->full = false;
	m->deaf = true;
	memset(m->root, 0, sizeof(m->root));
	memset(m->at, 0, sizeof(m->at));
	memset(m->index, 0, sizeof(m->index));
	m->nmoves = 0;
	m->kept = false;
}

void memo_anew(struct engine *e)
{
	struct memo *m = e->memo;

	memo_empty(e);
	m->beyond_hb = false;
	for (uint32_t k = 0; k < MEMO_GRANULES; k++)
		m->granule[k].read_behind = m->granule[k].written_behind = 0;
}

/* Threads go back, and what they have accessed since leaves the lists, to where all that the graph has was known to be as it is. */
static void go_back(struct engine *e)
{
	struct memo *m = e->memo;

	while (m->nmoves && m->move[m->nmoves - 1].most > e->graph.told) {
		const struct memo_move *was = &m->move[--m->nmoves];

		m->at[was->tid] = was->at;
		m->index[was->tid] = was->index;
		m->noted[was->tid] = was->noted;
		while (m->naccesses > was->naccesses) {
			const struct memo_access *a = &m->access[--m->naccesses];

			m->granule[a->touch.granule].list = a->next;
		}
	}
}

static inline void catch_up(struct engine *e)
{
	const struct memo *m = e->memo;

	if (m->kept && m->nmoves && m->move[m->nmoves - 1].most > e->graph.told)
		go_back(e);
}

/* The thread is about to go on, by what it knows behind the event at place stamp - 1. */
static void note_move(struct engine *e, uint32_t tid, uint32_t stamp)
{
	struct memo *m = e->memo;
	const uint32_t most = m->nmoves ? m->move[m->nmoves - 1].most : 0;

	m->kept &= m->nmoves < MEMO_MOVES;
	if (!m->kept)
		return;
	m->move[m->nmoves++] = (struct memo_move){
		.stamp = stamp,
		.most = most < stamp ? stamp : most,
		.tid = tid,
		.at = m->at[tid],
		.index = m->index[tid],
		.noted = m->noted[tid],
		.naccesses = m->naccesses,
	};
	if (e->graph.told < stamp)
		e->graph.told = stamp;
}

void memo_begin(struct engine *e)
{
	struct memo *m = e->memo;

	if (m->full)
		memo_empty(e); /* so nothing is kept */
	if (m->kept && m->making) {
		catch_up(e);
	} else {
		memset(m->at, 0, sizeof(m->at[0]) * e->nthreads);
		memset(m->index, 0, sizeof(m->index[0]) * e->nthreads);
		memset(m->noted, 0, sizeof(m->noted[0]) * e->nthreads);
		m->naccesses = 1;
		m->nmoves = 0;
		m->age++;
	}
	m->kept = m->making;
	m->unknown = m->deaf = false;
	m->ntouched = 0;
	m->varies = false;
}

void memo_lose(struct engine *e, const char *why, bool again)
{
	struct memo *m = e->memo;

	if (!m || m->lost)
		return;
	m->lost = true;
	m->why = why;
	m->mistaken = again;
	if (again && m->made)
		e->restart |= RESTART_MEMO;
}

void memo_meets(struct engine *e, struct location *l, struct value now)
{
	if (l->run && !value_eq(l->found, now))
		memo_lose(e, "what a location holds at first is not always the same",
			  !e->memo->varies && l->run != LOCATION_CHANGES);
	l->found = now;
}

/* ---- Where threads are ----------------------------------------------------------------------------- */

/* Nothing more is learned in this run, and what is known of it is not all that it did. (memo.txt, K14) */
static void no_room(struct memo *m)
{
	m->full = m->deaf = true;
}

/* A new step; 0: there is no room. */
static uint32_t new_step(struct engine *e, uint32_t above, uint32_t index, struct value came)
{
	struct memo *m = e->memo;

	if (m->nsteps >= m->most) {
		no_room(m);
		return 0;
	}
	m->step[m->nsteps] = (struct memo_step){ .above = above, .index = index, .came = came };
	return m->nsteps++;
}

/* Where the thread comes by that; 0: it was never there, or, if it is to be made, there is no room. */
static uint32_t below(struct engine *e, uint32_t at, struct value came, uint32_t index, bool make)
{
	struct memo *m = e->memo;
	uint32_t i, *link = &m->step[at].first;

	if ((i = *link) && value_eq(m->step[i].came, came))
		return i;
	for (; (i = *link); link = &m->step[i].other) {
		if (!value_eq(m->step[i].came, came))
			continue;
		/* The one that was last comes first: mostly it is the next one, too. */
		*link = m->step[i].other;
		m->step[i].other = m->step[at].first;
		m->step[at].first = i;
		return i;
	}
	if (!make)
		return 0;
	i = new_step(e, at, index, came);
	if (i) {
		m->step[i].other = m->step[at].first;
		m->step[at].first = i;
	}
	return i;
}

/* The step behind an event of another thread, by its place. */
static uint32_t step_behind(struct engine *e, uint32_t pos, bool make)
{
	const struct event *ev = &e->graph.ev[pos];

	if (e->memo->index[ev->tid] <= ev->index && !memo_go_to(e, ev->tid, ev->index + 1, make))
		return 0;
	return e->memo->behind[pos];
}

/* The operation of which a step is what comes behind it. */
static const struct op *op_above(const struct memo *m, uint32_t i)
{
	return &m->step[m->step[i].above].op;
}

/*
 * What the thread learns by the event: what it reads; when it begins, all that its creator knew; when it has joined another one, what
 * that returned. False: that is not known.
 */
static bool came_of(struct engine *e, const struct event *ev, bool make, struct value *came)
{
	const struct graph *g = &e->graph;
	uint32_t i;

	*came = ev->flags & EV_READ ? ev->read : value_of(0);
	if (ev->kind <= OP_FENCE)
		return true;
	if (ev->kind == OP_START || ev->kind == OP_JOIN) {
		i = step_behind(e, ev->rf, make);
		*came = ev->kind == OP_START ? value_of(i) : op_above(e->memo, i)->arg;
		return i;
	}
	if (ev->kind == OP_CHOOSE)
		*came = ev->read;
	if (ev->kind ==
	    OP_COND_SIGNAL) /* in an exploration a set is one word (waiting.h): who waits, and whom it takes; */
		came->hi = ev->choice;
	else if ((ev->flags & EV_EXCLUSIVE) &&
		 (ev->kind == OP_FUTEX_WAKE || ev->kind == OP_FUTEX_REQUEUE)) /* and who is left */
		came->hi = g->ev[g->at[ev->tid][ev->index + 1]].written.lo;
	return true;
}

/* The thread has come to its operation: what it has written before it. */
static void note_writes(struct engine *e, uint32_t tid)
{
	struct memo *m = e->memo;
	const struct memo_step *s = &m->step[m->at[tid]];

	m->noted[tid] = m->at[tid];
	for (uint32_t i = s->writes; i < s->writes + s->nwrites; i++) {
		memo_access(e, tid, s->index, &m->write[i]);
		if (m->making && s->op.size && touch_is_atomic(m->write[i].how))
			memo_holds(e, tid, s->index, &s->op, &m->write[i]);
	}
}

static __attribute__((noinline)) bool read_on(struct engine *e, uint32_t tid)
{
	struct memo *m = e->memo;

	/* What it goes by comes first, so that who takes that back takes back this as well. */
	memo_follow(e, tid, m->index[tid]);
	note_move(e, tid, m->index[tid] ? e->graph.at[tid][m->index[tid] - 1] + 1 : 0);
	while (m->step[m->at[tid]].what == MEMO_READS) {
		const struct memo_step *s = &m->step[m->at[tid]];
		const uint64_t value = memo_read(e, tid, s->index, s->granule, s->mask);
		const struct memo_touch read = { .granule = s->granule, .mask = s->mask };
		uint32_t next;

		next = below(e, m->at[tid], value_of(value), s->index, false);
		memo_access(e, tid, s->index, &read);
		if (!next)
			return false;
		m->at[tid] = next;
	}
	if (m->step[m->at[tid]].what != MEMO_DOES)
		return false;
	note_writes(e, tid);
	return true;
}

/* Goes on, by what the thread reads plainly, to its next operation; false: it is not known. */
static inline bool to_operation(struct engine *e, uint32_t tid)
{
	const struct memo *m = e->memo;
	const struct memo_step *here = &m->step[m->at[tid]];

	return (here->what == MEMO_DOES && (!here->nwrites || m->noted[tid] == m->at[tid])) ||
	       read_on(e, tid);
}

uint32_t memo_go_to(struct engine *e, uint32_t tid, uint32_t index, bool make)
{
	const struct graph *g = &e->graph;
	struct memo *m = e->memo;

	if (!m->at[tid]) {
		if (!m->root[tid])
			m->root[tid] = new_step(e, 0, 0, value_of(0));
		m->at[tid] = m->root[tid];
	}
	while (m->at[tid] && m->index[tid] < index) {
		const uint32_t pos = g->at[tid][m->index[tid]];
		const struct event *ev = &g->ev[pos];
		uint32_t next = m->index[tid] + 1;
		struct value came;

		if ((ev->flags & EV_READ) && (ev->flags & EV_EXCLUSIVE))
			next++;
		if (!to_operation(e, tid) || !came_of(e, ev, make, &came))
			return 0;
		note_move(e, tid, g->at[tid][next - 1] + 1);
		m->behind[pos] = below(e, m->at[tid], came, next, make);
		if (!m->behind[pos])
			return 0;
		m->at[tid] = m->behind[pos];
		m->index[tid] = next;
	}
	return m->at[tid];
}

/* A bug is for the program to show, each time (K11). */
static bool has_bug(const struct op *op)
{
	return op->kind == OP_BLOCK && op->fn == BLOCK_HAS_BUG;
}

const struct memo_step *memo_step(struct engine *e, uint32_t tid)
{
	struct memo *m = e->memo;

	if (m->lost)
		return NULL;
	catch_up(e);
	if (!memo_go_to(e, tid, e->done[tid], false) || !to_operation(e, tid) ||
	    has_bug(&m->step[m->at[tid]].op))
		return NULL;
	return &m->step[m->at[tid]];
}

bool memo_has_ended(struct engine *e, uint32_t tid)
{
	const uint32_t end = e->graph.count[tid] - 1;

	catch_up(e);
	return e->memo->index[tid] > end ||
	       (memo_go_to(e, tid, end, false) && to_operation(e, tid));
}

/* ---- What they do ---------------------------------------------------------------------------------- */

static bool is_same(const struct op *a, const struct op *b)
{
	return a->kind == b->kind && a->addr == b->addr && a->size == b->size && a->pc == b->pc &&
	       a->order == b->order && a->order_fail == b->order_fail && a->fn == b->fn &&
	       a->await == b->await && a->peer == b->peer && value_eq(a->arg, b->arg) &&
	       value_eq(a->expected, b->expected);
}

/*
 * The thread, which has come to step i, does all that it was told to have done: returns the step of its operation; 0: it is not to be had, or was
 * never there, unless it is made.
 */
static uint32_t learn_reads(struct engine *e, uint32_t tid, uint32_t i, bool make)
{
	struct memo *m = e->memo;

	for (uint32_t k = 0; i && k < m->ntouched; k++) {
		const struct memo_touch *t = &m->touched[k];
		struct memo_step *s = &m->step[i];

		if (t->how != TOUCH_READS)
			continue;
		if (s->what == MEMO_UNKNOWN) {
			s->what = MEMO_READS;
			s->granule = t->granule;
			s->mask = t->mask;
		}
		m->unknown = false;
		if (s->what != MEMO_READS || s->granule != t->granule || s->mask != t->mask)
			memo_lose(e, "a thread did not read the same memory again", true);
		else if (make && memo_read(e, tid, s->index, s->granule, s->mask) != t->value &&
			 !m->unknown)
			memo_lose(e, "memory changes in ways that are not seen", true);
		if (m->lost)
			return 0;
		i = below(e, i, value_of(t->value), s->index, make);
	}
	return i;
}

static bool is_written(const struct memo *m, const struct memo_step *s)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < m->ntouched; k++) {
		const struct memo_touch *t = &m->touched[k], *w = &m->write[s->writes + n];

		if (t->how == TOUCH_READS)
			continue;
		if (n == s->nwrites || w->granule != t->granule || w->mask != t->mask ||
		    w->how != t->how || w->value != t->value)
			return false;
		n++;
	}
	return n == s->nwrites;
}

static void write_down(struct engine *e, struct memo_step *s, const struct op *op)
{
	struct memo *m = e->memo;

	if (m->nwrites + m->ntouched > MEMO_WRITES) {
		no_room(m);
		return;
	}
	s->what = MEMO_DOES;
	s->op = *op;
	s->loc = run_has_location(op) ? graph_location(&e->graph, op->addr, op->size) : NO_LOC;
	if (op->await)
		m->asked[s - m->step] = (struct await_mask){ 0 };
	s->writes = m->nwrites;
	for (uint32_t k = 0; k < m->ntouched; k++)
		if (m->touched[k].how != TOUCH_READS)
			m->write[m->nwrites++] = m->touched[k];
	s->nwrites = (uint16_t)(m->nwrites - s->writes);
	m->learned++;
}

/* The operation as the exploration takes it, where the graph has it. */
static struct op as_in_graph(const struct engine *e, uint32_t tid, const struct op *op)
{
	const struct graph *g = &e->graph;
	struct op same = *op;

	same.await &= e->awaits;
	if (e->done[tid] < g->count[tid])
		same.await = (g->ev[g->at[tid][e->done[tid]]].flags & EV_AWAIT) != 0;
	return same;
}

void memo_learn(struct engine *e, uint32_t tid, const struct op *op)
{
	struct memo *m = e->memo;
	const struct op does = as_in_graph(e, tid, op);
	/* What it has together with others it does not have wherever it has read the same: only how it came there is asked. (K11) */
	const bool is_step = op->kind != OP_BLOCK || op->fn != BLOCK_IN_BUG;
	struct memo_step *s;
	uint32_t i;

	if (m->lost || m->making || m->deaf)
		return;
	if (op->kind == OP_YIELD || op->kind == OP_PAUSE) {
		memo_lose(e, "a thread lets others go first", false);
		return;
	}
	if (op->kind == OP_START)
		m->ntouched = 0;
	i = learn_reads(e, tid, memo_go_to(e, tid, e->done[tid], is_step), is_step);
	if (!i || !is_step)
		return;
	s = &m->step[i];
	if (s->what == MEMO_UNKNOWN)
		write_down(e, s, &does);
	else if (s->what != MEMO_DOES || !is_same(&s->op, &does) || !is_written(m, s))
		memo_lose(e, "a thread did not do the same again", true);
	if (does.await && await_mask_of(e, tid))
		await_mask_add(&m->asked[i], await_mask_of(e, tid));
}
