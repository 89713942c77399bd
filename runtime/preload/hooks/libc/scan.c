/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scan.c - what scanf() and its family write by their arguments
 *
 * How far a call comes, and how much a string gets, only libc knows. So it is asked for one conversion
 * after the other: "%*9s%n", made of "%9s", with what is left of the text tells how many bytes of that
 * the conversion takes, and writes nowhere else. Text between conversions is compared here.
 *
 * All arguments are pointers, so the next one is found without knowing what it leads to.
 *
 * Not known: what is in the memory that %ms takes (it is new), and what comes behind a set of more
 * than PIECE characters or SCAN_TARGETS targets.
 *
 * Cost: that of another sscanf() for each conversion.
 */
#include "preload/hooks/announce.h"

#include <ctype.h>
#include <errno.h>
#include <wchar.h>

#include "preload/hooks/libc/format.h"
#include "preload/hooks/libc/scan.h"

enum {
	PIECE = 300
};

struct conversion {
	const char *rest; /* the conversion, without the number of its argument and '*' */
	const char *end;
	const char *allocates; /* the modifier that says so, or NULL */
	bool suppressed;
	int value; /* the number of its argument, from 0 */
	size_t width;
	char length; /* 'h', 'l', 'H' for hh, 'L' for all that is longer; 0 */
	char kind;
};

/* ---- One conversion ------------------------------------------------------------------------------- */

static size_t number(const char **p)
{
	size_t n = 0;

	for (; **p >= '0' && **p <= '9'; ++*p)
		n = n * 10 + (size_t)(**p - '0');
	return n;
}

/* Behind the set that *p leads into. */
static const char *behind_set(const char *p)
{
	if (*p == '^')
		p++;
	if (*p == ']')
		p++;
	while (*p && *p != ']')
		p++;
	return *p ? p + 1 : p;
}

static bool takes_memory(const char *p, bool old)
{
	return *p == 'm' || (old && *p == 'a' && (p[1] == 's' || p[1] == 'S' || p[1] == '['));
}

/* *p leads behind a '%', and is moved behind the conversion; false if it is none that is known. */
static bool take_conversion(const char **p, struct conversion *c, int *next, bool old)
{
	const char *at = *p;
	size_t given = number(&at);

	given = given && *at == '$' ? given : 0;
	if (given)
		*p = at + 1;
	c->suppressed = **p == '*';
	if (c->suppressed)
		++*p;
	c->rest = *p;
	while (**p == '\'' || **p == 'I')
		++*p;
	c->width = number(p);
	c->allocates = takes_memory(*p, old) ? *p : NULL;
	if (c->allocates)
		++*p;
	c->length = format_modifier(p);
	c->kind = **p;
	if (!c->kind || !strchr("diouxXpeEfFgGaAcCsS[n", c->kind))
		return false;
	++*p;
	if (c->kind == '[')
		*p = behind_set(*p);
	c->end = *p;
	c->value = c->suppressed ? -1 : given ? (int)given - 1 : (*next)++;
	return true;
}

static bool is_wide(const struct conversion *c)
{
	return c->kind == 'C' || c->kind == 'S' || c->length == 'l' || c->length == 'L';
}

static bool is_text(const struct conversion *c)
{
	return c->kind == 's' || c->kind == 'S' || c->kind == '[';
}

static bool is_characters(const struct conversion *c)
{
	return c->kind == 'c' || c->kind == 'C';
}

/* Of a number that is stored. */
static size_t size_of(const struct conversion *c)
{
	bool real = strchr("eEfFgGaA", c->kind);

	if (c->kind == 'p' || c->allocates)
		return sizeof(void *);
	switch (c->length) {
	case 'H':
		return sizeof(char);
	case 'h':
		return sizeof(short);
	case 'l':
		return real ? sizeof(double) : sizeof(long);
	case 'L':
		return real ? sizeof(long double) : sizeof(long long);
	default:
		return real ? sizeof(float) : sizeof(int);
	}
}

/* ---- What was taken ------------------------------------------------------------------------------- */

/* How many wide characters n bytes of text are. */
static size_t wide_length(const char *text, size_t n)
{
	mbstate_t state = { 0 };
	const char *at = text;
	size_t length = mbsnrtowcs(NULL, &at, n, 0, &state);

	return length == (size_t)-1 ? 0 : length;
}

