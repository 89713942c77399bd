/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * context.h - who runs, under which controller, and since when: what all of the runtime asks
 *
 * One kernel thread runs everything here, so nothing locks.
 */
#ifndef HEDDLE_PRELOAD_CONTEXT_H
#define HEDDLE_PRELOAD_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/shared.h"

/*
 * HEDDLE_IMAGE: a variable of the runtime that is put back with the program's memory. Such
 * variables are compared before every execution, so large tables that few programs use are
 * HEDDLE_IMAGE_SELDOM: their pages are tracked (snapshot.c), and begin as zero.
 */
#define HEDDLE_HOOK __attribute__((visibility("default"), used))
/* libc has the function of that hook, of the same file, by another name as well: one that headers or old code call. */
#define ALSO_CALLED(name, hook) __asm__(".globl " #name "\n.set " #name ", " #hook)
#define HEDDLE_IMAGE            __attribute__((section("heddle_image")))
#define HEDDLE_IMAGE_SELDOM     __attribute__((section("heddle_seldom")))
#define CALLER()                ((uint64_t)(uintptr_t)__builtin_return_address(0))
#define heddle_noreturn         __attribute__((noreturn))
#define unlikely(x)             __builtin_expect(!!(x), 0)

#pragma GCC visibility push(hidden)

struct engine;
struct touch;

/* The call of a hook that runs on a stack of its own (entry.h); known to the assembly there. */
struct entry {
	uint64_t sp;     /* the program's at the hook's first instruction; 0: not in such a hook */
	uint64_t stack;  /* where the stack of hooks begins */
	uint64_t fn;     /* the hook */
	uint64_t reg[6]; /* rbx rbp r12 r13 r14 r15 */
	uint64_t arg[6]; /* rdi rsi rdx rcx r8 r9 */
};

enum wrote {
	WROTE_STACK = 1,     /* none but to the own stack (timeout.c) */
	WROTE_NOTHING = 2,   /* none (polls.c) */
	CHANGED_NOTHING = 4, /* none (cancels.c) */
	TOUCHED_NOTHING = 8  /* nor any read (cancels.c) */
};

/* Why a thread looks before its hooks whether something is to begin there (interrupt.c). */
enum interrupted {
	INTERRUPTED_BY_OTHERS = 1 << 0,  /* signals, fences */
	INTERRUPTED_BY_REQUESTS = 1 << 1 /* hook_cancel.c: to end at once */
};

/* The part of a fiber that hooks see. */
struct self {
	uint32_t tid;
	uint32_t window;       /* await.c: operations since the last one that was not silent */
	uint32_t settled;      /* engine_settled() of the thread in this execution */
	bool probing;          /* await.c: this is only tried, and undone afterwards */
	uint8_t only_locks;    /* enum wrote; of the plain writes since each bit was set */
	uint8_t interrupted;   /* enum interrupted; else 0: nothing begins before its hooks */
	bool polls;            /* polls.c: operations are in its round so far */
	const uint32_t *clock; /* engine_clock() after the last operation; see engine.h */
	struct entry entry;
	/* rounds.h: what it touched since then; one more stands in front of these */
	struct touch *touch;
	uint32_t ntouch;
	uint64_t
		visited; /* foreign.h: the lowest address of its stack that others touched; or UINT64_MAX */
	bool fences;  /* fence.c: others may ask it for a fence before its operations */
	bool asked;   /* likewise, random testing: one did while it waits in an operation */
	bool waits;   /* interrupt.c, random testing: it waits in an operation, and may come out */
	bool cancels; /* cancels.c: its last operation was a read-modify-write, maybe of a round */
	bool logs;    /* polls.c: its plain writes are logged */
	uint8_t fences_beside; /* of the operation that it is at: perform_beside() */
	struct {
		uint64_t pc, sp;
	} plain; /* where the program has called a hook that is not entered, and its stack pointer behind that call; pc 0: not noted */
};

/* The running fiber; NULL before the root point and while the runtime itself runs. */
extern struct self *current;

/* The mapping shared with the controller; NULL when the program runs without heddle. */
extern struct shared *shared;

/* True from the root point on. */
extern bool rooted;

/* The engine; NULL before the root point. */
extern struct engine *engine;

/* True when the caller is a thread whose operations the engine decides. When false, the
 * hook does what the plain operation (or the real function) does. */
static inline bool under_engine(void)
{
	return current != NULL;
}

/* True when the caller is the program's: a thread, or main before the root point. */
static inline bool program_runs(void)
{
	return current != NULL || !rooted;
}

static inline struct self *self(void)
{
	return current;
}

/* The calling thread's id; before the root point there is but the main thread. */
static inline uint32_t self_id(void)
{
	return current ? current->tid : 0;
}

/* Library calls with hidden state so far (note_hidden_state()). */
extern uint64_t hidden_calls;

#define OWN_STACKS 0x120000000000ul /* of all threads but main (fiber.h) */

/* Main's stack; nothing but that lies beyond its low end, which is 0 once a thread has a stack that the program gave it. */
extern uint64_t main_stack_low, main_stack_top;

/* May the address be on the stack of a thread? Cheap, for what is asked often. */
static inline bool may_be_on_stack(uint64_t addr)
{
	return addr >> 40 == OWN_STACKS >> 40 || addr >= main_stack_low;
}

#pragma GCC visibility pop

#endif
