/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stretch_empty.c - see stretch_empty.h
 *
 * Any other access to its place, or a look that is not understood, and nothing is known any more: the place may belong to another
 * variable then.
 */
#include "preload/liveness/stretch_empty.h"

bool empty_meet(struct empty_pointer *p, const struct empty_pointer *other)
{
	const bool differs = p->zero != other->zero || p->tested != other->tested;
	const bool news = (p->at != FOREIGN && p->at != other->at) ||
			  ((p->zero != INSN_NONE || p->tested) && differs);

	if (p->at != other->at)
		p->at = FOREIGN;
	if (differs) {
		p->zero = INSN_NONE;
		p->tested = false;
	}
	return news;
}

/* May the instruction read or write what is there? */
static bool touches(const struct node *node, int32_t place)
{
	const int32_t at = flow_address(&node->in, node->reg);

	if (!node->in.memory || node->in.kind == INSN_LEA || at == FOREIGN)
		return false;
	return !in_frame(at) || (at < place + 8 && place < at + INSN_READ_MOST);
}

/* cmpq $0, at its place: clang looks so before it loads. */
static bool compares(const struct node *node, const struct empty_pointer *p)
{
	const struct insn *in = &node->in;

	return p->at != FOREIGN && in->opcode == 0x83 && in->memory && in->read_size == 8 &&
	       !in->write_size && !in->writes_some && !in->imm &&
	       flow_address(in, node->reg) == p->at;
}

void empty_follow(const struct node *node, struct empty_pointer *p)
{
	const struct insn *in = &node->in;
	const bool compared = compares(node, p);
	const bool tests = p->zero != INSN_NONE && in->opcode == 0x85 && !in->memory &&
			   in->reads == 1u << p->zero;
	bool loads = false;

	if (p->at != FOREIGN && touches(node, p->at)) {
		loads = in->kind == INSN_LOAD && flow_address(in, node->reg) == p->at;
		p->zero = loads ? in->dst : INSN_NONE;
		p->at = FOREIGN;
	}
	if (!loads && !tests)
		p->zero = INSN_NONE;
	p->tested = tests || compared;
}

bool empty_never_jumps(const struct insn *in, const struct empty_pointer *p)
{
	return p->tested && in->kind == INSN_BRANCH && (in->opcode == 0x75 || in->opcode == 0x0f85);
}

bool empty_always_jumps(const struct insn *in, const struct empty_pointer *p)
{
	return p->tested && in->kind == INSN_BRANCH && (in->opcode == 0x74 || in->opcode == 0x0f84);
}
