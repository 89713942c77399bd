/* SPDX-License-Identifier: BSD-2-Clause */
/* memo_told.c - what the program's side tells the memo, and asks of it (engine.h, run/memo.h) */
#include "engine/engine.h"
#include "engine/run/memo.h"
#include "engine/run/run.h"
#include "engine/value/value.h"

bool engine_remembers(const struct engine *e)
{
	return e->value ? e->value->makes : e->memo && !e->memo->lost;
}

bool engine_memory(const struct engine *e, struct engine_memory *out)
{
	const struct value_search *v = e->value;
	const struct memo *m = e->memo;

	if (v)
		*out = (struct engine_memory){ v->nwithout, v->ngiven_up, v->nsteps, v->why_runs,
					       v->mistaken };
	if (v)
		return e->config.memo;
	if (m)
		*out = (struct engine_memory){ m->made, m->given_up, m->nsteps - 1, m->why,
					       m->mistaken };
	return m;
}

bool engine_was_mistaken(const struct engine *e)
{
	return e->restart & RESTART_MEMO;
}

void engine_learns(struct engine *e, uint32_t tid, const struct op *op)
{
	if (e->memo)
		memo_learn(e, tid, op);
}

void engine_minds_rounds(struct engine *e, uint32_t granule)
{
	struct memo *m = e->memo;

	if (!m || m->granule[granule].rounds)
		return;
	m->granule[granule].rounds = true;
	m->rounds[m->nrounds++] = granule;
}

bool engine_made_beyond_hb(const struct engine *e)
{
	return e->memo && e->memo->beyond_hb;
}

bool engine_made_behind(const struct engine *e, uint32_t granule, uint32_t tid, bool write)
{
	const struct memo_granule *g = &e->memo->granule[granule];

	return (g->written_behind | (write ? g->read_behind : 0)) >> tid & 1;
}

void engine_touches(struct engine *e, const struct memo_touch *touched, uint32_t n, bool varies)
{
	if (!e->memo)
		return;
	e->memo->touched = touched;
	e->memo->ntouched = n;
	e->memo->varies = varies;
}

bool engine_shares(struct engine *e, uint32_t granule)
{
	if (!e->memo || granule >= MEMO_GRANULES)
		return false;
	/* Of what was made before it is not known who accessed it, nor behind whom. */
	const uint64_t unknown = e->memo && e->memo->beyond_hb ? UINT64_MAX : 0;

	memo_empty(e);
	e->memo->granule[granule] =
		(struct memo_granule){ .read_behind = unknown, .written_behind = unknown };
	return true;
}

void engine_holds(struct engine *e, uint32_t granule, uint64_t initial, bool born)
{
	if (!e->memo)
		return;
	e->memo->granule[granule].initial = initial;
	e->memo->granule[granule].born = born;
}

void engine_forget(struct engine *e, const char *why)
{
	if (e->value)
		value_runs_always(e, why);
	else
		memo_lose(e, why, false);
}
