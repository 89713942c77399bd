/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * membarrier.c - membarrier(): fences on all threads of the program (fence.c), and who may ask for them
 *
 * The commands are those that say something about memory, as the kernel has them. Those for code that changes itself
 * (SYNC_CORE) and for restartable sequences (RSEQ) are absent, as in kernels without them: QUERY does not name them,
 * and to call one is EINVAL.
 *
 * A process registers for the expedited commands, which its threads may do at any time: a variable of the
 * kernel's, read and changed as an atomic one.
 */
#include "preload/hooks/hook.h"

#include "preload/hooks/process/membarrier.h"

#include <errno.h>
#include <linux/membarrier.h>

#include "preload/core/context.h"
#include "preload/hooks/interrupt/fence.h"

#define REGISTERS \
	(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)
#define COMMANDS                                                               \
	(REGISTERS | MEMBARRIER_CMD_GLOBAL | MEMBARRIER_CMD_GLOBAL_EXPEDITED | \
	 MEMBARRIER_CMD_PRIVATE_EXPEDITED)

static HEDDLE_IMAGE_SELDOM uint32_t registered = 0;

static struct op_result on_registered(enum op_kind kind, uint32_t arg, uint64_t pc)
{
	struct op op = {
		.kind = kind,
		.order = kind == OP_LOAD ? ORDER_ACQ : ORDER_ACQ_REL,
		.size = sizeof(registered),
		.fn = RMW_OR,
		.addr = (uintptr_t)&registered,
		.arg = value_of(arg),
		.pc = pc,
	};
	struct op_result res;

	if (kind == OP_LOAD)
		op.fn = 0;
	operate(&op, &res);
	return res;
}

static bool has_registered(uint32_t command, uint64_t pc)
{
	uint64_t value = under_engine() ? on_registered(OP_LOAD, 0, pc).value.lo : registered;

	return value & command;
}

static void registers(uint32_t command, uint64_t pc)
{
	if (under_engine())
		registered = (uint32_t)on_registered(OP_RMW, command, pc).stored.lo;
	else
		registered |= command;
}

static void fence(bool everywhere, uint64_t pc)
{
	if (!under_engine())
		return;
	if (everywhere)
		fence_everywhere(pc);
	else
		fence_here(pc);
}

long membarrier_call(int command, unsigned flags, uint64_t pc)
{
	if (flags)
		return -EINVAL;
	switch (command) {
	case MEMBARRIER_CMD_QUERY:
		return COMMANDS;
	case MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED:
	case MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED:
		registers((uint32_t)command, pc);
		return 0;
	case MEMBARRIER_CMD_GLOBAL:
		fence(true, pc);
		return 0;
	case MEMBARRIER_CMD_GLOBAL_EXPEDITED: /* whoever calls it, it is on processes that have registered */
		fence(has_registered(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, pc), pc);
		return 0;
	case MEMBARRIER_CMD_PRIVATE_EXPEDITED:
		if (!has_registered(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, pc))
			return -EPERM;
		fence(true, pc);
		return 0;
	default:
		return -EINVAL;
	}
}
