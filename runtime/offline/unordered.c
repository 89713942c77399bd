/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unordered.c - see unordered.h
 *
 * A search by steps that cost nothing (po, and to where each other thread comes behind by happens-before) and such that cost one
 * (from a write to a read that does not synchronise): a queue for each cost.
 */
#include "offline/unordered.h"

#include <stdlib.h>

#include "offline/clocks.h"

struct way {
	const struct execution *x;
	struct clocks hb;
	uint32_t b;
	uint32_t *reader, *next;  /* of a write the first read of it, of a read the next one */
	uint32_t *cost, *from;    /* of each event: so far, and where the way to it comes from */
	uint32_t *queue[2], n[2]; /* of this cost, and of one more */
};

static bool acquires(uint8_t order)
{
	return order == ORDER_ACQ || order == ORDER_ACQ_REL || order == ORDER_SC;
}

static bool releases(uint8_t order)
{
	return order == ORDER_REL || order == ORDER_ACQ_REL || order == ORDER_SC;
}

/* The last event of the thread that counts. */
static uint32_t end_of(const struct way *w, uint32_t tid)
{
	return tid == w->x->tid[w->b] ? w->b + 1 : w->x->first[tid + 1];
}

/* The fence behind the read that acquires, or EX_NONE. */
static uint32_t fence_behind(const struct way *w, uint32_t read)
{
	for (uint32_t e = read + 1; e < end_of(w, w->x->tid[read]); e++)
		if (w->x->kind[e] == EX_FENCE && acquires(w->x->order[e]))
			return e;
	return EX_NONE;
}

static bool fence_before(const struct execution *x, uint32_t write)
{
	for (uint32_t e = write; e-- > x->first[x->tid[write]];)
		if (x->kind[e] == EX_FENCE && releases(x->order[e]))
			return true;
	return false;
}

static void reach(struct way *w, uint32_t to, uint32_t from, uint32_t cost)
{
	const uint32_t all = w->cost[from] + cost;

	if (to >= end_of(w, w->x->tid[to]) || w->cost[to] <= all)
		return;
	w->cost[to] = all;
	w->from[to] = from;
	w->queue[cost][w->n[cost]++] = to;
}

/* The first event of the thread that comes behind e by happens-before, or the end of the thread. */
static uint32_t first_behind(const struct way *w, uint32_t e, uint32_t tid)
{
	uint32_t low = w->x->first[tid], high = w->x->first[tid + 1];

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (clock_before(&w->hb, e, mid))
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static void go_on(struct way *w, uint32_t e)
{
	const struct execution *x = w->x;

	if (e + 1 < x->first[x->tid[e] + 1])
		reach(w, e + 1, e, 0);
	for (uint32_t t = 0; t < x->k; t++) {
		uint32_t f = t == x->tid[e] ? EX_NONE : first_behind(w, e, t);

		if (f < x->first[t + 1])
			reach(w, f, e, 0);
	}
	for (uint32_t r = w->reader[e]; r != EX_NONE; r = w->next[r])
		reach(w, r, e, 1);
}

static void list_readers(struct way *w)
{
	const struct execution *x = w->x;

	for (uint32_t e = 0; e < x->n; e++)
		w->reader[e] = w->next[e] = w->cost[e] = EX_NONE;
	for (uint32_t e = x->n; e-- > 0;)
		if (x->kind[e] & EX_READ && x->rf[e] < x->n) {
			w->next[e] = w->reader[x->rf[e]];
			w->reader[x->rf[e]] = e;
		}
}

static void search(struct way *w, uint32_t a)
{
	w->cost[a] = 0;
	w->queue[0][w->n[0]++] = a;
	for (uint32_t cost = 0; w->n[0]; cost++) {
		uint32_t *done = w->queue[0];

		while (w->n[0]) {
			uint32_t e = w->queue[0][--w->n[0]];

			if (w->cost[e] == cost)
				go_on(w, e);
		}
		w->queue[0] = w->queue[1];
		w->n[0] = w->n[1];
		w->queue[1] = done;
		w->n[1] = 0;
	}
}

static bool is_read_of(const struct way *w, uint32_t read, uint32_t write)
{
	return w->x->kind[read] & EX_READ && w->x->rf[read] == write &&
	       !clock_before(&w->hb, write, read);
}

static uint32_t walk_back(const struct way *w, uint32_t a, struct unordered *out)
{
	const struct execution *x = w->x;
	uint32_t n = w->cost[w->b], left = n;

	for (uint32_t e = w->b; e != a; e = w->from[e])
		if (is_read_of(w, e, w->from[e]) && --left < UNORDERED_MOST)
			out[left] = (struct unordered){
				.write = w->from[e],
				.read = e,
				.releases = releases(x->order[w->from[e]]) ||
					    fence_before(x, w->from[e]),
				.acquires = acquires(x->order[e]) || fence_behind(w, e) != EX_NONE,
			};
	return n;
}

uint32_t unordered_reads(const struct execution *x, enum engine_model model, uint32_t a, uint32_t b,
			 struct unordered out[UNORDERED_MOST])
{
	struct way w = { .x = x, .b = b };
	uint32_t *room = offline_zeroed(5 * (size_t)x->n + 1, sizeof(*room)), n = 0;
	uint32_t *sort = room + 4 * (size_t)x->n;

	w.reader = room;
	w.next = room + x->n;
	w.cost = room + 2 * (size_t)x->n;
	w.from = room + 3 * (size_t)x->n;
	/* Those that were reached at this cost, and before it. */
	w.queue[0] = offline_room(2 * (size_t)x->n + 1, sizeof(*room));
	w.queue[1] = offline_room(2 * (size_t)x->n + 1, sizeof(*room));
	if (execution_sort(x, sort) == x->n) {
		clocks_build(&w.hb, x, model, sort);
		list_readers(&w);
		search(&w, a);
		if (w.cost[b] != EX_NONE)
			n = walk_back(&w, a, out);
		clocks_release(&w.hb);
	}
	free(w.queue[0]);
	free(w.queue[1]);
	free(room);
	return n;
}
