/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * streams.c - streams of stdio whose other end is a thread's
 *
 * case a_line: ok 1
 * case a_line_from_an_unbuffered_stream: ok 1
 * case what_was_written_happened_before: ok 1
 * case not_written_out: bug deadlock
 * case nobody_writes: bug deadlock
 * case half_a_line: bug deadlock
 * case end_of_file: ok 2
 * case fclose_writes_out: ok 2
 * case killed_by_a_broken_pipe: bug crash
 * case a_broken_pipe_is_an_error: ok 1
 * case numbers: ok 2
 * case getline_of_two: ok 2
 * case fread_of_several: ok 2
 * case wide_characters: ok 2
 * case a_full_pipe: bug deadlock
 * case two_writers: ok 6
 * case two_readers: ok 2
 * case the_wrong_reader: bug assertion at assert(got[0] == 'a')
 * case a_race_beside_it: bug data-race
 * case both_ways: ok 1
 * case both_wait_for_the_other: bug deadlock
 * case made_in_a_thread: ok 1
 * case written_before_the_threads: ok 1
 * case standard_input_and_output: ok 1
 * case would_wait: ok 2
 * case read_by_number_as_well: ok 4
 * case reads_from_outside: refused the program waits in fgets() for descriptor
 * case a_file_is_read_as_ever: ok 1
 * case others_are_locked_out: bug deadlock
 * case a_stream_without_locks: ok 1
 * case ends_with_something_left: bug exit-code
 * case freopen_is_refused: refused freopen() of a stream of a pipe or the like
 *
 * also -O0: the same
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "cases.h"
#include "hooks/threads.h"

static FILE *in, *out, *back;
static int ends[2], data;
static char line[100];

static void open_both(void)
{
	assert(pipe(ends) == 0);
	in = fdopen(ends[0], "r");
	out = fdopen(ends[1], "w");
	assert(in && out);
}

static void *says(void *arg)
{
	data = 1;
	assert(fprintf(out, "a %s\n", "line") == 7);
	assert(fflush(out) == 0);
	return arg;
}

static void a_line(void)
{
	pthread_t t;

	open_both();
	t = begin(says, NULL);
	assert(fgets(line, sizeof(line), in) && !strcmp(line, "a line\n"));
	end(t);
}

static void a_line_from_an_unbuffered_stream(void)
{
	pthread_t t;

	open_both();
	setbuf(in, NULL);
	setbuf(out, NULL);
	t = begin(says, NULL);
	assert(fgets(line, sizeof(line), in) && !strcmp(line, "a line\n"));
	end(t);
}

static void what_was_written_happened_before(void)
{
	pthread_t t;

	open_both();
	t = begin(says, NULL);
	assert(fgetc(in) == 'a' && data == 1);
	end(t);
}

static void *says_to_itself(void *arg)
{
	assert(fputs("a line\n", out) >= 0);
	return arg;
}

static void not_written_out(void)
{
	pthread_t t;

	open_both();
	t = begin(says_to_itself, NULL);
	assert(fgets(line, sizeof(line), in)); /* bug: not_written_out */
	end(t);
}

static void *nothing(void *arg)
{
	return arg;
}

static void nobody_writes(void)
{
	open_both();
	end(begin(nothing, NULL));
	assert(fgetc(in) == 'x'); /* bug: nobody_writes */
}

static void *says_half(void *arg)
{
	assert(fputs("a li", out) >= 0 && fflush(out) == 0);
	return arg;
}

static void half_a_line(void)
{
	pthread_t t;

	open_both();
	t = begin(says_half, NULL);
	assert(fgets(line, sizeof(line), in)); /* bug: half_a_line */
	end(t);
}

static void *says_half_and_closes(void *arg)
{
	assert(fputs("a li", out) >= 0 && fclose(out) == 0);
	return arg;
}

static void end_of_file(void)
{
	pthread_t t;

	open_both();
	t = begin(says_half_and_closes, NULL);
	assert(fgets(line, sizeof(line), in) && !strcmp(line, "a li"));
	assert(!fgets(line, sizeof(line), in) && feof(in));
	end(t);
}

static void fclose_writes_out(void)
{
	pthread_t t;
	char c;

	open_both();
	t = begin(says_half_and_closes, NULL);
	assert(read(ends[0], line, 4) == 4 && read(ends[0], &c, 1) == 0);
	end(t);
}

static void *writes_out(void *arg)
{
	assert(fputs("x", out) >= 0);
	assert(fflush(out) == 0); /* bug: killed_by_a_broken_pipe */
	return arg;
}

static void killed_by_a_broken_pipe(void)
{
	open_both();
	fclose(in);
	end(begin(writes_out, NULL));
}

static void *fails_to_write(void *arg)
{
	assert(fputs("x", out) >= 0);
	assert(fflush(out) == EOF && errno == EPIPE && ferror(out));
	return arg;
}

