/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runner_ran.c - by values, an engine makes executions of what its own runs have shown, and not those of others (value.txt, V14)
 *
 * What each thread has read in any run is kept, of each engine. Where more than accesses to memory comes up, nobody is asked.
 */
#include <string.h>

#include "base/table.h"
#include "engine/run/state.h"
#include "engine/runner.h"

enum {
	BITS = 20
};

static uint64_t table[1 << BITS]; /* of engines, threads and what those have read; 0: free */
static uint32_t ntable;

void runner_ran_nothing(void)
{
	if (ntable)
		memset(table, 0, sizeof(table));
	ntable = 0;
}

static uint64_t *find(uint64_t history)
{
	uint64_t *slot;

	TABLE_FIND(slot, table, BITS, history, !*slot || *slot == history);
	return slot;
}

static void add(uint64_t history)
{
	uint64_t *slot = find(history);

	if (!*slot && table_full(ntable, BITS))
		return;
	ntable += !*slot;
	*slot = history;
}

static uint64_t begin(const struct engine *e, uint32_t tid)
{
	return table_mix((uint64_t)(uintptr_t)e, tid) | 1;
}

static uint64_t behind(uint64_t history, uint64_t read)
{
	return table_mix(history, (uint32_t)read) | 1;
}

uint64_t runner_ran_begins(const struct engine *e, uint32_t tid)
{
	const uint64_t history = begin(e, tid);

	add(history);
	return history;
}

uint64_t runner_ran_reads(uint64_t history, uint64_t read)
{
	history = behind(history, read);
	add(history);
	return history;
}

static bool is_access(unsigned kind)
{
	return kind == OP_LOAD || kind == OP_STORE || kind == OP_RMW || kind == OP_CAS;
}

static bool has_others(const struct graph *g)
{
	for (uint32_t p = 0; p < g->n; p++)
		if (!is_access(g->ev[p].kind) && g->ev[p].loc != NO_LOC)
			return true;
	return false;
}

bool runner_has_run(const struct engine *e, uint32_t nthreads)
{
	const struct graph *g = &e->graph;

	if (!e->value || has_others(g) || table_full(ntable, BITS))
		return true;
	for (uint32_t t = 1; t <= nthreads; t++) {
		uint64_t history = begin(e, t);

		for (uint32_t i = 0; i < g->count[t]; i++)
			if (g->ev[g->at[t][i]].flags & EV_READ)
				history = behind(history, g->ev[g->at[t][i]].read.lo);
		if (!*find(history))
			return false;
	}
	return true;
}
