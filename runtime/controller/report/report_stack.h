/* SPDX-License-Identifier: BSD-2-Clause */
/* report_stack.h - in a report: the call stack of a side */
#ifndef HEDDLE_CONTROLLER_REPORT_STACK_H
#define HEDDLE_CONTROLLER_REPORT_STACK_H

#include "controller/describe/describe.h"
#include "controller/show/source.h"

/*
 * To standard error, with an empty line behind it. Of frames of libraries that call each other it is said how many there are,
 * unless `all`; the innermost of all is shown, and what own code has called; names are short then (cxx_name.h). sources: NULL, or where the line of the first own frame is shown.
 */
void report_stack(struct scene *scene, const struct side *side, struct source_list *sources,
		  bool all);

#endif
