/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mix.c - see mix.h
 */
#include "engine/online/strategies/mix.h"

#include <string.h>

#include "base/prng.h"

/* Those that take turns. */
static const uint8_t arms[] = { STRATEGY_RANDOM, STRATEGY_EVEN, STRATEGY_PCT,     STRATEGY_PCTWM,
				STRATEGY_POS,    STRATEGY_SURW, STRATEGY_RF_FUZZ, STRATEGY_DELAY };

enum {
	ARMS = sizeof(arms) / sizeof(arms[0]),
	ONE = 1 << 20, /* parts */
	FADES = 16,    /* of so many parts of a mean one is the last execution */
	SHARE = 16,
	PAIR = 4, /* a new pair is worth so many new graphs */
	DEEPEST = 4
};

void mix_begin(struct mix *m)
{
	memset(m, 0, sizeof(*m));
}

uint32_t mix_depth(unsigned strategy, uint64_t *random)
{
	switch (strategy) {
	case STRATEGY_PCT:
	case STRATEGY_DELAY:
		return 1 + prng_below(random, DEEPEST);
	case STRATEGY_PCTWM:
		return prng_below(random, DEEPEST);
	default:
		return 0;
	}
}

static uint64_t value(const struct mix *m, unsigned strategy)
{
	return m->cost[strategy] ? m->gain[strategy] * ONE / m->cost[strategy] : 0;
}

unsigned mix_draw(struct mix *m, uint64_t *random)
{
	uint32_t weight[ARMS], sum = 0, which;
	uint64_t best = 1;

	if (m->turns < ARMS)
		return arms[m->turns];
	for (unsigned i = 0; i < ARMS; i++)
		best = value(m, arms[i]) > best ? value(m, arms[i]) : best;
	for (unsigned i = 0; i < ARMS; i++)
		sum += weight[i] =
			(uint32_t)(ONE / SHARE + value(m, arms[i]) * (ONE - ONE / SHARE) / best);
	which = prng_below(random, sum);
	for (unsigned i = 0;; i++) {
		if (which < weight[i])
			return arms[i];
		which -= weight[i];
	}
}

/* The same for executions with the same events that read the same. */
static uint64_t sign(const struct graph *g)
{
	uint64_t sum = 0;

	for (uint32_t p = 0; p < g->n; p++) {
		const struct event *ev = &g->ev[p], *rf = ev->rf < RF_NONE ? &g->ev[ev->rf] : NULL;
		uint64_t mix = (uint64_t)ev->tid << 32 ^ ev->index ^
			       (rf ? ((uint64_t)rf->tid << 8 | 1) << 40 ^ (uint64_t)rf->index << 20
				   : ev->rf);

		sum += prng_next(&mix);
	}
	return (sum + g->given_back) | 1; /* of a long one, what is left of it */
}

/* Is the graph one that is not remembered? It is, then. */
static bool is_new(struct mix *m, uint64_t sign)
{
	uint64_t *slot = &m->graph[sign >> 1 & (MIX_GRAPHS - 1)];
	bool new = *slot != sign;

	*slot = sign;
	return new;
}

static void take_in(uint64_t *mean, uint64_t value, bool first)
{
	*mean = first ? value : *mean - *mean / FADES + value / FADES;
}

void mix_over(struct mix *m, unsigned strategy, const struct graph *g, uint32_t fresh)
{
	const bool first = m->turns++ < ARMS;
	const uint64_t found = (fresh ? PAIR : 0) + is_new(m, sign(g));

	take_in(&m->gain[strategy], found * ONE, first);
	take_in(&m->cost[strategy], (g->given_back + g->n + 1) * FADES, first);
}
