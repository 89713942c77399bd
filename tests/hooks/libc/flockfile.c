/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flockfile.c - the locks of streams
 *
 * case in_both_orders: bug deadlock
 * case in_one_order: ok 2
 * case whose_lock_is_never_given_back: bug deadlock
 * case held_since_before_the_threads: bug deadlock
 * case held_since_before_and_printed_to: bug deadlock
 * case protects_data: ok 2
 * case other_streams_do_not: bug data-race
 * case locked_again: ok 2
 * case still_held_by_one_level: bug deadlock
 * case tried_in_both_ways: ok 3
 * case tried_by_who_has_it: ok 1
 * case unlocks_what_it_has_not: bug lock-misuse
 * case unlocks_what_nobody_has: bug lock-misuse
 * case unlocked_calls_do_not_wait: ok 1
 * case streams_that_the_program_locks: ok 1
 * case who_merely_prints_is_no_event: ok 1
 * case who_prints_to_others_is_none_either: ok 1
 * case who_prints_to_it_is: ok 2
 * case all_are_flushed: bug deadlock
 * case the_end_waits_for_nobody: ok 1
 * case a_file_with_a_lock: ok 2
 * case who_reads_first: bug assertion
 * case who_reads_what: ok 6
 * case one_reads: ok 1
 * case its_function_locks: bug deadlock
 * case its_function_is_protected: ok 2
 * case a_stream_in_memory: ok 2
 *
 * In X_locks one thread has the stream and waits for another one, which calls X.
 *
 * case fputc_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case putc_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case putchar_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fputs_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case puts_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fwrite_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fprintf_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case printf_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case vfprintf_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case vprintf_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fflush_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fclose_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case freopen_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case setvbuf_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fgetc_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case getc_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case getchar_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case ungetc_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fgets_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fread_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case getline_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case getdelim_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fscanf_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fseek_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fseeko_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fseeko64_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case ftell_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case ftello_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case ftello64_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case rewind_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case feof_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case ferror_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case clearerr_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case setbuf_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case setbuffer_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case setlinebuf_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case perror_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fputs_unlocked_goes_on: ok 1
 * case fwrite_unlocked_goes_on: ok 1
 * case fgets_unlocked_goes_on: ok 1
 * case fread_unlocked_goes_on: ok 1
 *
 * never fails: flockfile ftrylockfile funlockfile
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio_ext.h>
#include <stdlib.h>

#include "cases.h"
#include "hooks/threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t seen;
static const char *volatile text = "text"; /* compilers make other calls of what they know */
static FILE *f;
static int data;

static void *stream_then_mutex(void *arg)
{
	flockfile(stdout);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	funlockfile(stdout);
	return arg;
}

static void *mutex_then_stream(void *arg)
{
	pthread_mutex_lock(&m);
	puts("a line");
	pthread_mutex_unlock(&m);
	return arg;
}

static void in_both_orders(void)
{
	RUN(stream_then_mutex, mutex_then_stream); /* bug: in_both_orders */
}

static void in_one_order(void)
{
	THREADS(2, mutex_then_stream);
	stream_then_mutex(NULL);
}

static void *locks(void *arg)
{
	flockfile(f);
	return arg;
}

static void whose_lock_is_never_given_back(void)
{
	f = stderr;
	end(begin(locks, NULL));
	fputs("x", f); /* bug: whose_lock_is_never_given_back */
}

static void held_since_before_the_threads(void)
{
	f = stderr;
	flockfile(f);
	pthread_join(begin(locks, NULL), NULL); /* bug: held_since_before_the_threads */
}

static void *prints_to_stderr(void *arg)
{
	fputs("x", stderr);
	return arg;
}

static void held_since_before_and_printed_to(void)
{
	pthread_t t;

	flockfile(stderr);
	t = begin(prints_to_stderr, NULL);
	pthread_join(t, NULL); /* bug: held_since_before_and_printed_to */
}

static void *counts(void *arg)
{
	flockfile(f);
	data++;
	funlockfile(f);
	return arg;
}

static void protects_data(void)
{
	f = stdout;
	THREADS(2, counts);
	assert(data == 2);
}

static void *counts_with_another(void *arg)
{
	flockfile(stderr);
	data++; /* bug: other_streams_do_not */
	funlockfile(stderr);
	return arg;
}

static void other_streams_do_not(void)
{
	f = stdout;
	RUN(counts, counts_with_another);
}

static void *counts_twice(void *arg)
{
	flockfile(f);
	data++;
	flockfile(f);
	fputs("x", f);
	data++;
	funlockfile(f);
	data--;
	funlockfile(f);
	return arg;
}

