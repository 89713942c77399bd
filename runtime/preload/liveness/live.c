/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live.c - what a thread left behind on its stack and will never look at again
 *
 * Two states of a thread at one call are compared frame by frame, from the one that made the
 * call outwards, as long as the code of each is understood (flow.c). All bytes further out have to
 * be the same. Nothing is changed: the program keeps what it has, only differences that cannot
 * matter are passed over.
 *
 * Cost: what flow.c found is kept by return address; then some comparisons a frame.
 */
#include "preload/liveness/live.h"

#include <string.h>

#include "base/insn.h"
#include "base/table.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/fiber/fiber.h"
#include "preload/liveness/flow.h"

enum {
	FLOWS_BITS = 10 /* of the table of calls that are remembered */
};

static const uint8_t number[LIVE_REGISTERS] = { 3, 5, 12, 13, 14, 15 };

static struct flow *flows;
KEPT(flows);
static uint32_t nflows;
KEPT(nflows);

/* What is known of the frame whose call returns to pc, or NULL. */
static const struct flow *flow_of(uint64_t pc, bool before)
{
	struct flow *flow;

	if (!flows)
		flows = map_own(table_slots(FLOWS_BITS) * sizeof(*flows));
	TABLE_FIND(flow, flows, FLOWS_BITS, table_hash(pc),
		   !flow->pc || (flow->pc == pc && flow->before == before));
	if (flow->pc == pc) /* for 0, behind the outermost frame, a free slot: nothing is known */
		return flow->known ? flow : NULL;
	if (table_full(nflows, FLOWS_BITS))
		return NULL;
	nflows++;
	flow->pc = pc;
	flow->before = before;
	flow_find(flow);
	return flow->known ? flow : NULL;
}

/* Are the frame's bytes, [from, to) of both stacks, the same but for dead ones? */
static bool same_frame(const struct flow *flow, const char *a, const char *b, uint64_t size)
{
	if (!memcmp(a, b, size))
		return true;
	for (uint64_t i = 0; i < size; i++)
		if (a[i] != b[i] && flow_live(flow, flow->sp + (int64_t)i))
			return false;
	return true;
}

static bool same_registers(const struct flow *flow, const uint64_t *a, const uint64_t *b)
{
	for (int i = 0; i < LIVE_REGISTERS; i++)
		if (a[i] != b[i] && (flow->live_regs >> number[i] & 1))
			return false;
	return true;
}

bool live_same(uint64_t pc, bool before, uint64_t size, const struct live_state *a,
	       const struct live_state *b)
{
	const struct flow *flow = flow_of(pc, before);
	uint64_t at = 0, frame;

	if (!flow || !same_registers(flow, a->reg, b->reg))
		return false;
	while (flow) {
		frame = (uint64_t) - (int64_t)flow->sp;
		if (flow->sp > -8 || frame > size - at ||
		    !same_frame(flow, a->stack + at, b->stack + at, frame))
			return false;
		memcpy(&pc, a->stack + at + frame - 8, sizeof(pc));
		at += frame;
		if (!memcmp(a->stack + at, b->stack + at, size - at))
			return true;
		flow = flow->arguments ? NULL : flow_of(pc, false);
	}
	return false;
}

static void wipe_frame(const struct flow *flow, char *frame)
{
	for (unsigned w = 0; w < FLOW_WORDS; w++)
		for (uint64_t dead = ~flow->live[w]; dead; dead &= dead - 1) {
			int64_t offset = -1 - (int64_t)(64 * w + (unsigned)__builtin_ctzl(dead));

			if (offset < flow->sp)
				return;
			frame[offset - flow->sp] = 0;
		}
}

void live_wipe(uint64_t pc, bool before, uint64_t size, uint64_t *reg, char *stack)
{
	const struct flow *flow = flow_of(pc, before);
	uint64_t at = 0, frame;

	for (int i = 0; flow && i < LIVE_REGISTERS; i++)
		if (!(flow->live_regs >> number[i] & 1))
			reg[i] = 0;
	while (flow) {
		frame = (uint64_t) - (int64_t)flow->sp;
		if (flow->sp > -8 || frame > size - at)
			return;
		wipe_frame(flow, stack + at);
		memcpy(&pc, stack + at + frame - 8, sizeof(pc));
		at += frame;
		flow = flow->arguments ? NULL : flow_of(pc, false);
	}
}

bool live_private(uint64_t pc, uint64_t sp, uint64_t addr, uint64_t size)
{
	const struct flow *flow = flow_of(pc, false);

	return flow && !flow->shared && addr >= sp && addr + size >= addr &&
	       addr + size <= sp + (uint64_t) - (int64_t)flow->sp;
}

bool live_ignored(uint64_t pc, uint64_t sp)
{
	const struct flow *flow = flow_of(pc, false);

	if (!flow || !flow->atomic)
		return false;
	while (flow && !(flow->live_regs >> INSN_RAX & 1)) {
		if (!flow->returned)
			return true;
		if (flow->sp > -8)
			return false;
		sp -= (uint64_t)(int64_t)flow->sp;
		flow = flow_of(*(const uint64_t *)(sp - 8), false);
	}
	return false;
}

uint16_t live_registers(uint64_t pc)
{
	const struct flow *flow = flow_of(pc, true);

	return flow ? flow->live_regs : UINT16_MAX;
}

bool live_vectors(uint64_t pc)
{
	const struct flow *flow = flow_of(pc, true);

	return !flow || !flow->scratch;
}

bool live_below(uint64_t pc, uint64_t below)
{
	const struct flow *flow = flow_of(pc, true);

	return !flow || flow_live(flow, flow->sp - (int64_t)below);
}
