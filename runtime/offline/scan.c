/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scan.c - see scan.h
 */
#include "offline/scan.h"

#include <stdlib.h>

void by_location_build(struct by_location *b, const struct execution *x, uint32_t kinds,
		       bool exactly)
{
	uint32_t *at = offline_zeroed((size_t)x->nlocs + 2, sizeof(*at)), n = 0;

	for (uint32_t e = 0; e < x->n; e++) {
		uint32_t kind = x->kind[e] & EX_RMW;

		if (!(kind & kinds) || (exactly && kind != kinds))
			continue;
		at[x->loc[e] + 2]++;
		n++;
	}
	for (uint32_t l = 0; l < x->nlocs; l++)
		at[l + 2] += at[l + 1];
	b->event = offline_room(n, sizeof(*b->event));
	for (uint32_t e = 0; e < x->n; e++) {
		uint32_t kind = x->kind[e] & EX_RMW;

		if ((kind & kinds) && (!exactly || kind == kinds))
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

void scan_init(struct scan *s, uint32_t k)
{
	s->n = 0;
	s->start = offline_room(k + 1, sizeof(*s->start));
	s->tid = offline_room(k + 1, sizeof(*s->tid));
	s->first = offline_room(k + 1, sizeof(*s->first));
	s->cursor = offline_room(k + 1, sizeof(*s->cursor));
}

void scan_release(struct scan *s)
{
	free(s->start);
	free(s->tid);
	free(s->first);
	free(s->cursor);
}

void scan_split_tids(struct scan *s, const struct execution *x, const uint32_t *tid, uint32_t n)
{
	s->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (s->n && s->tid[s->n - 1] == tid[i])
			continue;
		s->tid[s->n] = tid[i];
		s->first[s->n] = x->first[tid[i]];
		s->start[s->n++] = i;
	}
	s->start[s->n] = n;
}

void scan_split(struct scan *s, const struct execution *x, const uint32_t *events, uint32_t n)
{
	s->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = x->tid[events[i]];

		if (s->n && s->tid[s->n - 1] == t)
			continue;
		s->tid[s->n] = t;
		s->first[s->n] = x->first[t];
		s->start[s->n++] = i;
	}
	s->start[s->n] = n;
}
