/* SPDX-License-Identifier: BSD-2-Clause */
/* columns.c - see columns.h */
#include "config.h"

#include "controller/base/columns.h"

#include <string.h>

enum {
	ROOM_LEAST = 16 /* columns: with less nobody can read it */
};

size_t text_columns(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

size_t text_bytes(const char *text, size_t n)
{
	size_t k = 0;

	while (text[k]) {
		if (((unsigned char)text[k] & 0xc0) != 0x80 && !n--)
			break;
		k++;
	}
	return k;
}

size_t text_fitting(const char *text, size_t n)
{
	size_t k = text_bytes(text, n);

	if (!text[k])
		return k;
	for (size_t end = k; end > k / 2; end--)
		if (text[end] == ' ')
			return end;
	return k;
}

void text_wrapped(FILE *f, const char *text, size_t indent, size_t width)
{
	size_t blanks = strspn(text, " ");
	const char *p = text + blanks;
	size_t room;

	indent += blanks;
	room = width > indent + ROOM_LEAST ? width - indent : ROOM_LEAST;
	while (*p) {
		size_t n = text_fitting(p, room);

		fprintf(f, "%*s%.*s\n", (int)indent, "", (int)n, p);
		p += n;
		p += strspn(p, " ");
	}
}
