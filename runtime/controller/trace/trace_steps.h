/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_steps.h - the bug and the steps of a trace as they are read, for the files that read parts of them */
#ifndef HEDDLE_CONTROLLER_TRACE_STEPS_H
#define HEDDLE_CONTROLLER_TRACE_STEPS_H

#include "controller/trace/trace_parse.h"

struct steps_reader {
	struct trace_reader *r;
	struct trace *t;
	const struct trace_symbols *symbols;
	uint32_t next[HEDDLE_MAX_THREADS]; /* least index of the next step of each thread */
};

/* A location, and one that is code; false: not one, and the reader has an error. They write into text. */
bool trace_place(struct steps_reader *s, char *text, struct place *p);
bool trace_code(struct steps_reader *s, char *text, struct place *p);

/* Reads the rest of a line that says something of the execution; false: the reader has an error. */
typedef bool trace_line(struct steps_reader *s, char *text);

/* What reads a line that begins so (trace_said.c); NULL: it is none of these. */
trace_line *trace_said(const char *key);

#endif
