/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insn_access.c - see insn_access.h; which instructions there are (Intel's manual, volume 2)
 *
 * What they compute: insn_result.c.
 */
#include "base/insn_access.h"

#include <string.h>

#include "base/insn_operand.h"

enum {
	SEGMENT_GS = 0x65
};

/* The register that ModRM names beside memory, or a number. */
static void takes_reg(struct insn_access *a, const struct decoder *d)
{
	a->high = a->size == 1 && !d->rex && d->reg >= 4 && d->reg < 8;
	a->reg = (uint8_t)(a->high ? d->reg - 4 : d->reg);
}

static void takes_number(struct insn_access *a, struct decoder *d, unsigned size)
{
	a->reg = ACCESS_NUMBER;
	a->imm = number(d, size);
}

static uint8_t size_of(const struct decoder *d, uint8_t op)
{
	return (uint8_t)(op & 1 ? word(d) : 1);
}

static uint8_t number_of(const struct decoder *d, uint8_t size)
{
	return size == 1 ? 1 : (uint8_t)word_imm(d);
}

/* 80, 81, 83: with a number; F6, F7: not, neg; FE, FF: inc, dec. False: none of these. */
static bool in_group(struct decoder *d, uint8_t op, struct insn_access *a)
{
	static const uint8_t unary[] = { ACCESS_INC, ACCESS_DEC, ACCESS_NOT, ACCESS_NEG };
	unsigned n;

	a->size = size_of(d, op);
	modrm(d);
	n = d->reg & 7;
	if (op < 0x84) {
		a->what = (uint8_t)n;
		takes_number(a, d, op == 0x83 ? 1 : number_of(d, a->size));
		return n <= ACCESS_XOR && op != 0x82;
	}
	a->reg = ACCESS_NUMBER;
	if (op >= 0xfe ? n > 1 : n != 2 && n != 3)
		return false;
	a->what = unary[n];
	return true;
}

/* mov to memory, from a register or a number, and from memory to a register. */
static bool moves(struct decoder *d, uint8_t op, struct insn_access *a)
{
	a->size = a->into = size_of(d, op);
	a->what = op == 0x8a || op == 0x8b ? ACCESS_LOAD : ACCESS_STORE;
	modrm(d);
	takes_reg(a, d);
	if (op < 0xc6)
		return true;
	takes_number(a, d, number_of(d, a->size));
	return !(d->reg & 7);
}

static bool one_byte(struct decoder *d, uint8_t op, struct insn_access *a)
{
	if (op < 0x38 && (op & 7) < 2) {
		a->what = op >> 3;
	} else if (op == 0x86 || op == 0x87) {
		a->what = ACCESS_XCHG;
	} else if ((op >= 0x80 && op < 0x84) || op == 0xf6 || op == 0xf7 || op >= 0xfe) {
		return in_group(d, op, a);
	} else if ((op >= 0x88 && op < 0x8c) || op == 0xc6 || op == 0xc7) {
		return moves(d, op, a);
	} else {
		return false;
	}
	a->size = size_of(d, op);
	modrm(d);
	takes_reg(a, d);
	return true;
}

/* bts, btr, btc: of a register, or of a number */
static bool bits(struct decoder *d, uint8_t op, struct insn_access *a)
{
	unsigned n;

	a->size = (uint8_t)word(d);
	modrm(d);
	takes_reg(a, d);
	n = op == 0xba ? d->reg & 7 : op >> 3 & 7;
	if (op == 0xba)
		takes_number(a, d, 1);
	if (n < 5) /* bt */
		return false;
	a->what = (uint8_t)(ACCESS_BTS + n - 5);
	return true;
}

/* movzx, movsx */
static void widens(struct decoder *d, uint8_t op, struct insn_access *a)
{
	a->what = ACCESS_LOAD;
	a->is_signed = op >= 0xbe;
	a->into = (uint8_t)word(d);
	modrm(d);
	a->size = 4; /* no high byte */
	takes_reg(a, d);
	a->size = op & 1 ? 2 : 1;
}

static bool two_bytes(struct decoder *d, struct insn_access *a)
{
	uint8_t op = byte(d);

	switch (op) {
	case 0xab:
	case 0xb3:
	case 0xbb:
	case 0xba:
		return bits(d, op, a);
	case 0xb0:
	case 0xb1:
	case 0xc0:
	case 0xc1:
		a->what = op < 0xc0 ? ACCESS_CMPXCHG : ACCESS_XADD;
		a->size = size_of(d, op);
		modrm(d);
		takes_reg(a, d);
		return true;
	case 0xb6:
	case 0xb7:
	case 0xbe:
	case 0xbf:
		widens(d, op, a);
		return true;
	case 0xc7:
		a->what = ACCESS_CMPXCHG_PAIR;
		a->size = d->wide ? 16 : 8;
		a->reg = ACCESS_NUMBER;
		modrm(d);
		return (d->reg & 7) == 1;
	default:
		return false;
	}
}

/* Is it one step, as other processors see it? */
static bool is_one_step(const struct insn_access *a, bool locked)
{
	if (a->what >= ACCESS_LOAD)
		return !locked &&
		       !a->segment; /* what a thread moves in its own memory is of no concern to others */
	return locked || a->what == ACCESS_XCHG;
}

bool insn_access_decode(const uint8_t *code, uint64_t left, uint64_t at, struct insn_access *a)
{
	struct decoder d;
	struct insn in;
	uint8_t op;

	memset(a, 0, sizeof(*a));
	insn_begin(&d, code, left, &in);
	op = insn_rex(&d, insn_prefixes(&d));
	if (d.bad || !(op == 0x0f ? two_bytes(&d, a) : one_byte(&d, op, a)) || d.bad || !in.memory)
		return false;
	a->segment = d.segment;
	a->length = (uint8_t)(d.p - code);
	a->base = in.base;
	a->index = in.index;
	a->scale = in.scale;
	a->disp = in.disp + (in.base == INSN_RIP ? (int64_t)(at + a->length) : 0);
	return d.segment != SEGMENT_GS && is_one_step(a, in.locked);
}
