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
#include <stdlib.h>
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

/*
 * Names of files and programs, and what traces hold, are in most messages. Memory may be what there is
 * no more of.
 */
static void put(const char *format, va_list ap)
{
	char here[4096], *text = here;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(here, sizeof(here), format, ap);
	if (n >= (int)sizeof(here) && vasprintf(&text, format, again) < 0)
		text = here;
	va_end(again);
	text_sanitize(text, text == here ? sizeof(here) : (size_t)n + 1);
	fputs(text, stderr);
	if (text != here)
		free(text);
}

void say(const char *format, ...)
{
	va_list ap;

	erase_line();
	fputs("heddle: ", stderr);
	va_start(ap, format);
	put(format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static void put_text(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	put(format, ap);
	va_end(ap);
}

void say_colored(const char *first, const char *color, const char *second, const char *third)
{
	erase_line();
	fputs("heddle: ", stderr);
	put_text("%s", first);
	fputs(color, stderr);
	put_text("%s", second);
	fputs(*color ? color_end() : "", stderr);
	put_text("%s", third);
	fputc('\n', stderr);
}

int fail(int status, const char *format, ...)
{
	va_list ap;

	erase_line();
	fprintf(stderr, "heddle: %serror:%s ", color_alarm(), color_end());
	va_start(ap, format);
	put(format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return status;
}

const char *color_alarm(void)
{
	return colors ? "\033[1;31m" : "";
}

const char *color_warning(void)
{
	return colors ? "\033[1;33m" : "";
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

/*
 * Does the UTF-8 character of n bytes at p say in which direction text runs, or where a line ends?
 * Terminals show what follows in another order than it is in (Unicode Standard Annex 9).
 */
static bool turns_text(const unsigned char *p, size_t n)
{
	unsigned c = n == 2 ? (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu) : 0;

	if (n == 3)
		c = (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
	return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
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
	return turns_text(p, n) ? 0 : n;
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
