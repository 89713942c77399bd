/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inline_code.c - see inline_code.h
 *
 * Notes say where inline assembly lies (instrument/as.c): a segment PT_NOTE of each module has them, 28 bytes each. Its code is decoded
 * from the beginning of each piece, up to an instruction that the decoders do not know. What is a fence already, or asks for the time,
 * is left to hooks/world/asks.c. What heddle-cc did not compile has no notes, and stays as it is.
 *
 * Cost: one pass over the notes, and the code that they name.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/code/inline_code.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "base/insn.h"
#include "base/insn_ask.h"
#include "base/insn_rest.h"
#include "base/insn_vector.h"
#include "preload/code/functions.h"
#include "preload/core/reset.h"

enum {
	MOST = 1 << 14,
	NAME = 8, /* bytes of the note's owner, padded */
	NOTE_ALIGN = 4
};

/* What a note says, behind its name: the distances of both ends from where these stand. */
struct piece {
	int32_t start, end;
};

static struct inline_op all[MOST]; /* by address */
KEPT(all);
static uint32_t n;
KEPT(n);

static bool decode(uint64_t at, uint64_t end, struct insn *in)
{
	const uint8_t *code = (const uint8_t *)at;

	return insn_decode(code, end - at, at, in) || insn_decode_vector(code, end - at, at, in) ||
	       insn_decode_rest(code, end - at, at, in);
}

static void look_at_piece(uint64_t start, uint64_t end)
{
	struct insn_ask ask;
	struct insn in;

	for (uint64_t at = start; at < end && n < MOST; at += in.length) {
		const uint8_t *code = (const uint8_t *)at;

		in.length = insn_asks(code, end - at, &ask);
		if (in.length)
			continue;
		if (insn_access_decode(code, end - at, at, &all[n].access)) {
			in.length = all[n].access.length;
			all[n++].here = (struct breakpoint){ at, *code };
		} else if (!decode(at, end, &in)) {
			return;
		}
	}
}

static void look_at_notes(const struct module_code *c, uint64_t at, uint64_t end)
{
	while (at + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
		const uint64_t name = at + sizeof(*note), piece = name + NAME;
		const struct piece *p = (const struct piece *)piece;

		if (note->n_namesz == sizeof("heddle") && note->n_descsz == sizeof(*p) &&
		    piece + sizeof(*p) <= end && !memcmp((const void *)name, "heddle", NAME - 1)) {
			uint64_t from = piece + (uint64_t)(int64_t)p->start,
				 to = piece + sizeof(p->start) + (uint64_t)(int64_t)p->end;

			/* One that was left out with its section has lost its places. */
			if (from >= c->start && from < to && to <= c->end)
				look_at_piece(from, to);
		}
		at = name + ((note->n_namesz + NOTE_ALIGN - 1) & ~(uint64_t)(NOTE_ALIGN - 1)) +
		     ((note->n_descsz + NOTE_ALIGN - 1) & ~(uint64_t)(NOTE_ALIGN - 1));
	}
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct module_code c = functions_module(info);

	(void)size;
	(void)arg;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_NOTE && p->p_align == NOTE_ALIGN)
			look_at_notes(&c, info->dlpi_addr + p->p_vaddr,
				      info->dlpi_addr + p->p_vaddr + p->p_memsz);
	}
	return 0;
}

/* Pieces come mostly by ascending addresses. */
static void sort(void)
{
	for (uint32_t i = 1; i < n; i++) {
		const struct inline_op op = all[i];
		uint32_t k = i;

		for (; k && all[k - 1].here.at > op.here.at; k--)
			all[k] = all[k - 1];
		all[k] = op;
	}
}

const struct inline_op *inline_op_at(uint64_t at)
{
	uint32_t i;

	if (!n)
		return NULL;
	i = breakpoints_before(&(struct breakpoints){ all, n, sizeof(*all) }, at);
	return i < n && all[i].here.at == at ? &all[i] : NULL;
}

const struct inline_op *inline_op_before(uint64_t end)
{
	uint32_t i = n ? breakpoints_before(&(struct breakpoints){ all, n, sizeof(*all) }, end) : 0;

	return i && all[i - 1].here.at + all[i - 1].access.length == end ? &all[i - 1] : NULL;
}

bool inline_init(void)
{
	dl_iterate_phdr(look_at_module, NULL);
	if (!n)
		return false;
	sort();
	for (uint32_t i = 0; i < n; i++)
		code_halt(all[i].here.at);
	code_add((struct breakpoints){ all, n, sizeof(*all) });
	return true;
}
