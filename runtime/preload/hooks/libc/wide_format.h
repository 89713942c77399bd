/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wide_format.h - formats of wide characters, for wprintf() and wscanf() and their families; how much of a text a conversion looks at
 */
#ifndef HEDDLE_PRELOAD_WIDE_FORMAT_H
#define HEDDLE_PRELOAD_WIDE_FORMAT_H

#include <stdint.h>
#include <wchar.h>

#pragma GCC visibility push(hidden)

enum {
	WIDE_FORMAT = 512 /* characters that are looked at, with the final 0 */
};

/*
 * Announces that a call at pc reads the format, and writes it to `to` in bytes: what is no character of ASCII takes or stores
 * nothing, and becomes a '?'.
 */
void wide_format(char to[WIDE_FORMAT], const wchar_t *format, uint64_t pc);

/* A wide string of which at most n characters count (SIZE_MAX: with its 0), as reads_text(). */
void reads_wide_text(const wchar_t *s, size_t n, uint64_t pc);
/* Of a wide string: how many bytes its first characters give, without its 0, that give at most `limit`; and how many these are. */
size_t wide_bytes(const wchar_t *s, size_t limit, size_t *characters);
/* Of a wide string: what gives at most `limit` bytes, or all with the final 0. */
void reads_wide_bytes(const wchar_t *s, size_t limit, uint64_t pc);
/* Of a string of bytes: what gives at most `limit` wide characters, or all with the final 0. */
void reads_multibyte(const char *s, size_t limit, uint64_t pc);

#pragma GCC visibility pop

#endif
