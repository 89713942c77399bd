/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * queues.h - who sleeps on a futex, as the exploration by values has it (value.txt, V11)
 */
#ifndef HEDDLE_ENGINE_VALUE_QUEUES_H
#define HEDDLE_ENGINE_VALUE_QUEUES_H

#include "engine/value/value.h"

/* Is it one of the operations on a queue that may be next in a search by values? */
static inline bool queue_kind(unsigned kind)
{
	return kind == OP_FUTEX_LOOK || kind == OP_FUTEX_WAIT || kind == OP_FUTEX_WAKE;
}

/* May the thread do that next, for all that its last operation was? False: it is explored by reads-from. */
bool queue_may_come(const struct engine *e, uint32_t tid, const struct op *op);
/*
 * The only write of the queue that such an operation, the thread's next one, may observe: the last one, into *write. False: none, as
 * another thread has looked at the queue, and is about to go to sleep.
 */
bool queue_source(const struct engine *e, uint32_t tid, uint32_t loc, uint32_t *write);

/* What takes the thread, which waits at a condition variable, or at a futex, out of those that wait; NO_POS: nothing so far. (value.txt, V9) */
uint32_t queue_waker(const struct engine *e, uint32_t tid);

#endif
