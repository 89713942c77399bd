/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_tsan_plain.c - plain reads and writes, as the compilers' ThreadSanitizer
 * instrumentation announces them
 *
 * Each hook runs just before the access. When the shadow cell already knows an access of
 * this thread in its present epoch to these bytes, and nothing atomic lies there, the hook
 * is done after a few comparisons; some more tell that the access takes the place of what is
 * known (some 60 instructions); shadow_plain() does everything else, on the stack of hooks
 * (300). Volatile accesses are plain ones, unless --volatile=relaxed makes atomic ones of them (explored.h).
 *
 * Each TICK accesses the controller is told that the program is alive, and a thread that
 * spends two of these without an operation lets others go on: it may wait for what they do (yield.h).
 */
/*
 * intercepts: Plain accesses
 *
 * checked __tsan_read* __tsan_write* __tsan_unaligned_read* __tsan_unaligned_write* - for
 *	data races and memory errors; explored where a location is atomic, too, and with
 *	--plain=explore
 * checked __tsan_volatile_* __tsan_unaligned_volatile_* - likewise; explored with
 *	--volatile=relaxed
 * checked __tsan_vptr_read __tsan_vptr_update - likewise, of pointers to tables of virtual
 *	functions
 * checked __tsan_memcpy __tsan_memmove __tsan_memset - plain accesses to all bytes
 */
#include "preload/hooks/hook.h"

#include <string.h>

#include "preload/access/early.h"
#include "preload/access/explored.h"
#include "preload/access/yield.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/await/rounds.h"
#include "preload/core/lifecycle.h"
#include "preload/facts/explored_marks.h"
#include "preload/facts/memo.h"
#include "preload/fiber/fiber.h"
#include "preload/hooks/interrupt/deliver.h"
#include "preload/hooks/world/time.h"
#include "preload/report/racereport.h"

enum {
	TICK = 720720,
	TICKS_ALONE = 2, /* without an operation, before the thread yields, */
	AGAIN = 55440,   /* and then again after so many accesses (YIELDS_A_LOOK in yield.c) */
	SAMPLE_ACCESSES = 64,
	SAMPLE_PLACES = 4,
};

static uint32_t countdown = TICK;

/* Of each thread: how many ticks it has come to since its last operation, whose clock that is. */
static struct {
	uint32_t clock, ticks;
} alone[HEDDLE_MAX_THREADS];

/*
 * With --plain=explore, a thread that has done nothing else for a million accesses may be in a
 * loop that waits for a plain variable, and is then in the way of the race that would tell. It
 * is taken to be there when it reads again and again a few places only, and writes nothing.
 */
static struct {
	uint32_t accesses, places; /* accesses: still to be looked at; 0: none */
	struct access place[SAMPLE_PLACES];
} sample;

/* When a thread yields depends on nothing that was before this execution. */
static void accesses_begin(void)
{
	countdown = TICK;
	memset(alone, 0, sizeof(alone));
	sample.accesses = 0;
}

AT_BEGIN(accesses_begin);

static void sample_end(void)
{
	for (uint32_t i = 0; i < sample.places; i++)
		explored_race(&sample.place[i], sample.place[i].addr, sample.place[i].size);
}

static void sample_access(uint64_t addr, unsigned size, bool is_write)
{
	uint32_t i = 0;

	while (i < sample.places && sample.place[i].addr != addr)
		i++;
	if (is_write || i == SAMPLE_PLACES) {
		sample.accesses = 0;
		return;
	}
	if (i == sample.places)
		sample.place[sample.places++] = (struct access){ .addr = addr, .size = size };
	if (!--sample.accesses)
		sample_end();
}

/* How often has the thread come here and done nothing else? */
static uint32_t ticks_alone(void)
{
	uint32_t tid = current->tid, clock = current->clock[tid];

	alone[tid].ticks = alone[tid].clock == clock ? alone[tid].ticks + 1 : 0;
	alone[tid].clock = clock;
	return alone[tid].ticks;
}

/* yield_in_loop() on the stack of hooks, so that the state of the thread is known. */
void loop_yields(uint64_t pc, bool for_good);
QUIET_ENTRY(loop_yields, yield_in_loop, 2);

