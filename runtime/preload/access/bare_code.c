/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_code.c - see bare_code.h
 *
 * Of the modules that are instrumented, and were there when the program began. A function that calls no hook of __tsan_* is not: all of its accesses to memory
 * are bare, apart from those of its own frame, of thread-local variables and of constants. In one that is
 * instrumented inline assembly may be: of its accesses those are found that are atomic, and let the thread decide what it
 * does next by what was there, as locks are taken. One that only adds to a counter, and does not look, orders nothing.
 * System calls of the program's own are found in both.
 *
 * Functions are those that the unwinder knows (preload/code/functions.h). Each is decoded from its beginning. An instruction that the decoders do not know ends
 * that, since nothing is certain behind it: of a function that is not instrumented the first instruction is told instead, as one that may access anything.
 * So is each instruction of which they know that it accesses memory, but not where (AVX-512, gathers), and each by which a thread
 * may come to code that the unwinder does not know (bare_gaps.h).
 *
 * Cost: one pass over the code, at the root point.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/access/bare_code.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <ucontext.h>

#include "base/insn.h"
#include "base/insn_ask.h"
#include "base/insn_rest.h"
#include "base/insn_vector.h"
#include "preload/access/bare_gaps.h"
#include "preload/arch/x86_64/registers.h"
#include "preload/code/code.h"
#include "preload/code/functions.h"
#include "preload/code/inline_code.h"
#include "preload/code/modules.h"
#include "preload/core/context.h"
#include "preload/core/reset.h"
#include "preload/liveness/callee.h"

enum {
	SYSTEM_CALL = 0x0f05,
	SYSCALL_LENGTH = 2,
	CALL = 5,            /* of a call or jump with its target */
	BY_WORD = 6,         /* of one by a word in memory, relative to its end */
	DIRECTION = 1 << 10, /* a flag */
	LOOKS = 8            /* instructions until the flags are looked at, or gone */
};

/* What is looked for: whom to tell, and whether nothing of the module is announced. */
static void (*tell_bare)(const struct bare *found);
KEPT(tell_bare);
static bool none_announced;
KEPT(none_announced);
static uint64_t told; /* functions by name that no entry has, up to here */
KEPT(told);
static uint64_t taken; /* bare_find() */
KEPT(taken);

/* ---- Instructions ---------------------------------------------------------------------------------- */

static bool decode(const uint8_t *code, uint64_t left, uint64_t at, struct insn *in)
{
	return insn_decode(code, left, at, in) || insn_decode_vector(code, left, at, in) ||
	       insn_decode_rest(code, left, at, in);
}

static bool is_system_call(const uint8_t *code, uint64_t left)
{
	return left >= SYSCALL_LENGTH && code[0] == 0x0f && code[1] == 0x05;
}

static bool reads_flags(unsigned op)
{
	return (op >= 0x70 && op < 0x80) || (op >= 0x0f80 && op < 0x0fa0) ||
	       (op >= 0x0f40 && op < 0x0f50) || op == 0x9c || (op >= 0x10 && op < 0x20);
}

static bool sets_flags(unsigned op)
{
	return op < 0x40 || (op >= 0x80 && op < 0x86) || op == 0xa8 || op == 0xa9 || op == 0xc0 ||
	       op == 0xc1 || (op >= 0xd0 && op < 0xd4) || op == 0xf6 || op == 0xf7 || op == 0xfe ||
	       op == 0xff;
}

/* Does what was in memory decide what the thread does? It may be in a register, or in the flags. */
static bool decides(const struct insn *in, const uint8_t *code, uint64_t left)
{
	struct insn next;

	if (in->writes)
		return true;
	for (int i = 0; i < LOOKS; i++) {
		if (!insn_decode(code, left, 0, &next) || reads_flags(next.opcode))
			return true;
		if (sets_flags(next.opcode) || next.kind == INSN_CALL || next.kind == INSN_RETURN ||
		    next.kind == INSN_JUMP || next.kind == INSN_STOP)
			return false;
		code += next.length;
		left -= next.length;
	}
	return true;
}

/* movs or stos, rep or not. Of cmps, scas and lods nobody knows how many rounds there will be. */
static bool moves_string(const struct insn *in)
{
	return in->kind == INSN_STRING && (in->opcode == 0xa4 || in->opcode == 0xa5 ||
					   in->opcode == 0xaa || in->opcode == 0xab);
}

static bool accesses(const struct insn *in)
{
	return in->kind == INSN_STRING || in->elsewhere ||
	       (in->memory && in->kind != INSN_LEA && in->base != INSN_SEGMENT &&
		in->base != INSN_RSP && (in->read_size || in->writes_some || in->write_size));
}

