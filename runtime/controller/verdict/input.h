/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * input.h - what the program is given as standard input
 */
#ifndef HEDDLE_CONTROLLER_INPUT_H
#define HEDDLE_CONTROLLER_INPUT_H

#include "controller/report/outcome.h"
#include "controller/trace/trace.h"

/* In a trace: its standard input is a file beside it. */
#define INPUT_BESIDE "-"

/*
 * Makes of --stdin a file that each execution can read anew. 0 or an exit status after a message;
 * release it in any case.
 */
int input_init(struct session *s);
void input_release(struct session *s);

/* What a trace is to say of it; NULL: nothing. */
char *input_recorded(struct session *s);

/*
 * Input that can be read only once goes into a file beside the trace `name`.hdt, in the same folder.
 * 0 or -errno.
 */
int input_keep(const struct session *s, const char *folder, const char *name);

/*
 * Puts the standard input in t that a replay of the trace file is to have: what the user names, or
 * what the trace does. 0 or an exit status after a message.
 */
int input_replay(const struct session *s, struct trace *t, const char *trace);

#endif
