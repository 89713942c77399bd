/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scan.c - see scan.h
 */
#include "offline/scan.h"

#include <stdlib.h>
#include <string.h>

enum {
	AHEAD = 8, /* clocks are fetched so many events before they are used */
	LINE = 64 / sizeof(uint32_t)
};

void by_location_build(struct by_location *b, const struct execution *x, const uint32_t *order,
		       uint32_t kinds)
{
	uint32_t *at = offline_zeroed((size_t)x->nlocs + 2, sizeof(*at)), n = 0;

	for (uint32_t e = 0; e < x->n; e++) {
		if (!(x->kind[e] & kinds))
			continue;
		at[x->loc[e] + 2]++;
		n++;
	}
	for (uint32_t l = 0; l < x->nlocs; l++)
		at[l + 2] += at[l + 1];
	b->event = offline_room(n, sizeof(*b->event));
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t e = order ? order[i] : i;

		if (x->kind[e] & kinds)
			b->event[at[x->loc[e] + 1]++] = e;
	}
	b->start = at;
}

void by_location_release(struct by_location *b)
{
	free(b->start);
	free(b->event);
	b->start = b->event = NULL;
}

void scan_init(struct scan *s, const struct execution *x, const struct clocks *clocks,
	       const uint32_t *sort, uint32_t seen, uint32_t looks)
{
	*s = (struct scan){ .x = x, .clocks = clocks };
	by_location_build(&s->seen, x, NULL, seen);
	by_location_build(&s->looks, x, sort, looks);
	s->start = offline_room(x->k + 1, sizeof(*s->start));
	s->tid = offline_room(x->k + 1, sizeof(*s->tid));
	s->first = offline_room(x->k + 1, sizeof(*s->first));
	s->group = offline_room(x->k + 1, sizeof(*s->group));
	memset(s->group, 0xff, x->k * sizeof(*s->group));
	s->slot = offline_zeroed(x->k + 1, sizeof(*s->slot));
	s->used = offline_room(x->k + 1, sizeof(*s->used));
}

void scan_release(struct scan *s)
{
	by_location_release(&s->seen);
	by_location_release(&s->looks);
	free(s->start);
	free(s->tid);
	free(s->first);
	free(s->group);
	free(s->slot);
	free(s->used);
	free(s->cursors);
}

/* The threads of the location. */
static void split(struct scan *s, uint32_t n)
{
	const struct execution *x = s->x;

	s->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = x->tid[s->event[i]];

		if (s->n && s->tid[s->n - 1] == t)
			continue;
		s->group[t] = s->n;
		s->tid[s->n] = t;
		s->first[s->n] = x->first[t];
		s->start[s->n++] = i;
	}
	s->start[s->n] = n;
}

/* The cursors of a thread, at the beginning if it did not look before. */
static struct cursor *cursors_of(struct scan *s, uint32_t t)
{
	struct cursor *c;

	if (s->slot[t])
		return s->cursors + (size_t)(s->slot[t] - 1) * s->n;
	s->used[s->nused++] = t;
	s->slot[t] = s->nused;
	if ((size_t)s->nused * s->n > s->room) {
		s->room = (size_t)s->nused * s->n * 2;
		s->cursors = offline_grow(s->cursors, s->room, sizeof(*s->cursors));
	}
	c = s->cursors + (size_t)(s->nused - 1) * s->n;
	for (uint32_t g = 0; g < s->n; g++)
		c[g] = (struct cursor){ s->start[g], s->event[s->start[g]] - s->first[g] + 1 };
	return c;
}

/* What a visit of an event will need, and twice as far ahead where to find that. */
static inline void fetch(const struct scan *s, const uint32_t *looks, uint32_t n)
{
	if (n > AHEAD) {
		const uint32_t *row = clock_row(s->clocks, looks[AHEAD]);

		for (uint32_t u = 0; u < s->clocks->k; u += LINE)
			__builtin_prefetch(row + u);
	}
	if (n > 2 * AHEAD) {
		__builtin_prefetch(&s->clocks->row[looks[2 * AHEAD]]);
		__builtin_prefetch(&s->x->rf[looks[2 * AHEAD]]);
		__builtin_prefetch(&s->x->tid[looks[2 * AHEAD]]);
		for (int i = 0; i < 2 && s->also[i]; i++)
			__builtin_prefetch(&s->also[i][looks[2 * AHEAD]]);
	}
}

static struct look look_of(struct scan *s, uint32_t e)
{
	uint32_t t = s->x->tid[e], source = s->x->rf[e], count = e - s->x->first[t];
	struct look l = { .e = e, .source = source, .own = s->group[t] };

	l.row = clock_row(s->clocks, e);
	l.known = source < s->x->n ? clock_row(s->clocks, source) : s->clocks->rows;
	l.cursors = cursors_of(s, t);
	l.moved = l.own != EX_NONE && count >= l.cursors[l.own].next;
	if (l.moved)
		scan_move(s, l.cursors, l.own, count);
	return l;
}

bool scan_location(struct scan *s, uint32_t loc, scan_visit *visit, void *self)
{
	const uint32_t *looks = s->looks.event + s->looks.start[loc];
	uint32_t n = s->looks.start[loc + 1] - s->looks.start[loc];
	bool ok = true;

	s->event = s->seen.event + s->seen.start[loc];
	split(s, s->seen.start[loc + 1] - s->seen.start[loc]);
	for (uint32_t i = 0; i < n && ok; i++) {
		struct look l = look_of(s, looks[i]);

		fetch(s, looks + i, n - i);
		ok = visit(self, &l);
	}
	for (uint32_t g = 0; g < s->n; g++)
		s->group[s->tid[g]] = EX_NONE;
	for (uint32_t i = 0; i < s->nused; i++)
		s->slot[s->used[i]] = 0;
	s->nused = 0;
	return ok;
}

bool scan_all(struct scan *s, scan_visit *visit, void *self)
{
	bool ok = true;

	for (uint32_t l = 0; l < s->x->nlocs && ok; l++)
		ok = scan_location(s, l, visit, self);
	return ok;
}
