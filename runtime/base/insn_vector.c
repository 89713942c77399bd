/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insn_vector.c - see insn_vector.h
 *
 * Intel's manual, Volume 2, Section 2.3 (VEX) and Appendix A. VEX says by bits what else prefixes and the first bytes of the
 * opcode do: the map (1: 0F, 2: 0F38, 3: 0F3A), the prefix, REX, and whether vectors have 32 bytes in the place of 16. Of EVEX
 * (Section 2.7; maps 5 and 6 are AVX512-FP16) only the length is known, and whether there is a memory operand.
 *
 * tests/unit/check_insn_zydis.c compares this with Zydis.
 */
#include "base/insn_vector.h"

#include "base/insn_operand.h"

enum {
	TWO_BYTE_VEX = 0xc5,
	THREE_BYTE_VEX = 0xc4,
	EVEX = 0x62,
	XMM = 16
};

struct vector {
	struct decoder d;
	bool vex, evex;
	uint8_t map, op;
	unsigned whole; /* bytes of a vector; of MMX 8 */
};

/* ---- Sizes ----------------------------------------------------------------------------------------- */

/* Of one number, or of half a vector of 16 bytes, however large vectors are; of the map 0F. */
static bool is_of_one(const struct vector *v)
{
	bool one = v->d.rep || v->d.repne;

	switch (v->op) {
	case 0x13: /* movlp, movhp; movq; ucomis, comis */
	case 0x17:
	case 0xd6:
	case 0x7e:
	case 0x2e:
	case 0x2f:
		return true;
	case 0x12: /* movlp, movhp; movsldup, movshdup */
	case 0x16:
		return !v->d.rep;
	case 0x10:
	case 0x11:
	case 0x2c:
	case 0x2d:
	case 0xc2:
		return one;
	default:
		return one && v->op > 0x50 && v->op < 0x60 && v->op != 0x5b;
	}
}

/* psrl, psra and psll by a vector of which only one number counts */
static bool shifts(uint8_t op)
{
	return (op >= 0xd1 && op < 0xd4) || op == 0xe1 || op == 0xe2 || (op >= 0xf1 && op < 0xf4);
}

/* Of the map 0F: what SSE says, but that vectors may be larger. */
static unsigned scaled(const struct vector *v, unsigned size)
{
	if (v->op == 0x12 && v->d.repne) /* movddup */
		return v->whole == XMM ? 8 : v->whole;
	if (is_of_one(v))
		return size;
	return shifts(v->op) ? XMM : size * (v->whole / XMM);
}

/* Of 0F38: the parts of a vector that are made larger, or spread. */
static unsigned size_of_part(const struct vector *v)
{
	unsigned whole = v->whole;

	switch (v->op) {
	case 0x20: /* pmovsx, pmovzx: bytes to words and so on */
	case 0x23:
	case 0x25:
	case 0x30:
	case 0x33:
	case 0x35:
	case 0x13: /* vcvtph2ps */
		return whole / 2;
	case 0x21:
	case 0x24:
	case 0x31:
	case 0x34:
		return whole / 4;
	case 0x22:
	case 0x32:
		return whole / 8;
	case 0x18: /* vbroadcastss and so on */
	case 0x58:
		return 4;
	case 0x19:
	case 0x59:
		return 8;
	case 0x1a:
	case 0x5a:
		return XMM;
	case 0x78:
		return 1;
	case 0x79:
		return 2;
	default:
		return 0;
	}
}

static unsigned size_of_map_2(const struct vector *v)
{
	const struct decoder *d = &v->d;
	unsigned part = size_of_part(v), word = d->wide ? 8 : 4;
	uint8_t op = v->op;

	if (part)
		return part;
	if (op >= 0x96 && op < 0xc0) /* FMA: odd ones of the second half are of one number */
		return op % 16 >= 9 && op & 1 ? word : v->whole;
	if (v->vex)
		return op >= 0xf0 ? word : v->whole; /* BMI */
	if (op == 0xf0 || op == 0xf1) {              /* crc32, movbe */
		if (d->repne)
			return op == 0xf0 ? 1 : d->wide ? 8 : d->half ? 2 : 4;
		return d->wide ? 8 : d->half ? 2 : 4;
	}
	if (op >= 0xc8 && op < 0xce) /* sha */
		return XMM;
	return op == 0xf6 ? word : v->whole; /* adcx, adox */
}

static unsigned size_of_map_3(const struct vector *v)
{
	unsigned word = v->d.wide ? 8 : 4;

	switch (v->op) {
	case 0x0a: /* roundss, insertps, extractps */
	case 0x17:
	case 0x21:
		return 4;
	case 0x0b:
		return 8;
	case 0x14: /* pextrb, pinsrb */
	case 0x20:
		return 1;
	case 0x15:
		return 2;
	case 0x16:
	case 0x22:
		return word;
	case 0x18: /* vinsertf128, vextractf128 */
	case 0x19:
	case 0x38:
	case 0x39:
	case 0xcc: /* sha */
		return XMM;
	case 0x1d: /* vcvtps2ph */
		return v->whole / 2;
	case 0xf0: /* rorx */
		return word;
	default:
		return v->whole;
	}
}

