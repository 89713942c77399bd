/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * strategy.h - how new events are chosen; one file each
 */
#ifndef HEDDLE_ENGINE_EXPLORE_STRATEGY_H
#define HEDDLE_ENGINE_EXPLORE_STRATEGY_H

#include "engine/run/config.h"

struct strategy {
	/* A run begins. */
	void (*begin)(struct engine *e);
	/* The thread that may add the next event, or ENGINE_OVER. Threads all wait. */
	int (*pick)(struct engine *e);
	/*
	 * The thread's operation, enabled and not in the graph: make it happen. Result false:
	 * this execution ends here.
	 */
	enum step_status (*add)(struct engine *e, uint32_t tid, const struct op *op);
	/* The run is over, and counted; is there another execution? */
	bool (*again)(struct engine *e, struct engine_outcome *outcome);
	/* As engine_give() and engine_take(), up to where again() goes on; NULL: as share.c does. */
	size_t (*give)(struct engine *e, void *buf, size_t size, struct engine_id *id);
	void (*take)(struct engine *e, const void *buf, size_t len);
};

extern const struct strategy strategy_explore, strategy_online, strategy_replay, strategy_value;

#endif
