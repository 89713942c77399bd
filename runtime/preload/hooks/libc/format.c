/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * format.c - what printf() and its family read and write by their arguments
 *
 * A format is read once to learn which arguments there are, as their types say how the next one
 * is found (and with %2$s they come in any order), and which of them lead to memory. Of a string no
 * more is read than the precision allows; of a wide one, what gives that many bytes in the locale.
 *
 * parse_printf_format() would not do: it tells the types of the arguments, but not the precision of a
 * string, nor which argument that is, and a string with one needs no final 0.
 *
 * Behind a conversion that C and glibc do not have (register_printf_specifier()) nothing is known of
 * the arguments, so nothing is announced from there on. Of the first MAX_ARGUMENTS only.
 *
 * Cost: some tens of nanoseconds. Uses 1.5 KiB of the program's stack, less than libc behind it.
 */
#include "preload/hooks/announce.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <wchar.h>

#include "preload/code/modules.h"
#include "preload/hooks/libc/format.h"
#include "preload/hooks/libc/wide_format.h"

int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, va_list ap);

enum {
	MAX_ARGUMENTS = 32,
	NO_ARGUMENT = -1
};

/* On x86-64 these are all the ways in which an argument is passed. */
enum type {
	TYPE_WORD,
	TYPE_DOUBLE,
	TYPE_LONG_DOUBLE
};

struct directive {
	int width, precision, value; /* numbers of arguments, from 0; or NO_ARGUMENT */
	bool has_precision;
	int limit; /* the precision, where the format says it */
	enum type type;
	char length; /* 'h', 'l', 'H' for hh, 'L' for all that is longer than int; 0 */
	char conversion;
};

/* What a format makes of its arguments, and those that lead to memory. */
struct arguments {
	unsigned n, nleading;
	enum type type[MAX_ARGUMENTS];
	uint64_t word[MAX_ARGUMENTS];
	struct directive leading[MAX_ARGUMENTS];
};

/* ---- One directive ------------------------------------------------------------------------------ */

static int number(const char **p)
{
	int n = 0;

	for (; **p >= '0' && **p <= '9'; ++*p)
		if (n < 1 << 24)
			n = n * 10 + (**p - '0');
	return n;
}

/* "12$": the number of an argument. If there is none, the next one. */
static int argument(const char **p, int *next)
{
	const char *at = *p;
	int n = number(&at);

	if (n && *at == '$') {
		*p = at + 1;
		return n - 1;
	}
	return (*next)++;
}

char format_modifier(const char **p)
{
	char length = 0;

	for (;; ++*p)
		switch (**p) {
		case 'h':
			length = length == 'h' ? 'H' : 'h';
			break;
		case 'l':
			length = length == 'l' ? 'L' : 'l';
			break;
		case 'L':
		case 'q':
			length = 'L';
			break;
		case 'j':
		case 't':
		case 'z':
		case 'Z':
			length = 'l';
			break;
		default:
			return length;
		}
}

/* Which argument the conversion takes, and of which type; false if it is not known. */
static bool take_value(struct directive *d, int given, int *next)
{
	d->value = NO_ARGUMENT;
	d->type = TYPE_WORD;
	switch (d->conversion) {
	case '%':
	case 'm':
		return true;
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		d->type = d->length == 'L' ? TYPE_LONG_DOUBLE : TYPE_DOUBLE;
		break;
	case 'b':
	case 'B':
	case 'd':
	case 'i':
	case 'o':
	case 'u':
	case 'x':
	case 'X':
	case 'c':
	case 'C':
	case 's':
	case 'S':
	case 'p':
	case 'n':
		break;
	default:
		return false;
	}
	d->value = given != NO_ARGUMENT ? given : (*next)++;
	return true;
}

static bool is_flag(char c)
{
	return c == ' ' || c == '+' || c == '-' || c == '#' || c == '0' || c == '\'' || c == 'I';
}

/* *p leads behind a '%', and is moved behind the directive. */
static bool take_directive(const char **p, struct directive *d, int *next)
{
	const char *at = *p;
	int given = number(&at);

	if (given && *at == '$')
		*p = at + 1;
	given = given && *at == '$' ? given - 1 : NO_ARGUMENT;
	while (is_flag(**p))
		++*p;
	d->width = d->precision = NO_ARGUMENT;
	d->limit = 0;
	if (**p == '*') {
		++*p;
		d->width = argument(p, next);
	} else {
		number(p);
	}
	d->has_precision = **p == '.';
	if (d->has_precision && *++*p == '*') {
		++*p;
		d->precision = argument(p, next);
	} else if (d->has_precision) {
		d->limit = number(p);
	}
	d->length = format_modifier(p);
	d->conversion = **p;
	if (!take_value(d, given, next))
		return false;
	++*p;
	return true;
}

