/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insn.c - decodes x86-64 instructions (Intel's manual, Volume 2, Appendix A)
 *
 * By opcode byte, in two maps: one byte, and two with 0F first. Those with three (SSSE3 and
 * later), VEX and EVEX are refused.
 *
 * What live.c concludes is only right if no read is left out, and no write made up. So sizes
 * that are read may be too large, and those written never are (write_size 0 if in doubt).
 */
#include "target/insn.h"

#include <string.h>

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

static uint8_t byte(struct decoder *d)
{
	if (d->p == d->end) {
		d->bad = true;
		return 0;
	}
	return *d->p++;
}

/* A signed number of that many bytes. */
static int64_t number(struct decoder *d, unsigned size)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)byte(d) << 8 * i;
	return size == 8 ? (int64_t)v : (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);
}

/* Size of an operand that is not a byte. */
static unsigned word(const struct decoder *d)
{
	return d->wide ? 8 : d->half ? 2 : 4;
}

/* Bytes of an immediate of an operand that is not a byte. */
static unsigned word_imm(const struct decoder *d)
{
	return d->half && !d->wide ? 2 : 4;
}

/* ---- Operands --------------------------------------------------------------------------------- */

static void sib(struct decoder *d)
{
	uint8_t s = byte(d), base = s & 7, index = s >> 3 & 7;

	index |= d->rex & REX_X ? 8 : 0;
	d->in->index = index == INSN_RSP ? INSN_NONE : index;
	if (base == INSN_RBP && !d->mod) {
		d->in->base = INSN_NONE;
		d->in->disp = number(d, 4);
	} else {
		d->in->base = base | (d->rex & REX_B ? 8 : 0);
	}
}

static void modrm(struct decoder *d)
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
static unsigned reg_of(const struct decoder *d, unsigned reg, unsigned size)
{
	return size == 1 && !d->rex && reg >= 4 && reg < 8 ? reg - 4 : reg;
}

static void note_low(struct decoder *d, unsigned reg, unsigned size)
{
	uint16_t bit = (uint16_t)(1u << reg_of(d, reg, size));

	if (size == 1 && reg_of(d, reg, size) == reg && !((d->in->reads | d->in->writes) & bit))
		d->in->low |= bit;
	else if (size != 1 || reg_of(d, reg, size) != reg)
		d->in->low &= (uint16_t)~bit;
}

static void read_reg(struct decoder *d, unsigned reg, unsigned size)
{
	note_low(d, reg, size);
	d->in->reads |= (uint16_t)(1u << reg_of(d, reg, size));
}

static void write_reg(struct decoder *d, unsigned reg, unsigned size)
{
	uint16_t bit = (uint16_t)(1u << reg_of(d, reg, size));

	note_low(d, reg, size);
	d->in->writes |= bit;
	if (size < 4)
		d->in->keeps |= bit;
}

static void read_rm(struct decoder *d, unsigned size)
{
	if (d->mod == 3)
		read_reg(d, d->rm, size);
	else
		d->in->read_size = (uint8_t)size;
}

static void write_rm(struct decoder *d, unsigned size)
{
	if (d->mod == 3) {
		write_reg(d, d->rm, size);
	} else {
		d->in->write_size = (uint8_t)size;
		d->in->writes_some = true;
	}
}

static void change_rm(struct decoder *d, unsigned size)
{
	read_rm(d, size);
	write_rm(d, size);
}

/* A memory operand of registers that are not general ones. */
static void read_memory(struct decoder *d)
{
	d->in->read_size = d->mod == 3 ? 0 : INSN_READ_MOST;
}

static void write_memory(struct decoder *d, unsigned size)
{
	if (d->mod == 3)
		return;
	d->in->write_size = (uint8_t)size;
	d->in->writes_some = true;
}

/* ---- One byte ------------------------------------------------------------------------------- */

/* add or adc sbb and sub xor cmp, in six forms */
static void arithmetic(struct decoder *d, uint8_t op)
{
	unsigned form = op & 7, what = op >> 3, size = form & 1 ? word(d) : 1;
	bool compares = what == 7;

	if (form >= 4) {
		number(d, form == 4 ? 1 : word_imm(d));
		read_reg(d, INSN_RAX, size);
		if (!compares)
			write_reg(d, INSN_RAX, size);
		return;
	}
	modrm(d);
	if (d->mod == 3 && d->reg == d->rm && (what == 5 || what == 6) && size >= 4) {
		write_reg(d, d->reg, size); /* it becomes 0 */
		return;
	}
	read_reg(d, d->reg, size);
	read_rm(d, size);
	if (compares)
		return;
	if (form < 2)
		write_rm(d, size);
	else
		write_reg(d, d->reg, size);
}

