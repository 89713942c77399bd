/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locked.c - see locked.h
 *
 * Atomics that heddle-cc compiles are calls, so such an instruction is inline assembly, and orders
 * nothing. Loads and stores of inline assembly look like any other mov, and are not found. A system call is made
 * by libc, whose functions are intercepted, or by such an instruction in the program.
 *
 * The code of each function in the symbol table is decoded from its beginning. An instruction that
 * the decoder does not know ends that function, since nothing is certain behind it: so some may be missed, and
 * none is made up.
 *
 * The file is not trusted: libelf checks bounds, and every result of it is checked.
 *
 * Cost: one pass over the code. Callers: report_text.c, once a bug was found; incomplete.c, when none was.
 */
#include "config.h"

#include "controller/elf/locked.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/insn.h"
#include "controller/elf/elf_build.h"

enum {
	SYSCALL = 2 /* bytes of the instruction, 0f 05 */
};

struct found {
	uint64_t *offset;
	size_t n, max;
	bool atomics, calls;      /* what is looked for */
	struct untold_code *code; /* NULL: nobody wants it by name */
};

static bool is_system_call(const uint8_t *code, uint64_t left)
{
	return left >= SYSCALL && code[0] == 0x0f && code[1] == 0x05;
}

static void look_at_code(const uint8_t *code, uint64_t size, uint64_t at, struct found *found)
{
	struct insn in;

	for (uint64_t i = 0; i < size && found->n < found->max; i += in.length) {
		bool calls = is_system_call(code + i, size - i);

		if (calls)
			in.length =
				SYSCALL; /* the decoder knows none: they change what it cannot tell */
		else if (!insn_decode(code + i, size - i, at + i, &in))
			return;
		if (calls ? !found->calls : !found->atomics || !in.locked)
			continue;
		found->offset[found->n++] = at + i + in.length;
		if (found->code)
			found->code->system_call = calls;
	}
}

static void look_at_function(Elf *elf, const GElf_Sym *sym, struct found *found)
{
	Elf_Scn *section = elf_getscn(elf, sym->st_shndx);
	GElf_Shdr header;
	Elf_Data *data;
	uint64_t from;

	if (!section || !gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
	    sym->st_value < header.sh_addr)
		return;
	from = sym->st_value - header.sh_addr;
	data = elf_rawdata(section, NULL);
	if (data && data->d_buf && from < data->d_size && sym->st_size <= data->d_size - from)
		look_at_code((const uint8_t *)data->d_buf + from, sym->st_size, sym->st_value,
			     found);
}

static void look_at_symbols(Elf *elf, Elf_Scn *section, struct found *found)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr header;
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym) && found->n < found->max; i++) {
		const char *name;

		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || !sym.st_size ||
		    sym.st_shndx == SHN_UNDEF || sym.st_shndx >= SHN_LORESERVE)
			continue;
		look_at_function(elf, &sym, found);
		if (!found->n || !found->code || !gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, header.sh_link, sym.st_name);
		snprintf(found->code->function, sizeof(found->code->function), "%s",
			 name && *name ? name : "a function");
	}
}

static bool is_table(Elf_Scn *section, uint32_t type)
{
	GElf_Shdr header;

	return gelf_getshdr(section, &header) && header.sh_type == type;
}

/* With `foreign`, not in a file in which nothing is instrumented. */
static void look_at_file(const char *path, bool foreign, struct found *found)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_build build = { .uses_tsan = true };
	Elf_Scn *section = NULL;
	Elf *elf;

	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && foreign)
		elf_build(&build, elf);
	while (elf && build.uses_tsan && (section = elf_nextscn(elf, section)))
		if (is_table(section, SHT_SYMTAB))
			look_at_symbols(elf, section, found);
	elf_end(elf);
	close(fd);
}

size_t locked_find(const char *path, uint64_t *offset, size_t max)
{
	struct found found = { .offset = offset, .max = max, .atomics = true };

	look_at_file(path, false, &found);
	return found.n;
}

bool untold_find(const char *path, bool atomics, bool foreign, struct untold_code *out)
{
	uint64_t offset;
	struct found found = {
		.offset = &offset, .max = 1, .atomics = atomics, .calls = true, .code = out
	};

	look_at_file(path, foreign, &found);
	return found.n;
}

/* ---- Files that were linked into it ------------------------------------------------------------- */

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* The compiler's and libc's files for every program, and heddle-cc's. */
static bool comes_along(const char *source)
{
	size_t n = strlen(source);

	return !n || (n > 2 && !strcmp(source + n - 2, ".o")) || !strcmp(source, "crtstuff.c") ||
	       !strcmp(source, "preinit.c");
}

/* The linker puts the local symbols of each file behind its name. An instrumented one has a constructor. */
static bool find_source(Elf *elf, Elf_Scn *section, char *name, size_t size)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const char *source = "", *s;
	bool instrumented = true;
	GElf_Shdr header;
	GElf_Sym sym;

	for (int i = 0; data && gelf_getshdr(section, &header) && gelf_getsym(data, i, &sym); i++) {
		s = elf_strptr(elf, header.sh_link, sym.st_name);
		if (!s || GELF_ST_BIND(sym.st_info) != STB_LOCAL)
			continue;
		if (GELF_ST_TYPE(sym.st_info) != STT_FILE) {
			instrumented |=
				begins(s, "_sub_I_00099_0") || begins(s, "tsan.module_ctor");
			continue;
		}
		if (!instrumented && !comes_along(source))
			break;
		source = s;
		instrumented = false;
	}
	if (instrumented || comes_along(source))
		return false;
	snprintf(name, size, "%s", source);
	return true;
}

bool untold_source(const char *path, char *name, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	bool found = false;
	Elf *elf;

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	while (elf && !found && (section = elf_nextscn(elf, section)))
		found = is_table(section, SHT_SYMTAB) && find_source(elf, section, name, size);
	elf_end(elf);
	close(fd);
	return found;
}
