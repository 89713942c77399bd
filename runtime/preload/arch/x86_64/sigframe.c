/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sigframe.c - see sigframe.h
 *
 * A frame, from the stack pointer up: the return address (sigframe_return), the context and the siginfo
 * as the kernel has them, and the registers of the FPU at a multiple of 64. sigframe_return is that of
 * libc byte by byte, by which unwinders know it. The context that the kernel restores there names the
 * runtime's stack as the one for signals, so it stays that.
 */
#define _GNU_SOURCE 1
#include "preload/arch/x86_64/sigframe.h"

#include <stddef.h>
#include <string.h>

#include "preload/core/context.h"
#include "preload/core/touch.h"

enum {
	RED_ZONE = 128,
	ROOM = 4096, /* for what begins a handler */
	PAGE = 4096,
	KERNEL_CONTEXT = 304, /* uc_sigmask is one word, and the last member */
	KERNEL_INFO = 128,
	FPU_LEGACY = 512, /* fxsave */
	FPU_SOFTWARE = 464,
	FPU_FEATURES = FPU_SOFTWARE + 8,
	FPU_MAGIC = 0x46505853,
	DIRECTION_FLAG = 0x400,
	TRAP_FLAG = 0x100,
	RESUME_FLAG = 0x10000,
};

_Static_assert(offsetof(ucontext_t, uc_sigmask) + 8 == KERNEL_CONTEXT, "as the kernel has it");

struct frame {
	uint64_t back;
	char context[KERNEL_CONTEXT];
	char info[KERNEL_INFO];
};

__asm__(".text\n"
	".p2align 4\n"
	"	nop\n" /* unwinders look at the byte before a return address */
	".globl sigframe_return\n"
	".hidden sigframe_return\n"
	".type sigframe_return, @function\n"
	"sigframe_return:\n"
	"	movq $15, %rax\n" /* rt_sigreturn */
	"	syscall\n"
	".size sigframe_return, .-sigframe_return\n"

	"	nop\n"
	".globl sigframe_behind\n"
	".hidden sigframe_behind\n"
	".type sigframe_behind, @function\n"
	"sigframe_behind:\n"
	"	movq $15, %rax\n"
	"	syscall\n"
	".size sigframe_behind, .-sigframe_behind\n"

	/* rdi: registers, by their names in ucontext.h; all but the flags */
	".p2align 4\n"
	".type sigframe_jump, @function\n"
	"sigframe_jump:\n"
	"	movq 0(%rdi), %r8\n"
	"	movq 8(%rdi), %r9\n"
	"	movq 16(%rdi), %r10\n"
	"	movq 24(%rdi), %r11\n"
	"	movq 32(%rdi), %r12\n"
	"	movq 40(%rdi), %r13\n"
	"	movq 48(%rdi), %r14\n"
	"	movq 56(%rdi), %r15\n"
	"	movq 72(%rdi), %rsi\n"
	"	movq 80(%rdi), %rbp\n"
	"	movq 88(%rdi), %rbx\n"
	"	movq 96(%rdi), %rdx\n"
	"	movq 104(%rdi), %rax\n"
	"	movq 112(%rdi), %rcx\n"
	"	movq 120(%rdi), %rsp\n"
	"	movq 64(%rdi), %rdi\n"
	"	jmp *-136(%rsp)\n" /* below the red zone */
	".size sigframe_jump, .-sigframe_jump\n"

	/* likewise; rsi: of the FPU, and rdx, which */
	".p2align 4\n"
	".type sigframe_restore, @function\n"
	"sigframe_restore:\n"
	"	movq %rdx, %rax\n"
	"	shrq $32, %rdx\n"
	"	xrstor64 (%rsi)\n"
	"	pushq 136(%rdi)\n"
	"	popfq\n"
	"	jmp sigframe_jump\n"
	".size sigframe_restore, .-sigframe_restore\n"

	/* rdi: fn; rsi, rdx, rcx: its arguments; r8: top */
	".p2align 4\n"
	".globl sigframe_call\n"
	".hidden sigframe_call\n"
	".type sigframe_call, @function\n"
	"sigframe_call:\n"
	".cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbp, 0\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	movq %r8, %rsp\n"
	"	andq $-16, %rsp\n"
	"	movq %rdi, %rax\n"
	"	movl %esi, %edi\n"
	"	movq %rdx, %rsi\n"
	"	movq %rcx, %rdx\n"
	"	call *%rax\n"
	"	movq %rbp, %rsp\n"
	"	popq %rbp\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size sigframe_call, .-sigframe_call\n");

__attribute__((visibility("hidden"))) void sigframe_return(void);
heddle_noreturn void sigframe_jump(const greg_t *regs);
heddle_noreturn void sigframe_restore(const greg_t *regs, const char *fpu, uint64_t features);

/* Of the registers of the FPU, which lie beside the kernel's frame. */
static uint64_t fpu_size(const char *fpu)
{
	uint32_t software[2]; /* a magic number, and the size */

	if (!fpu)
		return 0;
	memcpy(software, fpu + FPU_SOFTWARE, sizeof(software));
	return software[0] == FPU_MAGIC ? software[1] : FPU_LEGACY;
}

/* Each page of it: a guard is one page, and behind it lies another stack. */
static bool has_room(uint64_t from, uint64_t to)
{
	while (to - from > PAGE && memory_writable((void *)from, PAGE))
		from += PAGE;
	return to - from <= PAGE && memory_writable((void *)from, to - from);
}

