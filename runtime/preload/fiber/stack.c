/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack.c - call stacks, in replay only
 *
 * libunwind is loaded with dlopen() at the root point of a replay, so that a program that is
 * explored never carries it. Earlier it would take a place in the list of modules, by which traces
 * name places, from a library that the program loads. There the compiler's own unwinder serves, which
 * is part of the runtime, but cannot begin at the frame of a signal or of another thread. Frames of the
 * runtime itself are left out.
 */
#define _GNU_SOURCE 1
#define UNW_LOCAL_ONLY
#include <dlfcn.h>
#include <libunwind.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

#include "engine/engine.h"
#include "preload/code/modules.h"
#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/fiber/fiber.h"
#include "preload/fiber/stack.h"

static __typeof__(&unw_init_local) init_local;
KEPT(init_local);
static __typeof__(&unw_init_local2) init_local2;
KEPT(init_local2);
static __typeof__(&unw_step) step;
KEPT(step);
static __typeof__(&unw_get_reg) get_reg;
KEPT(get_reg);
static int (*get_context)(unw_tdep_context_t *);

static ucontext_t *fault;

/*
 * A walk that comes to what is no stack, in a program that has written over it: what was found so
 * far counts.
 */
static bool walking;
static void *walk_ends[5];
FRESH(walk_ends);

bool stack_walks(void)
{
	return walking;
}

void stack_walk_fails(void)
{
	walking = false;
	__builtin_longjmp(walk_ends, 1);
}

#define STRING_(x)             #x
#define STRING(x)              STRING_(x)
#define LOOKUP(lib, var, name) ((var) = (__typeof__(var))(uintptr_t)dlsym((lib), STRING(name)))

void stack_init(void)
{
	void *lib;

	if (shared->config.mode != ENGINE_REPLAY)
		return;
	lib = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		return;
	LOOKUP(lib, init_local, unw_init_local);
	LOOKUP(lib, init_local2, unw_init_local2);
	LOOKUP(lib, get_reg, unw_get_reg);
	LOOKUP(lib, get_context, unw_tdep_getcontext);
	LOOKUP(lib, step, unw_step);
	if (!init_local || !init_local2 || !get_reg || !get_context)
		step = NULL;
}

static __attribute__((noinline)) void walk_on(unw_cursor_t *cursor, uint64_t *frame, uint32_t max,
					      volatile uint32_t *n)
{
	unw_word_t ip;

	do {
		if (get_reg(cursor, UNW_REG_IP, &ip) || !ip)
			break;
		if (!in_runtime(ip))
			frame[(*n)++] = ip;
	} while (*n < max && step(cursor) > 0);
}

static __attribute__((noinline)) uint32_t walk(unw_cursor_t *cursor, uint64_t *frame, uint32_t max)
{
	volatile uint32_t n = 0;

	if (!__builtin_setjmp(walk_ends)) {
		walking = true;
		walk_on(cursor, frame, max, &n);
	}
	walking = false;
	return n;
}

void stack_fault_context(void *uc)
{
	fault = uc;
}

/* Nobody may have asked about the last one: of a bug that was known. */
static void stack_begin(void)
{
	fault = NULL;
}

AT_BEGIN(stack_begin);

/* ---- Before the root point ------------------------------------------------------------------ */

struct early {
	uint64_t *frame;
	volatile uint32_t n;
	uint32_t max;
};

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *arg)
{
	uint64_t ip = _Unwind_GetIP(context);
	struct early *e = arg;

	if (ip && !in_runtime(ip))
		e->frame[e->n++] = ip;
	return ip && e->n < e->max ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static uint32_t take_early(uint64_t *frame, uint32_t max)
{
	struct early e = { frame, 0, max };

	if (!__builtin_setjmp(walk_ends)) {
		walking = true;
		_Unwind_Backtrace(take_frame, &e);
	}
	walking = false;
	return e.n;
}

/* ---- Stacks --------------------------------------------------------------------------------- */

uint32_t stack_take(uint64_t *frame, uint32_t max)
{
	struct self *caller = current;
	unw_tdep_context_t context;
	unw_cursor_t cursor;
	uint32_t n = 0;

	if (!step)
		return rooted || !shared || shared->config.mode != ENGINE_REPLAY
			       ? 0
			       : take_early(frame, max);
	current = NULL;
	if (fault) {
		if (!init_local2(&cursor, fault, UNW_INIT_SIGNAL_FRAME))
			n = walk(&cursor, frame, max);
		fault = NULL;
	} else {
		get_context(&context);
		if (!init_local(&cursor, &context))
			n = walk(&cursor, frame, max);
	}
	current = caller;
	return n;
}

/* Where the threads were created. A replay is one execution, so these need not be forgotten. */
static struct {
	uint32_t n;
	uint64_t frame[SHARED_MAX_FRAMES];
} creations[HEDDLE_MAX_THREADS];

void stack_note_creation(uint32_t tid)
{
	if (step)
		creations[tid].n = stack_take(creations[tid].frame, SHARED_MAX_FRAMES);
}

uint32_t stack_of_creation(uint32_t tid, uint64_t frame[SHARED_MAX_FRAMES])
{
	if (tid >= HEDDLE_MAX_THREADS)
		return 0;
	memcpy(frame, creations[tid].frame, creations[tid].n * sizeof(*frame));
	return creations[tid].n;
}

uint32_t stack_take_of(uint32_t tid, uint64_t *frame, uint32_t max)
{
	const uint64_t *saved = (const uint64_t *)fibers[tid].context.sp;
	struct self *caller = current;
	ucontext_t context;
	unw_cursor_t cursor;
	uint32_t n = 0;

	if (!step)
		return 0;
	/* As switch_context() left it: see the frame in switch.c. */
	memset(&context, 0, sizeof(context));
	context.uc_mcontext.gregs[REG_R15] = (greg_t)saved[1];
	context.uc_mcontext.gregs[REG_R14] = (greg_t)saved[2];
	context.uc_mcontext.gregs[REG_R13] = (greg_t)saved[3];
	context.uc_mcontext.gregs[REG_R12] = (greg_t)saved[4];
	context.uc_mcontext.gregs[REG_RBX] = (greg_t)saved[5];
	context.uc_mcontext.gregs[REG_RBP] = (greg_t)saved[6];
	context.uc_mcontext.gregs[REG_RIP] = (greg_t)saved[7];
	context.uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)(saved + 8);
	current = NULL;
	if (!init_local(&cursor, &context))
		n = walk(&cursor, frame, max);
	current = caller;
	return n;
}
