/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_insn_zydis.c - the decoder against Zydis, on the code of libraries and on random bytes
 *
 * What insn.h says of an instruction may be more than it does, never less: no read may be left out,
 * and no write made up. So this is no comparison for equality. Zydis tells the operands, those
 * that are not written down included, and what is done with them; from these follows what insn.h has to
 * say at least, or may say at most. Instructions that insn.c refuses are passed over, and
 * so are those that Zydis does not know: they cannot be executed.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "base/insn.h"
#include "base/insn_rest.h"
#include "base/insn_vector.h"
#include "base/prng.h"
#include "suite.h"

enum {
	RANDOM_BYTES = 24
};

static ZydisDecoder decoder;

/* An instruction as both have it. What follows is by Zydis. */
static struct {
	struct insn in;
	ZydisDecodedInstruction z;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	enum insn_kind kind;
	const ZydisDecodedOperand *memory; /* NULL: none that is read or written */
	uint16_t reads, writes;            /* general registers, perhaps */
	uint16_t replaces;                 /* surely, and nothing of them is kept */
	uint16_t not_low;                  /* more than the lowest byte, or another one */
	bool takes;                        /* it reads memory, or a general register */
	bool writes_other;
	uint64_t at;
} both;

/* ---- What Zydis says --------------------------------------------------------------------------- */

/* The number of a general register, or -1. */
static int number_of(ZydisRegister reg)
{
	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_GPR8:
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg) -
		       ZYDIS_REGISTER_RAX;
	default:
		return -1;
	}
}

static bool holds_data(ZydisRegister reg)
{
	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_X87:
	case ZYDIS_REGCLASS_MMX:
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_BOUND:
		return true;
	default:
		return false;
	}
}

static bool is_number(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static bool is_register(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER;
}

static enum insn_kind kind_of_move(const ZydisDecodedOperand *o)
{
	if (o[0].size != 64 || is_number(&o[1]))
		return INSN_PLAIN;
	if (!is_register(&o[0]))
		return INSN_STORE;
	return is_register(&o[1]) ? INSN_MOVE : INSN_LOAD;
}

/* Of a sum with rax there is a form of its own, which insn.c leaves plain. */
static enum insn_kind kind_of_sum(const ZydisDecodedOperand *o)
{
	return o[0].size == 64 && is_register(&o[0]) && is_number(&o[1]) &&
			       (both.z.opcode == 0x81 || both.z.opcode == 0x83)
		       ? INSN_ADD
		       : INSN_PLAIN;
}

static enum insn_kind kind_by_mnemonic(void)
{
	switch (both.z.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
		return INSN_PUSH;
	case ZYDIS_MNEMONIC_POP:
		return INSN_POP;
	case ZYDIS_MNEMONIC_LEAVE:
		return INSN_LEAVE;
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_UD2:
		return INSN_STOP;
	case ZYDIS_MNEMONIC_LEA:
		return both.operand[0].size == 64 ? INSN_LEA : INSN_PLAIN;
	case ZYDIS_MNEMONIC_MOV:
		return kind_of_move(both.operand);
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		return kind_of_sum(both.operand);
	default:
		return INSN_PLAIN;
	}
}

static enum insn_kind kind_by_zydis(void)
{
	switch (both.z.meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return INSN_BRANCH;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return INSN_JUMP;
	case ZYDIS_CATEGORY_CALL:
		return INSN_CALL;
	case ZYDIS_CATEGORY_RET:
		return INSN_RETURN;
	case ZYDIS_CATEGORY_STRINGOP:
		return INSN_STRING;
	default:
		return kind_by_mnemonic();
	}
}

/* It names operands, and does nothing with them. */
static bool does_nothing(void)
{
	return both.z.mnemonic == ZYDIS_MNEMONIC_NOP ||
	       both.z.mnemonic == ZYDIS_MNEMONIC_CLDEMOTE ||
	       both.z.meta.category == ZYDIS_CATEGORY_NOP ||
	       both.z.meta.category == ZYDIS_CATEGORY_WIDENOP ||
	       both.z.meta.category == ZYDIS_CATEGORY_PREFETCH;
}

/* xor %eax, %eax: Zydis says that it reads eax. */
static bool makes_zero(void)
{
	const ZydisDecodedOperand *o = both.operand;

	return (both.z.mnemonic == ZYDIS_MNEMONIC_XOR || both.z.mnemonic == ZYDIS_MNEMONIC_SUB) &&
	       is_register(&o[0]) && is_register(&o[1]) && o[0].reg.value == o[1].reg.value &&
	       o[0].size >= 32;
}

static void take_register(const ZydisDecodedOperand *o)
{
	ZydisRegister reg = o->reg.value;
	int number = number_of(reg);
	uint16_t bit = number < 0 ? 0 : (uint16_t)(1u << number);
	unsigned width = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg);

	/* The stack pointer that it moves by itself goes with the kind. */
	if (bit == 1 << INSN_RSP && o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
		return;
	if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
		both.reads |= bit;
	if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) {
		both.writes |= bit;
		both.writes_other |= holds_data(reg);
	}
	if (o->actions & ZYDIS_OPERAND_ACTION_WRITE && width >= 32)
		both.replaces |= bit;
	if (width != 8 || (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH))
		both.not_low |= bit;
}

