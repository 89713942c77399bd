/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_insn_access.c - what inline assembly leaves in memory, registers and flags, beside the processor
 *
 * Each instruction runs in a frame of code that loads all registers but rsp and the flags, and stores them behind it. The operands are
 * random, and often near the edges. What insn_access.h says of it, done by hand, has to come to the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/insn.h"
#include "base/insn_access.h"
#include "base/prng.h"
#include "suite.h"

enum {
	ROUNDS = 400, /* of each form */
	PAGE = 4096,
	CELLS = 512, /* bytes, with the operand in the middle */
	FLAGS = 0x8d5,
	ALWAYS = 0x202 /* flags of each program */
};

/* What the code finds, behind a page with the code. */
struct data {
	uint64_t reg[ACCESS_REGISTERS], flags, sp;
	_Alignas(16) uint8_t memory[CELLS];
};

static uint8_t *code, *to;
static struct data *data;
static uint64_t prng = 1;

static uint64_t any(void)
{
	static const uint64_t edges[] = {
		0,         1,          0x7f,       0x80,
		0xff,      0x7fff,     0x8000,     0x7fffffff,
		1u << 31,  UINT32_MAX, UINT64_MAX, (uint64_t)1 << 63,
		INT64_MAX, 0x0f,       0x10,       0xffffffff80000000,
	};
	uint64_t v = prng_next(&prng);

	return v & 1 ? edges[prng_next(&prng) % 16] : prng_next(&prng);
}

static void put(const void *bytes, size_t n)
{
	memcpy(to, bytes, n);
	to += n;
}

/* An instruction with a word of *data: its opcode, and the number of its register. */
static void put_word(const char *opcode, size_t n, unsigned reg, const void *word)
{
	uint8_t modrm = (uint8_t)(5 | (reg & 7) << 3);
	int32_t distance;

	put(opcode, n);
	put(&modrm, 1);
	distance = (int32_t)((const uint8_t *)word - (to + 4));
	put(&distance, 4);
}

static void put_move(unsigned reg, bool load)
{
	const uint8_t bytes[] = { reg < 8 ? 0x48 : 0x4c, load ? 0x8b : 0x89 };

	put_word((const char *)bytes, 2, reg, &data->reg[reg]);
}

static void frame(const uint8_t *insn, size_t n)
{
	to = code;
	put("\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57", 10);
	put_word("\xff", 1, 6, &data->flags); /* push */
	put("\x9d", 1);                       /* popfq */
	for (unsigned r = 0; r < ACCESS_REGISTERS; r++)
		if (r != INSN_RSP)
			put_move(r, true);
	put(insn, n);
	for (unsigned r = 0; r < ACCESS_REGISTERS; r++)
		if (r != INSN_RSP)
			put_move(r, false);
	put("\x9c", 1);                                          /* pushfq */
	put_word("\x8f", 1, 0, &data->flags);                    /* pop */
	put("\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3", 11); /* and return */
}

/* ---- By hand ---------------------------------------------------------------------------------------- */

static uint64_t combined(unsigned kind, uint64_t old, uint64_t arg)
{
	switch (kind) {
	case ASKED_ADD:
		return old + arg;
	case ASKED_SUB:
		return old - arg;
	case ASKED_AND:
		return old & arg;
	case ASKED_OR:
		return old | arg;
	case ASKED_XOR:
		return old ^ arg;
	case ASKED_NEGATE:
		return -old;
	case ASKED_LOAD:
		return old;
	default:
		return arg;
	}
}

static void by_hand(const struct insn_access *a, struct data *d)
{
	struct insn_value old = { 0, 0 }, new;
	struct insn_asked asked;
	uint8_t *at;

	insn_access_ask(a, d->reg, d->flags, 0, &asked);
	at = d->memory + (asked.addr - (uint64_t)(uintptr_t)data->memory);
	ck_assert(at >= d->memory && at + a->size <= d->memory + CELLS);
	memcpy(&old, at, a->size);
	new = asked.arg;
	if (asked.kind == ASKED_COMPARE && memcmp(&old, &asked.expected, sizeof(old)))
		new = old;
	else if (asked.kind != ASKED_COMPARE)
		new.lo = combined(asked.kind, old.lo, asked.arg.lo);
	memcpy(at, &new, a->size);
	insn_access_done(a, old, d->reg, &d->flags);
}

