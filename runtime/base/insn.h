/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insn.h - what one x86-64 instruction does to registers and memory, as far as live.c asks
 *
 * Covers what compilers make of C and C++ without vector extensions; whatever else there is
 * is refused, never guessed. Pure: no memory but the code is looked at.
 */
#ifndef HEDDLE_BASE_INSN_H
#define HEDDLE_BASE_INSN_H

#include <stdbool.h>
#include <stdint.h>

enum insn_kind {
	INSN_PLAIN,  /* reads and writes what the sets say, and goes on */
	INSN_MOVE,   /* the 64 bits of register dst become those of register src */
	INSN_LOAD,   /* register dst becomes the 8 bytes of the memory operand */
	INSN_STORE,  /* the other way round, from register src */
	INSN_LEA,    /* register dst becomes the address of the memory operand */
	INSN_ADD,    /* imm is added to the 64 bits of register dst */
	INSN_STRING, /* reads and writes memory at rsi and rdi, base and index, and moves these on */
	INSN_PUSH,   /* of a register (src), of memory, or of a number */
	INSN_POP,    /* to register dst, or to memory */
	INSN_LEAVE,  /* rsp = rbp; pop rbp */
	INSN_BRANCH, /* to target, or on */
	INSN_JUMP,   /* to target; 0: who knows where */
	INSN_CALL,   /* of target; 0: of what the memory operand, or a register, holds */
	INSN_RETURN,
	INSN_STOP /* nothing comes after it */
};

enum {
	INSN_RAX = 0,
	INSN_RCX = 1,
	INSN_RDX = 2,
	INSN_RBX = 3,
	INSN_RSP = 4,
	INSN_RBP = 5,
	INSN_RSI = 6,
	INSN_RDI = 7,
	INSN_NONE = 16,      /* no register */
	INSN_RIP = 17,       /* as a base: disp is the address */
	INSN_SEGMENT = 18,   /* as a base: thread-local, no stack */
	INSN_LONGEST = 15,   /* bytes */
	INSN_READ_MOST = 64, /* read_size if in doubt; nor is more written */
};

/*
 * The opcode of cmpxchg8b and cmpxchg16b. In what a compiler has made it may be a load that clang leaves behind the call which stands for it, and
 * whose result nobody uses.
 */
enum {
	INSN_COMPARE_PAIR = 0x0fc7
};

/*
 * The sets of registers are bits by number. Of a register that is written by less than 4 bytes
 * something is kept. Registers that only make an address stand in base and index, not in `reads`.
 */
struct insn {
	uint8_t kind;
	uint8_t length;
	uint16_t opcode;        /* of two bytes: 0x0f00, and the second */
	uint8_t dst, src;       /* registers, INSN_NONE: none */
	uint8_t base, index;    /* of the memory operand */
	uint8_t scale;          /* what index is multiplied by */
	bool memory;            /* is there one? */
	bool elsewhere;         /* memory is accessed, and nothing here says where */
	bool locked;            /* it is read and written in one step, as other processors see it */
	uint8_t read_size;      /* bytes at most that are read of it */
	uint8_t write_size;     /* bytes that are surely written */
	bool writes_some;       /* it may be written */
	bool writes_other;      /* a register of SSE, MMX or x87 may be written */
	uint16_t reads, writes; /* registers */
	uint16_t keeps;         /* those written of which something is kept */
	uint16_t low;           /* of which only the lowest byte is read and written */
	int64_t disp, imm;
	uint64_t target;
};

/*
 * Decodes the instruction at code, of which at most `left` bytes may be looked at; `at` is the
 * address that it runs at. False: it is none that is known here.
 */
bool insn_decode(const uint8_t *code, uint64_t left, uint64_t at, struct insn *in);

#endif