static void locked_again(void)
{
	f = stdout;
	THREADS(2, counts_twice);
	assert(data == 2);
}

static void *unlocks_once(void *arg)
{
	flockfile(f);
	flockfile(f);
	funlockfile(f);
	return arg;
}

static void still_held_by_one_level(void)
{
	f = stdout;
	end(begin(unlocks_once, NULL));
	puts("x"); /* bug: still_held_by_one_level */
}

static atomic_int failed;

static void *tries(void *arg)
{
	int error = ftrylockfile(f);

	if (error)
		return failed = 1, arg;
	data++;
	funlockfile(f);
	return arg;
}

static void tried_in_both_ways(void)
{
	f = stdout;
	RUN(counts, tries);
	assert(data + failed == 2);
}

static void *tries_its_own(void *arg)
{
	flockfile(f);
	assert(ftrylockfile(f) == 0);
	funlockfile(f);
	funlockfile(f);
	assert(ftrylockfile(f) == 0);
	funlockfile(f);
	return arg;
}

static void tried_by_who_has_it(void)
{
	f = stdout;
	end(begin(tries_its_own, NULL));
}

static void *unlocks(void *arg)
{
	sem_wait(&seen);
	funlockfile(f); /* bug: unlocks_what_it_has_not */
	return arg;
}

static void unlocks_what_it_has_not(void)
{
	pthread_t t;

	f = stdout;
	t = begin(unlocks, NULL);
	flockfile(f);
	sem_post(&seen);
	end(t);
}

static void *unlocks_nothing(void *arg)
{
	funlockfile(f); /* bug: unlocks_what_nobody_has */
	return arg;
}

static void unlocks_what_nobody_has(void)
{
	f = stdout;
	end(begin(unlocks_nothing, NULL));
}

/* ---- Who is an event ---- */

static void *writes_unlocked(void *arg)
{
	sem_wait(&seen);
	fputs_unlocked(text, f);
	return arg;
}

static void unlocked_calls_do_not_wait(void)
{
	pthread_t t;

	f = stdout;
	t = begin(writes_unlocked, NULL);
	flockfile(f);
	sem_post(&seen);
	end(t);
	funlockfile(f);
}

static void *writes(void *arg)
{
	sem_wait(&seen);
	fputs("x", f);
	return arg;
}

static void streams_that_the_program_locks(void)
{
	pthread_t t;

	f = stdout;
	__fsetlocking(f, FSETLOCKING_BYCALLER);
	t = begin(writes, NULL);
	flockfile(f);
	sem_post(&seen);
	end(t);
	funlockfile(f);
}

static void *prints(void *arg)
{
	printf("%ld\n", (long)arg);
	fputs("x", stderr);
	puts("y");
	fflush(stdout);
	putchar('z');
	fprintf(stderr, "%d", 1);
	fflush(NULL);
	return arg;
}

static void who_merely_prints_is_no_event(void)
{
	THREADS(3, prints);
}

static void *prints_x(void *arg)
{
	puts("x");
	return arg;
}

static void who_prints_to_others_is_none_either(void)
{
	f = stderr;
	flockfile(f);
	funlockfile(f);
	THREADS(3, prints_x);
	counts(NULL);
}

static void who_prints_to_it_is(void)
{
	f = stdout;
	RUN(prints_x, counts);
}

static void *flushes(void *arg)
{
	sem_wait(&seen);
	fflush(NULL);
	return arg;
}

static void all_are_flushed(void)
{
	pthread_t t;

	f = stdout;
	puts("x");
	t = begin(flushes, NULL);
	flockfile(f);
	sem_post(&seen);
	pthread_join(t, NULL); /* bug: all_are_flushed */
}

static void *leaves(void *arg)
{
	sem_post(&seen);
	puts("x");
	return arg;
}

static void the_end_waits_for_nobody(void)
{
	f = stdout;
	puts("x");
	flockfile(f);
	begin(leaves, NULL);
	sem_wait(&seen);
	exit(0);
}

static void *writes_with_a_lock(void *arg)
{
	flockfile(f);
	assert(fputs("a", f) >= 0 && fputs("b", f) >= 0);
	funlockfile(f);
	return arg;
}

static void a_file_with_a_lock(void)
{
	char both[9] = "";

	f = tmpfile();
	assert(f);
	THREADS(2, writes_with_a_lock);
	rewind(f);
	assert(fgets(both, sizeof(both), f) && !strcmp(both, "abab"));
}

static void *prints_to_it(void *arg)
{
	fputs("x", f);
	return arg;
}

