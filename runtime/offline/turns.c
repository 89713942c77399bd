/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * turns.c - see turns.h
 */
#include "offline/turns.h"

#include <stdlib.h>
#include <string.h>

void turns_init(struct turns *r, const struct execution *x, uint32_t *at)
{
	*r = (struct turns){ 0 };
	r->ready = offline_room(x->k, sizeof(*r->ready));
	r->head = offline_room(x->k, sizeof(*r->head));
	r->next = offline_room(x->k, sizeof(*r->next));
	r->wait = offline_room(x->k, sizeof(*r->wait));
	memcpy(at, x->first, x->k * sizeof(*at));
	for (uint32_t t = x->k; t-- > 0;) {
		r->head[t] = EX_NONE;
		r->ready[r->nready++] = t;
	}
}

void turns_release(struct turns *r)
{
	free(r->ready);
	free(r->head);
	free(r->next);
	free(r->wait);
}

void turns_stop(struct turns *r, const struct execution *x, uint32_t t, uint32_t e,
		uint32_t missing)
{
	uint32_t keep = EX_NONE, after;

	if (missing != EX_NONE) {
		r->wait[t] = missing;
		r->next[t] = r->head[x->tid[missing]];
		r->head[x->tid[missing]] = t;
	}
	for (uint32_t u = r->head[t]; u != EX_NONE; u = after) {
		after = r->next[u];
		if (r->wait[u] < e) {
			r->ready[r->nready++] = u;
		} else {
			r->next[u] = keep;
			keep = u;
		}
	}
	r->head[t] = keep;
}

uint32_t *turns_circle(const struct execution *x, turns_missing *missing, const void *self,
		       const uint32_t *at, uint32_t *n)
{
	uint32_t *circle = offline_room(x->k, sizeof(*circle)), t = 0;
	uint8_t *seen = offline_zeroed(x->k, 1);

	while (at[t] == x->first[t + 1])
		t++;
	for (; !seen[t]; t = x->tid[missing(self, at, at[t])])
		seen[t] = 1;
	*n = 0;
	for (; seen[t] == 1; t = x->tid[missing(self, at, at[t])]) {
		seen[t] = 2;
		circle[(*n)++] = t;
	}
	free(seen);
	/* As relations point: from what is waited for to what waits. */
	for (uint32_t i = 0; i < *n / 2; i++) {
		t = circle[i];
		circle[i] = circle[*n - 1 - i];
		circle[*n - 1 - i] = t;
	}
	return circle;
}
