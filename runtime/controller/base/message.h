/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * message.h - what heddle says to the user, one sentence a line
 *
 * Everything heddle says goes to standard error, as with sanitizers and valgrind, so that the
 * standard output of a replayed program stays its own. (--help and --version are asked for and
 * go to standard output.)
 *
 *	if (!f)
 *		return fail(STATUS_USAGE, "cannot read '%s': %s", path, strerror(errno));
 */
#ifndef HEDDLE_CONTROLLER_MESSAGE_H
#define HEDDLE_CONTROLLER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Colours are used from now on, or not. Not by default. */
void message_color(bool on);

/* A line is being redrawn on the terminal: it is erased before the next message. */
void message_progress(const char *line);

/* Prints "heddle: " and the message, which is one line (text_sanitize()). */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As say() of the three one behind the other, the second in that colour. */
void say_colored(const char *first, const char *color, const char *second, const char *third);

/* As say(), with "error: " in front; returns status, for use in a return statement. */
int fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Escape sequences, empty strings when colours are off. */
const char *color_alarm(void);
const char *color_warning(void);
const char *color_place(void);
const char *color_faint(void);
const char *color_end(void);

/*
 * Makes untrusted text safe to print: control characters, those that change the direction in
 * which text is shown, and bytes that are not UTF-8 become '?'. Works in place on at most size bytes and always
 * terminates the string.
 */
void text_sanitize(char *text, size_t size);

#endif
