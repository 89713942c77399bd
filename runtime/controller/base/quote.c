/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quote.c - words of a command as a shell takes them
 *
 * People copy such a line, and those who look whether it does harm have to see where a word ends.
 */
#include "config.h"

#include "controller/base/quote.h"

#include <stdbool.h>
#include <string.h>

static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=:,./@%";

	return *word && strspn(word, plain) == strlen(word);
}

static void add(char *out, size_t size, size_t *n, const char *text)
{
	while (*text && *n + 1 < size)
		out[(*n)++] = *text++;
	out[*n] = 0;
}

void quote_word(char *out, size_t size, const char *word)
{
	static const char more[] = " ...";
	size_t n = strlen(out);
	bool plain = is_plain(word);

	if (n)
		add(out, size, &n, " ");
	if (!plain)
		add(out, size, &n, "'");
	for (; *word && n + 1 < size; word++)
		add(out, size, &n, *word == '\'' ? "'\\''" : (char[2]){ *word, 0 });
	if (!plain)
		add(out, size, &n, "'");
	if (n + 1 == size && size > sizeof(more))
		memcpy(out + size - sizeof(more), more, sizeof(more));
}
