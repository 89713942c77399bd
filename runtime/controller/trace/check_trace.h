/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_trace.h - the execution in a trace file or in recorded steps, for the offline checkers
 */
#ifndef HEDDLE_CONTROLLER_CHECK_TRACE_H
#define HEDDLE_CONTROLLER_CHECK_TRACE_H

#include "controller/trace/trace.h"
#include "offline/execution.h"

/*
 * Reads the trace at path into x, and the model it was recorded under. The program is not
 * needed. False with error set ("path:line: what is wrong"); release x in any case.
 */
bool check_trace_read(struct execution *x, const char *path, uint32_t *model, char *error,
		      size_t size);

/*
 * The execution that the n steps of a run make up, into x; into event[n], unless NULL, the event of each step, or EX_NONE. False with error
 * set (what is wrong); release x in any case.
 */
bool check_steps(struct execution *x, const struct step *steps, size_t n,
		 const struct trace_symbols *names, uint32_t *event, char *error, size_t size);

#endif
