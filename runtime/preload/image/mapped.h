/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapped.h - what the program has mapped for itself before the root point
 *
 * The kernel joins mappings that lie side by side. So in /proc/self/maps what the program has mapped
 * looks like ld.so's, control blocks of threads included, and has to be known from its calls.
 *
 * Internal to runtime/preload: hook_map.c tells, snapshot.c asks.
 */
#ifndef HEDDLE_PRELOAD_MAPPED_H
#define HEDDLE_PRELOAD_MAPPED_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The program has mapped, or no longer has, [start, start + size). */
void mapped_add(uint64_t start, uint64_t size);
void mapped_remove(uint64_t start, uint64_t size);

/*
 * Is address at in a piece that the program has mapped, and large enough to be worth being known?
 * *end is lowered to where the answer becomes another one.
 */
bool mapped_at(uint64_t at, uint64_t *end);

#pragma GCC visibility pop

#endif
