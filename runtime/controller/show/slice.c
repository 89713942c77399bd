/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slice.c - the events of an execution that explain its bug
 *
 * A long execution is mostly about something else. What the bug can depend on comes before it by po and rf, or by
 * what orders threads otherwise (sw). Of that, the events are shown by which threads had to do with each other:
 *
 * - the sides of the bug; of a deadlock also by what a lock was taken that a thread did not give back before it ended, if one waits for it;
 * - reads of what another thread wrote, and those writes; what creates, locks and the like order, at both ends;
 * - the writes that such a read did not return (without a modification order: may not have returned), though they had been executed, or the bug depends on them;
 * - fences, and all operations on the locations of these;
 * - the last operations of each thread that is a side;
 * - what the program says meanwhile (heddle_trace()).
 *
 * What comes behind the bug, or beside it, and what a thread did for itself is left out. So are looks in a loop but for those of its first and
 * its last round, where they found the same.
 *
 * Cost: linear in events and edges; quadratic without a modification order.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "controller/show/model.h"

enum {
	SLICE_LAST = 2, /* operations of a side's thread */
	SLICE_LOCATIONS = 64,
	SLICE_ROUND = 4 /* operations of a loop in which a thread looks */
};

/* What the bug itself is about. */
static void add_bug(const struct model *m, bool *in)
{
	for (size_t i = 0; i < m->nevents; i++)
		in[i] = m->events[i].is_side;
	for (uint32_t k = 0; k < m->trace->bug.nsides; k++) {
		const struct step *taken = why_kept(&m->trace->bug, &m->trace->bug.sides[k]);

		for (size_t i = 0; taken && i < m->nevents; i++)
			if (m->events[i].tid == taken->record.tid &&
			    (m->events[i].step == taken ||
			     (m->events[i].step && m->events[i].step->record.kind == OP_END)))
				in[i] = true;
	}
}

/* Which edges lead to what an event depends on. */
static const enum edge_kind back[] = { EDGE_PO, EDGE_RF, EDGE_SW };

/* Events up to `i` depend on each other by edges that lead on in the order of execution; but a read may be executed before its write is not. */
static void close_past(const struct model *m, bool *past)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t k = 0; k < sizeof(back) / sizeof(back[0]); k++)
			for (size_t i = m->edges[back[k]].n; i-- > 0;) {
				const struct model_edge *e = &m->edges[back[k]].at[i];

				if (!past[e->to] || past[e->from])
					continue;
				past[e->from] = true;
				more = true;
			}
	}
}

static bool crosses(const struct model *m, const struct model_edge *e)
{
	return m->events[e->from].tid != m->events[e->to].tid;
}

static void add_crossings(const struct model *m, const bool *past, bool *in)
{
	for (size_t k = 1; k < sizeof(back) / sizeof(back[0]); k++)
		for (size_t i = 0; i < m->edges[back[k]].n; i++) {
			const struct model_edge *e = &m->edges[back[k]].at[i];

			if (past[e->to] && crosses(m, e))
				in[e->from] = in[e->to] = true;
		}
	for (size_t i = 0; i < m->edges[EDGE_FR].n; i++) {
		const struct model_edge *e = &m->edges[EDGE_FR].at[i];

		if (past[e->from] && crosses(m, e) && (past[e->to] || e->to < e->from))
			in[e->from] = in[e->to] = true;
	}
}

/*
 * Where there is no modification order (wra, or one that was not found) no write is known to be the next one behind what is read: each
 * of another thread may be. Quadratic; the caller shows no long execution (STEPS_MOST).
 */
static void add_accesses_of_others(const struct model *m, const bool *past, bool *in)
{
	for (size_t i = 0; i < m->nevents; i++) {
		const struct model_event *read = &m->events[i];

		if (!past[i] || !read->step || !(read->step->record.flags & STEP_READ) ||
		    !read->step->record.size)
			continue;
		for (size_t k = 0; k < m->nevents; k++) {
			const struct model_event *write = &m->events[k];

			if (past[k] && write->tid != read->tid && write->step &&
			    write->step->record.flags & STEP_WROTE &&
			    write->step->record.addr == read->step->record.addr)
				in[i] = in[k] = true;
		}
	}
}

