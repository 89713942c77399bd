/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sections.h - what of a module's segment is code
 *
 * Internal to runtime/preload. Some linkers put constants, and the headers of the file, into the same segment.
 */
#ifndef HEDDLE_PRELOAD_SECTIONS_H
#define HEDDLE_PRELOAD_SECTIONS_H

#include <stdint.h>

#include "preload/code/functions.h"

#pragma GCC visibility push(hidden)

enum {
	SECTIONS = 64
};

struct section {
	uint64_t start, end;
};

/*
 * Those with code, as the file of the module says; how many. All of what is executed, as one, if it does not say it, cannot be read, or has more of
 * them.
 */
uint32_t sections_of(const struct module_code *c, struct section all[SECTIONS]);

#pragma GCC visibility pop

#endif
