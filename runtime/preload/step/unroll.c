/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unroll.c - the rounds of loops are bounded, on request (--unroll)
 *
 * A program whose loops never end has no last execution. With --unroll N a thread that would come by one place of
 * a loop more than N times stops there, as after a failed assume, and the controller says that it did: nothing is
 * known of what comes after N rounds.
 *
 * A place is an operation in the code, and the calls that the thread is in: two calls of one function, one
 * behind the other, are no loop, but two calls by one line are. What the thread has come by stands in a list, in
 * order. Back at a place of the list, it has done a round of the loop that begins there and ends at the last place of
 * the list. That counts, and what stands behind is forgotten: loops inside begin from anew. Places in functions that
 * have returned are forgotten, too, as soon as they stand last.
 *
 * Two loops may begin at one place, as where a thread locks by a loop at the begin of each round of another. The outer
 * one is that in whose round the inner one's last place stands. Two may say so of each other, if their order
 * changes; then whichever comes first is the outer one for good (rank). So the outermost loop of those that go on
 * for ever is never begun from anew, and is cut.
 *
 * One call of a hook may do the same with many objects, so objects of libraries, and locations of plain accesses
 * that are events, are part of the place. Threads are created as often as the program does.
 *
 * Which thread stops, and where, is a function of its own history, so each graph can be repeated. If none does, the
 * bound has changed nothing. If one does, the verdict is inconclusive, or there is a bug in an execution in which that
 * thread is slow. That others wait for it is none (verdict.c).
 *
 * Not bounded: loops without operations, whose locations are other ones in each round if they are of library
 * objects, or whose round comes by more places than there is room for.
 *
 * Cost: what it takes to unwind the thread, for each operation.
 */
#include "preload/step/unroll.h"
#include "base/table.h"
#include "engine/run/repeat.h"
#include "preload/await/arrival.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/fiber/fiber.h"
#include "preload/liveness/stretch.h"

enum {
	PLACES = 512 /* of a thread; as many loops */
};

struct visit {
	uint64_t name; /* of the place: a hash */
	/* Where the frame of the innermost function ends; 0: not on the thread's stack. */
	uint64_t frame;
};

/* A loop that begins at visit `to`, and whose rounds end at the place `from`. */
struct loop {
	uint64_t from;
	uint32_t to, times, rank;
};

struct visits {
	uint32_t n, nloops;
	bool over;      /* the last round was one more than is followed */
	struct op stop; /* what unroll_before() returns */
	struct visit at[PLACES];
	struct loop loop[PLACES]; /* in order of `to` */
};

uint32_t unroll_rounds;
static struct visits visits[HEDDLE_MAX_THREADS];
FRESH_ROWS(visits);

static void forget_all(struct visits *v)
{
	v->n = v->nloops = 0;
	v->over = false;
}

static void unroll_id_again(uint32_t tid)
{
	if (unroll_rounds)
		forget_all(&visits[tid]);
}

static void unroll_begin(void)
{
	unroll_rounds = shared->config.mode == ENGINE_EXPLORE ? shared->config.unroll : 0;
	for (uint32_t t = 0; unroll_rounds && t < HEDDLE_EXPLORED_THREADS; t++)
		unroll_id_again(t);
}

AT_BEGIN(unroll_begin);
AT_ID_AGAIN(unroll_id_again);

static bool is_counted(enum op_kind kind)
{
	switch (kind) {
	case OP_CREATE:
	case OP_START:
	case OP_END:
	case OP_EXIT:
	case OP_CHOOSE: /* beside another one */
	case OP_BLOCK:
	case OP_STUCK:
	case OP_YIELD:
	case OP_PAUSE:
		return false;
	default:
		return true;
	}
}

static struct visit visit_of(const struct op *op, const struct arrival *at)
{
	bool named = !op->size || op->order == ORDER_NA;
	struct visit p = { .name = table_mix(op->pc, op->kind) };
	struct frames frames;

