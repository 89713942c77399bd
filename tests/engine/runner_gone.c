/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runner_gone.c - runner_options.gone: the engine is told that a location is gone when no code of the script comes to it any more
 *
 * Of scripts without loops.
 */
#include "engine/runner_exec.h"

static bool comes_there(const struct exec *x, int t, int loc)
{
	const struct script_thread *st = &x->s->thread[t];

	for (int pc = x->th[t].it.pc; !x->th[t].over && pc < st->n; pc++)
		if (st->code[pc].loc == loc || st->code[pc].loc2 == loc)
			return true;
	return false;
}

void runner_gone(const struct exec *x)
{
	for (int loc = 0; loc < x->s->nlocs; loc++) {
		bool wanted = x->s->loc[loc].kind != LOC_MEM;

		for (int t = 0; t < x->s->nthreads && !wanted; t++)
			wanted = comes_there(x, t, loc);
		if (!wanted)
			engine_gone(x->e, runner_address(loc));
	}
}