/* Returns after how many accesses it is to be called again. */
static __attribute__((noinline)) uint32_t tick(uint64_t addr, unsigned size, bool is_write,
					       uint64_t pc)
{
	uint32_t ticks;

	if (!current)
		return TICK;
	if (sample.accesses) {
		sample_access(addr, size, is_write);
		return sample.accesses ? 1 : TICK;
	}
	atomic_fetch_add_explicit(&shared->accesses, TICK, memory_order_relaxed);
	ticks = ticks_alone();
	if (ticks == 1 && shared->config.setting[SETTING_PLAIN] && !current->probing) {
		sample.accesses = SAMPLE_ACCESSES;
		sample.places = 0;
		return 1;
	}
	if (ticks < TICKS_ALONE)
		return TICK;
	/* Handlers begin between no plain accesses (interrupt.c), and might end a loop that waits for them. */
	loop_yields(pc, !deliver_may_interrupt() && !time_watch.rings);
	/* The watchdog is to see that it was no operation of the program. */
	atomic_fetch_sub_explicit(&shared->heartbeat, 1, memory_order_relaxed);
	return AGAIN;
}

static inline void count(uint64_t addr, unsigned size, bool is_write, uint64_t pc)
{
	if (unlikely(!--countdown)) {
		countdown = TICK; /* tick() may not return */
		countdown = tick(addr, size, is_write, pc);
	}
}

/* The bytes of its granule that an access of at most 8 touches. */
static inline unsigned bytes_of(uint64_t addr, unsigned size)
{
	return ((1u << (size & 15)) - 1) << (addr & 7);
}

#ifndef __OPTIMIZE__
#error "Compile the runtime with -O1 or more: else its last calls leave frames behind that count as the program's."
#endif

/*
 * These hooks leave nothing in registers. A compiler may keep what stands in the upper half of one (`mov 8(%rbx), %al`, and all
 * of eax is saved: clang), and then it is part of the state of a thread, which is to be the same whenever it is back
 * there (await, timeout.c).
 */
#if __has_attribute(zero_call_used_regs)
#define LEAVES_NOTHING __attribute__((zero_call_used_regs("all-gpr")))
#else
#define LEAVES_NOTHING
#endif
#define PLAIN_HOOK HEDDLE_HOOK LEAVES_NOTHING

ENTERED unsigned __int128 impl_plain(uint64_t addr, uint64_t size, bool is_write, uint64_t pc)
{
	shadow_plain(addr, size, is_write, pc);
	return 0; /* nor there */
}

/* shadow_plain() on the stack of hooks. A last call, so nothing of ours is on the program's. */
void plain(uint64_t addr, uint64_t size, bool is_write, uint64_t pc);
QUIET_ENTRY(plain, impl_plain, 4);

/* Does the cell say nothing but what plain accesses did, and does nobody else want to know of one? */
static inline __attribute__((always_inline)) bool is_all_plain(struct shadow_cell *cell,
							       const struct self *me, uint64_t addr,
							       unsigned size)
{
	if (size > 8 || (addr & 7) + size > 8 || pending_store.size || me->probing || watching ||
	    objects_watched)
		return false;
	if (cell->stamp != shadow_stamp) {
		if (heap_covers(addr) || explored_any)
			return false;
		*cell = (struct shadow_cell){ .stamp = shadow_stamp };
	}
	return !cell->bytes;
}

/* Notes a read in the window of a thread, where that counts (rounds.h); false: not in this way. */
static inline __attribute__((always_inline)) bool touched(struct self *me, uint64_t addr,
							  unsigned size)
{
	struct touch *t;

	if (unlikely(rounds_weak))
		return false;
	if (!me->window || !rounds_counted)
		return true;
	t = &me->touch[me->ntouch];
	if (me->ntouch == TOUCHES)
		return false;
	*t = (struct touch){ .addr = addr, .size = size, .behind = (uint16_t)me->window };
	me->ntouch += t[-1].addr != addr || t[-1].size != size || t[-1].behind != t->behind;
	return true;
}

/*
 * The first access of the thread since its last operation, and not to another one's stack (foreign.h). Like what the hooks look at first, without a trace
 * on the program's stack but for saved registers, and with last calls only: what it leaves below the program's
 * frames must be the same in every execution, and a place in the graph is not.
 */
static __attribute__((noinline)) LEAVES_NOTHING void plain_new_read(uint64_t addr, unsigned size,
								    uint64_t pc,
								    struct shadow_cell *cell)
{
	struct self *me = current;

	if ((!on_any_stack(addr) || on_own_stack(addr)) && is_all_plain(cell, me, addr, size) &&
	    touched(me, addr, size) &&
	    race_next_read(&cell->race, me->tid, me->clock, bytes_of(addr, size), pc)) {
		me->only_locks &= (uint8_t)~TOUCHED_NOTHING;
		return;
	}
	plain(addr, size, false, pc);
}

