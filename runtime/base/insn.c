/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insn.c - decodes x86-64 instructions (Intel's manual, Volume 2, Appendix A)
 *
 * By opcode byte, in two maps: one byte (insn_one.c), and two with 0F first (insn_two.c). Those
 * with three (SSSE3 and later), VEX and EVEX are refused (insn_vector.h knows what some of them do to memory, insn_rest.h what
 * seldom used ones of the first two do).
 *
 * tests/unit/check_insn_zydis.c compares this with Zydis. Why that is not used here, DECISIONS.md says.
 *
 * What live.c concludes is only right if no read is left out, and no write made up. So sizes
 * that are read may be too large, and those written never are (write_size 0 if in doubt).
 */
#include "base/insn_operand.h"

#include <string.h>

void insn_begin(struct decoder *d, const uint8_t *code, uint64_t left, struct insn *in)
{
	memset(in, 0, sizeof(*in));
	in->dst = in->src = in->base = in->index = INSN_NONE;
	in->scale = 1;
	*d = (struct decoder){
		.p = code,
		.end = code + (left < INSN_LONGEST ? left : INSN_LONGEST),
		.in = in,
	};
}

uint8_t insn_rex(struct decoder *d, uint8_t op)
{
	if ((op & 0xf0) != 0x40)
		return op;
	d->rex = op;
	d->wide = op & REX_W;
	return byte(d);
}

void insn_end(struct decoder *d, const uint8_t *code, uint64_t at)
{
	struct insn *in = d->in;

	in->length = (uint8_t)(d->p - code);
	if (in->base == INSN_RIP)
		in->disp += (int64_t)(at + in->length);
	if (d->segment && in->memory) {
		in->base = INSN_SEGMENT;
		in->index = INSN_NONE;
	}
}

uint8_t insn_prefixes(struct decoder *d)
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
		case 0xf0: /* of what it means live.c knows nothing */
			d->in->locked = true;
			break;
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
	struct decoder d;
	uint8_t op;

	insn_begin(&d, code, left, in);
	op = insn_rex(&d, insn_prefixes(&d));
	if (d.bad || (d.rep && d.repne))
		return false;
	in->opcode = op == 0x0f && d.p < d.end ? 0x0f00u | *d.p : op;
	if (op == 0x0f)
		insn_two_bytes(&d);
	else
		insn_one_byte(&d, op);
	if (d.bad)
		return false;
	in->locked |= in->memory && (op == 0x86 || op == 0x87); /* an exchange always is */
	if (d.segment && (in->kind == INSN_STRING || op == 0x8d))
		return false;
	insn_end(&d, code, at);
	if (in->kind == INSN_BRANCH ||
	    ((in->kind == INSN_JUMP || in->kind == INSN_CALL) && op != 0xff))
		in->target = at + in->length + (uint64_t)in->imm;
	return true;
}