	stretch_arrival(&frames, at->pc, at->sp);
	for (uint32_t i = 0; i < frames.n; i++) {
		p.name = table_mix(p.name, frames.at[i].pc);
		p.name = table_mix(p.name, frames.at[i].cfa);
	}
	if (named)
		p.name = table_mix(table_mix(p.name, op->addr), op->peer);
	p.frame = frames.n && frames.at[0].cfa ? frames.at[0].cfa : at->sp;
	p.frame = on_own_stack(p.frame) ? p.frame : 0;
	return p;
}

/* Forgets what comes behind the first n. */
static void forget_from(struct visits *v, uint32_t n)
{
	v->n = n;
	while (v->nloops && v->loop[v->nloops - 1].to >= n)
		v->nloops--;
}

static void forget_returned(struct visits *v, uint64_t sp)
{
	uint32_t n = v->n;

	while (on_own_stack(sp) && n && v->at[n - 1].frame && v->at[n - 1].frame <= sp)
		n--;
	forget_from(v, n);
}

/* Where the place stands in the list, or v->n. */
static uint32_t find(const struct visits *v, uint64_t name)
{
	for (uint32_t i = v->n; i-- > 0;)
		if (v->at[i].name == name)
			return i;
	return v->n;
}

static struct loop *find_loop(struct visits *v, uint32_t to, uint64_t from)
{
	for (uint32_t i = v->nloops; i-- > 0 && v->loop[i].to == to;)
		if (v->loop[i].from == from)
			return &v->loop[i];
	v->loop[v->nloops] = (struct loop){ .from = from, .to = to };
	return &v->loop[v->nloops++];
}

/* The loops that begin where this one does, and have their last place in its round, begin from anew. */
static void begin_inner(struct visits *v, struct loop *outer)
{
	for (uint32_t i = v->nloops; i-- > 0 && v->loop[i].to == outer->to;) {
		struct loop *inner = &v->loop[i];
		uint32_t last = inner == outer ? v->n : find(v, inner->from);

		if (last == v->n || last < outer->to)
			continue;
		if (inner->rank == outer->rank)
			outer->rank++;
		if (inner->rank < outer->rank)
			inner->times = 0;
	}
}

/* The thread is back at the place that stands there. Has it done more rounds than are followed? */
static bool does_round(struct visits *v, uint32_t to)
{
	uint64_t from = v->at[v->n - 1].name;
	struct loop *loop;

	while (v->nloops && v->loop[v->nloops - 1].to > to)
		v->nloops--;
	loop = find_loop(v, to, from);
	begin_inner(v, loop);
	v->n = to + 1;
	return ++loop->times >= unroll_rounds;
}

static bool comes_by(struct visits *v, const struct visit *place)
{
	uint32_t to = find(v, place->name);

	if (to < v->n && v->nloops < PLACES)
		return does_round(v, to);
	if (v->n == PLACES || v->nloops == PLACES)
		forget_all(v);
	v->at[v->n++] = *place;
	return false;
}

void unroll_arrives(const struct op *op)
{
	struct visits *v = &visits[current->tid];
	struct arrival at;
	struct visit p;

	if (!is_counted(op->kind))
		return;
	arrive(&at, op);
	arrival_of_program(&at);
	p = visit_of(op, &at);
	forget_returned(v, at.sp);
	v->over = comes_by(v, &p);
}

const struct op *unroll_before(const struct op *op)
{
	struct visits *v = &visits[current->tid];

	if (!unroll_rounds || !v->over || !is_counted(op->kind) ||
	    engine_fixes(engine, current->tid))
		return op;
	/* relaxed: one writer; the controller looks at it in the end */
	atomic_fetch_or_explicit(&shared->not_followed, CUT_UNROLLED, memory_order_relaxed);
	v->stop = (struct op){ .kind = OP_BLOCK, .pc = op->pc };
	return &v->stop;
}
