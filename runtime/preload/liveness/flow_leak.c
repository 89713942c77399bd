/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow_leak.c - who else may look at the frame of a function (see flow.c)
 *
 * An address in the frame may go into slots of the same frame, but nowhere else: not into other
 * memory, nor to a function that is called, unless that is one of our hooks and only looks at what
 * flow.c knows of. And what a function is called with on the stack is its caller's frame.
 */
#include "preload/liveness/flow_code.h"

#include <string.h>

static bool call_shares(const struct node *node)
{
	uint16_t others = 1 << INSN_RDI | 1 << INSN_RDX | 1 << INSN_RCX;

	switch (node->callee.kind) {
	case CALLEE_PLAIN:
		return false;
	case CALLEE_LOAD:
		return flow_any_address(1 << INSN_RDI, node->reg);
	case CALLEE_CAS:
		return flow_any_address(others, node->reg);
	case CALLEE_ATOMIC:
		return flow_any_address(others | 1 << INSN_RSI, node->reg);
	default:
		/* r10: of a function inside another one */
		return flow_any_address(others | 1 << INSN_RSI | 0x0700, node->reg);
	}
}

/* Does it read, in whatever way, a slot that holds an address? */
static bool reads_slot(const struct flow_code *fn, const struct node *node)
{
	const struct insn *in = &node->in;
	int32_t at = flow_address(in, node->reg);

	if (!in->memory || !in->read_size || at == FOREIGN)
		return false;
	for (uint32_t i = 0; i < fn->slots; i++)
		if (is_vague(at) ||
		    (at < fn->slot[i].at + 8 && at + in->read_size > fn->slot[i].at))
			return true;
	return false;
}

static bool shares(const struct flow_code *fn, const struct node *node)
{
	const struct insn *in = &node->in;
	bool hides = in->writes_some || in->writes_other; /* nobody follows it there */

	switch (in->kind) {
	case INSN_CALL:
		return call_shares(node) || reads_slot(fn, node);
	case INSN_LOAD:
		return false;
	case INSN_STORE:
		return node->reg[in->src] != FOREIGN && !in_frame(flow_address(in, node->reg));
	case INSN_PUSH:
		return (in->src < FLOW_REGS && node->reg[in->src] != FOREIGN) ||
		       reads_slot(fn, node);
	case INSN_STRING:
		return reads_slot(fn, node);
	default:
		return (hides && flow_takes_address(in, node->reg)) ||
		       ((in->writes || hides) && reads_slot(fn, node));
	}
}

/* Does it look at, or make an address of, what lies above the frame? */
static bool looks_above(const struct flow_code *fn, const struct node *node)
{
	const struct insn *in = &node->in;
	int32_t at = in->memory ? flow_address(in, node->reg) : FOREIGN, reg[FLOW_REGS];

	if (is_vague(at) || (in_frame(at) && at >= 0))
		return true;
	memcpy(reg, node->reg, sizeof(reg));
	flow_transfer(fn, in, reg);
	for (unsigned r = 0; r < FLOW_REGS; r++)
		if (r != INSN_RSP && reg[r] != node->reg[r] &&
		    (is_vague(reg[r]) || (in_frame(reg[r]) && reg[r] >= 0)))
			return true;
	return false;
}

/* Does it put something at the stack pointer, as arguments of calls are? */
static bool passes(const struct node *node)
{
	const struct insn *in = &node->in;

	return (in->memory && in->base == INSN_RSP && (in->writes_some || in->kind == INSN_LEA)) ||
	       (in->kind == INSN_MOVE && in->src == INSN_RSP && in->dst != INSN_RBP);
}

/* The stack pointer behind the prologue: registers saved, and room made. */
static int32_t find_body(const struct flow_code *fn)
{
	const struct node *node;
	uint16_t saved = 0;

	for (uint64_t offset = 0; (node = flow_node(fn, offset)); offset += node->in.length) {
		const struct insn *in = &node->in;

		if (in->kind == INSN_PUSH && in->src < FLOW_REGS &&
		    (CALLEE_SAVED & ~saved) >> in->src & 1 && node->reg[in->src] == FOREIGN)
			saved |= (uint16_t)(1u << in->src);
		else if (in->kind == INSN_ADD && in->dst == INSN_RSP && in->imm < 0 &&
			 in->imm > INT16_MIN && in_frame(node->reg[INSN_RSP]))
			return (int32_t)(node->reg[INSN_RSP] + in->imm);
		else if (!(in->kind == INSN_MOVE && in->src == INSN_RSP && in->dst == INSN_RBP) &&
			 (in->kind != INSN_PLAIN || in->reads || in->writes || in->memory))
			break;
	}
	return node ? node->reg[INSN_RSP] : VAGUE;
}

void flow_leaks(struct flow_code *fn)
{
	/* What the unwinder leads to was not decoded, and may do anything. */
	fn->shared = fn->function.catches || fn->too_many;
	fn->arguments = fn->function.catches;
	fn->passes_memory = false;
	for (uint32_t i = 0; i < fn->nodes; i++) {
		fn->shared |= shares(fn, &fn->node[i]);
		fn->arguments |= looks_above(fn, &fn->node[i]);
		fn->passes_memory |= passes(&fn->node[i]);
	}
	fn->body = find_body(fn);
}
