/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_flow_odd.c - functions that compilers seldom write: what is not understood is live
 *
 * Each differs from one that is understood by an instruction or two, after the call that is asked
 * about. What they have in common: a local variable at -36 from rbp, whose byte would be dead.
 */
#include <string.h>

#include "preload/liveness/live.h"
#include "suite.h"
#include "unit/functions.h"

#define ROOM      BEGIN "subq $64, %rsp\n"
#define ADDRESS   "leaq -36(%rbp), %rax\n"
#define OVERWRITE "movl $0, -36(%rbp)\n"

/* The address of the variable is in rax, and something is done to it before it is read from. */
FUNCTION(exact, ROOM LOAD(exact) ADDRESS "movl (%rax), %ecx\n" OVERWRITE END);
FUNCTION(overwrites, ROOM LOAD(overwrites) ADDRESS OVERWRITE "movl (%rax), %ecx\n" END);
FUNCTION(moves_far, ROOM LOAD(moves_far) ADDRESS "addq $0x7ffffff0, %rax\naddq $0x7ffffff0, %rax\n"
						 "movl (%rax), %ecx\n" OVERWRITE END);
FUNCTION(tears, ROOM LOAD(tears) ADDRESS "movb $0, %al\nmovl (%rax), %ecx\n" OVERWRITE END);
FUNCTION(tears_once, ROOM LOAD(tears_once) "testl %eax, %eax\nmovl $0, %eax\nje 1f\n" ADDRESS
					   "movb $0, %al\n1: movl (%rax), %ecx\n" OVERWRITE END);
FUNCTION(adds, ROOM LOAD(adds) ADDRESS "addq %rcx, %rax\nmovl (%rax), %ecx\n" OVERWRITE END);
FUNCTION(two_ways, ROOM LOAD(two_ways) "testl %eax, %eax\nleaq -40(%rbp), %rax\nje 1f\n" ADDRESS
				       "1: movl (%rax), %ecx\n" OVERWRITE END);
FUNCTION(pops, ROOM LOAD(pops) ADDRESS "movq %rax, -48(%rbp)\nsubq $0, %rsp\nleaq -48(%rbp), %rsp\n"
				       "popq %rcx\nmovl (%rcx), %ecx\n" OVERWRITE END);

/* The address is in a slot, at -56, to which something happens. */
#define SLOT ADDRESS "movq %rax, -56(%rbp)\n"
FUNCTION(slot, ROOM SLOT LOAD(slot) "movq -56(%rbp), %rcx\nmovl (%rcx), %ecx\n" OVERWRITE END);
FUNCTION(slot_half, ROOM SLOT LOAD(slot_half) "movl $0, -52(%rbp)\nmovq -56(%rbp), %rcx\n"
					      "movl (%rcx), %ecx\n" OVERWRITE END);
FUNCTION(slot_beside, ROOM SLOT LOAD(slot_beside) "movl $0, -48(%rbp)\nmovq -56(%rbp), %rcx\n"
						  "movl $0, (%rcx)\nmovl -36(%rbp), %ecx\n" END);
FUNCTION(slot_across,
	 ROOM SLOT LOAD(slot_across) "movq -60(%rbp), %rcx\nmovl (%rcx), %ecx\n" OVERWRITE END);
FUNCTION(slot_indexed,
	 ROOM SLOT LOAD(slot_indexed) "movl $1, -64(%rbp,%rdx,4)\nmovq -56(%rbp), %rcx\n"
				      "movl (%rcx), %ecx\n" OVERWRITE END);
FUNCTION(slot_by_index,
	 ROOM SLOT LOAD(
		 slot_by_index) "movq -64(%rbp,%rdx,4), %rcx\nmovl (%rcx), %ecx\n" OVERWRITE END);
FUNCTION(slot_swapped,
	 ROOM SLOT LOAD(slot_swapped) "cmpxchgq %rcx, -56(%rbp)\nmovq -56(%rbp), %rcx\n"
				      "movl (%rcx), %ecx\n" OVERWRITE END);

