/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insn_one.c - instructions with an opcode of one byte (see insn.c)
 */
#include "base/insn_operand.h"

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
	if (d->mod == 3 && size == 8 && (what == 0 || what == 5)) {
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

static void x87(struct decoder *d, uint8_t op)
{
	modrm(d);
	read_memory(d, INSN_READ_MOST);
	d->in->writes_some = d->in->memory;
	d->in->writes_other = true;
	if (d->mod == 3 && op == 0xdf)
		write_reg(d, INSN_RAX, 2); /* fnstsw */
	/* frstor, fnsave: 108 bytes */
	d->bad |= d->in->memory && op == 0xdd && ((d->reg & 7) == 4 || (d->reg & 7) == 6);
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

void insn_one_byte(struct decoder *d, uint8_t op)
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
