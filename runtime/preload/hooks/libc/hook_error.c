/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_error.c - what programs say of errors on stderr: warn(), err(), error(), psignal()
 *
 * Each locks the stream once, as others do (stream.c). libc ends the program within err() and error(), where nobody would see
 * who did: so they are made of what stands in front of that, and exit.
 */
/*
 * intercepts: Streams
 *
 * checked warn warnx vwarn vwarnx error error_at_line - made as they are, under the lock of stderr; plain reads of the format and of
 *	strings among the arguments, when instrumented code calls them
 * checked err errx verr verrx - likewise; then the program ends
 * checked psignal psiginfo - likewise of the text
 */
#include "preload/hooks/announce.h"

#include <err.h>
#include <errno.h>
#include <error.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "preload/hooks/libc/format.h"
#include "preload/hooks/libc/stream.h"
#include "preload/hooks/thread/exit.h"

/* ---- warn() and err() ----------------------------------------------------------------------------- */

typedef void says(const char *format, va_list ap);

static void say(says *libc, const char *name, const char *format, va_list ap, uint64_t pc)
{
	struct stream_call call;
	int error = errno;

	if (seen(pc))
		format_announce(format, ap, pc);
	stream_enter(&call, stderr, STREAM_LOCKS | stream_prints_line(stderr), name, pc);
	errno = error; /* which is what it tells */
	libc(format, ap);
	stream_leave(&call);
	errno = error;
}

#define WARNS(name)                                              \
	HEDDLE_HOOK void v##name(const char *format, va_list ap) \
	{                                                        \
		say(REAL(v##name), #name, format, ap, CALLER()); \
	}                                                        \
	HEDDLE_HOOK void name(const char *format, ...)           \
	{                                                        \
		va_list ap;                                      \
                                                                 \
		va_start(ap, format);                            \
		say(REAL(v##name), #name, format, ap, CALLER()); \
		va_end(ap);                                      \
	}
WARNS(warn)
WARNS(warnx)

#define ENDS(name, warning)                                                                  \
	HEDDLE_HOOK heddle_noreturn void v##name(int status, const char *format, va_list ap) \
	{                                                                                    \
		say(REAL(v##warning), #name, format, ap, CALLER());                          \
		end_of_main(status, CALLER());                                               \
	}                                                                                    \
	HEDDLE_HOOK heddle_noreturn void name(int status, const char *format, ...)           \
	{                                                                                    \
		va_list ap;                                                                  \
                                                                                             \
		va_start(ap, format);                                                        \
		say(REAL(v##warning), #name, format, ap, CALLER());                          \
		va_end(ap);                                                                  \
		end_of_main(status, CALLER());                                               \
	}
ENDS(err, warn)
ENDS(errx, warnx)

/* ---- error() -------------------------------------------------------------------------------------- */

enum {
	ROOM = 4096 /* for what it says; the rest is left out */
};

/* Writes out stdout, under the lock of that, as libc does before it says anything. */
static void begin(struct stream_call *call, char text[ROOM], const char *format, va_list ap,
		  const char *name, uint64_t pc)
{
	if (seen(pc))
		format_announce(format, ap, pc);
	REAL(vsnprintf)(text, ROOM, format, ap);
	fflush(stdout);
	stream_enter(call, stderr, STREAM_LOCKS | stream_prints_line(stderr), name, pc);
}

static void finish(struct stream_call *call, int status, uint64_t pc)
{
	stream_leave(call);
	if (status)
		end_of_main(status, pc);
}

HEDDLE_HOOK void error(int status, int number, const char *format, ...)
{
	struct stream_call call;
	char text[ROOM];
	va_list ap;

	va_start(ap, format);
	begin(&call, text, format, ap, "error", CALLER());
	va_end(ap);
	REAL(error)(0, number, "%s", text);
	finish(&call, status, CALLER());
}

HEDDLE_HOOK void error_at_line(int status, int number, const char *file, unsigned line,
			       const char *format, ...)
{
	uint64_t pc = CALLER();
	struct stream_call call;
	char text[ROOM];
	va_list ap;

	if (file && seen(pc))
		reads_text(file, SIZE_MAX, pc);
	va_start(ap, format);
	begin(&call, text, format, ap, "error_at_line", pc);
	va_end(ap);
	REAL(error_at_line)(0, number, file, line, "%s", text);
	finish(&call, status, pc);
}

/* ---- Signals -------------------------------------------------------------------------------------- */

HEDDLE_HOOK void psignal(int signal, const char *text)
{
	uint64_t pc = CALLER();

	if (text && seen(pc))
		reads_text(text, SIZE_MAX, pc);
	(void)IN_STREAM_(stderr, STREAM_LOCKS | stream_prints_line(stderr),
			 (REAL(psignal)(signal, text), 0));
}

HEDDLE_HOOK void psiginfo(const siginfo_t *info, const char *text)
{
	uint64_t pc = CALLER();

	if (seen(pc)) {
		reads(info, sizeof(*info), pc);
		if (text)
			reads_text(text, SIZE_MAX, pc);
	}
	(void)IN_STREAM_(stderr, STREAM_LOCKS | stream_prints_line(stderr),
			 (REAL(psiginfo)(info, text), 0));
}