static ssize_t locks_and_writes(void *cookie, const char *text, size_t n)
{
	(void)cookie;
	(void)text;
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return (ssize_t)n;
}

static void *writes_it_out(void *arg)
{
	fputs("x", f);
	fflush(f);
	return arg;
}

static void *has_the_mutex_and_writes(void *arg)
{
	pthread_mutex_lock(&m);
	fputs("y", f);
	pthread_mutex_unlock(&m);
	return arg;
}

static void its_function_locks(void)
{
	f = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = locks_and_writes });
	assert(f);
	RUN(writes_it_out, has_the_mutex_and_writes); /* bug: its_function_locks */
}

static ssize_t counts_what_is_written(void *cookie, const char *from, size_t n)
{
	(void)cookie;
	(void)from;
	data++;
	return (ssize_t)n;
}

static void its_function_is_protected(void)
{
	f = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = counts_what_is_written });
	assert(f && setvbuf(f, NULL, _IONBF, 0) == 0);
	THREADS(2, prints_to_it);
	assert(data == 2);
}

static void a_stream_in_memory(void)
{
	char *made = NULL;
	size_t n = 0;

	f = open_memstream(&made, &n);
	assert(f);
	THREADS(2, prints_to_it);
	assert(fclose(f) == 0 && n == 2);
	free(made);
}

/* ---- Who reads ---- */

static int got[3];

static void *reads_a_letter(void *arg)
{
	got[(long)arg] = fgetc(f);
	return NULL;
}

static void open_letters(void)
{
	f = tmpfile();
	assert(f && fputs("abc", f) >= 0);
	rewind(f);
}

static void who_reads_first(void)
{
	open_letters();
	THREADS(2, reads_a_letter);
	assert(got[0] == 'a'); /* bug: who_reads_first */
}

static void who_reads_what(void)
{
	open_letters();
	THREADS(3, reads_a_letter);
	assert(got[0] + got[1] + got[2] == 'a' + 'b' + 'c');
}

static void *reads_all(void *arg)
{
	for (long i = 0; i < 3; i++)
		reads_a_letter((void *)i);
	return arg;
}

static void one_reads(void)
{
	pthread_t t;

	open_letters();
	t = begin(reads_all, NULL);
	puts("x");
	end(t);
	assert(got[0] == 'a' && got[2] == 'c');
}

/* ---- Who locks ---- */

static void (*call)(void);
static char line[10], *lines;
static size_t size;

static void *calls(void *arg)
{
	sem_wait(&seen);
	call();
	return arg;
}

static void has_it_and_waits(FILE *stream, void (*fn)(void))
{
	pthread_t t;

	f = stream;
	assert(f);
	call = fn;
	t = begin(calls, NULL);
	flockfile(f);
	sem_post(&seen);
	assert(pthread_join(t, NULL) == 0);
	funlockfile(f);
}

