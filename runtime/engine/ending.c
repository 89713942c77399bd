/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ending.c - an execution is over: what it was, and that it counts
 */
#include "engine/ending.h"

#include "engine/engine.h"
#include "engine/explore/explore.h"
#include "engine/run/checks.h"
#include "engine/verdict.h"

/* Why nothing comes of the execution that is over. */
static enum ledger_end waste(const struct engine *e)
{
	if (e->stray && !e->finishing)
		return ENDED_STRAYED;
	if (e->look_again)
		return ENDED_LOOKS;
	if (e->rerun)
		return ENDED_ASKS;
	if (e->finishing)
		return ENDED_FINISHED;
	return e->dead_end ? ENDED_DEAD : ENDED_IN_VAIN;
}

static enum ledger_end end_of(const struct engine *e, enum engine_ending ending)
{
	switch (ending) {
	case END_COMPLETE:
		return ENDED_COMPLETE;
	case END_BLOCKED:
		return ENDED_BLOCKED;
	case END_WASTED:
		return waste(e);
	case END_LIMIT:
		return ENDED_CUT;
	case END_WRONG:
		return ENDED_WRONG;
	case END_DEADLOCK:
	case END_AWAIT_STUCK:
	case END_FAILED:
		return ENDED_BUG;
	}
	must(!"an execution ended in no way that is known");
	return ENDED_WRONG;
}

static void count(struct engine *e, const struct engine_outcome *o)
{
	struct engine_stats *s = &e->stats;

	s->ledger.ended[end_of(e, o->ending)]++;
	if (e->wrong)
		return;
	if (o->ending != END_WASTED)
		s->events += engine_events(e);
	switch (o->ending) {
	case END_COMPLETE:
		s->executions++;
		break;
	case END_BLOCKED:
		s->blocked++;
		break;
	case END_WASTED:
		s->wasted++;
		break;
	case END_LIMIT:
		s->cut++;
		break;
	default:
		s->failed++;
	}
}

void ending_judge(struct engine *e, struct engine_outcome *o)
{
	const bool is_replay = e->config.mode == ENGINE_REPLAY;

	*o = (struct engine_outcome){ .seed = e->seed };
	if (engine_was_mistaken(e))
		e->wrong = false;
	if (e->wrong || (is_replay && e->replay_at < e->config.replay_len && !e->failed))
		o->ending = END_WRONG;
	else if (e->failed)
		o->ending = END_FAILED;
	else if (e->dead_end && e->config.mode == ENGINE_ONLINE) /* engine_void() */
		o->ending = END_BLOCKED;
	else if (e->restart || e->rerun || e->dead_end)
		o->ending = END_WASTED;
	else if (e->limited)
		o->ending = END_LIMIT;
	else
		verdict_judge(e, o);
	o->full = o->ending == END_LIMIT && !run_has_room(e);
	if (e->finishing && (o->ending == END_COMPLETE || o->ending == END_BLOCKED))
		o->ending = END_WASTED;
}

void ending_settle(struct engine *e, const struct engine_outcome *o)
{
	await_last_chance(e);
	count(e, o);
	checks_end(e);
}

void engine_end(struct engine *e, struct engine_outcome *o)
{
	ending_judge(e, o);
	ending_settle(e, o);
}

void engine_amend(struct engine *e, enum ledger_end as)
{
	struct ledger *l = &e->stats.ledger;

	must(l->ended[ENDED_BUG]);
	l->ended[ENDED_BUG]--;
	l->ended[as]++;
	if (as != ENDED_BLOCKED)
		return;
	e->stats.failed--;
	e->stats.blocked++;
}
