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
 * A breakpoint is taken out for the instruction, and put back behind it, by a single step, or where the instruction has rounds or calls the
 * kernel by a breakpoint behind it: so of a loop over memory all rounds are seen. More than STEPS in one execution are not looked at, nor
 * code that cannot be read: then the verdict is inconclusive as well. All
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
#include "preload/code/code.h"
#include "preload/code/modules.h"
#include "preload/core/lifecycle.h"
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
	STEPS = 1 << 18, /* in one execution */
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
	uint64_t anywhere;   /* code of which nobody knows who comes there; 0: none */
	bool wanted;         /* in this execution, when no thread is alone */
	bool there;
	struct breakpoints *told;
} sets[SETS];
KEPT(sets);
/* The instruction that is done now, by a single step; or up to `behind`, where a breakpoint stands. */
static struct {
	struct bare *now;
	struct breakpoint behind; /* at 0: none */
} stepped;
KEPT(stepped);
static uint32_t steps; /* in this execution */
KEPT(steps);
static bool came; /* the thread to a breakpoint, since its last operation */
KEPT(came);
bool bare_asks;
KEPT(bare_asks);

/* ---- Breakpoints ----------------------------------------------------------------------------------- */

static bool protect(uint64_t from, uint64_t to, int how)
{
	from &= ~(uint64_t)(PAGE - 1);
	return !sys3(SYS_mprotect, (long)from, (long)(to - from), how);
}

static void set(const struct bare *b, bool there)
{
	*(uint8_t *)b->here.at = there ? BREAK : b->here.byte;
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

static void set_all(bool there)
{
	for (struct bare_set *s = sets; s < sets + SETS; s++)
		if (s->wanted)
			set_these(s, there);
}

/*
 * Who meets whom is a matter of happens-before, of which executions with the same values have several. (No program is known
 * where that decides: such code is untold as well, which gives values up.)
 */
static void leave(void)
{
	if (came)
		values_give_up("code that announces nothing accesses memory of other threads");
	came = false;
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

	if (b->unknown) {
		bare_met("memory is accessed, and it is not known where", 0, ", called at ", at);
		return;
	}
	if (b->calls) {
		if (!is_harmless(regs[REG_RAX]))
			bare_met("the kernel is called, which may make threads wait for each other",
				 0, ", called at ", at);
		return;
	}
	if (steps++ == STEPS) {
		bare_met("memory is accessed more often than is looked at", 0, ", called at ", at);
		return;
	}
	bare_accesses_at(at, (const int64_t *)regs, a);
	for (unsigned i = 0; i < BARE_ACCESSES && !bare_over; i++)
		if (a[i].size)
			bare_meet_access(a[i].addr, a[i].size, a[i].is_write, at);
}

/* ---- One instruction ------------------------------------------------------------------------------- */

static void break_behind(const struct bare *b)
{
	uint64_t at = b->here.at + b->length;

	protect(at, at + 1, PROT_READ | PROT_WRITE | PROT_EXEC);
	stepped.behind = (struct breakpoint){ at, *(const uint8_t *)at };
	*(uint8_t *)at = BREAK;
}

/* The instruction is about to be done: once, and then the breakpoint is there again. */
static void let_go(struct bare *b, greg_t *regs)
{
	set(b, false);
	stepped.now = b;
	if (b->calls || b->whole)
		break_behind(b);
	else
		regs[REG_EFL] |= SINGLE_STEP;
}

/* It is done, or will not be. */
static void end_step(greg_t *regs)
{
	regs[REG_EFL] &= ~(greg_t)SINGLE_STEP;
	if (stepped.behind.at)
		*(uint8_t *)stepped.behind.at = stepped.behind.byte;
	stepped.behind.at = 0;
	set(stepped.now, true);
	stepped.now = NULL;
}

void bare_steps_no_more(ucontext_t *uc)
{
	if (stepped.now)
		end_step(uc->uc_mcontext.gregs);
}

bool bare_trap(ucontext_t *uc, int code)
{
	greg_t *regs = uc->uc_mcontext.gregs;
	struct bare *b;

	if (stepped.now && code == TRAP_TRACE) {
		end_step(regs);
		return true;
	}
	if (stepped.behind.at && (uint64_t)regs[REG_RIP] == stepped.behind.at + 1) {
		end_step(regs);
		regs[REG_RIP]--;
		return true;
	}
	b = find((uint64_t)regs[REG_RIP] - 1);
	if (!b)
		return false;
	bare_steps_no_more(uc);
	regs[REG_RIP]--;
	if (bare_is_alone()) {
		set_all(false);
		return true;
	}
	entered_is_in = came = true;
	let_go(b, regs);
	if (!current || current->probing)
		return true;
	look_at(b, regs);
	if (bare_over) {
		end_step(regs);
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

	while (found->unknown && s->all && s->n && s->all[s->n - 1].here.at >= found->here.at)
		s->n--;
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
	s->anywhere = bare_find_in(c, add);
	if (!s->told)
		s->told = code_add((struct breakpoints){ NULL, 0, sizeof(*s->all) });
	s->told->record = s->all;
	s->told->n = s->n;
}

static bool may_come_anywhere(const struct bare_set *s)
{
	if (s->anywhere)
		bare_met(
			"there is code without entries for the unwinder, and nobody sees who comes there",
			0, ", called at ", s->anywhere);
	return s->anywhere;
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
	if (may_come_anywhere(s))
		return;
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
	sets[0].anywhere = bare_find(add);
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

static void bare_begin(void)
{
	steps = 0;
	came = false;
	if (sets[0].n)
		set_these(&sets[0], !bare_over);
	forget_libraries();
	bare_meet_begin();
}

AT_BEGIN(bare_begin);

static void bare_created(uint32_t tid)
{
	(void)tid;
	if (!bare_over && !may_come_anywhere(&sets[0]))
		set_all(true);
}

AT_CREATED(bare_created);
