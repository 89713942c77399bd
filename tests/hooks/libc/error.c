/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * error.c - what programs say of errors: warn(), err(), error(), psignal()
 *
 * In X_locks one thread has stderr and waits for another one, which calls X; in X_reads another thread writes the text.
 *
 * case what_they_say: ok 1
 * case who_warns_is_no_event: ok 1
 * case err_ends: bug exit-code at err(3,
 * case errx_ends: bug exit-code at errx(3,
 * case verr_ends: bug exit-code at verr(status, format, ap)
 * case verrx_ends: bug exit-code at verrx(status, format, ap)
 * case error_ends: bug exit-code at error(3,
 * case error_at_line_ends: bug exit-code at error_at_line(3,
 * case an_end_without_an_error: ok 1
 * case warn_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case warnx_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case vwarn_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case vwarnx_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case err_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case errx_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case verr_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case verrx_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case error_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case error_at_line_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case psignal_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case psiginfo_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case warn_reads: bug data-race at READS(warn,
 * case warnx_reads: bug data-race at READS(warnx,
 * case vwarn_reads: bug data-race at READS(vwarn,
 * case vwarnx_reads: bug data-race at READS(vwarnx,
 * case err_reads: bug data-race at READS(err,
 * case errx_reads: bug data-race at READS(errx,
 * case verr_reads: bug data-race at READS(verr,
 * case verrx_reads: bug data-race at READS(verrx,
 * case error_reads: bug data-race at READS(error,
 * case error_at_line_reads: bug data-race at READS(error_at_line,
 * case name_of_a_file_reads: bug data-race at READS(name_of_a_file,
 * case psignal_reads: bug data-race at READS(psignal,
 * case psiginfo_reads: bug data-race at READS(psiginfo,
 *
 * never fails: warn warnx vwarn vwarnx err errx verr verrx error error_at_line psignal psiginfo
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <error.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

#include "cases.h"
#include "hooks/threads.h"

static const siginfo_t info = { .si_signo = SIGUSR1 };
static char text[20] = "text";

enum kind {
	VWARN,
	VWARNX,
	VERR,
	VERRX
};

static void list(enum kind kind, int status, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	switch (kind) {
	case VWARN:
		vwarn(format, ap);
		break;
	case VWARNX:
		vwarnx(format, ap);
		break;
	case VERR:
		verr(status, format, ap);
	case VERRX:
		verrx(status, format, ap);
	}
	va_end(ap);
}

static char said[1000];

/* What stands in the file that stderr was led to. */
static void read_back(FILE *f)
{
	size_t n;

	fflush(stderr);
	rewind(f);
	n = fread(said, 1, sizeof(said) - 1, f);
	assert(n && !ferror(f));
	said[n] = 0;
}

static void *says(void *arg)
{
	FILE *old = stderr, *f = tmpfile();
	const unsigned before = error_message_count;

	assert(f);
	stderr = f;
	errno = ENOENT;
	warn("one %d", 1);
	warnx("two %s", "x");
	list(VWARN, 0, "%s", "three");
	list(VWARNX, 0, "%s", "four");
	assert(errno == ENOENT);
	error(0, ENOENT, "five %d", 5);
	error_at_line(0, 0, "file.c", 7, "%s", "six");
	assert(error_message_count == before + 2);
	psignal(SIGUSR1, "seven");
	psiginfo(&info, NULL);
	read_back(f);
	assert(strstr(said, ": one 1: No such file or directory\n") && strstr(said, ": two x\n"));
	assert(strstr(said, ": three: No such") && strstr(said, ": four\n"));
	assert(strstr(said, ": five 5: No such file or directory\n"));
	assert(strstr(said, ":file.c:7: six\n") && strstr(said, "seven: User defined signal 1\n"));
	stderr = old;
	fclose(f);
	return arg;
}

static void what_they_say(void)
{
	says(NULL);
	end(begin(says, NULL));
}

static void *warns(void *arg)
{
	warn("x");
	error(0, 0, "%s", "x");
	return arg;
}

static void who_warns_is_no_event(void)
{
	THREADS(3, warns);
}

#define ENDS(name, call)                         \
	static void *end_by_##name(void *arg)    \
	{                                        \
		call;                            \
		return arg;                      \
	}                                        \
	static void name##_ends(void)            \
	{                                        \
		end(begin(end_by_##name, NULL)); \
	}
ENDS(err, err(3, "%d", 1))
ENDS(errx, errx(3, "%d", 1))
ENDS(verr, list(VERR, 3, "%d", 1))
ENDS(verrx, list(VERRX, 3, "%d", 1))
ENDS(error, error(3, 0, "%d", 1))
ENDS(error_at_line, error_at_line(3, 0, "x", 1, "%d", 1))

static void *ends_well(void *arg)
{
	errx(0, "the end");
	return arg;
}

static void an_end_without_an_error(void)
{
	end(begin(ends_well, NULL));
	abort();
}

static sem_t seen;
static void (*call)(void);

static void *calls(void *arg)
{
	sem_wait(&seen);
	call();
	return arg;
}

static void has_it_and_waits(void (*fn)(void))
{
	pthread_t t;

	call = fn;
	t = begin(calls, NULL);
	flockfile(stderr);
	sem_post(&seen);
	assert(pthread_join(t, NULL) == 0);
	funlockfile(stderr);
}

#define CALL(name, ...)               \
	static void call_##name(void) \
	{                             \
		__VA_ARGS__;          \
	}
#define LOCKS(name, ...)                       \
	CALL(name, __VA_ARGS__)                \
	static void name##_locks(void)         \
	{                                      \
		has_it_and_waits(call_##name); \
	}
LOCKS(warn, warn("x"))
LOCKS(warnx, warnx("x"))
LOCKS(vwarn, list(VWARN, 0, "x"))
LOCKS(vwarnx, list(VWARNX, 0, "x"))
LOCKS(err, err(0, "x"))
LOCKS(errx, errx(0, "x"))
LOCKS(verr, list(VERR, 0, "x"))
LOCKS(verrx, list(VERRX, 0, "x"))
LOCKS(error, error(0, 0, "x"))
LOCKS(error_at_line, error_at_line(0, 0, "x", 1, "x"))
LOCKS(psignal, psignal(SIGUSR1, "x"))
LOCKS(psiginfo, psiginfo(&info, "x"))

#define READS(name, ...)                                \
	static void *race_by_##name(void *arg)          \
	{                                               \
		if (arg)                                \
			*(volatile char *)&text[4] = 0; \
		else                                    \
			__VA_ARGS__;                    \
		return NULL;                            \
	}                                               \
	static void name##_reads(void)                  \
	{                                               \
		THREADS(2, race_by_##name);             \
	}
READS(warn, warn("%s", text))
READS(warnx, warnx("%s", text))
READS(vwarn, list(VWARN, 0, "%s", text))
READS(vwarnx, list(VWARNX, 0, "%s", text))
READS(err, err(0, "%s", text))
READS(errx, errx(0, "%s", text))
READS(verr, list(VERR, 0, "%s", text))
READS(verrx, list(VERRX, 0, "%s", text))
READS(error, error(0, 0, "%s", text))
READS(error_at_line, error_at_line(0, 0, "x", 1, "%s", text))
READS(name_of_a_file, error_at_line(0, 0, text, 1, "x"))
READS(psignal, psignal(SIGUSR1, text))
READS(psiginfo, psiginfo(&info, text))

CASES(CASE(what_they_say), CASE(who_warns_is_no_event), CASE(err_ends), CASE(errx_ends),
      CASE(verr_ends), CASE(verrx_ends), CASE(error_ends), CASE(error_at_line_ends),
      CASE(an_end_without_an_error), CASE(warn_locks), CASE(warnx_locks), CASE(vwarn_locks),
      CASE(vwarnx_locks), CASE(err_locks), CASE(errx_locks), CASE(verr_locks), CASE(verrx_locks),
      CASE(error_locks), CASE(error_at_line_locks), CASE(psignal_locks), CASE(psiginfo_locks),
      CASE(warn_reads), CASE(warnx_reads), CASE(vwarn_reads), CASE(vwarnx_reads), CASE(err_reads),
      CASE(errx_reads), CASE(verr_reads), CASE(verrx_reads), CASE(error_reads),
      CASE(error_at_line_reads), CASE(name_of_a_file_reads), CASE(psignal_reads),
      CASE(psiginfo_reads))