static unsigned size_of_map_1(const struct vector *v)
{
	const struct decoder *d = &v->d;
	unsigned stores = insn_sse_store(d, v->op);

	switch (v->op) {
	case 0x2a:
	case 0x6e:
		return d->wide ? 8 : 4;
	case 0x7e:
		return d->rep || d->wide ? 8 : 4;
	case 0xc4:
		return 2;
	case 0xae: /* vldmxcsr, vstmxcsr */
		return 4;
	case 0x90: /* kmov and kin have masks */
	case 0x91:
		return d->half ? (d->wide ? 4 : 1) : d->wide ? 8 : 2;
	default:
		return scaled(v, stores ? stores : insn_sse_load(d, v->op));
	}
}

/* ---- Instructions ---------------------------------------------------------------------------------- */

static bool stores(const struct vector *v)
{
	const struct decoder *d = &v->d;

	switch (v->map) {
	case 1:
		return insn_sse_store(d, v->op) || (v->op == 0x7e && !d->rep) || v->op == 0x91 ||
		       (v->op == 0xae && (d->reg & 7) == 3);
	case 2:
		return v->vex ? v->op == 0x2e || v->op == 0x2f || v->op == 0x8e
			      : v->op == 0xf1 && !d->repne;
	default:
		return (v->op >= 0x14 && v->op < 0x18) || v->op == 0x19 || v->op == 0x39 ||
		       v->op == 0x1d;
	}
}

static bool has_number(const struct vector *v)
{
	return v->map == 3 || (v->map == 1 && ((v->op >= 0x70 && v->op < 0x74) || v->op == 0xc2 ||
					       (v->op >= 0xc4 && v->op < 0xc7)));
}

/*
 * What has other operands: key locker, AMX, FMA4, shadow stacks, movdiri and so on. Few compilers use them, and what is
 * refused is not wrong.
 */
static bool is_odd(const struct vector *v)
{
	const struct decoder *d = &v->d;
	uint8_t op = v->op;

	if (v->vex)
		return (v->map == 1 && (op == 0x18 || op == 0x84 || op == 0x85)) ||
		       (v->map == 2 && op >= 0x48 && op < 0x50) ||
		       (v->map == 3 && op >= 0x5c && op < 0x80);
	if (v->map == 3)
		return false;
	return (op >= 0xd8 && op < 0xe0 && d->rep) || op == 0xf5 ||
	       (op == 0xf6 && !d->half && !d->rep) || (op >= 0xf8 && op < 0xfe);
}

static bool gathers(const struct vector *v)
{
	return v->vex && v->map == 2 && v->op >= 0x90 && v->op < 0x94;
}

static void operands(struct vector *v)
{
	struct decoder *d = &v->d;
	unsigned size;

	v->op = byte(d);
	if (v->vex && v->map == 1 && v->op == 0x77) /* vzeroupper, vzeroall */
		return;
	d->bad |= !v->evex && is_odd(v);
	modrm(d);
	if (has_number(v))
		byte(d);
	if (!d->in->memory)
		return;
	if (v->evex || gathers(v)) {
		d->in->memory = false;
		d->in->elsewhere = true;
		return;
	}
	size = v->map == 1 ? size_of_map_1(v) : v->map == 2 ? size_of_map_2(v) : size_of_map_3(v);
	if (stores(v))
		write_memory(d, size);
	else
		read_memory(d, size);
}

/* ---- Prefixes -------------------------------------------------------------------------------------- */

static void set_prefix(struct decoder *d, unsigned pp)
{
	d->half = pp == 1;
	d->rep = pp == 2;
	d->repne = pp == 3;
}

static void vex(struct vector *v, uint8_t first)
{
	struct decoder *d = &v->d;
	uint8_t b = byte(d);

	v->vex = true;
	v->map = 1;
	d->bad |= d->half || d->rep || d->repne || d->in->locked;
	d->rex = b & 0x80 ? 0 : REX_R;
	if (first == THREE_BYTE_VEX) {
		d->rex |= (uint8_t)((b & 0x40 ? 0 : REX_X) | (b & 0x20 ? 0 : REX_B));
		v->map = b & 0x1f;
		b = byte(d);
		d->wide = b & 0x80;
	}
	v->whole = b & 4 ? 2 * XMM : XMM;
	set_prefix(d, b & 3);
}

/* The bits that are fixed, and the map, are what counts. */
static void evex(struct vector *v)
{
	struct decoder *d = &v->d;
	uint8_t first = byte(d), second = byte(d);

	byte(d);
	v->evex = true;
	v->map = first & 7;
	d->bad |= d->half || d->rep || d->repne || d->in->locked || first & 8 || !(second & 4) ||
		  v->map == 4;
}

/* 0F38 and 0F3A, without VEX. */
static void three_bytes(struct vector *v, uint8_t first)
{
	struct decoder *d = &v->d;
	uint8_t map;

	first = insn_rex(d, first);
	map = byte(d);
	v->map = map == 0x38 ? 2 : 3;
	d->bad |= first != 0x0f || (map != 0x38 && map != 0x3a);
	v->whole = d->half ? XMM : 8;
}

bool insn_decode_vector(const uint8_t *code, uint64_t left, uint64_t at, struct insn *in)
{
	struct vector v = { .vex = false };
	struct decoder *d = &v.d;
	uint8_t first;

	insn_begin(d, code, left, in);
	first = insn_prefixes(d);
	if (first == TWO_BYTE_VEX || first == THREE_BYTE_VEX)
		vex(&v, first);
	else if (first == EVEX)
		evex(&v);
	else
		three_bytes(&v, first);
	if (d->bad || v.map < 1 || v.map > (v.evex ? 6 : 3))
		return false;
	operands(&v);
	if (d->bad)
		return false;
	insn_end(d, code, at);
	return true;
}
