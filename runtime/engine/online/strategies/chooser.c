/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chooser.c - see chooser.h
 */
#include "engine/online/strategies/chooser.h"

/* clang-format off */
static const struct chooser *const choosers[STRATEGY_COUNT] = {
	[STRATEGY_RANDOM] = &chooser_random,
	[STRATEGY_PCT] = &chooser_pct,
	[STRATEGY_PCTWM] = &chooser_pctwm,
	[STRATEGY_POS] = &chooser_pos,
	[STRATEGY_SURW] = &chooser_surw,
	[STRATEGY_RF_FUZZ] = &chooser_rf_fuzz,
	[STRATEGY_DELAY] = &chooser_delay,
};
/* clang-format on */

size_t choices_bytes(void)
{
	return sizeof(struct fuzz) + ARENA_SKEW;
}

void choices_init(struct choices *c, struct engine *e, struct arena *a)
{
	const struct engine_config *config = &e->config;

	must(config->strategy < STRATEGY_COUNT && config->depth <= STRATEGY_DEPTH_MOST);
	c->strategy = config->strategy;
	c->chooser = choosers[c->strategy];
	c->depth = config->depth;
	c->random = &e->random;
	c->e = e;
	c->fuzz = arena_table(a, sizeof(*c->fuzz));
	if (config->corpus)
		fuzz_give(c->fuzz, config->corpus);
}

void choices_begin(struct choices *c, bool anew)
{
	if (anew) {
		c->lengths = c->reads = (struct lengths){ 0 };
		c->walk.known.n = 0;
		if (c->strategy == STRATEGY_RF_FUZZ)
			fuzz_begin(c->fuzz);
	}
	c->moved = NO_POS;
	c->steps = 0;
	c->chooser->begin(c);
}

void choices_happened(struct choices *c, const struct happening *h)
{
	c->moved = h->ev->tid;
	c->steps += !h->spins;
	c->chooser->happened(c, h);
}

void choices_over(struct choices *c)
{
	lengths_note(&c->lengths, c->steps);
	if (c->chooser->over)
		c->chooser->over(c);
}
