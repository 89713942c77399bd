/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locked.c - atomic instructions of an instrumented program that are no operations
 *
 * Atomics that heddle-cc compiles are calls, and inline assembly of it has notes (instrument/notes.h), so any other is code that it did not
 * compile, or was told to leave alone, and orders nothing.
 *
 * The code of each function in the symbol table is decoded from its beginning. An instruction that
 * the decoder does not know ends that function, since nothing is certain behind it: so some may be missed, and
 * none is made up.
 *
 * The file is not trusted: libelf checks bounds, and every result of it is checked.
 *
 * Cost: one pass over the code. Caller: report_text.c, once a bug was found.
 */
#include "config.h"

#include "controller/elf/locked.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/insn.h"
#include "base/insn_ask.h"

struct found {
	uint64_t *offset;
	size_t n, max;
	Elf_Data *notes;
	uint64_t notes_at;
};

enum {
	DISTANCES = 8 /* bytes, at the end of a note */
};

/* Does a note name that place? */
static bool is_noted(const struct found *found, uint64_t at)
{
	size_t next, name, piece;
	GElf_Nhdr note;

	for (size_t o = 0;
	     found->notes && (next = gelf_getnote(found->notes, o, &note, &name, &piece));
	     o = next) {
		const char *in = found->notes->d_buf;
		int32_t start, end;

		if (note.n_descsz != DISTANCES || note.n_namesz != sizeof("heddle") ||
		    memcmp(in + name, "heddle", sizeof("heddle")))
			continue;
		memcpy(&start, in + piece, sizeof(start));
		memcpy(&end, in + piece + sizeof(start), sizeof(end));
		if (at >= found->notes_at + piece + (uint64_t)(int64_t)start &&
		    at < found->notes_at + piece + sizeof(start) + (uint64_t)(int64_t)end)
			return true;
	}
	return false;
}

static void find_notes(Elf *elf, struct found *found)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	while (!elf_getshdrstrndx(elf, &names) && (section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;

		if (!name || strcmp(name, ".note.heddle") || header.sh_type != SHT_NOTE)
			continue;
		found->notes = elf_getdata(section, NULL);
		found->notes_at = header.sh_addr;
		return;
	}
}

static void look_at_code(const uint8_t *code, uint64_t size, uint64_t at, struct found *found)
{
	struct insn_ask ask; /* for a fence, which is seen */
	struct insn in;

	for (uint64_t i = 0; i < size && found->n < found->max; i += in.length) {
		if (!insn_decode(code + i, size - i, at + i, &in))
			return;
		if (in.locked && in.opcode != INSN_COMPARE_PAIR &&
		    !insn_asks(code + i, in.length, &ask) && !is_noted(found, at + i))
			found->offset[found->n++] = at + i + in.length;
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
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym) && found->n < found->max; i++)
		if (GELF_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_size &&
		    sym.st_shndx != SHN_UNDEF && sym.st_shndx < SHN_LORESERVE)
			look_at_function(elf, &sym, found);
}

static bool is_table(Elf_Scn *section, uint32_t type)
{
	GElf_Shdr header;

	return gelf_getshdr(section, &header) && header.sh_type == type;
}

size_t locked_find(const char *path, uint64_t *offset, size_t max)
{
	struct found found = { .offset = offset, .max = max };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	Elf *elf;

	if (fd < 0)
		return 0;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		find_notes(elf, &found);
	while (elf && (section = elf_nextscn(elf, section)))
		if (is_table(section, SHT_SYMTAB))
			look_at_symbols(elf, section, &found);
	elf_end(elf);
	close(fd);
	return found.n;
}
