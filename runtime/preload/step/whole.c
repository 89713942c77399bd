/* SPDX-License-Identifier: BSD-2-Clause */
/* whole.c - see whole.h */
#include "preload/step/whole.h"

#include "engine/engine.h"
#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/facts/facts.h"
#include "preload/facts/split_marks.h"
#include "preload/fiber/leave.h"
#include "preload/step/perform.h"

bool whole_asked;

static void whole_begin(void)
{
	whole_asked = fact_in_use(FACT_SPLIT);
}

AT_BEGIN(whole_begin);

static void note_left_out(void)
{
	/* relaxed: one writer; the controller looks at it in the end */
	atomic_fetch_or_explicit(&shared->not_followed, CUT_PARTS, memory_order_relaxed);
}

/*
 * There is too much to be judged. At random the search starts again, and such accesses are done in order: what is made so is
 * an execution (engine/online/online.txt, W).
 */
static bool too_large(void)
{
	if (shared->config.mode != ENGINE_ONLINE || fact_in_use(FACT_PARTS_IN_ORDER))
		return false;
	fact_learn(FACT_PARTS_IN_ORDER);
	return true;
}

static bool takes_news(unsigned kind)
{
	return kind != OP_STORE && kind != OP_END && kind != OP_EXIT && kind != OP_BLOCK &&
	       kind != OP_STUCK && kind != OP_YIELD && kind != OP_PAUSE;
}

void whole_look(const struct op *op)
{
	struct op block = { .kind = OP_BLOCK, .pc = op->pc };
	struct op_result res;

	if (!takes_news(op->kind))
		return;
	switch (engine_thread_is_whole(engine, current->tid)) {
	case PARTS_WHOLE:
		return;
	case PARTS_UNKNOWN:
		if (too_large() && !split_learning)
			fact_found(FACT_PARTS_IN_ORDER);
		note_left_out();
		return;
	case PARTS_TORN:
		break;
	}
	perform(&block, &res);
	internal_error("a thread goes on in an execution that is none", NULL);
}

bool whole_so_far(void)
{
	enum wholeness found = engine_is_whole(engine);

	if (found == PARTS_UNKNOWN && !too_large())
		note_left_out();
	return found == PARTS_WHOLE;
}

void whole_ended(bool unjudged)
{
	if (unjudged && !too_large())
		note_left_out();
	if (fact_in_use(FACT_PARTS_IN_ORDER))
		/* relaxed: likewise */
		atomic_fetch_or_explicit(&shared->not_followed, CUT_PARTS_ORDER,
					 memory_order_relaxed);
}

void whole_leave(void)
{
	note_left_out();
	engine_void(engine);
	leave_execution(LEAVE_CUT);
}
