/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * order_groups.h - the items of an order by location, and reads by what they observe
 */
#ifndef HEDDLE_OFFLINE_ORDER_GROUPS_H
#define HEDDLE_OFFLINE_ORDER_GROUPS_H

#include "offline/order.h"

/* An item, and its line to have it at hand. */
struct order_reader {
	uint32_t item, line;
};

/* Writes of one location in one line: write[from..to-1]. */
struct order_group {
	uint32_t line, from, to;
};

/* Of the l-th location: x[start[l]..start[l + 1] - 1] for each pair of start and x. */
struct order_groups {
	uint32_t *astart, *access; /* accesses by location, then line */
	uint32_t *wstart, *write;  /* writes by location, then line */
	uint32_t *gstart;
	struct order_group *groups; /* of those writes */
	uint32_t most;              /* groups of one location, at the most */
	uint32_t *rstart, *reads;   /* of each write, and of each location's init behind those */
	uint32_t *lstart;           /* of those the last in each line that locks */
	struct order_reader *locking;
};

/* g: zeros. */
void order_groups_build(struct order_groups *g, const struct order *o);
void order_groups_release(struct order_groups *g);

#endif