static void a_broken_pipe_is_an_error(void)
{
	open_both();
	signal(SIGPIPE, SIG_IGN);
	fclose(in);
	end(begin(fails_to_write, NULL));
}

static void *counts(void *arg)
{
	fprintf(out, "%d %d\n", 12, 30);
	fclose(out);
	return arg;
}

static void numbers(void)
{
	int a, b;
	pthread_t t;

	open_both();
	t = begin(counts, NULL);
	assert(fscanf(in, "%d%d", &a, &b) == 2 && a + b == 42);
	end(t);
}

static void *says_two_lines(void *arg)
{
	fputs("one\ntwo\n", out);
	fclose(out);
	return arg;
}

static void getline_of_two(void)
{
	char *text = NULL;
	size_t size = 0;
	pthread_t t;

	open_both();
	t = begin(says_two_lines, NULL);
	assert(getline(&text, &size, in) == 4 && !strcmp(text, "one\n"));
	assert(getdelim(&text, &size, 'w', in) == 2 && !strcmp(text, "tw"));
	assert(getc(in) == 'o' && getc(in) == '\n' && getc(in) == EOF);
	free(text);
	end(t);
}

static void fread_of_several(void)
{
	pthread_t t;

	open_both();
	t = begin(says_two_lines, NULL);
	assert(fread(line, 4, 3, in) == 2 && feof(in));
	end(t);
}

static void *says_widely(void *arg)
{
	assert(fputws(L"wide\n", out) >= 0 && fclose(out) == 0);
	return arg;
}

static void wide_characters(void)
{
	wchar_t text[10];
	pthread_t t;

	open_both();
	t = begin(says_widely, NULL);
	assert(fgetws(text, 10, in) && text[0] == L'w');
	end(t);
}

static char much[70000], there[70000];

static void a_full_pipe(void)
{
	open_both();
	end(begin(nothing, NULL));
	assert(fwrite(much, 1, sizeof(much), out) == sizeof(much)); /* bug: a_full_pipe */
}

static void *writes_much(void *arg)
{
	memset(much, 'x', sizeof(much));
	assert(fwrite(much, 1, sizeof(much), out) == sizeof(much));
	assert(fclose(out) == 0);
	return arg;
}

static void more_than_a_pipe_holds(void)
{
	pthread_t t;

	open_both();
	t = begin(writes_much, NULL);
	assert(fread(there, 1, sizeof(there), in) == sizeof(there) && there[69999] == 'x');
	end(t);
}

static void *writes_a_letter(void *arg)
{
	assert(fputc('a' + (int)(long)arg, out) > 0 && fflush(out) == 0);
	return NULL;
}

static void two_writers(void)
{
	open_both();
	THREADS(2, writes_a_letter);
	assert(fgetc(in) + fgetc(in) == 'a' + 'b');
}

static int got[2];

static void *reads_a_letter(void *arg)
{
	got[(long)arg] = fgetc(in);
	return NULL;
}

static void two_readers(void)
{
	open_both();
	setbuf(in, NULL);
	fputs("ab", out);
	fflush(out);
	THREADS(2, reads_a_letter);
	assert(got[0] + got[1] == 'a' + 'b');
}

static void the_wrong_reader(void)
{
	open_both();
	fputs("ab", out);
	fflush(out);
	THREADS(2, reads_a_letter);
	assert(got[0] == 'a');
}

static void *writes_and_counts(void *arg)
{
	fputs("x", out);
	fflush(out);
	data++; /* bug: a_race_beside_it */
	return arg;
}

static void a_race_beside_it(void)
{
	pthread_t t;

	open_both();
	t = begin(writes_and_counts, NULL);
	assert(fgetc(in) == 'x');
	data++;
	end(t);
}

static void *answers(void *arg)
{
	assert(fgetc(in) == 'x');
	assert(fputc('y', in) == 'y' && fflush(in) == 0);
	return arg;
}

static void open_sockets(void)
{
	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	in = fdopen(ends[0], "r+");
	back = fdopen(ends[1], "r+");
	assert(in && back);
}

static void both_ways(void)
{
	pthread_t t;

	open_sockets();
	t = begin(answers, NULL);
	assert(fputc('x', back) == 'x' && fflush(back) == 0);
	assert(fgetc(back) == 'y');
	end(t);
}

static void both_wait_for_the_other(void)
{
	pthread_t t;

	open_sockets();
	t = begin(answers, NULL);
	assert(fgetc(back) == 'y'); /* bug: both_wait_for_the_other */
	end(t);
}

static void *makes_it(void *arg)
{
	pthread_t t;

	open_both();
	t = begin(says, NULL);
	assert(fgets(line, sizeof(line), in) && !strcmp(line, "a line\n"));
	end(t);
	assert(fclose(in) == 0 && fclose(out) == 0 && close(ends[0]) == -1);
	return arg;
}

