/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * strategies.h - strategies of random testing on the command line: NAME or NAME:D
 */
#ifndef HEDDLE_CONTROLLER_OPTIONS_STRATEGIES_H
#define HEDDLE_CONTROLLER_OPTIONS_STRATEGIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	STRATEGY_NAME = 32
};

/* False, with one line in error, if text is no strategy. Without D, depth is what is usual, or 0 where there is none. */
bool strategy_parse(const char *text, uint64_t *strategy, uint64_t *depth, char *error,
		    size_t size);
/* As strategy_parse() takes it, into out of STRATEGY_NAME bytes. */
void strategy_text(uint64_t strategy, uint64_t depth, char *out, size_t size);

#endif