static void take_memory(const ZydisDecodedOperand *o)
{
	bool address_alone = o->mem.type == ZYDIS_MEMOP_TYPE_AGEN;
	int base = number_of(o->mem.base), index = number_of(o->mem.index);

	if (o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
		return; /* the stack */
	if (!address_alone || both.kind == INSN_LEA)
		both.memory = o;
	if (address_alone && both.kind != INSN_LEA && base >= 0)
		both.reads |= (uint16_t)(1u << base);
	if (address_alone && both.kind != INSN_LEA && index >= 0)
		both.reads |= (uint16_t)(1u << index);
}

/* LEAVE and strings are wholly told by the kind. */
static void take_operands(void)
{
	both.memory = NULL;
	both.reads = both.writes = both.replaces = both.not_low = 0;
	both.writes_other = both.takes = false;
	both.kind = kind_by_zydis();
	if (both.kind == INSN_LEAVE || both.kind == INSN_STRING || does_nothing())
		return;
	for (unsigned i = 0; i < both.z.operand_count; i++)
		if (is_register(&both.operand[i]))
			take_register(&both.operand[i]);
		else if (both.operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			take_memory(&both.operand[i]);
	both.takes = both.reads ||
		     (both.memory && both.memory->actions & ZYDIS_OPERAND_ACTION_MASK_READ);
	if (makes_zero())
		both.reads = 0;
}

/* ---- The rules --------------------------------------------------------------------------------- */

/* Each is what has to hold, and its own text. */
#define RULE(holds)                    \
	do {                           \
		if (!(holds))          \
			return #holds; \
	} while (0)

static uint8_t place_of(ZydisRegister reg)
{
	if (reg == ZYDIS_REGISTER_RIP)
		return INSN_RIP;
	return reg == ZYDIS_REGISTER_NONE ? INSN_NONE : (uint8_t)number_of(reg);
}

static const char *address_rule(void)
{
	const struct insn *in = &both.in;
	const ZydisDecodedOperandMem *m = &both.memory->mem;
	bool segment = m->segment == ZYDIS_REGISTER_FS || m->segment == ZYDIS_REGISTER_GS;
	uint64_t from = m->base == ZYDIS_REGISTER_RIP ? both.at + both.z.length : 0;

	RULE(in->memory);
	RULE(!segment || (in->base == INSN_SEGMENT && in->index == INSN_NONE));
	RULE(segment || in->base == place_of(m->base));
	RULE(segment || in->index == place_of(m->index));
	RULE(segment || in->disp == (int64_t)from + m->disp.value);
	return NULL;
}

static const char *access_rule(void)
{
	const struct insn *in = &both.in;
	uint8_t actions = both.memory->actions;
	unsigned size = both.memory->size / 8;
	bool reads = actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	bool writes = actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	bool surely = actions & ZYDIS_OPERAND_ACTION_WRITE;

	RULE(!reads || in->read_size >= size);
	RULE(!writes || in->writes_some);
	RULE(!writes || in->write_size || size <= INSN_READ_MOST);
	RULE(!in->write_size || (in->writes_some && in->write_size <= size));
	/* What it reads as well is not lost if it is not written. */
	RULE(!in->write_size || surely || (writes && in->read_size >= in->write_size));
	RULE(!reads || in->read_size == INSN_READ_MOST || in->read_size == size);
	return NULL;
}

static const char *register_rule(void)
{
	const struct insn *in = &both.in;
	uint16_t lost = in->writes & (uint16_t) ~(in->reads | in->keeps);

	RULE(!(both.reads & ~in->reads));
	RULE(in->kind == INSN_CALL || !(both.writes & ~in->writes));
	RULE(!(lost & ~both.replaces));
	RULE(!(both.writes & ~both.replaces & ~(in->keeps | in->reads)));
	RULE(!(in->low & both.not_low));
	RULE(in->writes_other || !both.writes_other || !both.takes);
	return NULL;
}

/* What flow.c follows by the kind. */
static const char *kind_rule(void)
{
	const struct insn *in = &both.in;
	const ZydisDecodedOperand *o = both.operand;
	int64_t sum = both.z.mnemonic == ZYDIS_MNEMONIC_SUB ? -o[1].imm.value.s : o[1].imm.value.s;
	uint64_t target = 0;

	RULE(in->kind == both.kind);
	switch (in->kind) {
	case INSN_MOVE:
		RULE(in->src == number_of(o[1].reg.value));
		/* fallthrough */
	case INSN_LOAD:
	case INSN_LEA:
	case INSN_POP:
		RULE(in->dst == number_of(o[0].reg.value));
		break;
	case INSN_STORE:
		RULE(in->src == number_of(o[1].reg.value));
		break;
	case INSN_PUSH:
		RULE(in->src == (is_register(&o[0]) ? number_of(o[0].reg.value) : INSN_NONE));
		break;
	case INSN_ADD:
		RULE(in->dst == number_of(o[0].reg.value) && in->imm == sum);
		break;
	case INSN_STRING:
		RULE(in->memory && in->writes_some && in->read_size == INSN_READ_MOST);
		RULE(in->base == INSN_RSI && in->index == INSN_RDI);
		break;
	case INSN_BRANCH:
	case INSN_JUMP:
	case INSN_CALL:
		if (is_number(&o[0]))
			ZydisCalcAbsoluteAddress(&both.z, &o[0], both.at, &target);
		RULE(in->target == target);
		break;
	default:
		break;
	}
	return NULL;
}

/* The first rule that does not hold, or NULL. */
static const char *broken_rule(void)
{
	const char *broken;
	bool locked = both.z.attributes & ZYDIS_ATTRIB_HAS_LOCK;

	take_operands();
	locked |= both.z.mnemonic == ZYDIS_MNEMONIC_XCHG && both.memory;
	RULE(both.in.length == both.z.length);
	RULE(both.in.locked == locked);
	broken = kind_rule();
	if (!broken)
		broken = register_rule();
	if (!broken && both.memory)
		broken = address_rule();
	if (!broken && both.memory && both.kind != INSN_LEA)
		broken = access_rule();
	return broken;
}

/* What is there, but for whether it is read when it is written. */
static const char *broken_access_rule(void)
{
	const struct insn *in = &both.in;
	bool writes = both.memory->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	const char *broken = address_rule();

	if (broken)
		return broken;
	RULE(in->writes_some == writes);
	RULE((writes ? in->write_size : in->read_size) == both.memory->size / 8);
	return NULL;
}

/* Of AVX-512 and those that gather insn_vector.h does not say where. */
static const char *broken_vector_rule(void)
{
	const struct insn *in = &both.in;
	bool evex = both.z.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;

	take_operands();
	RULE(in->length == both.z.length);
	if (!both.memory)
		return NULL;
	RULE(in->elsewhere == (evex || both.memory->mem.type == ZYDIS_MEMOP_TYPE_VSIB));
	RULE(in->memory == !in->elsewhere);
	if (in->elsewhere)
		return NULL;
	return broken_access_rule();
}

/* What insn_rest.h says: how long they are, where they branch to, and what they do to memory. */
static const char *broken_rest_rule(void)
{
	const struct insn *in = &both.in;
	uint64_t target = 0;
	bool string = both.z.meta.category == ZYDIS_CATEGORY_STRINGOP;
	bool branches =
		both.z.meta.category == ZYDIS_CATEGORY_COND_BR && is_number(&both.operand[0]);

	take_operands();
	RULE(in->length == both.z.length);
	RULE((in->kind == INSN_STRING) == string);
	RULE((in->kind == INSN_BRANCH) == branches);
	if (in->kind == INSN_BRANCH)
		ZydisCalcAbsoluteAddress(&both.z, &both.operand[0], both.at, &target);
	RULE(in->target == target);
	RULE(in->elsewhere == (both.memory && (both.z.meta.category == ZYDIS_CATEGORY_BITBYTE)));
	RULE(in->memory == (string || (both.memory && !in->elsewhere)));
	if (string || !in->memory)
		return NULL;
	return broken_access_rule();
}

/* ---- The code ---------------------------------------------------------------------------------- */

static uint64_t compared, refused;

static void complain(const uint8_t *code, const char *broken)
{
	char bytes[3 * ZYDIS_MAX_INSTRUCTION_LENGTH + 1] = "";

	for (unsigned i = 0; i < both.z.length; i++)
		sprintf(bytes + 3 * i, "%02x ", code[i]);
	ck_abort_msg("%s: %s not %s", ZydisMnemonicGetString(both.z.mnemonic), bytes, broken);
}

/* Bytes that the instruction has. Between functions of a library there may be others. */
static unsigned compare_one(const uint8_t *code, uint64_t left, uint64_t at)
{
	const char *broken;

	if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, code, left, &both.z, both.operand)))
		return 1;
	both.at = at;
	if (!insn_decode(code, left, at, &both.in)) {
		refused++;
		return both.z.length;
	}
	compared++;
	broken = broken_rule();
	if (broken)
		complain(code, broken);
	return both.z.length;
}

