/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_frame.h - by values: a thread accesses the stack of another one, whose own accesses there nobody may announce
 *
 * Compilers announce accesses to variables whose address is known elsewhere, but not all: what a structure that is passed by value is copied from, and to, and
 * (gcc) where the result of a call is put that comes in registers. So what such a variable holds would pass between threads without a value (value.txt, M7).
 */
#ifndef HEDDLE_PRELOAD_BARE_FRAME_H
#define HEDDLE_PRELOAD_BARE_FRAME_H

#include "preload/fiber/fiber.h"
#include "preload/memory/access.h"

#pragma GCC visibility push(hidden)

/* The calling thread makes that access to the owner's stack. Gives values up if the owner may touch these bytes without telling. */
void bare_frame_visited(const struct fiber *owner, const struct access *access);

#pragma GCC visibility pop

#endif
