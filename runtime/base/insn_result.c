/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insn_result.c - see insn_access.h; what such instructions compute (Intel's manual, volume 2, and volume 1, 3.4.3)
 *
 * Flags that the manual leaves undefined are as processors have them: AF is 0 behind and, or, xor; those but CF stay
 * behind bts, btr, btc. tests/unit/check_insn_access.c compares with the processor.
 */
#include "base/insn_access.h"

#include "base/insn.h"

enum {
	CF = 1 << 0,
	PF = 1 << 2,
	AF = 1 << 4,
	ZF = 1 << 6,
	SF = 1 << 7,
	OF = 1 << 11,
	ALL = CF | PF | AF | ZF | SF | OF
};

static uint64_t mask_of(unsigned size)
{
	return size >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * size) - 1;
}

static uint64_t bits_of(const struct insn_access *a)
{
	return 8u * a->size;
}

/* ---- Operands --------------------------------------------------------------------------------------- */

static uint64_t operand(const struct insn_access *a, const uint64_t *reg)
{
	if (a->reg == ACCESS_NUMBER)
		return (uint64_t)a->imm & mask_of(a->size);
	return (reg[a->reg] >> (a->high ? 8 : 0)) & mask_of(a->size);
}

/* Of so many bytes: 4 clear what lies above them. */
static void put(uint64_t *reg, uint64_t value, unsigned size, bool high)
{
	const unsigned shift = high ? 8 : 0;
	const uint64_t mask = mask_of(size) << shift;

	value = value << shift & mask;
	*reg = size >= 4 ? value : (*reg & ~mask) | value;
}

static uint64_t address_of(const struct insn_access *a, const uint64_t *reg, uint64_t fs)
{
	uint64_t addr = (uint64_t)a->disp;

	if (a->base < ACCESS_REGISTERS)
		addr += reg[a->base];
	if (a->index < ACCESS_REGISTERS)
		addr += reg[a->index] * a->scale;
	return addr + (a->segment ? fs : 0);
}

static bool is_of_bits(const struct insn_access *a)
{
	return a->what >= ACCESS_BTS && a->what <= ACCESS_BTC;
}

/* Which bit, counted from the address on: of a number it is one of the operand, of a register one near or far. */
static int64_t bit_of(const struct insn_access *a, const uint64_t *reg)
{
	uint64_t value = operand(a, reg), top = (uint64_t)1 << (bits_of(a) - 1);

	if (a->reg == ACCESS_NUMBER)
		return (int64_t)(value & (bits_of(a) - 1));
	return (int64_t)((value ^ top) - top);
}

static uint64_t bit_mask(const struct insn_access *a, const uint64_t *reg)
{
	return (uint64_t)1 << ((uint64_t)bit_of(a, reg) & (bits_of(a) - 1));
}

/* ---- What it asks for ------------------------------------------------------------------------------- */

static void ask_pair(const struct insn_access *a, const uint64_t *reg, struct insn_asked *asked)
{
	struct insn_value *e = &asked->expected, *v = &asked->arg;

	e->lo = reg[INSN_RAX];
	e->hi = reg[INSN_RDX];
	v->lo = reg[INSN_RBX];
	v->hi = reg[INSN_RCX];
	if (a->size == 16)
		return;
	e->lo = (e->lo & UINT32_MAX) | e->hi << 32;
	v->lo = (v->lo & UINT32_MAX) | v->hi << 32;
	e->hi = v->hi = 0;
}

static void ask(const struct insn_access *a, uint8_t kind, uint64_t arg, struct insn_asked *asked)
{
	asked->kind = kind;
	asked->arg.lo = arg & mask_of(a->size);
}

void insn_access_ask(const struct insn_access *a, const uint64_t reg[ACCESS_REGISTERS],
		     uint64_t flags, uint64_t fs, struct insn_asked *asked)
{
	static const uint8_t kinds[] = {
		[ACCESS_ADD] = ASKED_ADD,         [ACCESS_OR] = ASKED_OR,
		[ACCESS_ADC] = ASKED_ADD,         [ACCESS_SBB] = ASKED_SUB,
		[ACCESS_AND] = ASKED_AND,         [ACCESS_SUB] = ASKED_SUB,
		[ACCESS_XOR] = ASKED_XOR,         [ACCESS_INC] = ASKED_ADD,
		[ACCESS_DEC] = ASKED_SUB,         [ACCESS_NOT] = ASKED_XOR,
		[ACCESS_NEG] = ASKED_NEGATE,      [ACCESS_XADD] = ASKED_ADD,
		[ACCESS_XCHG] = ASKED_EXCHANGE,   [ACCESS_BTS] = ASKED_OR,
		[ACCESS_BTR] = ASKED_AND,         [ACCESS_BTC] = ASKED_XOR,
		[ACCESS_CMPXCHG] = ASKED_COMPARE, [ACCESS_CMPXCHG_PAIR] = ASKED_COMPARE,
		[ACCESS_LOAD] = ASKED_LOAD,       [ACCESS_STORE] = ASKED_STORE,
	};
	uint64_t value = operand(a, reg);

	*asked = (struct insn_asked){ .addr = address_of(a, reg, fs) };
	switch (a->what) {
	case ACCESS_ADC:
	case ACCESS_SBB:
		value += flags & CF;
		break;
	case ACCESS_INC:
	case ACCESS_DEC:
		value = 1;
		break;
	case ACCESS_NOT:
		value = UINT64_MAX;
		break;
	case ACCESS_LOAD:
		value = 0;
		break;
	case ACCESS_CMPXCHG:
		asked->expected.lo = reg[INSN_RAX] & mask_of(a->size);
		break;
	default:
		break;
	}
	if (is_of_bits(a)) {
		asked->addr += (uint64_t)((bit_of(a, reg) >> (a->size == 8   ? 6
							      : a->size == 4 ? 5
									     : 4)) *
					  a->size);
		value = a->what == ACCESS_BTR ? ~bit_mask(a, reg) : bit_mask(a, reg);
	}
	ask(a, kinds[a->what], value, asked);
	if (a->what == ACCESS_CMPXCHG_PAIR)
		ask_pair(a, reg, asked);
}