/* 80, 81, 83: the same with a number */
static void arithmetic_number(struct decoder *d, uint8_t op)
{
	unsigned size = op == 0x80 ? 1 : word(d), what;

	modrm(d);
	what = d->reg & 7;
	d->in->imm = number(d, op == 0x81 ? word_imm(d) : 1);
	read_rm(d, size);
	if (what != 7)
		write_rm(d, size);
	if (d->mod == 3 && d->wide && (what == 0 || what == 5)) {
		d->in->kind = INSN_ADD;
		d->in->dst = d->rm;
		d->in->imm = what ? -d->in->imm : d->in->imm;
	}
}

/* 88 to 8B, 8D */
static void move(struct decoder *d, uint8_t op)
{
	unsigned size = op & 1 ? word(d) : 1;
	bool load = op & 2;

	modrm(d);
	if (load) {
		read_rm(d, size);
		write_reg(d, d->reg, size);
	} else {
		read_reg(d, d->reg, size);
		write_rm(d, size);
	}
	if (size != 8)
		return;
	if (d->mod == 3) {
		d->in->kind = INSN_MOVE;
		d->in->dst = load ? d->reg : d->rm;
		d->in->src = load ? d->rm : d->reg;
	} else if (load) {
		d->in->kind = INSN_LOAD;
		d->in->dst = d->reg;
	} else {
		d->in->kind = INSN_STORE;
		d->in->src = d->reg;
	}
}

static void lea(struct decoder *d)
{
	modrm(d);
	if (d->mod == 3) {
		d->bad = true;
		return;
	}
	write_reg(d, d->reg, word(d));
	if (word(d) == 8) {
		d->in->kind = INSN_LEA;
		d->in->dst = d->reg;
		return;
	}
	if (d->in->base < INSN_NONE)
		read_reg(d, d->in->base, 8);
	if (d->in->index < INSN_NONE)
		read_reg(d, d->in->index, 8);
}

/* F6, F7: test not neg mul imul div idiv */
static void group3(struct decoder *d, uint8_t op)
{
	unsigned size = op & 1 ? word(d) : 1, what;

	modrm(d);
	what = d->reg & 7;
	if (what < 2)
		number(d, size == 1 ? 1 : word_imm(d));
	read_rm(d, size);
	if (what == 2 || what == 3)
		write_rm(d, size);
	if (what < 4)
		return;
	d->in->reads |= 1 << INSN_RAX | 1 << INSN_RDX;
	write_reg(d, INSN_RAX, 8);
	write_reg(d, INSN_RDX, 8);
}

/* FE, FF: inc dec call jmp push */
static void group5(struct decoder *d, uint8_t op)
{
	unsigned size = op & 1 ? word(d) : 1, what;

	modrm(d);
	what = d->reg & 7;
	if (what > 1 && op == 0xfe) {
		d->bad = true;
		return;
	}
	switch (what) {
	case 0:
	case 1:
		change_rm(d, size);
		break;
	case 2:
	case 4:
		d->in->kind = what == 2 ? INSN_CALL : INSN_JUMP;
		read_rm(d, 8);
		break;
	case 6:
		d->in->kind = INSN_PUSH;
		d->in->src = d->mod == 3 ? d->rm : INSN_NONE;
		read_rm(d, 8);
		d->bad |= d->half;
		break;
	default:
		d->bad = true;
	}
}

static void shift(struct decoder *d, uint8_t op)
{
	modrm(d);
	change_rm(d, op & 1 ? word(d) : 1);
	if (op < 0xd0)
		byte(d);
	else if (op >= 0xd2)
		read_reg(d, INSN_RCX, 1);
}

/* movs, stos: rep or not, forwards or back. The bytes are not known. */
static void string(struct decoder *d)
{
	d->in->kind = INSN_STRING;
	d->in->reads = 1 << INSN_RSI | 1 << INSN_RDI | 1 << INSN_RCX | 1 << INSN_RAX;
	d->in->writes = 1 << INSN_RSI | 1 << INSN_RDI | 1 << INSN_RCX;
	d->in->memory = d->in->writes_some = true;
	d->in->read_size = INSN_READ_MOST;
	d->in->base = INSN_RSI;
	d->in->index = INSN_RDI;
}

