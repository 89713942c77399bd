/* SPDX-License-Identifier: BSD-2-Clause */
/* insn_ask.c - see insn_ask.h; Intel's manual, volume 2: RDTSC, RDTSCP, RDRAND, RDSEED, MFENCE; volume 3, 8.2: locked instructions */
#include "base/insn_ask.h"

#include <stdbool.h>

enum {
	HALF = 0x66,
	REX = 0x40, /* to 0x4f */
	REX_W = 8,
	REX_B = 1,
	TWO = 0x0f,
	RDTSC = 0x31,
	GROUP_7 = 0x01,
	RDTSCP = 0xf9, /* in group 7 */
	GROUP_9 = 0xc7,
	RDRAND = 6, /* in group 9, of a register */
	RDSEED = 7,
	GROUP_15 = 0xae,
	MFENCE = 6, /* in group 15, of a register */
	MFENCE_LENGTH = 3,
	LOCK = 0xf0,
	GROUP_1_BYTE = 0x80,
	GROUP_1_LONG = 0x81,
	GROUP_1_SHORT = 0x83,
	NO_CHANGE = 1 << 0 | 1 << 1 | 1 << 5 | 1 << 6, /* in group 1, by 0: add, or, sub, xor */
	SIB = 4,
	BY_RSP = 0x24 /* base rsp, no index; whatever the scale */
};

/* mod, reg and rm of a ModRM byte */
static bool is_random(uint8_t modrm)
{
	return modrm >> 6 == 3 && ((modrm >> 3 & 7) == RDRAND || (modrm >> 3 & 7) == RDSEED);
}

static bool are_zero(const uint8_t *from, uint8_t n)
{
	for (uint8_t i = 0; i < n; i++)
		if (from[i])
			return false;
	return true;
}

/* The length of a locked instruction that adds 0, or the like, to what is on the stack; 0: it is none. */
static uint8_t locked_nothing(const uint8_t *code, uint64_t left)
{
	static const uint8_t displacement[] = { 0, 1, 4 };
	uint8_t at = 1 + (left > 1 && code[1] == (REX | REX_W)), op, modrm, number;

	if (left < at + 3u)
		return 0;
	op = code[at];
	modrm = code[at + 1];
	if ((op != GROUP_1_BYTE && op != GROUP_1_LONG && op != GROUP_1_SHORT) || modrm >> 6 == 3 ||
	    !(NO_CHANGE >> (modrm >> 3 & 7) & 1) || (modrm & 7) != SIB ||
	    (code[at + 2] & 0x3f) != BY_RSP)
		return 0;
	at += 3 + displacement[modrm >> 6];
	number = op == GROUP_1_LONG ? 4 : 1;
	return left >= at + (uint64_t)number && are_zero(code + at, number) ? at + number : 0;
}

static bool is_mfence(const uint8_t *code, uint64_t left)
{
	return left >= MFENCE_LENGTH && code[0] == TWO && code[1] == GROUP_15 &&
	       code[2] >> 3 == (3 << 3 | MFENCE);
}

uint8_t insn_asks(const uint8_t *code, uint64_t left, struct insn_ask *ask)
{
	bool half = left && *code == HALF;
	uint8_t at = half, rex = 0;

	*ask = (struct insn_ask){ .kind = ASKS_FENCE };
	if (is_mfence(code, left))
		return MFENCE_LENGTH;
	if (left && *code == LOCK)
		return locked_nothing(code, left);
	if (at < left && (code[at] & 0xf0) == REX)
		rex = code[at++];
	if (left < at + 2u || code[at] != TWO)
		return 0;
	ask->kind = ASKS_TIME;
	if (code[at + 1] == RDTSC)
		return at + 2;
	if (left < at + 3u)
		return 0;
	if (code[at + 1] == GROUP_7 && code[at + 2] == RDTSCP) {
		ask->kind = ASKS_TIME_AND_PLACE;
		return at + 3;
	}
	if (code[at + 1] != GROUP_9 || !is_random(code[at + 2]))
		return 0;
	ask->kind = ASKS_RANDOM;
	ask->reg = (code[at + 2] & 7) | (rex & REX_B) << 3;
	ask->size = rex & REX_W ? 8 : half ? 2 : 4;
	return at + 3;
}
