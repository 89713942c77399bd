/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_traps.c - see bare_traps.h
 *
 * A file that was linked into an instrumented program and is not, a function that is excluded, or inline assembly may hold
 * a lock, or threads may share what they write there. The orders of that are not explored, and one execution is
 * no proof. That such code is there says little: of a library that is linked in most is never called by two threads
 * at once. So in place of each such instruction (bare_code.h) stands a breakpoint. The thread that comes to one
 * accesses memory at the address that its registers say. If another thread has accessed the same bytes, one of both
 * writes, and neither happens before the other by what heddle knows, they meet, and the verdict is inconclusive. That
 * is how a data race is found (race/race.h), but for what it means: the code may have its own ways to be in order. The
 * same goes for what instrumented code did there, before or later.
 *
 * System calls of the program's own are let be if they only ask something; others are named.
 *
 * A breakpoint is taken out when a thread comes to it, and put back at that thread's next operation. So one
 * instruction is seen once between two operations: of a loop over memory, its first round. All are taken out as long as a
 * thread is alone, and nobody can be met.
 *
 * Cost: nothing for programs that have no such code; else a signal for each instruction that is seen, and some
 * system calls for each execution. Exploring only, until threads have met.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/access/bare_traps.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/access/bare_code.h"
#include "preload/core/code.h"
#include "preload/core/lifecycle.h"
#include "preload/core/modules.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/core/text.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/image/entered.h"
#include "preload/image/unseen.h"
#include "preload/race/shadow.h"

enum {
	MOST = 1 << 20,  /* breakpoints */
	CELLS = 1 << 16, /* granules that threads have come to in one execution */
	RECORDS = 1 << 14,
	MADE = 1 << 15, /* accesses */
	THREADS = 16,   /* of more, what others announce later is not compared */
	OUT = 4096,     /* breakpoints that are taken out */
	PAGE = 4096,
	GRANULE = 8,
	BREAK = 0xcc
};

static struct bare *all; /* by address */
KEPT(all);
static uint32_t n;
KEPT(n);
static uint32_t taken_out[OUT], nout;
KEPT(taken_out);
KEPT(nout);
static bool are_there;
KEPT(are_there);
static bool over; /* nothing is looked at any more */
KEPT(over);

/* What the threads of the execution did with a granule. */
static struct cell {
	uint64_t granule;
	uint32_t stamp;
	struct race_cell race;
} * cells;
KEPT(cells);
/* Accesses of the execution, with the clocks of their threads. */
static struct access_made {
	uint64_t granule, pc;
	uint32_t tid;
	uint8_t mask;
	bool is_write;
	uint32_t clock[THREADS];
} * made;
KEPT(made);
static uint32_t nmade;
KEPT(nmade);
static uint32_t stamp; /* of the execution */
KEPT(stamp);
static uint32_t used; /* cells */
KEPT(used);
static struct race_pool pool;
KEPT(pool);

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
static uint32_t reach(uint32_t first)
{
	uint32_t i = first + 1;

	while (i < n && all[i].here.at - all[i - 1].here.at < PAGE &&
	       all[i].here.at > all[i - 1].here.at)
		i++;
	return i;
}

/* All breakpoints are there, or none. As long as some are, the code can be written to. */
static void set_all(bool there)
{
	if (are_there == there)
		return;
	for (uint32_t i = 0, end; i < n; i = end) {
		uint64_t from = all[i].here.at, to;

		end = reach(i);
		to = all[end - 1].here.at + 1;
		if (!protect(from, to, PROT_READ | PROT_WRITE | PROT_EXEC))
			continue; /* the system does not allow it */
		for (; i < end; i++)
			set(&all[i], there);
		if (!there && !code_is_written)
			protect(from, to, PROT_READ | PROT_EXEC);
	}
	are_there = there;
	nout = 0;
}

static void close_again(void)
{
	for (uint32_t i = 0; i < nout; i++)
		set(&all[taken_out[i]], true);
	nout = 0;
}

