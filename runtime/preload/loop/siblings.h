/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * siblings.h - workers that the first one makes, where each would have addresses of its own
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_SIBLINGS_H
#define HEDDLE_PRELOAD_SIBLINGS_H

#include "wire/exchange.h"

#pragma GCC visibility push(hidden)

/* In the first worker, when it begins: maps the memory of those it is to make, if any. */
void siblings_map(struct exchange *x);

/*
 * At the root point, once the image is taken: makes them. Returns in each of them as well; only what
 * steal_*() and `shared` say tells who one is.
 */
void siblings_make(struct exchange *x);

#pragma GCC visibility pop

#endif
