/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insn_two.c - instructions with an opcode of two bytes, 0F first (see insn.c)
 */
#include "base/insn_operand.h"

unsigned insn_sse_store(const struct decoder *d, uint8_t op)
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

unsigned insn_sse_load(const struct decoder *d, uint8_t op)
{
	bool packed = !d->rep && !d->repne;

	switch (op) {
	case 0x12:
	case 0x16:
		return d->rep ? 16 : 8;
	case 0x2c:
	case 0x2d:
		return d->rep ? 4 : 8;
	case 0x2e:
	case 0x2f:
		return d->half ? 8 : 4;
	case 0x5a:
		return d->rep ? 4 : d->repne || !d->half ? 8 : 16;
	case 0x14:
	case 0x15:
	case 0x28:
	case 0x5b:
	case 0xc6:
		return 16;
	case 0xe6:
		return d->rep ? 8 : 16;
	case 0x10:
	case 0xc2:
		return d->rep ? 4 : d->repne ? 8 : 16;
	default:
		if (op > 0x50 && op < 0x60)
			return packed ? 16 : d->rep ? 4 : 8;
		if (op >= 0x60 && op < 0x63 && packed && !d->half)
			return 4;
		return packed && !d->half ? 8 : 16; /* of MMX */
	}
}

/* What those read that come next. */
static unsigned general_size(const struct decoder *d, uint8_t op)
{
	if (op == 0xc4)
		return 2;
	return op == 0x2a && !d->rep && !d->repne ? 8 : d->wide ? 8 : 4; /* the 8 bytes of MMX */
}

/* SSE instructions one operand of which is a general register. */
static bool sse_general(struct decoder *d, uint8_t op)
{
	switch (op) {
	case 0x2a: /* cvtsi2sd and so on; without prefix, of MMX */
	case 0x6e: /* movd */
	case 0xc4: /* pinsrw */
		modrm(d);
		if (d->mod == 3)
			read_reg(d, d->rm, 8);
		else
			read_memory(d, general_size(d, op));
		d->in->writes_other = true;
		break;
	case 0x2c:
	case 0x2d:
	case 0x50:
	case 0xc5:
	case 0xd7:
		modrm(d);
		read_memory(d, insn_sse_load(d, op));
		write_reg(d, d->reg, d->wide ? 8 : 4);
		if ((op == 0x2c || op == 0x2d) && !d->rep && !d->repne)
			d->bad = true; /* to MMX registers */
		break;
	case 0x7e:
		modrm(d);
		d->in->writes_other = d->rep;
		if (d->rep)
			read_memory(d, 8); /* movq, a load */
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
	unsigned stores = insn_sse_store(d, op);

	if (sse_general(d, op))
		return;
	modrm(d);
	d->in->writes_other = (op != 0x2e && op != 0x2f) && (!stores || d->mod == 3);
	if (stores)
		write_memory(d, stores);
	else
		read_memory(d, insn_sse_load(d, op));
	if ((op >= 0x70 && op < 0x74) || op == 0xc2 || op == 0xc6)
		byte(d);
	d->bad |= op == 0xf7 || op == 0xf0 || op == 0xff || (op == 0x2b && (d->rep || d->repne));
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
		d->bad |= d->mod != 3 || d->half || d->rep || d->repne || (d->reg & 7) < 5;
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
		read_reg(d, d->reg, op & 1 ? word(d) : 1);
		change_rm(d, op & 1 ? word(d) : 1);
		d->in->write_size = 0;
		read_reg(d, INSN_RAX, op & 1 ? word(d) : 1);
		write_reg(d, INSN_RAX, op & 1 ? word(d) : 1);
		break;
	case 0xba:
		modrm(d);
		if ((d->reg & 7) == 4)
			read_rm(d, word(d)); /* bt */
		else
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
	case 0xc7: /* cmpxchg8b, cmpxchg16b */
		modrm(d);
		d->bad |= d->mod == 3 || (d->reg & 7) != 1 || d->half || d->rep || d->repne;
		change_rm(d, d->wide ? 16 : 8);
		d->in->write_size = 0;
		d->in->reads |= 1 << INSN_RAX | 1 << INSN_RDX | 1 << INSN_RBX | 1 << INSN_RCX;
		write_reg(d, INSN_RAX, 2); /* both stay, or not */
		write_reg(d, INSN_RDX, 2);
		break;
	default:
		d->bad = true;
	}
}

void insn_two_bytes(struct decoder *d)
{
	uint8_t op = byte(d);

	if (is_sse(op)) {
		sse(d, op);
	} else if ((op & 0xf8) == 0x18) { /* nop, endbr64, prefetch */
		modrm(d);
		/* rdssp; what MPX had, bndstx and so on */
		d->bad |= (op == 0x1e && d->mod == 3 && d->reg != 7) || op == 0x1a || op == 0x1b;
	} else if (op >= 0x40 && op < 0x50) { /* cmov */
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
