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
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/core/text.h"
#include "preload/fiber/fiber.h"
#include "preload/image/unseen.h"

enum {
	MODULES = 16, /* that are watched; of more, threads count as having met there */
	PAGE = 4096,
	ALIGNED = 16
};

static struct module_code {
	uint64_t start, end; /* whole pages */
	char name[64];
	bool locks;                       /* it has atomic instructions */
	bool shared;                      /* threads were there at once */
	uint64_t data, data_size, before; /* what it writes to, and a hash of what was there */
	bool open;
	uint32_t last[HEDDLE_MAX_THREADS]; /* 1 + when the thread was there, by its own clock */
} code[MODULES];
KEPT(code);
static uint32_t ncode, nroot; /* how many, and at the root point */
KEPT(ncode);
KEPT(nroot);

bool entered_is_in;
void (*entered_also)(void);
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

static uint64_t hash_of_data(const struct module_code *m)
{
	return m->data_size ? XXH3_64bits((const void *)m->data, m->data_size) : 0;
}

/* The parts of the module that can be executed, and written; false: there is no code. */
static bool find_code(const struct dl_phdr_info *info, struct module_code *m)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD)
			continue;
		if (p->p_flags & PF_W) {
			m->data = start;
			m->data_size = p->p_memsz;
		} else if (p->p_flags & PF_X) {
			m->locks = has_locked((const uint8_t *)start, p->p_filesz);
			m->start = start & ~(PAGE - 1ul);
			m->end = (start + p->p_memsz + PAGE - 1) & ~(PAGE - 1ul);
		}
	}
	m->before = hash_of_data(m);
	return m->start;
}

/* ---- Who is there -------------------------------------------------------------------------------- */

static bool is_over(void)
{
	/* relaxed: one writer */
	return atomic_load_explicit(&shared->met, memory_order_relaxed);
}

static void set(struct module_code *m, bool open)
{
	if (m->open != open)
		sys3(SYS_mprotect, (long)m->start, (long)(m->end - m->start),
		     open ? PROT_READ | PROT_EXEC : PROT_READ);
	m->open = open;
}

/* That is enough: nothing is watched any more. */
static void met_in(const char *name)
{
	struct text t = text_in(shared->met_in, sizeof(shared->met_in));

	text_str(&t, name);
	atomic_store_explicit(&shared->met, 1, memory_order_relaxed);
	for (uint32_t i = 0; i < ncode; i++)
		set(&code[i], true);
}

static uint32_t now(uint32_t tid)
{
	return engine_done(engine, tid);
}

void entered_leaves(void)
{
	entered_is_in = false;
	if (entered_also)
		entered_also();
	if (is_over())
		return;
	unseen_loaded();
	for (uint32_t i = 0; i < ncode; i++)
		set(&code[i], false);
}

/* Was another thread there, and not before all that this one does now? */
static bool meets(const struct module_code *m, uint32_t tid)
{
	const uint32_t *clock = engine_clock(engine, tid);

	for (uint32_t u = 0; u < engine_threads(engine); u++)
		if (u != tid && m->last[u] && clock[u] < m->last[u])
			return true;
	return false;
}

static void enter(struct module_code *m, uint32_t tid)
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
	for (uint32_t i = 0; i < ncode && !is_over(); i++)
		if (code[i].shared && hash_of_data(&code[i]) != code[i].before)
			met_in(code[i].name);
}

AT_END(look_at_data);

bool entered_fault(uint64_t pc)
{
	for (uint32_t i = 0; i < ncode; i++) {
		struct module_code *m = &code[i];

		if (pc - m->start >= m->end - m->start || m->open)
			continue;
		if (current) {
			enter(m, current->tid);
		} else { /* the runtime calls it, or its end */
			set(m, true);
			entered_is_in = true;
		}
		return true;
	}
	return false;
}

/* ---- Modules ------------------------------------------------------------------------------------- */

static bool is_watched(const struct module_code *found)
{
	for (uint32_t i = 0; i < ncode; i++)
		if (code[i].start == found->start)
			return true;
	return false;
}

void entered_watch(const struct dl_phdr_info *info, const char *name)
{
	struct module_code *m = &code[ncode], found = { 0 };
	struct text t;

	if (shared->config.mode != ENGINE_EXPLORE || is_over() || !find_code(info, &found) ||
	    is_watched(&found))
		return;
	if (ncode == MODULES) {
		met_in(name);
		return;
	}
	*m = found;
	m->open = true;
	t = text_in(m->name, sizeof(m->name));
	text_str(&t, name);
	ncode++;
	if (current)
		m->last[current->tid] = now(current->tid) + 1;
	else if (!engine)
		nroot = ncode;
}

static void entered_begin(void)
{
	entered_is_in = false;
	ncode = nroot;
	for (uint32_t i = 0; i < ncode; i++) {
		memset(code[i].last, 0, sizeof(code[i].last));
		code[i].shared = false;
		set(&code[i], is_over());
	}
}

AT_BEGIN(entered_begin);
