/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow.c - which bytes of its frame a function may still read when a call returns
 *
 * Code that is not optimised keeps every intermediate result in a slot of its frame, where it
 * stays when nobody wants it any more. Two rounds of a loop then differ in bytes that
 * the next one overwrites before it looks. This finds them: live variables of the compiled
 * function, with the bytes of its frame for variables. (Any textbook; Kildall, POPL 1973.)
 *
 *	1. Its instructions are decoded (flow_code.c, insn.c).
 *	2. Forwards: which registers hold addresses in the frame (flow_address.c)?
 *	3. Does such an address leave the function (flow_leak.c)? Then the frame is shared.
 *	4. Backwards: which bytes and registers are read before they are written? That is here.
 *
 * All errors are on the side of the living. A function that is not understood (an instruction,
 * a computed jump, setjmp()) has no dead bytes at all. Where an address is VAGUE, or may be
 * one into a shared frame, a read is one of every byte, and a write writes none.
 * In a shared frame all that may look at it for others counts as such a read: calls, and atomic
 * operations that may release what was written. Calls of the hooks of plain accesses do not, since
 * they look at nothing, and they are what stands between an atomic load and the store of
 * its result. In a function that catches exceptions, calls may go on somewhere else.
 *
 * Invariant: of what stands in `known` flows, nothing depends on data, only on the code.
 * Cost: some 10 us for a function of 100 instructions; once a call.
 */
#include "preload/liveness/flow.h"

#include <string.h>

#include "preload/core/reset.h"
#include "preload/liveness/flow_code.h"

/* Among live registers, where nobody asks for the stack pointer: what rax holds, the function may return. */
enum {
	RETURNED = 1 << INSN_RSP,
	/* What calls are given. Only inline assembly, where no call is, finds something in these. */
	GIVEN = 1 << INSN_RDI | 1 << INSN_RSI | 1 << INSN_RDX | 1 << INSN_RCX | 0x700,
	/* Among what a hook leaves behind: in vector registers. */
	VECTORS = RETURNED,
	SCRATCH = GIVEN | 1 << INSN_RAX | 0x800 | VECTORS
};

static struct flow_code fn;
KEPT(fn);

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
	else if (is_vague(at) || fn.shared)
		all_live(live);
}

static void accesses(struct node *live, const struct node *node)
{
	const struct insn *in = &node->in;
	int32_t at = flow_address(in, node->reg);

	if (in_frame(at) && in->write_size)
		mark(live, at, in->write_size, false);
	/* A variable that is no local one is at a place of its own. */
	if (in->read_size && (in->base < FLOW_REGS || in->index < FLOW_REGS))
		reads_at(live, at, in->read_size);
}

static void call_reads(struct node *live, const struct node *node)
{
	if (node->callee.kind == CALLEE_PLAIN)
		return;
	if (fn.shared || fn.passes_memory || fn.body == VAGUE || node->reg[INSN_RSP] != fn.body)
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
	uint16_t writes = in->writes, returned = live->live_regs & RETURNED;

	if (in->kind == INSN_PUSH && in_frame(node->reg[INSN_RSP]))
		mark(live, node->reg[INSN_RSP] - 8, 8, false);
	if (in->memory && in->kind != INSN_LEA)
		accesses(live, node);
	if (in->kind == INSN_POP || in->kind == INSN_RETURN)
		reads_at(live, node->reg[INSN_RSP], 8);
	if (in->kind == INSN_LEAVE)
		reads_at(live, node->reg[INSN_RBP], 8);
	/* A hook of ours leaves nothing in it; a function of the program may, if both were compiled together. */
	if (in->kind == INSN_CALL && node->callee.kind != CALLEE_OTHER)
		writes |= 1 << INSN_RAX;
	if (writes >> INSN_RAX & 1)
		returned = 0;
	live->live_regs &= (uint16_t)~writes;
	live->live_regs |= in->reads | in->keeps;
	if (in->kind == INSN_CALL)
		live->live_regs |= GIVEN;
	if (in->kind == INSN_LEAVE)
		live->live_regs |= 1 << INSN_RBP;
	if (in->base < FLOW_REGS)
		live->live_regs |= (uint16_t)(1u << in->base);
	if (in->index < FLOW_REGS)
		live->live_regs |= (uint16_t)(1u << in->index);
	if (in->kind == INSN_CALL)
		call_reads(live, node);
	if (node->operates && fn.shared)
		all_live(live);
	live->live_regs = (uint16_t)((live->live_regs & ~RETURNED) | returned);
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

	if (flow_goes_on(in))
		unite(&live, flow_node(&fn, offset + in->length));
	if (flow_jumps(in))
		unite(&live, flow_node(&fn, in->target - fn.function.start));
	if (in->kind == INSN_RETURN) {
		live.live_regs = CALLEE_SAVED | RETURNED;
		live.live_regs |= 1 << INSN_RDX; /* of two words it is the second */
	}
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
		for (uint64_t o = flow_size(&fn); o-- > 0;)
			if (flow_node(&fn, o) && flow_node(&fn, o)->met)
				news = update(flow_node(&fn, o), o) || news;
	}
}

