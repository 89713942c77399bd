/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_stream.c - what is read from streams into memory, as plain writes
 *
 * Only calls from instrumented code count. How much comes is not known before; that it will be written
 * is announced behind the call. What comes depends on more than the program's memory, so no thread is run
 * once more from before such a call, and nothing of it has to be undone.
 */
/*
 * intercepts: Memory
 *
 * checked fread _IO_fread fread_unlocked fgets _IO_fgets fgets_unlocked __fread_chk __fread_unlocked_chk __fgets_chk
 *	__fgets_unlocked_chk fgetws fgetws_unlocked __fgetws_chk __fgetws_unlocked_chk - plain writes of what was read, when instrumented code calls them
 * checked fgetpos fgetpos64 fsetpos fsetpos64 - likewise of the position, and plain reads of it
 * checked getline getdelim __getdelim - likewise, and plain accesses of the pointer and of the size
 */
#define __NO_INLINE__ 1 /* or headers define some of these */
#include "preload/hooks/announce.h"

#include "preload/code/modules.h"
#include "preload/core/context.h"
#include "preload/facts/values.h"
#include "preload/hooks/libc/stream.h"
#include "preload/image/snapshot.h"
#include "preload/step/perform.h"

#include <errno.h>
#include <stdio.h>
#include <wchar.h>

#undef fread_unlocked /* which the headers put other code in the place of */

/* As -D_FORTIFY_SOURCE calls them. */
size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *f);
size_t __fread_unlocked_chk(void *to, size_t room, size_t size, size_t n, FILE *f);
char *__fgets_chk(char *to, size_t room, int n, FILE *f);
char *__fgets_unlocked_chk(char *to, size_t room, int n, FILE *f);
wchar_t *__fgetws_chk(wchar_t *to, size_t room, int n, FILE *f);
wchar_t *__fgetws_unlocked_chk(wchar_t *to, size_t room, int n, FILE *f);

/* A call at pc is about to read up to n bytes; the kernel itself may write them. */
static bool announce(FILE *f, void *to, size_t n, uint64_t pc)
{
	if (!under_engine())
		return seen(pc);
	stream_reads(f);
	values_give_up("streams are used");
	note_hidden_state();
	if (n)
		snapshot_expect((uintptr_t)to, n);
	return memory_from_program(pc);
}

static size_t product(size_t size, size_t n)
{
	size_t all;

	return __builtin_mul_overflow(size, n, &all) ? 0 : all;
}

#define READ(name, how, params, args)                              \
	HEDDLE_HOOK size_t name params                             \
	{                                                          \
		uint64_t pc = CALLER();                            \
		bool told = announce(f, to, product(size, n), pc); \
		size_t got = IN_STREAM_(f, how, REAL(name) args);  \
                                                                   \
		if (told)                                          \
			writes(to, product(size, got), pc);        \
		return got;                                        \
	}
READ(fread, STREAM_LOCKS, (void *restrict to, size_t size, size_t n, FILE *restrict f),
     (to, size, n, f))
READ(fread_unlocked, 0, (void *restrict to, size_t size, size_t n, FILE *restrict f),
     (to, size, n, f))
READ(__fread_chk, STREAM_LOCKS, (void *to, size_t room, size_t size, size_t n, FILE *f),
     (to, room, size, n, f))
READ(__fread_unlocked_chk, 0, (void *to, size_t room, size_t size, size_t n, FILE *f),
     (to, room, size, n, f))

/* A line may have zeros in it, and then more of it is there than is told. */
#define READ_LINE(type, length, name, how, params, args)                              \
	HEDDLE_HOOK type *name params                                                 \
	{                                                                             \
		uint64_t pc = CALLER();                                               \
		bool told = announce(f, to, n > 0 ? (size_t)n * sizeof(*to) : 0, pc); \
		type *got = IN_STREAM_(f, how, REAL(name) args);                      \
                                                                                      \
		if (told && got)                                                      \
			writes(to, (length(to) + 1) * sizeof(*to), pc);               \
		return got;                                                           \
	}
#define READ_BYTES(name, how, params, args) READ_LINE(char, strlen, name, how, params, args)
#define READ_WIDE(name, how, params, args)  READ_LINE(wchar_t, wcslen, name, how, params, args)

