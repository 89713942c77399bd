/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * imports.c - which functions the program can call, from its dynamic symbols
 *
 * Some functions need events that are of no use to a program that never calls them (that a
 * thread ended, to one that only asks whether it did). Whether they are needed must be known
 * before the first execution, and be the same for all workers: so the dynamic symbol tables of
 * the program and its libraries are asked for the name, as an undefined symbol. How long a table is
 * nobody says: undefined symbols may be in its hash table, or come before those that are, or there
 * is nothing to hash; but its names follow the symbols, as all linkers have it. What else lies
 * between them is no symbol with a name.
 *
 * Not asked are libraries that the runtime has loaded for itself since modules_fill(): the unwinder of replays calls
 * syscall().
 *
 * A name that is only given to dlsym() is not found. Cost: once, at the root point.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <elf.h>
#include <link.h>
#include <string.h>

#include "preload/core/context.h"
#include "preload/core/imports.h"
#include "preload/core/modules.h"

struct wanted {
	const char *name;
	bool found;
};

struct symbols {
	const ElfW(Sym) * table;
	const char *names;
	uint64_t names_size;
};

/* glibc adds the base where the section can be written, and not where it cannot (the vdso). */
static const void *at(const struct dl_phdr_info *info, ElfW(Addr) value)
{
	return (const void *)(value < info->dlpi_addr ? info->dlpi_addr + value : value);
}

static struct symbols symbols_of(const struct dl_phdr_info *info)
{
	struct symbols s = { 0 };

	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const ElfW(Dyn) *d = (const void *)(info->dlpi_addr + p->p_vaddr);

		for (; p->p_type == PT_DYNAMIC && d->d_tag != DT_NULL; d++) {
			if (d->d_tag == DT_SYMTAB)
				s.table = at(info, d->d_un.d_ptr);
			else if (d->d_tag == DT_STRTAB)
				s.names = at(info, d->d_un.d_ptr);
			else if (d->d_tag == DT_STRSZ)
				s.names_size = d->d_un.d_val;
		}
	}
	return s;
}

bool module_imports(const struct dl_phdr_info *info, const char *name)
{
	struct symbols s = symbols_of(info);
	bool found = false;
	uint32_t n;

	if (!s.table || (const char *)s.table > s.names)
		return false;
	n = (uint32_t)((size_t)(s.names - (const char *)s.table) / sizeof(*s.table));
	for (uint32_t i = 1; i < n && !found; i++)
		found = s.table[i].st_shndx == SHN_UNDEF && s.table[i].st_name &&
			s.table[i].st_name < s.names_size &&
			!strcmp(s.names + s.table[i].st_name, name);
	return found;
}

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct wanted *w = arg;

	(void)size;
	if (shared->nmodules < SHARED_MAX_MODULES &&
	    module_of((uint64_t)(uintptr_t)symbols_of(info).names) < 0)
		return 0;
	w->found = module_imports(info, w->name);
	return w->found;
}

bool program_imports(const char *name)
{
	struct wanted w = { .name = name };

	dl_iterate_phdr(look, &w);
	return w.found;
}
