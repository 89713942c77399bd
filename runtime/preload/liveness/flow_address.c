/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow_address.c - which registers hold addresses in the frame, and which (see flow.c)
 *
 * clang keeps such an address in a slot of the frame across a call. So does a program that has a
 * pointer to a variable of its own. What a slot holds is noted for the whole function: one
 * offset if it is always the same, VAGUE if not. Whoever loads it has that.
 */
#include "preload/liveness/flow_code.h"

#include <string.h>

enum {
	FAR = 1 << 24 /* offsets are smaller */
};

static int32_t moved(int32_t v, int64_t by)
{
	if (!in_frame(v))
		return v;
	return by > -FAR && by < FAR && v > -FAR && v < FAR ? (int32_t)(v + by) : VAGUE;
}

int32_t flow_address(const struct insn *in, const int32_t *reg)
{
	int32_t base = in->base < FLOW_REGS ? reg[in->base] : FOREIGN;
	int32_t index = in->index < FLOW_REGS ? reg[in->index] : FOREIGN;

	if (base == FOREIGN && index == FOREIGN)
		return FOREIGN;
	return in_frame(base) && in->index == INSN_NONE ? moved(base, in->disp) : VAGUE;
}

bool flow_any_address(uint16_t regs, const int32_t *reg)
{
	for (unsigned r = 0; r < FLOW_REGS; r++)
		if ((regs >> r & 1) && reg[r] != FOREIGN)
			return true;
	return false;
}

bool flow_takes_address(const struct insn *in, const int32_t *reg)
{
	for (unsigned r = 0; r < FLOW_REGS; r++)
		if ((in->reads >> r & 1) && reg[r] != FOREIGN &&
		    !(reg[r] == TORN && (in->low >> r & 1)))
			return true;
	return false;
}

static void set(uint16_t regs, int32_t value, int32_t *reg)
{
	for (unsigned r = 0; r < FLOW_REGS; r++)
		if (regs >> r & 1)
			reg[r] = value;
}

/* What a load of 8 bytes at an address finds. */
static int32_t loaded(const struct flow_code *fn, int32_t at)
{
	if (is_vague(at) && fn->slots)
		return VAGUE;
	for (uint32_t i = 0; in_frame(at) && i < fn->slots; i++)
		if (at > fn->slot[i].at - 8 && at < fn->slot[i].at + 8)
			return at == fn->slot[i].at ? fn->slot[i].holds : VAGUE;
	return FOREIGN;
}

/* What becomes of registers that are computed from others. */
static void compute(const struct insn *in, int32_t *reg)
{
	bool takes = flow_takes_address(in, reg);

	for (unsigned r = 0; r < FLOW_REGS; r++) {
		if (!(in->writes >> r & 1))
			continue;
		if (takes)
			reg[r] = VAGUE;
		else if (!(in->keeps >> r & 1) || reg[r] == FOREIGN)
			reg[r] = FOREIGN;
		else
			reg[r] = in->low >> r & 1 ? TORN : VAGUE;
	}
}

void flow_transfer(const struct flow_code *fn, const struct insn *in, int32_t *reg)
{
	switch (in->kind) {
	case INSN_MOVE:
		reg[in->dst] = reg[in->src];
		break;
	case INSN_LOAD:
		reg[in->dst] = loaded(fn, flow_address(in, reg));
		break;
	case INSN_LEA:
		reg[in->dst] = flow_address(in, reg);
		break;
	case INSN_ADD:
		reg[in->dst] = moved(reg[in->dst], in->imm);
		break;
	case INSN_PUSH:
		reg[INSN_RSP] = moved(reg[INSN_RSP], -8);
		break;
	case INSN_POP:
		reg[in->dst] = loaded(fn, reg[INSN_RSP]);
		reg[INSN_RSP] = moved(reg[INSN_RSP], 8);
		break;
	case INSN_LEAVE:
		reg[INSN_RSP] = moved(reg[INSN_RBP], 8);
		reg[INSN_RBP] = loaded(fn, reg[INSN_RBP]);
		break;
	case INSN_CALL:
		set((uint16_t) ~(CALLEE_SAVED | 1 << INSN_RSP), FOREIGN, reg);
		break;
	default:
		compute(in, reg);
	}
	/* From elsewhere, or by a sum: it still is the stack pointer. */
	if (reg[INSN_RSP] == FOREIGN || (in->kind == INSN_PLAIN && in->writes >> INSN_RSP & 1))
		reg[INSN_RSP] = VAGUE;
}

