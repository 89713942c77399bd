/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insn_access.h - instructions that access memory as one atomic operation: locked ones, xchg, and mov
 *
 * What such an instruction asks of memory, by the registers that it finds, and what it leaves in registers and flags, by
 * what stood there. Pure: memory is not accessed here.
 */
#ifndef HEDDLE_BASE_INSN_ACCESS_H
#define HEDDLE_BASE_INSN_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

enum insn_access_what {
	ACCESS_ADD, /* up to ACCESS_XOR: as opcodes number them */
	ACCESS_OR,
	ACCESS_ADC,
	ACCESS_SBB,
	ACCESS_AND,
	ACCESS_SUB,
	ACCESS_XOR,
	ACCESS_INC,
	ACCESS_DEC,
	ACCESS_NOT,
	ACCESS_NEG,
	ACCESS_XADD,
	ACCESS_XCHG,
	ACCESS_BTS,
	ACCESS_BTR,
	ACCESS_BTC,
	ACCESS_CMPXCHG,
	ACCESS_CMPXCHG_PAIR, /* cmpxchg8b, cmpxchg16b */
	ACCESS_LOAD,         /* mov, movzx, movsx */
	ACCESS_STORE         /* mov */
};

enum {
	ACCESS_REGISTERS = 16,
	ACCESS_NUMBER = 16 /* no register, but a number */
};

struct insn_access {
	uint8_t what;
	uint8_t length, size;
	uint8_t reg;  /* that has the operand, or is loaded; ACCESS_NUMBER: imm is it */
	bool high;    /* the second byte of it: ah, ch, dh, bh */
	uint8_t into; /* ACCESS_LOAD: bytes of the register that are written, */
	bool is_signed;
	bool segment; /* the address is one in the thread's own memory (fs) */
	uint8_t base, index, scale;
	int64_t disp, imm;
};

/* Decodes what stands at `code`, of which at most `left` bytes are looked at, for the address `at`. False: it is no such instruction. */
bool insn_access_decode(const uint8_t *code, uint64_t left, uint64_t at, struct insn_access *a);

/* A value of up to 16 bytes. */
struct insn_value {
	uint64_t lo, hi;
};

enum insn_asked_kind {
	ASKED_LOAD,
	ASKED_STORE,
	ASKED_ADD, /* read-modify-writes, by arg */
	ASKED_SUB,
	ASKED_AND,
	ASKED_OR,
	ASKED_XOR,
	ASKED_EXCHANGE,
	ASKED_NEGATE,
	ASKED_COMPARE /* arg is stored if `expected` is there */
};

struct insn_asked {
	uint8_t kind;
	uint64_t addr;
	struct insn_value arg, expected;
};

/* What it asks for. fs: where the thread's own memory begins. */
void insn_access_ask(const struct insn_access *a, const uint64_t reg[ACCESS_REGISTERS],
		     uint64_t flags, uint64_t fs, struct insn_asked *asked);

/* It has read that: what becomes of the registers and of the flags. */
void insn_access_done(const struct insn_access *a, struct insn_value old,
		      uint64_t reg[ACCESS_REGISTERS], uint64_t *flags);

/* Does it set all flags that instructions compute, whatever they were? */
bool insn_access_sets_flags(const struct insn_access *a);

#endif
