/* SPDX-License-Identifier: BSD-2-Clause */
/* cxx_name.c - see cxx_name.h */
#include "config.h"

#include "controller/describe/cxx_name.h"

#include <stdbool.h>
#include <string.h>

enum {
	DEEPEST = 64, /* of brackets that are looked at */
	LEVELS =
		6, /* of lists in lists that are shown in any case, unless the name gets too long */
	ARGUMENTS = 32 /* of one list; of a longer one none is left out */
};

struct writer {
	char *out;
	size_t n, size;
	int levels; /* deeper lists are "..." */
	bool parameters;
};

struct slice {
	const char *at, *end;
};

static void put(struct writer *w, const char *text, size_t n)
{
	for (size_t i = 0; i < n && w->n + 1 < w->size; i++)
		w->out[w->n++] = text[i];
}

static void put_word(struct writer *w, const char *word)
{
	put(w, word, strlen(word));
}

static bool begins(struct slice s, const char *word)
{
	const size_t n = strlen(word);

	return (size_t)(s.end - s.at) >= n && !memcmp(s.at, word, n);
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* "operator<<", "operator->", "operator()": their brackets are none. How many characters; 0: it is no operator. */
static size_t operator_at(struct slice s, char before)
{
	size_t n = strlen("operator");

	if (is_word(before) || !begins(s, "operator") || s.at + n == s.end || is_word(s.at[n]))
		return 0;
	if (!strncmp(s.at + n, "()", 2) || !strncmp(s.at + n, "[]", 2))
		return n + 2;
	n += strspn(s.at + n, "<>=!-+*/%&|^~");
	return s.at + n <= s.end ? n : 0;
}

/* Where the bracket at s.at is closed, or the end. */
static const char *closing(struct slice s)
{
	int depth = 0;
	char before = 0;

	while (s.at < s.end) {
		const size_t skip = operator_at(s, before);

		if (skip) {
			s.at += skip;
			before = 0;
			continue;
		}
		if (strchr("<({[", *s.at))
			depth++;
		else if (strchr(">)}]", *s.at) && !(*s.at == '>' && before == '-') && !--depth)
			return s.at;
		before = *s.at++;
	}
	return s.end;
}

static struct slice trimmed(struct slice s)
{
	while (s.at < s.end && *s.at == ' ')
		s.at++;
	while (s.end > s.at && s.end[-1] == ' ')
		s.end--;
	return s;
}

/* The arguments between two brackets; 0 where there are too many. */
static size_t arguments(struct slice s, struct slice *out)
{
	const char *from = s.at;
	size_t n = 0;

	while (s.at < s.end) {
		if (strchr("<({[", *s.at)) {
			s.at = closing(s);
			s.at += s.at < s.end;
			continue;
		}
		if (*s.at == ',') {
			if (n + 1 >= ARGUMENTS)
				return 0;
			out[n++] = trimmed((struct slice){ from, s.at });
			from = s.at + 1;
		}
		s.at++;
	}
	out[n++] = trimmed((struct slice){ from, s.end });
	return n;
}

/* What nobody writes, since it is the default. */
static bool is_default(struct slice s)
{
	static const char *const words[] = { "std::allocator<",      "std::char_traits<",
					     "std::less<",           "std::hash<",
					     "std::equal_to<",       "std::default_delete<",
					     "std::__1::allocator<", "std::__1::char_traits<",
					     "std::__1::less<",      "std::__1::hash<",
					     "std::__1::equal_to<",  "std::__1::default_delete<" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (begins(s, words[i]) && s.end[-1] == '>')
			return true;
	return false;
}

static void put_name(struct writer *w, struct slice s, int level);

/* basic_string<char>: the last word of what was written is its name. */
static bool put_string(struct writer *w, struct slice only)
{
	static const char *const names[] = { "basic_string", "basic_string_view" };

	for (size_t i = 0; i < 2; i++) {
		const size_t n = strlen(names[i]);
		const bool is_wide = only.end - only.at == 7 && begins(only, "wchar_t");

		if (w->n < n || memcmp(w->out + w->n - n, names[i], n) ||
		    (w->n > n && is_word(w->out[w->n - n - 1])) ||
		    (!is_wide && !(only.end - only.at == 4 && begins(only, "char"))))
			continue;
		w->n -= n;
		put_word(w, is_wide ? "w" : "");
		put_word(w, names[i] + strlen("basic_"));
		return true;
	}
	return false;
}

static void put_arguments(struct writer *w, struct slice inner, int level)
{
	struct slice list[ARGUMENTS];
	size_t n = arguments(inner, list);

	while (n > 1 && is_default(list[n - 1]))
		n--;
	if (n == 1 && put_string(w, list[0]))
		return;
	put_word(w, "<");
	if (level >= w->levels) {
		put_word(w, "...");
	} else if (!n) {
		put_name(w, inner, level + 1);
	} else {
		for (size_t i = 0; i < n; i++) {
			put_word(w, i ? ", " : "");
			put_name(w, list[i], level + 1);
		}
	}
	put_word(w, ">");
}

/* Parameters, also those behind a lambda's name; "()" and "(anonymous namespace)" stay. */
static void put_parameters(struct writer *w, struct slice inner, int level)
{
	put_word(w, "(");
	if (w->parameters || inner.at == inner.end || begins(inner, "anonymous"))
		put_name(w, inner, level + 1);
	else
		put_word(w, "...");
	put_word(w, ")");
}

/* Namespaces that the libraries put between, and marks of theirs. */
static size_t added_at(struct slice s)
{
	static const char *const words[] = { "__cxx11::", "__1::", "[abi:cxx11]" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (begins(s, words[i]))
			return strlen(words[i]);
	return 0;
}

static void put_name(struct writer *w, struct slice s, int level)
{
	char before = 0;

	if (level > DEEPEST) {
		put(w, s.at, (size_t)(s.end - s.at));
		return;
	}
	while (s.at < s.end) {
		size_t skip = is_word(before) && *s.at != '[' ? 0 : added_at(s);
		const size_t symbol = operator_at(s, before);
		const char *end;

		if (skip) {
			s.at += skip;
			continue;
		}
		if (symbol) {
			put(w, s.at, symbol);
			s.at += symbol;
			before = ')';
			continue;
		}
		/* "main()::<lambda()>" is a name. */
		if ((*s.at == '<' && before != ':' && before) || *s.at == '(') {
			end = closing(s);
			if (*s.at == '<')
				put_arguments(w, (struct slice){ s.at + 1, end }, level);
			else
				put_parameters(w, (struct slice){ s.at + 1, end }, level);
			before = ')';
			s.at = end + (end < s.end);
			continue;
		}
		put(w, s.at, 1);
		before = *s.at++;
	}
}

static size_t written(const char *name, int levels, bool parameters, char *out, size_t size)
{
	struct writer w = { .out = out, .size = size, .levels = levels, .parameters = parameters };

	put_name(&w, (struct slice){ name, name + strlen(name) }, 0);
	out[w.n] = 0;
	return w.n;
}

void cxx_name_short(const char *name, size_t most, char *out, size_t size)
{
	for (int levels = LEVELS; levels >= 0; levels--)
		if (written(name, levels, true, out, size) <= most)
			return;
	written(name, 0, false, out, size);
}
