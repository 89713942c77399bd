/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_file.c - the parts of an ELF file that tell whether heddle can run it
 *
 * Headers, and whichever part somebody asks for, with a bound on everything: half a dozen pread()
 * calls. libelf would do, but loading it takes longer than all that a small program does.
 */
#include "config.h"

#include "controller/elf_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *elf_file_read(const struct elf_file *f, uint64_t offset, uint64_t size)
{
	char *p;

	if (!size || offset > f->size || size > f->size - offset)
		return NULL;
	p = malloc(size + 1);
	if (p && pread(f->fd, p, size, (off_t)offset) != (ssize_t)size) {
		free(p);
		return NULL;
	}
	if (p)
		p[size] = 0;
	return p;
}

/* A table of n entries, each of which must have the size that we know. */
static void *read_table(const struct elf_file *f, uint64_t offset, size_t *n, size_t entry,
			size_t known)
{
	void *p = NULL;

	if (offset && entry == known && *n <= f->size / known)
		p = elf_file_read(f, offset, *n * known);
	if (!p)
		*n = 0;
	return p;
}

/* Numbers too large for the header stand in the first section header. */
static void read_tables(struct elf_file *f, const Elf64_Ehdr *h)
{
	size_t one = 1;
	Elf64_Shdr *first = read_table(f, h->e_shoff, &one, h->e_shentsize, sizeof(*first));

	f->nsections = h->e_shnum || !first ? h->e_shnum : first->sh_size;
	f->nsegments = h->e_phnum != PN_XNUM || !first ? h->e_phnum : first->sh_info;
	free(first);
	f->section = read_table(f, h->e_shoff, &f->nsections, h->e_shentsize, sizeof(*f->section));
	f->segment = read_table(f, h->e_phoff, &f->nsegments, h->e_phentsize, sizeof(*f->segment));
}

bool elf_file_open(struct elf_file *f, int fd)
{
	Elf64_Ehdr h = { .e_type = ET_NONE };
	struct stat st;
	ssize_t n;
	bool big;

	memset(f, 0, sizeof(*f));
	f->fd = fd;
	if (fstat(fd, &st) || st.st_size <= 0)
		return false;
	f->size = (uint64_t)st.st_size;
	n = pread(fd, &h, sizeof(h), 0);
	f->is_64 = h.e_ident[EI_CLASS] == ELFCLASS64;
	if (n < (ssize_t)(f->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)) ||
	    memcmp(h.e_ident, ELFMAG, SELFMAG))
		return false;
	/* These two stand at the same place in 32-bit files. */
	big = h.e_ident[EI_DATA] == ELFDATA2MSB;
	f->machine = big ? __builtin_bswap16(h.e_machine) : h.e_machine;
	f->type = big ? __builtin_bswap16(h.e_type) : h.e_type;
	if (f->is_64 && !big)
		read_tables(f, &h);
	return true;
}

void elf_file_release(struct elf_file *f)
{
	free(f->segment);
	free(f->section);
	f->segment = NULL;
	f->section = NULL;
	f->nsegments = f->nsections = 0;
}

/* ---- Build-id ------------------------------------------------------------------------------- */

static uint64_t aligned(uint64_t n, uint64_t to)
{
	return (n + to - 1) & ~(to - 1);
}

/* The build-id among the notes in a part of the file. */
static size_t id_in_notes(const struct elf_file *f, uint64_t offset, uint64_t size, uint64_t align,
			  unsigned char *out, size_t max)
{
	char *notes = elf_file_read(f, offset, size);
	uint64_t at = 0;
	size_t found = 0;

	align = align == 8 ? 8 : 4;
	while (notes && !found && size - at >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *n = (const void *)(notes + at);
		uint64_t name = at + sizeof(*n), desc = aligned(name + n->n_namesz, align);
		uint64_t end = aligned(desc + n->n_descsz, align);

		if (desc + n->n_descsz > size)
			break;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(notes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU))) {
			found = n->n_descsz < max ? n->n_descsz : max;
			memcpy(out, notes + desc, found);
		}
		at = end < size ? end : size;
	}
	free(notes);
	return found;
}

size_t elf_file_build_id(const struct elf_file *f, unsigned char *out, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nsegments && !n; i++) {
		const Elf64_Phdr *p = &f->segment[i];

		if (p->p_type == PT_NOTE)
			n = id_in_notes(f, p->p_offset, p->p_filesz, p->p_align, out, max);
	}
	for (size_t i = 0; i < f->nsections && !n; i++) {
		const Elf64_Shdr *s = &f->section[i];

		if (s->sh_type == SHT_NOTE)
			n = id_in_notes(f, s->sh_offset, s->sh_size, s->sh_addralign, out, max);
	}
	return n;
}
