/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_heddle.c - what a test program says to heddle itself (include/heddle.h)
 */
/*
 * intercepts: heddle.h
 *
 * explored heddle_choose - each of the results
 * checked heddle_assume - an execution in which it is false counts as blocked
 * checked heddle_fail - a failed heddle_assert(): the bug assertion
 * deterministic heddle_running - 1
 * explored heddle_root - executions begin there
 */
#include "preload/hooks/announce.h"

#include <unistd.h>

#include "preload/core/active.h"
#include "preload/core/reset.h"
#include "preload/hooks/thread/run.h"

HEDDLE_HOOK void heddle_assume(int condition)
{
	struct op op = { .kind = OP_BLOCK, .fn = BLOCK_ASSUMES, .pc = CALLER() };
	struct op_result res;

	if (condition)
		return;
	/* Before the first thread there is one execution only, and it is of no interest. */
	if (!under_engine())
		_exit(0);
	operate(&op, &res);
}

HEDDLE_HOOK int heddle_choose(int n)
{
	struct op op = { .kind = OP_CHOOSE, .peer = (uint32_t)n, .pc = CALLER() };
	struct op_result res;

	if (n < 2)
		return 0;
	spawn_root(OUTSET_CHOICE); /* from here on there is more than one execution */
	operate(&op, &res);
	return (int)res.value.lo;
}

HEDDLE_HOOK void heddle_root(void)
{
	/* Orders nothing; but a thread has a clock, by which its plain accesses are compared, from its first operation on. */
	struct op op = { .kind = OP_FENCE, .order = ORDER_RLX, .pc = CALLER() };
	struct op_result res;

	if (!init_active() || rooted)
		return;
	spawn_root(OUTSET_ASKED);
	operate(&op, &res);
}

HEDDLE_HOOK int heddle_running(void)
{
	return shared != NULL;
}

HEDDLE_HOOK heddle_noreturn void heddle_fail(const char *expression, const char *file,
					     unsigned line, const char *function)
{
	static char buf[SHARED_TEXT];
	FRESH(buf);
	struct text t = text_in(buf, sizeof(buf));

	text_str(&t, expression);
	text_str(&t, " in ");
	text_str(&t, function);
	text_str(&t, " (");
	text_str(&t, file);
	text_str(&t, ":");
	text_int(&t, line);
	text_str(&t, ")");
	settle();
	report_bug_here(BUG_ASSERTION, 0, CALLER(), buf);
}
