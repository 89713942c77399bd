/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entered.c - threads that are in a library at the same time, of which nobody sees what it does
 *
 * A library that is not instrumented may have locks of its own, of atomic instructions. The orders in which
 * threads take them are not explored, and one execution is no proof then. That it has some shows in its
 * code; that threads share what it keeps, without any, in its data, which nobody announces. Whether
 * threads meet there shows as for a data race: the code of such a module cannot be executed until
 * a thread comes into it, which faults; it is closed again at the thread's next operation.
 * Of each thread the time is kept when it came last, by its own clock, and if that does not happen
 * before another thread comes, both may be there at once. A library that is used under a mutex of the
 * program, or by one thread, is no matter.
 *
 * Code is decoded from aligned addresses on, and where the decoder does not know an instruction, from
 * the next one. So data among code may be taken for an atomic instruction: then a verdict is withheld that could
 * be given, and never the other way round for code that is aligned as compilers do.
 *
 * Cost: for programs with such a library two system calls and a fault for each time that a thread comes
 * into it, until two have met. Exploring only.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/image/entered.h"

#include <link.h>
#include <string.h>

#define XXH_INLINE_ALL 1
#include <xxhash.h>

#include "base/insn.h"
#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/code/functions.h"
#include "preload/code/sections.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/core/text.h"
#include "preload/fiber/fiber.h"
#include "preload/image/unseen.h"

enum {
	PAGE = 4096,
	ALIGNED = 16
};

static struct watched {
	struct module_code code;
	uint64_t start, end; /* whole pages of it */
	char name[64];
	bool locks;      /* it has atomic instructions */
	bool shared;     /* threads were there at once */
	uint64_t before; /* a hash of what was in its data */
	bool open;
	bool written;                      /* while it is open, breakpoints are put into it */
	uint32_t last[HEDDLE_MAX_THREADS]; /* 1 + when the thread was there, by its own clock */
} watched[ENTERED_MODULES];
KEPT(watched);
static uint32_t nwatched, nroot; /* how many, and at the root point */
KEPT(nwatched);
KEPT(nroot);

bool entered_is_in;
const struct entered_also *entered_also;
KEPT(entered_also);

/* ---- Its code ---------------------------------------------------------------------------------- */

static bool has_locked(const uint8_t *at, uint64_t size)
{
	struct insn in;
	uint64_t i = 0;

	while (i < size) {
		if (!insn_decode(at + i, size - i, (uint64_t)(uintptr_t)at + i, &in)) {
			i = (i + ALIGNED) & ~(uint64_t)(ALIGNED - 1);
			continue;
		}
		if (in.locked)
			return true;
		i += in.length;
	}
	return false;
}

static bool has_locks(const struct module_code *c)
{
	struct section all[SECTIONS];

	for (uint32_t n = sections_of(c, all); n; n--)
		if (has_locked((const uint8_t *)all[n - 1].start,
			       all[n - 1].end - all[n - 1].start))
			return true;
	return false;
}

static uint64_t hash_of_data(const struct watched *m)
{
	return m->code.data
		       ? XXH3_64bits((const void *)m->code.data, m->code.data_end - m->code.data)
		       : 0;
}

/* The parts of the module that can be executed, and written; false: there is no code. */
static bool find_code(const struct dl_phdr_info *info, struct watched *m)
{
	m->code = functions_module(info);
	m->locks = has_locks(&m->code);
	m->start = m->code.start & ~(PAGE - 1ul);
	m->end = (m->code.end + PAGE - 1) & ~(PAGE - 1ul);
	m->before = hash_of_data(m);
	return m->start;
}

/* ---- Who is there -------------------------------------------------------------------------------- */

static bool is_over(void)
{
	/* relaxed: one writer */
	return atomic_load_explicit(&shared->met, memory_order_relaxed);
}

static void protect(const struct watched *m)
{
	int how = !m->open ? PROT_READ : PROT_READ | PROT_EXEC | (m->written ? PROT_WRITE : 0);

	sys3(SYS_mprotect, (long)m->start, (long)(m->end - m->start), how);
}

static void set(struct watched *m, bool open)
{
	if (m->open == open)
		return;
	m->open = open;
	protect(m);
}

void entered_changes(uint32_t module, bool goes_on)
{
	watched[module].written = goes_on;
	protect(&watched[module]);
}

/* That is enough: nothing is watched any more. */
static void met_in(const char *name)
{
	struct text t = text_in(shared->met_in, sizeof(shared->met_in));

	text_str(&t, name);
	atomic_store_explicit(&shared->met, 1, memory_order_relaxed);
	for (uint32_t i = 0; i < nwatched; i++)
		set(&watched[i], true);
}

static uint32_t now(uint32_t tid)
{
	return engine_done(engine, tid);
}

void entered_leaves(void)
{
	entered_is_in = false;
	if (entered_also)
		entered_also->leaves();
	if (is_over())
		return;
	unseen_loaded();
	for (uint32_t i = 0; i < nwatched; i++)
		set(&watched[i], false);
}

/* Was another thread there, and not before all that this one does now? */
static bool meets(const struct watched *m, uint32_t tid)
{
	const uint32_t *clock = engine_clock(engine, tid);

	for (uint32_t u = 0; u < engine_threads(engine); u++)
		if (u != tid && m->last[u] && clock[u] < m->last[u])
			return true;
	return false;
}

static void enter(struct watched *m, uint32_t tid)
{
	set(m, true);
	entered_is_in = true;
	if (!meets(m, tid))
		m->last[tid] = now(tid) + 1;
	else if (m->locks)
		met_in(m->name);
	else
		m->shared = true;
}

/* Without locks threads may still share what they write there. */
static void look_at_data(void)
{
	for (uint32_t i = 0; i < nwatched && !is_over(); i++)
		if (watched[i].shared && hash_of_data(&watched[i]) != watched[i].before)
			met_in(watched[i].name);
}

AT_END(look_at_data);

bool entered_fault(uint64_t pc)
{
	for (uint32_t i = 0; i < nwatched; i++) {
		struct watched *m = &watched[i];

		if (pc - m->start >= m->end - m->start || m->open)
			continue;
		if (current) {
			enter(m, current->tid);
			if (entered_also)
				entered_also->enters(i, &m->code);
		} else { /* the runtime calls it, or its end */
			set(m, true);
			entered_is_in = true;
		}
		return true;
	}
	return false;
}

/* ---- Modules ------------------------------------------------------------------------------------- */

static bool is_watched(const struct watched *found)
{
	for (uint32_t i = 0; i < nwatched; i++)
		if (watched[i].start == found->start)
			return true;
	return false;
}

void entered_watch(const struct dl_phdr_info *info, const char *name)
{
	struct watched *m = &watched[nwatched], found = { 0 };
	struct text t;

	if (shared->config.mode != ENGINE_EXPLORE || is_over() || !find_code(info, &found) ||
	    is_watched(&found))
		return;
	if (nwatched == ENTERED_MODULES) {
		met_in(name);
		return;
	}
	*m = found;
	m->open = true;
	t = text_in(m->name, sizeof(m->name));
	text_str(&t, name);
	nwatched++;
	if (current)
		m->last[current->tid] = now(current->tid) + 1;
	else if (!engine)
		nroot = nwatched;
}

static void entered_begin(void)
{
	entered_is_in = false;
	nwatched = nroot;
	for (uint32_t i = 0; i < nwatched; i++) {
		memset(watched[i].last, 0, sizeof(watched[i].last));
		watched[i].shared = false;
		set(&watched[i], is_over());
	}
}

AT_BEGIN(entered_begin);
