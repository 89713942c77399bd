/* SPDX-License-Identifier: BSD-2-Clause */
/* foreign.c - see foreign.h */
#include "preload/access/foreign.h"

#include <string.h>

#include "preload/access/bare_frame.h"
#include "preload/await/follow.h"
#include "preload/code/imports.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/facts/heights.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/report/memreport.h"
#include "preload/step/perform.h"

enum {
	VISITS = 8 /* kept of each stack; of more the oldest are forgotten */
};

/* An access to a stack by another thread, whose own entry was clock. */
struct visit {
	struct access access;
	uint32_t tid, clock;
};

static struct visit visits[HEDDLE_MAX_THREADS][VISITS];
FRESH_ROWS(visits);
static uint32_t nvisits[HEDDLE_MAX_THREADS];
static bool exits[HEDDLE_MAX_THREADS]; /* it is about to end the process */

/* Is a thread that is above an address out of the function that it was in? */
static bool frames_are_told;
KEPT(frames_are_told);

/* Has the thread, which is where sp is, left the function that the address belonged to? */
static bool is_left(const struct fiber *f, uint64_t sp, uint64_t addr)
{
	return frames_are_told && addr < sp && sp >= f->stack_low && sp < f->stack_high;
}

/* Whose block has the address: thread-local memory of a thread other than main? */
static struct fiber *owner_of_local(uint64_t addr)
{
	for (uint32_t t = 1; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		if (addr >= fibers[t].block_low && addr < fibers[t].block_high)
			return &fibers[t];
	return NULL;
}

/* The calling thread's own stack, or thread-local memory. */
static bool is_own(uint64_t addr)
{
	const struct fiber *f = fiber_self();

	return on_own_stack(addr) || (addr >= f->block_low && addr < f->block_high);
}

/* Lowest first: what is left next. */
static void expect(struct fiber *f)
{
	uint32_t t = f->self.tid;

	f->self.visited = UINT64_MAX;
	for (uint32_t i = 0; i < nvisits[t]; i++)
		if (visits[t][i].access.addr < f->self.visited)
			f->self.visited = visits[t][i].access.addr;
}

static void drop(uint32_t owner, uint32_t i)
{
	struct visit *v = visits[owner];

	memmove(&v[i], &v[i + 1], (--nvisits[owner] - i) * sizeof(*v));
}

/* What the same thread did before, and is left no earlier, says nothing more. */
static void note(struct fiber *f, const struct visit *visit)
{
	uint32_t t = f->self.tid;

	for (uint32_t i = nvisits[t]; i-- > 0;)
		if (visits[t][i].tid == visit->tid &&
		    visits[t][i].access.addr >= visit->access.addr)
			drop(t, i);
	if (nvisits[t] == VISITS)
		drop(t, 0);
	visits[t][nvisits[t]++] = *visit;
	expect(f);
}

/* The owner of the stack is somewhere: is the function still there? */
static void look_at_frame(struct fiber *f, const struct access *access)
{
	const uint64_t sp = f->self.entry.sp ? f->self.entry.sp : f->context.sp;

	polls_stack_seen(f);
	if (values_explored())
		bare_frame_visited(f, access);
	if (is_left(f, sp, access->addr))
		report_use_after_return(access, f->self.tid);
	if (heights_were_above(f->self.tid, current->tid, access->addr))
		values_give_up("a thread uses the stack of another one, where functions were left");
}

void foreign_access(const struct access *access, uint32_t at)
{
	struct visit visit = { .access = *access, .tid = current->tid, .clock = at };
	struct fiber *f;
	bool on_stack;

	if (is_own(access->addr))
		return;
	f = fiber_of_stack(access->addr);
	on_stack = f;
	if (!f)
		f = owner_of_local(access->addr);
	if (!f || f == fiber_self() || current->probing || exits[f->self.tid])
		return;
	if (!f->alive) {
		if (f->existing && f->self.tid)
			report_use_after_end(access, f->self.tid, on_stack);
		return;
	}
	if (on_stack)
		look_at_frame(f, access);
	if (!shared->config.setting[SETTING_PLAIN])
		note(f, &visit);
}

/*
 * The owner looks at an atomic variable of its own: what others wrote there is what it waits for. By relaxed
 * accesses it does not know of them, but no write that it has read comes later.
 */
static void found_out(uint64_t addr)
{
	uint32_t t = current->tid;

	for (uint32_t i = nvisits[t]; i-- > 0;)
		if (visits[t][i].access.is_atomic && visits[t][i].access.is_write &&
		    visits[t][i].access.addr == addr)
			drop(t, i);
	expect(fiber_self());
}

void foreign_atomic(const struct op *op, bool wrote)
{
	struct access access = {
		.addr = op->addr,
		.size = op->size,
		.pc = op->pc,
		.is_write = wrote,
		.is_atomic = true,
	};

	if (is_own(op->addr)) {
		if (nvisits[current->tid] && op->kind != OP_STORE && !current->probing)
			found_out(op->addr);
		return;
	}
	/* It is the last of its events that the owner has to know of. */
	foreign_access(&access, current->clock[current->tid] - 1);
}

void foreign_exit(void)
{
	exits[current->tid] = true;
	nvisits[current->tid] = 0;
	current->visited = UINT64_MAX;
}

/* The calling thread, where sp is, is about to do something. */
static void look_at_visits(const struct op *op, uint64_t sp)
{
	struct fiber *f = fiber_self();
	uint32_t t = f->self.tid;
	bool ends = op->kind == OP_END && t;

	for (uint32_t i = nvisits[t]; i-- > 0;) {
		const struct visit *v = &visits[t][i];

		if (!ends && !is_left(f, sp, v->access.addr))
			continue;
		if (f->self.clock[v->tid] <= v->clock)
			report_unknown_use(&v->access, v->tid, op->pc, ends);
		drop(t, i);
	}
	expect(f);
}

static void forget_visits(uint32_t tid)
{
	nvisits[tid] = 0;
	exits[tid] = false;
	fibers[tid].self.visited = UINT64_MAX;
}

static void foreign_root(void)
{
	static const char *const changing[] = { "makecontext", "swapcontext", "setcontext",
						"sigaltstack" };

	look_below = look_at_visits;
	frames_are_told = true;
	for (size_t i = 0; i < sizeof(changing) / sizeof(changing[0]); i++)
		frames_are_told &= !program_imports(changing[i]);
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		forget_visits(t);
}

AT_ROOT(foreign_root);

AT_ID_AGAIN(forget_visits);

static void foreign_begin(void)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		forget_visits(t);
}

AT_BEGIN(foreign_begin);
