/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text.c - lines for the user, put together without stdio
 *
 * What does not fit is cut off; the text is always ended by a zero.
 */

#include "preload/core/text.h"
#include "preload/core/context.h"
struct text text_in(char *buf, size_t size)
{
	buf[0] = 0;
	return (struct text){ .at = buf, .end = buf + size - 1 };
}

void text_str(struct text *t, const char *s)
{
	while (*s && t->at < t->end)
		*t->at++ = *s++;
	*t->at = 0;
}

static void text_digits(struct text *t, uint64_t n, unsigned base)
{
	char buf[24];
	char *p = buf + sizeof(buf) - 1;

	*p = 0;
	do
		*--p = "0123456789abcdef"[n % base];
	while (n /= base);
	text_str(t, p);
}

void text_int(struct text *t, int64_t n)
{
	if (n < 0)
		text_str(t, "-");
	text_digits(t, n < 0 ? -(uint64_t)n : (uint64_t)n, 10);
}

void text_hex(struct text *t, uint64_t n)
{
	text_str(t, "0x");
	text_digits(t, n, 16);
}
