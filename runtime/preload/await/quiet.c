/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quiet.c - random executions in which nothing seems to happen any more
 *
 * A loop that waits comes to its end by itself at random, when those whose turn it is not have had
 * theirs. If they never end it, it goes round until --max-events. So when so many operations
 * in a row, of all threads, did no more than read that each thread is bound to have had its
 * turn, what the exploration does always is done for a spell: threads are followed, and one that is
 * back in the state it was in lets all others go first, as one does that yields (yield.c). If it is
 * back again, and all others that let it go on have come back, too, nobody is left that does anything
 * else, and it stops (await.c). Whether those that stopped wait for good is for the verdict to say, as in
 * an exploration.
 *
 * Spells come again at four times the number each time, so that a long phase of reads costs little.
 */
#include "preload/await/quiet.h"
#include "preload/core/reset.h"

enum {
	PATIENCE = 10000, /* operations */
	SPELL = 4000,
	AGAIN = 4,
	LOOP = PATIENCE / 8, /* what a loop without operations counts, each time that it is met */
};

static uint64_t quiet, next, spell;
KEPT(next);
KEPT(spell);

void quiet_begin(void)
{
	quiet = 0;
	next = PATIENCE;
	spell++;
}

bool quiet_after(bool silent)
{
	if (!silent) {
		quiet_begin();
		return false;
	}
	if (++quiet >= AGAIN * next) {
		next = quiet;
		spell++;
	}
	return is_quiet();
}

void quiet_loops(void)
{
	quiet += LOOP;
}

bool is_quiet(void)
{
	return quiet >= next && quiet < next + SPELL;
}

uint64_t quiet_spell(void)
{
	return spell;
}
