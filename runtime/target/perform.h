/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perform.h - what a hook may ask of the core of the runtime
 *
 * A hook of a program thread looks like this:
 *
 *	HEDDLE_HOOK int sem_post(sem_t *sem)
 *	{
 *		struct op op = { .kind = OP_SEM_POST, .addr = (uintptr_t)sem, .pc = CALLER() };
 *		struct op_result res;
 *
 *		if (!under_engine())
 *			return REAL(sem_post)(sem);
 *		perform(&op, &res);
 *		return 0;
 *	}
 *
 * perform() may run other threads before it returns, so nothing that is not on the stack
 * of the calling fiber, or in the image, may be half changed across it. It may also never
 * return: the execution can end while the thread waits, and then its stack is abandoned.
 *
 * State of hooks. The runtime's own .data and .bss survive from execution to execution and
 * are not rolled back. State that belongs to one execution is either
 *	- reset in hooks_begin_execution(), or
 *	- declared with HEDDLE_IMAGE, and then restored to what it was at the root point: compared
 *	  before each execution, so it is to be small;
 *	- or with HEDDLE_IMAGE_SELDOM, for tables that most programs never write to: a program that
 *	  does not pays nothing for them. Never passed to the kernel, which would not wait for the fault.
 *
 * One kernel thread runs everything here, so nothing locks. No __thread variables, no
 * stdio, no malloc. errno of the program is kept by the hooks.
 */
#ifndef HEDDLE_TARGET_PERFORM_H
#define HEDDLE_TARGET_PERFORM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "wire/op.h"
#include "wire/shared.h"

#define HEDDLE_HOOK         __attribute__((visibility("default"), used))
#define HEDDLE_IMAGE        __attribute__((section("heddle_image")))
#define HEDDLE_IMAGE_SELDOM __attribute__((section("heddle_seldom")))
#define CALLER()            ((uint64_t)(uintptr_t)__builtin_return_address(0))
#define heddle_noreturn     __attribute__((noreturn))
#define unlikely(x)         __builtin_expect(!!(x), 0)

#pragma GCC visibility push(hidden)

/* ---- The calling thread --------------------------------------------------------------- */

/* The call of a hook that runs on a stack of its own (entry.h); known to the assembly there. */
struct entry {
	uint64_t sp;     /* the program's at the hook's first instruction; 0: not in such a hook */
	uint64_t stack;  /* where the stack of hooks begins */
	uint64_t fn;     /* the hook */
	uint64_t reg[6]; /* rbx rbp r12 r13 r14 r15 */
	uint64_t arg[6]; /* rdi rsi rdx rcx r8 r9 */
};