static unsigned compare_vector(const uint8_t *code, uint64_t left, uint64_t at)
{
	const char *broken;

	if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, code, left, &both.z, both.operand)))
		return 1;
	both.at = at;
	if (insn_decode(code, left, at, &both.in))
		return both.z.length;
	if (!insn_decode_vector(code, left, at, &both.in)) {
		refused++;
		return both.z.length;
	}
	compared++;
	broken = broken_vector_rule();
	if (broken)
		complain(code, broken);
	return both.z.length;
}

static unsigned compare_rest(const uint8_t *code, uint64_t left, uint64_t at)
{
	const char *broken;

	if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, code, left, &both.z, both.operand)))
		return 1;
	both.at = at;
	if (insn_decode(code, left, at, &both.in) || !insn_decode_rest(code, left, at, &both.in))
		return both.z.length;
	compared++;
	broken = broken_rest_rule();
	if (broken)
		complain(code, broken);
	return both.z.length;
}

/* Compares one instruction with the next. */
static unsigned (*compare)(const uint8_t *code, uint64_t left, uint64_t at);

static int compare_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	if (strstr(info->dlpi_name, "linux-vdso"))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		for (uint64_t o = 0; o < p->p_memsz;)
			o += compare((const uint8_t *)from + o, p->p_memsz - o, from + o);
	}
	return 0;
}

