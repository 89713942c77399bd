/* SPDX-License-Identifier: BSD-2-Clause */
/* own.h - memory of the runtime's own */
#ifndef HEDDLE_PRELOAD_OWN_H
#define HEDDLE_PRELOAD_OWN_H

#include <stddef.h>

#define OWN_TABLES 0x130000000000ul /* where they begin (fiber.h has the map) */

#pragma GCC visibility push(hidden)

/* Zero, page-aligned, never part of the image. Never fails. */
void *map_own(size_t size);

#pragma GCC visibility pop

#endif
