/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_traps.c - see bare_traps.h
 *
 * A file that was linked into an instrumented program and is not, a function that is excluded, inline assembly, or a library
 * may hold a lock, or threads may share what they write there, in memory of their own or of the program. The orders of that are not explored, and one execution is
 * no proof. That such code is there says little: of a library that is linked in most is never called by two threads
 * at once. So in place of each such instruction (bare_code.h) stands a breakpoint. The thread that comes to one
 * accesses memory at the address that its registers say. If another thread has accessed the same bytes, one of both
 * writes, and neither happens before the other by what heddle knows, they meet (bare_meet.h), and the verdict is inconclusive. That
 * is how a data race is found (race/race.h), but for what it means: the code may have its own ways to be in order. The
 * same goes for what instrumented code did there, before or later.
 *
 * System calls of the program's own are let be if they only ask something; others are named.
 *
 * A breakpoint is taken out for the instruction, and put back behind it, by a single step: so of a loop over memory all rounds are
 * seen. There are bounds, for the sake of libraries that compute much: ROUNDS of one instruction between two operations of the thread,
 * STEPS in one execution, ALL_STEPS in all; beyond, an instruction is seen once between two operations. All
 * breakpoints are taken out as long as a thread is alone, and nobody can be met.
 *
 * Those of a library are looked for when a thread comes into it and is not alone (image/entered.h), and stand there
 * in executions in which that happened. Of functions of libc that are handed memory by such a library those that copy and fill
 * it are asked for what they do.
 *
 * Cost: nothing for programs that have no such code; else two signals for each instruction that is seen, and some
 * system calls for each execution. Exploring only, until threads have met.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/access/bare_traps.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "engine/engine.h"
#include "preload/access/bare_code.h"
#include "preload/access/bare_meet.h"
#include "preload/core/code.h"
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/modules.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/image/entered.h"
#include "preload/image/unseen.h"

enum {
	MOST = 1 << 20, /* breakpoints of the instrumented modules; of one that is not */
	SETS = 1 + ENTERED_MODULES,
	SEEN = 1 << 14,      /* instructions that a thread came to since its last operation */
	ROUNDS = 4096,       /* of a loop, between two operations */
	STEPS = 1 << 16,     /* in one execution, */
	ALL_STEPS = 1 << 18, /* and in all of this process; then of each loop its first round */
	PAGE = 4096,
	BREAK = 0xcc,
	SINGLE_STEP = 1 << 8 /* a flag */
};

/* Those of all instrumented modules, and of each that is not. */
static struct bare_set {
	struct bare *all; /* by address */
	uint32_t n;
	uint64_t start, end; /* of the module, if it is one */
	uint32_t module;     /* which (image/entered.h) */
	bool wanted;         /* in this execution, when no thread is alone */
	bool there;
	struct breakpoints *told;
} sets[SETS];
KEPT(sets);
/* Those that a thread came to since its last operation. */
static struct bare *seen_now[SEEN];
static uint32_t nseen;
KEPT(seen_now);
KEPT(nseen);
/* The instruction that is done by a single step now. */
static struct bare *stepped;
KEPT(stepped);
static uint32_t steps; /* in this execution, and in all */
KEPT(steps);
LASTING(uint32_t, all_steps);
bool bare_asks;
KEPT(bare_asks);

/* ---- Breakpoints ----------------------------------------------------------------------------------- */

static bool protect(uint64_t from, uint64_t to, int how)
{
	from &= ~(uint64_t)(PAGE - 1);
	return !sys3(SYS_mprotect, (long)from, (long)(to - from), how);
}

static void set(struct bare *b, bool there)
{
	*(uint8_t *)b->here.at = there ? BREAK : b->here.byte;
	b->out = !there;
}

/* From number `first` on, those that are near, so that they need few calls; the number behind them. */
static uint32_t reach(const struct bare_set *s, uint32_t first)
{
	uint32_t i = first + 1;

	while (i < s->n && s->all[i].here.at - s->all[i - 1].here.at < PAGE &&
	       s->all[i].here.at > s->all[i - 1].here.at)
		i++;
	return i;
}

