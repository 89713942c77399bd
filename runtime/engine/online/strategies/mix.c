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

/* The first executions. */
static const struct turn first[] = {
	{ STRATEGY_EVEN, 0 }, { STRATEGY_DELAY, 1 }, { STRATEGY_POS, 0 },   { STRATEGY_RANDOM, 0 },
	{ STRATEGY_EVEN, 0 }, { STRATEGY_SURW, 0 },  { STRATEGY_PCTWM, 0 }, { STRATEGY_PCTWM, 1 },
	{ STRATEGY_SURW, 0 }, { STRATEGY_PCTWM, 1 }, { STRATEGY_SURW, 0 },  { STRATEGY_EVEN, 0 },
	{ STRATEGY_SURW, 0 }, { STRATEGY_EVEN, 0 },  { STRATEGY_SURW, 0 },  { STRATEGY_EVEN, 0 },
};

/* All later ones. */
static const struct arm {
	struct turn turn;
	uint32_t share;
} arms[] = {
	{ { STRATEGY_SURW, 0 }, 40 },   { { STRATEGY_EVEN, 0 }, 9 },  { { STRATEGY_POS, 0 }, 3 },
	{ { STRATEGY_RANDOM, 0 }, 1 },  { { STRATEGY_PCTWM, 0 }, 1 }, { { STRATEGY_PCTWM, 1 }, 3 },
	{ { STRATEGY_PCTWM, 2 }, 1 },   { { STRATEGY_PCTWM, 3 }, 1 }, { { STRATEGY_DELAY, 1 }, 1 },
	{ { STRATEGY_DELAY, 3 }, 1 },   { { STRATEGY_PCT, 2 }, 1 },   { { STRATEGY_PCT, 4 }, 1 },
	{ { STRATEGY_RF_FUZZ, 0 }, 1 },
};

enum {
	FIRST = sizeof(first) / sizeof(first[0]),
	ARMS = sizeof(arms) / sizeof(arms[0])
};

void mix_begin(struct mix *m)
{
	memset(m, 0, sizeof(*m));
}

struct turn mix_draw(const struct mix *m, uint64_t *random)
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

void mix_over(struct mix *m, unsigned strategy, uint32_t fresh)
{
	uint32_t *gain = &m->gain[strategy];

	if (m->turns++ >= FIRST) /* in those anything is new */
		*gain += (fresh ? ONE / FADES : 0) - *gain / FADES;
}
