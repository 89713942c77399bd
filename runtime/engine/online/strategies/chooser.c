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
	[STRATEGY_EVEN] = &chooser_even,
};
/* clang-format on */

size_t choices_bytes(void)
{
	return sizeof(struct fuzz) + sizeof(struct mix) + 2 * ARENA_SKEW;
}

void choices_init(struct choices *c, struct engine *e, struct arena *a)
{
	const struct engine_config *config = &e->config;

	must(config->strategy < STRATEGY_COUNT && config->depth <= STRATEGY_DEPTH_MOST);
	c->e = e;
	c->random = &e->random;
	c->depth = config->depth;
	c->fuzz = arena_table(a, sizeof(*c->fuzz));
	c->mix = config->strategy == STRATEGY_MIX ? arena_table(a, sizeof(*c->mix)) : NULL;
	c->strategy = c->mix ? STRATEGY_RANDOM : config->strategy;
	c->chooser = choosers[c->strategy];
	if (config->corpus)
		fuzz_give(c->fuzz, config->corpus);
}

static void forget(struct choices *c)
{
	c->lengths = c->reads = (struct lengths){ 0 };
	walk_known(&c->walk)->n = 0;
	if (c->mix)
		mix_begin(c->mix);
	if (c->mix || c->strategy == STRATEGY_RF_FUZZ)
		fuzz_begin(c->fuzz);
}

static bool has_views(enum engine_model model)
{
	return model != MODEL_SC && model != MODEL_TSO && model != MODEL_WRA;
}

void choices_begin(struct choices *c, bool anew)
{
	if (anew)
		forget(c);
	if (c->mix) {
		struct turn turn;

		/* By its number, which is the same for any number of workers, and if it is done again. */
		c->mix->turns = c->e->run - c->e->first_run - 1;
		turn = mix_draw(c->mix, has_views(c->e->config.model), c->random);
		c->strategy = turn.strategy;
		c->depth = turn.depth;
		c->chooser = reads_combine(choosers[c->strategy], turn.reads, &c->combined);
		c->fuzz->fresh = 0;
		c->fuzz->wants.n = 0;
		walk_begins(&c->walk);
	}
	c->moved = NO_POS;
	c->steps = c->step = 0;
	c->fuzz->seen_before = c->fuzz->nseen;
	c->fuzz->picked = NO_POS;
	c->chooser->begin(c);
}

void choices_again(struct choices *c)
{
	fuzz_again(c->fuzz);
}

void choices_notes(struct choices *c, const struct happening *h)
{
	if (c->strategy != STRATEGY_RF_FUZZ)
		fuzz_sees(c, h);
	if (c->strategy != STRATEGY_SURW)
		walk_notes(c, h);
}

void choices_over(struct choices *c)
{
	lengths_note(&c->lengths, c->steps);
	if (c->chooser->over)
		c->chooser->over(c);
	if (c->mix && c->strategy != STRATEGY_RF_FUZZ)
		fuzz_learns(c);
	if (c->mix && c->strategy != STRATEGY_SURW)
		walk_learns(c);
	if (c->mix)
		mix_over(c->mix, c->strategy, c->fuzz->fresh);
}