#define LOCKS(name, stream, ...)                       \
	static void call_##name(void)                  \
	{                                              \
		(void)!(__VA_ARGS__);                  \
	}                                              \
	static void name##_locks(void)                 \
	{                                              \
		has_it_and_waits(stream, call_##name); \
	}
#define GOES_ON(name, stream, ...)                     \
	static void call_##name(void)                  \
	{                                              \
		(void)!(__VA_ARGS__);                  \
	}                                              \
	static void name##_goes_on(void)               \
	{                                              \
		has_it_and_waits(stream, call_##name); \
	}

static int print_list(int to_stdout, const char *format, ...)
{
	va_list ap;
	int result;

	va_start(ap, format);
	result = to_stdout ? vprintf(format, ap) : vfprintf(f, format, ap);
	va_end(ap);
	return result;
}

LOCKS(fputc, tmpfile(), fputc('x', f))
LOCKS(putc, tmpfile(), putc('x', f))
LOCKS(putchar, stdout, putchar('x'))
LOCKS(fputs, tmpfile(), fputs(text, f))
LOCKS(puts, stdout, puts("x"))
LOCKS(fwrite, tmpfile(), fwrite("x", 1, 1, f))
LOCKS(fprintf, tmpfile(), fprintf(f, "%d", 1))
LOCKS(printf, stdout, printf("%d", 1))
LOCKS(vfprintf, tmpfile(), print_list(0, "%d", 1))
LOCKS(vprintf, stdout, print_list(1, "%d", 1))
LOCKS(fflush, tmpfile(), fflush(f))
LOCKS(fclose, tmpfile(), fclose(f))
LOCKS(freopen, tmpfile(), !freopen("/dev/null", "r", f))
LOCKS(setvbuf, tmpfile(), setvbuf(f, NULL, _IONBF, 0))
LOCKS(fgetc, tmpfile(), fgetc(f))
LOCKS(getc, tmpfile(), getc(f))
LOCKS(getchar, stdin, getchar())
LOCKS(ungetc, tmpfile(), ungetc('x', f))
LOCKS(fgets, tmpfile(), !fgets(line, sizeof(line), f))
LOCKS(fread, tmpfile(), fread(line, 1, 1, f))
LOCKS(getline, tmpfile(), getline(&lines, &size, f))
LOCKS(getdelim, tmpfile(), getdelim(&lines, &size, 'x', f))
LOCKS(fscanf, tmpfile(), fscanf(f, "%9s", line))
LOCKS(fseek, tmpfile(), fseek(f, 0, SEEK_SET))
LOCKS(fseeko, tmpfile(), fseeko(f, 0, SEEK_SET))
LOCKS(fseeko64, tmpfile(), fseeko64(f, 0, SEEK_SET))
LOCKS(ftell, tmpfile(), ftell(f))
LOCKS(ftello, tmpfile(), ftello(f))
LOCKS(ftello64, tmpfile(), ftello64(f))
LOCKS(rewind, tmpfile(), (rewind(f), 0))
LOCKS(feof, tmpfile(), feof(f))
LOCKS(ferror, tmpfile(), ferror(f))
LOCKS(clearerr, tmpfile(), (clearerr(f), 0))
LOCKS(setbuf, tmpfile(), (setbuf(f, NULL), 0))
LOCKS(setbuffer, tmpfile(), (setbuffer(f, NULL, 0), 0))
LOCKS(setlinebuf, tmpfile(), (setlinebuf(f), 0))
LOCKS(perror, (fputs("x", stderr), stderr), (perror("x"), 0))
GOES_ON(fputs_unlocked, tmpfile(), fputs_unlocked(text, f))
GOES_ON(fwrite_unlocked, tmpfile(), fwrite_unlocked("x", 1, 1, f))
GOES_ON(fgets_unlocked, tmpfile(), !fgets_unlocked(line, sizeof(line), f))
GOES_ON(fread_unlocked, tmpfile(), fread_unlocked(line, 1, 1, f))

CASES(CASE(in_both_orders), CASE(in_one_order), CASE(whose_lock_is_never_given_back),
      CASE(held_since_before_the_threads), CASE(held_since_before_and_printed_to),
      CASE(protects_data), CASE(other_streams_do_not), CASE(locked_again),
      CASE(still_held_by_one_level), CASE(tried_in_both_ways), CASE(tried_by_who_has_it),
      CASE(unlocks_what_it_has_not), CASE(unlocks_what_nobody_has),
      CASE(unlocked_calls_do_not_wait), CASE(streams_that_the_program_locks),
      CASE(who_merely_prints_is_no_event), CASE(who_prints_to_others_is_none_either),
      CASE(who_prints_to_it_is), CASE(all_are_flushed), CASE(the_end_waits_for_nobody),
      CASE(a_file_with_a_lock), CASE(who_reads_first), CASE(who_reads_what), CASE(one_reads),
      CASE(its_function_locks), CASE(its_function_is_protected), CASE(a_stream_in_memory),
      CASE(fputc_locks), CASE(putc_locks), CASE(putchar_locks), CASE(fputs_locks), CASE(puts_locks),
      CASE(fwrite_locks), CASE(fprintf_locks), CASE(printf_locks), CASE(vfprintf_locks),
      CASE(vprintf_locks), CASE(fflush_locks), CASE(fclose_locks), CASE(freopen_locks),
      CASE(setvbuf_locks), CASE(fgetc_locks), CASE(getc_locks), CASE(getchar_locks),
      CASE(ungetc_locks), CASE(fgets_locks), CASE(fread_locks), CASE(getline_locks),
      CASE(getdelim_locks), CASE(fscanf_locks), CASE(fseek_locks), CASE(fseeko_locks),
      CASE(fseeko64_locks), CASE(ftell_locks), CASE(ftello_locks), CASE(ftello64_locks),
      CASE(rewind_locks), CASE(feof_locks), CASE(ferror_locks), CASE(clearerr_locks),
      CASE(setbuf_locks), CASE(setbuffer_locks), CASE(setlinebuf_locks), CASE(perror_locks),
      CASE(fputs_unlocked_goes_on), CASE(fwrite_unlocked_goes_on), CASE(fgets_unlocked_goes_on),
      CASE(fread_unlocked_goes_on))
