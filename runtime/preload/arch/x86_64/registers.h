/* SPDX-License-Identifier: BSD-2-Clause */
/* registers.h - where ucontext_t has which register */
#ifndef HEDDLE_PRELOAD_REGISTERS_H
#define HEDDLE_PRELOAD_REGISTERS_H

#include <stdint.h>
#include <ucontext.h>

/* Its index in gregs; reg: as instructions number it (base/insn.h), below INSN_NONE. */
static inline unsigned registers_index(uint8_t reg)
{
	static const uint8_t where[] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
					 REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
					 REG_R12, REG_R13, REG_R14, REG_R15 };

	return where[reg];
}

#endif