/* ---- What it leaves --------------------------------------------------------------------------------- */

/* SF, ZF and PF of a result. */
static uint64_t of_result(const struct insn_access *a, uint64_t result)
{
	result &= mask_of(a->size);
	return (result >> (bits_of(a) - 1) & 1 ? SF : 0u) | (result ? 0u : ZF) |
	       (__builtin_parity((unsigned)(result & 0xff)) ? 0u : PF);
}

/* Carries out of each bit tell CF, AF and OF of x + y + carry, or of x - y - carry. */
static uint64_t of_sum(const struct insn_access *a, uint64_t x, uint64_t y, uint64_t result,
		       bool minus)
{
	uint64_t out, top = bits_of(a) - 1;

	x &= mask_of(a->size);
	y &= mask_of(a->size);
	result &= mask_of(a->size);
	out = minus ? (~x & y) | (~(x ^ y) & result) : (x & y) | ((x | y) & ~result);
	return of_result(a, result) | (out >> top & 1 ? CF : 0u) | (out >> 3 & 1 ? AF : 0u) |
	       ((out >> top ^ out >> (top - 1)) & 1 ? OF : 0u);
}

static void set(uint64_t *flags, uint64_t which, uint64_t to)
{
	*flags = (*flags & ~which) | (to & which);
}

static void done_pair(const struct insn_access *a, struct insn_value old, uint64_t *reg,
		      uint64_t *flags)
{
	struct insn_asked asked;

	ask_pair(a, reg, &asked);
	if (old.lo == asked.expected.lo && (a->size == 8 || old.hi == asked.expected.hi)) {
		*flags |= ZF;
		return;
	}
	*flags &= ~(uint64_t)ZF;
	put(&reg[INSN_RAX], old.lo, a->size / 2, false);
	put(&reg[INSN_RDX], a->size == 16 ? old.hi : old.lo >> 32, a->size / 2, false);
}

static void done_compare(const struct insn_access *a, uint64_t old, uint64_t *reg, uint64_t *flags)
{
	uint64_t expected = reg[INSN_RAX] & mask_of(a->size);

	set(flags, ALL, of_sum(a, expected, old, expected - old, true));
	if (old != expected)
		put(&reg[INSN_RAX], old, a->size, false);
}

static void done_load(const struct insn_access *a, uint64_t old, uint64_t *reg)
{
	const uint64_t top = (uint64_t)1 << (bits_of(a) - 1);

	put(&reg[a->reg], a->is_signed ? (old ^ top) - top : old, a->into, a->high);
}

void insn_access_done(const struct insn_access *a, struct insn_value was,
		      uint64_t reg[ACCESS_REGISTERS], uint64_t *flags)
{
	const uint64_t old = was.lo & mask_of(a->size), value = operand(a, reg),
		       carry = *flags & CF;

	switch (a->what) {
	case ACCESS_ADD:
	case ACCESS_XADD:
		set(flags, ALL, of_sum(a, old, value, old + value, false));
		break;
	case ACCESS_ADC:
		set(flags, ALL, of_sum(a, old, value, old + value + carry, false));
		break;
	case ACCESS_SUB:
		set(flags, ALL, of_sum(a, old, value, old - value, true));
		break;
	case ACCESS_SBB:
		set(flags, ALL, of_sum(a, old, value, old - value - carry, true));
		break;
	case ACCESS_NEG:
		set(flags, ALL, of_sum(a, 0, old, 0 - old, true));
		break;
	case ACCESS_INC:
		set(flags, ALL & ~CF, of_sum(a, old, 1, old + 1, false));
		break;
	case ACCESS_DEC:
		set(flags, ALL & ~CF, of_sum(a, old, 1, old - 1, true));
		break;
	case ACCESS_AND:
		set(flags, ALL, of_result(a, old & value));
		break;
	case ACCESS_OR:
		set(flags, ALL, of_result(a, old | value));
		break;
	case ACCESS_XOR:
		set(flags, ALL, of_result(a, old ^ value));
		break;
	case ACCESS_BTS:
	case ACCESS_BTR:
	case ACCESS_BTC:
		set(flags, CF, old & bit_mask(a, reg) ? CF : 0);
		break;
	case ACCESS_CMPXCHG:
		done_compare(a, old, reg, flags);
		break;
	case ACCESS_CMPXCHG_PAIR:
		done_pair(a, was, reg, flags);
		break;
	case ACCESS_LOAD:
		done_load(a, old, reg);
		break;
	default: /* not, xchg, mov to memory */
		break;
	}
	if (a->what == ACCESS_XADD || a->what == ACCESS_XCHG)
		put(&reg[a->reg], old, a->size, a->high);
}

bool insn_access_sets_flags(const struct insn_access *a)
{
	return (a->what < ACCESS_INC && a->what != ACCESS_ADC && a->what != ACCESS_SBB) ||
	       a->what == ACCESS_NEG || a->what == ACCESS_XADD || a->what == ACCESS_CMPXCHG;
}