/* Likewise; not where it may be another thread's stack, which await_foreign_write() wants to know. */
static __attribute__((noinline)) LEAVES_NOTHING void plain_new_write(uint64_t addr, unsigned size,
								     uint64_t pc,
								     struct shadow_cell *cell)
{
	struct self *me = current;
	bool own = on_own_stack(addr);

	if (!(me->window | me->logs) && !rounds_weak && (own || !on_any_stack(addr)) &&
	    is_all_plain(cell, me, addr, size) &&
	    race_next_write(&cell->race, me->tid, me->clock, bytes_of(addr, size), pc)) {
		me->only_locks &= own ? WROTE_STACK : 0;
		return;
	}
	plain(addr, size, true, pc);
}

static inline __attribute__((always_inline)) void plain_read(uint64_t addr, unsigned size,
							     uint64_t pc)
{
	struct self *me = current;
	struct shadow_cell *cell;

	if (!me) {
		early_access(addr, size, false, false, pc);
		return;
	}
	count(addr, size, false, pc);
	cell = shadow_cell(addr);
	if (likely(size <= 8 && (addr & 7) + size <= 8 && shadow_quiet(cell) &&
		   !pending_store.size && !me->probing &&
		   race_known_read(&cell->race, me->tid, me->clock[me->tid],
				   bytes_of(addr, size)) &&
		   (!me->window || touched(me, addr, size))))
		return;
	plain_new_read(addr, size, pc, cell);
}

static inline __attribute__((always_inline)) void plain_write(uint64_t addr, unsigned size,
							      uint64_t pc)
{
	const struct self *me = current;
	struct shadow_cell *cell;

	if (!me) {
		early_access(addr, size, true, false, pc);
		return;
	}
	count(addr, size, true, pc);
	cell = shadow_cell(addr);
	if (likely(size <= 8 && (addr & 7) + size <= 8 && shadow_quiet(cell) &&
		   !pending_store.size && !me->window &&
		   race_known_write(&cell->race, me->tid, me->clock[me->tid],
				    bytes_of(addr, size))))
		return;
	plain_new_write(addr, size, pc, cell);
}

#define ADDR(p) ((uint64_t)(uintptr_t)(p))

/* ---- Volatile accesses ------------------------------------------------------------------ */

/* explored_read() and explored_write() on the stack of hooks, likewise last calls. */
void relaxed_read(uint64_t addr, uint64_t size, uint64_t pc);
LOCAL_ENTRY(relaxed_read, explored_read, 3);
void relaxed_write(uint64_t addr, uint64_t size, uint64_t pc);
LOCAL_ENTRY(relaxed_write, explored_write, 3);

/* Handlers begin before volatile accesses, too: between two of a sig_atomic_t, say (interrupt.c). To enter it is to look. */
ENTERED void impl_look(void)
{
}
void look_for_signals(void);
LOCAL_ENTRY(look_for_signals, impl_look, 0);

static inline bool is_relaxed(uint64_t addr, unsigned size)
{
	return current && unlikely(shared->config.setting[SETTING_VOLATILE]) &&
	       explored_fits(addr, size);
}

/* Who writes there is another process: a child that leaves its result in a volatile object is all right. */
static inline __attribute__((always_inline)) void volatile_read(uint64_t addr, unsigned size,
								uint64_t pc)
{
	if (shared)
		kin_uses((const volatile void *)addr, "a volatile object");
	if (is_relaxed(addr, size)) {
		relaxed_read(addr, size, pc);
		return;
	}
	if (unlikely(current && current->interrupted))
		look_for_signals();
	plain_read(addr, size, pc);
}

static inline __attribute__((always_inline)) void volatile_write(uint64_t addr, unsigned size,
								 uint64_t pc)
{
	if (is_relaxed(addr, size)) {
		relaxed_write(addr, size, pc);
		return;
	}
	if (unlikely(current && current->interrupted))
		look_for_signals();
	plain_write(addr, size, pc);
}

/* The four forms of one hook: as the access is, unaligned, volatile, with its pc. */
#define HOOK_READ(n)                                                 \
	PLAIN_HOOK void __tsan_read##n(const void *p)                \
	{                                                            \
		plain_read(ADDR(p), n, CALLER());                    \
	}                                                            \
	PLAIN_HOOK void __tsan_volatile_read##n(const void *p)       \
	{                                                            \
		volatile_read(ADDR(p), n, CALLER());                 \
	}                                                            \
	PLAIN_HOOK void __tsan_read##n##_pc(const void *p, void *pc) \
	{                                                            \
		plain_read(ADDR(p), n, ADDR(pc));                    \
	}
