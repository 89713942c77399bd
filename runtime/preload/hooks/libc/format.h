/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * format.h - what printf() and its family read and write by their arguments
 */
#ifndef HEDDLE_PRELOAD_FORMAT_H
#define HEDDLE_PRELOAD_FORMAT_H

#include <stdarg.h>
#include <stdint.h>
#include <wchar.h>

#pragma GCC visibility push(hidden)

/*
 * Announces what a call at pc with this format and these arguments is about to do: the reads of the
 * format and of strings among the arguments, then what %n writes. The caller's `arguments` stay as they
 * are. What is written of the text itself is for the caller to announce.
 */
void format_announce(const char *format, va_list arguments, uint64_t pc);

/* The same of wprintf() and its family. */
void format_announce_wide(const wchar_t *format, va_list arguments, uint64_t pc);

/*
 * How long the text is; negative where libc fails. flag: of the _chk function that was called, which ends
 * the process for what it does not allow; 0: of another. errno stays. %n writes.
 */
int format_length(int flag, const char *format, va_list arguments);

/*
 * Goes past the modifier for the length of an argument, if there is one: 0 none, 'h' short, 'H' char, 'l' long (and
 * what is as long), 'L' long long or long double. Of scanf() as well.
 */
char format_modifier(const char **p);

#pragma GCC visibility pop

#endif