static void jump(struct decoder *d, enum insn_kind kind, unsigned size)
{
	d->bad |= d->half;
	d->in->kind = kind;
	d->in->imm = number(d, size); /* from the next instruction: see insn_decode() */
}

static void x87(struct decoder *d, uint8_t op)
{
	modrm(d);
	read_memory(d);
	d->in->writes_some = d->in->memory;
	if (d->mod == 3 && op == 0xdf)
		write_reg(d, INSN_RAX, 2); /* fnstsw */
}

static void push_pop(struct decoder *d, uint8_t op)
{
	uint8_t reg = (op & 7) | (d->rex & REX_B ? 8 : 0);

	d->bad |= d->half;
	if (op < 0x58) {
		d->in->kind = INSN_PUSH;
		d->in->src = reg;
		read_reg(d, reg, 8);
	} else {
		d->in->kind = INSN_POP;
		d->in->dst = reg;
		write_reg(d, reg, 8);
	}
}

static void exchange_rax(struct decoder *d, uint8_t op)
{
	uint8_t reg = (op & 7) | (d->rex & REX_B ? 8 : 0);

	if (!reg)
		return; /* nop, pause */
	d->in->reads = d->in->writes = (uint16_t)(1u << reg | 1u << INSN_RAX);
}

static void move_number(struct decoder *d, uint8_t op)
{
	uint8_t reg = (op & 7) | (d->rex & REX_B ? 8 : 0);
	unsigned size = op < 0xb8 ? 1 : word(d);

	number(d, size);
	write_reg(d, reg, size);
}

static void one_byte_more(struct decoder *d, uint8_t op)
{
	switch (op) {
	case 0x98: /* cwde, cdqe */
		read_reg(d, INSN_RAX, 8);
		write_reg(d, INSN_RAX, word(d));
		break;
	case 0x99: /* cdq, cqo */
		read_reg(d, INSN_RAX, 8);
		write_reg(d, INSN_RDX, word(d));
		break;
	case 0xa4:
	case 0xa5:
	case 0xaa:
	case 0xab:
		string(d);
		break;
	case 0xa8:
	case 0xa9:
		number(d, op == 0xa8 ? 1 : word_imm(d));
		read_reg(d, INSN_RAX, 8);
		break;
	case 0xc6:
	case 0xc7:
		modrm(d);
		write_rm(d, op == 0xc6 ? 1 : word(d));
		number(d, op == 0xc6 ? 1 : word_imm(d));
		d->bad |= d->reg & 7;
		break;
	case 0xc2:
		number(d, 2);
		/* fallthrough */
	case 0xc3:
		d->in->kind = INSN_RETURN;
		break;
	case 0xc9:
		d->in->kind = INSN_LEAVE;
		break;
	case 0xcc:
	case 0xf4:
		d->in->kind = INSN_STOP;
		break;
	case 0xe8:
		jump(d, INSN_CALL, 4);
		break;
	case 0xe9:
		jump(d, INSN_JUMP, 4);
		break;
	case 0xeb:
		jump(d, INSN_JUMP, 1);
		break;
	default:
		d->bad = true;
	}
}

static void one_byte(struct decoder *d, uint8_t op)
{
	if (op < 0x40 && (op & 7) < 6) {
		arithmetic(d, op);
	} else if (op >= 0x50 && op < 0x60) {
		push_pop(d, op);
	} else if (op >= 0x70 && op < 0x80) {
		jump(d, INSN_BRANCH, 1);
	} else if (op == 0x80 || op == 0x81 || op == 0x83) {
		arithmetic_number(d, op);
	} else if (op == 0x84 || op == 0x85) {
		modrm(d);
		read_reg(d, d->reg, op & 1 ? word(d) : 1);
		read_rm(d, op & 1 ? word(d) : 1);
	} else if (op == 0x86 || op == 0x87) {
		modrm(d);
		read_reg(d, d->reg, op & 1 ? word(d) : 1);
		write_reg(d, d->reg, op & 1 ? word(d) : 1);
		change_rm(d, op & 1 ? word(d) : 1);
	} else if (op >= 0x88 && op < 0x8c) {
		move(d, op);
	} else if (op == 0x8d) {
		lea(d);
	} else if (op >= 0x90 && op < 0x98) {
		exchange_rax(d, op);
	} else if (op >= 0xb0 && op < 0xc0) {
		move_number(d, op);
	} else if (op == 0xc0 || op == 0xc1 || (op >= 0xd0 && op < 0xd4)) {
		shift(d, op);
	} else if (op >= 0xd8 && op < 0xe0) {
		x87(d, op);
	} else if (op == 0xf6 || op == 0xf7) {
		group3(d, op);
	} else if (op >= 0xfe) {
		group5(d, op);
	} else if (op == 0x63) { /* movsxd */
		modrm(d);
		read_rm(d, 4);
		write_reg(d, d->reg, word(d));
	} else if (op == 0x68 || op == 0x6a) {
		d->in->kind = INSN_PUSH;
		number(d, op == 0x68 ? 4 : 1);
		d->bad |= d->half;
	} else if (op == 0x69 || op == 0x6b) {
		modrm(d);
		read_rm(d, word(d));
		write_reg(d, d->reg, word(d));
		number(d, op == 0x6b ? 1 : word_imm(d));
	} else {
		one_byte_more(d, op);
	}
}

