/* SPDX-License-Identifier: BSD-2-Clause */
/* report_coverage.h - how much a session of random testing has seen, and how often it met each bug */
#ifndef HEDDLE_CONTROLLER_REPORT_COVERAGE_H
#define HEDDLE_CONTROLLER_REPORT_COVERAGE_H

#include <jansson.h>

#include "controller/report/outcome.h"

/* Says it, on standard error. */
void report_coverage(const struct session *s);

/* The fields of "coverage"; NULL: nothing is known. */
json_t *coverage_json(const struct session *s);

#endif
