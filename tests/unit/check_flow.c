/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_flow.c - what a function may still read of its frame, as a specification
 *
 * The functions are written as compilers write them without optimisation, in assembly, so
 * that it is known which byte is what. Nobody calls them.
 */
#include "preload/liveness/live.h"
#include "suite.h"
#include "unit/functions.h"

/* while (load(&word) != mine); as gcc has it: the result at -36 from rbp, mine at -28, rbx at -8. */
FUNCTION(waits, BEGIN
	 "pushq %rbx\nsubq $40, %rsp\nmovl %edi, -28(%rbp)\n"
	 "1:\n" LOAD(waits) "movl %eax, %ebx\nleaq -36(%rbp), %rax\nmovq %rax, %rdi\n"
			    "call __tsan_write4@PLT\nmovl %ebx, -36(%rbp)\nleaq -36(%rbp), %rax\n"
			    "movq %rax, %rdi\ncall __tsan_read4@PLT\nmovl -36(%rbp), %eax\n"
			    "cmpl -28(%rbp), %eax\njne 1b\nmovq -8(%rbp), %rbx\n" END);

/* The same with the address of a third variable, at -44, given away before. */
FUNCTION(gives_away,
	 BEGIN "subq $48, %rsp\nmovl %edi, -28(%rbp)\nleaq -44(%rbp), %rdi\n"
	       "call puts@PLT\n1:\n" LOAD(
		       gives_away) "movl %eax, -36(%rbp)\n"
				   "movl -36(%rbp), %eax\ncmpl -28(%rbp), %eax\njne 1b\n"
				   "call abort@PLT\nmovl $0, -40(%rbp)\n" END);

/* And if the operation may release what others read there. */
FUNCTION(releases,
	 BEGIN "subq $48, %rsp\nleaq -44(%rbp), %rdi\ncall puts@PLT\n"
	       "leaq word(%rip), %rdi\nmovl $1, %esi\nmovl $3, %edx\n"
	       "call __tsan_atomic32_exchange@PLT\n" HERE(releases) "movl %eax, -36(%rbp)\n" END);

/* Its address stays in the frame, at -48: the variable at -36 is written there. */
FUNCTION(keeps,
	 BEGIN "subq $48, %rsp\nleaq -36(%rbp), %rax\nmovq %rax, -48(%rbp)\n" LOAD(
		 keeps) "movq -48(%rbp), %rcx\nmovl %eax, (%rcx)\nmovl -36(%rbp), %eax\n" END);

/* The slot has another address sometimes. */
FUNCTION(changes,
	 BEGIN "subq $48, %rsp\nleaq -36(%rbp), %rax\nmovq %rax, -48(%rbp)\n" LOAD(
		 changes) "testl %eax, %eax\nje 1f\nleaq -32(%rbp), %rax\nmovq %rax, -48(%rbp)\n"
			  "1: movq -48(%rbp), %rcx\nmovl $1, (%rcx)\nmovl -36(%rbp), %eax\n"
			  "movl -32(%rbp), %ecx\n" END);

/* The same by a register in which no address is followed, to memory of others. */
FUNCTION(hides, BEGIN "subq $64, %rsp\nleaq -36(%rbp), %rax\nmovq %rax, -48(%rbp)\n"
		      "movups -48(%rbp), %xmm0\nmovups %xmm0, word(%rip)\n" LOAD(
			      hides) "movl %eax, -36(%rbp)\n" END);

/* What is loaded there ends where the address begins. */
FUNCTION(hides_none, BEGIN "subq $64, %rsp\nleaq -36(%rbp), %rax\nmovq %rax, -48(%rbp)\n"
			   "movsd -56(%rbp), %xmm0\nmovsd %xmm0, word(%rip)\n" LOAD(
				   hides_none) "movl %eax, -36(%rbp)\n" END);

FUNCTION(computes,
	 BEGIN "subq $48, %rsp\n" LOAD(computes) "movl %eax, -36(%rbp)\n"
						 "leaq word(%rip), %rax\njmp *%rax\n" END);

FUNCTION(comes_back, BEGIN "subq $48, %rsp\nleaq word(%rip), %rdi\ncall _setjmp@PLT\n" LOAD(
			     comes_back) "movl %eax, -36(%rbp)\n" END);

/* The seventh argument of a call is on the stack already. */
FUNCTION(pushes, BEGIN "subq $40, %rsp\nsubq $8, %rsp\npushq $7\n" LOAD(
			 pushes) "call puts@PLT\naddq $16, %rsp\n" END);

/* One byte of a word is written, and the word read. */
FUNCTION(by_bytes, BEGIN "subq $48, %rsp\n" LOAD(by_bytes) "movb %al, -36(%rbp)\n"
							   "movl -36(%rbp), %eax\n" END);

/* An element of an array, who knows which. */
FUNCTION(indexes, BEGIN "subq $48, %rsp\n" LOAD(indexes) "cltq\nmovl $1, -48(%rbp,%rax,4)\n"
							 "movl -16(%rbp), %eax\n" END);
