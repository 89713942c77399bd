/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * placed.h - where threads map memory, and how that is undone
 *
 * The kernel would place a mapping where the next gap is, which depends on what other threads have mapped before. Each thread
 * has a part of the address space of its own instead, used from bottom to top, and nothing in it twice in one execution.
 * Nothing else is mapped there. So when an execution is over all of it is unmapped, and what is private and anonymous is gone
 * with that: memory that is mapped anew is zero. What a mapping leaves elsewhere (a file, other processes) is no matter of this
 * (needs_fork_of_memory()).
 *
 * Internal to runtime/preload: hook_map.c asks, snapshot.c has it undone.
 */
#ifndef HEDDLE_PRELOAD_PLACED_H
#define HEDDLE_PRELOAD_PLACED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/*
 * Where the calling thread maps so many bytes next, with a gap behind; NULL: there is no more room. like: as many last bits of the
 * place are 0 as are of that, up to 30, or it is NULL.
 */
void *placed_next(size_t size, const void *like);

/* Does all of [at, at + size) lie where threads have mapped in this execution? */
bool placed_has(const void *at, size_t size);

/* Unmaps all that threads have mapped there in the last execution; before the image is put back, as that has what is in use. */
void placed_undo(void);

#pragma GCC visibility pop

#endif