/* ---- Everywhere ----------------------------------------------------------------------------------- */

static int32_t join(int32_t a, int32_t b)
{
	if (a == b)
		return a;
	return (a == TORN || b == TORN) && (a == FOREIGN || b == FOREIGN) ? TORN : VAGUE;
}

/* Control comes to the node with these registers; true if that is news. */
static bool meet(struct node *node, const int32_t *reg)
{
	bool news = !node->met;

	if (news)
		memcpy(node->reg, reg, sizeof(node->reg));
	for (unsigned r = 0; r < FLOW_REGS; r++) {
		int32_t both = join(node->reg[r], reg[r]);

		news |= both != node->reg[r];
		node->reg[r] = both;
	}
	node->met = true;
	return news;
}

static bool meet_successors(const struct flow_code *fn, const struct node *node, uint64_t offset)
{
	const struct insn *in = &node->in;
	struct node *next = flow_goes_on(in) ? flow_node(fn, offset + in->length) : NULL;
	struct node *other = flow_jumps(in) ? flow_node(fn, in->target - fn->function.start) : NULL;
	int32_t reg[FLOW_REGS];
	bool news = false;

	memcpy(reg, node->reg, sizeof(reg));
	flow_transfer(fn, in, reg);
	if (next)
		news = meet(next, reg);
	if (other)
		news = meet(other, reg) || news;
	return news;
}

static void follow(struct flow_code *fn)
{
	int32_t reg[FLOW_REGS];
	struct node *node;
	bool news = true;

	for (uint32_t i = 0; i < fn->nodes; i++)
		fn->node[i].met = false;
	set(UINT16_MAX, FOREIGN, reg);
	reg[INSN_RSP] = -8;
	meet(flow_node(fn, 0), reg);
	while (news) {
		news = false;
		for (uint64_t o = 0; o < flow_size(fn); o++) {
			node = flow_node(fn, o);
			if (node && node->met)
				news = meet_successors(fn, node, o) || news;
		}
	}
}

/* ---- Slots ------------------------------------------------------------------------------------------ */

/* Something is written at an address: slots that it hits hold that from now on, perhaps. */
static bool hit_slots(struct flow_code *fn, int32_t at, int32_t what, unsigned size)
{
	bool news = false;

	for (uint32_t i = 0; at != FOREIGN && i < fn->slots; i++) {
		int32_t slot = fn->slot[i].at;

		if (!is_vague(at) && (at + (int32_t)size <= slot || at >= slot + 8))
			continue;
		if (fn->slot[i].holds == VAGUE || (at == slot && fn->slot[i].holds == what))
			continue;
		fn->slot[i].holds = VAGUE;
		news = true;
	}
	return news;
}

static bool add_slot(struct flow_code *fn, int32_t at, int32_t what)
{
	for (uint32_t i = 0; i < fn->slots; i++)
		if (fn->slot[i].at == at)
			return false;
	if (fn->slots == FLOW_SLOTS) {
		fn->too_many = true;
		return false;
	}
	fn->slot[fn->slots].at = at;
	fn->slot[fn->slots++].holds = what;
	return true;
}

/* Does the node put an address into a slot, or something else into one that has an address? */
static bool note_slots(struct flow_code *fn, const struct node *node)
{
	const struct insn *in = &node->in;
	int32_t at = flow_address(in, node->reg), what = FOREIGN;
	bool news = false;

	if (in->kind == INSN_PUSH)
		return hit_slots(fn, moved(node->reg[INSN_RSP], -8), FOREIGN, 8);
	if (in->kind == INSN_CALL && node->callee.kind == CALLEE_CAS)
		return hit_slots(fn, node->reg[INSN_RSI], FOREIGN, node->callee.size);
	if (!in->memory || !in->writes_some)
		return false;
	if (in->kind == INSN_STORE)
		what = node->reg[in->src];
	if (what != FOREIGN && in_frame(at))
		news = add_slot(fn, at, what);
	return hit_slots(fn, at, what, in->write_size ? in->write_size : INSN_READ_MOST) || news;
}

void flow_addresses(struct flow_code *fn)
{
	bool news = true;

	fn->slots = 0;
	fn->too_many = false;
	while (news) {
		follow(fn);
		news = false;
		for (uint32_t i = 0; i < fn->nodes; i++)
			news = note_slots(fn, &fn->node[i]) || news;
	}
}

void flow_addresses_shared(struct flow_code *fn)
{
	for (uint32_t i = 0; i < fn->slots; i++)
		fn->slot[i].holds = VAGUE;
	follow(fn);
}