/* May it be memory that changes, as far as the code says? */
static bool may_change(const struct module_code *c, const struct insn *in)
{
	uint64_t addr = (uint64_t)in->disp;

	if (in->elsewhere || in->base != INSN_RIP || in->index != INSN_NONE)
		return true;
	return addr >= c->data && addr < c->data_end && !(addr >= c->relro && addr < c->relro_end);
}

/* ---- Functions ------------------------------------------------------------------------------------- */

static uint64_t word_at(uint64_t at)
{
	uint64_t v;

	memcpy(&v, (const void *)at, sizeof(v));
	return v;
}

static int32_t number_at(const uint8_t *at)
{
	int32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static bool is_announcement(uint64_t address)
{
	struct insn call = { .target = address };
	uint16_t reads, writes;
	uint8_t kind;

	address = callee_address(&call);
	if (!in_runtime(address))
		return false;
	kind = callee_of(&call).kind;
	return (kind != CALLEE_OTHER && kind != CALLEE_TWICE) ||
	       callee_announces(address, &reads, &writes);
}

/* Does a call or jump begin there, of a hook for accesses? Asked of each byte: what the decoder does not know is no matter. */
static bool announces(const struct module_code *c, const uint8_t *p, uint64_t left)
{
	uint64_t at = (uint64_t)(uintptr_t)p, to;

	if (left >= CALL && (*p == 0xe8 || *p == 0xe9)) {
		to = at + CALL + (uint64_t)(int64_t)number_at(p + 1);
		return to - c->start < c->end - c->start && is_announcement(to);
	}
	if (left >= BY_WORD && *p == 0xff && (p[1] == 0x15 || p[1] == 0x25)) {
		to = at + BY_WORD + (uint64_t)(int64_t)number_at(p + 2);
		return to - c->data < c->data_end - c->data && is_announcement(word_at(to));
	}
	return false;
}

static bool is_instrumented(const struct module_code *c, uint64_t start, uint64_t end)
{
	for (uint64_t at = start; at < end; at++)
		if (announces(c, (const uint8_t *)at, end - at))
			return true;
	return false;
}

/* push %rbp; mov %rsp,%rbp */
static bool has_frame_pointer(uint64_t start, uint64_t end)
{
	static const uint8_t begin[] = { 0x55, 0x48, 0x89, 0xe5 },
			     mark[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uint8_t *p = (const uint8_t *)start;

	if (end - start > sizeof(mark) && !memcmp(p, mark, sizeof(mark)))
		p += sizeof(mark);
	return (uint64_t)(uintptr_t)p + sizeof(begin) < end && !memcmp(p, begin, sizeof(begin));
}

static uint8_t byte_at(uint64_t at)
{
	uint8_t room[CODE_ROOM];
	uint64_t left = 1;

	return *code_at(at, &left, room);
}

/*
 * The instruction there; false: nobody knows. Those that only ask access nothing (hooks/world/asks.c), and operations are announced. Of a pair that
 * is compared and exchanged nobody knows (INSN_COMPARE_PAIR).
 */
static bool instruction_at(uint64_t at, uint64_t end, struct insn *in)
{
	uint64_t left = end - at;
	uint8_t room[CODE_ROOM];
	const uint8_t *p = code_at(at, &left, room);
	struct insn_ask ask;
	uint8_t asks = insn_asks(p, left, &ask);

	const struct inline_op *op = inline_op_at(at);

	if (asks || op)
		*in = (struct insn){ .length = asks ? asks : op->access.length };
	else if (is_system_call(p, left))
		*in = (struct insn){ .length = SYSCALL_LENGTH, .opcode = SYSTEM_CALL };
	else
		return decode(p, left, at, in) && in->opcode != INSN_COMPARE_PAIR;
	return true;
}

static void tell_unknown(uint64_t at)
{
	tell_bare(&(struct bare){ .here = { at, byte_at(at) }, .unknown = true });
}

/* Does it lead to code that no entry of the unwinder covers? Its last instruction may do so by going on. */
static bool leads_away(const struct insn *in, uint64_t at, uint64_t end)
{
	bool ends = in->kind == INSN_JUMP || in->kind == INSN_RETURN || in->kind == INSN_STOP ||
		    in->kind == INSN_CALL;

	if ((in->kind == INSN_CALL || in->kind == INSN_JUMP || in->kind == INSN_BRANCH) &&
	    in->target && gaps_have(in->target))
		return true;
	return !ends && at + in->length >= end && gaps_have(end);
}

/* What the instruction does: to be told, or not? */
static bool is_bare(const struct module_code *c, const struct insn *in, uint64_t at, uint64_t end,
		    bool instrumented, bool frame, struct bare *found)
{
	found->length = in->length;
	found->calls = in->opcode == SYSTEM_CALL;
	if (found->calls)
		return true;
	if (!accesses(in) || !may_change(c, in) ||
	    (frame && in->base == INSN_RBP && in->index == INSN_NONE))
		return false;
	found->unknown = in->elsewhere;
	found->whole = moves_string(in);
	if (in->locked && (in->memory || in->elsewhere))
		return decides(in, (const uint8_t *)at + in->length, end - at - in->length);
	return !instrumented;
}

static void look_at_function(const struct module_code *c, uint64_t start, uint64_t end)
{
	bool instrumented = !none_announced && is_instrumented(c, start, end), known = true,
	     frame = has_frame_pointer(start, end);
	struct insn in;

	for (uint64_t at = start; at < end; at += in.length) {
		struct bare found = { .here = { at, byte_at(at) } };

		known = instruction_at(at, end, &in);
		if (!known)
			break;
		gaps_look_at_insn(at, &in);
		if (leads_away(&in, at, end))
			tell_unknown(at);
		else if (is_bare(c, &in, at, end, instrumented, frame, &found))
			tell_bare(&found);
	}
	if (!known && !instrumented)
		tell_unknown(start);
	gaps_look_at(start, end, known, !instrumented);
}

/* ---- Modules --------------------------------------------------------------------------------------- */

/* Functions by name up to there that no entry has. */
static void tell_symbols(uint64_t end)
{
	for (uint64_t at = gaps_symbol(told); at < end; at = gaps_symbol(told)) {
		tell_unknown(at);
		told = at + 1;
	}
}

static void look_between(const struct module_code *c, uint64_t start, uint64_t end)
{
	tell_symbols(start);
	look_at_function(c, start, end);
}

static void look_at_module(const struct module_code *c)
{
	gaps_of(c);
	told = c->start;
	functions_of(c, look_between);
	tell_symbols(c->end);
	if (!taken)
		taken = gaps_taken();
}

static bool is_wanted(const struct dl_phdr_info *info)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && memory_from_program(info->dlpi_addr + p->p_vaddr))
			return true;
	}
	return false;
}