/* The address leaves the function. */
FUNCTION(pushed, ROOM ADDRESS "pushq %rax\n" LOAD(pushed) OVERWRITE END);
FUNCTION(pushed_slot, ROOM SLOT "pushq -56(%rbp)\n" LOAD(pushed_slot) OVERWRITE END);
FUNCTION(pushed_other, ROOM SLOT "pushq -64(%rbp)\n" LOAD(pushed_other) OVERWRITE END);
FUNCTION(stored, ROOM ADDRESS "movq %rax, word(%rip)\n" LOAD(stored) OVERWRITE END);
FUNCTION(exchanged, ROOM ADDRESS "xchgq %rax, word(%rip)\n" LOAD(exchanged) OVERWRITE END);
FUNCTION(added, ROOM SLOT "movl $1, %ecx\naddq -56(%rbp), %rcx\n" LOAD(added) OVERWRITE END);
FUNCTION(called, ROOM SLOT "call *-56(%rbp)\n" LOAD(called) OVERWRITE END);
FUNCTION(many,
	 BEGIN "subq $256, %rsp\nleaq -36(%rbp), %rax\n.set i, 0\n.rept 17\n"
	       "movq %rax, -64 - 8 * i(%rbp)\n.set i, i + 1\n.endr\n" LOAD(many) OVERWRITE END);

/* What its caller has put on the stack. */
FUNCTION(reads_argument, ROOM LOAD(reads_argument) "movl 16(%rbp), %eax\n" OVERWRITE END);
FUNCTION(takes_argument, ROOM LOAD(takes_argument) "leaq 16(%rbp), %rax\n" OVERWRITE END);
FUNCTION(vague_argument, ROOM LOAD(vague_argument) "movl 16(%rbp,%rax,4), %eax\n" OVERWRITE END);

/* Who else reads the variable: behind a jump, in the next round, through a pointer that is not known. */
FUNCTION(jumps,
	 ROOM LOAD(jumps) "testl %eax, %eax\nje 1f\n" OVERWRITE "1: movl -36(%rbp), %ecx\n" END);
FUNCTION(next_round,
	 ROOM "1: movl -36(%rbp), %ecx\n" LOAD(next_round) "testl %eax, %eax\njne 1b\n" END);
FUNCTION(index_alone, ROOM LOAD(index_alone) ADDRESS "movl 0(,%rax,1), %ecx\n" OVERWRITE END);
#define GIVE ADDRESS "movq %rax, word(%rip)\n"
FUNCTION(shared_pointer, ROOM GIVE LOAD(shared_pointer) "movq word(%rip), %rcx\n"
							"movl (%rcx), %ecx\n" OVERWRITE END);
FUNCTION(shared_global, ROOM GIVE LOAD(shared_global) "movl word(%rip), %ecx\n" OVERWRITE END);
FUNCTION(shared_plain, ROOM GIVE LOAD(shared_plain) "leaq -40(%rbp), %rdi\n"
						    "call __tsan_write4@PLT\n" OVERWRITE END);
FUNCTION(pops_saved, BEGIN "pushq %rbx\nsubq $56, %rsp\n" LOAD(
			     pops_saved) "addq $56, %rsp\npopq %rbx\npopq %rbp\nret\n");
FUNCTION(pushes_over, ROOM LOAD(pushes_over) "addq $32, %rsp\npushq %rax\npopq %rcx\n" END);

/* Registers: r12 is saved, so the caller's is not in it. */
#define SAVED   ROOM "movq %r12, -16(%rbp)\n"
#define RESTORE "movq -16(%rbp), %r12\n" END
FUNCTION(r12_unused, SAVED LOAD(r12_unused) RESTORE);
FUNCTION(r12_read, SAVED LOAD(r12_read) "movl %r12d, %eax\n" RESTORE);
FUNCTION(r12_written, SAVED LOAD(r12_written) "movq %rax, %r12\nmovl %r12d, %eax\n" RESTORE);
FUNCTION(r12_base, SAVED LOAD(r12_base) "movl (%r12), %eax\n" RESTORE);
FUNCTION(r12_index, SAVED LOAD(r12_index) "movl (%rax,%r12,4), %eax\n" RESTORE);
FUNCTION(r12_in_part, SAVED LOAD(r12_in_part) "movb $1, %r12b\nmovq %r12, %rax\n" RESTORE);
FUNCTION(r12_behind_jump, SAVED LOAD(r12_behind_jump) "testl %eax, %eax\nje 1f\nxorl %r12d, %r12d\n"
						      "1: movl %r12d, %eax\n" RESTORE);