START_TEST(nothing_is_left_out_of_the_code_of_libraries)
{
	dlopen("libstdc++.so.6", RTLD_NOW); /* the more the better */
	compared = refused = 0;
	compare = compare_one;
	dl_iterate_phdr(compare_module, NULL);
	ck_assert_uint_gt(compared, 100000);
	ck_assert_uint_lt(refused, compared / 10); /* by hand in libc: AVX and so on */
}
END_TEST

START_TEST(accesses_of_vectors_in_libraries)
{
	compared = refused = 0;
	compare = compare_vector;
	dl_iterate_phdr(compare_module, NULL);
	ck_assert_uint_gt(compared, 1000);
}
END_TEST

/* vex: C4 and two bytes; else by prefixes. reg is what ModRM says beside a memory operand. */
static void make_vector(uint8_t *b, bool vex, unsigned map, unsigned bits, unsigned op,
			unsigned reg)
{
	static const uint8_t prefix[] = { 0, 0x66, 0xf3, 0xf2 };
	unsigned n = 0, pp = bits & 3, longer = bits >> 2 & 1, wide = bits >> 3 & 1,
		 sib = bits >> 4 & 1;

	memset(b, 0, RANDOM_BYTES);
	if (vex) {
		b[n++] = 0xc4;
		b[n++] = (uint8_t)(0xe0 | map);
		b[n++] = (uint8_t)(wide << 7 | 0x78 | longer << 2 | pp);
	} else {
		if (pp)
			b[n++] = prefix[pp];
		if (wide)
			b[n++] = 0x48;
		b[n++] = 0x0f;
		b[n++] = map == 2 ? 0x38 : 0x3a;
	}
	b[n++] = (uint8_t)op;
	b[n++] = (uint8_t)(reg << 3 | (sib ? 4 : 2));
	if (sib)
		b[n] = 0x11;
}