/* ---- Two bytes -------------------------------------------------------------------------------- */

/* Stores from SSE registers: bytes, or 0 if op is none. */
static unsigned sse_store(const struct decoder *d, uint8_t op)
{
	switch (op) {
	case 0x11:
		return d->rep ? 4 : d->repne ? 8 : 16;
	case 0x29:
	case 0x2b:
		return 16;
	case 0x13:
	case 0x17:
		return 8;
	case 0x7f:
	case 0xe7:
		return d->half || d->rep ? 16 : 8;
	case 0xd6:
		return d->half ? 8 : 0;
	default:
		return 0;
	}
}

/* SSE instructions one operand of which is a general register. */
static bool sse_general(struct decoder *d, uint8_t op)
{
	switch (op) {
	case 0x2a: /* cvtsi2sd and so on; without prefix, of MMX */
	case 0x6e: /* movd */
	case 0xc4: /* pinsrw */
		modrm(d);
		read_rm(d, 8);
		d->in->writes_some = d->mod == 3;
		break;
	case 0x2c:
	case 0x2d:
	case 0x50:
	case 0xc5:
	case 0xd7:
		modrm(d);
		read_memory(d);
		write_reg(d, d->reg, d->wide ? 8 : 4);
		if ((op == 0x2c || op == 0x2d) && !d->rep && !d->repne)
			d->bad = true; /* to MMX registers */
		break;
	case 0x7e:
		modrm(d);
		if (d->rep)
			read_memory(d); /* movq, a load */
		else
			write_rm(d, d->wide ? 8 : 4);
		break;
	default:
		return false;
	}
	if (op == 0xc4 || op == 0xc5)
		byte(d);
	return true;
}

static void sse(struct decoder *d, uint8_t op)
{
	unsigned stores = sse_store(d, op);

	if (sse_general(d, op))
		return;
	modrm(d);
	if (stores)
		write_memory(d, stores);
	else
		read_memory(d);
	if ((op >= 0x70 && op < 0x74) || op == 0xc2 || op == 0xc6)
		byte(d);
	d->bad |= op == 0xf7 || op == 0xf0 || op == 0xff;
}

/* Is the opcode with 0F first one of SSE (or MMX)? */
static bool is_sse(uint8_t op)
{
	return (op >= 0x10 && op < 0x18) || (op >= 0x28 && op < 0x30) || op == 0x50 ||
	       (op >= 0x51 && op < 0x77) || op == 0x7e || op == 0x7f || op == 0xc2 ||
	       (op >= 0xc4 && op < 0xc7) || op >= 0xd0;
}

static void two_bytes_more(struct decoder *d, uint8_t op)
{
	switch (op) {
	case 0x0b:
		d->in->kind = INSN_STOP;
		break;
	case 0x77:
		break;
	case 0xa3: /* bt with a register goes far in memory */
	case 0xab:
	case 0xb3:
	case 0xbb:
		modrm(d);
		read_reg(d, d->reg, word(d));
		change_rm(d, word(d));
		d->bad |= d->mod != 3;
		break;
	case 0xa4:
	case 0xa5:
	case 0xac:
	case 0xad:
		modrm(d);
		read_reg(d, d->reg, word(d));
		read_reg(d, INSN_RCX, 1);
		change_rm(d, word(d));
		if (!(op & 1))
			byte(d);
		break;
	case 0xae:
		modrm(d); /* lfence, mfence, sfence */
		d->bad |= d->mod != 3 || d->rep || (d->reg & 7) < 5;
		break;
	case 0xaf:
		modrm(d);
		read_reg(d, d->reg, word(d));
		read_rm(d, word(d));
		write_reg(d, d->reg, word(d));
		break;
	case 0xb0:
	case 0xb1: /* cmpxchg */
		modrm(d);
		read_reg(d, d->reg, 8);
		change_rm(d, op & 1 ? word(d) : 1);
		d->in->write_size = 0;
		d->in->reads |= 1 << INSN_RAX;
		d->in->writes |= 1 << INSN_RAX;
		if (d->mod == 3)
			read_reg(d, d->rm, 8);
		break;
	case 0xba:
		modrm(d);
		change_rm(d, word(d));
		byte(d);
		break;
	case 0xc0:
	case 0xc1: /* xadd */
		modrm(d);
		read_reg(d, d->reg, op & 1 ? word(d) : 1);
		write_reg(d, d->reg, op & 1 ? word(d) : 1);
		change_rm(d, op & 1 ? word(d) : 1);
		break;
	default:
		d->bad = true;
	}
}

