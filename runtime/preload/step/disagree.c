/* SPDX-License-Identifier: BSD-2-Clause */
/* disagree.c - the program did not do what it had done before */
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "preload/core/refuse.h"
#include "preload/facts/needs.h"
#include "preload/fiber/leave.h"
#include "preload/step/perform.h"

void engine_disagrees(void)
{
	const char *why = engine_error(engine);
	char asked[512];
	struct text t = text_in(asked, sizeof(asked));

	/* What it had done was made without it, and that was wrong. */
	if (engine_was_mistaken(engine))
		leave_execution(LEAVE_OVER);
	/* A wild write of the program may have reached the engine's memory. */
	if (strncmp(why, "thread ", 7))
		internal_error("the state of the exploration makes no sense", NULL);
	asked_text(&t, (uint32_t)strtoul(why + strlen("thread "), NULL, 10));
	nondeterminism(why, asked, NULL);
}
