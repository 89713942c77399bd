/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow.c - which bytes of its frame a function may still read when a call returns
 *
 * Code that is not optimised keeps every intermediate result in a slot of its frame, where it
 * stays when nobody wants it any more. Two rounds of a loop then differ in bytes that
 * the next one overwrites before it looks. This finds them: live variables of the compiled
 * function, with the bytes of its frame for variables. (Any textbook; Kildall, POPL 1973.)
 *
 *	1. Its instructions are decoded from its start on, along jumps (insn.c).
 *	2. Forwards: which registers hold addresses in the frame, at which offset (`reg`).
 *	   FOREIGN: none. SOMEWHERE: perhaps one, nobody knows of what.
 *	3. Does such an address leave the function, into memory or a call? Then the frame
 *	   is shared.
 *	4. Backwards: which bytes and registers are read before they are written (`live`).
 *
 * All errors are on the side of the living. A function that is not understood (an instruction,
 * a computed jump, setjmp()) has no dead bytes at all. Where an address is SOMEWHERE, or may be
 * one into a shared frame, a read reads every byte, and a write writes none.
 * In a shared frame all that may look at it for others counts as such a read: calls, and atomic
 * operations that may release what was written. Calls of the hooks of plain accesses do not, since
 * they look at nothing, and they are what stands between an atomic load and the store of
 * its result. In a function that catches exceptions, calls may go on somewhere else.
 *
 * Invariant: of what stands in `known` flows, nothing depends on data, only on the code.
 * Cost: some 10 us for a function of 100 instructions; once a call.
 */
#include "target/flow.h"

#include <string.h>

#include "target/callee.h"
#include "target/fiber.h"

enum {
	NODES = 4096, /* instructions of a function */
	CODE = 32768, /* bytes of it */
	REGS = 16,
	FOREIGN = INT32_MIN,
	SOMEWHERE,
	CALLEE_SAVED = 1 << INSN_RBX | 1 << INSN_RBP | 0xf000,
	FAR = 1 << 24 /* offsets are smaller */
};

struct node {
	struct insn in;
	struct callee callee; /* of an INSN_CALL */
	bool met;             /* `reg` is filled */
	int32_t reg[REGS];    /* before it */
	uint16_t live_regs;   /* before it */
	uint64_t live[FLOW_WORDS];
};

static struct {
	struct function function;
	struct node *node;
	uint16_t *node_at; /* by offset into the function; 0: none, else the index plus 1 */
	uint32_t *pending;
	uint32_t nodes;
	bool shared, arguments;
	bool passes_memory; /* arguments of calls on the stack */
	int32_t body;       /* stack pointer when nothing is pushed for a call */
} fn;

static struct node *node_at(uint64_t offset)
{
	return offset < CODE && fn.node_at[offset] ? &fn.node[fn.node_at[offset] - 1] : NULL;
}

static uint64_t code_size(void)
{
	return fn.function.end - fn.function.start;
}

/* ---- The instructions ----------------------------------------------------------------------------- */

static bool goes_on(const struct insn *in)
{
	return in->kind != INSN_JUMP && in->kind != INSN_RETURN && in->kind != INSN_STOP;
}

static bool jumps(const struct insn *in)
{
	return in->kind == INSN_JUMP || in->kind == INSN_BRANCH;
}

static bool add_node(uint64_t offset)
{
	struct node *node = &fn.node[fn.nodes];
	uint64_t at = fn.function.start + offset;

	if (fn.nodes == NODES)
		return false;
	node->met = false;
	node->live_regs = 0;
	memset(node->live, 0, sizeof(node->live));
	if (!insn_decode((const uint8_t *)at, code_size() - offset, at, &node->in))
		return false;
	fn.node_at[offset] = (uint16_t)++fn.nodes;
	if (node->in.kind == INSN_CALL)
		node->callee = callee_of(&node->in);
	return node->in.kind != INSN_CALL || node->callee.kind != CALLEE_TWICE;
}

/* Decodes all that can be reached; false if the function is not understood. */
static bool decode(void)
{
	uint32_t n = 0;

	fn.nodes = 0;
	memset(fn.node_at, 0, code_size() * sizeof(*fn.node_at));
	fn.pending[n++] = 0;
	while (n) {
		for (uint64_t offset = fn.pending[--n]; offset < code_size();) {
			const struct insn *in;

			if (fn.node_at[offset])
				break;
			if (!add_node(offset))
				return false;
			in = &fn.node[fn.nodes - 1].in;
			if (jumps(in) && in->target - fn.function.start >= code_size())
				return false;
			if (jumps(in))
				fn.pending[n++] = (uint32_t)(in->target - fn.function.start);
			if (!goes_on(in))
				break;
			offset += in->length;
		}
	}
	return true;
}

