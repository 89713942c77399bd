/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * asks.c - see asks.h
 *
 * rdtsc, rdtscp, rdrand and rdseed give something else each time, and no call tells of them. So a loop that waits until the
 * time is over would seem to do the same for ever, and a program that decides by what it was given would not come back. In
 * place of each stands a breakpoint, and what the thread is given is the time and the numbers that calls give
 * (hook_time.c, hook_random.c): a tick of the time-stamp counter is a nanosecond.
 *
 * The breakpoint is hlt, which gives SIGSEGV: a debugger passes that on, and would take SIGTRAP for its own.
 *
 * Inline assembly that is a fence is one for the engine as well (hooks/tsan/bare_fence.c); of a locked instruction that changes
 * nothing (insn_ask.h) no more is left, and its flags are those of before: nobody looks at what 0 added to the stack makes of them.
 *
 * So is inline assembly of what heddle-cc compiled that accesses memory in one step (hooks/tsan/bare_atomic.c). Where that lies notes say
 * (code/inline_code.h).
 *
 * The others are looked for in the modules that were there when the program began, but for the system's libraries, in functions that
 * the unwinder knows, up to an instruction that the decoder does not know.
 *
 * Cost: one pass over the code, for the first bytes that they have; then a signal for each time that one is executed.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/hooks/world/asks.h"

#include <link.h>
#include <string.h>

#include "base/insn.h"
#include "base/insn_ask.h"
#include "base/insn_rest.h"
#include "base/insn_vector.h"
#include "preload/arch/x86_64/registers.h"
#include "preload/code/code.h"
#include "preload/code/functions.h"
#include "preload/code/inline_code.h"
#include "preload/code/modules.h"
#include "preload/core/reset.h"
#include "preload/hooks/world/random.h"
#include "preload/hooks/world/time.h"
#include "preload/loop/signals.h"

enum {
	MOST = 4096,
	SHORTEST = 2, /* bytes of such an instruction */
	CARRY = 1,
	FLAGS = 0x8d5 /* OF, SF, ZF, AF, PF, CF */
};

static struct {
	struct breakpoint here;
	uint8_t length;
	struct insn_ask ask;
} all[MOST]; /* by address */
KEPT(all);
static uint32_t n;
KEPT(n);

/* ---- Where they are -------------------------------------------------------------------------------- */

static bool is_wanted(const struct dl_phdr_info *info)
{
	const char *slash = strrchr(info->dlpi_name, '/');

	return !module_is_of_system(slash ? slash + 1 : info->dlpi_name);
}

/* May one be there? Asked of all code, so fast. */
static bool may_ask_from(uint8_t first, uint64_t start, uint64_t end)
{
	const uint8_t *p = (const uint8_t *)start, *last = (const uint8_t *)end - SHORTEST;

	while (p <= last && (p = memchr(p, first, (size_t)(last - p) + 1))) {
		struct insn_ask ask;

		if (insn_asks(p, end - (uint64_t)(uintptr_t)p, &ask))
			return true;
		p++;
	}
	return false;
}

static bool may_ask(uint64_t start, uint64_t end)
{
	return may_ask_from(0x0f, start, end) || may_ask_from(0xf0, start, end);
}

static bool decode(uint64_t at, uint64_t end, struct insn *in)
{
	const uint8_t *code = (const uint8_t *)at;

	return insn_decode(code, end - at, at, in) || insn_decode_vector(code, end - at, at, in) ||
	       insn_decode_rest(code, end - at, at, in);
}

static void add(uint64_t at, uint8_t length, struct insn_ask ask)
{
	if (n == MOST || (n && all[n - 1].here.at >= at))
		return;
	all[n].here = (struct breakpoint){ at, *(const uint8_t *)at };
	all[n].length = length;
	all[n].ask = ask;
	n++;
}

static void look_at_function(const struct module_code *c, uint64_t start, uint64_t end)
{
	struct insn_ask ask;
	struct insn in;

	(void)c;
	if (!may_ask(start, end))
		return;
	for (uint64_t at = start; at < end; at += in.length) {
		in.length = insn_asks((const uint8_t *)at, end - at, &ask);
		if (in.length)
			add(at, in.length, ask);
		else if (!decode(at, end, &in))
			return;
	}
}

/* ---- What they do ---------------------------------------------------------------------------------- */

static void give_time(greg_t *regs)
{
	uint64_t ticks = time_ticks();

	regs[REG_RAX] = (greg_t)(ticks & UINT32_MAX);
	regs[REG_RDX] = (greg_t)(ticks >> 32);
}

static void give_random(greg_t *regs, const struct insn_ask *ask)
{
	greg_t *to = &regs[registers_index(ask->reg)];
	uint64_t value = random_number();

	if (ask->size == 8)
		*to = (greg_t)value;
	else if (ask->size == 4)
		*to = (greg_t)(value & UINT32_MAX);
	else
		*to = (greg_t)(((uint64_t)*to & ~(uint64_t)UINT16_MAX) | (value & UINT16_MAX));
	regs[REG_EFL] = (regs[REG_EFL] & ~(greg_t)FLAGS) | CARRY; /* there is one */
}

bool (*asks_fence)(ucontext_t *uc);
KEPT(asks_fence);
bool (*asks_inline)(ucontext_t *uc, const struct inline_op *op);
KEPT(asks_inline);

/* Inline assembly that accesses memory. False: it is none. */
static bool is_inline(ucontext_t *uc)
{
	const struct inline_op *op = inline_op_at((uint64_t)uc->uc_mcontext.gregs[REG_RIP]);

	return op && asks_inline(uc, op);
}

/* A breakpoint: the instruction happens, and the thread goes on behind it. */
static bool has_asked(ucontext_t *uc)
{
	greg_t *regs = uc->uc_mcontext.gregs;
	uint64_t at = (uint64_t)regs[REG_RIP];
	uint32_t i = breakpoints_before(&(struct breakpoints){ all, n, sizeof(*all) }, at);

	if (i == n || all[i].here.at != at)
		return is_inline(uc);
	regs[REG_RIP] = (greg_t)(at + all[i].length);
	if (all[i].ask.kind == ASKS_FENCE)
		return !asks_fence || asks_fence(uc);
	if (all[i].ask.kind == ASKS_RANDOM)
		give_random(regs, &all[i].ask);
	else
		give_time(regs);
	if (all[i].ask.kind == ASKS_TIME_AND_PLACE)
		regs[REG_RCX] = 0;
	return true;
}

static void look_at_module(const struct module_code *c)
{
	functions_of(c, look_at_function);
}

void asks_init(void)
{
	functions_each(is_wanted, look_at_module);
	for (uint32_t i = 0; i < n; i++)
		code_halt(all[i].here.at);
	if (n)
		code_add((struct breakpoints){ all, n, sizeof(*all) });
	if (inline_init() || n)
		signals_asks = has_asked;
}