static size_t stored_of(const struct conversion *c, const char *text, size_t n)
{
	size_t final = 0;

	if (c->allocates || (!is_text(c) && !is_characters(c)))
		return size_of(c);
	if (is_text(c)) {
		final = 1;
		while (c->kind != '[' && n && isspace((unsigned char)*text)) {
			text++;
			n--;
		}
	}
	if (is_wide(c))
		return (wide_length(text, n) + final) * sizeof(wchar_t);
	return n + final;
}

static int scan_piece(scan_function scan, const char *text, const char *piece, ...)
{
	va_list ap;
	int result;

	va_start(ap, piece);
	result = scan(text, piece, ap);
	va_end(ap);
	return result;
}

/* How many bytes of the text the conversion takes; -1 if it fails. */
static int taken_by(const struct conversion *c, scan_function scan, const char *text)
{
	char piece[PIECE] = "%*";
	size_t n = 2;
	int taken = -1;

	if ((size_t)(c->end - c->rest) > PIECE - 6)
		return -1;
	for (const char *p = c->rest; p < c->end; p++)
		if (p != c->allocates)
			piece[n++] = *p;
	memcpy(piece + n, "%n", 3);
	scan_piece(scan, text, piece, &taken);
	return taken;
}

/* ---- Whole formats -------------------------------------------------------------------------------- */

struct walk {
	struct scan_targets *targets;
	va_list ap;
	int fetched; /* arguments so far */
	void *argument[SCAN_TARGETS];
};

static void *argument_of(struct walk *w, int value)
{
	if (value < 0 || value >= SCAN_TARGETS)
		return NULL;
	while (w->fetched <= value)
		w->argument[w->fetched++] = va_arg(w->ap, void *);
	return w->argument[value];
}

static void add(struct walk *w, const struct conversion *c, size_t size)
{
	struct scan_targets *t = w->targets;
	void *p = argument_of(w, c->value);

	if (!p || t->n == SCAN_TARGETS)
		return;
	t->target[t->n].p = p;
	t->target[t->n++].size = size;
}

static const char *skip_space(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* What stands between conversions: false where the text has something else. */
static bool take_literal(const char **p, const char **text)
{
	if (isspace((unsigned char)**p)) {
		*p = skip_space(*p);
		*text = skip_space(*text);
		return true;
	}
	if (**p == '%') { /* "%%" */
		++*p;
		*text = skip_space(*text);
	}
	if (**text != **p)
		return false;
	++*p;
	++*text;
	return true;
}

static bool is_literal(const char *p)
{
	return *p != '%' || p[1] == '%';
}

void scan_find(struct scan_targets *t, scan_function scan, bool old, const char *text,
	       const char *format, va_list arguments)
{
	struct walk w = { .targets = t };
	struct conversion c;
	int next = 0, taken, error = errno;

	t->n = 0;
	va_copy(w.ap, arguments);
	for (const char *p = format; *p;) {
		if (is_literal(p)) {
			if (!take_literal(&p, &text))
				break;
			continue;
		}
		p++;
		if (!take_conversion(&p, &c, &next, old))
			break;
		taken = c.kind == 'n' ? 0 : taken_by(&c, scan, text);
		if (taken < 0)
			break;
		if (!c.suppressed)
			add(&w, &c, stored_of(&c, text, (size_t)taken));
		text += taken;
	}
	va_end(w.ap);
	errno = error;
}

/* Of what stands in memory now. */
static size_t stored_at(const struct conversion *c, const void *p)
{
	if (c->allocates || (!is_text(c) && !is_characters(c)))
		return size_of(c);
	if (is_characters(c))
		return (c->width ? c->width : 1) * (is_wide(c) ? sizeof(wchar_t) : 1);
	return is_wide(c) ? (wcslen(p) + 1) * sizeof(wchar_t) : strlen(p) + 1;
}

void scan_found(struct scan_targets *t, int stored, bool old, const char *format, va_list arguments)
{
	struct walk w = { .targets = t };
	struct conversion c;
	int next = 0;

	t->n = 0;
	va_copy(w.ap, arguments);
	for (const char *p = format; *p && stored > 0;) {
		if (is_literal(p)) {
			p += 1 + (*p == '%');
			continue;
		}
		p++;
		if (!take_conversion(&p, &c, &next, old))
			break;
		if (c.suppressed)
			continue;
		if (c.kind != 'n')
			stored--;
		if (argument_of(&w, c.value))
			add(&w, &c, stored_at(&c, argument_of(&w, c.value)));
	}
	va_end(w.ap);
}
