/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explored.c - accesses by ordinary instructions that count as relaxed atomic ones
 *
 * A read is performed before the instruction, which then finds in memory what the engine says
 * that it reads. So memory holds what was read last rather than what was written last, and
 * code that is not instrumented may see either.
 *
 * A write is performed after the instruction, as with plain writes of locations that are
 * also accessed atomically (promote.c): by the thread's next hook. The location's initial
 * value must be taken before.
 *
 * Where plain accesses are explored (--plain=explore) is found out by their races. The list of
 * these locations, in the order in which they were found, is shared with the controller, and
 * part of a trace: in a replay they are known by their places, since addresses may differ. When
 * accesses of several sizes meet, the location becomes several of the smallest size. Such a
 * location is marked in shadow memory as an atomic one when it is first touched, and
 * promote.c makes events of its accesses.
 *
 * What a read puts into memory is there for the instruction that follows, and for nobody else: whoever reads the
 * location next asks the engine. So for the redundant-round rule that is no write; it is only undone
 * behind a probe, since the initial value may not have been taken yet. In a probe a write ends the run: what it
 * writes is not known yet.
 *
 * Callers: the hooks of accesses, on the stack of hooks.
 */
#include "target/explored.h"

#include "engine/engine.h"
#include "target/await.h"
#include "target/driver.h"
#include "target/fiber.h"
#include "target/hooks.h"
#include "target/shadow.h"
#include "target/steal.h"

static struct op op_of(enum op_kind kind, uint64_t addr, uint64_t size, uint64_t pc)
{
	return (struct op){
		.kind = (uint8_t)kind,
		.order = ORDER_RLX,
		.size = (uint8_t)size,
		.addr = addr,
		.pc = pc,
	};
}

void explored_read(uint64_t addr, uint64_t size, uint64_t pc)
{
	struct op op = op_of(OP_LOAD, addr, size, pc);
	struct op_result res;

	if (!current)
		return;
	atomic_op(&op, &res);
	if (value_eq(perform_load(addr, op.size), res.value))
		return;
	note_shown(addr, size);
	if (may_be_on_stack(addr))
		await_foreign_write(addr, size, true);
	perform_store(addr, op.size, res.value);
}

void explored_write(uint64_t addr, uint64_t size, uint64_t pc)
{
	struct op op = op_of(OP_STORE, addr, size, pc);

	if (!current)
		return;
	if (current->probing)
		probe_differs();
	settle();
	shadow_atomic_begin(&op, op.addr, op.size);
	engine_meet(engine, &op);
	note_plain_write(addr, size);
	if (may_be_on_stack(addr))
		await_foreign_write(addr, size, false);
	pending_store = (struct access){
		.addr = addr,
		.size = size,
		.pc = pc,
		.is_write = true,
		.is_atomic = true,
	};
}

void explored_flush(const struct access *access)
{
	struct op op = op_of(OP_STORE, access->addr, access->size, access->pc);
	struct op_result res;

	op.arg = perform_load(access->addr, op.size);
	atomic_op(&op, &res);
}

/* ---- Locations with races ---------------------------------------------------------------- */

enum {
	SLOTS = 4 * SHARED_MAX_EXPLORED,
};

struct slot {
	uint64_t granule; /* 0: free */
	uint32_t marks;
};

bool explored_any;

static struct slot slots[SLOTS];
static uint32_t taken; /* entries of the list that are in slots */

static struct slot *slot_of(uint64_t granule)
{
	uint64_t i = granule * 0x9e3779b97f4a7c15ul >> 54;

	while (slots[i % SLOTS].granule && slots[i % SLOTS].granule != granule)
		i++;
	return &slots[i % SLOTS];
}

static unsigned size_at(uint32_t marks, unsigned at)
{
	unsigned b = marks >> at * 4 & 15;

	return b >= BYTE_ATOMIC_1 && b < BYTE_ATOMIC_16 ? 1u << (b - BYTE_ATOMIC_1) : 0;
}

