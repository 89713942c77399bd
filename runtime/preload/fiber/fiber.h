/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fiber.h - the threads of the program as fibers of one kernel thread
 *
 * Internal to runtime/preload; hooks see perform.h only.
 *
 * Address plan. Everything the runtime maps lies at addresses that are the same in every run, and
 * where no kernel maps libraries: they come below the stack, below 0x155555555000 if that is
 * unlimited, or behind 0x2aaaaaaaa000 (own_address()):
 *
 *	0x100000000000	heap (heap.c); last in it what libc asks for while the runtime calls it
 *	0x11f000000000	stacks that hooks run on (entry.h), below all other stacks
 *	0x120000000000	stacks and TLS blocks of the threads (blocks.c)
 *	0x130000000000	the runtime's own tables (map_own())
 *	0x180000000000	shadow memory (shadow.h)
 *	0x200000000000	the mapping shared with the controller
 *	0x210000000000	that shared with other workers (exchange.h)
 *	0x220000000000	those that workers yet to be made share with the controller (siblings.c)
 */
#ifndef HEDDLE_PRELOAD_FIBER_H
#define HEDDLE_PRELOAD_FIBER_H

#include <pthread.h>

#include "preload/arch/x86_64/switch.h"
#include "preload/core/context.h"
#include "preload/core/own.h"

#define OWN_START 0x100000000000ul
#define OWN_HOOKS 0x11f000000000ul

static inline bool own_address(uint64_t at)
{
	return at - OWN_START < 0x40000000000ul || at - 0x180000000000ul < 0x10000000000ul ||
	       at - 0x200000000000ul < 0xa0000000000ul;
}

#pragma GCC visibility push(hidden)

struct fiber {
	struct self self; /* first: `current` points here */
	struct context context;
	uint64_t stack_low, stack_high; /* usable: [low, high); high: the initial SP */
	uint64_t own_low, own_high;     /* the same of the one beside its block (not of main's) */
	uint64_t mapped_low; /* where its mapping begins; what lies from there to own_low faults */
	size_t asked;        /* how large its stack is to be, if it is that one */
	uint64_t clear_high; /* below that the stack was UNWRITTEN when the execution began */
	uint64_t deepest;    /* lowest SP seen at an operation in this execution */
	uint64_t tcb;        /* pthread_t: the borrowed block, or main's own */
	uint64_t block_low, block_high; /* borrowed, whole pages: restored for a new thread */
	bool block_hot;                 /* it was written to, and is not protected any more */
	bool block_written;             /* it was, when libc began to make another one */
	void *pristine, *pristine_dtv;
	uint64_t dtv, dtv_size;
	bool alive;    /* created in this execution and not ended */
	bool existing; /* created in this execution */
	bool called;   /* its function was, for the debugger */
	void *(*fn)(void *);
	void *arg;
	struct dtor *dtors; /* dtors.c: C++ thread_local destructors, newest first */
};

extern struct fiber fibers[HEDDLE_MAX_THREADS];
extern struct context scheduler; /* the driver, on its own stack */

static inline struct fiber *fiber_self(void)
{
	return (struct fiber *)current;
}

static inline bool on_own_stack(uint64_t addr)
{
	const struct fiber *f = fiber_self();

	return addr >= f->stack_low && addr < f->stack_high;
}

/* False: the address belongs to no thread's stack. */
static inline bool on_any_stack(uint64_t addr)
{
	return addr - OWN_STACKS < OWN_TABLES - OWN_STACKS ||
	       (addr >= main_stack_low && addr < fibers[0].stack_high);
}

/* The id of the thread that a pthread_t names, alive or ended; -1 if there is none. */
int tid_of(pthread_t thread);
/*
 * What a call answers where tid_of() finds none: ESRCH, behind the accesses to what the pthread_t
 * leads to that glibc makes. They fault where it leads nowhere, and that is the program's fault.
 */
enum no_thread {
	NULL_IS_NONE = 1, /* glibc has a look at whether it is NULL */
	WRITES = 2        /* and takes a lock there, or the like */
};
int no_thread(pthread_t thread, unsigned flags);
/* The pthread_t of a thread id that was created (0: main). */
pthread_t thread_of(uint32_t tid);

void fibers_init(void);
/* There may be a thread of that id from now on. */
void fiber_has_block(uint32_t tid);
/* Whose own stack has the address; NULL: nobody's, or it is one that the program has given. */
struct fiber *fiber_of_stack(uint64_t addr);
/* The calling fiber is in no hook any more, whatever is on its stack of hooks. */
void fiber_leaves_hooks(void);
/* Runs fiber t until control comes back to the scheduler. */
void fiber_run(uint32_t tid);
/* Writes UNWRITTEN (wipe.h) to the stack of a fiber below top, as far as the last execution used it. */
void fiber_clear_stack(struct fiber *f, uint64_t top);
/* Does so for all, once: executions run in children from now on. */
void fibers_release(uint64_t sp);
/*
 * A new thread has the stack beside its block, which is clear; or one that the program gave it, as it is there
 * (size not 0).
 */
void fiber_own_stack(struct fiber *f);
void fiber_given_stack(struct fiber *f, uint64_t low, uint64_t size);
static inline bool fiber_has_given_stack(const struct fiber *f)
{
	return f->self.tid && f->stack_high != f->own_high;
}
/* From a fiber that is over: the next one goes on. */
heddle_noreturn void fiber_end(uint32_t next);
/* From a fiber: let fiber t go on; returns when the caller is chosen again. */
void fiber_switch(uint32_t tid);

#pragma GCC visibility pop

#endif
