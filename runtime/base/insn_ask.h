/* SPDX-License-Identifier: BSD-2-Clause */
/* insn_ask.h - instructions that ask the processor for what no program can know, the time or a random number, or for a fence */
#ifndef HEDDLE_BASE_INSN_ASK_H
#define HEDDLE_BASE_INSN_ASK_H

#include <stdint.h>

enum insn_asks_for {
	ASKS_TIME,           /* rdtsc: to edx:eax */
	ASKS_TIME_AND_PLACE, /* rdtscp: likewise, and the processor's number to ecx */
	ASKS_RANDOM,         /* rdrand, rdseed: to a register, of `size` bytes */
	/* mfence, or a locked one that changes nothing, at an address that rsp gives */
	ASKS_FENCE
};

struct insn_ask {
	uint8_t kind;
	uint8_t reg, size;
};

/* Is it one? Its length in bytes, of `left` that may be looked at; 0: it is none. Pure. */
uint8_t insn_asks(const uint8_t *code, uint64_t left, struct insn_ask *ask);

#endif