/* ---- Forms ------------------------------------------------------------------------------------------ */

/* Bytes in front of ModRM, and behind the address; which digits its middle may have. */
struct form {
	const char *name, *opcode;
	uint8_t length, number; /* bytes of an immediate */
	uint8_t first, last;    /* middle: a digit, or any register */
	bool locks, bytes, words;
};

#define ANY 0, 7
static const struct form forms[] = {
	{ "add", "\x01", 1, 0, ANY, true, false, true },
	{ "or", "\x09", 1, 0, ANY, true, false, true },
	{ "adc", "\x11", 1, 0, ANY, true, false, true },
	{ "sbb", "\x19", 1, 0, ANY, true, false, true },
	{ "and", "\x21", 1, 0, ANY, true, false, true },
	{ "sub", "\x29", 1, 0, ANY, true, false, true },
	{ "xor", "\x31", 1, 0, ANY, true, false, true },
	{ "addb", "\x00", 1, 0, ANY, true, true, false },
	{ "sbbb", "\x18", 1, 0, ANY, true, true, false },
	{ "xorb", "\x30", 1, 0, ANY, true, true, false },
	{ "numbers of a byte", "\x80", 1, 1, 0, 6, true, true, false },
	{ "numbers", "\x81", 1, 4, 0, 6, true, false, true },
	{ "short numbers", "\x83", 1, 1, 0, 6, true, false, true },
	{ "not, neg of a byte", "\xf6", 1, 0, 2, 3, true, true, false },
	{ "not, neg", "\xf7", 1, 0, 2, 3, true, false, true },
	{ "inc, dec of a byte", "\xfe", 1, 0, 0, 1, true, true, false },
	{ "inc, dec", "\xff", 1, 0, 0, 1, true, false, true },
	{ "xchgb", "\x86", 1, 0, ANY, false, true, false },
	{ "xchg", "\x87", 1, 0, ANY, false, false, true },
	{ "movb to memory", "\x88", 1, 0, ANY, false, true, false },
	{ "mov to memory", "\x89", 1, 0, ANY, false, false, true },
	{ "movb", "\x8a", 1, 0, ANY, false, true, false },
	{ "mov", "\x8b", 1, 0, ANY, false, false, true },
	{ "movb of a number", "\xc6", 1, 1, 0, 0, false, true, false },
	{ "mov of a number", "\xc7", 1, 4, 0, 0, false, false, true },
	{ "movzx of a byte", "\x0f\xb6", 2, 0, ANY, false, false, true },
	{ "movzx", "\x0f\xb7", 2, 0, ANY, false, false, true },
	{ "movsx of a byte", "\x0f\xbe", 2, 0, ANY, false, false, true },
	{ "movsx", "\x0f\xbf", 2, 0, ANY, false, false, true },
	{ "xaddb", "\x0f\xc0", 2, 0, ANY, true, true, false },
	{ "xadd", "\x0f\xc1", 2, 0, ANY, true, false, true },
	{ "cmpxchgb", "\x0f\xb0", 2, 0, ANY, true, true, false },
	{ "cmpxchg", "\x0f\xb1", 2, 0, ANY, true, false, true },
	{ "cmpxchg8b, cmpxchg16b", "\x0f\xc7", 2, 0, 1, 1, true, false, false },
	{ "bts", "\x0f\xab", 2, 0, ANY, true, false, true },
	{ "btr", "\x0f\xb3", 2, 0, ANY, true, false, true },
	{ "btc", "\x0f\xbb", 2, 0, ANY, true, false, true },
	{ "bits of a number", "\x0f\xba", 2, 1, 5, 7, true, false, true },
};

static bool is_pair(const struct form *f)
{
	return !memcmp(f->opcode, "\x0f\xc7", f->length);
}

static bool is_bit(const struct form *f)
{
	return f->length == 2 && (f->opcode[1] & 0x7) == 3 && !f->number;
}

