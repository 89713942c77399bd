/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chooser.c - see chooser.h
 */
#include "engine/online/strategies/chooser.h"

static const struct chooser *const choosers[STRATEGY_COUNT] = {
	[STRATEGY_RANDOM] = &chooser_random,
	[STRATEGY_PCT] = &chooser_pct,
	[STRATEGY_POS] = &chooser_pos,
	[STRATEGY_DELAY] = &chooser_delay,
};

void choices_init(struct choices *c, const struct engine_config *config, uint64_t *random)
{
	must(config->strategy < STRATEGY_COUNT && config->depth <= STRATEGY_DEPTH_MOST);
	c->strategy = config->strategy;
	c->chooser = choosers[c->strategy];
	c->depth = config->depth;
	c->random = random;
}

void choices_begin(struct choices *c, bool anew)
{
	if (anew)
		c->lengths = (struct lengths){ 0 };
	c->moved = NO_POS;
	c->steps = 0;
	c->chooser->begin(c);
}

void choices_happened(struct choices *c, const struct happening *h, bool spins)
{
	c->moved = h->ev->tid;
	if (spins)
		return;
	c->steps++;
	c->chooser->happened(c, h);
}

void choices_over(struct choices *c)
{
	lengths_note(&c->lengths, c->steps);
	if (c->chooser->over)
		c->chooser->over(c);
}
