/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_tsan_atomic.c - atomic operations and fences, as the compilers' ThreadSanitizer
 * instrumentation calls them
 *
 * Each becomes one operation of the engine. What the engine says was written is stored into
 * memory at once, so that code that is not instrumented, and plain reads that are ordered,
 * find it there. This is the hot path of an exploration: besides perform(), one look at the
 * shadow cell.
 *
 * Outside the engine (before the first thread exists) the operation happens natively, unless main spins.
 */
/*
 * intercepts: Atomic operations
 *
 * explored __tsan_atomic*_load - each write that the memory model lets it read
 * explored __tsan_atomic*_store __tsan_atomic*_exchange __tsan_atomic*_fetch_*
 *	__tsan_atomic*_compare_exchange_* - of 8, 16, 32, 64 and 128 bits
 * explored __tsan_atomic_thread_fence - as the memory model has it
 * ignored __tsan_atomic_signal_fence - there are no signal handlers to order
 */
#include "preload/hooks/hook.h"

#include "preload/access/atomic.h"
#include "preload/access/early.h"
#include "preload/access/parts.h"
#include "preload/access/promote.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/await/follow.h"
#include "preload/core/active.h"
#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/hooks/thread/run.h"
#include "preload/hooks/tsan/native.h"
#include "preload/report/memreport.h"
#include "preload/report/racereport.h"
#include "preload/step/perform.h"

typedef uint8_t a8;
typedef uint16_t a16;
typedef uint32_t a32;
typedef uint64_t a64;
typedef unsigned __int128 a128;

/* memory_order as the compilers pass it; consume is acquire. Higher bits are hints. */
static const uint8_t order_of_tsan[8] = { ORDER_RLX,     ORDER_ACQ, ORDER_ACQ, ORDER_REL,
					  ORDER_ACQ_REL, ORDER_SC,  ORDER_SC,  ORDER_SC };
#define ORDER(mo) order_of_tsan[(mo)&7]

static inline struct value wide_value(a128 v)
{
	return (struct value){ .lo = (uint64_t)v, .hi = (uint64_t)(v >> 64) };
}

static inline a128 wide_number(struct value v)
{
	return (a128)v.hi << 64 | v.lo;
}

#define TO_VALUE(type, v)   (sizeof(type) == 16 ? wide_value((a128)(v)) : value_of((uint64_t)(v)))
#define FROM_VALUE(type, v) (sizeof(type) == 16 ? (type)wide_number(v) : (type)(v).lo)

/* atomic_op() for a hook of its own, by the size of the type. */
#define OPERATE(type, p, ...)                                                                   \
	struct op op = {                                                                        \
		.size = sizeof(type), .addr = (uintptr_t)(p), .pc = ENTRY_CALLER(), __VA_ARGS__ \
	};                                                                                      \
	struct op_result res;                                                                   \
	struct shadow_cell *cell = NULL;                                                        \
                                                                                                \
	settle();                                                                               \
	if (op.kind != OP_STORE && unlikely(may_be_on_stack((uintptr_t)(p))))                   \
		promote_unannounced(&op);                                                       \
	if (likely(!current->probing))                                                          \
		cell = shadow_atomic_begin(&op, (uintptr_t)(p), sizeof(type));                  \
	if (unlikely(cell == SHADOW_PARTS)) {                                                   \
		parts_op(&op, &res);                                                            \
		cell = NULL;                                                                    \
	} else {                                                                                \
		perform_entered(&op, &res);                                                     \
	}                                                                                       \
	if (res.wrote)                                                                          \
		*(volatile type *)(p) = FROM_VALUE(type, res.stored);                           \
	if (unlikely(may_be_on_stack((uintptr_t)(p))))                                          \
		atomic_on_stack(&op, res.wrote);                                                \
	if (likely(cell))                                                                       \
		shadow_atomic_end(cell, &op, (uintptr_t)(p), sizeof(type), res.wrote);          \
	if (unlikely(watching))                                                                 \
		watch_atomic(&op, res.wrote);                                                   \
	if (unlikely((uint8_t)res.value.lo == HEAP_POISON))                                     \
	check_initialised(&op, &res)

/* ---- The operations outside the engine -------------------------------------------------- */

