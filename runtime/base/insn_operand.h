/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insn_operand.h - bytes and operands of an instruction, for the parts of its decoder
 *
 * insn.c begins and ends an instruction; insn_one.c and insn_two.c know the opcodes of the maps of
 * one byte and of two. Each puts what it finds into decoder.in, or sets decoder.bad.
 */
#ifndef HEDDLE_BASE_INSN_OPERAND_H
#define HEDDLE_BASE_INSN_OPERAND_H

#include "base/insn.h"

struct decoder {
	const uint8_t *p, *end;
	struct insn *in;
	uint8_t rex, mod, reg, rm;
	bool wide, half, rep, repne, bad;
	uint8_t segment;
};

enum {
	REX_W = 8,
	REX_R = 4,
	REX_X = 2,
	REX_B = 1
};

/* The next byte; 0 at the end, which is bad. */
static inline uint8_t byte(struct decoder *d)
{
	if (d->p == d->end) {
		d->bad = true;
		return 0;
	}
	return *d->p++;
}

/* A signed number of that many bytes. */
static inline int64_t number(struct decoder *d, unsigned size)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)byte(d) << 8 * i;
	return size == 8 ? (int64_t)v : (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);
}

/* Size of an operand that is not a byte. */
static inline unsigned word(const struct decoder *d)
{
	return d->wide ? 8 : d->half ? 2 : 4;
}

/* Bytes of an immediate of an operand that is not a byte. */
static inline unsigned word_imm(const struct decoder *d)
{
	return d->half && !d->wide ? 2 : 4;
}

/* The byte behind ModRM that says base and index. */
static inline void sib(struct decoder *d)
{
	uint8_t s = byte(d), base = s & 7, index = s >> 3 & 7;

	index |= d->rex & REX_X ? 8 : 0;
	d->in->index = index == INSN_RSP ? INSN_NONE : index;
	d->in->scale = (uint8_t)(1u << (s >> 6));
	if (base == INSN_RBP && !d->mod) {
		d->in->base = INSN_NONE;
		d->in->disp = number(d, 4);
	} else {
		d->in->base = base | (d->rex & REX_B ? 8 : 0);
	}
}

/* ModRM, and all of the address that it asks for. */
static inline void modrm(struct decoder *d)
{
	uint8_t m = byte(d);

	d->mod = m >> 6;
	d->reg = (m >> 3 & 7) | (d->rex & REX_R ? 8 : 0);
	d->rm = (m & 7) | (d->rex & REX_B ? 8 : 0);
	if (d->mod == 3)
		return;
	d->in->memory = true;
	if ((m & 7) == INSN_RSP) {
		sib(d);
	} else if ((m & 7) == INSN_RBP && !d->mod) {
		d->in->base = INSN_RIP; /* of the next instruction: see insn_decode() */
		d->in->disp = number(d, 4);
	} else {
		d->in->base = d->rm;
	}
	if (d->mod)
		d->in->disp = number(d, d->mod == 1 ? 1 : 4);
}

/* The register that a number means: without REX, 4 to 7 are the second bytes of 0 to 3. */
static inline unsigned reg_of(const struct decoder *d, unsigned reg, unsigned size)
{
	return size == 1 && !d->rex && reg >= 4 && reg < 8 ? reg - 4 : reg;
}

/* Is of the register only the lowest byte used? */
static inline void note_low(struct decoder *d, unsigned reg, unsigned size)
{
	uint16_t bit = (uint16_t)(1u << reg_of(d, reg, size));

	if (size == 1 && reg_of(d, reg, size) == reg && !((d->in->reads | d->in->writes) & bit))
		d->in->low |= bit;
	else if (size != 1 || reg_of(d, reg, size) != reg)
		d->in->low &= (uint16_t)~bit;
}

/* From here: so many bytes of a register, or of the operand that ModRM names, are read or written. */
static inline void read_reg(struct decoder *d, unsigned reg, unsigned size)
{
	note_low(d, reg, size);
	d->in->reads |= (uint16_t)(1u << reg_of(d, reg, size));
}

static inline void write_reg(struct decoder *d, unsigned reg, unsigned size)
{
	uint16_t bit = (uint16_t)(1u << reg_of(d, reg, size));

	note_low(d, reg, size);
	d->in->writes |= bit;
	if (size < 4)
		d->in->keeps |= bit;
}

static inline void read_rm(struct decoder *d, unsigned size)
{
	if (d->mod == 3)
		read_reg(d, d->rm, size);
	else
		d->in->read_size = (uint8_t)size;
}

static inline void write_rm(struct decoder *d, unsigned size)
{
	if (d->mod == 3) {
		write_reg(d, d->rm, size);
	} else {
		d->in->write_size = (uint8_t)size;
		d->in->writes_some = true;
	}
}

static inline void change_rm(struct decoder *d, unsigned size)
{
	read_rm(d, size);
	write_rm(d, size);
}

/* A memory operand of registers that are not general ones. */
static inline void read_memory(struct decoder *d, unsigned size)
{
	d->in->read_size = d->mod == 3 ? 0 : (uint8_t)size;
}

static inline void write_memory(struct decoder *d, unsigned size)
{
	if (d->mod == 3)
		return;
	d->in->write_size = (uint8_t)size;
	d->in->writes_some = true;
}

/* A branch, jump or call by a number of that many bytes. */
static inline void jump(struct decoder *d, enum insn_kind kind, unsigned size)
{
	d->bad |= d->half && !d->wide; /* 66 66 48 e8: a call of __tls_get_addr() */
	d->in->kind = kind;
	d->in->imm = number(d, size); /* from the next instruction: see insn_decode() */
}

/* Before anything of it is read: *d->in is as insn.h has it of an instruction without operands. Of the code at most `left` bytes are looked at. */
__attribute__((visibility("hidden"))) void insn_begin(struct decoder *d, const uint8_t *code,
						      uint64_t left, struct insn *in);
/* REX, if that is the byte; the one after it, or the byte. */
__attribute__((visibility("hidden"))) uint8_t insn_rex(struct decoder *d, uint8_t op);
/* When all of it is read: its length, and where its operand is in memory, if it runs at `at`. */
__attribute__((visibility("hidden"))) void insn_end(struct decoder *d, const uint8_t *code,
						    uint64_t at);
/* The prefixes; the byte after them. */
__attribute__((visibility("hidden"))) uint8_t insn_prefixes(struct decoder *d);
/* Stores from SSE registers, by the opcode after 0F: bytes, or 0 if it is none. */
__attribute__((visibility("hidden"))) unsigned insn_sse_store(const struct decoder *d, uint8_t op);
/* Bytes that other SSE and MMX instructions read, if their operand is in memory. */
__attribute__((visibility("hidden"))) unsigned insn_sse_load(const struct decoder *d, uint8_t op);
/* The opcode op, and what follows it. */
__attribute__((visibility("hidden"))) void insn_one_byte(struct decoder *d, uint8_t op);
/* The opcode after 0F, and what follows it. */
__attribute__((visibility("hidden"))) void insn_two_bytes(struct decoder *d);

#endif
