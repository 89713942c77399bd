/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_number.c - numbers made of text: strtol(), atoi() and their family, as plain accesses
 *
 * As in hook_string.c: only calls from instrumented code count. What is read is the number with the
 * byte that ends it, or where there is none, what stands in front of where it would be: libc says where it ends.
 */
/*
 * intercepts: Memory
 *
 * checked strtol strtoul strtoll strtoull strtoq strtouq strtoimax strtoumax strtod strtof strtold
 *	__isoc23_strto* __strto*_internal - plain reads of the number, a plain write of where it
 *	ends, when instrumented code calls them
 * checked atoi atol atoll atof - plain reads of the number, when instrumented code calls them
 */
#define __NO_INLINE__ 1 /* or headers define some of these */
#include "preload/code/modules.h"
#include "preload/core/reset.h"
#include "preload/hooks/announce.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* A call for this text found its end there (NULL: it did not look), and is to store that in *end. */
static void announce(const char *s, const char *stop, char **end, uint64_t pc)
{
	size_t n;

	if (!stop)
		return;
	n = (size_t)(stop - s);
	if (!n) {
		while (isspace((unsigned char)s[n]))
			n++;
		n += s[n] == '+' || s[n] == '-';
	}
	if (!module_constant((uintptr_t)s))
		reads(s, n + 1, pc);
	if (end)
		writes(end, sizeof(*end), pc);
}

/* params and args: what comes behind the first two. */
#define PARSE(type, name, otherwise, params, args)                          \
	type name(const char *s, char **end PARAMS params);                 \
	HEDDLE_HOOK type name(const char *s, char **end PARAMS params)      \
	{                                                                   \
		static void *found;                                         \
		KEPT(found);                                                \
		__typeof__(&name) real = real_or(&found, #name, otherwise); \
		uint64_t pc = CALLER();                                     \
		char *stop = NULL;                                          \
		int error = errno;                                          \
                                                                            \
		if (seen(pc)) {                                             \
			(void)real(s, &stop ARGS args);                     \
			errno = error;                                      \
			announce(s, stop, end, pc);                         \
		}                                                           \
		return real(s, end ARGS args);                              \
	}
#define PARAMS(...) __VA_OPT__(, ) __VA_ARGS__
#define ARGS(...)   __VA_OPT__(, ) __VA_ARGS__

#define WHOLE(type, name) PARSE(type, name, #name, (int base), (base))
WHOLE(long, strtol)
WHOLE(unsigned long, strtoul)
WHOLE(long long, strtoll)
WHOLE(unsigned long long, strtoull)
WHOLE(long long, strtoq)
WHOLE(unsigned long long, strtouq)
WHOLE(intmax_t, strtoimax)
WHOLE(uintmax_t, strtoumax)

#define OF_C23(type, name) PARSE(type, __isoc23_##name, #name, (int base), (base))
OF_C23(long, strtol)
OF_C23(unsigned long, strtoul)
OF_C23(long long, strtoll)
OF_C23(unsigned long long, strtoull)
OF_C23(intmax_t, strtoimax)
OF_C23(uintmax_t, strtoumax)

#define REAL_NUMBER(type, name) PARSE(type, name, #name, (), ())
REAL_NUMBER(double, strtod)
REAL_NUMBER(float, strtof)
REAL_NUMBER(long double, strtold)

/* As inline functions of old headers call them. */
#define GROUPED(type, name) PARSE(type, name, #name, (int base, int group), (base, group))
GROUPED(long, __strtol_internal)
GROUPED(unsigned long, __strtoul_internal)
GROUPED(long long, __strtoll_internal)
GROUPED(unsigned long long, __strtoull_internal)

#define GROUPED_REAL(type, name) PARSE(type, name, #name, (int group), (group))
GROUPED_REAL(double, __strtod_internal)
GROUPED_REAL(float, __strtof_internal)
GROUPED_REAL(long double, __strtold_internal)

/* These are others without errors and without an end. */
#define SHORT(type, name, parse)                     \
	HEDDLE_HOOK type name(const char *s)         \
	{                                            \
		uint64_t pc = CALLER();              \
		char *stop = NULL;                   \
		int error = errno;                   \
                                                     \
		if (seen(pc)) {                      \
			(void)parse;                 \
			errno = error;               \
			announce(s, stop, NULL, pc); \
		}                                    \
		return REAL(name)(s);                \
	}
SHORT(int, atoi, REAL(strtol)(s, &stop, 10))
SHORT(long, atol, REAL(strtol)(s, &stop, 10))
SHORT(long long, atoll, REAL(strtoll)(s, &stop, 10))
SHORT(double, atof, REAL(strtod)(s, &stop))
