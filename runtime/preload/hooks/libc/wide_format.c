/* SPDX-License-Identifier: BSD-2-Clause */
/* wide_format.c - formats of wide characters, and how much of a text a conversion looks at */
#include "preload/hooks/announce.h"

#include <limits.h>
#include <stdlib.h>

#include "preload/code/modules.h"
#include "preload/hooks/libc/wide_format.h"

void reads_wide_text(const wchar_t *s, size_t n, uint64_t pc)
{
	size_t length = 0;

	if (module_constant((uintptr_t)s))
		return;
	while (length < n && s[length])
		length++;
	reads(s, (length < n ? length + 1 : n) * sizeof(*s), pc);
}

void wide_format(char to[WIDE_FORMAT], const wchar_t *format, uint64_t pc)
{
	unsigned i;

	reads_wide_text(format, SIZE_MAX, pc);
	for (i = 0; i < WIDE_FORMAT - 1 && format[i]; i++)
		to[i] = format[i] > 0 && format[i] < 0x80 ? (char)format[i] : '?';
	to[i] = 0;
}

size_t wide_bytes(const wchar_t *s, size_t limit, size_t *characters)
{
	mbstate_t state = { 0 };
	char bytes[MB_LEN_MAX];
	size_t n = 0, used = 0, length;

	for (; s[n] && used < limit; n++, used += length) {
		length = wcrtomb(bytes, s[n], &state);
		if (length > limit - used) /* or it is none, and length (size_t)-1 */
			break;
	}
	*characters = n;
	return used;
}

void reads_wide_bytes(const wchar_t *s, size_t limit, uint64_t pc)
{
	size_t n, used;

	if (module_constant((uintptr_t)s))
		return;
	used = wide_bytes(s, limit, &n);
	reads(s, (n + (used < limit)) * sizeof(*s), pc);
}

void reads_multibyte(const char *s, size_t limit, uint64_t pc)
{
	mbstate_t state = { 0 };
	size_t n = 0, length;

	for (; limit && s[n]; limit--, n += length) {
		length = mbrlen(s + n, MB_CUR_MAX, &state);
		if (length > MB_LEN_MAX) /* it is none */
			break;
	}
	reads_text(s, limit ? SIZE_MAX : n, pc);
}
