/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_build.c - how a program was built, from what its loader will read
 *
 * The loader finds everything through the dynamic segment: names of libraries, and the table of
 * dynamic symbols, in which the names that the program calls are undefined. How long that
 * table is only its hash tables say, or, where it defines none, what relocations name. Runtimes of sanitizers that are linked into a program
 * define names in it, or, where these are not exported, in the table for debuggers.
 *
 * The file is not trusted: every address is looked for in a segment, and every length is cut to
 * what the segment has.
 *
 * Cost: one pass over the dynamic symbols, and one over the others if there are any.
 */
#include "config.h"

#include "controller/elf/elf_build.h"

#include <gelf.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

/* A part of the file, from where a table begins to where its segment ends. */
struct piece {
	const unsigned char *at;
	size_t size;
};

struct dynamic {
	uint64_t symbols, strings, strings_size, hash, gnu_hash;
	uint64_t calls, calls_size, relocations, relocations_size;
};

/* The file's bytes that are to be mapped at an address. */
static struct piece piece_at(Elf *elf, uint64_t addr)
{
	size_t n = 0;
	GElf_Phdr ph;
	Elf_Data *d;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; addr && i < n && i < INT_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD || addr < ph.p_vaddr ||
		    addr - ph.p_vaddr >= ph.p_filesz)
			continue;
		d = elf_getdata_rawchunk(elf, (int64_t)(ph.p_offset + (addr - ph.p_vaddr)),
					 ph.p_filesz - (addr - ph.p_vaddr), ELF_T_BYTE);
		if (d && d->d_buf)
			return (struct piece){ d->d_buf, d->d_size };
	}
	return (struct piece){ NULL, 0 };
}

static uint32_t word(const struct piece *p, uint64_t index)
{
	uint32_t w = 0;

	if (index < p->size / sizeof(w))
		memcpy(&w, p->at + index * sizeof(w), sizeof(w));
	return w;
}

/* A final 0 may be missing. */
static const char *string(const struct piece *strings, uint64_t at)
{
	if (at >= strings->size || !memchr(strings->at + at, 0, strings->size - at))
		return "";
	return (const char *)strings->at + at;
}

/* How many symbols a GNU hash table has: the end of the chain that begins last. */
static uint64_t gnu_symbols(const struct piece *hash)
{
	enum {
		BUCKETS,
		FIRST,
		BLOOM,
		HEAD = 4
	};
	uint64_t buckets = word(hash, BUCKETS), first = word(hash, FIRST), last = 0;
	uint64_t table = HEAD + 2ull * word(hash, BLOOM), chains = table + buckets;
	uint64_t words = hash->size / sizeof(uint32_t);

	for (uint64_t i = 0; i < buckets && table + i < words; i++)
		if (word(hash, table + i) > last)
			last = word(hash, table + i);
	if (last < first)
		return first; /* it has undefined ones only; then linkers say 1 here, too */
	while (chains + last - first < words && !(word(hash, chains + last - first) & 1))
		last++;
	return last + 1;
}

/* How many symbols there are at least, from those that relocations name. */
static uint64_t related_symbols(Elf *elf, uint64_t table, uint64_t size)
{
	struct piece p = piece_at(elf, table);
	uint64_t n = 0;
	Elf64_Rela r;

	for (uint64_t at = 0; at + sizeof(r) <= size && at + sizeof(r) <= p.size; at += sizeof(r)) {
		memcpy(&r, p.at + at, sizeof(r));
		if (ELF64_R_SYM(r.r_info) >= n)
			n = ELF64_R_SYM(r.r_info) + 1;
	}
	return n;
}

static uint64_t count_symbols(Elf *elf, const struct dynamic *d)
{
	struct piece hash = piece_at(elf, d->hash), gnu = piece_at(elf, d->gnu_hash);
	uint64_t n, related;

	if (hash.size)
		return word(&hash, 1);
	n = gnu.size ? gnu_symbols(&gnu) : 0;
	related = related_symbols(elf, d->calls, d->calls_size);
	n = related > n ? related : n;
	related = related_symbols(elf, d->relocations, d->relocations_size);
	return related > n ? related : n;
}

