/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entry.c - from the program to a hook, and from its stack to the hook's (see entry.h)
 *
 * hook_enter is jumped to with the hook in rax, the number of registers that hold its arguments in r10d, and
 * everything else as the program called.
 * While the hook runs, rbp of its caller's frame is the program's stack pointer, which is how
 * debuggers and unwinders find their way back: the stack of hooks lies below all others, so
 * that outer frames have higher addresses, as they expect.
 *
 * Invariant: entry.sp is not 0 exactly while the fiber is in such a hook. A hook called from
 * inside another one runs on the stack it finds.
 */
#include "preload/arch/x86_64/entry.h"

#include <stddef.h>

#include "preload/arch/x86_64/switch.h"

#define AT(member) offsetof(struct self, entry) + offsetof(struct entry, member)

_Static_assert(offsetof(struct self, interrupted) == 14 && AT(sp) == 24 && AT(stack) == 32 &&
		       AT(fn) == 40 && AT(reg) == 48 && AT(arg) == 96,
	       "known to the assembly");

struct entry_handlers entry_handlers;

_Static_assert(offsetof(struct entry_handlers, look) == 0 &&
		       offsetof(struct entry_handlers, run) == 8,
	       "known to the assembly");

/* What a call finds in its registers, from the entry at r11. */
#define LOAD_ENTRY               \
	"	movq 0(%r11), %rsp\n"  \
	"	movq 16(%r11), %rax\n" \
	"	movq 24(%r11), %rbx\n" \
	"	movq 32(%r11), %rbp\n" \
	"	movq 40(%r11), %r12\n" \
	"	movq 48(%r11), %r13\n" \
	"	movq 56(%r11), %r14\n" \
	"	movq 64(%r11), %r15\n" \
	"	movq 72(%r11), %rdi\n" \
	"	movq 80(%r11), %rsi\n" \
	"	movq 88(%r11), %rdx\n" \
	"	movq 96(%r11), %rcx\n" \
	"	movq 104(%r11), %r8\n" \
	"	movq 112(%r11), %r9\n"