/* ---- What hooks leave behind -------------------------------------------------------------------------- */

/* General instructions of two bytes: conditions, bits, shifts, extensions, read-modify-writes. */
static bool is_general(const struct insn *in)
{
	const unsigned op = in->opcode & 0xff;

	if (in->opcode < 0x0f00)
		return op < 0xd8 || op >= 0xe0; /* x87 */
	return (op >= 0x18 && op < 0x20) || (op >= 0x40 && op < 0x50) ||
	       (op >= 0x80 && op < 0xc2) || (op >= 0xc7 && op < 0xd0) || op == 0x05 || op == 0x0b;
}

/* From what may be left over before the node to what is behind it. */
static uint16_t leaves(const struct node *node)
{
	if (node->callee.kind == CALLEE_OTHER)
		return node->garbage & (uint16_t)~node->in.writes;
	if (node->callee.kind == CALLEE_PLAIN)
		return SCRATCH;
	return SCRATCH & ~(1 << INSN_RAX) &
	       ~(node->callee.size && node->callee.size < 16 ? 0 : 1 << INSN_RDX);
}

static bool pass(struct node *to, uint16_t garbage)
{
	if (!to || !(garbage & ~to->garbage))
		return false;
	to->garbage |= garbage;
	return true;
}

/*
 * On some way to a node, what does a register hold that a hook has left there? If one does, nobody looks at it behind the node: what
 * is looked at has to be there by all ways.
 */
static void follow_hooks(void)
{
	bool news = true;

	for (uint32_t i = 0; i < fn.nodes; i++)
		fn.node[i].garbage = 0;
	while (news) {
		news = false;
		for (uint64_t o = 0; o < flow_size(&fn); o++) {
			const struct node *node = flow_node(&fn, o);

			if (node && flow_goes_on(&node->in))
				news |= pass(flow_node(&fn, o + node->in.length), leaves(node));
			if (node && flow_jumps(&node->in))
				news |= pass(flow_node(&fn, node->in.target - fn.function.start),
					     leaves(node));
		}
	}
}

/* What inline assembly finds. */
static void fill_inline(struct flow *flow, const struct node *node)
{
	bool general = true;

	follow_hooks();
	for (uint32_t i = 0; general && i < fn.nodes; i++)
		general = is_general(&fn.node[i].in);
	flow->scratch = general && node->garbage & VECTORS;
	flow->live_regs |= flow->returned ? 1 << INSN_RAX : 0;
	flow->live_regs &= (uint16_t)~node->garbage;
	/* What it is given is known otherwise: it is the operation's. */
	flow->live_regs &= (uint16_t)(~node->in.writes | node->in.keeps);
}

/* ---- All ------------------------------------------------------------------------------------------------ */

static void fill(struct flow *flow, const struct node *call, const struct node *next)
{
	const struct node *from = flow->before ? call : next;
	struct node live = { .live_regs = from->live_regs };

	memcpy(live.live, from->live, sizeof(live.live));
	if (fn.shared && (flow->before || call->callee.kind != CALLEE_LOAD))
		all_live(&live);
	if (call->in.kind == INSN_CALL && call->callee.kind == CALLEE_OTHER)
		call_reads(&live, call);
	flow->known = true;
	flow->atomic = call->callee.kind == CALLEE_ATOMIC;
	flow->shared = fn.shared;
	flow->arguments = fn.arguments;
	flow->sp = call->reg[INSN_RSP];
	flow->returned = from->live_regs & RETURNED;
	flow->live_regs = live.live_regs & (uint16_t)~RETURNED;
	memcpy(flow->live, live.live, sizeof(flow->live));
	if (call->operates)
		fill_inline(flow, call);
}

/* The call that returns to pc, or the inline assembly that is an operation, and ends there. */
static const struct node *call_before(uint64_t pc)
{
	const struct node *node;

	for (uint64_t length = 1; length <= INSN_LONGEST; length++) {
		node = flow_node(&fn, pc - fn.function.start - length);
		if (node && (node->in.kind == INSN_CALL || node->operates) &&
		    node->in.length == length)
			return node;
	}
	return NULL;
}

void flow_find(struct flow *flow)
{
	const struct node *next, *call;

	flow->known = false;
	flow_make(&fn, FLOW_NODES, FLOW_CODE);
	if (!function_of(flow->pc, &fn.function) || flow_size(&fn) > FLOW_CODE || !flow_decode(&fn))
		return;
	flow_addresses(&fn);
	flow_leaks(&fn);
	if (fn.shared) {
		flow_addresses_shared(&fn);
		flow_leaks(&fn);
	}
	follow_reads();
	next = flow_node(&fn, flow->pc - fn.function.start);
	call = call_before(flow->pc);
	if (next && call && in_frame(call->reg[INSN_RSP]))
		fill(flow, call, next);
}
