/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insn_rest.c - see insn_rest.h
 *
 * Intel's manual, Volume 2, Appendix A. tests/unit/check_insn_zydis.c compares this with Zydis.
 */
#include "base/insn_rest.h"

#include "base/insn_operand.h"

/* bt, bts, btr and btc of a bit that may be far from the operand. */
static void test_bit(struct decoder *d)
{
	modrm(d);
	d->in->elsewhere = d->in->memory;
	d->in->memory = false;
}

/* ldmxcsr, stmxcsr; umonitor, umwait, tpause */
static void group_15(struct decoder *d)
{
	unsigned reg;

	modrm(d);
	reg = d->reg & 7;
	d->bad |= d->mod == 3 ? reg != 6 || !(d->half || d->rep || d->repne)
			      : (reg != 2 && reg != 3) || d->half || d->rep || d->repne;
	if (reg == 2)
		read_memory(d, 4);
	else
		write_memory(d, 4);
}

/* xgetbv, xend, xtest */
static void group_7(struct decoder *d)
{
	uint8_t op = byte(d);

	d->bad |= (op != 0xd0 && op != 0xd5 && op != 0xd6) || d->half || d->rep || d->repne;
}

static void two_bytes(struct decoder *d)
{
	uint8_t op = byte(d);

	d->in->opcode = 0x0f00u | op;
	switch (op) {
	case 0x01:
		group_7(d);
		break;
	case 0xa2: /* cpuid */
		break;
	case 0xa3:
	case 0xab:
	case 0xb3:
	case 0xbb:
		test_bit(d);
		return;
	case 0xae:
		group_15(d);
		break;
	default:
		d->bad = true;
	}
	d->bad |= d->in->locked;
}

/* fldcw, fnstcw */
static void control_word(struct decoder *d)
{
	modrm(d);
	d->bad |= d->mod == 3 || (d->reg & 7) < 5 || (d->reg & 7) == 6;
	if ((d->reg & 7) == 5)
		read_memory(d, 2);
	else
		write_memory(d, 2);
}

/* xabort, xbegin */
static void transaction(struct decoder *d, uint8_t op)
{
	d->bad |= byte(d) != 0xf8;
	if (op == 0xc6)
		byte(d);
	else
		jump(d, INSN_BRANCH, 4);
}

static void one_byte(struct decoder *d, uint8_t op)
{
	switch (op) {
	case 0xa6: /* cmps, lods, scas */
	case 0xa7:
	case 0xac:
	case 0xad:
	case 0xae:
	case 0xaf:
		d->in->kind = INSN_STRING;
		d->in->memory = true;
		d->bad |= d->segment;
		break;
	case 0xe0: /* loop and its kin, jrcxz */
	case 0xe1:
	case 0xe2:
	case 0xe3:
		jump(d, INSN_BRANCH, 1);
		break;
	case 0xc6:
	case 0xc7:
		transaction(d, op);
		break;
	case 0xd9:
		control_word(d);
		break;
	case 0x9b: /* fwait */
	case 0xf5: /* cmc, clc, stc, cld, std */
	case 0xf8:
	case 0xf9:
	case 0xfc:
	case 0xfd:
		break;
	default:
		d->bad = true;
	}
	d->bad |= d->in->locked;
}

bool insn_decode_rest(const uint8_t *code, uint64_t left, uint64_t at, struct insn *in)
{
	struct decoder d;
	uint8_t op;

	insn_begin(&d, code, left, in);
	op = insn_rex(&d, insn_prefixes(&d));
	in->opcode = op;
	if (op == 0x0f)
		two_bytes(&d);
	else
		one_byte(&d, op);
	if (d.bad)
		return false;
	insn_end(&d, code, at);
	if (in->kind == INSN_BRANCH)
		in->target = at + in->length + (uint64_t)in->imm;
	return true;
}