/* cmpxchg16b: gcc would call libatomic, which need not be there. */
static bool native_cas_a128(volatile a128 *p, a128 *expected, a128 desired)
{
	uint64_t lo = (uint64_t)*expected, hi = (uint64_t)(*expected >> 64);
	bool ok;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(ok), "+m"(*p), "+a"(lo), "+d"(hi)
			 : "b"((uint64_t)desired), "c"((uint64_t)(desired >> 64))
			 : "memory");
	*expected = (a128)hi << 64 | lo;
	return ok;
}

#define NATIVE(bits)                                                                              \
	static bool native_cas_a##bits(volatile a##bits *p, a##bits *expected, a##bits desired)   \
	{                                                                                         \
		return __atomic_compare_exchange_n(p, expected, desired, false, __ATOMIC_SEQ_CST, \
						   __ATOMIC_SEQ_CST);                             \
	}
NATIVE(8)
NATIVE(16)
NATIVE(32)
NATIVE(64)

#define NATIVE_RMW(type)                                                        \
	static type native_rmw_##type(volatile type *p, enum rmw_fn fn, type v) \
	{                                                                       \
		type old = *p, new;                                             \
                                                                                \
		do {                                                            \
			switch (fn) {                                           \
			case RMW_ADD:                                           \
				new = old + v;                                  \
				break;                                          \
			case RMW_SUB:                                           \
				new = old - v;                                  \
				break;                                          \
			case RMW_AND:                                           \
				new = old &v;                                   \
				break;                                          \
			case RMW_OR:                                            \
				new = old | v;                                  \
				break;                                          \
			case RMW_XOR:                                           \
				new = old ^ v;                                  \
				break;                                          \
			case RMW_NAND:                                          \
				new = ~(old & v);                               \
				break;                                          \
			default:                                                \
				new = v;                                        \
				break;                                          \
			}                                                       \
		} while (!native_cas_##type(p, &old, new));                     \
		return old;                                                     \
	}
NATIVE_RMW(a8)
NATIVE_RMW(a16)
NATIVE_RMW(a32)
NATIVE_RMW(a64)
NATIVE_RMW(a128)

#define NATIVE_LOAD(type)                                      \
	static type native_load_##type(const volatile type *p) \
	{                                                      \
		return __atomic_load_n(p, __ATOMIC_SEQ_CST);   \
	}
NATIVE_LOAD(a8)
NATIVE_LOAD(a16)
NATIVE_LOAD(a32)
NATIVE_LOAD(a64)
/* A 16-byte load by cmpxchg16b would fault on read-only memory; while one thread exists,
 * two halves are the same. */
static a128 native_load_a128(const volatile a128 *p)
{
	return *p;
}

/* ---- The hooks -------------------------------------------------------------------------- */

/*
 * A loop of the only thread that finds the same again and again goes on for ever, unless it counts. Which of these is
 * for the exploration to say: it begins here then, as it does where the first thread is created. The operation at hand
 * is still done as it stands, and changes nothing either.
 */
static void early_spins(uint64_t addr, unsigned size)
{
	if (rooted || !init_active() || !early_same(addr, size))
		return;
	spawn_root(OUTSET_LOOP);
	current->clock = engine_clock(engine, current->tid); /* as behind an operation */
}

/* Is the operation to be done as it stands, since nobody decides it? */
static inline __attribute__((always_inline)) bool is_native(const volatile void *p, unsigned size,
							    bool reads, bool writes, uint64_t pc)
{
	const uint64_t addr = (uintptr_t)p;

	kin_uses(p, "an atomic object");
	if (under_engine())
		return false;
	early_access(addr, size, writes, true, pc);
	if (unlikely(reads && heap_covers(addr)))
		early_reads(&(struct access){ .addr = addr,
					      .size = size,
					      .pc = pc,
					      .is_write = writes,
					      .is_atomic = true });
	early_spins((uintptr_t)p, size);
	return true;
}

bool atomic_is_native(const volatile void *p, unsigned size, bool reads, bool writes, uint64_t pc)
{
	return is_native(p, size, reads, writes, pc);
}

/* Registers that a value takes, but for the first one. */
#define WIDE_8   0
#define WIDE_16  0
#define WIDE_32  0
#define WIDE_64  0
#define WIDE_128 1

#define HOOK_LOAD(bits, type)                                                \
	ENTERED static type load_##type(const volatile type *p, int mo)      \
	{                                                                    \
		if (is_native(p, sizeof(type), true, false, ENTRY_CALLER())) \
			return native_load_##type(p);                        \
		OPERATE(type, p, .kind = OP_LOAD, .order = ORDER(mo));       \
		return FROM_VALUE(type, res.value);                          \
	}                                                                    \
	HOOK_ENTRY(__tsan_atomic##bits##_load, load_##type, 2);

#define HOOK_STORE(bits, type)                                                                    \
	ENTERED static void store_##type(volatile type *p, type v, int mo)                        \
	{                                                                                         \
		if (is_native(p, sizeof(type), false, true, ENTRY_CALLER())) {                    \
			native_rmw_##type(p, RMW_XCHG, v);                                        \
			return;                                                                   \
		}                                                                                 \
		OPERATE(type, p, .kind = OP_STORE, .order = ORDER(mo), .arg = TO_VALUE(type, v)); \
	}                                                                                         \
	HOOK_ENTRY_WIDE(__tsan_atomic##bits##_store, store_##type, 3, WIDE_##bits);

#define HOOK_RMW(bits, type, name, what)                                         \
	ENTERED static type name##_##type(volatile type *p, type v, int mo)      \
	{                                                                        \
		if (is_native(p, sizeof(type), true, true, ENTRY_CALLER()))      \
			return native_rmw_##type(p, what, v);                    \
		OPERATE(type, p, .kind = OP_RMW, .fn = what, .order = ORDER(mo), \
			.arg = TO_VALUE(type, v));                               \
		return FROM_VALUE(type, res.value);                              \
	}                                                                        \
	HOOK_ENTRY_WIDE(__tsan_atomic##bits##_##name, name##_##type, 3, WIDE_##bits);

/*
 * --spurious-cas=N: the first N weak compare-exchanges of each thread may fail though they
 * read what they expect. That is a load; where it reads something else, the failure is an
 * ordinary one, and belongs to the other choice. A bound is needed, or a thread could fail for
 * ever. clang does not tell weak compare-exchanges from strong ones.
 */
static HEDDLE_IMAGE_SELDOM uint32_t spurious[HEDDLE_MAX_THREADS] = { 0 };

static void cas_id_again(uint32_t tid)
{
	spurious[tid] = 0;
}

AT_ID_AGAIN(cas_id_again);

static bool fails_spuriously(uint64_t addr, unsigned size, struct value expected, int mo_fail,
			     uint64_t pc)
{
	struct op choose = { .kind = OP_CHOOSE, .peer = 2, .pc = pc };
	struct op load = { .kind = OP_LOAD,
			   .order = ORDER(mo_fail),
			   .size = (uint8_t)size,
			   .addr = addr,
			   .pc = pc };
	struct op block = { .kind = OP_BLOCK, .pc = pc };
	struct op_result res;

	if (current->probing ||
	    spurious[current->tid] >= shared->config.setting[SETTING_SPURIOUS_CAS])
		return false;
	spurious[current->tid]++;
	operate(&choose, &res);
	if (!res.value.lo)
		return false;
	atomic_op(&load, &res);
	if (!value_eq(res.value, expected))
		operate(&block, &res);
	return true;
}

/* The processor asks for memory that can be written to also where a compare-exchange fails. */
static inline void fails_to_write(volatile void *p)
{
	if (!current->probing)
		touch_to_write(p);
}

#define HOOK_CAS(bits, type, name, is_weak)                                                        \
	ENTERED static int cas_##name##_##type(volatile type *p, type *expected, type desired,     \
					       int mo, int mo_fail)                                \
	{                                                                                          \
		if (is_native(p, sizeof(type), true, true, ENTRY_CALLER()))                        \
			return native_cas_##type(p, expected, desired);                            \
		if (is_weak && unlikely(shared->config.setting[SETTING_SPURIOUS_CAS]) &&           \
		    fails_spuriously((uintptr_t)p, sizeof(type), TO_VALUE(type, *expected),        \
				     mo_fail, ENTRY_CALLER()))                                     \
			return 0;                                                                  \
		OPERATE(type, p, .kind = OP_CAS, .order = ORDER(mo), .order_fail = ORDER(mo_fail), \
			.expected = TO_VALUE(type, *expected), .arg = TO_VALUE(type, desired));    \
		if (cas_succeeded(&op, &res))                                                      \
			return 1;                                                                  \
		fails_to_write(p);                                                                 \
		note_plain_write((uintptr_t)expected, sizeof(type));                               \
		*expected = FROM_VALUE(type, res.value);                                           \
		return 0;                                                                          \
	}                                                                                          \
	HOOK_ENTRY_WIDE(__tsan_atomic##bits##_compare_exchange_##name, cas_##name##_##type, 5,     \
			WIDE_##bits);

#define HOOK_CAS_VAL(bits, type)                                                                   \
	ENTERED static type cas_val_##type(volatile type *p, type expected, type desired, int mo,  \
					   int mo_fail)                                            \
	{                                                                                          \
		if (is_native(p, sizeof(type), true, true, ENTRY_CALLER())) {                      \
			native_cas_##type(p, &expected, desired);                                  \
			return expected;                                                           \
		}                                                                                  \
		OPERATE(type, p, .kind = OP_CAS, .order = ORDER(mo), .order_fail = ORDER(mo_fail), \
			.expected = TO_VALUE(type, expected), .arg = TO_VALUE(type, desired));     \
		fails_to_write(p);                                                                 \
		return FROM_VALUE(type, res.value);                                                \
	}                                                                                          \
	HOOK_ENTRY(__tsan_atomic##bits##_compare_exchange_val, cas_val_##type, 5);

#define HOOKS(bits, type)                          \
	HOOK_LOAD(bits, type)                      \
	HOOK_STORE(bits, type)                     \
	HOOK_RMW(bits, type, exchange, RMW_XCHG)   \
	HOOK_RMW(bits, type, fetch_add, RMW_ADD)   \
	HOOK_RMW(bits, type, fetch_sub, RMW_SUB)   \
	HOOK_RMW(bits, type, fetch_and, RMW_AND)   \
	HOOK_RMW(bits, type, fetch_or, RMW_OR)     \
	HOOK_RMW(bits, type, fetch_xor, RMW_XOR)   \
	HOOK_RMW(bits, type, fetch_nand, RMW_NAND) \
	HOOK_CAS(bits, type, strong, false)        \
	HOOK_CAS(bits, type, weak, true)

HOOKS(8, a8)
HOOKS(16, a16)
HOOKS(32, a32)
HOOKS(64, a64)
HOOKS(128, a128)
HOOK_CAS_VAL(8, a8)
HOOK_CAS_VAL(16, a16)
HOOK_CAS_VAL(32, a32)
HOOK_CAS_VAL(64, a64)

/*
 * Of 16 bytes, it has a seventh argument, which lies on the stack. Both orders go into the sixth
 * one instead, so that the call can be made again like others (entry.h).
 */
ENTERED static a128 cas_val_a128(volatile a128 *p, a128 expected, a128 desired, int orders)
{
	int mo = orders & 0xff, mo_fail = orders >> 8;

	if (is_native(p, sizeof(*p), true, true, ENTRY_CALLER())) {
		native_cas_a128(p, &expected, desired);
		return expected;
	}
	OPERATE(a128, p, .kind = OP_CAS, .order = ORDER(mo), .order_fail = ORDER(mo_fail),
		.expected = TO_VALUE(a128, expected), .arg = TO_VALUE(a128, desired));
	return FROM_VALUE(a128, res.value);
}
__asm__(".text\n"
	".p2align 4\n"
	".globl __tsan_atomic128_compare_exchange_val\n"
	".type __tsan_atomic128_compare_exchange_val, @function\n"
	"__tsan_atomic128_compare_exchange_val:\n"
	".cfi_startproc\n"
	"	movzbl %r9b, %r9d\n"
	"	movzbl 8(%rsp), %eax\n"
	"	shll $8, %eax\n"
	"	orl %eax, %r9d\n"
	"	leaq cas_val_a128(%rip), %rax\n"
	"	movl $6, %r10d\n"
	"	jmp hook_enter\n"
	".cfi_endproc\n"
	".size __tsan_atomic128_compare_exchange_val, .-__tsan_atomic128_compare_exchange_val\n");

ENTERED static void thread_fence(int mo)
{
	struct op op = { .kind = OP_FENCE, .order = ORDER(mo), .pc = ENTRY_CALLER() };
	struct op_result res;

	if (!under_engine())
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	else if (op.order != ORDER_RLX)
		operate(&op, &res);
}
HOOK_ENTRY(__tsan_atomic_thread_fence, thread_fence, 1);

/* Orders a thread with its own signal handlers only: nothing to do. */
HEDDLE_HOOK void __tsan_atomic_signal_fence(int mo)
{
	(void)mo;
}
