/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * board.h - where engines meet that share one exploration by values (engine/value/board.c)
 *
 * Memory that all of them have, all zero at first. It lies in the exchange of the workers (exchange.h).
 */
#ifndef HEDDLE_WIRE_BOARD_H
#define HEDDLE_WIRE_BOARD_H

#include <stdatomic.h>
#include <stdint.h>

enum {
	BOARD_JOINS = 1 << 12, /* nodes whose values several engines try at the same time */
	BOARD_DEPTH = 256,     /* and no node below that is one */
	BOARD_BITS = 21        /* of the table of vectors, of which half is taken */
};

/* Of a node: who still tries values of the read in turn, and which nodes up to it have others to be tried as well. */
struct board_join {
	_Atomic uint64_t left; /* 0: free; else one more than those that try some */
	_Atomic uint64_t goes_on[BOARD_DEPTH / 64];
};

struct board_name {
	_Atomic uint64_t a, b; /* both 0: free */
};

struct value_board {
	_Atomic uint64_t begun;   /* how often the exploration began from the start */
	uint32_t most;            /* vectors that are remembered; 0: as there is room */
	_Atomic uint32_t forgets; /* some are not */
	_Atomic uint64_t nnames;
	struct board_join join[BOARD_JOINS];
	_Alignas(64) struct board_name name[1 << BOARD_BITS];
};

#endif
