/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * board.h - what engines that share an exploration by values tell each other (board.c; value.txt, V8)
 */
#ifndef HEDDLE_ENGINE_VALUE_BOARD_H
#define HEDDLE_ENGINE_VALUE_BOARD_H

#include "engine/value/value.h"
#include "wire/board.h"

/* The exploration begins from the start: what was visited before does not count any more. */
void board_begin(struct value_board *b);

enum claim {
	CLAIM_FIRST, /* nobody else had that name */
	CLAIM_TAKEN,
	CLAIM_NO_ROOM
};
/* Who asks first has it. */
enum claim board_claim(struct value_board *b, struct engine_id id);

/* One engine more tries values of the node. False: no join is free. */
bool board_share(struct value_board *b, struct value_node *node);
/* It does not after all. */
void board_unshare(struct value_board *b, const struct value_node *node);
/*
 * The engine is through with its values of the node, the latest one. False: another one is not; it goes on with the node, and what is above it,
 * and this engine has nothing left to do. True: so does this one, with the signals of all.
 */
bool board_arrive(struct engine *e);

#endif
