/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * aside.h - threads that let others go first
 */
#ifndef HEDDLE_ENGINE_ASIDE_H
#define HEDDLE_ENGINE_ASIDE_H

#include "engine/run/state.h"

/* Whose turn is it, if it would be that thread's but for those aside? */
int aside_turn_of(const struct engine *e, int picked); /* where some are */
static inline int aside_turn(const struct engine *e, int picked)
{
	return thread_set_any(&e->aside) ? aside_turn_of(e, picked) : picked;
}
/* engine_step() for OP_YIELD, but in random testing. */
enum step_status aside_step(struct engine *e, uint32_t tid, const struct op *op,
			    struct op_result *r);

#endif
