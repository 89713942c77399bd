/* SPDX-License-Identifier: BSD-2-Clause */
/* with_list.h - functions with arguments of their own behind a format, by means of those with a list */
#ifndef HEDDLE_PRELOAD_WITH_LIST_H
#define HEDDLE_PRELOAD_WITH_LIST_H

#include <stdarg.h>

/* Returns what the call does, in which `ap` is the list behind `format`. */
#define WITH_LIST(call)               \
	do {                          \
		va_list ap;           \
		int result;           \
                                      \
		va_start(ap, format); \
		result = call;        \
		va_end(ap);           \
		return result;        \
	} while (0)

#endif
