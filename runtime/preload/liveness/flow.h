/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow.h - which bytes of its frame a function may still read when a call returns
 *
 * To see whether flow.c is right, let the runtime overwrite all that it calls dead (bytes and callee-saved
 * registers, in all frames) after each operation: every program has to do what it did.
 *
 * Internal to runtime/preload; live.c asks, and remembers.
 */
#ifndef HEDDLE_PRELOAD_FLOW_H
#define HEDDLE_PRELOAD_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
	FLOW_BYTES = 1024, /* of a frame that are told apart; all others are live */
	FLOW_WORDS = FLOW_BYTES / 64
};

/* A frame, when the call in it that returns to pc has been made, or is to be. Offsets are from
 * the canonical frame address, the stack pointer of the caller before its call. */
struct flow {
	uint64_t pc;
	bool before; /* the call is still to be made: what it reads is live */
	bool known;  /* otherwise nothing else is said */
	bool atomic; /* the call is one of an atomic operation, whose result is in rax, or is none */
	bool returned;  /* what rax holds behind the call may be what the function returns */
	bool shared;    /* others may have pointers into the frame */
	bool arguments; /* it may look at what its caller has put on the stack */
	int32_t sp;     /* offset of the stack pointer after the call */
	uint16_t live_regs;
	bool scratch; /* of inline assembly that is an operation: no vector register has anything that anybody wants */
	uint64_t live[FLOW_WORDS]; /* bit i: the byte at offset -1 - i */
};

/* Fills *flow for flow->pc and flow->before; whether it is called again or not, the outcome is the same. */
void flow_find(struct flow *flow);

static inline bool flow_live(const struct flow *flow, int64_t offset)
{
	uint64_t bit = (uint64_t)(-1 - offset);

	return bit >= FLOW_BYTES || (flow->live[bit / 64] >> bit % 64 & 1);
}

#pragma GCC visibility pop

#endif
