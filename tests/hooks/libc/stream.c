/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream.c - what fread(), fgets() and getline() write
 *
 * In X_writes one thread reads eight bytes with X where another one reads the last of them.
 *
 * case what_each_reads: ok 1
 * case no_more_than_was_read: ok 1
 * case in_order: ok 2
 * case a_line_of_no_length: ok 1
 * case in_a_loop_that_waits: ok 5
 * case behind_the_end: bug out-of-bounds at IN_THREAD(behind_the_end,
 * case into_a_freed_block: bug use-after-free at IN_THREAD(into_a_freed_block,
 * case a_line_into_a_freed_block: bug use-after-free at IN_THREAD(a_line_into_a_freed_block,
 * case fread_writes: bug data-race at WRITES(fread,
 * case fread_unlocked_writes: bug data-race at WRITES(fread_unlocked,
 * case fread_chk_writes: bug data-race at WRITES(fread_chk,
 * case fread_unlocked_chk_writes: bug data-race at WRITES(fread_unlocked_chk,
 * case fgets_writes: bug data-race at WRITES(fgets,
 * case fgets_unlocked_writes: bug data-race at WRITES(fgets_unlocked,
 * case fgets_chk_writes: bug data-race at WRITES(fgets_chk,
 * case fgets_unlocked_chk_writes: bug data-race at WRITES(fgets_unlocked_chk,
 * case getline_writes: bug data-race at RACE(getline_writes,
 * case getdelim_writes: bug data-race at RACE(getdelim_writes,
 * case getline_reads_the_pointer: bug data-race at RACE(getline_reads_the_pointer,
 * case getline_writes_the_pointer: bug data-race at RACE(getline_writes_the_pointer,
 * case getline_writes_the_size: bug data-race at RACE(getline_writes_the_size,
 *
 * ways fread: EBADF EISDIR; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (those of read())
 * ways fread_unlocked: EBADF; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways fgets: EBADF EISDIR; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways fgets_unlocked: EBADF; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways getline: EBADF EINVAL EISDIR; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways getdelim: EBADF EINVAL; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 *
 * case fread_EBADF: ok 1
 * case fread_EISDIR: ok 1
 * case fread_unlocked_EBADF: ok 1
 * case fgets_EBADF: ok 1
 * case fgets_EISDIR: ok 1
 * case fgets_unlocked_EBADF: ok 1
 * case getline_EBADF: ok 1
 * case getline_EINVAL: ok 1
 * case getline_EINVAL_of_the_size: ok 1
 * case getline_EISDIR: ok 1
 * case getdelim_EBADF: ok 1
 * case getdelim_EINVAL: ok 1
 * case the_end_is_no_error: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "hooks/blocks.h"
#include "hooks/fails.h"
#include "hooks/threads.h"

size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f);
size_t __fread_unlocked_chk(void *to, size_t room, size_t size, size_t n, FILE *f);
char *__fgets_chk(char *to, size_t room, int n, FILE *f);
char *__fgets_unlocked_chk(char *to, size_t room, int n, FILE *f);

static char contents[] = "abcdefg\nhijk\n";
static char text[100];
static char *line, *long_line;
static size_t size, long_size = 100;
static _Thread_local volatile int sink;

static FILE *file(void)
{
	FILE *f = fmemopen(contents, strlen(contents), "r");

	assert(f);
	return f;
}

static void *check(void *arg)
{
	char own[100], *b = hide(own), *p = NULL;
	FILE *f = file();
	size_t n = 0;

	assert(fread(b, 2, 2, f) == 2 && !memcmp(b, "abcd", 4));
	assert(fread_unlocked(b, 1, 50, f) == 9 && !memcmp(b, "efg\nhijk\n", 9) && feof(f));
	assert(fread(b, 1, 50, f) == 0 && !fgets(b, 50, f));
	rewind(f);
	assert(__fread_chk(b, 100, 1, 4, f) == 4 && __fread_unlocked_chk(b, 9, 1, 3, f) == 3);
	assert(fgets(b, 100, f) == b && !strcmp(b, "\n"));
	assert(fgets_unlocked(b, 3, f) == b && !strcmp(b, "hi"));
	assert(__fgets_chk(b, 100, 2, f) == b && !strcmp(b, "j"));
	assert(__fgets_unlocked_chk(b, 100, 9, f) == b && !strcmp(b, "k\n"));
	rewind(f);
	assert(getline(&p, &n, f) == 8 && !strcmp(p, "abcdefg\n") && n > 8);
	assert(getdelim(&p, &n, 'j', f) == 3 && !strcmp(p, "hij"));
	assert(getline(&p, &n, f) == 2 && getline(&p, &n, f) == -1);
	free(p);
	fclose(f);
	return arg;
}

static void what_each_reads(void)
{
	check(NULL);
	THREADS(1, check);
}

/* One thread writes behind the first four bytes, the other reads so many. */
static void *read_or_write(void *arg)
{
	FILE *f;

	if (arg) {
		memcpy(text + 4, "xyz", 4);
		return NULL;
	}
	f = file();
	assert(fread(text, 2, 2, f) == 2 && fgets(text, 4, f) == text);
	assert(fseek(f, 10, SEEK_SET) == 0 && fread(text, 1, 50, f) == 3);
	fclose(f);
	return NULL;
}

static void no_more_than_was_read(void)
{
	THREADS(2, read_or_write);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *read_or_look(void *arg)
{
	FILE *f = file();

	pthread_mutex_lock(&mutex);
	if (arg) {
		assert(fgets(text, 100, f) && getline(&line, &size, f) == 5);
	} else {
		assert(!text[0] || !strcmp(text, "abcdefg\n"));
		assert(!line || !strcmp(line, "hijk\n"));
	}
	pthread_mutex_unlock(&mutex);
	fclose(f);
	return NULL;
}

static void in_order(void)
{
	THREADS(2, read_or_look);
	free(line);
}

static void *read_without(void *arg)
{
	FILE *f = file();

	assert(getline(NULL, NULL, f) == -1);
	assert(fread(NULL, 0, 5, f) == 0 && fread(NULL, 5, 0, f) == 0);
	fclose(f);
	return arg;
}

static void a_line_of_no_length(void)
{
	THREADS(1, read_without);
}

static atomic_int flag;

/* What was read must stay read. */
static void *read_until(void *arg)
{
	FILE *f = file();
	long n = 0;

	while (!atomic_load(&flag) && n < 3) {
		assert(fread(text, 1, 1, f) == 1 && text[0] == contents[n]);
		n++;
		assert(ftell(f) == n);
	}
	fclose(f);
	return arg;
}

static void in_a_loop_that_waits(void)
{
	pthread_t t = begin(read_until, NULL);

	atomic_store(&flag, 1);
	end(t);
}

/* ---- Errors with memory --------------------------------------------------------------------------- */

#define IN_THREAD(name, call) DO_IN_THREAD(name, FILE *f = file(); call)

static char *freed_line;

IN_THREAD(behind_the_end, sink = fgets(hide(malloc(8)), 9, f) != NULL)
IN_THREAD(into_a_freed_block, sink = (int)fread(freed(8), 1, 8, f))
IN_THREAD(a_line_into_a_freed_block,
	  (freed_line = freed(100), sink = (int)getline(&freed_line, &long_size, f)))

/* ---- Races ---------------------------------------------------------------------------------------- */

#define RACE(name, call, access)                 \
	static void *name##_in_thread(void *arg) \
	{                                        \
		FILE *f = file();                \
                                                 \
		if (arg)                         \
			access;                  \
		else                             \
			call;                    \
		fclose(f);                       \
		return NULL;                     \
	}                                        \
	static void name(void)                   \
	{                                        \
		long_line = malloc(100);         \
		THREADS(2, name##_in_thread);    \
	}
#define WRITES(name, call) RACE(name##_writes, call, sink = text[7])

WRITES(fread, sink = (int)fread(text, 4, 2, f))
WRITES(fread_unlocked, sink = (int)fread_unlocked(text, 1, 8, f))
WRITES(fread_chk, sink = (int)__fread_chk(text, 100, 1, 8, f))
WRITES(fread_unlocked_chk, sink = (int)__fread_unlocked_chk(text, 100, 1, 8, f))
WRITES(fgets, sink = fgets(text, 100, f) != NULL)
WRITES(fgets_unlocked, sink = fgets_unlocked(text, 8, f) != NULL)
WRITES(fgets_chk, sink = __fgets_chk(text, 100, 100, f) != NULL)
WRITES(fgets_unlocked_chk, sink = __fgets_unlocked_chk(text, 100, 100, f) != NULL)
RACE(getline_writes, sink = (int)getline(&long_line, &long_size, f), sink = long_line[8])
RACE(getdelim_writes, sink = (int)getdelim(&long_line, &long_size, 'g', f), sink = long_line[7])
RACE(getline_reads_the_pointer, sink = (int)getline(&long_line, &long_size, f), long_line = NULL)
RACE(getline_writes_the_pointer, sink = (int)getline(&line, &long_size, f), sink = line != NULL)
RACE(getline_writes_the_size, sink = (int)getline(&line, &size, f), sink = (int)size)

/* --- how they fail ---------------------------------------------------------------------------- */

static char read_text[100], *read_line;
static size_t read_size;

#define STREAM_FAILS(name, error, path, mode, call) \
	IN_EACH(name)                               \
	{                                           \
		FILE *f = fopen(path, mode);        \
                                                    \
		assert(f);                          \
		FAILS(error, call);                 \
		fclose(f);                          \
		return arg;                         \
	}
#define OF_OUTPUT(name, error, call) STREAM_FAILS(name, error, "/dev/null", "w", call)
#define OF_FOLDER(name, call)        STREAM_FAILS(name, EISDIR, "/", "r", call)
#define NOTHING(call)                ((call) ? 0 : -1)

OF_OUTPUT(fread_EBADF, EBADF, NOTHING(fread(read_text, 1, 9, f)))
OF_FOLDER(fread_EISDIR, NOTHING(fread(read_text, 1, 9, f)))
OF_OUTPUT(fread_unlocked_EBADF, EBADF, NOTHING(fread_unlocked(read_text, 50, 2, f)))
OF_OUTPUT(fgets_EBADF, EBADF, NOTHING(fgets(read_text, 9, f)))
OF_FOLDER(fgets_EISDIR, NOTHING(fgets(read_text, 9, f)))
OF_OUTPUT(fgets_unlocked_EBADF, EBADF, NOTHING(fgets_unlocked(read_text, 9, f)))
OF_OUTPUT(getline_EBADF, EBADF, getline(&read_line, &read_size, f))
OF_OUTPUT(getline_EINVAL, EINVAL, getline(keep_(NULL), &read_size, f))
OF_OUTPUT(getline_EINVAL_of_the_size, EINVAL, getline(&read_line, keep_(NULL), f))
OF_FOLDER(getline_EISDIR, getline(&read_line, &read_size, f))
OF_OUTPUT(getdelim_EBADF, EBADF, getdelim(&read_line, &read_size, ':', f))
OF_OUTPUT(getdelim_EINVAL, EINVAL, getdelim(keep_(NULL), &read_size, ':', f))

IN_EACH(the_end_is_no_error)
{
	FILE *f = fopen("/dev/null", "r");

	errno = 0;
	assert(!fread(read_text, 1, 9, f) && feof(f) && !ferror(f) && !errno);
	assert(!fgets(read_text, 9, f) && getline(&read_line, &read_size, f) == -1 && !errno);
	fclose(f);
	return arg;
}

CASES(CASE(what_each_reads), CASE(no_more_than_was_read), CASE(in_order), CASE(a_line_of_no_length),
      CASE(in_a_loop_that_waits), CASE(behind_the_end), CASE(into_a_freed_block),
      CASE(a_line_into_a_freed_block), CASE(fread_writes), CASE(fread_unlocked_writes),
      CASE(fread_chk_writes), CASE(fread_unlocked_chk_writes), CASE(fgets_writes),
      CASE(fgets_unlocked_writes), CASE(fgets_chk_writes), CASE(fgets_unlocked_chk_writes),
      CASE(getline_writes), CASE(getdelim_writes), CASE(getline_reads_the_pointer),
      CASE(getline_writes_the_pointer), CASE(getline_writes_the_size), CASE(fread_EBADF),
      CASE(fread_EISDIR), CASE(fread_unlocked_EBADF), CASE(fgets_EBADF), CASE(fgets_EISDIR),
      CASE(fgets_unlocked_EBADF), CASE(getline_EBADF), CASE(getline_EINVAL),
      CASE(getline_EINVAL_of_the_size), CASE(getline_EISDIR), CASE(getdelim_EBADF),
      CASE(getdelim_EINVAL), CASE(the_end_is_no_error))
