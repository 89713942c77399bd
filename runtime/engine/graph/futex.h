/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex.h - who waits for a futex word, and who is woken
 */
#ifndef HEDDLE_ENGINE_FUTEX_H
#define HEDDLE_ENGINE_FUTEX_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/graph/graph.h"

/* True for OP_FUTEX_WAIT, OP_FUTEX_WAKE and OP_FUTEX_REQUEUE. */
bool futex_kind(unsigned kind);

/* Must the operation be one step with the OP_FUTEX_LOOK before it? */
bool futex_follows_look(unsigned kind);

/* What the operation of event ev does when it reads this write: as graph_guard(). */
enum guard futex_guard(const struct graph *g, const struct event *ev, uint32_t write,
		       uint32_t choice, struct value *written);

/* In how many ways it can (who is woken, and who moves); at least 1. */
uint32_t futex_choices(const struct graph *g, const struct event *ev, uint32_t write);

#endif
