/* SPDX-License-Identifier: BSD-2-Clause */
/* snapshot.h - the image of the program at the root point */
#ifndef HEDDLE_PRELOAD_SNAPSHOT_H
#define HEDDLE_PRELOAD_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Remembers the program as it is, main's stack from sp up. */
void snapshot_capture(uint64_t sp);
/* Puts the program back to that. */
void snapshot_restore(void);
/* A fault at addr: true if it was the first write to a protected page, which may go on. */
bool snapshot_fault(uint64_t addr);
/* The kernel may be about to write to [addr, addr + size): it would not wait for a fault. */
void snapshot_expect(uint64_t addr, uint64_t size);
/* Calls fn for each part of the image. */
void snapshot_each(void (*fn)(uint64_t start, uint64_t end));
/*
 * Calls fn for what may be another than at the root point, always in the same order, with what was
 * there then (NULL: that was not kept). What is known to be as it was may be left out, and turn up
 * later.
 */
void snapshot_written(void (*fn)(uint64_t start, uint64_t end, const char *copy));
/* Of the image, in bytes. */
uint64_t snapshot_size(void);
/*
 * The image is copied, so that it can be put back. A large one takes as much memory once more, and
 * longer than a child does, which shares the pages: false where it was not.
 */
bool snapshot_is_large(void);
void snapshot_keep(void);
bool snapshot_kept(void);
/* Forgets the image: executions run in children from now on. */
void snapshot_release(void);

/* A new image; a shared mapping of it, with the path in /proc/self/maps; all were added. */
void shared_maps_begin(void);
void shared_maps_add(uint64_t start, uint64_t end, const char *path, size_t length);
void shared_maps_take(void);
/* Were there any at the root point? */
bool shared_maps_any(void);
/* Puts back what they held. For both back ends, before each execution. */
void shared_maps_restore(void);
/* Calls fn for each, with what it held then. */
void shared_maps_each(void (*fn)(uint64_t start, uint64_t end));
void shared_maps_written(void (*fn)(uint64_t start, uint64_t end, const char *copy));

#pragma GCC visibility pop

#endif
