/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reads.c - mix: who moves next by one strategy, what reads observe by another
 *
 * The two are chosen independently of each other, but the published strategies fix both: pct and delay read the last write,
 * pctwm what the thread knows, the others draw. So a bug that needs an order of threads that delay finds at once, and one read
 * of an old value, is found by neither. And where each of many reads is drawn from all writes, that most of them observe the
 * last one is rare, as is that most of them observe what is known: a coin for each read does both half as well, or a quarter, where two
 * reads count.
 */
#include "base/prng.h"
#include "engine/online/strategies/chooser.h"

static enum sees sees_known(struct choices *c, uint32_t tid)
{
	(void)c;
	(void)tid;
	return SEES_OWN;
}

static enum sees sees_last_or_known(struct choices *c, uint32_t tid)
{
	(void)tid;
	return prng_below(c->random, 2) ? SEES_LAST : SEES_OWN;
}

static enum sees sees_last_or_any(struct choices *c, uint32_t tid)
{
	(void)tid;
	return prng_below(c->random, 2) ? SEES_LAST : SEES_ANY;
}

static const struct {
	enum memory memory;
	enum sees (*sees)(struct choices *c, uint32_t tid);
} ways[] = {
	[READS_ANY] = { MEMORY_ANY, NULL },
	[READS_KNOWN] = { MEMORY_VIEWS, sees_known },
	[READS_LAST_OR_KNOWN] = { MEMORY_VIEWS, sees_last_or_known },
	[READS_LAST_OR_ANY] = { MEMORY_VIEWS, sees_last_or_any },
};

const struct chooser *reads_combine(const struct chooser *chooser, enum reads reads,
				    struct chooser *combined)
{
	if (reads == READS_USUAL)
		return chooser;
	*combined = *chooser;
	combined->memory = ways[reads].memory;
	combined->sees = ways[reads].sees;
	return combined;
}