/* The marks with a location added; what overlaps becomes one of the smallest size. */
static uint32_t add_marks(uint32_t marks, unsigned at, unsigned size)
{
	unsigned low = at, high = at + size, unit = size;

	for (unsigned i = 0; i < 8; i++) {
		unsigned n = size_at(marks, i);

		if (!n || i + n <= at || i >= at + size)
			continue;
		low = i < low ? i : low;
		high = i + n > high ? i + n : high;
		unit = n < unit ? n : unit;
	}
	for (unsigned i = low; i < high && i < 8; i++) {
		uint32_t b = i % unit ? BYTE_INSIDE : BYTE_ATOMIC_1 + (unsigned)__builtin_ctz(unit);

		marks = (marks & ~(15u << i * 4)) | b << i * 4;
	}
	return marks;
}

/* It may have been found by a worker that was started earlier, and had other addresses. */
static uint64_t address_now(const struct explored *x)
{
	const struct place *p = &x->place;

	if (p->kind == PLACE_GLOBAL && p->module < shared->nmodules)
		return shared->modules[p->module].base + p->offset;
	if (p->kind == PLACE_STACK && !p->thread)
		return fibers[0].stack_high - p->offset;
	return x->addr; /* the runtime's own part of the address space is always the same */
}

void explored_root(void)
{
	uint32_t n = 0;

	for (; steal_explored(n, &shared->explored[n]); n++)
		shared->explored[n].addr = address_now(&shared->explored[n]);
	if (n)
		atomic_store_explicit(&shared->nexplored, n, memory_order_relaxed);
}

void explored_begin(void)
{
	uint32_t n = atomic_load_explicit(&shared->nexplored, memory_order_relaxed);

	explored_any = n != 0;
	if (shared->config.mode == ENGINE_REPLAY)
		return;
	for (; taken < n; taken++) {
		const struct explored *x = &shared->explored[taken];
		struct slot *slot;

		if (x->place.kind == PLACE_THREAD)
			continue;
		slot = slot_of(x->addr & ~7ul);
		slot->granule = x->addr & ~7ul;
		slot->marks = add_marks(slot->marks, x->addr & 7, x->size);
	}
}

/* In a replay addresses may be others; offsets into a stack grow downwards. */
static uint32_t marks_by_place(uint64_t granule)
{
	uint32_t n = atomic_load_explicit(&shared->nexplored, memory_order_relaxed), marks = 0;
	struct place here = place_of(granule);

	for (uint32_t i = 0; i < n; i++) {
		const struct place *p = &shared->explored[i].place;
		uint64_t at = here.kind == PLACE_STACK ? here.offset - p->offset
						       : p->offset - here.offset;

		if (p->kind == here.kind && p->module == here.module && p->thread == here.thread &&
		    p->count == here.count && at < 8)
			marks = add_marks(marks, (unsigned)at, shared->explored[i].size);
	}
	return marks;
}

uint32_t explored_marks(uint64_t granule)
{
	if (!explored_any)
		return 0;
	if (shared->config.mode == ENGINE_REPLAY)
		return marks_by_place(granule);
	return slot_of(granule)->marks;
}

void explored_learn(const struct explored *what)
{
	uint32_t n = atomic_load_explicit(&shared->nexplored, memory_order_relaxed);

	if (n == SHARED_MAX_EXPLORED)
		refuse("more than 256 locations with races, or signals that interrupt threads: too "
		       "many to explore",
		       NULL);
	shared->explored[n] = *what;
	atomic_store_explicit(&shared->nexplored, n + 1, memory_order_relaxed);
	dump_forget();
	steal_explore(what);
	if (steal_restart(RESTART_PLACES))
		stop_exploration();
	restart_exploration();
}

/* Notes the location; returns if it is known already. */
static void learn(uint64_t addr, uint64_t size)
{
	struct explored new = { .place = place_of(addr), .addr = addr, .size = (uint32_t)size };
	uint32_t marks = explored_marks(addr & ~7ul);

	if (add_marks(marks, addr & 7, (unsigned)size) != marks && new.place.kind != PLACE_UNKNOWN)
		explored_learn(&new);
}

void explored_race(const struct access *access, uint64_t addr, uint64_t size)
{
	if (!shared->config.setting[SETTING_PLAIN] || shared->config.mode == ENGINE_REPLAY ||
	    access->is_free)
		return;
	if (explored_fits(access->addr, access->size))
		learn(access->addr, access->size);
	else if (explored_fits(addr, size))
		learn(addr, size);
	else
		learn(addr, 1);
}

void explored_split(uint64_t addr, uint64_t size)
{
	learn(addr, explored_fits(addr, size) ? size : 1);
	internal_error("an explored location cannot be made smaller", NULL);
}
