/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * draw.h - which write a read observes, and where a write comes in mo, at random
 */
#ifndef HEDDLE_ENGINE_ONLINE_DRAW_H
#define HEDDLE_ENGINE_ONLINE_DRAW_H

#include "engine/online/online.h"

/* What is drawn: the write that is read, or that the new one comes behind in mo; and a place among the sc events. */
struct drawing {
	uint32_t write;
	struct sc_place place;
};

/*
 * From all writes that the read may observe and go on from; read: its event, which is not in the graph yet
 * (run_peek()). False: there is none. O(k log q) expected, for k threads and q events of the location
 */
bool draw_read(struct engine *e, const struct event *read, struct drawing *d);
/* Is there one, for the thread's operation, which may have to wait? Where its value alone decides, O(1). */
bool draw_possible(struct engine *e, uint32_t tid, const struct op *op);
/*
 * Does it depend on no more than the value that the operation finds, but for stores in the thread's buffer, whether it can go on? So all
 * threads that come with the same one go on, or none.
 */
bool draw_goes_by_value(const struct engine *e, unsigned kind);
/* Do the model and the strategy have writes to memory that are not the last in mo when they happen? Of so many one is to be. */
enum {
	DRAW_EARLIER = 4
};
static inline bool draw_may_come_earlier(const struct online *on)
{
	return (on->way == WAY_RC11 || on->way == WAY_COHERENT) &&
	       on->choices.chooser->memory == MEMORY_ANY;
}
/* From all places in mo that the write, the next event of its thread, may have. Not for tso. */
void draw_write(struct engine *e, const struct event *write, struct drawing *d);
/*
 * The two of which it consists: any place in mo, or false, since it is to be the last one; and that, with its place among the sc
 * events.
 */
bool draw_write_anywhere(struct engine *e, const struct event *write, struct drawing *d);
void draw_write_last(struct engine *e, const struct event *write, struct drawing *d);

#endif