/* The part of a fiber that hooks see. */
struct self {
	uint32_t tid;
	uint32_t window;  /* await.c: operations since the last one that was not silent */
	uint32_t settled; /* engine_settled() of the thread in this execution */
	bool probing;     /* await.c: this is only tried, and undone afterwards */
	bool only_locks;  /* timeout.c: no plain write, since it was set, but to the own stack */
	bool interrupted; /* interrupt.c: handlers may begin before its hooks */
	const uint32_t *clock; /* engine_clock() after the last operation; see engine.h */
	struct entry entry;
	/* rounds.h: what it touched since then; one more stands in front of these */
	struct touch *touch;
	uint32_t ntouch;
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

static inline struct self *self(void)
{
	return current;
}

/* The calling thread's id; before the root point there is but the main thread. */
static inline uint32_t self_id(void)
{
	return current ? current->tid : 0;
}

/* ---- Operations ----------------------------------------------------------------------- */

/*
 * Runs one operation of the calling fiber to its end, other threads first where the engine
 * wants them. On return *res is the engine's answer and current->clock is fresh. When
 * res->wrote and op->size > 0 the hook stores the value: perform_store(). Does not return
 * when the thread never goes on.
 */
void perform(const struct op *op, struct op_result *res);
/* The same in a hook that was entered, on its stack of hooks (entry.h). */
void perform_entered(const struct op *op, struct op_result *res);

/*
 * For the end of a hook: returns result. In a program that is not instrumented, random testing draws
 * when the thread goes on from there; else what it does between operations would always follow at
 * once, before anybody else did anything.
 */
int then_pause(int result, uint64_t pc);

/* Did the compare-and-swap succeed? Not res->wrote: a thread that is only tried out stores nothing. */
static inline bool cas_succeeded(const struct op *op, const struct op_result *res)
{
	return value_eq(res->value, op->expected);
}

/* Stores a value of 1, 2, 4, 8 or 16 bytes into the program's memory, or loads one. */
void perform_store(uint64_t addr, unsigned size, struct value v);
struct value perform_load(uint64_t addr, unsigned size);

/*
 * A plain write by the program is about to happen (any size): the redundant-round rule
 * (await.c) wants to know. To be called in every hook of a plain write, before the write;
 * also where a hook itself writes through a pointer of the program's.
 */
void await_plain_write(uint64_t addr, uint64_t size);
static inline void note_plain_write(uint64_t addr, uint64_t size)
{
	if (unlikely(current && current->window))
		await_plain_write(addr, size);
}

/*
 * Before the memory of an atomic location is made to show what the next instruction is to read
 * there. To be undone behind a probe, and no change that nobody announced (unseen.h).
 */
void await_shows(uint64_t addr, uint64_t size);
static inline void note_shown(uint64_t addr, uint64_t size)
{
	if (unlikely(current->window))
		await_shows(addr, size);
}

/* A library call with hidden state (time, random numbers, input): to be called in its hook,
 * before anything else, unless the hook calls perform() anyway. */
void await_hidden_state(void);
extern uint64_t hidden_calls; /* how many there were */
static inline void note_hidden_state(void)
{
	hidden_calls++;
	if (unlikely(current && current->window))
		await_hidden_state();
}

/* The calling thread is about to end (OP_END, value) or to end the process (OP_EXIT): to be
 * called before any destructor runs. May not return. */
void await_end(enum op_kind kind, void *value);

/* ---- Threads -------------------------------------------------------------------------- */

/*
 * Creates a thread that runs fn(arg) (OP_CREATE, by the caller whose return address is pc).
 * The first call ever is the root point. *out is stored before the new thread can run.
 * Returns the new thread's id, or -errno.
 */
int spawn(void *(*fn)(void *), void *arg, const pthread_attr_t *attr, pthread_t *out, uint64_t pc);

/* The root point, if it was not reached before (e.g. heddle_choose() before any thread). */
void root_point(void);

/* The id of the thread that a pthread_t names, alive or ended; -1 if there is none. */
int tid_of(pthread_t thread);
/* The pthread_t of a thread id that was created (0: main). */
pthread_t thread_of(uint32_t tid);

/* Leaves a thread whose OP_END was performed. */
heddle_noreturn void end_thread(void);

/* Runs the destructors of the calling thread's C++ thread_local objects, newest first. To be
 * called at the end of a thread, before the key destructors. */
void run_thread_local_dtors(void);

/*
 * Leaves the current execution, which is none: it is run once more, or the search starts again, if something
 * was learned that needs it (facts.h). Not in ENGINE_REPLAY.
 */
heddle_noreturn void repeat_execution(void);

/* Ends the exploration here and now, since the controller wants it. */
heddle_noreturn void stop_exploration(void);

/* The engine says that the program did something else than before: the end, with its reason. */
heddle_noreturn void engine_disagrees(void);

/*
 * Clears what the runtime's calls left below the stack pointer. The program's next frames lie
 * there, and what their unset variables hold must be the same in every execution. Done by
 * perform(); to be called at the end of other hooks that do much, in a function that calls
 * others (so that it has no red zone).
 */
static inline __attribute__((always_inline)) void wipe_below(void)
{
	uint64_t at, n = 768 / 8;

	__asm__ volatile("leaq -768(%%rsp), %0\n\trep stosq"
			 : "=&D"(at), "+c"(n)
			 : "a"(0)
			 : "memory");
}

/* ---- Called by the core, implemented by the hooks -------------------------------------- */

/* Once, at the root point, before the image is captured. */
void hooks_root(void);
/* Before each execution, after the image was restored: reset shadow memory, time, ... */
void hooks_begin_execution(void);
/* Thread tid is about to run fn for the first time in this execution (after OP_START). */
void hooks_thread_started(uint32_t tid);
/* The calling thread has created thread tid. */
void hooks_thread_created(uint32_t tid);
/* Thread tid is about to be created, and there was another of that id in this execution, which may have
 * left something behind. */
void hooks_id_again(uint32_t tid);
/* fn of the calling thread returned value (as pthread_exit(value)): destructors, OP_END,
 * end_thread(). */
heddle_noreturn void hooks_thread_returned(void *value);
/* Value of a library object (mutex, cond, once, sem) at its first operation in an execution:
 * 0, or the native state it was left in before the root point. */
struct value hooks_object_initial(uint64_t addr, enum op_kind kind);

/* ---- Bugs and refusals ------------------------------------------------------------------ */

/*
 * Records a bug of the current execution and ends the execution there. sides[0] should be
 * the calling thread's (its call stack is taken here in replay when frames is 0). message
 * is one line without the place, which the controller adds.
 */
heddle_noreturn void report_bug(enum bug_kind kind, uint64_t addr, const char *message,
				const struct bug_side *sides, uint32_t nsides);

/* The same with one side: the calling thread at pc. */
heddle_noreturn void report_bug_here(enum bug_kind kind, uint64_t addr, uint64_t pc,
				     const char *message);

/*
 * The program did what heddle cannot run: PHASE_REFUSED with one line that names what and
 * the cure, and the process ends. The pieces are strings, ended by NULL.
 */
heddle_noreturn void refuse(const char *piece, ...) __attribute__((sentinel));
/* PHASE_NONDET and PHASE_INTERNAL likewise. */
heddle_noreturn void nondeterminism(const char *piece, ...) __attribute__((sentinel));
heddle_noreturn void internal_error(const char *piece, ...) __attribute__((sentinel));

/* The program does what rollback cannot undo: the next executions use the fork back end, and
 * `what` (e.g. "opens a file") is noted. Nothing happens before the root point. */
void needs_fork(const char *what);
/* The same of what is undone only where the child has memory of its own. */
void needs_fork_of_memory(const char *what);
/* As needs_fork(), and which file (or NULL). */
void needs_fork_for(const char *what, const char *path);

/* ---- Places, blocks, stacks -------------------------------------------------------------- */

/* Names an address in terms that do not change from run to run. */
struct place place_of(uint64_t addr);
/* The address of a place in this run; addr, from some run, where the place does not tell. */
uint64_t address_of_place(const struct place *p, uint64_t addr);
/* Is it on the stack of a thread? Then that goes into *p. */
bool place_on_stack(uint64_t addr, struct place *p);

#define OWN_STACKS 0x120000000000ul /* of all threads but main (fiber.h) */
extern uint64_t main_stack_low;     /* and nothing but that stack lies beyond */

/* May it be? Cheap, for what is asked often. */
static inline bool may_be_on_stack(uint64_t addr)
{
	return addr >> 40 == OWN_STACKS >> 40 || addr >= main_stack_low;
}

struct heap_block {
	uint64_t addr, size;
	uint32_t thread, rank; /* "block #rank of thread" */
	uint8_t family;        /* enum heap_family (heap.h) */
	uint64_t alloc_pc;     /* caller of malloc */
	bool freed;
	uint64_t free_pc; /* caller of free, when freed */
	uint32_t free_thread;
};
/* The block of the heap that addr lies in (or right behind); false if there is none. */
bool heap_block_of(uint64_t addr, struct heap_block *out);
/* Quick test: can addr be in the heap at all? */
static inline bool heap_covers(uint64_t addr)
{
	return addr - 0x100000000000ul < 0x10000000000ul;
}

/* Call stack of the calling fiber from the program's innermost frame (return addresses);
 * 0 frames when there is no libunwind or this is not a replay. */
uint32_t stack_take(uint64_t *frame, uint32_t max);

/* ---- The real functions ------------------------------------------------------------------ */

/* The next definition of a symbol after ours; version may be NULL. Refuses when missing. */
void *real_lookup(const char *name, const char *version);
/* The same; NULL when missing. */
void *real_find(const char *name);

/* Where the function is called otherwise in C. */
#define REAL_BY_NAME(function, name)                                            \
	({                                                                      \
		static __typeof__(&function) real_;                             \
		if (unlikely(!real_))                                           \
			real_ = (__typeof__(&function))real_lookup(name, NULL); \
		real_;                                                          \
	})
#define REAL(name) REAL_VERSION(name, NULL)
#define REAL_VERSION(name, version)                                             \
	({                                                                      \
		static __typeof__(&name) real_;                                 \
		if (unlikely(!real_))                                           \
			real_ = (__typeof__(&name))real_lookup(#name, version); \
		real_;                                                          \
	})

/* ---- Text without stdio ------------------------------------------------------------------- */

struct text {
	char *at, *end; /* end: the last byte, always kept for the final 0 */
};
struct text text_in(char *buf, size_t size);
void text_str(struct text *t, const char *s);
void text_int(struct text *t, int64_t n);
void text_hex(struct text *t, uint64_t n);

#pragma GCC visibility pop

#endif
