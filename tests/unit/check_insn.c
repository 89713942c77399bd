/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_insn.c - what an instruction does to registers and memory, as a specification
 *
 * The instructions on which something else once was said, or that are told apart by little.
 * check_insn_zydis.c compares all the others with another decoder.
 */
#include "base/insn.h"
#include "base/insn_ask.h"
#include "suite.h"

enum {
	AT = 0x1000,
	RAX = 1 << INSN_RAX,
	RCX = 1 << INSN_RCX,
	RDX = 1 << INSN_RDX,
	RBX = 1 << INSN_RBX,
	RDI = 1 << INSN_RDI
};

static struct insn in;

static bool decodes(const char *code, size_t size)
{
	return insn_decode((const uint8_t *)code, size, AT, &in) && in.length == size;
}

#define DECODES(code) decodes(code, sizeof(code) - 1)

START_TEST(a_load_to_a_vector_register_is_one_that_nobody_follows)
{
	ck_assert(DECODES("\x0f\x10\x04\x24")); /* movups (%rsp), %xmm0 */
	ck_assert(in.writes_other && !in.writes_some && in.read_size == 16);
	ck_assert(DECODES("\xf3\x0f\x7e\x44\x24\x08")); /* movq 8(%rsp), %xmm0 */
	ck_assert(in.writes_other && !in.writes_some && in.read_size == 8);
	ck_assert(DECODES("\x66\x48\x0f\x6e\xc0")); /* movq %rax, %xmm0 */
	ck_assert(in.writes_other && in.reads == RAX);
	ck_assert(DECODES("\xdf\x2c\x24")); /* fildll (%rsp) */
	ck_assert(in.writes_other);
}
END_TEST

START_TEST(a_store_of_a_vector_register_writes_memory_alone)
{
	ck_assert(DECODES("\x0f\x29\x07")); /* movaps %xmm0, (%rdi) */
	ck_assert(in.writes_some && !in.writes_other && in.write_size == 16 && !in.read_size);
	ck_assert(DECODES("\xf2\x0f\x11\x07")); /* movsd %xmm0, (%rdi) */
	ck_assert(in.writes_some && !in.writes_other && in.write_size == 8);
}
END_TEST

START_TEST(an_instruction_has_an_opcode_behind_its_prefixes_and_scales_its_index)
{
	ck_assert(DECODES("\x66\x41\x8b\x04\xc8")); /* mov (%r8,%rcx,8), %ax */
	ck_assert(in.opcode == 0x8b && in.index == INSN_RCX && in.scale == 8);
	ck_assert(DECODES("\xf0\x0f\xc1\x14\x88")); /* lock xadd %edx, (%rax,%rcx,4) */
	ck_assert(in.opcode == 0x0fc1 && in.index == INSN_RCX && in.scale == 4);
	ck_assert(DECODES("\x8b\x04\x24")); /* mov (%rsp), %eax */
	ck_assert(in.opcode == 0x8b && in.index == INSN_NONE && in.scale == 1);
}
END_TEST

START_TEST(a_comparison_writes_nothing_but_flags)
{
	ck_assert(DECODES("\x66\x0f\x2e\x07")); /* ucomisd (%rdi), %xmm0 */
	ck_assert(!in.writes_other && !in.writes_some && in.read_size == 8);
	ck_assert(DECODES("\x0f\xba\x27\x03")); /* btl $3, (%rdi) */
	ck_assert(!in.writes_some && !in.write_size && in.read_size == 4);
	ck_assert(DECODES("\x0f\xba\x2f\x03")); /* btsl $3, (%rdi) */
	ck_assert(in.writes_some && in.write_size == 4);
}
END_TEST

START_TEST(a_scalar_is_read_in_its_size)
{
	ck_assert(DECODES("\xf3\x0f\x58\x07") && in.read_size == 4);     /* addss */
	ck_assert(DECODES("\xf2\x0f\x58\x07") && in.read_size == 8);     /* addsd */
	ck_assert(DECODES("\x0f\x58\x07") && in.read_size == 16);        /* addps */
	ck_assert(DECODES("\x66\x0f\xc4\x07\x01") && in.read_size == 2); /* pinsrw */
	ck_assert(DECODES("\x0f\x5a\x07") && in.read_size == 8);         /* cvtps2pd */
	ck_assert(DECODES("\xf3\x0f\xe6\x07") && in.read_size == 8);     /* cvtdq2pd */
}
END_TEST