/* One with a base, of any register but rsp, or rsp's number by SIB, and now and then an index. */
static size_t make(const struct form *f, uint8_t *insn, unsigned *base, unsigned *index)
{
	uint64_t r = prng_next(&prng);
	const bool indexed = r & 1, half = f->words && (r >> 1 & 3) == 0;
	const bool wide = !half && (r >> 3 & 1) && !f->bytes;
	unsigned middle = f->first + (unsigned)(r >> 8) % (f->last - f->first + 1u);
	uint8_t rex = (uint8_t)(0x40 | (wide ? 8 : 0)), *p = insn;

	do
		*base = (unsigned)(prng_next(&prng) % 16);
	while (*base == INSN_RSP);
	*index = INSN_NONE;
	if (indexed)
		do
			*index = (unsigned)(prng_next(&prng) % 16);
		while (*index == INSN_RSP || *index == *base);
	rex |= (uint8_t)((*base & 8 ? 1 : 0) | (indexed && *index & 8 ? 2 : 0));
	if (!(f->number || f->first == f->last || f->last < 7) && r >> 16 & 1)
		rex |= 4;
	if (!(rex & 4) && f->last == 7 && !f->bytes && middle == INSN_RSP)
		middle = INSN_RBX; /* nobody loads rsp */
	if (f->bytes && middle == INSN_RSP && (rex != 0x40 || r >> 17 & 1))
		middle = INSN_RBX;
	if (f->locks)
		*p++ = 0xf0;
	if (half)
		*p++ = 0x66;
	if (rex != 0x40)
		*p++ = rex;
	memcpy(p, f->opcode, f->length);
	p += f->length;
	*p++ = (uint8_t)(0x40 | middle << 3 | (indexed || (*base & 7) == 4 ? 4 : (*base & 7)));
	if (indexed || (*base & 7) == 4)
		*p++ = (uint8_t)((*base & 7) | (indexed ? (*index & 7) << 3 | 0x40 : 0x20));
	*p++ = 0x10; /* the distance */
	for (unsigned i = 0; i < (f->number == 4 && half ? 2u : f->number); i++)
		*p++ = (uint8_t)any();
	return (size_t)(p - insn);
}

static void say(const struct form *f, const uint8_t *insn, size_t n)
{
	printf("# %s:", f->name);
	for (size_t i = 0; i < n; i++)
		printf(" %02x", insn[i]);
	printf("\n");
}

/* Registers and memory, such that the address is in the middle. */
static void fill(const struct form *f, const struct insn_access *a, unsigned base, unsigned index)
{
	const unsigned scale = index == INSN_NONE ? 0 : a->scale;
	uint64_t operand = (uint64_t)(uintptr_t)data->memory + CELLS / 2;

	for (unsigned i = 0; i < CELLS / 8; i++) {
		uint64_t v = any();

		memcpy(data->memory + (uint64_t)8 * i, &v, 8);
	}
	for (unsigned i = 0; i < ACCESS_REGISTERS; i++)
		data->reg[i] = any();
	if (is_bit(f) && a->reg < ACCESS_REGISTERS) { /* near it */
		data->reg[a->reg] = prng_next(&prng) % 1500 - 700;
		if (a->size < 8)
			data->reg[a->reg] &= a->size == 2 ? UINT16_MAX : UINT32_MAX;
	}
	if (index != INSN_NONE && index != a->reg)
		data->reg[index] = prng_next(&prng) % 16;
	data->reg[base] = operand - 0x10 - scale * (scale ? data->reg[index] : 0);
	/* Half of what is compared is there. */
	if (!is_bit(f) && prng_next(&prng) & 1)
		memcpy(&data->reg[INSN_RAX], data->memory + CELLS / 2,
		       base == INSN_RAX || index == INSN_RAX ? 0
		       : a->size < 8                         ? a->size
							     : 8);
	if (is_pair(f) && base != INSN_RDX && index != INSN_RDX && prng_next(&prng) & 3)
		memcpy(&data->reg[INSN_RDX], data->memory + CELLS / 2 + a->size / 2, a->size / 2);
	data->flags = (any() & FLAGS) | ALWAYS;
}

