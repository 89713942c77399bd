/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks.c - stacks and borrowed thread-local storage of the threads
 *
 * A fiber needs a thread control block that libc believes in: errno, stdio locks, thread
 * keys, C++ exceptions and thread_local all hang on FS. So every thread id other than
 * main's owns a real pthread, created with the real pthread_create on a stack that we
 * supply and parked for ever in a system call. glibc puts the static TLS block and struct
 * pthread at the top of that stack; the fiber sets FS to them and uses the rest of the same
 * stack below the parked thread's frames:
 *
 *	slot + size	struct pthread, static TLS	block_high
 *			frames of the parked thread	block_low
 *			the fiber's stack, downwards	stack_high
 *			nothing that may be touched	stack_low
 *	slot		nothing: below a stack faults	mapped_low
 *
 * [block_low, block_high), whole pages, is copied when the thread has parked (pristine) and
 * copied back when a fiber starts in a later execution, so that thread_local variables begin
 * afresh. The thread's dynamic thread vector is treated alike. Where the program has no such
 * variables, a block is write-protected from the second execution on, until its thread writes to
 * it for the first time, as the pages of libraries are (pages.c); many threads never do.
 *
 * A stack ends where the one that the program asked for would: natively, who needs more crashes. Some is added for our
 * hooks, which libc's functions would not need, so who goes but a little beyond is not found.
 *
 * Stacks do not begin at the same offset in a page, or they would all want the same few sets
 * of the caches.
 *
 * Blocks are made when an execution first needs the id, and kept. Address and pthread_t
 * depend on the id only, and on whether the stack is a large one.
 */
#include "preload/image/blocks.h"

#include <linux/futex.h>
#include <signal.h>
#include <string.h>

#include "engine/engine.h"
#include "preload/code/modules.h"
#include "preload/code/real.h"
#include "preload/core/context.h"
#include "preload/core/lasting.h"
#include "preload/core/own.h"
#include "preload/core/processors.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/rseq.h"
#include "preload/core/sys.h"
#include "preload/fiber/fiber.h"
#include "preload/image/pages.h"

LASTING(struct blocks_seen, blocks_seen);

void block_seen(uint32_t tid, size_t stack_size)
{
	if (stack_size > blocks_seen->stack_size[tid])
		blocks_seen->stack_size[tid] = stack_size;
	if (tid > blocks_seen->threads)
		blocks_seen->threads = tid;
}

enum {
	PAGE = 4096,
	DEFAULT_STACK = 8 << 20,
	USUAL_SLOT = 16 << 20,
	SMALLEST = 64 << 10,  /* of a stack, whatever was asked for */
	FOR_HOOKS = 64 << 10, /* of a stack, beyond what was asked for */
	LARGE_SLOT = 1 << 30,
	POOL = 1 << 20,
	COLOUR = 11 * 64, /* from the stack of one thread to that of the next, in a page */
};

/* Where the large ones begin. */
#define LARGE_SLOTS ((HEDDLE_MAX_THREADS * (uint64_t)USUAL_SLOT + LARGE_SLOT - 1) / LARGE_SLOT)

/* ---- Parked threads -------------------------------------------------------------------- */

/*
 * A parked thread must not touch its pages any more, or they could not be protected. It sleeps
 * on a futex of its own, with all signals blocked; who made it waits until the kernel can move
 * it to another one, which is to say that it sleeps. The kernel itself would write to the
 * thread's rseq area if it ever ran, so it gives that up before.
 */
struct parking {
	uint64_t frame;
	uint32_t bed, grave; /* futexes */
	bool quiet;          /* the kernel will not write to its pages */
};

static struct parking parking[HEDDLE_MAX_THREADS];
KEPT(parking);

static heddle_noreturn void park(struct parking *p)
{
	uint64_t all = ~0ull;

	sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, 0, 8);
	p->quiet = rseq_leave();
	/* release: partner is the acquire in wait_parked() */
	__atomic_store_n(&p->frame, (uint64_t)(uintptr_t)__builtin_frame_address(0),
			 __ATOMIC_RELEASE);
	for (;;)
		sys4(SYS_futex, (long)&p->bed, FUTEX_WAIT, 0, 0);
}

static void *parked_thread(void *arg)
{
	park(arg);
}

/*
 * Waits until the thread sleeps. It was made on the processor that we run on (processors_pin()), so it gets there
 * in the time we give it here.
 */