START_TEST(compare_and_exchange_reads_the_second_byte_of_a_register)
{
	ck_assert(DECODES("\xf0\x0f\xb0\x3f")); /* lock cmpxchg %bh, (%rdi) */
	ck_assert(in.locked && in.reads == (RAX | RBX) && in.base == INSN_RDI);
	ck_assert(in.writes == RAX && in.keeps == RAX && !in.write_size && in.writes_some);
	ck_assert(!(in.low & RBX) && in.low & RAX);
	ck_assert(DECODES("\x48\x0f\xb1\x0f")); /* cmpxchg %rcx, (%rdi) */
	ck_assert(in.reads == (RAX | RCX) && in.writes == RAX && !in.keeps && !in.low);
}
END_TEST

START_TEST(a_sum_of_bytes_is_none_of_the_whole_register)
{
	ck_assert(DECODES("\x48\x83\xc7\x08") && in.kind == INSN_ADD); /* add $8, %rdi */
	ck_assert(in.dst == INSN_RDI && in.imm == 8);
	ck_assert(DECODES("\x48\x80\xc7\x08") && in.kind == INSN_PLAIN); /* add $8, %dil */
	ck_assert(in.keeps == RDI && in.low == RDI);
	ck_assert(DECODES("\x83\xef\x08") && in.kind == INSN_PLAIN); /* sub $8, %edi */
}
END_TEST

START_TEST(part_of_a_register_keeps_the_rest)
{
	ck_assert(DECODES("\x88\xd0") && in.writes == RAX && in.keeps == RAX); /* mov %dl, %al */
	ck_assert(DECODES("\x66\x89\xd0") && in.writes == RAX &&
		  in.keeps == RAX);                                      /* mov %dx, %ax */
	ck_assert(DECODES("\x89\xd0") && in.writes == RAX && !in.keeps); /* mov %edx, %eax */
	ck_assert(DECODES("\x31\xd2") && in.writes == RDX && !in.reads); /* xor %edx, %edx */
	ck_assert(DECODES("\x66\x31\xd2") && in.reads == RDX);           /* xor %dx, %dx */
	ck_assert(DECODES("\x0f\x94\xc2") && in.keeps == RDX);           /* sete %dl */
}
END_TEST

/* More than 64 bytes; registers of which nothing is known; who knows where. */
START_TEST(what_is_not_told_right_is_not_known)
{
	ck_assert(!DECODES("\xdd\x27"));             /* frstor (%rdi) */
	ck_assert(!DECODES("\xdd\x37"));             /* fnsave (%rdi) */
	ck_assert(DECODES("\xd9\x37"));              /* fnstenv (%rdi) */
	ck_assert(!DECODES("\xf3\x0f\x2b\x07"));     /* movntss */
	ck_assert(!DECODES("\x66\x0f\xae\xf0"));     /* tpause %eax */
	ck_assert(!DECODES("\xf2\x0f\xae\xf0"));     /* umwait %eax */
	ck_assert(DECODES("\x0f\xae\xf0"));          /* mfence */
	ck_assert(!DECODES("\x66\x0f\x1b\x07"));     /* bndmov %bnd0, (%rdi) */
	ck_assert(!DECODES("\x64\xf3\xa4"));         /* rep movsb %fs:(%rsi), (%rdi) */
	ck_assert(!DECODES("\x64\x48\x8d\x07"));     /* lea %fs:(%rdi), %rax */
	ck_assert(!DECODES("\xf2\xf3\x0f\x10\x07")); /* movss or movsd? */
	ck_assert(!DECODES("\xc5\xf8\x77"));         /* vzeroupper */
}
END_TEST

START_TEST(what_does_not_end_in_time_is_not_known)
{
	ck_assert(!DECODES("\x48\x8b"));
	ck_assert(!DECODES("\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90"));
	ck_assert(!DECODES(""));
}
END_TEST

START_TEST(a_jump_leads_from_behind_itself)
{
	ck_assert(DECODES("\xeb\xfe") && in.kind == INSN_JUMP && in.target == AT);
	ck_assert(DECODES("\x0f\x84\x10\0\0\0") && in.kind == INSN_BRANCH &&
		  in.target == AT + 0x16);
	ck_assert(DECODES("\xe8\0\0\0\0") && in.kind == INSN_CALL && in.target == AT + 5);
	ck_assert(DECODES("\xff\xe0") && in.kind == INSN_JUMP && !in.target && in.reads == RAX);
	ck_assert(DECODES("\xff\x25\x10\0\0\0") && in.base == INSN_RIP && in.disp == AT + 0x16);
}
END_TEST

/* The length of the instruction, if it is one of those; what it asks for in ask. */
static unsigned asks(const char *code, size_t length, struct insn_ask *ask)
{
	return insn_asks((const uint8_t *)code, length, ask);
}
#define ASKS(code) asks(code, sizeof(code) - 1, &ask)

