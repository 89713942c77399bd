/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_trace.c - what a program says to the readers of its reports (include/heddle.h)
 */
/*
 * intercepts: heddle.h
 *
 * checked heddle_trace - what the arguments point to is read, as by printf(); reports have the text
 * deterministic heddle_name heddle_name_thread - reports use the names
 */
#include "preload/hooks/announce.h"

#include <stdarg.h>

#include "preload/hooks/libc/format.h"
#include "preload/report/said.h"

HEDDLE_HOOK void heddle_trace(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	if (seen(CALLER()))
		format_announce(format, ap, CALLER());
	say_text(format, ap, CALLER());
	va_end(ap);
}

HEDDLE_HOOK void heddle_name(const volatile void *object, unsigned long size, const char *name)
{
	say_object((uintptr_t)object, size, name);
}

HEDDLE_HOOK void heddle_name_thread(const char *name)
{
	say_thread(name);
}
