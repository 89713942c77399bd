/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alias.h - memory that the program has at two addresses
 *
 * To heddle an object is an address. What one thread stores at one of the two nobody would ever read at the other one,
 * so to synchronise there is refused (kin_uses()). Plain data is all right (buffers that are mapped twice in a row).
 */
#ifndef HEDDLE_PRELOAD_ALIAS_H
#define HEDDLE_PRELOAD_ALIAS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/maps.h"

#pragma GCC visibility push(hidden)

/* A mapping of what others may map, too (MAP_SHARED). Those before the root point are met there (image/snapshot.c). */
void alias_meet(const struct maps_line *line);
/* Something was mapped shared after that. */
void alias_look_again(void);
bool alias_any(void);
bool alias_has(uint64_t at);

#pragma GCC visibility pop

#endif