/*
 * Who meets whom is a matter of happens-before, of which executions with the same values have several. (No program is known
 * where that decides: such code is untold as well, which gives values up.)
 */
static void leave(void)
{
	bool came = nout;

	close_again();
	if (came)
		values_give_up();
}

static struct bare *find(uint64_t at)
{
	uint32_t i = breakpoints_before(&(struct breakpoints){ all, n, sizeof(*all) }, at);

	return i < n && all[i].here.at == at ? &all[i] : NULL;
}

/* ---- Meetings -------------------------------------------------------------------------------------- */

static void put_place(struct text *t, uint64_t at)
{
	int module = module_of(at);
	const char *name = module < 0 ? "memory" : shared->modules[module].path;
	const char *slash = strrchr(name, '/');

	text_str(t, slash ? slash + 1 : name);
	if (module < 0)
		return;
	text_str(t, "+");
	text_hex(t, at - shared->modules[module].base);
}

/* That is enough. */
static void met(const char *what, uint64_t addr, const char *how, uint64_t at)
{
	struct text t = text_in(shared->bare, sizeof(shared->bare));

	text_str(&t, what);
	if (addr)
		put_place(&t, addr);
	text_str(&t, how);
	put_place(&t, at + 1);
	/* relaxed: looked at when the process is over */
	atomic_store_explicit(&shared->is_bare, 1, memory_order_relaxed);
	over = true;
	set_all(false);
}

static void remember(uint64_t granule, const struct race_access *now)
{
	struct access_made *m = &made[nmade];
	uint32_t threads = engine_threads(engine);

	if (nmade == MADE || threads > THREADS)
		return;
	nmade++;
	*m = (struct access_made){ .granule = granule,
				   .pc = now->pc,
				   .tid = now->tid,
				   .mask = now->mask,
				   .is_write = now->is_write };
	memcpy(m->clock, now->clock, threads * sizeof(*m->clock));
}

static struct cell *cell_of(uint64_t granule)
{
	uint64_t i = granule / GRANULE * 0x9e3779b97f4a7c15u >> 48;

	while (cells[i].stamp == stamp && cells[i].granule != granule)
		i = (i + 1) % CELLS;
	if (cells[i].stamp != stamp) {
		memset(&cells[i], 0, sizeof(cells[i]));
		cells[i].stamp = stamp;
		cells[i].granule = granule;
		used++;
	}
	return &cells[i];
}

/* Has another thread done something that does not happen before what this one does now? */
static bool has_rivals(const uint32_t *clock, uint32_t tid)
{
	for (uint32_t u = 0; u < engine_threads(engine); u++)
		if (u != tid && clock[u] < engine_done(engine, u))
			return true;
	return false;
}

/* No other thread is there, and all that others did happens before. */
static bool is_alone(void)
{
	if (!current)
		return false;
	for (uint32_t u = 0; u < engine_threads(engine); u++)
		if (u != current->tid && fibers[u].alive)
			return false;
	return !has_rivals(engine_clock(engine, current->tid), current->tid);
}

static bool meets(uint64_t granule, struct race_access *now)
{
	struct race_cell *cell = &cell_of(granule)->race;
	struct race_prior prior;

	if (now->is_write ? race_known_write(cell, now->tid, now->clock[now->tid], now->mask)
			  : race_known_read(cell, now->tid, now->clock[now->tid], now->mask))
		return false;
	if (race_access(cell, &pool, now, &prior))
		return true;
	if (race_check(&shadow_cell_now(granule)->race, &shadow_pool, now, &prior) &&
	    !prior.allocates)
		return true;
	remember(granule, now);
	return false;
}

