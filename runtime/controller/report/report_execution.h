/* SPDX-License-Identifier: BSD-2-Clause */
/* report_execution.h - in a report: the failing execution, in one order */
#ifndef HEDDLE_CONTROLLER_REPORT_EXECUTION_H
#define HEDDLE_CONTROLLER_REPORT_EXECUTION_H

#include "controller/report/outcome.h"
#include "controller/show/source.h"

/* What of it explains the bug (--verbose: all), to standard error. False: it is too long for that, or memory is short; nothing was written. */
bool report_execution(const struct session *s, const struct reported *r,
		      struct source_list *sources);

#endif
