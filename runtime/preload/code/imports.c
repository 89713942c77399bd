/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * imports.c - which functions the program can call, from its dynamic symbols, and which a module has
 *
 * Some functions need events that are of no use to a program that never calls them (that a
 * thread ended, to one that only asks whether it did). Whether they are needed must be known
 * before the first execution, and be the same for all workers: so the dynamic symbol tables of
 * the program and its libraries are asked for the name, as an undefined symbol. How long a table is
 * nobody says of undefined ones: they may be in its hash table, or come before those that are, or there
 * is nothing to hash; but its names follow the symbols, as all linkers have it. What else lies
 * between them is no symbol with a name.
 *
 * Not asked are libraries that the runtime has loaded for itself since modules_fill(): the unwinder of replays calls
 * syscall().
 *
 * A name that is only given to dlsym() is found if it was given before the root point (program_asked()). Cost: once, at
 * the root point. What a module has is found by its hash table (DT_GNU_HASH), which all linkers make today.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <elf.h>
#include <link.h>
#include <string.h>

#include "preload/code/imports.h"
#include "preload/code/modules.h"
#include "preload/core/context.h"
#include "preload/core/reset.h"

enum {
	MOST_ASKED = 1024
};

/* The names that the program has given to dlsym(), by their hashes. */
static uint32_t asked[MOST_ASKED], nasked;
KEPT(asked);
KEPT(nasked);

struct wanted {
	const char *name;
	bool found;
};

struct symbols {
	const ElfW(Sym) * table;
	const uint32_t *hash, *old_hash;
	const char *names;
	uint64_t names_size;
};

/* glibc adds the base where the section can be written, and not where it cannot (the vdso). */
static const void *at(uint64_t base, ElfW(Addr) value)
{
	return (const void *)(value < base ? base + value : value);
}

static struct symbols symbols_at(uint64_t base, const ElfW(Dyn) * d)
{
	struct symbols s = { 0 };

	for (; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			s.table = at(base, d->d_un.d_ptr);
		else if (d->d_tag == DT_GNU_HASH)
			s.hash = at(base, d->d_un.d_ptr);
		else if (d->d_tag == DT_HASH)
			s.old_hash = at(base, d->d_un.d_ptr);
		else if (d->d_tag == DT_STRTAB)
			s.names = at(base, d->d_un.d_ptr);
		else if (d->d_tag == DT_STRSZ)
			s.names_size = d->d_un.d_val;
	}
	return s;
}

static struct symbols symbols_of(const struct dl_phdr_info *info)
{
	const ElfW(Dyn) *d = NULL;

	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return symbols_at(info->dlpi_addr, d);
}

/* How many there are, of which any can be found by name: up to the last one in a hash table. */
static uint32_t number_of(const struct symbols *s)
{
	const uint32_t *buckets, *hashes;
	uint32_t last = 0;

	if (s->old_hash)
		return s->old_hash[1];
	if (!s->hash)
		return 0;
	buckets = s->hash + 4 + 2 * s->hash[2];
	hashes = buckets + s->hash[0];
	for (uint32_t i = 0; i < s->hash[0]; i++)
		if (buckets[i] > last)
			last = buckets[i];
	if (last < s->hash[1])
		return 0;
	while (!(hashes[last - s->hash[1]] & 1))
		last++;
	return last + 1;
}

const ElfW(Sym) * module_symbols(uint64_t base, const ElfW(Dyn) * dynamic, uint32_t *n)
{
	const struct symbols s = symbols_at(base, dynamic);

	*n = s.table ? number_of(&s) : 0;
	return s.table;
}

static uint32_t hash_of(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (uint8_t)*name;
	return h;
}

/* strcmp() is one of those that are looked for. */
static bool same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* The table: how many buckets, the first symbol in it, words of a filter, its shift; those words, the buckets, hashes by symbol. */
void *module_defines(const struct dl_phdr_info *info, const char *name)
{
	struct symbols s = symbols_of(info);
	const uint32_t h = hash_of(name);
	const uint32_t *buckets, *hashes;
	uint32_t i;

	if (!s.table || !s.hash || !s.hash[0])
		return NULL;
	buckets = s.hash + 4 + 2 * s.hash[2];
	hashes = buckets + s.hash[0];
	i = buckets[h % s.hash[0]];
	if (i < s.hash[1])
		return NULL;
	do {
		if ((hashes[i - s.hash[1]] | 1) == (h | 1) && s.table[i].st_shndx != SHN_UNDEF &&
		    same(s.names + s.table[i].st_name, name))
			return (void *)(info->dlpi_addr + s.table[i].st_value);
	} while (!(hashes[i++ - s.hash[1]] & 1));
	return NULL;
}

bool module_has(const struct dl_phdr_info *info, uint64_t addr)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && addr - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
			return true;
	}
	return false;
}

/* Of so many that not all are known: perhaps. */
static bool was_asked(const char *name)
{
	uint32_t h = hash_of(name);

	for (uint32_t i = 0; i < nasked; i++)
		if (asked[i] == h)
			return true;
	return nasked == MOST_ASKED;
}

void program_asked(const char *name)
{
	if (!was_asked(name))
		asked[nasked++] = hash_of(name);
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
	return w.found || was_asked(name);
}
