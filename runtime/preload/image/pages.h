/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pages.h - the part of the image (snapshot.c) that is tracked by protection
 *
 * Internal to runtime/preload: snapshot.c, and blocks.c for pages_open() and pages_close().
 */
#ifndef HEDDLE_PRELOAD_PAGES_H
#define HEDDLE_PRELOAD_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Forgets all pages: an image is taken. */
void pages_begin(void);
/* What is known of a mapping. */
struct mapping_kind {
	bool file;    /* of a file */
	bool zero;    /* and in that it is zero */
	bool loaders; /* ld.so has it for itself, or the runtime */
	bool mapped;  /* the program made it, of nothing; it is to be tracked all the same */
};

/* Is the page at an address of the kind that is tracked? Then it is from now on. In order of
 * address. */
bool pages_add(uint64_t at, struct mapping_kind kind);
/* All were added: remembers what they hold. */
void pages_copy(void);
/* An execution is over: from now on pages are protected until they are written to. */
void pages_guard(void);
/* Puts those back that were written to. */
void pages_restore(void);
/* A fault at addr: true if it was the first write to a protected page, which may go on. */
bool pages_fault(uint64_t addr);
/* Makes [addr, addr + size) writable. */
void pages_expect(uint64_t addr, uint64_t size);
/* Between these two calls libc may write on behalf of the runtime, with all signals blocked. */
void pages_open(void);
void pages_close(void);
/* Calls fn for each page that is tracked. */
void pages_each(void (*fn)(uint64_t start, uint64_t end));
/*
 * Calls fn for each page that may have been written to, with what it held when the image was taken
 * (NULL: that was not kept). A page that fn was called for is one from then on in this execution, and
 * comes in the same order.
 */
void pages_written(void (*fn)(uint64_t start, uint64_t end, const char *copy));
/* Executions run in children from now on, and nothing is put back any more. */
void pages_release(void);

/* ---- snapshot.c ---- */

/* Copies the lines that differ, and only reads the others. */
void snapshot_put_back(char *at, const char *copy, uint64_t n);

/* Few enough to compare each time? */
bool pages_few(void);
/* From now on none is protected, and all are restored. */
void pages_open_all(void);

/* Such a child is about to be made. */
void pages_fork(void);

#pragma GCC visibility pop

#endif