#define HOOK_WRITE(n)                                           \
	PLAIN_HOOK void __tsan_write##n(void *p)                \
	{                                                       \
		plain_write(ADDR(p), n, CALLER());              \
	}                                                       \
	PLAIN_HOOK void __tsan_volatile_write##n(void *p)       \
	{                                                       \
		volatile_write(ADDR(p), n, CALLER());           \
	}                                                       \
	PLAIN_HOOK void __tsan_write##n##_pc(void *p, void *pc) \
	{                                                       \
		plain_write(ADDR(p), n, ADDR(pc));              \
	}                                                       \
	/* clang -tsan-compound-read-before-write */            \
	PLAIN_HOOK void __tsan_read_write##n(void *p)           \
	{                                                       \
		plain_read(ADDR(p), n, CALLER());               \
		plain_write(ADDR(p), n, CALLER());              \
	}
#define HOOK_UNALIGNED(n)                                                \
	PLAIN_HOOK void __tsan_unaligned_read##n(const void *p)          \
	{                                                                \
		plain_read(ADDR(p), n, CALLER());                        \
	}                                                                \
	PLAIN_HOOK void __tsan_unaligned_volatile_read##n(const void *p) \
	{                                                                \
		volatile_read(ADDR(p), n, CALLER());                     \
	}                                                                \
	PLAIN_HOOK void __tsan_unaligned_write##n(void *p)               \
	{                                                                \
		plain_write(ADDR(p), n, CALLER());                       \
	}                                                                \
	PLAIN_HOOK void __tsan_unaligned_volatile_write##n(void *p)      \
	{                                                                \
		volatile_write(ADDR(p), n, CALLER());                    \
	}                                                                \
	PLAIN_HOOK void __tsan_unaligned_read_write##n(void *p)          \
	{                                                                \
		plain_read(ADDR(p), n, CALLER());                        \
		plain_write(ADDR(p), n, CALLER());                       \
	}
#define HOOKS(n) HOOK_READ(n) HOOK_WRITE(n)

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
HOOK_UNALIGNED(1)
HOOK_UNALIGNED(2)
HOOK_UNALIGNED(4)
HOOK_UNALIGNED(8)
HOOK_UNALIGNED(16)

/* ---- Ranges ----------------------------------------------------------------------------- */

PLAIN_HOOK void __tsan_read_range(const void *p, unsigned long size)
{
	plain(ADDR(p), size, false, CALLER());
}

PLAIN_HOOK void __tsan_write_range(void *p, unsigned long size)
{
	plain(ADDR(p), size, true, CALLER());
}

PLAIN_HOOK void __tsan_read_range_pc(const void *p, unsigned long size, void *pc)
{
	plain(ADDR(p), size, false, ADDR(pc));
}

PLAIN_HOOK void __tsan_write_range_pc(void *p, unsigned long size, void *pc)
{
	plain(ADDR(p), size, true, ADDR(pc));
}

/* clang calls these instead of the functions of libc. */
HEDDLE_HOOK void *__tsan_memcpy(void *to, const void *from, size_t size)
{
	shadow_plain(ADDR(from), size, false, CALLER());
	shadow_plain(ADDR(to), size, true, CALLER());
	return memcpy(to, from, size);
}

HEDDLE_HOOK void *__tsan_memmove(void *to, const void *from, size_t size)
{
	shadow_plain(ADDR(from), size, false, CALLER());
	shadow_plain(ADDR(to), size, true, CALLER());
	return memmove(to, from, size);
}

HEDDLE_HOOK void *__tsan_memset(void *to, int byte, size_t size)
{
	shadow_plain(ADDR(to), size, true, CALLER());
	return memset(to, byte, size);
}

/* ---- The pointer of a C++ object to its virtual functions ------------------------------- */

/* A write of the value that is there already (as constructors and destructors of a class
 * hierarchy do) changes nothing and races with nothing. */
PLAIN_HOOK void __tsan_vptr_update(void **p, void *value)
{
	if (*p != value)
		plain_write(ADDR(p), sizeof(*p), CALLER());
}

PLAIN_HOOK void __tsan_vptr_read(void **p)
{
	plain_read(ADDR(p), sizeof(*p), CALLER());
}
