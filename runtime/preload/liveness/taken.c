/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * taken.c - see taken.h
 *
 * The breakpoints are there once a thread does what was not looked at in an earlier execution, with the same values. What comes before is only repeated.
 *
 * Places are in instrumented modules that were there before the first thread. They outlive executions, also such that run in children, and stay
 * watched for as long as the search lasts.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/liveness/taken.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/insn.h"
#include "base/table.h"
#include "preload/arch/x86_64/registers.h"
#include "preload/code/code.h"
#include "preload/code/modules.h"
#include "preload/core/context.h"
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/core/touch.h"
#include "preload/facts/values.h"

enum {
	MOST = 1024,
	PAGE = 4096,
	BREAK = 0xcc,
	NOTHING = 1 /* a hash */
};

static LASTING(
	struct {
		uint32_t n;
		uint64_t at[MOST];
	},
	wanted);

/* Those that are watched. */
static struct watched {
	struct breakpoint here;
	struct insn in;
	bool out; /* no breakpoint stands there now */
} * all;          /* by address */
KEPT(all);
static uint32_t n, seen; /* of `wanted` */
KEPT(n);
KEPT(seen);
static struct breakpoints *known;
KEPT(known);
static bool armed; /* the breakpoints are there */
static bool lost;  /* but for one, since that instruction has to fault */

/* Of each thread; what stands in `at` is of no use before n counts it. */
static struct taken taken[HEDDLE_EXPLORED_THREADS];
KEPT(taken);

/* ---- Breakpoints ----------------------------------------------------------------------------------- */

static uint32_t place_in_order(uint64_t at)
{
	return breakpoints_before(&(struct breakpoints){ all, n, sizeof(*all) }, at);
}

static struct watched *find(uint64_t at)
{
	const uint32_t i = place_in_order(at);

	return i < n && all[i].here.at == at ? &all[i] : NULL;
}

/* Stays so: there may be others in the page. */
static bool let_write(uint64_t at)
{
	return !sys3(SYS_mprotect, (long)(at & ~(uint64_t)(PAGE - 1)), PAGE,
		     PROT_READ | PROT_WRITE | PROT_EXEC);
}

static void put(struct watched *w, bool there)
{
	if (w->out == there)
		*(uint8_t *)w->here.at = there ? BREAK : w->here.byte;
	w->out = !there;
}

static void put_all(bool there)
{
	for (uint32_t i = 0; armed != there && i < n; i++)
		put(&all[i], there);
	armed = there;
}

/* Is it a call or a jump whose target the registers and memory say? */
static bool is_indirect(const struct insn *in)
{
	return (in->kind == INSN_CALL || in->kind == INSN_JUMP) && !in->target &&
	       in->base != INSN_SEGMENT && (in->memory || in->reads);
}

static void set(uint64_t at)
{
	const uint32_t i = place_in_order(at);
	uint8_t room[CODE_ROOM];
	uint64_t left = INSN_LONGEST;
	struct insn in;

	if (!insn_decode(code_at(at, &left, room), left, at, &in) || !is_indirect(&in) ||
	    !let_write(at))
		return;
	memmove(&all[i + 1], &all[i], (n - i) * sizeof(*all));
	all[i] = (struct watched){ .here = { at, *(const uint8_t *)at }, .in = in, .out = true };
	n++;
}

static void taken_begin(void)
{
	put_all(false);
	lost = false;
	if (!values_explored())
		return;
	if (wanted->n && !all) {
		all = map_own(MOST * sizeof(*all));
		known = code_add((struct breakpoints){ all, 0, sizeof(*all) });
		code_is_written = true;
	}
	for (; seen < wanted->n; seen++)
		set(wanted->at[seen]);
	if (known)
		known->n = n;
	for (uint32_t t = 0; t < HEDDLE_EXPLORED_THREADS; t++)
		taken[t] = (struct taken){ .hash = NOTHING };
}

AT_BEGIN(taken_begin);

bool taken_is_watched(uint64_t site)
{
	return find(site);
}

/* Other breakpoints stay alone. */
void taken_watch(uint64_t site)
{
	for (uint32_t i = 0; i < wanted->n; i++)
		if (wanted->at[i] == site)
			return;
	if (wanted->n < MOST && memory_from_program(site) && !modules_loading() &&
	    !code_is_broken_at(site))
		wanted->at[wanted->n++] = site;
}

bool taken_is_news(void)
{
	return seen < wanted->n;
}

/* ---- What threads do ------------------------------------------------------------------------------- */

void taken_forget(bool looks)
{
	struct taken *t = &taken[current->tid];

	t->n = 0;
	t->more = false;
	t->hash = NOTHING;
	if (looks)
		put_all(true);
}

const struct taken *taken_since(void)
{
	const struct taken *t = &taken[current->tid];

	return t->more || lost ? NULL : t;
}

static void note(struct taken *t, uint64_t site, uint64_t to)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->at[i].site == site && t->at[i].to == to)
			return;
	if (t->n == TAKEN_MOST) {
		t->more = true;
		return;
	}
	t->at[t->n].site = site;
	t->at[t->n++].to = to;
	t->hash = table_mix(table_mix(t->hash, site), to) | NOTHING;
}

/* Where it leads; false: what says so cannot be read. */
static bool target_of(const struct insn *in, const greg_t *regs, uint64_t *to)
{
	uint64_t at = (uint64_t)in->disp;

	if (!in->memory) {
		*to = (uint64_t)regs[registers_index((uint8_t)__builtin_ctz(in->reads))];
		return true;
	}
	if (in->base < INSN_NONE)
		at += (uint64_t)regs[registers_index(in->base)];
	if (in->index < INSN_NONE)
		at += (uint64_t)regs[registers_index(in->index)] * in->scale;
	return !copy_safely(to, (const void *)at, sizeof(*to));
}

/* False: it has no room on the stack. */
static bool push(greg_t *regs, uint64_t value)
{
	const uint64_t sp = (uint64_t)regs[REG_RSP] - sizeof(value);

	if (copy_safely((void *)sp, &value, sizeof(value)))
		return false;
	regs[REG_RSP] = (greg_t)sp;
	return true;
}

bool taken_trap(ucontext_t *uc)
{
	greg_t *regs = uc->uc_mcontext.gregs;
	const uint64_t at = (uint64_t)regs[REG_RIP] - 1;
	struct watched *w = n ? find(at) : NULL;
	uint64_t to;

	if (!w)
		return false;
	if (!target_of(&w->in, regs, &to) ||
	    (w->in.kind == INSN_CALL && !push(regs, at + w->in.length))) {
		put(w, false); /* its fault is the program's */
		lost = true;
		regs[REG_RIP] = (greg_t)at;
		return true;
	}
	if (current && !current->probing && current->tid < HEDDLE_EXPLORED_THREADS)
		note(&taken[current->tid], at, to);
	regs[REG_RIP] = (greg_t)to;
	return true;
}
