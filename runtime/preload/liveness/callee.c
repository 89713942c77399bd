/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callee.c - functions of the program: where they begin and end, and which of our hooks they call
 *
 * A call of another module goes through a word that the loader has set (the controller asks for
 * that at once, LD_BIND_NOW): directly, or by a stub of the procedure linkage table. What the
 * word holds is compared with the addresses of our hooks. The bounds of a function are those of its
 * frame description entry, which the unwinder finds (.eh_frame; LSB Core, Section 10.6).
 */
#include "preload/liveness/callee.h"
#include "preload/code/code.h"
#include "preload/code/fini.h"
#include "preload/core/context.h"

#include <setjmp.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- Hooks --------------------------------------------------------------------------------------- */

#define SIZES_ATOMIC(X, kind, name) \
	X(8, 1, kind, name)         \
	X(16, 2, kind, name)        \
	X(32, 4, kind, name)        \
	X(64, 8, kind, name)        \
	X(128, 16, kind, name)
#define ATOMICS(X)                                           \
	SIZES_ATOMIC(X, CALLEE_LOAD, load)                   \
	SIZES_ATOMIC(X, CALLEE_ATOMIC, store)                \
	SIZES_ATOMIC(X, CALLEE_ATOMIC, exchange)             \
	SIZES_ATOMIC(X, CALLEE_ATOMIC, fetch_add)            \
	SIZES_ATOMIC(X, CALLEE_ATOMIC, fetch_sub)            \
	SIZES_ATOMIC(X, CALLEE_ATOMIC, fetch_and)            \
	SIZES_ATOMIC(X, CALLEE_ATOMIC, fetch_or)             \
	SIZES_ATOMIC(X, CALLEE_ATOMIC, fetch_xor)            \
	SIZES_ATOMIC(X, CALLEE_ATOMIC, fetch_nand)           \
	SIZES_ATOMIC(X, CALLEE_ATOMIC, compare_exchange_val) \
	SIZES_ATOMIC(X, CALLEE_CAS, compare_exchange_strong) \
	SIZES_ATOMIC(X, CALLEE_CAS, compare_exchange_weak)

#define SIZES_PLAIN(X, name) X(name##1) X(name##2) X(name##4) X(name##8) X(name##16)
#define PLAINS(X)                       \
	SIZES_PLAIN(X, read)            \
	SIZES_PLAIN(X, write)           \
	SIZES_PLAIN(X, read_write)      \
	SIZES_PLAIN(X, volatile_read)   \
	SIZES_PLAIN(X, volatile_write)  \
	SIZES_PLAIN(X, unaligned_read)  \
	SIZES_PLAIN(X, unaligned_write) \
	SIZES_PLAIN(X, unaligned_read_write)

/* Only their addresses are wanted: the compilers have ideas of their own about their types. */
#define DECLARE_ATOMIC(bits, bytes, kind, name) \
	extern const char callee_atomic##bits##_##name[] __asm__("__tsan_atomic" #bits "_" #name);
#define DECLARE_PLAIN(name)                 extern const char callee_##name[] __asm__("__tsan_" #name);
#define ROW_ATOMIC(bits, bytes, kind, name) { callee_atomic##bits##_##name, { kind, bytes } },
#define ROW_PLAIN(name)                     { callee_##name, { CALLEE_PLAIN, 0 } },

#pragma GCC visibility push(default)
ATOMICS(DECLARE_ATOMIC)
PLAINS(DECLARE_PLAIN)
extern const char callee_fence[] __asm__("__tsan_atomic_thread_fence");
extern const char callee_read_range[] __asm__("__tsan_read_range");
extern const char callee_write_range[] __asm__("__tsan_write_range");
extern const char callee_vptr_read[] __asm__("__tsan_vptr_read");
extern const char callee_vptr_update[] __asm__("__tsan_vptr_update");
extern const char callee_sigsetjmp[] __asm__("__sigsetjmp");
extern const char callee_setjmp[] __asm__("setjmp");
extern const char callee_setjmp_[] __asm__("_setjmp");
extern const char callee_getcontext[] __asm__("getcontext");
extern const char callee_vfork[] __asm__("vfork");
#pragma GCC visibility pop

static const struct {
	const char *address;
	struct callee callee;
} known[] = {
	ATOMICS(ROW_ATOMIC) PLAINS(ROW_PLAIN){ callee_fence, { CALLEE_ATOMIC, 0 } },
	{ callee_sigsetjmp, { CALLEE_TWICE, 0 } },
	{ callee_setjmp, { CALLEE_TWICE, 0 } },
	{ callee_setjmp_, { CALLEE_TWICE, 0 } },
	{ callee_getcontext, { CALLEE_TWICE, 0 } },
	{ callee_vfork, { CALLEE_TWICE, 0 } },
};

/* What each of the plain ones announces, in bytes. */
#define ANY                      UINT16_MAX
#define ROW_BYTES(name, n, r, w) { callee_##name##n, (r) * (n), (w) * (n) },
#define ROWS_BYTES(name, r, w)   \
	ROW_BYTES(name, 1, r, w) \
	ROW_BYTES(name, 2, r, w) \
	ROW_BYTES(name, 4, r, w) \
	ROW_BYTES(name, 8, r, w) \
	ROW_BYTES(name, 16, r, w)