/* All breakpoints of a set are there, or none. As long as some are, the code can be written to. */
static void set_these(struct bare_set *s, bool there)
{
	if (s->there == there)
		return;
	for (uint32_t i = 0, end; i < s->n; i = end) {
		uint64_t from = s->all[i].here.at, to;

		end = reach(s, i);
		to = s->all[end - 1].here.at + 1;
		if (!protect(from, to, PROT_READ | PROT_WRITE | PROT_EXEC))
			continue; /* the system does not allow it, or it is not loaded any more */
		for (; i < end; i++)
			set(&s->all[i], there);
		if (!there && !code_is_written)
			protect(from, to, PROT_READ | PROT_EXEC);
	}
	s->there = there;
	if (s->start)
		entered_changes(s->module, there);
}

static void forget_seen(void)
{
	for (uint32_t i = 0; i < nseen; i++) {
		seen_now[i]->seen = false;
		seen_now[i]->rounds = 0;
	}
	nseen = 0;
}

static void set_all(bool there)
{
	forget_seen();
	for (struct bare_set *s = sets; s < sets + SETS; s++)
		if (s->wanted)
			set_these(s, there);
}

/* The thread is at an operation. */
static void close_again(void)
{
	for (uint32_t i = 0; i < nseen; i++)
		if (seen_now[i]->out)
			set(seen_now[i], true);
	forget_seen();
}

/*
 * Who meets whom is a matter of happens-before, of which executions with the same values have several. (No program is known
 * where that decides: such code is untold as well, which gives values up.)
 */
static void leave(void)
{
	bool came = nseen;

	close_again();
	if (came)
		values_give_up();
}

static struct bare *find_in(const struct bare_set *s, uint64_t at)
{
	uint32_t i = breakpoints_before(&(struct breakpoints){ s->all, s->n, sizeof(*s->all) }, at);

	return i < s->n && s->all[i].here.at == at ? &s->all[i] : NULL;
}

static struct bare *find(uint64_t at)
{
	for (const struct bare_set *s = sets; s < sets + SETS; s++) {
		struct bare *b = s->n ? find_in(s, at) : NULL;

		if (b)
			return b;
	}
	return NULL;
}

/* ---- What stands there ----------------------------------------------------------------------------- */

/* Those that ask something, and those that end the process, which is told otherwise. */
static bool is_harmless(long number)
{
	static const uint16_t numbers[] = {
		SYS_sched_yield,  SYS_getpid,        SYS_gettid,     SYS_getppid, SYS_getuid,
		SYS_geteuid,      SYS_getgid,        SYS_getegid,    SYS_getcpu,  SYS_time,
		SYS_gettimeofday, SYS_clock_gettime, SYS_exit_group,
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i] == number)
			return true;
	return false;
}

static void look_at(const struct bare *b, const greg_t *regs)
{
	struct bare_access a[BARE_ACCESSES];
	uint64_t at = b->here.at;

	if (b->calls) {
		if (!is_harmless(regs[REG_RAX]))
			bare_met("the kernel is called, which may make threads wait for each other",
				 0, ", called at ", at);
		return;
	}
	bare_accesses_at(at, (const int64_t *)regs, a);
	for (unsigned i = 0; i < BARE_ACCESSES && !bare_over; i++)
		if (a[i].size)
			bare_meet_access(a[i].addr, a[i].size, a[i].is_write, at);
}

/* The instruction is about to be done: once, and then the breakpoint is there again, or until the next operation. */
static void let_go(struct bare *b, greg_t *regs)
{
	set(b, false);
	if (!b->seen) {
		if (nseen == SEEN)
			close_again();
		b->seen = true;
		seen_now[nseen++] = b;
	}
	/* rep: each of its rounds would be a step */
	if (b->calls || ++b->rounds > ROUNDS || steps == STEPS || *all_steps == ALL_STEPS ||
	    b->here.byte == 0xf2 || b->here.byte == 0xf3)
		return;
	steps++;
	(*all_steps)++;
	stepped = b;
	regs[REG_EFL] |= SINGLE_STEP;
}

void bare_steps_no_more(ucontext_t *uc)
{
	if (!stepped)
		return;
	uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)SINGLE_STEP;
	set(stepped, true);
	stepped = NULL;
}

