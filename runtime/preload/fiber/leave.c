/* SPDX-License-Identifier: BSD-2-Clause */
/* leave.c - see leave.h */
#include "preload/fiber/leave.h"

#include "engine/engine.h"
#include "preload/core/lasting.h"
#include "preload/fiber/fiber.h"

enum leave_reason left;
heddle_noreturn void (*leave_unrooted)(void);

void leave_execution(enum leave_reason why)
{
	struct fiber *f = fiber_self();

	left = why;
	current = NULL;
	if (f) /* it may be asked for its call stack */
		switch_context(&f->context, &scheduler);
	jump_context(&scheduler);
}

void repeat_execution(void)
{
	current = NULL;
	progress->reruns++;
	engine_rerun(engine);
	leave_execution(LEAVE_AGAIN);
}

void stop_exploration(void)
{
	engine_fail(engine);
	leave_execution(LEAVE_STOP);
}
