/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_gaps.c - see bare_gaps.h
 *
 * Hand-written assembly often has no entries for the unwinder. How long its functions are, and what of it is data, nobody says:
 * so it is not decoded, and no breakpoint stands in it, but where a symbol says that a function begins. What matters
 * is whether a thread comes there. The ways are these, and all are seen from outside:
 *
 * - by name, from other modules: a dynamic symbol of a function;
 * - a call or jump of known code, with its target (bare_code.c);
 * - an address. Some code or data must have it first: an instruction that makes it relative to its own place (lea), a number in the
 *   code of a program that has a fixed place, a word of the module's data, or a symbol without a type. It may be that of a table among
 *   code as well. Who uses it, and when, is not known.
 *
 * Code that is there only to go on elsewhere is no matter: entries of a procedure linkage table, and what fills the space before a
 * function. Nor is what the loader calls when
 * the module is loaded and unloaded, that of DT_INIT, DT_FINI, and of their arrays: the start files have such functions in each module.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/access/bare_gaps.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "base/insn.h"
#include "preload/code/code.h"
#include "preload/code/imports.h"
#include "preload/code/sections.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"

enum {
	CALL = 5,
	BRANCH = 6,
	LEA = 7,
	PLT_ENTRY = 16,
	NOP = 0x90,
	LONG_NOP = 0x0f1f,
	BREAK = 0xcc
};

struct words {
	uint64_t start, size;
};

static struct {
	const struct module_code *code;
	struct section section[SECTIONS];
	uint32_t nsections;
	uint64_t init, fini; /* what the loader calls */
	struct words init_array, fini_array;
	uint64_t *symbols; /* of functions, by address */
	uint32_t nsymbols, room;
	uint64_t taken;
} gaps;
KEPT(gaps);

/* ---- Gaps ------------------------------------------------------------------------------------------ */

static const struct section *section_of(uint64_t at)
{
	for (const struct section *s = gaps.section; s < gaps.section + gaps.nsections; s++)
		if (at - s->start < s->end - s->start)
			return s;
	return NULL;
}

static void find_what_is_loaded(void)
{
	const ElfW(Dyn) *d = gaps.code->dynamic;

	gaps.init = gaps.fini = 0;
	gaps.init_array = gaps.fini_array = (struct words){ 0 };
	for (; d && d->d_tag != DT_NULL; d++) {
		uint64_t at = gaps.code->base + d->d_un.d_ptr;

		if (d->d_tag == DT_INIT)
			gaps.init = at;
		else if (d->d_tag == DT_FINI)
			gaps.fini = at;
		else if (d->d_tag == DT_INIT_ARRAY)
			gaps.init_array.start = at;
		else if (d->d_tag == DT_FINI_ARRAY)
			gaps.fini_array.start = at;
		else if (d->d_tag == DT_INIT_ARRAYSZ)
			gaps.init_array.size = d->d_un.d_val;
		else if (d->d_tag == DT_FINI_ARRAYSZ)
			gaps.fini_array.size = d->d_un.d_val;
	}
}

/*
 * [endbr64] [bnd] jmp *...(%rip), or, until a name is bound, [endbr64] push $number; [bnd] jmp to the first entry: push ...(%rip); [bnd] jmp *...(%rip).
 */
static bool is_linkage(uint64_t at, uint64_t end)
{
	static const uint8_t mark[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uint8_t *p = (const uint8_t *)at;
	int32_t by;
	uint64_t first;

	if (end - at < PLT_ENTRY)
		return false;
	if (!memcmp(p, mark, sizeof(mark)))
		p += sizeof(mark);
	p += *p == 0xf2;
	if (p[0] == 0xff && p[1] == 0x25)
		return true;
	if (p[0] != 0x68)
		return false;
	p += CALL;
	p += *p == 0xf2;
	memcpy(&by, p + 1, sizeof(by));
	first = (uint64_t)(uintptr_t)p + CALL + (uint64_t)(int64_t)by;
	return *p == 0xe9 && first - gaps.code->start < gaps.code->end - gaps.code->start &&
	       ((const uint8_t *)first)[0] == 0xff && ((const uint8_t *)first)[1] == 0x35;
}

static bool is_known(uint64_t at)
{
	return at < functions_before(gaps.code, at);
}

/* Is there nothing but what fills the space between functions, up to the next one that the unwinder knows, or the end? */
static bool is_padding(uint64_t at, uint64_t end)
{
	struct insn in = { .length = 1 };

	for (; at < end && !is_known(at); at += in.length)
		if (*(const uint8_t *)at == BREAK)
			in.length = 1;
		else if (!insn_decode((const uint8_t *)at, end - at, at, &in) ||
			 (in.opcode != NOP && in.opcode != LONG_NOP))
			return false;
	return true;
}

/* From there, or from where the gap begins: a number may lead into the middle of such an instruction. */
static bool is_in_padding(uint64_t at, const struct section *s)
{
	uint64_t start = functions_before(gaps.code, at);

	return is_padding(at, s->end) || is_padding(start > s->start ? start : s->start, s->end);
}

bool gaps_have(uint64_t at)
{
	const struct section *s = section_of(at);

	return s && !is_known(at) && at != gaps.init && at != gaps.fini &&
	       !is_linkage(at, s->end) && !is_in_padding(at, s);
}

/* ---- Symbols --------------------------------------------------------------------------------------- */

static void add_symbol(uint64_t at)
{
	if (gaps.nsymbols == gaps.room) {
		uint64_t *more = map_own(2 * (gaps.room + 1024) * sizeof(*more));

		if (gaps.nsymbols)
			memcpy(more, gaps.symbols, gaps.nsymbols * sizeof(*more));
		gaps.symbols = more;
		gaps.room = 2 * (gaps.room + 1024);
	}
	gaps.symbols[gaps.nsymbols++] = at;
}

/* Shell's sort */
static void sort(uint64_t *a, uint32_t n)
{
	for (uint32_t gap = n / 2; gap; gap /= 2)
		for (uint32_t i = gap; i < n; i++) {
			uint64_t v = a[i];
			uint32_t k = i;

			for (; k >= gap && a[k - gap] > v; k -= gap)
				a[k] = a[k - gap];
			a[k] = v;
		}
}

uint64_t gaps_symbol(uint64_t from)
{
	uint32_t low = 0, high = gaps.nsymbols;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (gaps.symbols[mid] < from)
			low = mid + 1;
		else
			high = mid;
	}
	return low < gaps.nsymbols ? gaps.symbols[low] : UINT64_MAX;
}

