/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entry.h - hooks that run on a stack of their own
 *
 * A hook that is entered by HOOK_ENTRY() finds the program's stack as the program left it,
 * and leaves it so: its own frames, and those of all that it calls, lie on the fiber's hook
 * stack. What the program's callee-saved registers and the arguments of the hook were is in
 * current->entry, so the state of the program at the call is known without unwinding, and
 * the call can be made again (probe.c).
 *
 *	static int impl_sem_post(sem_t *sem)
 *	{
 *		...
 *	}
 *	HOOK_ENTRY(sem_post, impl_sem_post, 1);
 *
 * Such a hook never calls code of the program (but handlers run before it, see interrupt.h), and has at most six arguments, none of them on
 * the stack. ENTRY_CALLER() is where the program called it. Without the engine (before the
 * first thread, and in programs that run alone) the hook runs where it is called, as any
 * function does.
 *
 * Cost: some 4 ns.
 */
#ifndef HEDDLE_PRELOAD_ENTRY_H
#define HEDDLE_PRELOAD_ENTRY_H

#include <stdint.h>

#include "preload/core/context.h"

enum {
	HOOK_STACK = 1 << 18
};

/* entry.c is told how many registers hold arguments: in the others is what some call has left there. */
#define ENTRY(name, binding, impl, enter, registers)       \
	__asm__(".text\n"                                  \
		".p2align 4\n" binding " " #name "\n"      \
		".type " #name ", @function\n" #name ":\n" \
		".cfi_startproc\n"                         \
		"	leaq " #impl "(%rip), %rax\n"      \
		"	movl $" #registers ", %r10d\n"     \
		"	jmp " #enter "\n"                  \
		".cfi_endproc\n"                           \
		".size " #name ", .-" #name "\n")

#define ENTRY_CALL_0 ()
#define ENTRY_CALL_1 (0)
#define ENTRY_CALL_2 (0, 0)
#define ENTRY_CALL_3 (0, 0, 0)
#define ENTRY_CALL_4 (0, 0, 0, 0)
#define ENTRY_CALL_5 (0, 0, 0, 0, 0)
#define ENTRY_CALL_6 (0, 0, 0, 0, 0, 0)
/* Does not compile if the function has another number of arguments. */
#define ENTRY_CHECK(impl, args) \
	_Static_assert(sizeof(__typeof__(impl ENTRY_CALL_##args) *), "never evaluated")

/* Defines the exported function `name`, which runs `impl`, of so many arguments, on the hook stack. */
#define HOOK_ENTRY(name, impl, args) HOOK_ENTRY_WIDE(name, impl, args, 0)
/* The same where some argument takes one more register. */
#define HOOK_ENTRY_WIDE(name, impl, args, more)               \
	ENTRY(name, ".globl", impl, hook_enter, args + more); \
	ENTRY_CHECK(impl, args)
/* The same for a function of the file, declared there without `static`. */
#define LOCAL_ENTRY(name, impl, args)                  \
	ENTRY(name, ".local", impl, hook_enter, args); \
	ENTRY_CHECK(impl, args)
/* The same where no handler begins (interrupt.c): how often it is called does not depend on the thread alone. */
#define QUIET_ENTRY(name, impl, args)                        \
	ENTRY(name, ".local", impl, hook_enter_quiet, args); \
	ENTRY_CHECK(impl, args)

/* A static function that only assembly names. */
#define ENTERED __attribute__((used, noinline))

#pragma GCC visibility push(hidden)

/*
 * Where a look for handlers returns to. What stands there on the program's stack is no frame: the registers of the
 * call that is still to be made, ENTRY_KEPT bytes with its return address at the end.
 */
enum {
	ENTRY_KEPT = 64
};
extern const char entry_looked[];

/*
 * Whoever sets self.interrupted says at the root point what hook_enter calls then, before the hook:
 * look(), as a hook on the stack of hooks, and where that is not 0, run() on the program's stack, with
 * the address that the hook returns to.
 */
struct entry_handlers {
	int (*look)(void);
	void (*run)(uint64_t pc);
};
extern struct entry_handlers entry_handlers;

/* The return address of a hook that was entered; of a function called plainly otherwise. */
#define ENTRY_CALLER() \
	(current && current->entry.sp ? *(const uint64_t *)current->entry.sp : CALLER())

/*
 * Gives up the hook that the caller runs in: goes to fn on the program's stack, with the program's
 * registers, arguments among them, as if the program had called that instead. Only while entry.sp is not 0.
 */
heddle_noreturn void entry_leave(void (*fn)(void));

/* Makes the call described by *e again, as the program made it, in place of the caller. */
heddle_noreturn void entry_again(const struct entry *e);

/*
 * The same to try it out: the caller's context goes to *from; whoever wants to go on there does. Handlers
 * (interrupt.h) come before it in neither.
 */
struct context;
void entry_repeat(struct context *from, const struct entry *e);

#pragma GCC visibility pop

#endif
