/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * execution.c - see execution.h
 *
 * Events are collected in the order in which they come; execution_finish() moves them so
 * that each thread's lie together (nothing moves if they came that way), which makes every
 * pass over a thread a pass over memory. Location names are found by base/table.h.
 *
 * Cost: O(n).
 */
#include "offline/execution.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/must.h"
#include "base/table.h"
#include "offline/turns.h"

#define LARGE_PAGE ((size_t)2 << 20)

struct execution_table {
	uint32_t *slot; /* base/table.h: location + 1 */
	uint32_t bits, room;
};

/*
 * Large arrays on large pages, where the kernel has them: with 10^7 events, half of the time
 * would go into faults and misses of the page tables.
 */
static void *large(void *p, size_t bytes)
{
	uintptr_t from = ((uintptr_t)p + LARGE_PAGE - 1) & ~(uintptr_t)(LARGE_PAGE - 1);
	uintptr_t to = ((uintptr_t)p + bytes) & ~(uintptr_t)(LARGE_PAGE - 1);

	if (!p)
		offline_too_large();
	if (bytes >= 2 * LARGE_PAGE && from < to)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
	return p;
}

void (*offline_exhausted)(void);

void offline_too_large(void)
{
	if (offline_exhausted)
		offline_exhausted();
	must_failed("there is memory", __FILE__, __LINE__);
}

void *offline_room(size_t n, size_t size)
{
	must(n < SIZE_MAX / 2 / (size + 1));
	return large(malloc(n * size + 1), n * size);
}

void *offline_zeroed(size_t n, size_t size)
{
	return large(calloc(n + 1, size), n * size);
}

void *offline_grow(void *p, size_t n, size_t size)
{
	must(n < SIZE_MAX / 2 / (size + 1));
	return large(realloc(p, n * size + 1), n * size);
}

void execution_init(struct execution *x)
{
	memset(x, 0, sizeof(*x));
	x->table = offline_zeroed(1, sizeof(*x->table));
}

void execution_release(struct execution *x)
{
	for (uint32_t l = 0; l < x->nlocs; l++)
		free(x->name[l]);
	if (x->table)
		free(x->table->slot);
	free(x->table);
	free(x->name);
	free(x->first);
	free(x->tid);
	free(x->loc);
	free(x->rf);
	free(x->kind);
	free(x->order);
	free(x->rf_tid);
	free(x->line);
	free(x->recorded);
	memset(x, 0, sizeof(*x));
}

static uint64_t hash_name(const char *name, size_t len)
{
	uint64_t h = 0;

	for (size_t i = 0; i < len; i++)
		h = table_hash(h ^ (uint8_t)name[i]);
	return h;
}

static bool is_name(const char *known, const char *name, size_t len)
{
	return !strncmp(known, name, len) && !known[len];
}

/* The slot of the name, or the free one where it belongs. */
static uint32_t *name_slot(const struct execution *x, const char *name, size_t len)
{
	const struct execution_table *t = x->table;
	uint32_t *slot;

	TABLE_FIND(slot, t->slot, t->bits, hash_name(name, len),
		   !*slot || is_name(x->name[*slot - 1], name, len));
	return slot;
}

static void widen_table(struct execution *x)
{
	struct execution_table *t = x->table;

	free(t->slot);
	t->bits = table_wider(t->bits, 8);
	t->slot = offline_zeroed(table_slots(t->bits), sizeof(*t->slot));
	for (uint32_t l = 0; l < x->nlocs; l++)
		*name_slot(x, x->name[l], strlen(x->name[l])) = l + 1;
}

uint32_t execution_location(struct execution *x, const char *name, size_t len)
{
	struct execution_table *t = x->table;
	uint32_t *slot;

	if (table_full(x->nlocs, t->bits))
		widen_table(x);
	slot = name_slot(x, name, len);
	if (*slot)
		return *slot - 1;
	if (x->nlocs == t->room) {
		t->room = t->room ? t->room * 2 : 64;
		x->name = offline_grow(x->name, t->room, sizeof(*x->name));
	}
	x->name[x->nlocs] = offline_room(len + 1, 1);
	memcpy(x->name[x->nlocs], name, len);
	x->name[x->nlocs][len] = 0;
	*slot = ++x->nlocs;
	return x->nlocs - 1;
}

static void widen_events(struct execution *x)
{
	x->room = x->room ? x->room * 2 : 256;
	x->tid = offline_grow(x->tid, x->room, sizeof(*x->tid));
	x->loc = offline_grow(x->loc, x->room, sizeof(*x->loc));
	x->rf = offline_grow(x->rf, x->room, sizeof(*x->rf));
	x->rf_tid = offline_grow(x->rf_tid, x->room, sizeof(*x->rf_tid));
	x->line = offline_grow(x->line, x->room, sizeof(*x->line));
	x->kind = offline_grow(x->kind, x->room, sizeof(*x->kind));
	x->order = offline_grow(x->order, x->room, sizeof(*x->order));
}

