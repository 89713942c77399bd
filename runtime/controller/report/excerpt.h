/* SPDX-License-Identifier: BSD-2-Clause */
/* excerpt.h - in a report: the line of the source, and what of it is meant */
#ifndef HEDDLE_CONTROLLER_EXCERPT_H
#define HEDDLE_CONTROLLER_EXCERPT_H

#include "controller/elf/symbolize.h"
#include "controller/show/source.h"

/*
 *	     14 | 	assert(message == 42);
 *	        |         ^
 *
 * To standard error. False: the line is not there. Without debug information on columns there is no mark.
 */
bool excerpt_print(struct source_list *sources, const struct frame *f);

#endif
