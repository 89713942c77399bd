/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switch.c - from one stack to another
 *
 * A context is a stack pointer below which everything the C ABI wants kept was pushed
 * (callee-saved registers, mxcsr, the x87 control word, the return address), and an FS base:
 * the thread-local storage of the fiber. Signal masks are not per fiber: the program's
 * threads share one.
 *
 * FS is set by wrfsbase where the kernel allows it (AT_HWCAP2), by arch_prctl otherwise, and
 * not at all between contexts of the same thread.
 *
 * Cost: about 5 ns with wrfsbase.
 */
#include "preload/arch/x86_64/switch.h"
#include "preload/core/own.h"

#include <asm/prctl.h>
#include <sys/auxv.h>

enum {
	HWCAP2_FSGSBASE_BIT = 1 << 1,
	ENGINE_STACK = 4 << 20
};

/* Read by the assembly: 1 when wrfsbase may be used. */
__attribute__((used)) uint8_t switch_wrfsbase;

/*
 * Frame, from the stack pointer up: mxcsr (4), control word (2) and 2 unused, r15, r14, r13,
 * r12, rbx, rbp, return address.
 */
__asm__(".text\n"
	".p2align 4\n"
	".globl switch_context\n"
	".hidden switch_context\n"
	".type switch_context, @function\n"
	"switch_context:\n"
	".cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbp, 0\n"
	"	pushq %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbx, 0\n"
	"	pushq %r12\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %r12, 0\n"
	"	pushq %r13\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %r13, 0\n"
	"	pushq %r14\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %r14, 0\n"
	"	pushq %r15\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %r15, 0\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	movl (%rsp), %ecx\n"
	"	movzwl 4(%rsp), %edx\n"
	"	movq %rsp, (%rdi)\n"
	"	movq 8(%rdi), %r8\n"
	"	jmp .Lswitch_to\n"
	"	.cfi_endproc\n"
	".size switch_context, .-switch_context\n"

	".p2align 4\n"
	".globl jump_context\n"
	".hidden jump_context\n"
	".type jump_context, @function\n"
	"jump_context:\n"
	"	movq %rdi, %rsi\n"
	"	xorl %r8d, %r8d\n" /* no FS base equals this one */
	"	subq $8, %rsp\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	movl (%rsp), %ecx\n"
	"	movzwl 4(%rsp), %edx\n"
	".Lswitch_to:\n" /* rsi: to; r8: FS base now; ecx, edx: mxcsr and control word now */
	"	movq 8(%rsi), %rdi\n"
	"	movq (%rsi), %rsp\n"
	"	cmpq %rdi, %r8\n"
	"	je 2f\n"
	"	cmpb $0, switch_wrfsbase(%rip)\n"
	"	je 1f\n"
	"	wrfsbase %rdi\n"
	"	jmp 2f\n"
	"1:	movl %ecx, %r8d\n" /* the system call overwrites rcx and r11 */
	"	movl %edx, %r9d\n"
	"	movq %rdi, %rsi\n"
	"	movl $0x1002, %edi\n" /* ARCH_SET_FS */
	"	movl $158, %eax\n"    /* arch_prctl */
	"	syscall\n"
	"	movl %r8d, %ecx\n"
	"	movl %r9d, %edx\n"
	"2:	cmpl %ecx, (%rsp)\n"
	"	je 3f\n"
	"	ldmxcsr (%rsp)\n"
	"3:	cmpw %dx, 4(%rsp)\n"
	"	je 4f\n"
	"	fldcw 4(%rsp)\n"
	"4:	addq $8, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size jump_context, .-jump_context\n"

	/* The outermost frame of a fiber: unwinders stop here. */
	".p2align 4\n"
	".globl fiber_bottom\n"
	".hidden fiber_bottom\n"
	".type fiber_bottom, @function\n"
	"fiber_bottom:\n"
	".cfi_startproc\n"
	".cfi_undefined %rip\n"
	"	call *%rbx\n"
	"	ud2\n"
	".cfi_endproc\n"
	".size fiber_bottom, .-fiber_bottom\n");

__attribute__((visibility("hidden"))) void fiber_bottom(void);

/* Read by the assembly: where the engine's stack begins. */
__attribute__((used)) uint64_t engine_stack_top;

__asm__(".text\n"
	".p2align 4\n"
	".globl call_engine\n"
	".hidden call_engine\n"
	".type call_engine, @function\n"
	"call_engine:\n"
	".cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbp, 0\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	movq engine_stack_top(%rip), %rsp\n"
	"	movq %rdi, %rax\n"
	"	movq %rsi, %rdi\n"
	"	movq %rdx, %rsi\n"
	"	movq %rcx, %rdx\n"
	"	movq %r8, %rcx\n"
	"	call *%rax\n"
	"	movq %rbp, %rsp\n"
	"	popq %rbp\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size call_engine, .-call_engine\n");

_Static_assert(offsetof(struct context, sp) == 0 && offsetof(struct context, fs) == 8,
	       "known to the assembly");

void context_make(struct context *c, uint64_t top, uint64_t fs, void (*entry)(void))
{
	uint64_t *frame = (uint64_t *)(top & ~15ul) - 8;

	/* After the return to fiber_bottom SP is 16-aligned, as before any call. */
	for (int i = 0; i < 8; i++)
		frame[i] = 0;
	frame[0] = 0x1f80 | 0x037full << 32;   /* mxcsr and control word of a new thread */
	frame[5] = (uint64_t)(uintptr_t)entry; /* rbx */
	frame[7] = (uint64_t)(uintptr_t)fiber_bottom;
	c->sp = (uint64_t)(uintptr_t)frame;
	c->fs = fs;
}

bool on_engine_stack(uint64_t sp)
{
	return engine_stack_top - sp < ENGINE_STACK;
}

void switch_init(void)
{
	engine_stack_top = (uint64_t)(uintptr_t)map_own(ENGINE_STACK) + ENGINE_STACK;
	switch_wrfsbase = (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT) != 0;
}