static void made_in_a_thread(void)
{
	end(begin(makes_it, NULL));
}

static void *reads_two_lines(void *arg)
{
	assert(fgets(line, sizeof(line), in) && !strcmp(line, "one\n"));
	assert(fgets(line, sizeof(line), in) && !strcmp(line, "two\n"));
	return arg;
}

static void written_before_the_threads(void)
{
	open_both();
	fputs("zero\none\n", out);
	fflush(out);
	fputs("two\n", out);
	assert(fgets(line, sizeof(line), in) && !strcmp(line, "zero\n"));
	begin(nothing, NULL);
	fflush(NULL);
	end(begin(reads_two_lines, NULL));
}

static void *prints(void *arg)
{
	printf("%d\n", 42);
	fflush(stdout);
	return arg;
}

static void standard_input_and_output(void)
{
	pthread_t t;
	int n = 0;

	assert(pipe(ends) == 0 && dup2(ends[0], 0) == 0 && dup2(ends[1], 1) == 1);
	t = begin(prints, NULL);
	assert(scanf("%d", &n) == 1 && n == 42);
	end(t);
}

static void would_wait(void)
{
	pthread_t t;
	int c;

	open_both();
	assert(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
	t = begin(writes_out, NULL);
	c = fgetc(in);
	assert(c == 'x' || (c == EOF && errno == EAGAIN && ferror(in)));
	end(t);
}

static void read_by_number_as_well(void)
{
	pthread_t t;
	char c;

	open_both();
	setbuf(in, NULL);
	t = begin(says_half_and_closes, NULL);
	assert(fgetc(in) == 'a' && read(ends[0], &c, 1) == 1 && c == ' ' && fgetc(in) == 'l');
	end(t);
}

static void *reads_from_a_fifo(void *arg)
{
	int fd = open("fifo", O_RDWR);

	in = fdopen(fd, "r");
	assert(in && fgets(line, sizeof(line), in));
	return arg;
}

static void reads_from_outside(void)
{
	unlink("fifo");
	assert(mkfifo("fifo", 0600) == 0);
	end(begin(reads_from_a_fifo, NULL));
}

static void *reads_the_file(void *arg)
{
	assert(fgetc(in) == 'n' && fgetc(in) == 'o');
	return arg;
}

static void a_file_is_read_as_ever(void)
{
	in = tmpfile();
	assert(in && fputs("now", in) >= 0 && fseek(in, 0, SEEK_SET) == 0);
	end(begin(reads_the_file, NULL));
	assert(fgetc(in) == 'w' && fgetc(in) == EOF);
}

static void *waits_for_a_letter(void *arg)
{
	fgetc(in);
	fputc('x', out);
	return arg;
}

/* Of one stream: who waits there to read has its lock. */
static void others_are_locked_out(void)
{
	pthread_t t;

	open_both();
	t = begin(waits_for_a_letter, NULL);
	assert(fputs("x", in) == EOF); /* bug: others_are_locked_out */
	assert(fputs("x", out) >= 0 && fflush(out) == 0);
	end(t);
}

static void a_stream_without_locks(void)
{
	pthread_t t;

	open_both();
	__fsetlocking(in, FSETLOCKING_BYCALLER);
	t = begin(waits_for_a_letter, NULL);
	assert(fputs("x", in) == EOF);
	assert(fputs("x", out) >= 0 && fflush(out) == 0);
	end(t);
}

/* A replay shows what was printed, and so writes out what the others had left. */
static void ends_with_something_left(void)
{
	open_both();
	end(begin(says_to_itself, NULL));
	printf("shown\n");
	exit(3); /* bug: ends_with_something_left */
}

static void *opens_another(void *arg)
{
	assert(freopen("/dev/null", "r", in));
	return arg;
}

static void freopen_is_refused(void)
{
	open_both();
	end(begin(opens_another, NULL));
}

CASES(CASE(a_line), CASE(a_line_from_an_unbuffered_stream), CASE(what_was_written_happened_before),
      CASE(not_written_out), CASE(nobody_writes), CASE(half_a_line), CASE(end_of_file),
      CASE(fclose_writes_out), CASE(killed_by_a_broken_pipe), CASE(a_broken_pipe_is_an_error),
      CASE(numbers), CASE(getline_of_two), CASE(fread_of_several), CASE(wide_characters),
      CASE(a_full_pipe), CASE(two_writers), CASE(two_readers), CASE(the_wrong_reader),
      CASE(a_race_beside_it), CASE(both_ways), CASE(both_wait_for_the_other),
      CASE(made_in_a_thread), CASE(written_before_the_threads), CASE(standard_input_and_output),
      CASE(would_wait), CASE(read_by_number_as_well), CASE(reads_from_outside),
      CASE(a_file_is_read_as_ever), CASE(others_are_locked_out), CASE(a_stream_without_locks),
      CASE(ends_with_something_left), CASE(freopen_is_refused))