START_TEST(accesses_of_all_vector_instructions)
{
	uint8_t b[RANDOM_BYTES];

	compared = refused = 0;
	for (unsigned i = 0; i < 2 * 3 * 32 * 256 * 8; i++) {
		unsigned map = 1 + i / 2 % 3, op = i / (2 * 3 * 32) % 256;
		bool vex = i & 1;

		if (!vex && map == 1)
			continue;
		make_vector(b, vex, map, i / 6 % 32, op, i / (2 * 3 * 32 * 256));
		compare_vector(b, sizeof(b), 0x400000);
	}
	ck_assert_uint_gt(compared, 20000);
	ck_assert_uint_lt(refused, compared / 8); /* insn_vector.c, is_odd() */
}
END_TEST

/* EVEX: 62, the map, what is fixed, and any mask; a memory operand without and with a scaled index, and none. */
START_TEST(lengths_of_all_instructions_with_evex)
{
	static const uint8_t operand[] = { 0x0a, 0x4a, 0x8a, 0x4c, 0x05, 0xca };
	uint8_t b[RANDOM_BYTES];

	compared = refused = 0;
	for (unsigned i = 0; i < 8 * 256 * 4 * 2 * 4 * 6; i++) {
		unsigned map = i % 8, op = i / 8 % 256, pp = i / 2048 % 4, wide = i / 8192 % 2,
			 vector = i / 16384 % 4;

		memset(b, 1, sizeof(b));
		b[0] = 0x62;
		b[1] = (uint8_t)(0xf0 | map);
		b[2] = (uint8_t)(wide << 7 | 0x7c | pp);
		b[3] = (uint8_t)(vector << 5 | 8 | (i % 3 == 0));
		b[4] = (uint8_t)op;
		b[5] = operand[i / 65536];
		compare_vector(b, sizeof(b), 0x400000);
	}
	ck_assert_uint_gt(compared, 5000);
	ck_assert_uint_eq(refused, 0);
}
END_TEST

START_TEST(what_the_rest_does)
{
	static const uint8_t prefix[] = { 0, 0x66, 0xf2, 0xf3, 0x48, 0x41, 0x0f };
	uint8_t b[RANDOM_BYTES];

	compared = 0;
	for (unsigned i = 0; i < 7 * 256 * 256; i++) {
		unsigned n = 0;

		memset(b, 0xd0, sizeof(b));
		if (prefix[i % 7])
			b[n++] = prefix[i % 7];
		b[n++] = (uint8_t)(i / 7 % 256);
		b[n++] = (uint8_t)(i / 7 / 256);
		b[n] = (uint8_t)(i / 256);
		compare_rest(b, sizeof(b), 0x400000);
	}
	ck_assert_uint_gt(compared, 10000);
}
END_TEST

/* Bytes with prefixes, REX and 0F more often than by chance. */
static void make_bytes(uint64_t *prng, uint8_t *bytes)
{
	static const uint8_t prefix[] = { 0x66, 0xf2, 0xf3, 0xf0, 0x64, 0x2e };
	unsigned n = 0;

	for (unsigned i = 0; i < RANDOM_BYTES; i++)
		bytes[i] = (uint8_t)prng_below(prng, 256);
	for (unsigned i = 0; i < 2; i++)
		if (!prng_below(prng, 3))
			bytes[n++] = prefix[prng_below(prng, sizeof(prefix))];
	if (!prng_below(prng, 2))
		bytes[n++] = (uint8_t)(0x40 + prng_below(prng, 16));
	if (!prng_below(prng, 2))
		bytes[n++] = 0x0f;
}

START_TEST(nothing_is_left_out_of_random_instructions)
{
	uint64_t times = suite_times(1000000);
	uint8_t bytes[RANDOM_BYTES];
	uint64_t prng = 1;

	compared = 0;
	for (uint64_t i = 0; i < times; i++) {
		make_bytes(&prng, bytes);
		compare_one(bytes, sizeof(bytes), 0x400000);
	}
	ck_assert_uint_gt(compared, times / 4);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("insn_zydis");
	TCase *tcase = tcase_create("code");

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, nothing_is_left_out_of_the_code_of_libraries);
	tcase_add_test(tcase, nothing_is_left_out_of_random_instructions);
	tcase_add_test(tcase, accesses_of_vectors_in_libraries);
	tcase_add_test(tcase, accesses_of_all_vector_instructions);
	tcase_add_test(tcase, lengths_of_all_instructions_with_evex);
	tcase_add_test(tcase, what_the_rest_does);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