bool bare_trap(ucontext_t *uc, int code)
{
	greg_t *regs = uc->uc_mcontext.gregs;
	struct bare *b;

	if (stepped && code == TRAP_TRACE) {
		bare_steps_no_more(uc);
		return true;
	}
	b = find((uint64_t)regs[REG_RIP] - 1);
	if (!b)
		return false;
	regs[REG_RIP]--;
	if (bare_is_alone()) {
		set_all(false);
		return true;
	}
	entered_is_in = true;
	let_go(b, regs);
	if (!current || current->probing)
		return true;
	look_at(b, regs);
	if (bare_over) {
		bare_steps_no_more(uc);
		set_all(false);
	}
	return true;
}

/* ---- Libraries that are not instrumented ----------------------------------------------------------- */

/* Whose breakpoints are looked for: they are counted, or put down. */
static struct bare_set *finding;
KEPT(finding);

static void add(const struct bare *found)
{
	struct bare_set *s = finding;

	if (s->n == MOST || (s->n && s->all && s->all[s->n - 1].here.at >= found->here.at))
		return;
	if (s->all)
		s->all[s->n] = *found;
	s->n++;
}

static void find_library(struct bare_set *s, uint32_t module, const struct module_code *c)
{
	finding = s;
	s->module = module;
	s->start = c->start;
	s->end = c->end;
	s->all = NULL;
	bare_find_in(c, add);
	s->all = map_own((s->n + 1) * sizeof(*s->all));
	s->n = 0;
	bare_find_in(c, add);
	if (!s->told)
		s->told = code_add((struct breakpoints){ NULL, 0, sizeof(*s->all) });
	s->told->record = s->all;
	s->told->n = s->n;
}

static void enter(uint32_t module, const struct module_code *c)
{
	struct bare_set *s = &sets[1 + module];

	if (s->wanted || bare_over || bare_is_alone())
		return;
	/* What is loaded later may be another module in the next execution. */
	if (s->start != c->start || s->end != c->end) {
		bare_meet_root();
		find_library(s, module, c);
	}
	s->wanted = bare_asks = true;
	set_these(s, true);
}

bool bare_is_in(uint64_t pc)
{
	for (const struct bare_set *s = sets + 1; s < sets + SETS; s++)
		if (s->wanted && pc - s->start < s->end - s->start)
			return !bare_over && !current->probing && !bare_is_alone();
	return false;
}

void bare_passes(const volatile void *p, uint64_t size, bool is_write, uint64_t pc)
{
	if (bare_over || !size)
		return;
	bare_meet_access((uintptr_t)p, size, is_write, pc - 1);
	if (bare_over)
		set_all(false);
}

/* ---- Executions ------------------------------------------------------------------------------------- */

static const struct entered_also also = { .enters = enter, .leaves = leave };

static void bare_root(void)
{
	if (shared->config.mode != ENGINE_EXPLORE || !tsan_seen)
		return;
	entered_also = &also;
	finding = &sets[0];
	sets[0].all = map_own(MOST * sizeof(*sets[0].all));
	bare_find(add);
	if (!sets[0].n)
		return;
	bare_meet_root();
	sets[0].wanted = true;
	code_add((struct breakpoints){ sets[0].all, sets[0].n, sizeof(*sets[0].all) });
}

AT_ROOT(bare_root);

/* Libraries are wanted when a thread comes into them. */
static void forget_libraries(void)
{
	for (struct bare_set *s = sets + 1; s < sets + SETS; s++) {
		set_these(s, false);
		s->wanted = false;
	}
	bare_asks = false;
}

/* The program's own. What libraries keep is put back as a whole. */
static void begin_with_own(void)
{
	const struct bare *own = sets[0].all;

	for (uint32_t i = 0; i < nseen; i++)
		if (seen_now[i] >= own && seen_now[i] < own + sets[0].n && seen_now[i]->out)
			set(seen_now[i], true);
	set_these(&sets[0], !bare_over);
}

static void bare_begin(void)
{
	stepped = NULL;
	steps = 0;
	if (sets[0].n)
		begin_with_own();
	forget_seen();
	forget_libraries();
	bare_meet_begin();
}

AT_BEGIN(bare_begin);

static void bare_created(uint32_t tid)
{
	(void)tid;
	if (!bare_over)
		set_all(true);
}

AT_CREATED(bare_created);
