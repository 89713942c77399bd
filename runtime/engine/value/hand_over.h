/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hand_over.h - values of a node that another engine tries (hand_over.c)
 */
#ifndef HEDDLE_ENGINE_VALUE_HAND_OVER_H
#define HEDDLE_ENGINE_VALUE_HAND_OVER_H

#include "engine/value/value.h"

/* As engine_give(). */
size_t value_hand_over(struct engine *e, void *buf, size_t size, struct engine_id *id);
/* The nodes are those of the packet, and of the latest one's read in turn the values that are left are to be tried next. */
void value_take_over(struct engine *e, const void *buf, size_t len);

#endif
