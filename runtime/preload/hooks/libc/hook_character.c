/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_character.c - calls of streams that tell nothing of the program's memory
 *
 * They lock their stream as all others do (stream.c), and how far it has come is state, but for what is
 * discarded.
 */
/*
 * intercepts: Streams
 *
 * internal fputc putc _IO_putc putchar fgetc getc _IO_getc getchar ungetc _IO_ungetc fflush _IO_fflush fseek fseeko fseeko64 __fseeko64 ftell _IO_ftell
 *	ftello ftello64 __ftello64 rewind setvbuf _IO_setvbuf setbuf setbuffer _IO_setbuffer setlinebuf feof _IO_feof ferror _IO_ferror clearerr
 *	perror - made as they are; where the lock of the stream is explored
 *	(flockfile(), streams of pipes) each takes it
 */
#define __NO_INLINE__ 1 /* or <stdio.h> has bodies of some of them */

#include "preload/hooks/hook.h"

#include <stdio.h>

#include "preload/hooks/libc/stream.h"

#undef fputc
#undef putc
#undef putchar
#undef fgetc
#undef getc
#undef getchar
#undef feof
#undef ferror
#undef clearerr

static void moves(const FILE *f)
{
	if (f != stdout && f != stderr)
		note_hidden_state();
}

#define CALL(type, name, params, args, f)             \
	HEDDLE_HOOK type name params                  \
	{                                             \
		moves(f);                             \
		return IN_STREAM(f, REAL(name) args); \
	}
#define READS(name, params, args, f)                  \
	HEDDLE_HOOK int name params                   \
	{                                             \
		moves(f);                             \
		stream_reads(f);                      \
		return IN_STREAM(f, REAL(name) args); \
	}
#define PUTS(name, params, args, f)                                                             \
	HEDDLE_HOOK int name params                                                             \
	{                                                                                       \
		moves(f);                                                                       \
		return IN_STREAM_(f, STREAM_LOCKS | stream_prints_char(f, c), REAL(name) args); \
	}
PUTS(fputc, (int c, FILE *f), (c, f), f)
PUTS(putc, (int c, FILE *f), (c, f), f)
PUTS(putchar, (int c), (c), stdout)
READS(fgetc, (FILE * f), (f), f)
READS(getc, (FILE * f), (f), f)
READS(getchar, (void), (), stdin)
CALL(int, ungetc, (int c, FILE *f), (c, f), f)
CALL(int, fseek, (FILE * f, long offset, int whence), (f, offset, whence), f)
CALL(int, fseeko, (FILE * f, off_t offset, int whence), (f, offset, whence), f)
CALL(int, fseeko64, (FILE * f, off64_t offset, int whence), (f, offset, whence), f)
CALL(long, ftell, (FILE * f), (f), f)
CALL(off_t, ftello, (FILE * f), (f), f)
CALL(off64_t, ftello64, (FILE * f), (f), f)
CALL(int, feof, (FILE * f), (f), f)
CALL(int, ferror, (FILE * f), (f), f)
CALL(int, setvbuf, (FILE *restrict f, char *restrict buffer, int mode, size_t size),
     (f, buffer, mode, size), f)

#define CALL_VOID(name, params, args, f)                  \
	HEDDLE_HOOK void name params                      \
	{                                                 \
		moves(f);                                 \
		(void)IN_STREAM(f, (REAL(name) args, 0)); \
	}
CALL_VOID(rewind, (FILE * f), (f), f)
CALL_VOID(clearerr, (FILE * f), (f), f)
CALL_VOID(setbuf, (FILE *restrict f, char *restrict buffer), (f, buffer), f)
CALL_VOID(setbuffer, (FILE *restrict f, char *restrict buffer, size_t size), (f, buffer, size), f)
CALL_VOID(setlinebuf, (FILE * f), (f), f)
CALL_VOID(perror, (const char *text), (text), stderr)

/* ---- All streams at once -------------------------------------------------------------------------- */

enum {
	WRITING = 0x800 /* in _flags, as in glibc */
};

/* libc's, from the last that was opened. */
static FILE *all(void)
{
	static FILE **list;
	KEPT(list);

	if (!list)
		list = real_lookup("_IO_list_all", NULL);
	return *list;
}

static bool is_open(const FILE *f)
{
	for (const FILE *g = all(); g; g = g->_chain)
		if (g == f)
			return true;
	return false;
}

/*
 * One by one, each under its own lock; from the start again where one was closed meanwhile. libc would have the list locked meanwhile, in which another
 * thread that opens or closes a stream would wait unseen.
 */
static int flush_all(uint64_t pc)
{
	struct stream_call c;
	int result = 0;
	FILE *next;

	for (FILE *f = all(); f; f = next) {
		if (f->_flags & WRITING) {
			moves(f);
			stream_enter(&c, f, STREAM_LOCKS, "fflush", pc);
			if (REAL(fflush)(f))
				result = EOF;
			stream_leave(&c);
		}
		next = is_open(f) ? f->_chain : all();
	}
	return result;
}

HEDDLE_HOOK int fflush(FILE *f)
{
	if (!under_engine())
		return REAL(fflush)(f);
	if (!f)
		return flush_all(CALLER());
	moves(f);
	return IN_STREAM(f, REAL(fflush)(f));
}

void stream_flush_at_exit(void)
{
	for (FILE *f = all(); f; f = f->_chain)
		if (f->_flags & WRITING)
			fflush_unlocked(f);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__fseeko64, fseeko64);
ALSO_CALLED(__ftello64, ftello64);
ALSO_CALLED(_IO_feof, feof);
ALSO_CALLED(_IO_ferror, ferror);
ALSO_CALLED(_IO_fflush, fflush);
ALSO_CALLED(_IO_ftell, ftell);
ALSO_CALLED(_IO_getc, getc);
ALSO_CALLED(_IO_putc, putc);
ALSO_CALLED(_IO_setbuffer, setbuffer);
ALSO_CALLED(_IO_setvbuf, setvbuf);
ALSO_CALLED(_IO_ungetc, ungetc);