/* ---- Arguments ------------------------------------------------------------------------------------ */

static void note(struct arguments *a, int n, enum type type)
{
	if (n < 0 || n >= MAX_ARGUMENTS)
		return;
	for (; a->n <= (unsigned)n; a->n++)
		a->type[a->n] = TYPE_WORD;
	a->type[n] = type;
}

static bool leads_to_memory(const struct directive *d)
{
	return d->conversion == 's' || d->conversion == 'S' || d->conversion == 'n';
}

static const char *next_directive(const char *p)
{
	while (*p && *p != '%')
		p++;
	return *p ? p + 1 : NULL;
}

/* Reads the format. */
static void take_all(const char *format, struct arguments *a)
{
	struct directive d;
	int next = 0;

	a->n = a->nleading = 0;
	for (const char *p = format; (p = next_directive(p)) && take_directive(&p, &d, &next);) {
		note(a, d.width, TYPE_WORD);
		note(a, d.precision, TYPE_WORD);
		note(a, d.value, d.type);
		if (leads_to_memory(&d) && d.value < MAX_ARGUMENTS && a->nleading < MAX_ARGUMENTS)
			a->leading[a->nleading++] = d;
	}
}

static void take_words(struct arguments *a, va_list ap)
{
	for (unsigned i = 0; i < a->n; i++)
		switch (a->type[i]) {
		case TYPE_WORD:
			a->word[i] = va_arg(ap, uint64_t);
			break;
		case TYPE_DOUBLE:
			(void)va_arg(ap, double);
			a->word[i] = 0;
			break;
		case TYPE_LONG_DOUBLE:
			(void)va_arg(ap, long double);
			a->word[i] = 0;
			break;
		}
}

/* ---- Announcing ---------------------------------------------------------------------------------- */

/* A precision counts what comes out: bytes, or wide characters. */
static void reads_string(const struct directive *d, const struct arguments *a, bool to_wide,
			 uint64_t pc)
{
	const bool is_wide = d->conversion == 'S' || d->length == 'l' || d->length == 'L';
	const void *s = (const void *)a->word[d->value];
	size_t limit = SIZE_MAX;
	int precision = d->limit;

	if (!s)
		return; /* (null) */
	if (d->precision != NO_ARGUMENT)
		precision = d->precision < MAX_ARGUMENTS ? (int)a->word[d->precision] : 0;
	if (d->has_precision && precision >= 0)
		limit = (size_t)precision;
	if (is_wide && to_wide)
		reads_wide_text(s, limit, pc);
	else if (is_wide)
		reads_wide_bytes(s, limit, pc);
	else if (to_wide && limit != SIZE_MAX)
		reads_multibyte(s, limit, pc);
	else
		reads_text(s, limit, pc);
}

static void writes_count(const struct directive *d, const struct arguments *a, uint64_t pc)
{
	unsigned size = 4;

	if (d->length == 'h')
		size = 2;
	else if (d->length == 'H')
		size = 1;
	else if (d->length)
		size = 8;
	writes((void *)a->word[d->value], size, pc);
}

/* What the arguments lead to. */
static void announce(const char *format, va_list arguments, bool to_wide, uint64_t pc)
{
	struct arguments a;
	va_list ap;

	take_all(format, &a);
	if (!a.nleading)
		return;
	va_copy(ap, arguments);
	take_words(&a, ap);
	va_end(ap);
	for (unsigned i = 0; i < a.nleading; i++)
		if (a.leading[i].conversion != 'n')
			reads_string(&a.leading[i], &a, to_wide, pc);
	for (unsigned i = 0; i < a.nleading; i++)
		if (a.leading[i].conversion == 'n')
			writes_count(&a.leading[i], &a, pc);
}

void format_announce(const char *format, va_list arguments, uint64_t pc)
{
	if (!format)
		return; /* libc says EINVAL */
	reads_text(format, SIZE_MAX, pc);
	announce(format, arguments, false, pc);
}

void format_announce_wide(const wchar_t *format, va_list arguments, uint64_t pc)
{
	char bytes[WIDE_FORMAT];

	wide_format(bytes, format, pc);
	announce(bytes, arguments, true, pc);
}

int format_length(int flag, const char *format, va_list arguments)
{
	int length, error = errno;
	va_list ap;

	va_copy(ap, arguments);
	if (flag)
		length = REAL(__vsnprintf_chk)(NULL, 0, flag, 0, format, ap);
	else
		length = REAL(vsnprintf)(NULL, 0, format, ap);
	va_end(ap);
	errno = error;
	return length;
}