bool sigframe_begin(ucontext_t *uc, const siginfo_t *info, uint64_t top, sigframe_fn *fn)
{
	greg_t *regs = uc->uc_mcontext.gregs;
	const char *fpu = (const char *)uc->uc_mcontext.fpregs;
	uint64_t size = fpu_size(fpu);
	uint64_t fpu_at = (top - RED_ZONE - size) & ~63ul;
	/* As behind a call: 8 bytes off a multiple of 16. */
	struct frame *f = (struct frame *)(((fpu_at - sizeof(struct frame)) & ~15ul) - 8);
	ucontext_t *copy = (ucontext_t *)f->context;

	if (!has_room((uint64_t)(uintptr_t)f - ROOM, top - RED_ZONE))
		return false;
	f->back = (uint64_t)(uintptr_t)sigframe_return;
	memcpy(f->context, uc, KERNEL_CONTEXT);
	memcpy(f->info, info, KERNEL_INFO);
	if (fpu) {
		memcpy((void *)fpu_at, fpu, size);
		memcpy(&copy->uc_mcontext.fpregs, &fpu_at, sizeof(fpu_at));
	}
	uc->uc_mcontext.fpregs = NULL; /* fn begins with these registers as a program does */
	regs[REG_RDI] = info->si_signo;
	regs[REG_RSI] = (greg_t)(uintptr_t)f->info;
	regs[REG_RDX] = (greg_t)(uintptr_t)f->context;
	regs[REG_RAX] = 0;
	regs[REG_RSP] = (greg_t)(uintptr_t)f;
	regs[REG_RIP] = (greg_t)(uintptr_t)fn;
	regs[REG_EFL] &= ~(greg_t)(DIRECTION_FLAG | TRAP_FLAG | RESUME_FLAG);
	return true;
}

/* ---- Inline assembly ------------------------------------------------------------------------------- */

/* Where sigframe_jump() finds it. Of the frame there is nothing that anybody looks at then but what it is given. */
static void will_go_to(const greg_t *regs)
{
	memcpy((char *)(uintptr_t)regs[REG_RSP] - RED_ZONE - sizeof(*regs), &regs[REG_RIP],
	       sizeof(*regs));
}

/*
 * No signal is blocked in a handler of the runtime, so it need not return to where it goes on, nor does the hook need the kernel to put
 * back what the program has: of the time that all takes these were the half.
 *
 * The kernel's words about the last fault say what it is about, and where the context was made, so that a copy of it can be read: it gives
 * them to handlers and takes none back.
 */
bool sigframe_enter(ucontext_t *uc, uint64_t about, void (*hook)(void))
{
	const siginfo_t info = { .si_signo = SIGSEGV };
	greg_t *regs = uc->uc_mcontext.gregs;
	const uint64_t top = (uint64_t)regs[REG_RSP];
	ucontext_t *copy;

	if (!sigframe_begin(uc, &info, top, (sigframe_fn *)(void (*)(void))hook))
		return false;
	*(uint64_t *)regs[REG_RSP] = (uint64_t)(uintptr_t)sigframe_behind;
	copy = (ucontext_t *)regs[REG_RDX];
	copy->uc_mcontext.gregs[REG_TRAPNO] = 0;
	copy->uc_mcontext.gregs[REG_CR2] = (greg_t)about;
	copy->uc_mcontext.gregs[REG_ERR] = regs[REG_RDX];
	regs[REG_RDI] = regs[REG_RDX];
	will_go_to(regs);
	sigframe_jump(regs);
}

/* The kernel does it otherwise: for one step of a debugger, or a processor that has no xsave. */
void sigframe_leave(const ucontext_t *uc)
{
	const greg_t *regs = uc->uc_mcontext.gregs;
	const char *fpu = (const char *)uc->uc_mcontext.fpregs;
	uint64_t features;

	if ((regs[REG_EFL] & TRAP_FLAG) || fpu_size(fpu) <= FPU_LEGACY)
		return;
	memcpy(&features, fpu + FPU_FEATURES, sizeof(features));
	if (current && current->entry.sp == (uint64_t)(uintptr_t)uc - sizeof(uint64_t))
		current->entry.sp = 0;
	will_go_to(regs);
	sigframe_restore(regs, fpu, features);
}

uint64_t sigframe_about(const ucontext_t *uc)
{
	return (uint64_t)uc->uc_mcontext.gregs[REG_CR2];
}

void sigframe_look(char *front, struct sigframe_front *f)
{
	ucontext_t *uc = (ucontext_t *)front;
	greg_t *regs = uc->uc_mcontext.gregs;
	const uint64_t at = (uint64_t)regs[REG_ERR];

	f->gregs = regs;
	f->pc = (uint64_t)regs[REG_RIP];
	f->size = (uint64_t)regs[REG_RSP] - at;
	f->red_zone = f->size - RED_ZONE;
	f->fpu = f->red_zone;
	f->fpu_size = 0;
	if (uc->uc_mcontext.fpregs) {
		f->fpu = (uint64_t)(uintptr_t)uc->uc_mcontext.fpregs - at;
		f->fpu_size = fpu_size(front + f->fpu);
	}
}

void sigframe_wipe(char *front, const struct sigframe_front *f)
{
	const uint64_t begin = KERNEL_CONTEXT + KERNEL_INFO, end = f->fpu + f->fpu_size;

	memset(front + begin, 0, f->fpu - begin);
	memset(front + end, 0, f->red_zone - end);
}
