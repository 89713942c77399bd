/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inflection.h - from which operation on every way to go on ends with a bug
 *
 * Who goes on behind the first k operations of an execution can also go on behind the first k - 1, so there is one
 * operation from which on each way fails, and before it some does not. Ways are drawn, so it is a sample: a way that ends
 * well proves that the bug is not certain there; that none of many does says that it is likely to be.
 */
#ifndef HEDDLE_CONTROLLER_INFLECTION_H
#define HEDDLE_CONTROLLER_INFLECTION_H

#include "controller/report/outcome.h"
#include "controller/trace/trace.h"

/* Fills *out for the execution of the trace, within so many seconds. */
void inflection_find(struct session *s, const struct trace *t, double seconds,
		     struct inflection *out);

#endif
