/* SPDX-License-Identifier: BSD-2-Clause */
/* insn_ask.c - see insn_ask.h; Intel's manual, volume 2: RDTSC, RDTSCP, RDRAND, RDSEED */
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
	RDSEED = 7
};

/* mod, reg and rm of a ModRM byte */
static bool is_random(uint8_t modrm)
{
	return modrm >> 6 == 3 && ((modrm >> 3 & 7) == RDRAND || (modrm >> 3 & 7) == RDSEED);
}

uint8_t insn_asks(const uint8_t *code, uint64_t left, struct insn_ask *ask)
{
	bool half = left && *code == HALF;
	uint8_t at = half, rex = 0;

	if (at < left && (code[at] & 0xf0) == REX)
		rex = code[at++];
	if (left < at + 2u || code[at] != TWO)
		return 0;
	*ask = (struct insn_ask){ .kind = ASKS_TIME };
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
