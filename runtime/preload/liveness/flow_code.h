/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow_code.h - a function taken apart, between the parts of flow.c
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_FLOW_CODE_H
#define HEDDLE_PRELOAD_FLOW_CODE_H

#include <stddef.h>

#include "preload/liveness/callee.h"
#include "preload/liveness/flow.h"

#pragma GCC visibility push(hidden)

enum {
	FLOW_NODES = 4096, /* instructions of a function */
	FLOW_CODE = 32768, /* bytes of it */
	FLOW_REGS = 16,
	FLOW_SLOTS = 16, /* of its frame that hold addresses in it */
	CALLEE_SAVED = 1 << INSN_RBX | 1 << INSN_RBP | 0xf000
};

/*
 * What is known of a register: an offset in the frame, or
 *	FOREIGN		no address in the frame
 *	VAGUE	perhaps one, nobody knows of what
 *	TORN		perhaps one, but for the lowest byte
 */
enum {
	FOREIGN = INT32_MIN,
	VAGUE,
	TORN
};

/* What flow_decode() does not understand, or does not follow. */
enum odd {
	ODD_NOT,
	ODD_UNKNOWN, /* an instruction that insn.c does not know */
	ODD_SYSCALL, /* one that enters the kernel */
};

/* An instruction. */
struct node {
	struct insn in;
	struct callee callee;   /* of an INSN_CALL */
	uint8_t odd;            /* enum odd, only where the decoding is lenient */
	bool met;               /* `reg` is filled */
	uint16_t garbage;       /* registers in which a hook may have left something, before it */
	bool operates;          /* inline assembly that is an operation */
	int32_t reg[FLOW_REGS]; /* before it */
	uint16_t live_regs;     /* before it */
	uint64_t live[FLOW_WORDS];
};

struct flow_code {
	struct function function;
	uint32_t most_nodes, most_code; /* FLOW_NODES, FLOW_CODE, or more */
	bool lenient; /* decode what can be decoded, jumps out of the function included */
	struct node *node;
	uint16_t *at; /* by offset into the function; 0: no instruction, else its index plus 1 */
	uint32_t *pending;
	uint32_t nodes;
	bool shared;        /* an address in the frame leaves the function */
	bool arguments;     /* what lies above the frame is looked at */
	bool passes_memory; /* arguments of calls are on the stack, perhaps */
	int32_t body;       /* stack pointer when nothing is pushed for a call, or VAGUE */
	uint32_t slots;
	bool too_many; /* there are more of them */
	struct {
		int32_t at, holds;
	} slot[FLOW_SLOTS];
};

/* Memory for so many instructions, of so many bytes in all, once. */
void flow_make(struct flow_code *fn, uint32_t nodes, uint32_t code);

static inline uint64_t flow_size(const struct flow_code *fn)
{
	return fn->function.end - fn->function.start;
}

static inline struct node *flow_node(const struct flow_code *fn, uint64_t offset)
{
	return offset < flow_size(fn) && fn->at[offset] ? &fn->node[fn->at[offset] - 1] : NULL;
}

static inline bool in_frame(int32_t v)
{
	return v > TORN;
}

static inline bool is_vague(int32_t v)
{
	return v == VAGUE || v == TORN;
}

/* ---- flow_code.c ---- */

/* May control go on behind it? Or at its target? */
bool flow_goes_on(const struct insn *in);
bool flow_jumps(const struct insn *in);
/*
 * Decodes fn->function; false if there is something in it that is not understood. If fn->lenient, such
 * an instruction ends its path (INSN_STOP, node.odd), and false is for lack of room.
 */
bool flow_decode(struct flow_code *fn);

/* ---- flow_address.c ---- */

/* The address of a memory operand, by what registers hold. */
int32_t flow_address(const struct insn *in, const int32_t *reg);
/* May one of these registers be an address in the frame? */
bool flow_any_address(uint16_t regs, const int32_t *reg);
/* May something of one go into what the instruction writes? */
bool flow_takes_address(const struct insn *in, const int32_t *reg);
/* What the registers hold after an instruction. */
void flow_transfer(const struct flow_code *fn, const struct insn *in, int32_t *reg);
/* Finds out what they hold everywhere, if nobody else may write to the frame. */
void flow_addresses(struct flow_code *fn);
/* After that: somebody may. */
void flow_addresses_shared(struct flow_code *fn);

/* ---- flow_leak.c ---- */

/* Finds out who may look at the frame: shared, arguments, passes_memory, body. */
void flow_leaks(struct flow_code *fn);

#pragma GCC visibility pop

#endif