READ_BYTES(fgets, STREAM_LOCKS, (char *restrict to, int n, FILE *restrict f), (to, n, f))
READ_BYTES(fgets_unlocked, 0, (char *restrict to, int n, FILE *restrict f), (to, n, f))
READ_BYTES(__fgets_chk, STREAM_LOCKS, (char *to, size_t room, int n, FILE *f), (to, room, n, f))
READ_BYTES(__fgets_unlocked_chk, 0, (char *to, size_t room, int n, FILE *f), (to, room, n, f))
READ_WIDE(fgetws, STREAM_LOCKS, (wchar_t *restrict to, int n, FILE *restrict f), (to, n, f))
READ_WIDE(fgetws_unlocked, 0, (wchar_t *restrict to, int n, FILE *restrict f), (to, n, f))
READ_WIDE(__fgetws_chk, STREAM_LOCKS, (wchar_t * to, size_t room, int n, FILE *f), (to, room, n, f))
READ_WIDE(__fgetws_unlocked_chk, 0, (wchar_t * to, size_t room, int n, FILE *f), (to, room, n, f))

/* ---- Lines of any length -------------------------------------------------------------------------- */

/* What a line is read into: *line, and its size *n. */
struct place_before {
	char *line;
	size_t n;
	bool told;
};

static struct place_before before(char **line, size_t *n, FILE *f, uint64_t pc)
{
	struct place_before b = { NULL, 0, announce(f, NULL, 0, pc) };

	if (!b.told || !line || !n)
		return b;
	reads(line, sizeof(*line), pc);
	reads(n, sizeof(*n), pc);
	b.line = *line;
	b.n = *n;
	return b;
}

/* Memory that libc has taken for the line was the thread's own until now. */
static ssize_t behind(const struct place_before *b, char **line, size_t *n, ssize_t got,
		      uint64_t pc)
{
	int error = errno;

	if (!b->told || !line || !n)
		return got;
	if (b->line != *line)
		writes(line, sizeof(*line), pc);
	if (b->n != *n)
		writes(n, sizeof(*n), pc);
	if (got >= 0)
		writes(*line, (size_t)got + 1, pc);
	errno = error;
	return got;
}

HEDDLE_HOOK ssize_t getline(char **restrict line, size_t *restrict n, FILE *restrict f)
{
	uint64_t pc = CALLER();
	struct place_before b = before(line, n, f, pc);

	return behind(&b, line, n, IN_STREAM(f, REAL(getline)(line, n, f)), pc);
}

HEDDLE_HOOK ssize_t getdelim(char **restrict line, size_t *restrict n, int end, FILE *restrict f)
{
	uint64_t pc = CALLER();
	struct place_before b = before(line, n, f, pc);

	return behind(&b, line, n, IN_STREAM(f, REAL(getdelim)(line, n, end, f)), pc);
}

HEDDLE_HOOK ssize_t __getdelim(char **restrict line, size_t *restrict n, int end, FILE *restrict f)
{
	uint64_t pc = CALLER();
	struct place_before b = before(line, n, f, pc);

	return behind(&b, line, n, IN_STREAM(f, REAL(__getdelim)(line, n, end, f)), pc);
}

/* ---- Where it is --------------------------------------------------------------------------------- */

/* libc writes nothing where it fails; whoever looks at the position sees how far others have come. */
#define GET_POSITION(name, type)                                        \
	HEDDLE_HOOK int name(FILE *restrict f, type *restrict position) \
	{                                                               \
		uint64_t pc = CALLER();                                 \
		type own;                                               \
		int result;                                             \
                                                                        \
		note_hidden_state();                                    \
		if (!may_fill(position, sizeof(own), pc))               \
			return IN_STREAM(f, REAL(name)(f, position));   \
		result = IN_STREAM(f, REAL(name)(f, &own));             \
		if (!result)                                            \
			fill(position, &own, sizeof(own), pc);          \
		return result;                                          \
	}
#define SET_POSITION(name, type)                                       \
	HEDDLE_HOOK int name(FILE *f, const type *position)            \
	{                                                              \
		uint64_t pc = CALLER();                                \
                                                                       \
		note_hidden_state();                                   \
		if (seen(pc) && !module_constant((uintptr_t)position)) \
			reads(position, sizeof(*position), pc);        \
		return IN_STREAM(f, REAL(name)(f, position));          \
	}
GET_POSITION(fgetpos, fpos_t)
GET_POSITION(fgetpos64, fpos64_t)
SET_POSITION(fsetpos, fpos_t)
SET_POSITION(fsetpos64, fpos64_t)

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(_IO_fgets, fgets);
ALSO_CALLED(_IO_fread, fread);