START_TEST(what_asks_the_processor_is_known_with_its_register)
{
	struct insn_ask ask;

	ck_assert(ASKS("\x0f\x31") == 2 && ask.kind == ASKS_TIME);
	ck_assert(ASKS("\x0f\x01\xf9") == 3 && ask.kind == ASKS_TIME_AND_PLACE);
	ck_assert(ASKS("\x0f\xc7\xf0") == 3 && ask.kind == ASKS_RANDOM && ask.reg == INSN_RAX &&
		  ask.size == 4);
	ck_assert(ASKS("\x48\x0f\xc7\xf9") == 4 && ask.reg == INSN_RCX && ask.size == 8);
	ck_assert(ASKS("\x41\x0f\xc7\xf3") == 4 && ask.reg == 11 && ask.size == 4);
	ck_assert(ASKS("\x66\x41\x0f\xc7\xfd") == 5 && ask.reg == 13 && ask.size == 2);
	/* cmpxchg8b of memory, rdpid, xgetbv, and less than an instruction */
	ck_assert(!ASKS("\x0f\xc7\x08") && !ASKS("\xf3\x0f\xc7\xf8"));
	ck_assert(!ASKS("\x0f\x01\xd0") && !ASKS("\x0f\x01") && !ASKS("\x48\x0f\xc7") &&
		  !ASKS("\x66") && !asks("", 0, &ask));
}
END_TEST

START_TEST(a_fence_is_mfence_or_a_locked_instruction_that_changes_nothing_on_the_stack)
{
	struct insn_ask ask;

	ck_assert(ASKS("\x0f\xae\xf0") == 3 && ask.kind == ASKS_FENCE);
	ck_assert(ASKS("\xf0\x83\x04\x24\0") == 5 && ask.kind == ASKS_FENCE);
	ck_assert(ASKS("\xf0\x48\x83\x0c\x24\0") == 6 && ask.kind == ASKS_FENCE);
	ck_assert(ASKS("\xf0\x83\x44\x24\xfc\0") == 6);
	ck_assert(ASKS("\xf0\x80\x8c\x24\0\xff\xff\xff\0") == 9);
	ck_assert(ASKS("\xf0\x81\x6c\x24\x08\0\0\0\0") == 9);
	/* lfence, sfence, clflush, umonitor and tpause */
	ck_assert(!ASKS("\x0f\xae\xe8") && !ASKS("\x0f\xae\xf8") && !ASKS("\x0f\xae\x38"));
	ck_assert(!ASKS("\xf3\x0f\xae\xf0") && !ASKS("\x66\x0f\xae\xf0"));
	/* not locked; of 1; and, adc; by rax; by rsp and rax, or r12; of a register */
	ck_assert(!ASKS("\x83\x04\x24\0") && !ASKS("\xf0\x83\x04\x24\x01"));
	ck_assert(!ASKS("\xf0\x81\x04\x24\0\0\0\x01"));
	ck_assert(!ASKS("\xf0\x83\x24\x24\0") && !ASKS("\xf0\x83\x14\x24\0"));
	ck_assert(!ASKS("\xf0\x83\x00\0\0") && !ASKS("\xf0\x83\x04\x04\0"));
	ck_assert(!ASKS("\xf0\x49\x83\x04\x24\0") && !ASKS("\xf0\x83\xc4\0\0"));
	/* another instruction, and less than one */
	ck_assert(!ASKS("\xf0\x03\x04\x24\0") && !ASKS("\xf0\x83\x04\x24"));
	ck_assert(!ASKS("\xf0\x48") && !ASKS("\xf0") && !ASKS("\x0f\xae"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("insn");
	TCase *tcase = tcase_create("instructions");

	tcase_add_test(tcase,
		       an_instruction_has_an_opcode_behind_its_prefixes_and_scales_its_index);
	tcase_add_test(tcase, a_load_to_a_vector_register_is_one_that_nobody_follows);
	tcase_add_test(tcase, a_store_of_a_vector_register_writes_memory_alone);
	tcase_add_test(tcase, a_comparison_writes_nothing_but_flags);
	tcase_add_test(tcase, a_scalar_is_read_in_its_size);
	tcase_add_test(tcase, compare_and_exchange_reads_the_second_byte_of_a_register);
	tcase_add_test(tcase, a_sum_of_bytes_is_none_of_the_whole_register);
	tcase_add_test(tcase, part_of_a_register_keeps_the_rest);
	tcase_add_test(tcase, what_is_not_told_right_is_not_known);
	tcase_add_test(tcase, what_does_not_end_in_time_is_not_known);
	tcase_add_test(tcase, a_jump_leads_from_behind_itself);
	tcase_add_test(tcase, what_asks_the_processor_is_known_with_its_register);
	tcase_add_test(tcase,
		       a_fence_is_mfence_or_a_locked_instruction_that_changes_nothing_on_the_stack);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
