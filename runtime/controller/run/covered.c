/* SPDX-License-Identifier: BSD-2-Clause */
/* covered.c - see covered.h */
#include "config.h"

#include "controller/run/covered.h"

#include <stdlib.h>

static void join(struct coverage *c, const struct coverage *other)
{
	seen_join(&c->executions, &other->executions);
	seen_join(&c->pairs, &other->pairs);
}

struct coverage *covered_collect(const struct shared *s)
{
	struct coverage *c = calloc(1, sizeof(*c));

	if (c)
		join(c, &s->coverage);
	return c;
}

void covered_join(struct result *r, const struct result *other)
{
	if (r->coverage && other->coverage)
		join(r->coverage, other->coverage);
}