static void two_bytes(struct decoder *d)
{
	uint8_t op = byte(d);

	if (is_sse(op)) {
		sse(d, op);
	} else if ((op & 0xf8) == 0x18) { /* nop, endbr64, prefetch */
		modrm(d);
		d->bad |= op == 0x1e && d->mod == 3 && d->reg != 7; /* rdssp */
	} else if (op >= 0x40 && op < 0x50) {                       /* cmov */
		modrm(d);
		read_reg(d, d->reg, word(d));
		read_rm(d, word(d));
		write_reg(d, d->reg, word(d));
	} else if (op >= 0x80 && op < 0x90) {
		jump(d, INSN_BRANCH, 4);
	} else if (op >= 0x90 && op < 0xa0) { /* set */
		modrm(d);
		write_rm(d, 1);
	} else if ((op & 0xf6) == 0xb6 && (op & 0xfe) != 0xba) { /* movzx, movsx */
		modrm(d);
		read_rm(d, op & 1 ? 2 : 1);
		write_reg(d, d->reg, word(d));
	} else if (op == 0xb8 || op == 0xbc || op == 0xbd) { /* popcnt, bsf, bsr */
		modrm(d);
		read_reg(d, d->reg, 8); /* which stays, of 0 */
		read_rm(d, word(d));
		write_reg(d, d->reg, word(d));
		d->bad |= op == 0xb8 && !d->rep;
	} else if (op >= 0xc8 && op < 0xd0) { /* bswap */
		uint8_t reg = (op & 7) | (d->rex & REX_B ? 8 : 0);

		read_reg(d, reg, 8);
		write_reg(d, reg, word(d));
	} else {
		two_bytes_more(d, op);
	}
}

/* ---- All ------------------------------------------------------------------------------------------ */

/* The prefixes; returns the byte after them. */
static uint8_t prefixes(struct decoder *d)
{
	for (;;) {
		uint8_t b = byte(d);

		switch (b) {
		case 0x66:
			d->half = true;
			break;
		case 0xf2:
			d->repne = true;
			break;
		case 0xf3:
			d->rep = true;
			break;
		case 0xf0: /* lock */
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x26:
			break; /* they mean nothing here */
		case 0x64:
		case 0x65:
			d->segment = b;
			break;
		case 0x67: /* only what linkers make of call *f@GOT */
			if (d->p < d->end && *d->p != 0xe8)
				d->bad = true;
			break;
		default:
			return b;
		}
		if (d->bad)
			return 0;
	}
}

bool insn_decode(const uint8_t *code, uint64_t left, uint64_t at, struct insn *in)
{
	struct decoder d = { .p = code, .in = in };
	uint8_t op;

	memset(in, 0, sizeof(*in));
	in->dst = in->src = in->base = in->index = INSN_NONE;
	d.end = code + (left < INSN_LONGEST ? left : INSN_LONGEST);
	op = prefixes(&d);
	if ((op & 0xf0) == 0x40) {
		d.rex = op;
		d.wide = op & REX_W;
		op = byte(&d);
	}
	if (d.bad)
		return false;
	if (op == 0x0f)
		two_bytes(&d);
	else
		one_byte(&d, op);
	if (d.bad)
		return false;
	in->length = (uint8_t)(d.p - code);
	if (in->base == INSN_RIP)
		in->disp += (int64_t)(at + in->length);
	if (d.segment && in->memory) {
		in->base = INSN_SEGMENT;
		in->index = INSN_NONE;
	}
	if (in->kind == INSN_BRANCH ||
	    ((in->kind == INSN_JUMP || in->kind == INSN_CALL) && op != 0xff))
		in->target = at + in->length + (uint64_t)in->imm;
	return true;
}