static uint64_t wait_parked(struct parking *p)
{
	while (sys6(SYS_futex, (long)&p->bed, FUTEX_CMP_REQUEUE, 0, 1, (long)&p->grave, 0) != 1)
		sys3(SYS_sched_yield, 0, 0, 0);
	/* acquire: partner is the release in park() */
	return __atomic_load_n(&p->frame, __ATOMIC_ACQUIRE);
}

/*
 * The slot of thread tid, for a stack of so many bytes. Those of the usual size lie close together,
 * where they share tables of the kernel's; each such table costs a new thread two microseconds.
 */
static uint64_t slot_of(uint32_t tid, size_t size)
{
	if (size <= USUAL_SLOT - 2 * PAGE)
		return OWN_STACKS + (uint64_t)tid * USUAL_SLOT;
	return OWN_STACKS + (LARGE_SLOTS + tid) * LARGE_SLOT;
}

static int stack_prot(void)
{
	return PROT_READ | PROT_WRITE | (modules_run_stacks() ? PROT_EXEC : 0);
}

/* Maps the stack of fiber tid; returns its top. */
static uint64_t stack_map(struct fiber *f, uint32_t tid, size_t size)
{
	uint64_t slot;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
	int prot = stack_prot();

	if (size < DEFAULT_STACK)
		size = DEFAULT_STACK;
	size = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
	if (size > LARGE_SLOT - 2 * PAGE)
		refuse("a thread asks for a stack of more than 1 GiB: ask for less", NULL);
	slot = slot_of(tid, size);
	if (sys_failed(sys_mmap(slot + PAGE, size, prot, flags, -1)))
		refuse("there is no address space for the stack of a thread: lift the limit (ulimit -v unlimited)",
		       NULL);
	f->stack_low = slot + PAGE;
	return slot + PAGE + size;
}

void block_stack_of(struct fiber *f, size_t size)
{
	uint64_t low = f->block_high - FOR_HOOKS - (size < SMALLEST ? SMALLEST : size);
	long err = 0;

	low &= ~(PAGE - 1ul);
	if (low < f->mapped_low || low > f->block_high)
		low = f->mapped_low;
	if (low > f->own_low)
		err = sys3(SYS_mprotect, (long)f->own_low, (long)(low - f->own_low), PROT_NONE);
	else if (low < f->own_low)
		err = sys3(SYS_mprotect, (long)low, (long)(f->own_low - low), stack_prot());
	if (err)
		refuse("the stack of a thread cannot be made as small as it is: lift the limit on mappings (vm.max_map_count)",
		       NULL);
	f->own_low = f->stack_low = low;
}

/* For pristine copies: they share pages, since each page more costs every thread a microsecond. */
static void *pool_take(size_t size)
{
	static char *next, *end;
	KEPT(next);
	void *p;

	size = (size + 63) & ~63ul;
	if ((size_t)(end - next) < size) {
		next = map_own(size + POOL);
		end = next + size + POOL;
	}
	p = next;
	next += size;
	return p;
}

static void pristine_save(struct fiber *f)
{
	size_t size = f->block_high - f->block_low;
	uint64_t *dtv = ((uint64_t **)f->tcb)[1];

	f->pristine = pool_take(size);
	memcpy(f->pristine, (void *)f->block_low, size);
	/* dtv[-1].counter: how many modules there is room for, after the generation. */
	f->dtv = (uint64_t)(uintptr_t)(dtv - 2);
	f->dtv_size = (dtv[-2] + 2) * 16;
	f->pristine_dtv = pool_take(f->dtv_size);
	memcpy(f->pristine_dtv, (void *)f->dtv, f->dtv_size);
}

/* ---- Protection -------------------------------------------------------------------------- */

/* Executions run in children: each finds all blocks fresh, but for ids that are given again. */
static bool released;
KEPT(released);

/*
 * Blocks are protected only where nobody but libc has variables there, since a system call
 * that is to write to a thread-local variable would fail.
 */
static bool opened; /* the kernel may be asked to write anywhere */
KEPT(opened);

static bool protects(void)
{
	static bool known, yes;

	if (!known)
		yes = shared->config.mode != ENGINE_REPLAY && !modules_have_tls();
	known = true;
	return yes && !released && !opened;
}

bool blocks_keep_main(void)
{
	static bool asked, quiet;

	/*
	 * In any case: what the kernel writes there, the processor that the process has come to, would be
	 * a change of memory that nobody told (unseen.c).
	 */
	if (!asked)
		quiet = rseq_leave() && protects();
	asked = true;
	return quiet;
}