static const struct {
	const char *address;
	uint16_t reads, writes;
} announcing[] = {
	ROWS_BYTES(read, 1, 0) ROWS_BYTES(write, 0, 1) ROWS_BYTES(read_write, 1, 1)
		ROWS_BYTES(volatile_read, 1, 0) ROWS_BYTES(volatile_write, 0, 1)
			ROWS_BYTES(unaligned_read, 1, 0) ROWS_BYTES(unaligned_write, 0, 1)
				ROWS_BYTES(unaligned_read_write, 1, 1){ callee_read_range, ANY, 0 },
	{ callee_write_range, 0, ANY },
	{ callee_vptr_read, 8, 0 },
	{ callee_vptr_update, 0, 8 },
};

static uint64_t word_at(uint64_t address)
{
	uint64_t v;

	memcpy(&v, (const void *)address, sizeof(v));
	return v;
}

/* Where a stub of the procedure linkage table goes on; the address itself if it is no stub. */
static uint64_t behind_stub(uint64_t address)
{
	struct insn in;

	for (int i = 0; i < 3; i++) {
		if (!insn_decode((const uint8_t *)address, INSN_LONGEST, address, &in))
			return address;
		if (in.kind == INSN_JUMP && in.memory && in.base == INSN_RIP)
			return word_at((uint64_t)in.disp);
		if (in.kind != INSN_PLAIN || in.reads || in.writes || in.memory)
			return address;
		address += in.length; /* endbr64 */
	}
	return address;
}

bool callee_called(uint64_t pc, struct insn *call)
{
	for (unsigned length = 5; length <= 6; length++) {
		uint8_t room[CODE_ROOM];
		uint64_t left = length;
		const uint8_t *at = code_at(pc - length, &left, room);

		if (insn_decode(at, left, pc - length, call) && call->kind == INSN_CALL &&
		    call->length == length)
			return true;
	}
	return false;
}

uint64_t callee_address(const struct insn *call)
{
	if (call->target)
		return behind_stub(call->target);
	return call->memory && call->base == INSN_RIP && call->index == INSN_NONE
		       ? word_at((uint64_t)call->disp)
		       : 0;
}

bool callee_announces(uint64_t address, uint16_t *reads, uint16_t *writes)
{
	for (unsigned i = 0; i < sizeof(announcing) / sizeof(announcing[0]); i++)
		if ((uint64_t)(uintptr_t)announcing[i].address == address) {
			*reads = announcing[i].reads;
			*writes = announcing[i].writes;
			return true;
		}
	return false;
}

struct callee callee_of(const struct insn *call)
{
	uint64_t address = callee_address(call);

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if ((uint64_t)(uintptr_t)known[i].address == address)
			return known[i].callee;
	return (struct callee){ CALLEE_OTHER, 0 };
}

/* ---- Bounds -------------------------------------------------------------------------------------- */

enum {
	DATA4 = 3, /* DW_EH_PE_udata4; DW_EH_PE_sdata4 but for the sign */
	SIGNED = 8,
	FORMAT = 0x0f,
	OMIT = 0xff,
};

/* Of libgcc: where the entry of a function stands. */
struct bases {
	void *text, *data, *function;
};
extern const void *_Unwind_Find_FDE(void *pc, struct bases *bases);

static const uint8_t *skip_leb(const uint8_t *p)
{
	while (*p++ & 0x80)
		;
	return p;
}

/* The size of an encoded pointer; 0 if that is not said by the encoding alone. */
static unsigned encoded_size(uint8_t encoding)
{
	static const uint8_t size[] = { 8, 0, 2, 4, 8, 0, 0, 0 };

	return size[encoding & FORMAT & ~SIGNED];
}

/* How a common information entry says that pointers are encoded; OMIT if it is of no use. */
static uint8_t encoding_of(const uint8_t *cie, bool *catches)
{
	const char *augmentation = (const char *)cie + 9;
	const uint8_t *p = cie + 9 + strlen(augmentation) + 1;
	uint8_t found = 0;

	*catches = false;
	if (cie[8] != 1 || *augmentation++ != 'z')
		return OMIT;
	p = skip_leb(skip_leb(p)) + 1; /* alignments, return address */
	p = skip_leb(p);               /* length of what follows */
	for (; *augmentation; augmentation++)
		switch (*augmentation) {
		case 'R':
			found = *p++;
			break;
		case 'L':
			*catches = true;
			p++;
			break;
		case 'P':
			if (!encoded_size(*p))
				return OMIT;
			p += 1 + encoded_size(*p);
			break;
		default:
			return OMIT; /* 'S', a signal's frame, too */
		}
	return found;
}

bool function_of(uint64_t pc, struct function *f)
{
	struct self *caller = current;
	struct bases bases = { NULL, NULL, NULL };
	const uint8_t *fde;
	uint32_t back, range;

	current = NULL;
	fde = _Unwind_Find_FDE((void *)(pc - 1), &bases);
	current = caller;
	if (!fde || !bases.function)
		return false;
	memcpy(&back, fde + 4, sizeof(back));
	if ((encoding_of(fde + 4 - back, &f->catches) & FORMAT & ~SIGNED) != DATA4)
		return false;
	memcpy(&range, fde + 12, sizeof(range));
	f->start = (uint64_t)(uintptr_t)bases.function;
	f->end = f->start + range;
	return pc > f->start && pc <= f->end;
}
