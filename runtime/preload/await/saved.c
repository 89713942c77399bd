/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * saved.c - states of a thread at operations of its window, saved, and whether it is back in one of them
 *
 * A state is the program's stack from the hook's return address up, and the hook's registers (probe.c). Memory is not
 * copied: the log of the window's writes has what they overwrote. What other threads write to the stack meanwhile is
 * done to the copies, too.
 */
#include "preload/await/saved.h"

#include <string.h>

#include "base/must.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/arch/x86_64/sigframe.h"
#include "preload/core/context.h"
#include "preload/core/own.h"

enum {
	ARENA = 1 << 20
};

/* Does the operation name the place that its hook returns to? A look for handlers comes before the hook (interrupt.c), or the hook is inline assembly. */
static bool has_place(const struct op *op, uint64_t sp)
{
	uint64_t pc = *(const uint64_t *)sp;

	return op->pc == pc || pc == (uint64_t)(uintptr_t)entry_looked ||
	       pc == (uint64_t)(uintptr_t)sigframe_behind;
}

void probe_save(struct await *a, struct await_op *o)
{
	struct fiber *f = fiber_self();
	uint64_t sp = f->self.entry.sp, size = f->stack_high - sp;

	if (!a->arena)
		a->arena = map_own(ARENA);
	if (!sp || size > ARENA - a->arena_used)
		return;
	must(has_place(&o->op, sp));
	o->entry = f->self.entry;
	o->size = size;
	o->stack = a->arena + a->arena_used;
	a->arena_used += (size + 15) & ~15ul;
	memcpy(o->stack, (void *)sp, size);
	o->saved = true;
}

void probe_catch_up(const struct fiber *f, struct await *a)
{
	for (uint32_t i = 0; i < f->self.window; i++) {
		const struct await_op *o = &a->ops[i];

		for (uint32_t k = 0; o->saved && k < a->nforeign; k++) {
			uint64_t from = a->foreign[k].addr, to = from + a->foreign[k].size;

			if (from < o->entry.sp)
				from = o->entry.sp;
			if (to > o->entry.sp + o->size)
				to = o->entry.sp + o->size;
			if (from < to)
				memcpy(o->stack + (from - o->entry.sp), (void *)from, to - from);
		}
	}
	a->nforeign = 0;
}

bool saved_is_back(const struct fiber *f, const struct arrival *now, const struct await_op *then)
{
	return now->sp == then->entry.sp + 8 &&
	       same_state(f, now, then->entry.reg, then->stack + 8);
}

uint32_t saved_find_back(const struct fiber *f, const struct await *a, const struct arrival *now,
			 uint32_t window, uint64_t *unsaved)
{
	for (uint32_t i = window; i-- > 0;) {
		const struct await_op *then = &a->ops[i];

		if (!then->reads || !same_op(&now->op, &then->op))
			continue;
		if (!then->saved)
			*unsaved = then->op.pc;
		else if (saved_is_back(f, now, then) && log_is_undone(&a->log, then->writes))
			return i;
	}
	return NO_TWIN;
}

uint32_t probe_came_back(const struct await *a, const struct op *op, uint64_t *unsaved)
{
	const struct fiber *f = fiber_self();
	struct arrival now;

	*unsaved = 0;
	if (!f->self.entry.sp)
		return NO_TWIN;
	arrive(&now, op);
	return saved_find_back(f, a, &now, f->self.window, unsaved);
}
