/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * untold.c - variables of the program that change, and nobody announced that they are written to
 *
 * heddle knows of plain accesses what instrumented code tells. Files that heddle-cc did not compile may be linked
 * into a program, and inline assembly stores to memory: then threads share what nobody sees, and one execution is
 * no proof. That shows in what the execution leaves: a variable holds something else than at the root point, and no
 * write of the execution has been to it. What is read only, or put back, does not show.
 *
 * Looked at are the data of the program and of its instrumented libraries. Not what the loader writes
 * there: the addresses of functions that it finds when they are called for the first time, and variables of libraries
 * that the linker has moved into the program (stdout, optind, std::cout), to which these libraries write.
 *
 * Cost: a comparison of these data, a microsecond for some ten KiB, at the end of the first executions and of
 * some later ones. Exploring only.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <link.h>
#include <string.h>

#include "preload/core/lifecycle.h"
#include "preload/core/modules.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/core/text.h"
#include "preload/race/shadow.h"

enum {
	PIECES = 64,
	MOST = 1 << 20, /* bytes that are looked at */
	ALWAYS = 256,   /* executions, from the first on */
	THEN_EACH = 16, /* of those that follow */
	GRANULE = 8,
	OBJECT =
		32 /* bytes of a lock or the like, of which the first is marked, that the runtime writes to */
};

/* A part of the data, and what it held at the root point. */
static struct piece {
	uint64_t start, end;
	const char *before;
} piece[PIECES];
KEPT(piece);
static uint32_t npieces;
KEPT(npieces);
static uint64_t executions;
KEPT(executions);
static char *room; /* for copies */
KEPT(room);
static uint64_t used;
KEPT(used);

/* ---- What is looked at --------------------------------------------------------------------------- */

static void add(uint64_t start, uint64_t end)
{
	start = (start + GRANULE - 1) & ~(uint64_t)(GRANULE - 1);
	end &= ~(uint64_t)(GRANULE - 1);
	if (start >= end || npieces == PIECES || end - start > MOST - used)
		return;
	memcpy(room + used, (const void *)start, end - start);
	piece[npieces++] = (struct piece){ start, end, room + used };
	used += end - start;
}

/* Takes [from, to) out of the pieces from number `first` on. */
static void leave_out(uint32_t first, uint64_t from, uint64_t to)
{
	from &= ~(uint64_t)(GRANULE - 1);
	to = (to + GRANULE - 1) & ~(uint64_t)(GRANULE - 1);
	for (uint32_t i = first; i < npieces; i++) {
		struct piece *p = &piece[i], behind = *p;

		if (from >= p->end || to <= p->start)
			continue;
		behind.before += to - behind.start;
		behind.start = to;
		p->end = from > p->start ? from : p->start;
		if (to < behind.end && npieces < PIECES)
			piece[npieces++] = behind;
	}
}

/* glibc adds the base where the section can be written. */
static const void *at(const struct dl_phdr_info *info, ElfW(Addr) value)
{
	return (const void *)(value < info->dlpi_addr ? info->dlpi_addr + value : value);
}

/* Copies of variables (`copies`), or places for addresses of functions. */
static void leave_loaders(const struct dl_phdr_info *info, uint32_t first, const ElfW(Rela) * r,
			  uint64_t n, const ElfW(Sym) * symbols, bool copies)
{
	for (uint64_t i = 0; r && i < n; i++) {
		uint64_t to = info->dlpi_addr + r[i].r_offset;

		if (!copies)
			leave_out(first, to, to + GRANULE);
		else if (ELF64_R_TYPE(r[i].r_info) == R_X86_64_COPY && symbols)
			leave_out(first, to, to + symbols[ELF64_R_SYM(r[i].r_info)].st_size);
	}
}

static void leave_what_loaders_write(const struct dl_phdr_info *info, uint32_t first,
				     const ElfW(Dyn) * d)
{
	const ElfW(Rela) *all = NULL, *lazy = NULL;
	const ElfW(Sym) *symbols = NULL;
	uint64_t all_size = 0, lazy_size = 0;

	for (; d->d_tag != DT_NULL; d++) {
		switch (d->d_tag) {
		case DT_RELA:
			all = at(info, d->d_un.d_ptr);
			break;
		case DT_RELASZ:
			all_size = d->d_un.d_val;
			break;
		case DT_JMPREL:
			lazy = at(info, d->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			lazy_size = d->d_un.d_val;
			break;
		case DT_SYMTAB:
			symbols = at(info, d->d_un.d_ptr);
			break;
		default:
			break;
		}
	}
	leave_loaders(info, first, all, all_size / sizeof(*all), symbols, true);
	leave_loaders(info, first, lazy, lazy_size / sizeof(*lazy), symbols, false);
}

static int take_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	const ElfW(Dyn) *dynamic = NULL;
	bool instrumented = false;
	uint32_t first = npieces;

	(void)size;
	(void)arg;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		instrumented |= info->dlpi_phdr[i].p_type == PT_LOAD &&
				memory_from_program(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	if (!instrumented || in_runtime(info->dlpi_addr))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && p->p_flags & PF_W)
			add(start, start + p->p_memsz);
		else if (p->p_type == PT_DYNAMIC)
			dynamic = (const void *)start;
	}
	if (dynamic)
		leave_what_loaders_write(info, first, dynamic);
	return 0;
}

static void take_all(void)
{
	npieces = 0;
	used = executions = 0;
	if (shared->config.mode != ENGINE_EXPLORE)
		return;
	if (!room)
		room = map_own(MOST);
	dl_iterate_phdr(take_module, NULL);
}

AT_ROOT(take_all);

/* ---- What has changed ---------------------------------------------------------------------------- */

/* Was there a write to the byte, or an operation? */
static bool is_told(uint64_t addr)
{
	const struct shadow_cell *cell = shadow_cell_now(addr);

	if (shadow_byte(cell, addr) != BYTE_PLAIN ||
	    race_written(&cell->race, &shadow_pool, 1u << addr % GRANULE))
		return true;
	for (uint64_t at = addr & ~3ul; at + OBJECT > addr; at -= 4)
		if (shadow_object(at) == BYTE_OBJECT || shadow_object(at) == BYTE_LOCKED)
			return true;
	return false;
}

static void tell(uint64_t addr)
{
	struct text t = text_in(shared->untold, sizeof(shared->untold));
	int module = module_of(addr);
	const char *path = module < 0 ? "" : shared->modules[module].path;
	const char *slash = strrchr(path, '/');

	text_str(&t, slash ? slash + 1 : path);
	text_str(&t, "+");
	text_hex(&t, module < 0 ? addr : addr - shared->modules[module].base);
	/* relaxed: the controller looks at it in the end */
	atomic_store_explicit(&shared->has_untold, 1, memory_order_relaxed);
}

static void look_at_piece(const struct piece *p)
{
	for (uint64_t at = p->start; at < p->end; at++)
		if (*(const char *)at != p->before[at - p->start] && !is_told(at)) {
			tell(at);
			return;
		}
}

static void look(void)
{
	/* relaxed: one writer */
	if (!npieces || atomic_load_explicit(&shared->has_untold, memory_order_relaxed) ||
	    (++executions > ALWAYS && executions % THEN_EACH))
		return;
	for (uint32_t i = 0; i < npieces; i++)
		if (memcmp((const void *)piece[i].start, piece[i].before,
			   piece[i].end - piece[i].start))
			look_at_piece(&piece[i]);
}

AT_END(look);