static void compare(const struct form *f)
{
	uint8_t insn[INSN_LONGEST + 1];
	struct insn_access a;
	unsigned base, index;
	struct data mine;
	size_t n = make(f, insn, &base, &index);
	void (*run)(void);

	frame(insn, n);
	if (!insn_access_decode(insn, n, 0, &a) || a.length != n) {
		say(f, insn, n);
		ck_abort_msg("it is not decoded");
	}
	/* A bit counted by the register that the address comes from is anywhere. */
	if (is_bit(f) && (a.reg == base || a.reg == index))
		return;
	fill(f, &a, base, index);
	mine = *data;
	by_hand(&a, &mine);
	memcpy(&run, &code, sizeof(run));
	run();
	mine.flags &= FLAGS;
	data->flags &= FLAGS;
	if (memcmp(&mine, data, sizeof(mine))) {
		say(f, insn, n);
		for (unsigned i = 0; i < ACCESS_REGISTERS; i++)
			if (mine.reg[i] != data->reg[i])
				printf("# r%u %" PRIx64 ", the processor has %" PRIx64 "\n", i,
				       mine.reg[i], data->reg[i]);
		printf("# flags %" PRIx64 ", the processor has %" PRIx64 "\n", mine.flags,
		       data->flags);
		ck_abort_msg("it differs");
	}
}

START_TEST(instructions_leave_what_the_processor_leaves)
{
	code = mmap(NULL, (size_t)2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(code, MAP_FAILED);
	data = (struct data *)(code + PAGE);
	for (int i = 0; i < ROUNDS; i++)
		compare(&forms[_i]);
}
END_TEST

/* ---- What is none ----------------------------------------------------------------------------------- */

static struct insn_access access_;

static bool decodes(const char *bytes, size_t n)
{
	return insn_access_decode((const uint8_t *)bytes, n, 0x1000, &access_);
}

#define DECODES(bytes) decodes(bytes, sizeof(bytes) - 1)

START_TEST(what_is_not_one_step_is_no_access)
{
	ck_assert(!DECODES("\x01\x07"));     /* add %eax, (%rdi) */
	ck_assert(!DECODES("\x0f\xc1\x07")); /* xadd %eax, (%rdi) */
	ck_assert(!DECODES("\xf0\x01\xc7")); /* lock add %eax, %edi: there is none */
	ck_assert(!DECODES("\x89\xc7"));     /* mov %eax, %edi */
	ck_assert(!DECODES("\x87\xc7"));     /* xchg %eax, %edi */
	ck_assert(!DECODES("\x0f\xa3\x07")); /* bt %eax, (%rdi) */
	ck_assert(!DECODES("\x64\x48\x8b\x04\x25\0\0\0\0")); /* mov %fs:0, %rax */
	ck_assert(!DECODES("\xf0\x65\xff\x07"));             /* lock incl %gs:(%rdi) */
	ck_assert(!DECODES("\xf0\xff"));                     /* not all of it */
	ck_assert(!DECODES("\xf0\x83\x3f\x01"));             /* lock cmpl: there is none */
}
END_TEST

START_TEST(addresses_are_those_of_the_operand)
{
	uint64_t reg[ACCESS_REGISTERS] = { 0 };
	struct insn_asked asked;

	ck_assert(DECODES("\xf0\xff\x05\x10\x00\x00\x00")); /* lock incl 0x10(%rip) */
	insn_access_ask(&access_, reg, 0, 7, &asked);
	ck_assert_uint_eq(asked.addr, 0x1000 + 7 + 0x10);
	ck_assert(DECODES("\xf0\x64\xff\x04\x25\xf0\xff\xff\xff")); /* lock incl %fs:-16 */
	insn_access_ask(&access_, reg, 0, 0x5000, &asked);
	ck_assert_uint_eq(asked.addr, 0x5000 - 16);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("insn_access");
	TCase *tcase = tcase_create("beside the processor");

	tcase_add_loop_test(tcase, instructions_leave_what_the_processor_leaves, 0,
			    (int)(sizeof(forms) / sizeof(forms[0])));
	tcase_add_test(tcase, what_is_not_one_step_is_no_access);
	tcase_add_test(tcase, addresses_are_those_of_the_operand);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