static bool is_defined(const ElfW(Sym) * s)
{
	return s->st_shndx != SHN_UNDEF && s->st_shndx != SHN_ABS;
}

/* Of a function with a symbol it is seen when somebody comes there. */
static void take(uint64_t at)
{
	if (!gaps.taken && gaps_have(at) && gaps_symbol(at) != at)
		gaps.taken = at;
}

static void look_at_symbols(const ElfW(Sym) * s, uint32_t n)
{
	const ElfW(Sym) *end = s + n;

	for (const ElfW(Sym) *i = s; i < end; i++) {
		unsigned type = ELF64_ST_TYPE(i->st_info);
		uint64_t at = gaps.code->base + i->st_value;

		if ((type == STT_FUNC || type == STT_GNU_IFUNC) && is_defined(i) && gaps_have(at))
			add_symbol(at);
	}
	sort(gaps.symbols, gaps.nsymbols);
	for (; s < end; s++)
		if (ELF64_ST_TYPE(s->st_info) == STT_NOTYPE && is_defined(s))
			take(gaps.code->base + s->st_value);
}

/* ---- Addresses that are taken ---------------------------------------------------------------------- */

static uint64_t relative(const uint8_t *p, unsigned length)
{
	int32_t by;

	memcpy(&by, p + length - sizeof(by), sizeof(by));
	return (uint64_t)(uintptr_t)p + length + (uint64_t)(int64_t)by;
}

/* lea ...(%rip), of 64 bits. In the place of its first byte a breakpoint may stand. */
static bool is_lea(const uint8_t *p)
{
	uint64_t left = 1;
	uint8_t room[CODE_ROOM];

	return p[1] == 0x8d && (p[2] & 0xc7) == 5 &&
	       (*code_at((uint64_t)(uintptr_t)p, &left, room) & 0xf8) == 0x48;
}

/* Of a program at a fixed place: the last four bytes of an instruction that loads or passes on a number. */
static void take_number(const uint8_t *p)
{
	uint32_t number;

	memcpy(&number, p, sizeof(number));
	if (!gaps.code->base)
		take(number);
}

void gaps_look_at_insn(uint64_t at, const struct insn *in)
{
	if ((in->opcode >= 0xb8 && in->opcode < 0xc0) || in->opcode == 0xc7 || in->opcode == 0x68)
		take_number((const uint8_t *)at + in->length - sizeof(uint32_t));
}

void gaps_look_at(uint64_t start, uint64_t end, bool known, bool none_calls)
{
	for (uint64_t at = start; at + CALL <= end && !gaps.taken; at++) {
		const uint8_t *p = (const uint8_t *)at;

		if (at + LEA <= end && is_lea(p))
			take(relative(p, LEA));
		if (!known)
			take_number(p);
		if (known || none_calls)
			continue;
		if (at + CALL <= end && (*p == 0xe8 || *p == 0xe9))
			take(relative(p, CALL));
		if (at + BRANCH <= end && *p == 0x0f && (p[1] & 0xf0) == 0x80)
			take(relative(p, BRANCH));
	}
}

static void look_at_data(uint64_t start, uint64_t end)
{
	for (uint64_t at = (start + 7) & ~7ul; at + 8 <= end && !gaps.taken; at += 8) {
		uint64_t word = *(const uint64_t *)at;

		if (at - gaps.init_array.start >= gaps.init_array.size &&
		    at - gaps.fini_array.start >= gaps.fini_array.size)
			take(word);
	}
}

uint64_t gaps_taken(void)
{
	look_at_data(gaps.code->relro, gaps.code->relro_end);
	look_at_data(gaps.code->data, gaps.code->filled);
	return gaps.taken;
}

void gaps_of(const struct module_code *c)
{
	uint32_t n;
	const ElfW(Sym) *s = module_symbols(c->base, c->dynamic, &n);

	gaps.code = c;
	gaps.nsymbols = 0;
	gaps.taken = 0;
	gaps.nsections = sections_of(c, gaps.section);
	find_what_is_loaded();
	look_at_symbols(s, n);
}