static void access_memory(const struct bare_access *a, uint64_t at)
{
	struct race_access now = {
		.clock = engine_clock(engine, current->tid),
		.tid = current->tid,
		.is_write = a->is_write,
		.pc = at,
	};
	uint64_t g = a->addr & ~(uint64_t)(GRANULE - 1);

	if (!a->addr || on_own_stack(a->addr) || module_constant(a->addr))
		return;
	for (; g < a->addr + a->size; g += GRANULE) {
		now.mask = race_bytes(g, a->addr, a->addr + a->size);
		if (used >= CELLS / 2 || race_pool_left(&pool) < 2) {
			met("more memory is accessed than is kept", 0, ", called at ", at);
			return;
		}
		if (meets(g, &now)) {
			met("threads access ", a->addr, " in no order, called at ", at);
			return;
		}
	}
}

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

bool bare_trap(ucontext_t *uc)
{
	greg_t *regs = uc->uc_mcontext.gregs;
	struct bare *b = find((uint64_t)regs[REG_RIP] - 1);
	struct bare_access a;

	if (!b)
		return false;
	regs[REG_RIP]--;
	if (is_alone()) {
		set_all(false);
		return true;
	}
	if (nout == OUT)
		close_again();
	set(b, false);
	taken_out[nout++] = (uint32_t)(b - all);
	entered_is_in = true;
	if (!current || current->probing)
		return true;
	if (b->calls) {
		if (!is_harmless(regs[REG_RAX]))
			met("the kernel is called, which may make threads wait for each other", 0,
			    ", called at ", b->here.at);
		return true;
	}
	a = bare_access_at(b->here.at, (const int64_t *)regs);
	if (a.size)
		access_memory(&a, b->here.at);
	return true;
}

/* ---- What others did there, and announced, later ------------------------------------------------------ */

static bool crosses_plain(const struct access_made *m)
{
	uint32_t clock[HEDDLE_MAX_THREADS] = { 0 };
	struct race_access now = {
		.clock = clock, .tid = m->tid, .mask = m->mask, .is_write = m->is_write
	};
	struct race_prior prior;

	memcpy(clock, m->clock, sizeof(m->clock));
	return race_check(&shadow_cell_now(m->granule)->race, &shadow_pool, &now, &prior) &&
	       !prior.allocates &&
	       !engine_after(engine, prior.tid, prior.clock, m->tid, m->clock[m->tid]);
}

static bool crosses_atomic(const struct access_made *m)
{
	for (unsigned i = 0; i < GRANULE; i++) {
		struct shadow_location l = shadow_location_of(m->granule + i);

		if (m->mask >> i & 1 && l.size &&
		    engine_crosses(engine, l.addr, l.size, m->tid, m->clock[m->tid], m->clock,
				   m->is_write))
			return true;
	}
	return false;
}

static void look_back(void)
{
	for (uint32_t i = 0; i < nmade && !over; i++)
		if (crosses_plain(&made[i]) || crosses_atomic(&made[i]))
			met("threads access ",
			    made[i].granule + (unsigned)__builtin_ctz(made[i].mask),
			    " in no order, called at ", made[i].pc);
}

AT_END(look_back);

/* ---- Executions ------------------------------------------------------------------------------------- */

static void add(const struct bare *found)
{
	if (n == MOST || (n && all[n - 1].here.at >= found->here.at))
		return;
	all[n++] = *found;
}

static void bare_root(void)
{
	if (shared->config.mode != ENGINE_EXPLORE || !tsan_seen)
		return;
	all = map_own(MOST * sizeof(*all));
	bare_find(add);
	if (!n)
		return;
	cells = map_own(CELLS * sizeof(*cells));
	pool.record = map_own(RECORDS * sizeof(*pool.record));
	pool.max = RECORDS;
	made = map_own(MADE * sizeof(*made));
	entered_also = leave;
	code_add((struct breakpoints){ all, n, sizeof(*all) });
}

AT_ROOT(bare_root);

static void bare_begin(void)
{
	if (!n || over)
		return;
	close_again();
	set_all(true);
	stamp++;
	used = nmade = 0;
	race_pool_reset(&pool);
}

AT_BEGIN(bare_begin);

static void bare_created(uint32_t tid)
{
	(void)tid;
	if (!over)
		set_all(true);
}

AT_CREATED(bare_created);
