/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream.h - streams of stdio: who is in a call of one, and who has its lock (stream.c)
 *
 * A hook of a call that locks its stream looks like this:
 *
 *	HEDDLE_HOOK int fputc(int c, FILE *f)
 *	{
 *		return IN_STREAM(f, REAL(fputc)(c, f));
 *	}
 *
 * The call may be left on the way: the thread is cancelled there.
 */
#ifndef HEDDLE_PRELOAD_STREAM_H
#define HEDDLE_PRELOAD_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "preload/core/context.h"

#pragma GCC visibility push(hidden)

/* Lies on the stack of the thread that makes the call. */
struct stream_call {
	const char *name; /* of the function */
	uint64_t pc;      /* where the program calls it */
	void *lock;       /* that the call has from the engine; or NULL */
	bool looked;      /* for a request of cancellation, before it began */
	struct stream_call *outer;
};

enum stream_calling {
	STREAM_LOCKS = 1, /* else the program takes care of that: calls that are named _unlocked */
	STREAM_WRITES =
		2 /* to the descriptor, for certain, and the thread can be cancelled there */
};

/* The call of this name begins, and ends. */
void stream_enter(struct stream_call *c, FILE *f, unsigned how, const char *name, uint64_t pc);
void stream_leave(struct stream_call *c);

/*
 * STREAM_WRITES, of a call that is about to print this: then the thread looks for a request before the call and not
 * within, and the lock need not be explored for that. 0: it may, or not.
 */
unsigned stream_prints_char(const FILE *f, int c);
unsigned stream_prints_bytes(const FILE *f, const void *p, size_t size, size_t n);
unsigned stream_prints_text(const FILE *f, const char *s);
unsigned stream_prints_line(const FILE *f);
unsigned stream_prints_format(const FILE *f, const char *format);

#define IN_STREAM_(f, how, call)                                  \
	({                                                        \
		struct stream_call call_;                         \
                                                                  \
		stream_enter(&call_, f, how, __func__, CALLER()); \
		__typeof__(call) answer_ = call;                  \
		stream_leave(&call_);                             \
		answer_;                                          \
	})
#define IN_STREAM(f, call) IN_STREAM_(f, STREAM_LOCKS, call)

/*
 * The thread is about to read from the stream. Who of several gets what is a matter of who comes first, so the lock is
 * explored once a second one reads.
 */
void stream_reads(FILE *f);

/* The innermost call that the thread is in; NULL: none that a hook knows of. */
const struct stream_call *stream_call(void);

/*
 * The thread is about to perform an operation within libc's code for the stream, whose lock it has there. If the
 * lock was not explored so far, leaves: the search starts again.
 */
void stream_held(FILE *f);
/* Within the call that closes it: the stream's lock is given back, before its memory is. */
void stream_gone(void);

/*
 * Set by whoever knows (hooks/io): are reads and writes of the descriptor operations; and does the stream read and write
 * a descriptor (or does it call functions of the program, or of libc's that nobody sees).
 */
extern bool (*stream_leads_to_channel)(int fd);
extern bool (*stream_is_of_file)(const FILE *f);

/* Writes out all streams, without a lock: the program ends. */
void stream_flush_at_exit(void);

#pragma GCC visibility pop

#endif
