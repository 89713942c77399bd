/* SPDX-License-Identifier: BSD-2-Clause */
/* wide_format.c - formats of wide characters, for wprintf() and wscanf() and their families */
#include "preload/hooks/announce.h"

#include "preload/core/modules.h"
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
