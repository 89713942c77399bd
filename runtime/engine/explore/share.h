/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * share.h - subtrees of an exploration, from one engine to another
 */
#ifndef HEDDLE_ENGINE_EXPLORE_SHARE_H
#define HEDDLE_ENGINE_EXPLORE_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/search.h"

struct engine;

/*
 * Sharing an exploration among engines, which may live in different processes of one program
 * (share.c). The program must have the same addresses everywhere.
 *
 * engine_give() writes the oldest work of this engine, the root of a subtree, into buf (16-byte
 * aligned), and forgets it; returns its length, or 0 when there is no work to give, or no
 * room. *id identifies the subtree. engine_take() goes on from there, in an engine that has
 * nothing left to do, instead of engine_advance(); false: no execution is in it. len 0
 * means the whole exploration, from the first execution on. It leaves out the subtrees of
 * skip, which must stay valid until the next engine_take(). Statistics go on. Call both
 * between engine_advance() and engine_begin().
 */
size_t engine_give(struct engine *e, void *buf, size_t size, struct engine_id *id);
bool engine_take(struct engine *e, const void *buf, size_t len, const struct engine_id *skip,
		 size_t nskip);

#endif
