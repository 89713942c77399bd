/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * message.c - what heddle says to the user
 *
 * One place decides where messages go and how they look: standard error, a prefix, colours
 * only when asked, and the progress line erased first, so that the two never mix.
 *
 * Caller: any part of the controller, from its one thread.
 */
#include "config.h"

#include "controller/base/message.h"

#include <stdarg.h>
#include <string.h>

static bool colors;
static bool line_shown;

void message_color(bool on)
{
	colors = on;
}

static void erase_line(void)
{
	if (line_shown)
		fputs("\r\033[K", stderr);
	line_shown = false;
}

void message_progress(const char *line)
{
	erase_line();
	if (!line)
		return;
	fputs(line, stderr);
	fflush(stderr);
	line_shown = true;
}

void say(const char *format, ...)
{
	va_list ap;

	erase_line();
	fputs("heddle: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

int fail(int status, const char *format, ...)
{
	va_list ap;

	erase_line();
	fprintf(stderr, "heddle: %serror:%s ", color_alarm(), color_end());
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return status;
}

const char *color_alarm(void)
{
	return colors ? "\033[1;31m" : "";
}

const char *color_place(void)
{
	return colors ? "\033[1;34m" : "";
}

const char *color_faint(void)
{
	return colors ? "\033[2m" : "";
}

const char *color_end(void)
{
	return colors ? "\033[0m" : "";
}

/* The length of the UTF-8 character at p, 0 if there is none or if it is a control. */
static size_t character(const unsigned char *p)
{
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

	if (p[0] < 0x20 || p[0] == 0x7f || (p[0] >= 0x80 && p[0] < 0xc2) || p[0] > 0xf4 ||
	    (p[0] == 0xc2 && p[1] < 0xa0))
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80) /* a zero at the end too */
			return 0;
	}
	return n;
}

void text_sanitize(char *text, size_t size)
{
	if (!size)
		return;
	text[size - 1] = 0;
	for (size_t n; *text; text += n) {
		n = character((const unsigned char *)text);
		if (n)
			continue;
		*text = *text == '\t' || *text == '\n' ? ' ' : '?';
		n = 1;
	}
}