/* ---- Forwards: addresses --------------------------------------------------------------------------- */

static bool in_frame(int32_t v)
{
	return v != FOREIGN && v != SOMEWHERE;
}

static int32_t moved(int32_t v, int64_t by)
{
	if (!in_frame(v))
		return v;
	return by > -FAR && by < FAR && v > -FAR && v < FAR ? (int32_t)(v + by) : SOMEWHERE;
}

static int32_t address(const struct insn *in, const int32_t *reg)
{
	int32_t base = in->base < REGS ? reg[in->base] : FOREIGN;
	int32_t index = in->index < REGS ? reg[in->index] : FOREIGN;

	if (base == FOREIGN && index == FOREIGN)
		return FOREIGN;
	return in_frame(base) && in->index == INSN_NONE ? moved(base, in->disp) : SOMEWHERE;
}

/* Is one of these registers, as data, an address in the frame? */
static bool any_address(uint16_t regs, const int32_t *reg)
{
	for (unsigned r = 0; r < REGS; r++)
		if ((regs >> r & 1) && reg[r] != FOREIGN)
			return true;
	return false;
}

static void set(uint16_t regs, int32_t value, int32_t *reg)
{
	for (unsigned r = 0; r < REGS; r++)
		if (regs >> r & 1)
			reg[r] = value;
}

/* What the registers hold after an instruction. */
static void transfer(const struct insn *in, int32_t *reg)
{
	switch (in->kind) {
	case INSN_MOVE:
		reg[in->dst] = reg[in->src];
		break;
	case INSN_LEA:
		reg[in->dst] = address(in, reg);
		break;
	case INSN_ADD:
		reg[in->dst] = moved(reg[in->dst], in->imm);
		break;
	case INSN_PUSH:
		reg[INSN_RSP] = moved(reg[INSN_RSP], -8);
		break;
	case INSN_POP:
		reg[INSN_RSP] = moved(reg[INSN_RSP], 8);
		reg[in->dst] = FOREIGN;
		break;
	case INSN_LEAVE:
		reg[INSN_RSP] = moved(reg[INSN_RBP], 8);
		reg[INSN_RBP] = FOREIGN;
		break;
	case INSN_CALL:
		set((uint16_t) ~(CALLEE_SAVED | 1 << INSN_RSP), FOREIGN, reg);
		break;
	default:
		set(in->writes, any_address(in->reads, reg) ? SOMEWHERE : FOREIGN, reg);
		if (in->writes >> INSN_RSP & 1)
			reg[INSN_RSP] = SOMEWHERE;
	}
}

/* Control comes to the node with these registers; true if that is news. */
static bool meet(struct node *node, const int32_t *reg)
{
	bool news = !node->met;

	if (news)
		memcpy(node->reg, reg, sizeof(node->reg));
	for (unsigned r = 0; r < REGS; r++)
		if (node->reg[r] != reg[r] && node->reg[r] != SOMEWHERE) {
			node->reg[r] = SOMEWHERE;
			news = true;
		}
	node->met = true;
	return news;
}

static bool meet_successors(const struct node *node, uint64_t offset)
{
	const struct insn *in = &node->in;
	struct node *next = goes_on(in) ? node_at(offset + in->length) : NULL;
	struct node *other = jumps(in) ? node_at(in->target - fn.function.start) : NULL;
	int32_t reg[REGS];
	bool news = false;

	memcpy(reg, node->reg, sizeof(reg));
	transfer(in, reg);
	if (next)
		news = meet(next, reg);
	if (other)
		news = meet(other, reg) || news;
	return news;
}

static void follow_addresses(void)
{
	int32_t reg[REGS];
	bool news = true;

	set(UINT16_MAX, FOREIGN, reg);
	reg[INSN_RSP] = -8;
	meet(node_at(0), reg);
	while (news) {
		news = false;
		for (uint64_t o = 0; o < code_size(); o++)
			if (node_at(o) && node_at(o)->met)
				news = meet_successors(node_at(o), o) || news;
	}
}