FUNCTION(reads_any, BEGIN "subq $48, %rsp\n" LOAD(reads_any) "cltq\nmovl -48(%rbp,%rax,4), %eax\n"
							     "movl $0, -16(%rbp)\n" END);

#define ADD(name)                                               \
	"leaq word(%rip), %rdi\nmovl $1, %esi\nmovl $0, %edx\n" \
	"call __tsan_atomic32_fetch_add@PLT\n" HERE(name)
FUNCTION(ignores, BEGIN ADD(ignores) "xorl %eax, %eax\n" END);
FUNCTION(ignores_behind_hooks,
	 BEGIN ADD(ignores_behind_hooks) "call __tsan_read4@PLT\nmovl %eax, %ecx\n"
					 "movl $0, %eax\n" END);
FUNCTION(returns_it, BEGIN ADD(returns_it) END);
FUNCTION(looks_sometimes,
	 BEGIN ADD(looks_sometimes) "cmpl $1, %edi\nje 1f\nxorl %eax, %eax\n1:\n" END);
FUNCTION(looks_behind_functions,
	 BEGIN ADD(looks_behind_functions) "call puts@PLT\ntestl %eax, %eax\nmovl $0, %eax\n" END);
FUNCTION(sets_a_byte, BEGIN ADD(sets_a_byte) "movb $0, %al\n" END);
FUNCTION(calls_another, BEGIN "call puts@PLT\n" HERE(calls_another) "xorl %eax, %eax\n" END);
FUNCTION(goes_anywhere, BEGIN ADD(goes_anywhere) "jmp *%rcx\n" END);

FUNCTION(calls_it_in_vain, BEGIN "call returns_it\n" HERE(calls_it_in_vain) "movl $0, %eax\n" END);
FUNCTION(calls_it, BEGIN "call returns_it\n" HERE(calls_it) "movl %eax, word(%rip)\n" END);

/* In a function that begins as they do here: the return address of who has called it stands above rbp. */
static bool ignored_by(const char *here, const char *caller)
{
	const uint64_t stack[] = { 0, (uintptr_t)caller, 0, 0 };

	return live_ignored((uintptr_t)here, (uintptr_t)stack);
}

static bool ignored(const char *here)
{
	return ignored_by(here, NULL);
}

