/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * covered.c - see covered.h
 *
 * What was seen lies in the shared memory, so it is there when the process is gone, and for the parents of
 * executions that run in children.
 */
#include "preload/loop/covered.h"

#include <string.h>

#include "preload/core/context.h"
#include "preload/loop/driver.h"
#include "preload/report/bug.h"

static void note_pair(void *ctx, uint64_t hash)
{
	(void)ctx;
	seen_add(&shared->coverage.pairs, hash);
}

void covered_note(enum engine_ending ending)
{
	uint64_t what;

	if (shared->config.mode != ENGINE_ONLINE || shared->config.replay_steps ||
	    ending == END_WASTED || ending == END_WRONG)
		return;
	/*
	 * Where the others were when one has a bug says nothing: what ended so is one, for each bug. Only threads that
	 * wait for ever are at an end, too.
	 */
	what = ending == END_FAILED ? bug_identity() : engine_fingerprint(engine);
	/* Children of the program are explored by themselves: what they do is not what it does. */
	seen_add(&shared->coverage.executions,
		 seen_mix(what, shared->config.setting[SETTING_CHILD]));
	engine_pairs(engine, note_pair, NULL);
}

void guided_note(enum engine_ending ending)
{
	struct guided *g = &shared->guided;

	if (!engine_followed(engine))
		g->strayed++;
	else if (ending == END_FAILED || ending == END_DEADLOCK || ending == END_AWAIT_STUCK)
		g->failed++;
	else if (ending == END_COMPLETE || ending == END_BLOCKED)
		g->ended++;
	else
		g->cut++;
}

void covered_forget(void)
{
	memset(&shared->guided, 0, sizeof(shared->guided));
	seen_clear(&shared->coverage.executions);
	seen_clear(&shared->coverage.pairs);
}