FUNCTION(only_leaves, ROOM LOAD(only_leaves) "leave\nmovq %rax, %rbp\nret\n");

/* The operation may store what it finds to the expected value, at -36. */
FUNCTION(expects, ROOM "leaq word(%rip), %rdi\nleaq -36(%rbp), %rsi\nmovl $1, %edx\n"
		       "call __tsan_atomic32_compare_exchange_strong@PLT\n" HERE(
			       expects) "movl -36(%rbp), %eax\n" END);
/* It overwrites what it was made for. */
FUNCTION(expects_once, ROOM "leaq word(%rip), %rdi\nleaq -36(%rbp), %rsi\nmovl $1, %edx\n"
			    "call __tsan_atomic32_compare_exchange_strong@PLT\n" HERE(expects_once)
				    OVERWRITE "movl $0, -40(%rbp)\n" END);
FUNCTION(
	expects_again,
	ROOM LOAD(
		expects_again) "leaq word(%rip), %rdi\nleaq -36(%rbp), %rsi\n"
			       "movl $1, %edx\ncall __tsan_atomic32_compare_exchange_strong@PLT\n" END);

/* Not to be understood at all. */
FUNCTION(room_at_will, ROOM "subq %rdi, %rsp\n" LOAD(room_at_will) OVERWRITE END);
FUNCTION(no_instruction, ROOM LOAD(no_instruction) OVERWRITE ".byte 0x06\n" END);
FUNCTION(leaves, ROOM LOAD(leaves) OVERWRITE "jmp waits_elsewhere\n");
FUNCTION(waits_elsewhere, ROOM LOAD(waits_elsewhere) OVERWRITE END);
FUNCTION(long_code, ROOM LOAD(long_code) OVERWRITE ".fill 33000, 1, 0x90\n" END);
FUNCTION(much_code, ROOM LOAD(much_code) OVERWRITE ".fill 5000, 1, 0x90\n" END);
FUNCTION(cut_off, ROOM LOAD(cut_off) OVERWRITE);

/* A frame of which the most is too far away to be told apart. */
FUNCTION(large, BEGIN "subq $4096, %rsp\n" LOAD(large) OVERWRITE "movl $0, -2000(%rbp)\n"
								 "movl -3000(%rbp), %eax\n" END);

