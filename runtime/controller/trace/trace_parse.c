/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_parse.c - words, numbers and lines of a trace
 */
#include "config.h"

#include "controller/trace/trace_parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/message.h"

bool trace_wrong(struct trace_reader *r, const char *format, ...)
{
	va_list ap;
	int n;

	n = snprintf(r->error, sizeof(r->error), "%s:%u: ", r->path, r->line);
	if (n > 0 && (size_t)n < sizeof(r->error)) {
		va_start(ap, format);
		vsnprintf(r->error + n, sizeof(r->error) - (size_t)n, format, ap);
		va_end(ap);
	}
	text_sanitize(r->error, sizeof(r->error));
	return false;
}

char *trace_next_line(struct trace_reader *r)
{
	char *line = r->at;
	char *end = strchr(line, '\n');

	r->line++;
	if (!end)
		return NULL;
	*end = 0;
	r->at = end + 1;
	return line;
}

char *trace_word(char **text)
{
	char *word = *text;
	char *end = strchr(word, ' ');

	if (!*word || end == word)
		return NULL;
	if (!end) {
		*text = word + strlen(word);
	} else {
		*end = 0;
		*text = end + 1;
	}
	return word;
}

bool trace_number(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	int base = text[0] == '0' && text[1] == 'x' ? 16 : 10;
	const char *digits = base == 16 ? text + 2 : text;
	unsigned long long v;
	char *end;

	if (!isxdigit((unsigned char)digits[0]))
		return false;
	errno = 0;
	v = strtoull(digits, &end, base);
	if (*end || errno || v < min || v > max)
		return false;
	*out = v;
	return true;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool trace_unescape(char *text)
{
	char *out = text;

	for (; *text; text++) {
		if (*text == '\\') {
			int high = text[1] == 'x' ? digit(text[2]) : -1;
			int low = high >= 0 ? digit(text[3]) : -1;

			if (low < 0 || high + low == 0)
				return false;
			*out++ = (char)(high << 4 | low);
			text += 3;
		} else {
			*out++ = *text;
		}
	}
	*out = 0;
	return true;
}
