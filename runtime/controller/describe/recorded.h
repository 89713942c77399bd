/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorded.h - the steps of a trace, for the program that it was recorded with
 */
#ifndef HEDDLE_CONTROLLER_RECORDED_H
#define HEDDLE_CONTROLLER_RECORDED_H

#include "controller/trace/trace.h"

/* Reads bug and steps of a trace whose build-id is the program's; false: r->error says why, or memory is short. */
bool recorded_steps(struct trace_reader *r, struct trace *t);

/* Are the libraries that take part in it those that were recorded? 0, or an exit status after a message that names the trace. */
int recorded_libraries(const struct trace *t, const char *path);

#endif
