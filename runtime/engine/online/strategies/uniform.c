/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uniform.c - strategy `random`: each thread that can move is as likely as the others
 *
 * Threads that are drawn anew for each operation seldom get far while others stand still. So there are executions, too,
 * in which the thread that moved last often goes on.
 */
#include "engine/online/strategies/chooser.h"

#include "engine/run/sets.h"

enum {
	SIXTEEN =
		16 /* of so many times that a thread could be drawn, it is `stays` times the one that moved last */
};

static void uniform_begin(struct choices *c)
{
	c->stays = (uint32_t[]){ 0, 0, 8, 14 }[prng_below(c->random, 4)];
}

static uint32_t uniform_thread(struct choices *c, const struct thread_set *set, bool first)
{
	if (first && c->stays && c->moved != NO_POS && thread_set_has(set, c->moved) &&
	    prng_below(c->random, SIXTEEN) < c->stays)
		return c->moved;
	return set_draw(set, c->random);
}

static void uniform_happened(struct choices *c, const struct happening *h)
{
	(void)c;
	(void)h;
}

const struct chooser chooser_random = {
	.memory = MEMORY_ANY,
	.begin = uniform_begin,
	.thread = uniform_thread,
	.happened = uniform_happened,
};