__asm__(".text\n"
	".p2align 4\n"
	".globl hook_enter\n"
	".hidden hook_enter\n"
	".type hook_enter, @function\n"
	"hook_enter:\n"
	".cfi_startproc\n"
	"	movq current(%rip), %r11\n"
	"	testq %r11, %r11\n"
	"	je 1f\n"
	"	cmpq $0, 24(%r11)\n"
	"	jne 1f\n"
	"	cmpb $0, 14(%r11)\n"
	"	jne 4f\n"
	".globl hook_enter_now\n"
	".hidden hook_enter_now\n"
	"hook_enter_now:\n"
	"3:	movq %rsp, 24(%r11)\n"
	"	movq %rax, 40(%r11)\n"
	"	movq %rbx, 48(%r11)\n"
	"	movq %rbp, 56(%r11)\n"
	"	movq %r12, 64(%r11)\n"
	"	movq %r13, 72(%r11)\n"
	"	movq %r14, 80(%r11)\n"
	"	movq %r15, 88(%r11)\n"
	"	movq %rdi, 96(%r11)\n"
	"	movq %rsi, 104(%r11)\n"
	"	movq %rdx, 112(%r11)\n"
	"	movq %rcx, 120(%r11)\n"
	"	movq %r8, 128(%r11)\n"
	"	movq %r9, 136(%r11)\n"
	"	movq 32(%r11), %r10\n"
	"	.cfi_remember_state\n"
	"	movq %rbp, -16(%r10)\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa %rbp, 8\n"
	"	leaq -16(%r10), %rsp\n"
	/* rbp: at the address that is this frame's rsp */
	"	.cfi_escape 0x10, 0x06, 0x02, 0x77, 0x00\n"
	"	call *%rax\n"
	"	movq (%rsp), %r10\n"
	"	movq %rbp, %rsp\n"
	"	movq %r10, %rbp\n"
	"	.cfi_restore_state\n"
	"	movq current(%rip), %r11\n"
	"	movq $0, 24(%r11)\n"
	/* What a compiler keeps of them is part of the thread's state (hook_tsan_plain.c). */
	"	xorl %ecx, %ecx\n"
	"	xorl %esi, %esi\n"
	"	xorl %edi, %edi\n"
	"	xorl %r8d, %r8d\n"
	"	xorl %r9d, %r9d\n"
	"	xorl %r10d, %r10d\n"
	"	xorl %r11d, %r11d\n"
	"	ret\n"
	"1:	jmp *%rax\n"
	/*
	 * Handlers may come first (interrupt.c). What the call has is kept on the program's stack, and is
	 * part of the thread's state there: nothing else may be, so registers beyond r10d arguments are cleared.
	 */
	"4:	cmpl $5, %r10d\n"
	"	ja 6f\n"
	"	movl $0, %r9d\n"
	"	je 6f\n"
	"	movl $0, %r8d\n"
	"	cmpl $3, %r10d\n"
	"	ja 6f\n"
	"	movl $0, %ecx\n"
	"	je 6f\n"
	"	movl $0, %edx\n"
	"	cmpl $1, %r10d\n"
	"	ja 6f\n"
	"	movl $0, %esi\n"
	"	je 6f\n"
	"	movl $0, %edi\n"
	"6:	pushq %rax\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rsi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rdx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rcx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r8\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r9\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	movq entry_handlers(%rip), %rax\n"
	"	call 3b\n"
	".globl entry_looked\n"
	".hidden entry_looked\n"
	"entry_looked:\n"
	"	testl %eax, %eax\n"
	"	je 5f\n"
	"	movq 56(%rsp), %rdi\n"
	"	call *8+entry_handlers(%rip)\n"
	"5:	popq %r9\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %r8\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rcx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rsi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rax\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	movq current(%rip), %r11\n"
	"	jmp 3b\n"
	".globl hook_enter_quiet\n"
	".hidden hook_enter_quiet\n"
	"hook_enter_quiet:\n"
	"	movq current(%rip), %r11\n"
	"	testq %r11, %r11\n"
	"	je 1b\n"
	"	cmpq $0, 24(%r11)\n"
	"	jne 1b\n"
	"	jmp 3b\n"
	"	.cfi_endproc\n"
	".size hook_enter, .-hook_enter\n"

	/* rdi: where to */
	".p2align 4\n"
	".globl entry_leave\n"
	".hidden entry_leave\n"
	".type entry_leave, @function\n"
	"entry_leave:\n"
	"	movq current(%rip), %r11\n"
	"	movq %rdi, %rax\n"
	"	movq 24(%r11), %rsp\n"
	"	movq $0, 24(%r11)\n"
	"	movq 48(%r11), %rbx\n"
	"	movq 56(%r11), %rbp\n"
	"	movq 64(%r11), %r12\n"
	"	movq 72(%r11), %r13\n"
	"	movq 80(%r11), %r14\n"
	"	movq 88(%r11), %r15\n"
	"	movq 96(%r11), %rdi\n"
	"	movq 104(%r11), %rsi\n"
	"	movq 112(%r11), %rdx\n"
	"	movq 120(%r11), %rcx\n"
	"	movq 128(%r11), %r8\n"
	"	movq 136(%r11), %r9\n"
	"	jmp *%rax\n"
	".size entry_leave, .-entry_leave\n"

	/* rdi: the entry */
	".p2align 4\n"
	".globl entry_again\n"
	".hidden entry_again\n"
	".type entry_again, @function\n"
	"entry_again:\n"
	"	movq %rdi, %r11\n" LOAD_ENTRY "	movl $6, %r10d\n"
	"	jmp hook_enter\n"
	".size entry_again, .-entry_again\n"

	/* rdi: from; rsi: the entry. The frame of *from is that of switch_context(). */
	".p2align 4\n"
	".globl entry_repeat\n"
	".hidden entry_repeat\n"
	".type entry_repeat, @function\n"
	"entry_repeat:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	subq $8, %rsp\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %r11\n" LOAD_ENTRY "	movq current(%rip), %r11\n"
	"	jmp hook_enter_now\n"
	".size entry_repeat, .-entry_repeat\n");
