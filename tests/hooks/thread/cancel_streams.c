/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cancel_streams.c - in which calls of streams a thread is cancelled: where libc reads or writes the descriptor
 *
 * A thread that has sent itself a request calls one, of a stream without a buffer, of one that is written out at each
 * line, and of one with a buffer. The cases say of each whether it ends there (E) or goes on (G), and that is asked of the
 * real libc, too. Whoever ends leaves the stream unlocked.
 *
 * case fputs_EEG: ok 1
 * case fputs_without_newline_EGG: ok 1
 * case fprintf_EEG: ok 1
 * case fprintf_without_newline_EGG: ok 1
 * case fprintf_of_nothing_GGG: ok 1
 * case fwrite_without_newline_EGG: ok 1
 * case puts_of_nothing_EEG: ok 1
 * case fputc_EGG: ok 1
 * case fwrite_EEG: ok 1
 * case fwrite_of_nothing_GGG: ok 1
 * case fwrite_of_much_EEE: ok 1
 * case fputs_unlocked_EEG: ok 1
 * case fputwc_EGG: ok 1
 * case fflush_of_nothing_GGG: ok 1
 * case fflush_GEE: ok 1
 * case fclose_GEE: ok 1
 * case fgets_EEE: ok 1
 * case fgets_of_what_is_there_GGG: ok 1
 * case getline_EEE: ok 1
 * case fgetc_EEE: ok 1
 * case fread_EEE: ok 1
 * case fscanf_EEE: ok 1
 * case fopen_EEE: ok 1
 * case fopen_c_GGG: ok 1
 * case a_stream_with_c_GGG: ok 1
 * case flockfile_GGG: ok 1
 *
 * Who holds a mutex and is cancelled in printf() keeps it.
 *
 * case keeps_a_mutex: bug deadlock
 * case its_handler_unlocks: ok 2
 * case behind_the_line_that_is_written_out: bug assertion
 * case a_buffer_is_not_written_out: ok 1
 * case a_part_of_a_line_is_not_written_out: ok 1
 * case others_print_meanwhile: ok 2
 * case waits_and_prints: ok 2
 * case flushes_what_others_print: ok 10
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>

#include "cases.h"
#include "hooks/threads.h"

static int ends[2];
static FILE *f;

static void open_it(int mode, int to_write)
{
	assert(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 1 << 18) > 0);
	if (!to_write)
		assert(write(ends[1], "one\ntwo\n", 8) == 8);
	f = fdopen(ends[to_write], to_write ? "w" : "r");
	assert(f && setvbuf(f, NULL, mode, mode == _IONBF ? 0 : 4096) == 0);
}

static char ending(void *(*call)(void *), int mode, int to_write)
{
	void *value;
	pthread_t t;

	open_it(mode, to_write);
	t = begin(call, NULL);
	assert(pthread_join(t, &value) == 0);
	return value == PTHREAD_CANCELED ? 'E' : 'G';
}

/* The file and the rest of the pipe stay open: there are few. */
static void each(const char *expected, void *(*call)(void *), int to_write)
{
	static const int modes[] = { _IONBF, _IOLBF, _IOFBF };

	for (int i = 0; i < 3; i++) {
		assert(ending(call, modes[i], to_write) == expected[i]);
		if (call && f)
			assert(ftrylockfile(f) == 0);
	}
}

static void asks_for_it(void)
{
	assert(pthread_cancel(pthread_self()) == 0);
}

static void without_it(int on)
{
	assert(pthread_setcancelstate(on ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE, NULL) ==
	       0);
}

