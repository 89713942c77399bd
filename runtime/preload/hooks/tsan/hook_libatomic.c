/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_libatomic.c - atomic operations that compilers leave to libatomic
 *
 * gcc and clang call __atomic_load() and its family for objects of odd sizes, and clang for
 * structures of any size whose type is less aligned than the object (std::atomic<pair of
 * ints>), whose calls ThreadSanitizer's instrumentation does not change.
 *
 * An aligned object of 1, 2, 4, 8 or 16 bytes is an atomic location like any other. Around
 * all others libatomic holds a lock; here it is a lock of the object's own, and the access a
 * plain one under it, so that a plain access elsewhere races with it. That orders more than
 * relaxed operations on a word would, as libatomic does.
 *
 * Only calls from instrumented code count.
 */
/*
 * intercepts: Atomic operations
 *
 * explored __atomic_load __atomic_store __atomic_exchange __atomic_compare_exchange - of
 *	instrumented code: objects of odd sizes are read and written under a lock of their
 *	own
 */
#include "preload/hooks/hook.h"

#include <string.h>

#include "preload/access/atomic.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/code/modules.h"

/* As libatomic defines them; compilers know functions of these names by other prototypes. */
void libatomic_load(size_t size, const void *p, void *out, int mo) __asm__("__atomic_load");
void libatomic_store(size_t size, void *p, void *in, int mo) __asm__("__atomic_store");
void libatomic_exchange(size_t size, void *p, void *in, void *out,
			int mo) __asm__("__atomic_exchange");
bool libatomic_compare_exchange(size_t size, void *p, void *expected, void *desired, int mo,
				int mo_fail) __asm__("__atomic_compare_exchange");

#define LIBATOMIC(name) ((__typeof__(&libatomic_##name))real_lookup("__atomic_" #name, NULL))

static const uint8_t order_of[8] = { ORDER_RLX,     ORDER_ACQ, ORDER_ACQ, ORDER_REL,
				     ORDER_ACQ_REL, ORDER_SC,  ORDER_SC,  ORDER_SC };

static bool is_word(size_t size, const void *p)
{
	return size && size <= 16 && !(size & (size - 1)) && !((uintptr_t)p & (size - 1));
}

static struct value take(const void *from, size_t size)
{
	return perform_load((uintptr_t)from, (unsigned)size);
}

/* A value for the program, at a place of its own. */
static void give(void *to, size_t size, struct value v)
{
	note_plain_write((uintptr_t)to, size);
	perform_store((uintptr_t)to, (unsigned)size, v);
}

static struct op op_of(enum op_kind kind, size_t size, const void *p, int mo, uint64_t pc)
{
	return (struct op){
		.kind = (uint8_t)kind,
		.order = order_of[mo & 7],
		.size = (uint8_t)size,
		.addr = (uintptr_t)p,
		.pc = pc,
	};
}

/* ---- Under a lock ----------------------------------------------------------------------- */

/* What is about to be read is in memory behind that. */
static void reads(const void *p, size_t size, uint64_t pc)
{
	shadow_plain((uintptr_t)p, size, false, pc);
}

static void locked(const void *p, uint64_t pc)
{
	object_op(OP_LOCK, p, pc);
}

static void unlocked(const void *p, uint64_t pc)
{
	settle();
	object_op(OP_UNLOCK, p, pc);
}

static void copy(void *to, const void *from, size_t size)
{
	note_plain_write((uintptr_t)to, size);
	memcpy(to, from, size);
}

/* The object becomes that. */
static void write_object(void *p, const void *from, size_t size, uint64_t pc)
{
	shadow_plain((uintptr_t)p, size, true, pc);
	copy(p, from, size);
}

/* ---- The hooks -------------------------------------------------------------------------- */

ENTERED static void load(size_t size, const void *p, void *out, int mo)
{
	uint64_t pc = ENTRY_CALLER();
	struct op op = op_of(OP_LOAD, size, p, mo, pc);
	struct op_result res;

	if (!under_engine() || !memory_from_program(pc)) {
		LIBATOMIC(load)(size, p, out, mo);
	} else if (is_word(size, p)) {
		atomic_op(&op, &res);
		give(out, size, res.value);
	} else {
		locked(p, pc);
		reads(p, size, pc);
		copy(out, p, size);
		unlocked(p, pc);
	}
}
HOOK_ENTRY(__atomic_load, load, 4);

ENTERED static void store(size_t size, void *p, void *in, int mo)
{
	uint64_t pc = ENTRY_CALLER();
	struct op op = op_of(OP_STORE, size, p, mo, pc);
	struct op_result res;

	if (!under_engine() || !memory_from_program(pc)) {
		LIBATOMIC(store)(size, p, in, mo);
	} else if (is_word(size, p)) {
		op.arg = take(in, size);
		atomic_op(&op, &res);
	} else {
		locked(p, pc);
		write_object(p, in, size, pc);
		unlocked(p, pc);
	}
}
HOOK_ENTRY(__atomic_store, store, 4);

ENTERED static void exchange(size_t size, void *p, void *in, void *out, int mo)
{
	uint64_t pc = ENTRY_CALLER();
	struct op op = op_of(OP_RMW, size, p, mo, pc);
	struct op_result res;

	if (!under_engine() || !memory_from_program(pc)) {
		LIBATOMIC(exchange)(size, p, in, out, mo);
	} else if (is_word(size, p)) {
		op.fn = RMW_XCHG;
		op.arg = take(in, size);
		atomic_op(&op, &res);
		give(out, size, res.value);
	} else {
		locked(p, pc);
		reads(p, size, pc);
		copy(out, p, size);
		write_object(p, in, size, pc);
		unlocked(p, pc);
	}
}
HOOK_ENTRY(__atomic_exchange, exchange, 5);

ENTERED static bool compare_exchange(size_t size, void *p, void *expected, void *desired, int mo,
				     int mo_fail)
{
	uint64_t pc = ENTRY_CALLER();
	struct op op = op_of(OP_CAS, size, p, mo, pc);
	struct op_result res;
	bool same;

	if (!under_engine() || !memory_from_program(pc))
		return LIBATOMIC(compare_exchange)(size, p, expected, desired, mo, mo_fail);
	if (is_word(size, p)) {
		op.order_fail = order_of[mo_fail & 7];
		op.expected = take(expected, size);
		op.arg = take(desired, size);
		atomic_op(&op, &res);
		if (cas_succeeded(&op, &res))
			return true;
		give(expected, size, res.value);
		return false;
	}
	locked(p, pc);
	reads(p, size, pc);
	same = !memcmp(p, expected, size);
	if (same)
		write_object(p, desired, size, pc);
	else
		copy(expected, p, size);
	unlocked(p, pc);
	return same;
}
HOOK_ENTRY(__atomic_compare_exchange, compare_exchange, 6);
