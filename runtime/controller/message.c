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

#include "controller/message.h"

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

void text_sanitize(char *text, size_t size)
{
	size_t n;

	if (!size)
		return;
	text[size - 1] = 0;
	n = strlen(text);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = text[i];

		if (c < 0x20 || c == 0x7f)
			text[i] = c == '\t' || c == '\n' ? ' ' : '?';
		else if (c == 0xc0 || c == 0xc1 || c >= 0xf5)
			text[i] = '?';
	}
}
