/* SPDX-License-Identifier: BSD-2-Clause */
/* shorten.c - see shorten.h */
#include "config.h"

#include "controller/trace/shorten.h"

#include <string.h>

static bool same_place(const struct step *a, const struct step *b)
{
	const struct place *p = &a->place, *q = &b->place;

	return p->kind == q->kind && p->module == q->module && p->thread == q->thread &&
	       p->count == q->count && p->offset == q->offset && a->record.size == b->record.size;
}

/* The reads of what was written by none of several halves, or at a place without a name, are not known to be old. */
static bool is_old_read(const struct step *steps, size_t i)
{
	const struct engine_step_record *r = &steps[i].record;

	if (!(r->flags & STEP_READ) || r->rf_tid < -1 || steps[i].place.kind == PLACE_UNKNOWN)
		return false;
	for (size_t k = i; k-- > 0;) {
		const struct engine_step_record *w = &steps[k].record;

		if ((w->flags & STEP_WROTE) && same_place(&steps[k], &steps[i]))
			return r->rf_tid != (int32_t)w->tid || r->rf_index != w->index;
	}
	return false;
}

struct trace_size shorten_measure(const struct step *steps, size_t n)
{
	struct trace_size size = { .operations = n };

	for (size_t i = 0; i < n; i++) {
		size.switches += i && steps[i].record.tid != steps[i - 1].record.tid;
		size.old_reads += is_old_read(steps, i);
	}
	return size;
}

static int compare(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

int shorten_compare(const struct trace_size *a, const struct trace_size *b, bool reads_first)
{
	int switches = compare(a->switches, b->switches),
	    reads = compare(a->old_reads, b->old_reads);

	if (reads_first && reads)
		return reads;
	if (switches)
		return switches;
	return reads ? reads : compare(a->operations, b->operations);
}

size_t shorten_piece(const struct step *steps, size_t n, size_t from)
{
	size_t end = from;

	while (end < n && steps[end].record.tid == steps[from].record.tid)
		end++;
	return end;
}

bool shorten_join(const struct step *steps, size_t n, size_t from, bool later, struct step *out)
{
	size_t end = shorten_piece(steps, n, from), next = end, next_end;
	const size_t one = sizeof(*steps);

	while (next < n && steps[next].record.tid != steps[from].record.tid)
		next++;
	if (next == n)
		return false;
	next_end = shorten_piece(steps, n, next);
	memcpy(out, steps, n * one);
	if (later) {
		memcpy(out + from, steps + end, (next - end) * one);
		memcpy(out + from + (next - end), steps + from, (end - from) * one);
	} else {
		memcpy(out + end, steps + next, (next_end - next) * one);
		memcpy(out + end + (next_end - next), steps + end, (next - end) * one);
	}
	return true;
}

size_t shorten_end(const struct step *steps, size_t n, size_t from, struct step *out)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (i < from || steps[i].record.tid != steps[from].record.tid)
			out[left++] = steps[i];
	return left;
}

size_t shorten_read_newest(const struct step *steps, size_t n, size_t first, size_t count,
			   struct step *out)
{
	size_t old = 0, changed = 0;

	memcpy(out, steps, n * sizeof(*steps));
	for (size_t i = 0; i < n; i++) {
		if (!is_old_read(steps, i))
			continue;
		if (old >= first && old - first < count) {
			out[i].record.flags |= STEP_NEWEST;
			changed++;
		}
		old++;
	}
	return changed;
}