/* ---- Names ---------------------------------------------------------------------------------- */

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static const char *sanitizer_of(const char *symbol)
{
	static const char *const of[][2] = {
		{ "__asan_init", "AddressSanitizer" },   { "__hwasan_init", "HWAddressSanitizer" },
		{ "__lsan_init", "LeakSanitizer" },      { "__msan_init", "MemorySanitizer" },
		{ "__dfsan_init", "DataFlowSanitizer" },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (!strcmp(symbol, of[i][0]))
			return of[i][1];
	return NULL;
}

static void take_symbol(struct elf_build *b, const char *name, bool defined)
{
	if (!defined)
		b->imports += name[0] != 0;
	else
		b->defines_locks |= !strcmp(name, "pthread_mutex_lock");
	if (name[0] != '_' || name[1] != '_')
		return;
	if (begins(name, "__tsan_")) {
		b->uses_tsan |= !defined;
		/* Others, __tsan_default_options() say, are for programs to define. */
		b->defines_tsan |=
			defined && (!strcmp(name, "__tsan_init") || !strcmp(name, "__tsan_read4") ||
				    !strcmp(name, "__tsan_atomic32_load"));
	} else if (!defined) {
		b->starts_with_libc |= !strcmp(name, "__libc_start_main");
	}
	if (!b->other_sanitizer)
		b->other_sanitizer = sanitizer_of(name);
}

static void take_library(struct elf_build *b, const char *name)
{
	static const char *const others[][2] = {
		{ "libasan.so", "AddressSanitizer" },
		{ "libclang_rt.asan", "AddressSanitizer" },
		{ "libhwasan.so", "HWAddressSanitizer" },
		{ "libclang_rt.hwasan", "HWAddressSanitizer" },
		{ "liblsan.so", "LeakSanitizer" },
	};

	b->needs_native |= begins(name, "libheddle-native.so");
	b->needs_tsan |= begins(name, "libtsan.so") || begins(name, "libclang_rt.tsan");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (begins(name, others[i][0]))
			b->other_sanitizer = others[i][1];
}

/* ---- Tables --------------------------------------------------------------------------------- */

static void read_symbols(struct elf_build *b, Elf *elf, const struct dynamic *d)
{
	struct piece symbols = piece_at(elf, d->symbols), strings = piece_at(elf, d->strings);
	uint64_t n = count_symbols(elf, d), room = symbols.size / sizeof(Elf64_Sym);
	Elf64_Sym sym;

	if (strings.size > d->strings_size)
		strings.size = d->strings_size;
	for (uint64_t i = 1; i < n && i < room; i++) {
		memcpy(&sym, symbols.at + i * sizeof(sym), sizeof(sym));
		take_symbol(b, string(&strings, sym.st_name), sym.st_shndx != SHN_UNDEF);
	}
}

static void read_dynamic(struct elf_build *b, Elf *elf, const GElf_Phdr *ph)
{
	Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)ph->p_offset, ph->p_filesz, ELF_T_DYN);
	struct dynamic d = { 0 };
	struct piece strings;
	GElf_Dyn dyn;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		uint64_t *to = dyn.d_tag == DT_SYMTAB     ? &d.symbols
			       : dyn.d_tag == DT_STRTAB   ? &d.strings
			       : dyn.d_tag == DT_STRSZ    ? &d.strings_size
			       : dyn.d_tag == DT_HASH     ? &d.hash
			       : dyn.d_tag == DT_GNU_HASH ? &d.gnu_hash
			       : dyn.d_tag == DT_JMPREL   ? &d.calls
			       : dyn.d_tag == DT_PLTRELSZ ? &d.calls_size
			       : dyn.d_tag == DT_RELA     ? &d.relocations
			       : dyn.d_tag == DT_RELASZ   ? &d.relocations_size
							  : NULL;

		if (to)
			*to = dyn.d_un.d_val;
	}
	strings = piece_at(elf, d.strings);
	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++)
		if (dyn.d_tag == DT_NEEDED)
			take_library(b, string(&strings, dyn.d_un.d_val));
	read_symbols(b, elf, &d);
}

/* The symbols for debuggers: what a program keeps to itself is defined here only. */
static void read_hidden(struct elf_build *b, Elf *elf)
{
	struct elf_build hidden = { 0 };
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Sym sym;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *d = gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB
				      ? elf_getdata(scn, NULL)
				      : NULL;
		size_t n = d && sh.sh_entsize ? sh.sh_size / sh.sh_entsize : 0;

		for (size_t i = 0; i < n && i < INT_MAX && gelf_getsym(d, (int)i, &sym); i++) {
			const char *name = elf_strptr(elf, sh.sh_link, sym.st_name);

			if (name && sym.st_shndx != SHN_UNDEF)
				take_symbol(&hidden, name, true);
		}
	}
	b->defines_tsan |= hidden.defines_tsan;
	b->defines_locks |= hidden.defines_locks;
	if (!b->other_sanitizer)
		b->other_sanitizer = hidden.other_sanitizer;
}

void elf_build(struct elf_build *b, Elf *elf)
{
	size_t n = 0;
	GElf_Phdr ph;

	memset(b, 0, sizeof(*b));
	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n && i < INT_MAX && gelf_getphdr(elf, (int)i, &ph); i++)
		if (ph.p_type == PT_DYNAMIC)
			read_dynamic(b, elf, &ph);
	read_hidden(b, elf);
}