/* The stack pointer behind the prologue: registers saved, and room made. */
static int32_t find_body(void)
{
	const struct node *node;
	uint16_t saved = 0;

	for (uint64_t offset = 0; (node = node_at(offset)); offset += node->in.length) {
		const struct insn *in = &node->in;

		if (in->kind == INSN_PUSH && in->src < REGS &&
		    (CALLEE_SAVED & ~saved) >> in->src & 1 && node->reg[in->src] == FOREIGN)
			saved |= (uint16_t)(1u << in->src);
		else if (in->kind == INSN_ADD && in->dst == INSN_RSP && in->imm < 0)
			return moved(node->reg[INSN_RSP], in->imm);
		else if (!(in->kind == INSN_MOVE && in->src == INSN_RSP && in->dst == INSN_RBP) &&
			 (in->kind != INSN_PLAIN || in->reads || in->writes || in->memory))
			break;
	}
	return node ? node->reg[INSN_RSP] : SOMEWHERE;
}

/* ---- Addresses that leave ---------------------------------------------------------------------------- */

static bool call_shares(const struct node *node)
{
	uint16_t others = 1 << INSN_RDI | 1 << INSN_RDX | 1 << INSN_RCX;

	switch (node->callee.kind) {
	case CALLEE_PLAIN:
		return false;
	case CALLEE_LOAD:
		return any_address(1 << INSN_RDI, node->reg);
	case CALLEE_CAS:
		return any_address(others, node->reg);
	case CALLEE_ATOMIC:
		return any_address(others | 1 << INSN_RSI, node->reg);
	default:
		/* r10: of a function inside another one */
		return any_address(others | 1 << INSN_RSI | 0x0700, node->reg);
	}
}

static bool shares(const struct node *node)
{
	const struct insn *in = &node->in;

	if (in->kind == INSN_CALL)
		return call_shares(node);
	if (in->kind == INSN_PUSH)
		return in->src < REGS && node->reg[in->src] != FOREIGN;
	return in->kind == INSN_PLAIN && in->writes_some && any_address(in->reads, node->reg);
}

