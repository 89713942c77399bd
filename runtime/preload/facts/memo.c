/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo.c - see memo.h
 */
#include "preload/facts/memo.h"

#include "engine/engine.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/core/text.h"
#include "preload/facts/facts.h"
#include "preload/facts/values.h"
#include "preload/image/unseen.h"

bool memo_watched, objects_watched;
KEPT(memo_watched);
KEPT(objects_watched);

bool memo_is_asked(void)
{
	const struct shared_config *c = &shared->config;

	return c->mode == ENGINE_EXPLORE && (c->equivalence != EQUIV_VALUE || values_explored()) &&
	       c->backend != BACKEND_FORK && !c->dump && !c->unroll && !c->replay_steps &&
	       !c->setting[SETTING_NO_MEMO] && !c->setting[SETTING_PLAIN] &&
	       !c->setting[SETTING_LEAKS] && !c->setting[SETTING_SPURIOUS_CAS] &&
	       !fact_in_use(FACT_RUNS_ALWAYS);
}

bool memo_is_in_use(void)
{
	return memo_is_asked() && engine_remembers(engine);
}

static void memo_begin(void)
{
	memo_watched = memo_is_in_use();
	objects_watched = memo_watched || values_explored();
	/* What is known of memory is in this process, which is gone when its execution is. relaxed: ours */
	if (atomic_load_explicit(&shared->backend, memory_order_relaxed) == BACKEND_FORK)
		memo_give_up("each execution has a process of its own");
	if (unseen || unseen_partly)
		memo_give_up("not all of its code is instrumented");
	/* What rounds of loops come to is a matter of who read from whom (await.txt, D), or of other threads' writes. */
	if (fact_in_use(FACT_POLLS) || fact_in_use(FACT_CANCELS))
		memo_give_up("rounds of loops lock, or cancel out");
	/* Or of what the thread knows of by then (await.txt, K1). */
	if (fact_in_use(FACT_ROUNDS_HIDE))
		memo_give_up("others may come to know of rounds of loops");
	if (fact_in_use(FACT_STACKS_SHARED))
		memo_give_up("threads write to the stacks of others");
}

AT_BEGIN(memo_begin);

void memo_give_up(const char *why)
{
	if (!memo_is_in_use())
		return;
	memo_watched = false;
	objects_watched = values_explored();
	engine_forget(engine, why);
}

static void memo_id_again(uint32_t tid)
{
	(void)tid;
	memo_give_up("ids of threads are used again");
}

AT_ID_AGAIN(memo_id_again);

void memo_note(void)
{
	const bool is_wrong = fact_in_use(FACT_RUNS_ALWAYS);
	struct engine_memory m = { .why = NULL };
	struct text t = text_in(shared->memo_over, SHARED_TEXT);

	if (engine_memory(engine, &m)) {
		shared->memo[MEMO_MADE] = m.made;
		shared->memo[MEMO_GIVEN_UP] = m.given_up;
		shared->memo[MEMO_STEPS] = m.steps;
	}
	if (!m.why && !is_wrong)
		return;
	text_str(&t, is_wrong ? "the program did otherwise" : "the program ran each time");
	if (m.why)
		text_str(&t, ": ");
	text_str(&t, m.why ? m.why : "");
}
