/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scan.h - what scanf() and its family write by their arguments
 */
#ifndef HEDDLE_PRELOAD_SCAN_H
#define HEDDLE_PRELOAD_SCAN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
	SCAN_TARGETS = 32 /* that are known of one call */
};

/* vsscanf(), of whichever standard the program was compiled for. */
typedef int (*scan_function)(const char *text, const char *format, va_list ap);

struct scan_targets {
	unsigned n;
	struct {
		void *p;
		size_t size;
	} target[SCAN_TARGETS];
};

/*
 * Finds what scan(text, format, arguments) will write. old: %as takes memory, as in C89 with GNU's
 * additions. errno and the caller's `arguments` stay as they are.
 */
void scan_find(struct scan_targets *t, scan_function scan, bool old, const char *text,
	       const char *format, va_list arguments);
/* The same of a call that was made, of another source, and stored `stored` of them. */
void scan_found(struct scan_targets *t, int stored, bool old, const char *format,
		va_list arguments);

#pragma GCC visibility pop

#endif
