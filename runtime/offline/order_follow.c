/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * order_follow.c - the order in which an execution was recorded, tried as a total order
 *
 * Of the lines that may go on, the one whose next item was recorded first goes on; one that may
 * not hangs on what it waits for: an item of another line, or a location that is locked.
 * Nothing is taken back, so an order that has to deviate from the recorded one is found or
 * missed, as it happens (a store buffer of tso that was emptied late is found). What is found
 * is an order: each item came only when it might.
 *
 * Cost: O(n log l) for l lines, and a line's next item again for each time that what it waited
 * for comes.
 */
#include <stdlib.h>
#include <string.h>

#include "offline/order_state.h"

struct follow {
	struct order *o;
	struct order_state state;
	uint32_t *in_start, *in; /* edges into each item */
	uint32_t *ready, nready; /* lines, a heap by the hint of their next items */
	uint32_t *wait, *next;   /* of a line that waits: the item; the next line that does */
	uint32_t *by_line;       /* lines that wait for an item of each line */
	uint32_t *by_loc;        /* and for each location */
	uint32_t found;
};

void order_state_init(struct order_state *s, const struct order *o)
{
	s->o = o;
	s->at = offline_room(o->lines, sizeof(*s->at));
	s->remaining = offline_zeroed((size_t)o->n + o->nlocs, sizeof(*s->remaining));
	s->current = offline_room(o->nlocs, sizeof(*s->current));
	memcpy(s->at, o->first, o->lines * sizeof(*s->at));
	for (uint32_t l = 0; l < o->nlocs; l++)
		s->current[l] = o->n + l;
	for (uint32_t i = 0; i < o->n; i++)
		if (o->flags[i] & ITEM_LOCKS)
			s->remaining[order_source(o, i)]++;
}

void order_state_release(struct order_state *s)
{
	free(s->at);
	free(s->remaining);
	free(s->current);
}

/* ---- Lines that may go on -------------------------------------------------------------------- */

static uint32_t when(const struct follow *f, uint32_t line)
{
	return f->o->hint[f->state.at[line]];
}

static void make_ready(struct follow *f, uint32_t line)
{
	uint32_t i = f->nready++;

	for (; i && when(f, f->ready[(i - 1) / 2]) > when(f, line); i = (i - 1) / 2)
		f->ready[i] = f->ready[(i - 1) / 2];
	f->ready[i] = line;
}

static uint32_t take_ready(struct follow *f)
{
	uint32_t first = f->ready[0], line = f->ready[--f->nready], i = 0, child;

	for (; (child = 2 * i + 1) < f->nready; i = child) {
		if (child + 1 < f->nready &&
		    when(f, f->ready[child + 1]) < when(f, f->ready[child]))
			child++;
		if (when(f, f->ready[child]) >= when(f, line))
			break;
		f->ready[i] = f->ready[child];
	}
	f->ready[i] = line;
	return first;
}

static void hang(struct follow *f, uint32_t line, uint32_t *list, uint32_t item)
{
	f->wait[line] = item;
	f->next[line] = *list;
	*list = line;
}

/* The lines of a list that wait for an item below `end`, or for none. */
static void free_list(struct follow *f, uint32_t *list, uint32_t end)
{
	uint32_t keep = EX_NONE, after;

	for (uint32_t l = *list; l != EX_NONE; l = after) {
		after = f->next[l];
		if (f->wait[l] != EX_NONE && f->wait[l] >= end) {
			f->next[l] = keep;
			keep = l;
		} else {
			make_ready(f, l);
		}
	}
	*list = keep;
}

/* ---- Items ------------------------------------------------------------------------------------- */

static bool waits_for(struct follow *f, uint32_t line, uint32_t item)
{
	uint32_t other = f->o->line[item];

	if (item < f->state.at[other])
		return false;
	hang(f, line, &f->by_line[other], item);
	return true;
}

/* May item i, the next of its line, come? If not, the line hangs on what it waits for. */
static bool comes(struct follow *f, uint32_t line, uint32_t i)
{
	const struct order *o = f->o;

	if ((o->flags[i] & ITEM_READ) && !(o->flags[i] & ITEM_EARLY) && o->rf[i] < o->n &&
	    waits_for(f, line, o->rf[i]))
		return false;
	for (uint32_t j = f->in_start[i]; j < f->in_start[i + 1]; j++)
		if (waits_for(f, line, o->edges[f->in[j]].from))
			return false;
	if ((o->flags[i] & ITEM_WRITE) && !order_unlocked(&f->state, i)) {
		hang(f, line, &f->by_loc[o->loc[i]], EX_NONE);
		return false;
	}
	return true;
}

static void perform(struct follow *f, uint32_t i)
{
	const struct order *o = f->o;
	uint32_t line = o->line[i];

	order_perform(&f->state, i);
	o->found[f->found++] = i;
	if (f->by_line[line] != EX_NONE)
		free_list(f, &f->by_line[line], f->state.at[line]);
	/* A write may be the source of a read-modify-write, a read its location's last but one. */
	if (o->loc[i] != EX_NONE && f->by_loc[o->loc[i]] != EX_NONE &&
	    f->state.remaining[f->state.current[o->loc[i]]] <= 1)
		free_list(f, &f->by_loc[o->loc[i]], 0);
	if (f->state.at[line] < o->first[line + 1])
		make_ready(f, line);
}

static void run(struct follow *f)
{
	const struct order *o = f->o;

	for (uint32_t l = 0; l < o->lines; l++)
		if (o->first[l] < o->first[l + 1])
			make_ready(f, l);
	while (f->nready) {
		uint32_t line = take_ready(f), i = f->state.at[line];

		if (comes(f, line, i))
			perform(f, i);
	}
}

bool order_follow(struct order *o)
{
	struct follow f = { .o = o };

	o->found = offline_room(o->n, sizeof(*o->found));
	order_state_init(&f.state, o);
	order_edges_into(o, &f.in_start, &f.in);
	f.ready = offline_room(o->lines, sizeof(*f.ready));
	f.wait = offline_room(o->lines, sizeof(*f.wait));
	f.next = offline_room(o->lines, sizeof(*f.next));
	f.by_line = offline_room(o->lines, sizeof(*f.by_line));
	f.by_loc = offline_room(o->nlocs, sizeof(*f.by_loc));
	memset(f.by_line, 0xff, o->lines * sizeof(*f.by_line));
	memset(f.by_loc, 0xff, o->nlocs * sizeof(*f.by_loc));
	run(&f);
	if (f.found < o->n) {
		free(o->found);
		o->found = NULL;
	}
	order_state_release(&f.state);
	free(f.in_start);
	free(f.in);
	free(f.ready);
	free(f.wait);
	free(f.next);
	free(f.by_line);
	free(f.by_loc);
	return o->found;
}