#define IGNORED(name)                            \
	({                                       \
		extern const char name##_here[]; \
		ignored(name##_here);            \
	})

START_TEST(results_are_looked_at_or_not)
{
	ck_assert(IGNORED(ignores));
	ck_assert(IGNORED(ignores_behind_hooks));
	ck_assert(!IGNORED(returns_it)); /* to nobody that is known */
	ck_assert(!IGNORED(looks_sometimes));
	ck_assert(!IGNORED(looks_behind_functions)); /* which may keep a register */
	ck_assert(!IGNORED(sets_a_byte));
	ck_assert(!IGNORED(calls_another)); /* of that nothing is known */
	ck_assert(!IGNORED(goes_anywhere));
}
END_TEST

START_TEST(results_may_be_returned_to_who_looks)
{
	extern const char returns_it_here[], calls_it_here[], calls_it_in_vain_here[];

	ck_assert(!ignored_by(returns_it_here, calls_it_here));
	ck_assert(ignored_by(returns_it_here, calls_it_in_vain_here));
}
END_TEST

START_TEST(what_the_next_round_overwrites_is_dead)
{
	FIND(waits);
	ck_assert(flow.known && !flow.shared && !flow.arguments);
	ck_assert_int_eq(flow.sp, -16 - 48);
	ck_assert(!live(-36, 4));
	ck_assert(live(-28, 4));
	ck_assert(live(-8, 8) && live(0, 8) && live(8, 8)); /* rbx, rbp, the return address */
	ck_assert(!live(-24, 8));
	ck_assert(!(flow.live_regs & 1 << INSN_RBX) && flow.live_regs & 1 << INSN_RBP);
	ck_assert(flow.live_regs & 1 << 12); /* the caller's */
}
END_TEST

START_TEST(in_a_shared_frame_all_is_live_that_a_call_may_read)
{
	FIND(gives_away);
	ck_assert(flow.known && flow.shared);
	ck_assert(!live(-36, 4));
	ck_assert(live(-44, 4) && live(-40, 4) && live(-28, 4));
}
END_TEST

START_TEST(in_a_shared_frame_all_is_live_when_it_may_be_released)
{
	FIND(releases);
	ck_assert(flow.known && flow.shared && live(-36, 4));
}
END_TEST

START_TEST(an_address_may_stay_in_the_frame)
{
	FIND(keeps);
	ck_assert(flow.known && !flow.shared);
	ck_assert(live(-48, 8) && !live(-36, 4));
}
END_TEST

START_TEST(an_address_leaves_by_a_vector_register)
{
	FIND(hides);
	ck_assert(flow.known && flow.shared);
	FIND(hides_none);
	ck_assert(flow.known && !flow.shared);
}
END_TEST

START_TEST(a_write_to_one_of_two_places_kills_neither)
{
	FIND(changes);
	ck_assert(flow.known && !flow.shared);
	ck_assert(live(-36, 4) && live(-32, 4));
}
END_TEST

START_TEST(what_is_not_understood_is_not_known)
{
	FIND(computes);
	ck_assert(!flow.known);
	FIND(comes_back);
	ck_assert(!flow.known);
	flow.pc = (uintptr_t)&flow;
	flow_find(&flow);
	ck_assert(!flow.known);
}
END_TEST

START_TEST(arguments_on_the_stack_are_read_by_the_call)
{
	FIND(pushes);
	ck_assert(flow.known && flow.sp == -16 - 56);
	ck_assert(live(-56, 8));
}
END_TEST

START_TEST(a_part_that_is_written_does_not_kill_the_rest)
{
	FIND(by_bytes);
	ck_assert(flow.known);
	ck_assert(!flow_live(&flow, -36 - 16) && live(-35, 3));
}
END_TEST

START_TEST(elements_of_arrays)
{
	FIND(indexes);
	ck_assert(flow.known && live(-16, 4));
	FIND(reads_any);
	ck_assert(flow.known && live(-48, 4) && live(-16, 4));
}
END_TEST

/* ---- States ---------------------------------------------------------------------------------------- */

enum {
	OF_WAITS = 64, /* bytes of its frame */
	ABOVE = 32,
};

static char stack_a[OF_WAITS + ABOVE], stack_b[OF_WAITS + ABOVE];
static uint64_t reg_a[LIVE_REGISTERS], reg_b[LIVE_REGISTERS];

static bool same(void)
{
	extern const char waits_here[];
	const struct live_state a = { reg_a, stack_a }, b = { reg_b, stack_b };

	return live_same((uintptr_t)waits_here, false, sizeof(stack_a), &a, &b);
}

static void states_setup(void)
{
	memset(stack_a, 1, sizeof(stack_a));
	memset(stack_a + OF_WAITS - 8, 0, 8); /* nobody called it */
	memcpy(stack_b, stack_a, sizeof(stack_a));
	memset(reg_a, 0, sizeof(reg_a));
	memset(reg_b, 0, sizeof(reg_b));
}

START_TEST(states_may_differ_in_dead_bytes_only)
{
	stack_b[OF_WAITS - 16 - 36] = 2;
	ck_assert(same());
	stack_b[OF_WAITS - 16 - 28] = 2;
	ck_assert(!same());
}
END_TEST

START_TEST(states_differ_in_frames_that_nobody_knows)
{
	stack_b[OF_WAITS + ABOVE - 1] = 2;
	ck_assert(!same());
}
END_TEST

START_TEST(states_may_differ_in_dead_registers_only)
{
	reg_b[0] = 2;
	ck_assert(same());
	reg_b[2] = 2;
	ck_assert(!same());
}
END_TEST

START_TEST(wiped_states_are_the_same_bytes)
{
	extern const char waits_here[];

	stack_b[OF_WAITS - 16 - 36] = 2;
	reg_b[0] = 2;
	live_wipe((uintptr_t)waits_here, false, sizeof(stack_a), reg_a, stack_a);
	live_wipe((uintptr_t)waits_here, false, sizeof(stack_b), reg_b, stack_b);
	ck_assert_mem_eq(stack_a, stack_b, sizeof(stack_a));
	ck_assert_mem_eq(reg_a, reg_b, sizeof(reg_a));
	ck_assert_int_eq(stack_a[OF_WAITS - 16 - 28], 1);
}
END_TEST

static Suite *flow_suite(void)
{
	Suite *s = suite_create("flow");
	TCase *frames = tcase_create("frames"), *states = tcase_create("states");

	tcase_add_test(frames, what_the_next_round_overwrites_is_dead);
	tcase_add_test(states, results_are_looked_at_or_not);
	tcase_add_test(states, results_may_be_returned_to_who_looks);
	tcase_add_test(frames, in_a_shared_frame_all_is_live_that_a_call_may_read);
	tcase_add_test(frames, in_a_shared_frame_all_is_live_when_it_may_be_released);
	tcase_add_test(frames, an_address_may_stay_in_the_frame);
	tcase_add_test(frames, an_address_leaves_by_a_vector_register);
	tcase_add_test(frames, a_write_to_one_of_two_places_kills_neither);
	tcase_add_test(frames, what_is_not_understood_is_not_known);
	tcase_add_test(frames, arguments_on_the_stack_are_read_by_the_call);
	tcase_add_test(frames, a_part_that_is_written_does_not_kill_the_rest);
	tcase_add_test(frames, elements_of_arrays);
	suite_add_tcase(s, frames);
	tcase_add_checked_fixture(states, states_setup, NULL);
	tcase_add_test(states, states_may_differ_in_dead_bytes_only);
	tcase_add_test(states, states_differ_in_frames_that_nobody_knows);
	tcase_add_test(states, states_may_differ_in_dead_registers_only);
	tcase_add_test(states, wiped_states_are_the_same_bytes);
	suite_add_tcase(s, states);
	return s;
}

int main(void)
{
	return suite_run(flow_suite());
}
