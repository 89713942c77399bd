/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo_plain.c - plain accesses to memory that threads share, in executions that are made (memo.h)
 *
 * In an execution without a race all writes of a byte that happen before a read are ordered, and the read finds the last of
 * them. So what it finds follows from the clocks, in whatever order threads were followed.
 */
#include "engine/run/memo.h"

uint64_t memo_bytes_of(uint8_t mask)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < 8; i++)
		if (mask >> i & 1)
			bytes |= (uint64_t)0xff << 8 * i;
	return bytes;
}

/* What the thread knows of, behind so many of its events. */
static const uint32_t *clock_at(const struct engine *e, uint32_t tid, uint32_t index)
{
	static const uint32_t none[HEDDLE_MAX_THREADS];

	return index ? graph_hb(&e->graph, e->graph.at[tid][index - 1]) : none;
}

/* Does that come before what a thread does behind so many events, with that clock? */
static bool is_before(const struct memo_access *a, uint32_t tid, uint32_t index,
		      const uint32_t *clock)
{
	return a->tid == tid ? a->index <= index : clock[a->tid] > a->index;
}

static uint32_t *list_of(struct engine *e, uint32_t granule)
{
	struct memo_granule *g = &e->memo->granule[granule];

	if (g->run != e->begun) {
		g->run = e->begun;
		g->list = 0;
	}
	return &g->list;
}

uint64_t memo_read(struct engine *e, uint32_t tid, uint32_t index, uint32_t granule, uint8_t mask)
{
	struct memo *m = e->memo;
	const uint32_t *clock = clock_at(e, tid, index);
	const struct memo_access *last[8] = { NULL };
	uint64_t value = m->granule[granule].initial;

	for (uint32_t u = 0; u < e->graph.nthreads; u++) /* all that it may find is to be there */
		if (u != tid && clock[u] && !memo_go_to(e, u, clock[u], false))
			m->unknown = true;
	for (uint32_t i = *list_of(e, granule); i; i = m->access[i].next) {
		const struct memo_access *a = &m->access[i];

		if (!a->is_write || !is_before(a, tid, index, clock))
			continue;
		for (unsigned b = 0; b < 8; b++)
			if ((a->mask & mask) >> b & 1 &&
			    (!last[b] ||
			     is_before(last[b], a->tid, a->index, clock_at(e, a->tid, a->index))))
				last[b] = a;
	}
	for (unsigned b = 0; b < 8; b++)
		if (last[b])
			value = (value & ~((uint64_t)0xff << 8 * b)) |
				(last[b]->value & (uint64_t)0xff << 8 * b);
	return value & memo_bytes_of(mask);
}

void memo_access(struct engine *e, uint32_t tid, uint32_t index, uint32_t granule, uint8_t mask,
		 bool is_write, uint64_t value)
{
	struct memo *m = e->memo;
	const uint32_t *clock = clock_at(e, tid, index);
	uint32_t *list = list_of(e, granule);

	for (uint32_t i = *list; i; i = m->access[i].next) {
		const struct memo_access *a = &m->access[i];

		if (a->tid != tid && (a->mask & mask) && (a->is_write || is_write) &&
		    !is_before(a, tid, index, clock) && clock_at(e, a->tid, a->index)[tid] <= index)
			m->unknown = true;
	}
	if (m->naccesses == MEMO_ACCESSES) {
		m->unknown = true;
		return;
	}
	m->access[m->naccesses] = (struct memo_access){ .next = *list,
							.tid = tid,
							.index = index,
							.mask = mask,
							.is_write = is_write,
							.value = value };
	*list = m->naccesses++;
}
