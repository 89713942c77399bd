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
 *	perror getw putw fputwc putwc putwchar fgetwc getwc getwchar ungetwc fwide - made as they are; where the lock of the stream is explored
 *	(flockfile(), streams of pipes) each takes it
 * internal fputc_unlocked putc_unlocked putchar_unlocked fgetc_unlocked getc_unlocked getchar_unlocked fflush_unlocked
 *	fputwc_unlocked putwc_unlocked putwchar_unlocked fgetwc_unlocked getwc_unlocked getwchar_unlocked - made as they are
 */
#define __NO_INLINE__ 1 /* or <stdio.h> has bodies of some of them */

#include "preload/hooks/hook.h"

#include <stdio.h>
#include <wchar.h>

#include "preload/hooks/libc/stream.h"

#undef fputc
#undef putc
#undef putchar
#undef fgetc
#undef getc
#undef getchar
#undef fputc_unlocked
#undef putc_unlocked
#undef putchar_unlocked
#undef fgetc_unlocked
#undef getc_unlocked
#undef getchar_unlocked
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
#define READS_(type, how, name, params, args, f)            \
	HEDDLE_HOOK type name params                        \
	{                                                   \
		moves(f);                                   \
		stream_reads(f);                            \
		return IN_STREAM_(f, how, REAL(name) args); \
	}
#define PUTS_(type, how, name, params, args, f)                                          \
	HEDDLE_HOOK type name params                                                     \
	{                                                                                \
		moves(f);                                                                \
		return IN_STREAM_(f, (how) | stream_prints_char(f, c), REAL(name) args); \
	}
#define READS(type, name, params, args, f)                \
	READS_(type, STREAM_LOCKS, name, params, args, f) \
	READS_(type, 0, name##_unlocked, params, args, f)
#define PUTS(type, name, params, args, f)                \
	PUTS_(type, STREAM_LOCKS, name, params, args, f) \
	PUTS_(type, 0, name##_unlocked, params, args, f)

PUTS(int, fputc, (int c, FILE *f), (c, f), f)
PUTS(int, putc, (int c, FILE *f), (c, f), f)
PUTS(int, putchar, (int c), (c), stdout)
PUTS(wint_t, fputwc, (wchar_t c, FILE *f), (c, f), f)
PUTS(wint_t, putwc, (wchar_t c, FILE *f), (c, f), f)
PUTS(wint_t, putwchar, (wchar_t c), (c), stdout)
READS(int, fgetc, (FILE * f), (f), f)
READS(int, getc, (FILE * f), (f), f)
READS(int, getchar, (void), (), stdin)
READS(wint_t, fgetwc, (FILE * f), (f), f)
READS(wint_t, getwc, (FILE * f), (f), f)
READS(wint_t, getwchar, (void), (), stdin)
READS_(int, STREAM_LOCKS, getw, (FILE * f), (f), f)
CALL(int, putw, (int w, FILE *f), (w, f), f)
CALL(int, ungetc, (int c, FILE *f), (c, f), f)
CALL(wint_t, ungetwc, (wint_t c, FILE *f), (c, f), f)
CALL(int, fwide, (FILE * f, int mode), (f, mode), f)
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

/* Of all streams it is the same as the one that locks them: it takes the locks of none. */
HEDDLE_HOOK int fflush_unlocked(FILE *f)
{
	if (!under_engine() || !f)
		return fflush(f);
	moves(f);
	return IN_STREAM_(f, 0, REAL(fflush_unlocked)(f));
}

void stream_flush_at_exit(void)
{
	for (FILE *f = all(); f; f = f->_chain)
		if (f->_flags & WRITING)
			REAL(fflush_unlocked)(f);
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
