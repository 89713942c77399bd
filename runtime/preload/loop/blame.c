/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blame.c - whether a fault in the runtime is the program's, which handed over a bad pointer
 *
 * Hooks look at what the program points to, and a call with a bad pointer faults there as it would
 * in libc. Not each of them can say beforehand what it is about to touch, so it is asked afterwards.
 * A fault is the runtime's own if
 *
 *	- it is none of memory;
 *	- it came up on the engine's stack, where nothing of the program's is touched;
 *	- its address lies where only the runtime has memory (fiber.h: the address plan);
 *	- it is next to 0, and the call has no argument that is: then some table of ours was not set.
 *
 * Pointers to elsewhere come from the program alone. Where it called from is found by the
 * unwinder, which goes from the fault through the frames of the runtime to the first one that is not.
 */
#define _GNU_SOURCE 1
#include "preload/loop/blame.h"

#include <dlfcn.h>
#include <string.h>
#include <unwind.h>

#include "base/insn.h"
#include "preload/arch/x86_64/switch.h"
#include "preload/code/modules.h"
#include "preload/fiber/fiber.h"
#include "preload/liveness/callee.h"

enum {
	NEAR_NULL = 1 << 16,
	NOWHERE = 1 /* no place in the program */
};

static bool in_own_memory(uint64_t addr)
{
	uint64_t start, end;

	runtime_data(&start, &end);
	return (addr >= start && addr < end) || (own_address(addr) && addr >= OWN_TABLES) ||
	       addr - OWN_HOOKS < OWN_STACKS - OWN_HOOKS;
}

/* Of an address next to 0: does the call that runs have such an argument, as far as that is known? */
static bool has_null_argument(void)
{
	if (!current || !current->entry.sp)
		return true;
	for (int i = 0; i < 6; i++)
		if (current->entry.arg[i] < NEAR_NULL)
			return true;
	return false;
}

static bool named_by_program(uint64_t addr)
{
	return !in_own_memory(addr) && (addr >= NEAR_NULL || has_null_argument());
}

struct way {
	uint64_t fault;  /* the instruction */
	bool begun;      /* the frame of the fault was met */
	uint64_t caller; /* 0: not found yet */
};

static _Unwind_Reason_Code next_frame(struct _Unwind_Context *context, void *arg)
{
	uint64_t ip = _Unwind_GetIP(context);
	struct way *way = arg;

	way->begun |= ip == way->fault;
	if (!way->begun || in_runtime(ip))
		return _URC_NO_REASON;
	way->caller = ip;
	return _URC_END_OF_STACK;
}

static uint64_t caller_of(uint64_t fault)
{
	struct way way = { .fault = fault };
	struct self *caller = current;

	current = NULL; /* the unwinder calls libc */
	_Unwind_Backtrace(next_frame, &way);
	current = caller;
	return way.caller;
}

/* An address that is none faults where it is called, not there. */
static bool calls_by_pointer(uint64_t pc)
{
	struct insn in;

	return insn_decode((const uint8_t *)(uintptr_t)pc, INSN_LONGEST, pc, &in) &&
	       (in.kind == INSN_CALL || in.kind == INSN_JUMP) && !in.target;
}

bool fault_of_caller(int sig, const siginfo_t *info, const ucontext_t *uc, uint64_t *pc)
{
	const greg_t *regs = uc->uc_mcontext.gregs;

	if ((sig != SIGSEGV && sig != SIGBUS) || on_engine_stack((uint64_t)regs[REG_RSP]))
		return false;
	if (!fault_is_wild(sig, info) && !named_by_program((uint64_t)(uintptr_t)info->si_addr))
		return false;
	*pc = caller_of((uint64_t)regs[REG_RIP]);
	/* What a thread begins with, or ends with, has no caller but the runtime. */
	if (!*pc && fault_is_wild(sig, info) && calls_by_pointer((uint64_t)regs[REG_RIP]))
		*pc = NOWHERE;
	return *pc != 0;
}

const char *call_before(uint64_t pc)
{
	struct insn call;
	uint64_t address;
	Dl_info info;

	if (module_of(pc) < 0 || !callee_called(pc, &call))
		return NULL;
	address = callee_address(&call);
	if (!in_runtime(address) || !dladdr((void *)address, &info) || !info.dli_sname ||
	    !strncmp(info.dli_sname, "__tsan_", 7))
		return NULL;
	return info.dli_sname;
}