void execution_add(struct execution *x, const struct execution_event *ev)
{
	uint32_t e = x->n;

	must(e < EX_MAX_EVENTS && ev->tid < EX_MAX_THREADS);
	if (e == x->room)
		widen_events(x);
	x->n++;
	x->tid[e] = ev->tid;
	x->loc[e] = ev->kind & EX_FENCE ? EX_NONE : ev->loc;
	x->kind[e] = (uint8_t)ev->kind;
	x->order[e] = (uint8_t)ev->order;
	x->line[e] = ev->line;
	x->rf_tid[e] = ev->kind & EX_READ ? ev->rf_tid : EX_NONE;
	x->rf[e] = ev->rf_index;
	if (ev->tid >= x->k)
		x->k = ev->tid + 1;
}

static void *moved(void *from, const uint32_t *to, uint32_t n, size_t size)
{
	char *out = offline_room(n, size);

	for (uint32_t e = 0; e < n; e++)
		memcpy(out + (size_t)to[e] * size, (char *)from + (size_t)e * size, size);
	free(from);
	return out;
}

static void group_threads(struct execution *x)
{
	uint32_t *next = offline_zeroed(x->k + 1, sizeof(*next)), *to;
	bool sorted = true;

	x->first = offline_zeroed(x->k + 1, sizeof(*x->first));
	for (uint32_t e = 0; e < x->n; e++) {
		next[x->tid[e] + 1]++;
		sorted &= !e || x->tid[e - 1] <= x->tid[e];
	}
	for (uint32_t t = 0; t < x->k; t++)
		x->first[t + 1] = next[t + 1] += next[t];
	if (!sorted) {
		to = offline_room(x->n, sizeof(*to));
		for (uint32_t e = 0; e < x->n; e++)
			to[e] = next[x->tid[e]]++;
		x->tid = moved(x->tid, to, x->n, sizeof(*x->tid));
		x->loc = moved(x->loc, to, x->n, sizeof(*x->loc));
		x->rf = moved(x->rf, to, x->n, sizeof(*x->rf));
		x->rf_tid = moved(x->rf_tid, to, x->n, sizeof(*x->rf_tid));
		x->line = moved(x->line, to, x->n, sizeof(*x->line));
		x->kind = moved(x->kind, to, x->n, sizeof(*x->kind));
		x->order = moved(x->order, to, x->n, sizeof(*x->order));
		x->recorded = to;
	}
	free(next);
}

static bool find_source(struct execution *x, uint32_t e, struct execution_error *err)
{
	uint32_t t = x->rf_tid[e], i = x->rf[e], w;
	const char *why;

	if (t == EX_NONE || t == EX_INIT) {
		x->rf[e] = t;
		return true;
	}
	if (t >= x->k || i >= x->first[t + 1] - x->first[t]) {
		why = "there is no such event";
	} else {
		w = x->rf[e] = x->first[t] + i;
		if (!(x->kind[w] & EX_WRITE))
			why = "that event does not write";
		else if (x->loc[w] != x->loc[e])
			why = "that event writes to another location";
		else if (w == e)
			why = "an event cannot read from itself";
		else
			return true;
	}
	err->line = x->line[e];
	snprintf(err->text, sizeof(err->text), "%u.%u reads from %u.%u: %s", x->tid[e],
		 execution_index(x, e), t, i, why);
	return false;
}

/* Keeps the recorded order only if every source comes before what reads from it. */
static void check_recorded(struct execution *x)
{
	uint32_t *when, i = 0;

	if (!x->recorded)
		return;
	when = offline_room(x->n, sizeof(*when));
	for (i = 0; i < x->n; i++)
		when[x->recorded[i]] = i;
	for (i = 0; i < x->n && (x->rf[i] >= x->n || when[x->rf[i]] < when[i]);)
		i++;
	free(when);
	if (i == x->n)
		return;
	free(x->recorded);
	x->recorded = NULL;
}

bool execution_finish(struct execution *x, struct execution_error *e)
{
	group_threads(x);
	for (uint32_t i = 0; i < x->n; i++)
		if (!find_source(x, i, e))
			return false;
	check_recorded(x);
	free(x->rf_tid);
	free(x->line);
	free(x->table->slot);
	free(x->table);
	x->rf_tid = x->line = NULL;
	x->table = NULL;
	return true;
}

/* What event e reads from, if that has not come yet. */
static uint32_t source_missing(const void *self, const uint32_t *at, uint32_t e)
{
	const struct execution *x = self;
	uint32_t w = x->rf[e];

	return w < x->n && w >= at[x->tid[w]] ? w : EX_NONE;
}

uint32_t execution_sort(const struct execution *x, uint32_t *order)
{
	uint32_t *at, done;

	if (x->recorded) {
		memcpy(order, x->recorded, x->n * sizeof(*order));
		return x->n;
	}
	at = offline_room(x->k, sizeof(*at));
	done = turns_run(x, source_missing, x, at, order);
	free(at);
	return done;
}

uint32_t *execution_circle(const struct execution *x, const uint32_t *order, uint32_t n,
			   uint32_t *at, uint32_t *length)
{
	memcpy(at, x->first, x->k * sizeof(*at));
	for (uint32_t i = 0; i < n; i++)
		at[x->tid[order[i]]] = order[i] + 1;
	return turns_circle(x, source_missing, x, at, length);
}
