/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo_touch.h - what a thread does to memory that threads share, as far as the memo knows (memo.h)
 */
#ifndef HEDDLE_ENGINE_MEMO_TOUCH_H
#define HEDDLE_ENGINE_MEMO_TOUCH_H

#include <stdbool.h>
#include <stdint.h>

enum memo_how {
	TOUCH_READS,
	TOUCH_WRITES,
	TOUCH_BEARS, /* they are of a block that it has allocated, and hold that at the end */
	TOUCH_FREES, /* they are of a block that it has freed */
	TOUCH_LOADS, /* its next operation is one of these bytes, and does no more than read; value: of so many bytes in all */
	TOUCH_OPERATES, /* likewise, and may write */
};

/*
 * Of a stretch, what a thread does between two of its operations: which bytes of a granule it has read that it had not written, in order,
 * with what they held; and which it has written, with what they hold at the end.
 */
struct memo_touch {
	uint32_t granule;
	uint8_t mask;
	uint8_t how; /* enum memo_how */
	uint64_t value;
};

static inline bool touch_is_atomic(unsigned how)
{
	return how >= TOUCH_LOADS;
}

#endif
