/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.h - the forms in which results are told
 */
#ifndef HEDDLE_CONTROLLER_REPORT_H
#define HEDDLE_CONTROLLER_REPORT_H

#include "controller/report/outcome.h"

/* One bug as text, in the form of ThreadSanitizer's reports, to standard error. */
void report_text(const struct session *s, const struct reported *r);

/* A line for each program that was explored because another one started it, to standard error. */
void report_followed(const struct session *s);

/* The same for the programs of a suite, with the executions and seconds of each. */
void report_suite(const struct session *s);

/* The result of the session to those of s->result_fd that are open. 0, or -errno; then *path is what could not be written. */
int report_forms(const struct session *s, const char **path);

#endif
