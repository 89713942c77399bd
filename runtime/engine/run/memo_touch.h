/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo_touch.h - a plain access to memory that threads share (memo.h)
 */
#ifndef HEDDLE_ENGINE_MEMO_TOUCH_H
#define HEDDLE_ENGINE_MEMO_TOUCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Of a stretch, what a thread does between two of its operations: which bytes of a granule it has read that it had not written, in order,
 * with what they held; and which it has written, with what they hold at the end.
 */
struct memo_touch {
	uint32_t granule;
	uint8_t mask;
	bool is_write;
	uint64_t value;
};

#endif