/* The bug's location, and those of what is shown so far, as far as they have room. */
static size_t locations_of(const struct model *m, const bool *in, uint64_t at[SLICE_LOCATIONS])
{
	size_t n = m->trace->bug.addr != 0;

	at[0] = m->trace->bug.addr;
	for (size_t i = 0; i < m->nevents && n < SLICE_LOCATIONS; i++) {
		const uint64_t addr = m->events[i].step ? m->events[i].step->record.addr : 0;
		bool known = !in[i] || !addr;

		for (size_t k = 0; k < n && !known; k++)
			known = at[k] == addr;
		if (!known)
			at[n++] = addr;
	}
	return n;
}

static bool is_at(const struct model_event *e, const uint64_t *at, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (e->step && e->step->record.addr == at[k])
			return true;
	return false;
}

/* What is done there. */
static void add_places(const struct model *m, const bool *past, bool *in)
{
	uint64_t at[SLICE_LOCATIONS];
	size_t n = locations_of(m, in, at);

	for (size_t i = 0; i < m->nevents; i++)
		if (past[i] && (m->events[i].kind == EVENT_SAYS ||
				(m->events[i].step && (m->events[i].step->record.kind == OP_FENCE ||
						       is_at(&m->events[i], at, n)))))
			in[i] = true;
}

static void add_last(const struct model *m, int side, bool *in)
{
	unsigned n = 0;

	for (int i = side; i >= 0 && n <= SLICE_LAST; i--)
		if (m->events[i].tid == m->events[side].tid) {
			in[i] = true;
			n++;
		}
}

/* Has the thread looked at the same place, and found the same there? */
static bool looks_again(const struct model_event *a, const struct model_event *b)
{
	return a->step && b->step && (a->initial || a->from != MODEL_NONE) &&
	       a->site.line == b->site.line && !strcmp(a->text, b->text);
}

/* of: the events of one thread, in its order. */
static bool is_amid_looks(const struct model *m, const int *of, size_t n, size_t i)
{
	const struct model_event *e = &m->events[of[i]];

	if (e->is_side)
		return false;
	for (size_t round = 1; round <= SLICE_ROUND && round <= i && round < n - i; round++)
		if (looks_again(e, &m->events[of[i - round]]) &&
		    looks_again(e, &m->events[of[i + round]]))
			return true;
	return false;
}

static void leave_out_looks(const struct model *m, bool *in)
{
	int *of = calloc(m->nevents + 1, sizeof(*of));

	for (size_t lane = 0; of && lane < m->nlanes; lane++) {
		size_t n = 0;

		for (size_t i = 0; i < m->nevents; i++)
			if (m->events[i].tid == m->lanes[lane].tid)
				of[n++] = (int)i;
		for (size_t i = 0; i < n; i++)
			in[of[i]] = in[of[i]] && !is_amid_looks(m, of, n, i);
	}
	free(of);
}

/* To say that one is left out takes as much room as the event. */
static void fill_gaps(const struct model *m, bool *in)
{
	for (size_t i = 0; i + 1 < m->nevents; i++)
		if ((!i || in[i - 1]) && in[i + 1])
			in[i] = true;
}

void model_slice(const struct model *m, bool *in)
{
	bool *past = calloc(m->nevents + 1, sizeof(*past));

	add_bug(m, in);
	if (!past)
		return;
	memcpy(past, in, m->nevents * sizeof(*past));
	close_past(m, past);
	add_crossings(m, past, in);
	if (m->mo == MO_NONE)
		add_accesses_of_others(m, past, in);
	add_places(m, past, in);
	for (size_t i = 0; i < m->nevents; i++)
		if (m->events[i].is_side)
			add_last(m, (int)i, in);
	leave_out_looks(m, in);
	fill_gaps(m, in);
	free(past);
}
