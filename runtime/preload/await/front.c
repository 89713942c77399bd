/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * front.c - see front.h
 *
 * A hook that is called finds nothing of the program in registers that calls change. Inline assembly finds the
 * program in the middle of its work: all its registers are in the front. Those that calls keep are in the entry as well, and compared
 * there. Of the others counts what the code behind may read (live.h). Else what a hook has left in one of them would make
 * each round of a loop another state.
 */
#define _GNU_SOURCE 1
#include "preload/await/front.h"

#include <string.h>

#include "base/insn.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/arch/x86_64/registers.h"
#include "preload/arch/x86_64/sigframe.h"
#include "preload/code/code.h"
#include "preload/code/inline_code.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/liveness/flow_code.h"
#include "preload/liveness/live.h"

enum {
	ROOM = 1 << 16,   /* bytes of one: the registers of the FPU have 11,000 at most */
	LOOKS = 16,       /* instructions until the flags are looked at, or gone */
	FPU_IN_USE = 8,   /* bytes behind fxsave's: which of the others are not as at first */
	FPU_LEGACY = 512, /* fxsave: */
	FPU_CONTROL = 2,  /* the control word of x87 comes first, */
	FPU_MXCSR = 24,   /* and this one later; what programs choose, calls keep */
	FPU_MXCSR_SIZE = 4,
	FPU_SOFTWARE = 464 /* from here on the kernel says what there is */
};

static bool is_looked(uint64_t pc)
{
	return pc == (uint64_t)(uintptr_t)entry_looked;
}

static bool is_inline(uint64_t pc)
{
	return pc == (uint64_t)(uintptr_t)sigframe_behind;
}

uint64_t front_of(uint64_t *pc, const char *stack)
{
	struct sigframe_front f;
	uint64_t size = 0;

	if (is_looked(*pc)) {
		memcpy(pc, stack + ENTRY_KEPT - sizeof(*pc), sizeof(*pc));
		size = ENTRY_KEPT;
	}
	if (!is_inline(*pc))
		return size;
	sigframe_look((char *)(uintptr_t)(stack + size), &f);
	*pc = f.pc;
	return size + f.size;
}

/* ---- What counts ------------------------------------------------------------------------------------ */

static bool sets_all_flags(unsigned op)
{
	return (op < 0x40 && (op & 7) < 6 && (op >> 3 != 2) && (op >> 3 != 3)) || op == 0x84 ||
	       op == 0x85 || op == 0xa8 || op == 0xa9;
}

static bool lets_flags_be(unsigned op)
{
	return (op >= 0x88 && op < 0x8c) || op == 0x8d || op == 0x90 || (op >= 0xb0 && op < 0xc0) ||
	       op == 0xc6 || op == 0xc7 || op == 0x63 || op == 0x0fb6 || op == 0x0fb7 ||
	       op == 0x0fbe || op == 0x0fbf || (op >= 0x50 && op < 0x60) || op == 0xe9 ||
	       op == 0xeb;
}

/* setc, setnc; jc, jnc */
static bool reads_carry(unsigned op)
{
	return (op & 0xfffe) == 0x0f92 || (op & 0xfffe) == 0x72 || (op & 0xfffe) == 0x0f82;
}

/* May code look at flags as they were once? carry: it may look at that one. */
static bool flags_are_read(uint64_t pc, bool carry, int looks)
{
	while (looks-- > 0) {
		const struct inline_op *op = inline_op_at(pc);
		uint64_t left = INSN_LONGEST;
		uint8_t room[CODE_ROOM];
		struct insn in;

		if (op && insn_access_sets_flags(&op->access))
			return false;
		if (!insn_decode(code_at(pc, &left, room), left, pc, &in))
			return true;
		if (in.kind == INSN_CALL || in.kind == INSN_RETURN || sets_all_flags(in.opcode))
			return false;
		if (!lets_flags_be(in.opcode) && !(carry && reads_carry(in.opcode)))
			return true;
		if (in.kind == INSN_BRANCH && flags_are_read(in.target, carry, looks / 2))
			return true;
		if (in.kind == INSN_JUMP && !in.target)
			return true;
		pc = in.kind == INSN_JUMP ? in.target : pc + in.length;
	}
	return true;
}

/* May the code behind the inline assembly look at flags as they were before it? */
static bool flags_count(uint64_t pc)
{
	const struct inline_op *op = inline_op_before(pc);
	const bool carry = op && op->access.what >= ACCESS_BTS && op->access.what <= ACCESS_BTC;

	return !op || (!insn_access_sets_flags(&op->access) && flags_are_read(pc, carry, LOOKS));
}

static void wipe_registers(const struct sigframe_front *f)
{
	const uint16_t live = live_registers(f->pc) & (uint16_t)~CALLEE_SAVED;

	for (uint8_t reg = 0; reg < INSN_NONE; reg++)
		if (reg != INSN_RSP && !(live >> reg & 1))
			f->gregs[registers_index(reg)] = 0;
	if (!flags_count(f->pc))
		f->gregs[REG_EFL] = 0;
}

static void wipe_vectors(char *fpu, uint64_t size)
{
	memset(fpu + FPU_CONTROL, 0, FPU_MXCSR - FPU_CONTROL);
	memset(fpu + FPU_MXCSR + FPU_MXCSR_SIZE, 0, FPU_SOFTWARE - FPU_MXCSR - FPU_MXCSR_SIZE);
	memset(fpu + FPU_LEGACY, 0, size - FPU_LEGACY);
}

static void wipe_red_zone(char *front, const struct sigframe_front *f)
{
	for (uint64_t i = f->red_zone; i < f->size; i++)
		if (!live_below(f->pc, f->size - i))
			front[i] = 0;
}

void front_wipe(uint64_t pc, char *stack)
{
	struct sigframe_front f;

	if (is_looked(pc)) {
		memcpy(&pc, stack + ENTRY_KEPT - sizeof(pc), sizeof(pc));
		stack += ENTRY_KEPT;
	}
	if (!is_inline(pc))
		return;
	sigframe_look(stack, &f);
	sigframe_wipe(stack, &f);
	wipe_red_zone(stack, &f);
	/* Of those that are as at first the same stands there in any case (XSAVE). */
	if (f.fpu_size >= FPU_LEGACY + FPU_IN_USE)
		memset(stack + f.fpu + FPU_LEGACY, 0, FPU_IN_USE);
	if (f.fpu_size >= FPU_LEGACY && !live_vectors(f.pc))
		wipe_vectors(stack + f.fpu, f.fpu_size);
	wipe_registers(&f);
}

bool front_same(uint64_t pc, const char *a, const char *b, uint64_t size)
{
	static char *copies;
	KEPT(copies);

	if (!memcmp(a, b, size))
		return true;
	if (size > ROOM)
		return false;
	if (!copies)
		copies = map_own((uint64_t)2 * ROOM);
	memcpy(copies, a, size);
	memcpy(copies + ROOM, b, size);
	front_wipe(pc, copies);
	front_wipe(pc, copies + ROOM);
	return !memcmp(copies, copies + ROOM, size);
}
