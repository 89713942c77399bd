/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow_code.c - decodes a function from its start on, along its jumps (see flow.c)
 *
 * What only the unwinder knows the way to is not found, and what follows a call that never
 * returns may be found.
 */
#include "preload/liveness/flow_code.h"

#include <string.h>

#include "preload/code/code.h"
#include "preload/code/inline_code.h"
#include "preload/core/own.h"
#include "preload/fiber/fiber.h"

enum {
	BIT_BY_REGISTER = 0x0fab
};

bool flow_goes_on(const struct insn *in)
{
	return in->kind != INSN_JUMP && in->kind != INSN_RETURN && in->kind != INSN_STOP;
}

bool flow_jumps(const struct insn *in)
{
	return in->kind == INSN_JUMP || in->kind == INSN_BRANCH;
}

void flow_make(struct flow_code *fn, uint32_t nodes, uint32_t code)
{
	if (fn->node)
		return;
	fn->most_nodes = nodes;
	fn->most_code = code;
	fn->node = map_own(nodes * sizeof(*fn->node));
	fn->at = map_own(code * sizeof(*fn->at));
	fn->pending = map_own((nodes + 1) * sizeof(*fn->pending));
}

/* syscall, sysenter, int */
static bool enters_kernel(const uint8_t *code, uint64_t left)
{
	return left >= 2 &&
	       ((code[0] == 0x0f && (code[1] == 0x05 || code[1] == 0x34)) || code[0] == 0xcd);
}

/* Inline assembly that is an operation, on a bit that may be far away: the decoder knows no such instruction. */
static bool is_of_bits(const struct inline_op *op, struct insn *in)
{
	if (!op || op->access.what < ACCESS_BTS || op->access.what > ACCESS_BTC ||
	    op->access.reg >= FLOW_REGS)
		return false;
	*in = (struct insn){
		.kind = INSN_PLAIN,
		.length = op->access.length,
		.opcode = BIT_BY_REGISTER,
		.dst = INSN_NONE,
		.src = INSN_NONE,
		.base = op->access.base,
		.index = op->access.index,
		.scale = op->access.scale,
		.elsewhere = true,
		.locked = true,
		.reads = (uint16_t)(1u << op->access.reg),
	};
	return true;
}

static bool add_node(struct flow_code *fn, uint64_t offset)
{
	struct node *node = &fn->node[fn->nodes];
	uint64_t at = fn->function.start + offset, left = flow_size(fn) - offset;
	uint8_t room[CODE_ROOM];
	const uint8_t *code = code_at(at, &left, room);

	if (fn->nodes == fn->most_nodes)
		return false;
	memset(node, 0, sizeof(*node));
	if (!insn_decode(code, left, at, &node->in) && !is_of_bits(inline_op_at(at), &node->in)) {
		if (!fn->lenient)
			return false;
		memset(&node->in, 0, sizeof(node->in));
		node->in.base = node->in.index = INSN_NONE;
		node->in.kind = INSN_STOP;
		node->odd = enters_kernel(code, left) ? ODD_SYSCALL : ODD_UNKNOWN;
	}
	fn->at[offset] = (uint16_t)++fn->nodes;
	node->operates = inline_op_at(at);
	if (node->in.kind == INSN_CALL)
		node->callee = callee_of(&node->in);
	return fn->lenient || node->in.kind != INSN_CALL || node->callee.kind != CALLEE_TWICE;
}

bool flow_decode(struct flow_code *fn)
{
	uint64_t target;
	uint32_t n = 0;

	fn->nodes = 0;
	memset(fn->at, 0, flow_size(fn) * sizeof(*fn->at));
	fn->pending[n++] = 0;
	while (n)
		for (uint64_t offset = fn->pending[--n];
		     offset < flow_size(fn) && !fn->at[offset];) {
			const struct insn *in = &fn->node[fn->nodes].in;

			if (!add_node(fn, offset))
				return false;
			target = in->target - fn->function.start;
			if (flow_jumps(in) && target >= flow_size(fn) && !fn->lenient)
				return false;
			if (flow_jumps(in) && target < flow_size(fn))
				fn->pending[n++] = (uint32_t)target;
			if (!flow_goes_on(in))
				break;
			offset += in->length;
		}
	return true;
}
