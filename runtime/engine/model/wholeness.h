/* SPDX-License-Identifier: BSD-2-Clause */
/* wholeness.h - what whole.h says */
#ifndef HEDDLE_ENGINE_WHOLENESS_H
#define HEDDLE_ENGINE_WHOLENESS_H

enum wholeness {
	PARTS_TORN,
	PARTS_WHOLE,
	PARTS_UNKNOWN, /* there are too many events, or orders of them, to say */
};

#endif
