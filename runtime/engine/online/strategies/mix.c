/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mix.c - see mix.h
 */
#include "engine/online/strategies/mix.h"

#include <string.h>

#include "base/prng.h"

enum {
	ONE = 1 << 10, /* parts */
	FADES = 16,    /* of so many parts of a mean one is the last execution */
	MORE = 3       /* times its share that a strategy can get on top */
};

/* clang-format off */

/* The first executions. */
static const struct turn first[] = {
	/* Threads in step, none of which sees what others write; one thread after the other, each of which sees all. */
	{ STRATEGY_EVEN, 0, READS_KNOWN },
	{ STRATEGY_DELAY, 0, READS_USUAL },
	{ STRATEGY_SURW, 0, READS_LAST_OR_KNOWN },
	{ STRATEGY_SURW, 0, READS_LAST_OR_KNOWN },
	{ STRATEGY_PCTWM, 1, READS_USUAL },
	{ STRATEGY_PCTWM, 2, READS_USUAL },
	{ STRATEGY_PCTWM, 2, READS_USUAL },
	{ STRATEGY_SURW, 0, READS_LAST_OR_KNOWN },
	{ STRATEGY_PCTWM, 1, READS_USUAL },
	{ STRATEGY_PCTWM, 2, READS_USUAL },
	{ STRATEGY_DELAY, 1, READS_USUAL },
	{ STRATEGY_DELAY, 1, READS_USUAL },
	{ STRATEGY_DELAY, 1, READS_USUAL },
	{ STRATEGY_EVEN, 0, READS_LAST_OR_KNOWN },
	{ STRATEGY_EVEN, 2, READS_LAST_OR_KNOWN },
	{ STRATEGY_EVEN, 0, READS_LAST_OR_KNOWN },
};

/* All later ones. */
static const struct arm {
	struct turn turn;
	uint32_t share;
} arms[] = {
	{ { STRATEGY_SURW, 0, READS_USUAL }, 8 },
	{ { STRATEGY_SURW, 0, READS_LAST_OR_ANY }, 10 },
	{ { STRATEGY_SURW, 0, READS_LAST_OR_KNOWN }, 9 },
	{ { STRATEGY_DELAY, 1, READS_ANY }, 8 },
	{ { STRATEGY_DELAY, 1, READS_USUAL }, 4 },
	{ { STRATEGY_DELAY, 1, READS_LAST_OR_KNOWN }, 4 },
	{ { STRATEGY_EVEN, 0, READS_LAST_OR_KNOWN }, 5 },
	{ { STRATEGY_EVEN, 2, READS_ANY }, 4 },
	{ { STRATEGY_EVEN, 2, READS_LAST_OR_KNOWN }, 3 },
	{ { STRATEGY_EVEN, 0, READS_KNOWN }, 1 },
	{ { STRATEGY_EVEN, 0, READS_USUAL }, 1 },
	{ { STRATEGY_PCTWM, 2, READS_USUAL }, 6 },
	{ { STRATEGY_PCTWM, 1, READS_USUAL }, 2 },
	{ { STRATEGY_POS, 0, READS_USUAL }, 3 },
	{ { STRATEGY_RF_FUZZ, 0, READS_USUAL }, 2 },
	{ { STRATEGY_RANDOM, 0, READS_USUAL }, 1 },
	{ { STRATEGY_PCT, 3, READS_USUAL }, 1 },
};
/* clang-format on */

enum {
	FIRST = sizeof(first) / sizeof(first[0]),
	ARMS = sizeof(arms) / sizeof(arms[0])
};

void mix_begin(struct mix *m)
{
	memset(m, 0, sizeof(*m));
}

static struct turn draw(const struct mix *m, uint64_t *random)
{
	uint32_t weight[ARMS], sum = 0, which, i = 0;

	if (m->turns < FIRST)
		return first[m->turns];
	for (i = 0; i < ARMS; i++)
		sum += weight[i] = arms[i].share * (ONE + MORE * m->gain[arms[i].turn.strategy]);
	which = prng_below(random, sum);
	for (i = 0; which >= weight[i]; i++)
		which -= weight[i];
	return arms[i].turn;
}

/* What is known would always be the last write. Most bugs that show there by the order of threads pos finds sooner than pctwm. */
static struct turn without_views(struct turn t)
{
	if (t.strategy == STRATEGY_PCTWM)
		return (struct turn){ STRATEGY_POS, 0, READS_USUAL };
	if (t.reads == READS_KNOWN || t.reads == READS_LAST_OR_KNOWN)
		t.reads = READS_USUAL;
	return t;
}

struct turn mix_draw(const struct mix *m, bool views, uint64_t *random)
{
	const struct turn t = draw(m, random);

	return views ? t : without_views(t);
}

void mix_over(struct mix *m, unsigned strategy, uint32_t fresh)
{
	uint32_t *gain = &m->gain[strategy];

	if (m->turns++ >= FIRST) /* in those anything is new */
		*gain += (fresh ? ONE / FADES : 0) - *gain / FADES;
}