uint64_t bare_find(void (*tell)(const struct bare *found))
{
	tell_bare = tell;
	none_announced = false;
	taken = 0;
	functions_each(is_wanted, look_at_module);
	return taken;
}

uint64_t bare_find_in(const struct module_code *c, void (*tell)(const struct bare *found))
{
	tell_bare = tell;
	none_announced = true;
	taken = 0;
	look_at_module(c);
	return taken;
}

/* ---- What it does ----------------------------------------------------------------------------------- */

static uint64_t register_of(const int64_t *gregs, uint8_t reg)
{
	return reg < INSN_NONE ? (uint64_t)gregs[registers_index(reg)] : 0;
}

/* How many bytes each round of a string instruction accesses, and whether it has several. */
static uint64_t unit_of_string(const uint8_t *p, bool *repeats)
{
	uint64_t unit = 4;

	*repeats = false;
	for (;; p++) {
		if (*p == 0x66)
			unit = 2;
		else if (*p == 0xf2 || *p == 0xf3)
			*repeats = true;
		else if ((*p & 0xf0) != 0x40)
			break;
		else if (*p & 8)
			unit = 8;
	}
	return *p & 1 ? unit : 1;
}

static void accesses_of_string(const uint8_t *p, const struct insn *in, const int64_t *gregs,
			       struct bare_access a[BARE_ACCESSES])
{
	bool repeats, moves = moves_string(in);
	uint64_t unit = unit_of_string(p, &repeats), rcx = register_of(gregs, INSN_RCX);
	uint64_t size = !repeats ? unit : moves ? rcx * unit : rcx ? unit : 0;
	uint64_t back = size && gregs[REG_EFL] & DIRECTION ? size - unit : 0;
	unsigned op = in->opcode & 0xfe;

	if (op != 0xac) /* lods */
		a[0] = (struct bare_access){ register_of(gregs, INSN_RDI) - back, size, moves };
	if (op != 0xaa && op != 0xae) /* stos, scas */
		a[1] = (struct bare_access){ register_of(gregs, INSN_RSI) - back, size, false };
}

void bare_accesses_at(uint64_t at, const int64_t *gregs, struct bare_access a[BARE_ACCESSES])
{
	struct insn in;

	memset(a, 0, BARE_ACCESSES * sizeof(*a));
	if (!decode((const uint8_t *)at, INSN_LONGEST, at, &in))
		return;
	if (in.kind == INSN_STRING) {
		accesses_of_string((const uint8_t *)at, &in, gregs, a);
		return;
	}
	a->is_write = in.writes_some || in.write_size || in.kind == INSN_STORE || in.locked;
	a->size = in.write_size > in.read_size ? in.write_size : in.read_size;
	if (!a->size || a->size == INSN_READ_MOST)
		a->size = 8;
	if (in.base == INSN_RIP)
		a->addr = (uint64_t)in.disp;
	else
		a->addr = register_of(gregs, in.base) + register_of(gregs, in.index) * in.scale +
			  (uint64_t)in.disp;
}