#define DEAD(name)                                                 \
	do {                                                       \
		FIND(name);                                        \
		ck_assert_msg(flow.known && !live(-36, 4), #name); \
	} while (0)
#define LIVE(name)                                               \
	do {                                                     \
		FIND(name);                                      \
		ck_assert_msg(flow.known &&live(-36, 4), #name); \
	} while (0)
#define UNKNOWN(name)                              \
	do {                                       \
		FIND(name);                        \
		ck_assert_msg(!flow.known, #name); \
	} while (0)

START_TEST(addresses_are_followed)
{
	LIVE(exact);
	DEAD(overwrites);
	LIVE(moves_far);
	LIVE(tears);
	LIVE(tears_once);
	LIVE(adds);
	LIVE(two_ways);
	LIVE(pops);
}
END_TEST

START_TEST(slots_are_followed)
{
	LIVE(slot);
	LIVE(slot_half);
	DEAD(slot_beside);
	LIVE(slot_across);
	LIVE(slot_indexed);
	LIVE(slot_by_index);
	LIVE(slot_swapped);
}
END_TEST

#define SHARED(name, yes)                                                \
	do {                                                             \
		FIND(name);                                              \
		ck_assert_msg(flow.known &&flow.shared == (yes), #name); \
	} while (0)

START_TEST(addresses_leave)
{
	SHARED(exact, false);
	SHARED(slot, false);
	SHARED(pushed, true);
	SHARED(pushed_slot, true);
	SHARED(pushed_other, false);
	SHARED(stored, true);
	SHARED(exchanged, true);
	SHARED(added, true);
	SHARED(called, true);
	SHARED(many, true);
}
END_TEST

START_TEST(arguments_of_the_function_are_its_callers)
{
	FIND(exact);
	ck_assert(!flow.arguments);
	FIND(reads_argument);
	ck_assert(flow.known && flow.arguments);
	FIND(takes_argument);
	ck_assert(flow.known && flow.arguments);
	FIND(vague_argument);
	ck_assert(flow.known && flow.arguments);
}
END_TEST

START_TEST(whatever_may_come_next_is_followed)
{
	LIVE(jumps);
	LIVE(next_round);
	LIVE(index_alone);
	LIVE(shared_pointer);
	DEAD(shared_global);
	DEAD(shared_plain);
	FIND(pops_saved);
	ck_assert(flow.known && live(-8, 8));
	FIND(pushes_over);
	ck_assert(flow.known && !live(-40, 8));
}
END_TEST

static bool r12_lives(void)
{
	ck_assert(flow.known);
	return flow.live_regs >> 12 & 1;
}

#define R12(name, yes)                                      \
	do {                                                \
		FIND(name);                                 \
		ck_assert_msg(r12_lives() == (yes), #name); \
	} while (0)

START_TEST(registers_are_followed)
{
	R12(r12_unused, false);
	R12(r12_read, true);
	R12(r12_written, false);
	R12(r12_base, true);
	R12(r12_index, true);
	R12(r12_in_part, true);
	R12(r12_behind_jump, true);
	FIND(only_leaves);
	ck_assert(flow.known && flow.live_regs >> INSN_RBP & 1);
}
END_TEST

START_TEST(compare_and_swaps_read_what_they_expect)
{
	LIVE(expects);
	LIVE(expects_again);
}
END_TEST

START_TEST(what_is_odd_is_not_known)
{
	UNKNOWN(room_at_will);
	UNKNOWN(no_instruction);
	UNKNOWN(leaves);
	UNKNOWN(long_code);
	UNKNOWN(much_code);
	DEAD(cut_off); /* as behind a call that does not return */
	FIND(waits_elsewhere);
	ck_assert(flow.known);
	flow.pc++; /* no call returns to here */
	flow_find(&flow);
	ck_assert(!flow.known);
}
END_TEST

START_TEST(what_a_call_reads_is_live_until_it_is_made)
{
	FIND(expects_once);
	ck_assert(flow.known && !live(-36, 4) && !live(-40, 4));
	flow.before = true;
	FIND(expects_once);
	flow.before = false;
	ck_assert(flow.known && live(-36, 4) && !live(-40, 4));
}
END_TEST

START_TEST(what_is_far_away_is_live)
{
	DEAD(large);
	ck_assert(live(-2000, 4) && live(-3000, 4));
}
END_TEST

/* ---- States of two frames --------------------------------------------------------------------------- */

enum {
	FRAME = 80, /* of each: 64 bytes, rbp, the return address */
	BOTH = 2 * FRAME,
	ABOVE = 16
};

static char stack_a[BOTH + ABOVE], stack_b[BOTH + ABOVE];
static uint64_t reg[LIVE_REGISTERS];

#define HERE_OF(name) ((uintptr_t)name##_here)
extern const char overwrites_here[], exact_here[], reads_argument_here[], stored_here[];

/* A frame of the function that returns to `inner`, called by one that goes on at `outer`. */
static void set_up(uintptr_t outer)
{
	memset(stack_a, 1, sizeof(stack_a));
	memcpy(stack_a + FRAME - 8, &outer, sizeof(outer));
	memset(stack_a + BOTH - 8, 0, 8);
	memcpy(stack_b, stack_a, sizeof(stack_a));
}

static bool same(uintptr_t inner, uint64_t size)
{
	const struct live_state a = { reg, stack_a }, b = { reg, stack_b };

	return live_same(inner, false, size, &a, &b);
}

START_TEST(callers_are_followed)
{
	set_up(HERE_OF(overwrites));
	ck_assert(same(HERE_OF(overwrites), sizeof(stack_a)));
	stack_b[FRAME + FRAME - 16 - 36] = 2;
	ck_assert(same(HERE_OF(overwrites), sizeof(stack_a)));
	set_up(HERE_OF(exact));
	stack_b[FRAME + FRAME - 16 - 36] = 2;
	ck_assert(!same(HERE_OF(overwrites), sizeof(stack_a)));
	set_up(0);
	stack_b[FRAME + FRAME - 16 - 36] = 2;
	ck_assert(!same(HERE_OF(overwrites), sizeof(stack_a)));
}
END_TEST

START_TEST(callers_of_functions_with_arguments_are_not)
{
	set_up(HERE_OF(overwrites));
	stack_b[FRAME + FRAME - 16 - 36] = 2;
	ck_assert(!same(HERE_OF(reads_argument), sizeof(stack_a)));
}
END_TEST

START_TEST(stacks_may_be_cut_off)
{
	set_up(HERE_OF(overwrites));
	stack_b[0] = 2;
	ck_assert(!same(HERE_OF(overwrites), FRAME - 8));
	stack_b[0] = 1;
	stack_b[FRAME + 4] = 2;
	ck_assert(!same(HERE_OF(overwrites), FRAME + 8));
}
END_TEST

START_TEST(callers_are_wiped)
{
	uint64_t a[LIVE_REGISTERS] = { 1 }, b[LIVE_REGISTERS] = { 2 };

	set_up(HERE_OF(overwrites));
	stack_b[FRAME - 16 - 36] = stack_b[FRAME + FRAME - 16 - 36] = 2;
	live_wipe(HERE_OF(overwrites), false, sizeof(stack_a), a, stack_a);
	live_wipe(HERE_OF(overwrites), false, sizeof(stack_b), b, stack_b);
	ck_assert_mem_eq(stack_a, stack_b, sizeof(stack_a));
	ck_assert_uint_ne(a[0], b[0]); /* rbx is the caller's */
	stack_b[FRAME + 4] = 2;
	live_wipe(HERE_OF(overwrites), false, FRAME + 8, b, stack_b);
	ck_assert_int_eq(stack_b[FRAME + 4], 2);
}
END_TEST

START_TEST(a_frame_is_private_or_not)
{
	const uint64_t sp = 0x7000;

	ck_assert(live_private(HERE_OF(overwrites), sp, sp, FRAME));
	ck_assert(live_private(HERE_OF(overwrites), sp, sp + 40, 4));
	ck_assert(!live_private(HERE_OF(overwrites), sp, sp - 1, 4));
	ck_assert(!live_private(HERE_OF(overwrites), sp, sp + FRAME - 2, 4));
	ck_assert(!live_private(HERE_OF(overwrites), sp, sp + 4, UINT64_MAX - 2));
	ck_assert(!live_private(HERE_OF(overwrites), sp, sp + FRAME, UINT64_MAX - sp));
	ck_assert(!live_private(HERE_OF(stored), sp, sp + 40, 4));
	ck_assert(!live_private((uintptr_t)&flow, sp, sp + 40, 4));
}
END_TEST

/* Each place is kept, up to a number; beyond it nothing is known, and all is live. */
START_TEST(there_is_room_for_some_places)
{
	set_up(0);
	for (uintptr_t pc = 1; pc < 2000; pc++)
		ck_assert(!live_private(pc, 0x7000, 0x7000, 4));
	ck_assert(!same(HERE_OF(overwrites), sizeof(stack_a)));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("flow");
	TCase *odd = tcase_create("odd"), *states = tcase_create("callers");

	tcase_add_test(odd, addresses_are_followed);
	tcase_add_test(odd, slots_are_followed);
	tcase_add_test(odd, addresses_leave);
	tcase_add_test(odd, arguments_of_the_function_are_its_callers);
	tcase_add_test(odd, whatever_may_come_next_is_followed);
	tcase_add_test(odd, registers_are_followed);
	tcase_add_test(odd, compare_and_swaps_read_what_they_expect);
	tcase_add_test(odd, what_is_odd_is_not_known);
	tcase_add_test(odd, what_a_call_reads_is_live_until_it_is_made);
	tcase_add_test(odd, what_is_far_away_is_live);
	suite_add_tcase(s, odd);
	tcase_add_test(states, callers_are_followed);
	tcase_add_test(states, callers_of_functions_with_arguments_are_not);
	tcase_add_test(states, stacks_may_be_cut_off);
	tcase_add_test(states, callers_are_wiped);
	tcase_add_test(states, a_frame_is_private_or_not);
	tcase_add_test(states, there_is_room_for_some_places);
	suite_add_tcase(s, states);
	return suite_run(s);
}
