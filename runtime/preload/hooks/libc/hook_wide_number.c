/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_wide_number.c - numbers made of wide text, tokens of it, and how it compares, as plain accesses
 *
 * As in hook_number.c and hook_token.c, with wide characters in the place of bytes.
 */
/*
 * intercepts: Memory
 *
 * checked wcstol wcstoul wcstoll wcstoull wcstoq wcstouq wcstoimax wcstoumax wcstod wcstof wcstold __isoc23_wcsto* - plain
 *	reads of the number, a plain write of where it ends, when instrumented code calls them
 * checked wcstok - plain reads of the token, plain writes of its end and of the pointer, when instrumented code calls it
 * checked wcscoll - plain reads of the wide characters that the result depends on, when instrumented code calls it
 */
#include "preload/code/modules.h"
#include "preload/core/reset.h"
#include "preload/hooks/announce.h"

#include <errno.h>
#include <inttypes.h>
#include <wchar.h>
#include <wctype.h>

#include "preload/hooks/libc/wide_format.h"

/* ---- Numbers -------------------------------------------------------------------------------------- */

/* A call for this text found its end there (NULL: it did not look), and is to store that in *end. */
static void announce(const wchar_t *s, const wchar_t *stop, wchar_t **end, uint64_t pc)
{
	size_t n;

	if (!stop)
		return;
	n = (size_t)(stop - s);
	if (!n) {
		while (iswspace((wint_t)s[n]))
			n++;
		n += s[n] == L'+' || s[n] == L'-';
	}
	if (!module_constant((uintptr_t)s))
		reads(s, (n + 1) * sizeof(*s), pc);
	if (end)
		writes(end, sizeof(*end), pc);
}

/* params and args: what comes behind the first two. */
#define PARSE(type, name, otherwise, params, args)                           \
	type name(const wchar_t *s, wchar_t **end PARAMS params);            \
	HEDDLE_HOOK type name(const wchar_t *s, wchar_t **end PARAMS params) \
	{                                                                    \
		static void *found;                                          \
		KEPT(found);                                                 \
		__typeof__(&name) real = real_or(&found, #name, otherwise);  \
		uint64_t pc = CALLER();                                      \
		wchar_t *stop = NULL;                                        \
		int error = errno;                                           \
                                                                             \
		if (seen(pc)) {                                              \
			(void)real(s, &stop ARGS args);                      \
			errno = error;                                       \
			announce(s, stop, end, pc);                          \
		}                                                            \
		return real(s, end ARGS args);                               \
	}
#define PARAMS(...) __VA_OPT__(, ) __VA_ARGS__
#define ARGS(...)   __VA_OPT__(, ) __VA_ARGS__

#define WHOLE(type, name) PARSE(type, name, #name, (int base), (base))
WHOLE(long, wcstol)
WHOLE(unsigned long, wcstoul)
WHOLE(long long, wcstoll)
WHOLE(unsigned long long, wcstoull)
WHOLE(long long, wcstoq)
WHOLE(unsigned long long, wcstouq)
WHOLE(intmax_t, wcstoimax)
WHOLE(uintmax_t, wcstoumax)

#define OF_C23(type, name) PARSE(type, __isoc23_##name, #name, (int base), (base))
OF_C23(long, wcstol)
OF_C23(unsigned long, wcstoul)
OF_C23(long long, wcstoll)
OF_C23(unsigned long long, wcstoull)
OF_C23(intmax_t, wcstoimax)
OF_C23(uintmax_t, wcstoumax)

#define REAL_NUMBER(type, name) PARSE(type, name, #name, (), ())
REAL_NUMBER(double, wcstod)
REAL_NUMBER(float, wcstof)
REAL_NUMBER(long double, wcstold)

/* ---- Tokens, and orders --------------------------------------------------------------------------- */

/* The token at s, which begins behind `skip` characters, is about to be cut off. */
static void cuts(const wchar_t *s, size_t skip, const wchar_t *ends, uint64_t pc)
{
	size_t n = skip + REAL(wcscspn)(s + skip, ends);

	reads(s, (n + 1) * sizeof(*s), pc);
	if (s[n])
		writes(s + n, sizeof(*s), pc);
}

/* *next is read once, and written when the token is: others may run at each of these. */
static wchar_t *next_token(wchar_t *s, const wchar_t *ends, wchar_t **next, uint64_t pc)
{
	wchar_t *token;

	if (!seen(pc))
		return REAL(wcstok)(s, ends, next);
	reads_wide_text(ends, SIZE_MAX, pc);
	if (!s) {
		reads(next, sizeof(*next), pc);
		s = *next;
	}
	if (s)
		cuts(s, REAL(wcsspn)(s, ends), ends, pc);
	token = REAL(wcstok)(s, ends, &s);
	writes(next, sizeof(*next), pc);
	*next = s;
	return token;
}

HEDDLE_HOOK wchar_t *wcstok(wchar_t *restrict s, const wchar_t *restrict ends,
			    wchar_t **restrict next)
{
	return next_token(s, ends, next, CALLER());
}

HEDDLE_HOOK int wcscoll(const wchar_t *a, const wchar_t *b)
{
	uint64_t pc = CALLER();

	if (seen(pc)) {
		reads_wide_text(a, SIZE_MAX, pc);
		reads_wide_text(b, SIZE_MAX, pc);
	}
	return REAL(wcscoll)(a, b);
}