/* Does it look at, or make an address of, what lies above the frame? */
static bool looks_above(const struct node *node)
{
	const struct insn *in = &node->in;
	int32_t at = in->memory ? address(in, node->reg) : FOREIGN, reg[REGS];

	if (at == SOMEWHERE || (in_frame(at) && at >= 0))
		return true;
	memcpy(reg, node->reg, sizeof(reg));
	transfer(in, reg);
	for (unsigned r = 0; r < REGS; r++)
		if (r != INSN_RSP && reg[r] != node->reg[r] &&
		    (reg[r] == SOMEWHERE || (in_frame(reg[r]) && reg[r] >= 0)))
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

static void look_for_leaks(void)
{
	/* What the unwinder leads to was not decoded, and may do anything. */
	fn.shared = fn.arguments = fn.function.catches;
	fn.passes_memory = false;
	for (uint32_t i = 0; i < fn.nodes; i++) {
		fn.shared |= shares(&fn.node[i]);
		fn.arguments |= looks_above(&fn.node[i]);
		fn.passes_memory |= passes(&fn.node[i]);
	}
	fn.body = find_body();
}

/* ---- Backwards: what is read -------------------------------------------------------------------------- */

static void mark(struct node *live, int64_t from, unsigned size, bool value)
{
	for (int64_t at = from; at < from + size; at++) {
		uint64_t bit = (uint64_t)(-1 - at);

		if (bit >= FLOW_BYTES)
			continue;
		if (value)
			live->live[bit / 64] |= (uint64_t)1 << bit % 64;
		else
			live->live[bit / 64] &= ~((uint64_t)1 << bit % 64);
	}
}

static void all_live(struct node *live)
{
	memset(live->live, 0xff, sizeof(live->live));
}

/* A read of memory at an address as `reg` has it. */
static void reads_at(struct node *live, int32_t at, unsigned size)
{
	if (in_frame(at))
		mark(live, at, size, true);
	else if (at == SOMEWHERE || fn.shared)
		all_live(live);
}

static void accesses(struct node *live, const struct node *node)
{
	const struct insn *in = &node->in;
	int32_t at = address(in, node->reg);

	if (in_frame(at) && in->write_size)
		mark(live, at, in->write_size, false);
	if (in->read_size)
		reads_at(live, at, in->read_size);
}

static void call_reads(struct node *live, const struct node *node)
{
	if (node->callee.kind == CALLEE_PLAIN)
		return;
	if (fn.shared || fn.passes_memory || fn.body == SOMEWHERE || node->reg[INSN_RSP] != fn.body)
		all_live(live);
	if (node->callee.kind == CALLEE_CAS)
		reads_at(live, node->reg[INSN_RSI], node->callee.size);
	if (node->callee.kind == CALLEE_OTHER && fn.function.catches)
		live->live_regs = UINT16_MAX;
}

/* From what is live after the node to what is before it. */
static void look_back(struct node *live, const struct node *node)
{
	const struct insn *in = &node->in;

	if (in->kind == INSN_PUSH && in_frame(node->reg[INSN_RSP]))
		mark(live, node->reg[INSN_RSP] - 8, 8, false);
	if (in->memory && in->kind != INSN_LEA)
		accesses(live, node);
	if (in->kind == INSN_POP)
		reads_at(live, node->reg[INSN_RSP], 8);
	if (in->kind == INSN_LEAVE)
		reads_at(live, node->reg[INSN_RBP], 8);
	live->live_regs &= (uint16_t)~in->writes;
	live->live_regs |= in->reads;
	if (in->kind == INSN_LEAVE)
		live->live_regs |= 1 << INSN_RBP;
	if (in->base < REGS)
		live->live_regs |= (uint16_t)(1u << in->base);
	if (in->index < REGS)
		live->live_regs |= (uint16_t)(1u << in->index);
	if (in->kind == INSN_CALL)
		call_reads(live, node);
}

static void unite(struct node *live, const struct node *more)
{
	for (unsigned i = 0; more && i < FLOW_WORDS; i++)
		live->live[i] |= more->live[i];
	live->live_regs |= more ? more->live_regs : 0;
}

/* Brings one node up to date; true if something came to it. */
static bool update(struct node *node, uint64_t offset)
{
	const struct insn *in = &node->in;
	struct node live = { .live_regs = 0 };

	if (goes_on(in))
		unite(&live, node_at(offset + in->length));
	if (jumps(in))
		unite(&live, node_at(in->target - fn.function.start));
	if (in->kind == INSN_RETURN)
		live.live_regs = CALLEE_SAVED;
	look_back(&live, node);
	if (live.live_regs == node->live_regs && !memcmp(live.live, node->live, sizeof(live.live)))
		return false;
	node->live_regs = live.live_regs;
	memcpy(node->live, live.live, sizeof(live.live));
	return true;
}

static void follow_reads(void)
{
	bool news = true;

	while (news) {
		news = false;
		for (uint64_t o = code_size(); o-- > 0;)
			if (node_at(o) && node_at(o)->met)
				news = update(node_at(o), o) || news;
	}
}

/* ---- All ------------------------------------------------------------------------------------------------ */

static void fill(struct flow *flow, const struct node *call, const struct node *next)
{
	struct node live = { .live_regs = next->live_regs };

	memcpy(live.live, next->live, sizeof(live.live));
	if (fn.shared && call->callee.kind != CALLEE_LOAD)
		all_live(&live);
	if (call->callee.kind == CALLEE_OTHER)
		call_reads(&live, call);
	flow->known = true;
	flow->shared = fn.shared;
	flow->arguments = fn.arguments;
	flow->sp = call->reg[INSN_RSP];
	flow->live_regs = live.live_regs;
	memcpy(flow->live, live.live, sizeof(flow->live));
}

void flow_find(struct flow *flow)
{
	const struct node *next, *call = NULL;

	flow->known = false;
	if (!fn.node) {
		fn.node = map_own(NODES * sizeof(*fn.node));
		fn.node_at = map_own(CODE * sizeof(*fn.node_at));
		fn.pending = map_own((NODES + 1) * sizeof(*fn.pending));
	}
	if (!function_of(flow->pc, &fn.function) || code_size() > CODE || !decode())
		return;
	follow_addresses();
	look_for_leaks();
	follow_reads();
	next = node_at(flow->pc - fn.function.start);
	for (uint32_t i = 0; i < fn.nodes; i++)
		if (fn.node[i].in.kind == INSN_CALL && fn.node[i].met && fn.node_at[0] &&
		    node_at(flow->pc - fn.function.start - fn.node[i].in.length) == &fn.node[i])
			call = &fn.node[i];
	if (next && call && in_frame(call->reg[INSN_RSP]))
		fill(flow, call, next);
}
