/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_parse.h - words, numbers and lines of a trace, for its two readers
 *
 * Internal to trace_read.c (the file and its header) and trace_steps.c (the bug and the
 * steps).
 */
#ifndef HEDDLE_CONTROLLER_TRACE_PARSE_H
#define HEDDLE_CONTROLLER_TRACE_PARSE_H

#include "controller/trace/trace.h"

/* Sets r->error to "path:line: message"; always false. */
bool trace_wrong(struct trace_reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The next line without its newline, or NULL at the end. */
char *trace_next_line(struct trace_reader *r);

/* The next word of a line, ended by one blank or the end; *text moves behind it. NULL when
 * there is none. */
char *trace_word(char **text);

/* A decimal number, or hexadecimal after 0x, and nothing else, within min..max. */
bool trace_number(const char *text, uint64_t min, uint64_t max, uint64_t *out);

/* Undoes \xNN in place; false for anything else after a backslash, or for \x00. */
bool trace_unescape(char *text);

#endif