/* The first execution is over: blocks are protected until they are written to. */
static bool guarded;
KEPT(guarded);

static size_t block_size(const struct fiber *f)
{
	return f->block_high - f->block_low;
}

static bool block_differs(const struct fiber *f)
{
	return memcmp((void *)f->block_low, f->pristine, block_size(f)) != 0;
}

static bool block_protected(const struct fiber *f)
{
	return guarded && f->block_low && !f->block_hot && protects();
}

static void block_set(struct fiber *f, int prot)
{
	sys3(SYS_mprotect, (long)f->block_low, (long)block_size(f), prot);
}

void blocks_guard(void)
{
	if (guarded || released)
		return;
	guarded = true;
	for (uint32_t t = 1; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		fibers[t].block_hot |= block_differs(&fibers[t]);
		if (block_protected(&fibers[t]))
			block_set(&fibers[t], PROT_READ);
	}
}

void blocks_open_all(void)
{
	for (uint32_t t = 1; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		if (block_protected(&fibers[t]))
			block_set(&fibers[t], PROT_READ | PROT_WRITE);
	opened = true;
}

bool blocks_fault(uint64_t addr)
{
	for (uint32_t t = 1; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		struct fiber *f = &fibers[t];

		if (addr < f->block_low || addr >= f->block_high || !block_protected(f))
			continue;
		f->block_hot = true;
		block_set(f, PROT_READ | PROT_WRITE);
		return true;
	}
	return false;
}

/* Between these two calls libc may write to all blocks. */
static void blocks_open(void)
{
	for (uint32_t t = 1; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		struct fiber *f = &fibers[t];

		if (block_protected(f))
			block_set(f, PROT_READ | PROT_WRITE);
		f->block_written = f->block_low && block_differs(f);
	}
}

static void blocks_close(void)
{
	for (uint32_t t = 1; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		struct fiber *f = &fibers[t];

		/* What libc wrote it wrote for the runtime: the links of its lists. */
		if (!f->block_written && block_differs(f))
			memcpy(f->pristine, (void *)f->block_low, block_size(f));
		if (block_protected(f))
			block_set(f, PROT_READ);
	}
}

/* The dynamic thread vector of a block as it was. */
static void dtv_restore(struct fiber *f)
{
	if (memcmp((void *)f->dtv, f->pristine_dtv, f->dtv_size))
		memcpy((void *)f->dtv, f->pristine_dtv, f->dtv_size);
}

void blocks_release(void)
{
	for (uint32_t t = 1; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		block_restore(&fibers[t]);
		dtv_restore(&fibers[t]);
	}
	for (uint32_t t = 1; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		if (block_protected(&fibers[t]))
			block_set(&fibers[t], PROT_READ | PROT_WRITE);
	released = true;
}

/* ---- Blocks ------------------------------------------------------------------------------ */

void block_prepare(uint32_t tid, size_t stack_size)
{
	struct fiber *f = &fibers[tid];
	uint64_t frame;
	struct self *caller = current;
	uint64_t top, all = ~0ull, before;
	struct processors processors;
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	if (f->tcb)
		return;
	top = stack_map(f, tid, stack_size);
	current = NULL; /* libc allocates for itself now, not for the program */
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, (void *)f->stack_low, top - f->stack_low);
	pages_open();
	blocks_open();
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, 8);
	processors_pin(&processors);
	err = REAL(pthread_create)(&thread, &attr, parked_thread, &parking[tid]);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, 8);
	if (err)
		internal_error("pthread_create failed: raise the limit on processes (ulimit -u)",
			       NULL);
	frame = wait_parked(&parking[tid]);
	processors_unpin(&processors);
	pthread_attr_destroy(&attr);
	current = caller;
	fiber_has_block(tid);
	f->tcb = (uint64_t)thread;
	f->block_high = top;
	f->block_low = (frame - 512) & ~(PAGE - 1ul);
	f->own_low = f->mapped_low = f->stack_low;
	f->own_high = f->stack_high = f->block_low - tid * COLOUR % PAGE;
	f->block_hot = !parking[tid].quiet;
	pristine_save(f);
	pages_close();
	blocks_close();
}

void block_restore(struct fiber *f)
{
	if (released && !f->existing)
		return;
	/* In the first execution nobody notes who writes to a block, and its thread's id may be given again. */
	if (f->block_hot || !guarded || !protects())
		memcpy((void *)f->block_low, f->pristine, f->block_high - f->block_low);
	if (!protects()) /* else no module has variables there that are made when first used */
		dtv_restore(f);
}