#define ENDS(name, expected, to_write, body)          \
	static void *do_##name(void *arg)             \
	{                                             \
		asks_for_it();                        \
		body;                                 \
		without_it(1);                        \
		return arg;                           \
	}                                             \
	static void name##_##expected(void)           \
	{                                             \
		each(#expected, do_##name, to_write); \
	}

/* Compilers make other calls of what they know. */
static const char *volatile text = "x\n", *volatile part = "ab";
static char line[100], *lines;
static size_t size;
static char much[100000];

ENDS(fputs, EEG, 1, fputs(text, f))
ENDS(fputs_without_newline, EGG, 1, fputs(part, f))
ENDS(fprintf, EEG, 1, fprintf(f, "%d\n", 1))
ENDS(fprintf_without_newline, EGG, 1, fprintf(f, "x%d", 1))
ENDS(fprintf_of_nothing, GGG, 1, fprintf(f, "%s", ""))
ENDS(fwrite_without_newline, EGG, 1, fwrite("x", 1, 1, f))
ENDS(puts_of_nothing, EEG, 1, without_it(1); stdout = f; without_it(0); puts(""))
ENDS(fputc, EGG, 1, fputc('x', f))
ENDS(fwrite, EEG, 1, fwrite("x\n", 1, 2, f))
ENDS(fwrite_of_nothing, GGG, 1, fwrite("x\n", 1, 0, f))
ENDS(fwrite_of_much, EEE, 1, fwrite(much, 1, sizeof(much), f))
ENDS(fputs_unlocked, EEG, 1, fputs_unlocked(text, f))
ENDS(fputwc, EGG, 1, fputwc(L'x', f))
ENDS(fflush_of_nothing, GGG, 1, fflush(f))
ENDS(fflush, GEE, 1, without_it(1); fputs("x", f); without_it(0); fflush(f))
ENDS(fclose, GEE, 1, FILE *mine = f; f = NULL; without_it(1); fputs("x", mine); without_it(0);
     fclose(mine))
ENDS(fgets, EEE, 0, fgets(line, sizeof(line), f))
ENDS(fgets_of_what_is_there, GGG, 0, without_it(1); ungetc(fgetc(f), f); without_it(0); fgetc(f))
ENDS(getline, EEE, 0, getline(&lines, &size, f))
ENDS(fgetc, EEE, 0, fgetc(f))
ENDS(fread, EEE, 0, fread(line, 1, 2, f))
ENDS(fscanf, EEE, 0, fscanf(f, "%90s", line))
ENDS(fopen, EEE, 1, fopen("/dev/null", "r"))
ENDS(fopen_c, GGG, 1, fopen("/dev/null", "rc"))
ENDS(a_stream_with_c, GGG, 1, FILE *g = fopen("/dev/null", "wc"); setbuf(g, NULL); fputs("x", g))
ENDS(flockfile, GGG, 1, flockfile(f); funlockfile(f))

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int reached;

static void lines_are_written_out(void)
{
	assert(setvbuf(stdout, NULL, _IOLBF, 4096) == 0);
}

static void *prints(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	printf("a line\n");
	reached = 1;
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void keeps_a_mutex(void)
{
	pthread_t t;

	lines_are_written_out();
	t = begin(prints, NULL);
	assert(pthread_cancel(t) == 0);
	end(t);
	assert(pthread_mutex_lock(&m) == 0); /* bug: keeps_a_mutex */
}

static void unlock(void *arg)
{
	assert(pthread_mutex_unlock(arg) == 0);
}

static void *prints_with_a_handler(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	pthread_cleanup_push(unlock, &m);
	printf("a line\n");
	pthread_cleanup_pop(1);
	return arg;
}

static void its_handler_unlocks(void)
{
	pthread_t t;

	lines_are_written_out();
	t = begin(prints_with_a_handler, NULL);
	assert(pthread_cancel(t) == 0);
	end(t);
	assert(pthread_mutex_lock(&m) == 0);
	printf("the stream is free\n");
}

static void *cancels_itself(void *arg)
{
	asks_for_it();
	printf("a line\n");
	reached = 1;
	without_it(1);
	return arg;
}

static void behind_the_line_that_is_written_out(void)
{
	lines_are_written_out();
	end(begin(cancels_itself, NULL));
	assert(reached); /* bug: behind_the_line_that_is_written_out */
}

static void a_buffer_is_not_written_out(void)
{
	assert(setvbuf(stdout, NULL, _IOFBF, 4096) == 0);
	end(begin(cancels_itself, NULL));
	assert(reached);
}

static void *prints_a_part(void *arg)
{
	asks_for_it();
	printf("a part %d", 1);
	fputs(part, stdout);
	putchar('x');
	fwrite(part, 1, 2, stdout);
	reached = 1;
	without_it(1);
	return arg;
}

static void a_part_of_a_line_is_not_written_out(void)
{
	lines_are_written_out();
	end(begin(prints_a_part, NULL));
	assert(reached);
}

static void *prints_once(void *arg)
{
	printf("another line\n");
	return arg;
}

static void others_print_meanwhile(void)
{
	pthread_t t, other;

	lines_are_written_out();
	other = begin(prints_once, NULL);
	t = begin(prints_with_a_handler, NULL);
	assert(pthread_cancel(t) == 0);
	end(t);
	end(other);
	printf("the stream is free\n");
}

static atomic_int x;

static void *stores(void *arg)
{
	x = 1;
	return arg;
}

/* Rounds that print are left out as others are. */
static void waits_and_prints(void)
{
	pthread_t t;

	lines_are_written_out();
	t = begin(stores, NULL);
	while (!x) {
		printf("waits\n");
		fputs("x", stderr);
	}
	end(t);
}

static void *prints_and_flushes(void *arg)
{
	printf("a part");
	fflush(stdout);
	return arg;
}

static void flushes_what_others_print(void)
{
	pthread_t t, other;

	lines_are_written_out();
	other = begin(prints_and_flushes, NULL);
	t = begin(prints_and_flushes, NULL);
	assert(pthread_cancel(t) == 0);
	end(t);
	end(other);
}

CASES(CASE(fputs_EEG), CASE(fputs_without_newline_EGG), CASE(fprintf_EEG),
      CASE(fprintf_without_newline_EGG), CASE(fprintf_of_nothing_GGG),
      CASE(fwrite_without_newline_EGG), CASE(puts_of_nothing_EEG), CASE(fputc_EGG),
      CASE(fwrite_EEG), CASE(fwrite_of_nothing_GGG), CASE(fwrite_of_much_EEE),
      CASE(fputs_unlocked_EEG), CASE(fputwc_EGG), CASE(fflush_of_nothing_GGG), CASE(fflush_GEE),
      CASE(fclose_GEE), CASE(fgets_EEE), CASE(fgets_of_what_is_there_GGG), CASE(getline_EEE),
      CASE(fgetc_EEE), CASE(fread_EEE), CASE(fscanf_EEE), CASE(fopen_EEE), CASE(fopen_c_GGG),
      CASE(a_stream_with_c_GGG), CASE(flockfile_GGG), CASE(keeps_a_mutex),
      CASE(its_handler_unlocks), CASE(behind_the_line_that_is_written_out),
      CASE(a_buffer_is_not_written_out), CASE(a_part_of_a_line_is_not_written_out),
      CASE(others_print_meanwhile), CASE(waits_and_prints), CASE(flushes_what_others_print))
