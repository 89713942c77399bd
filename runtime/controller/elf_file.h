/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_file.h - the parts of an ELF file that tell whether heddle can run it
 *
 *	struct elf_file f;
 *
 *	if (elf_file_open(&f, fd) == ELF_FILE_OK)
 *		for (size_t i = 0; i < f.nsegments; i++)
 *			look at f.segment[i];
 *	elf_file_release(&f);
 *
 * The file is not trusted: what lies outside it, or makes no sense, is left out.
 */
#ifndef HEDDLE_CONTROLLER_ELF_FILE_H
#define HEDDLE_CONTROLLER_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {
	int fd;
	uint64_t size;
	unsigned machine, type; /* EM_*, ET_*, of any ELF file */
	bool is_64;
	/* Of a 64-bit file of our byte order: as they stand there. */
	Elf64_Phdr *segment;
	Elf64_Shdr *section;
	size_t nsegments, nsections;
};

/* Reads the headers of the file behind fd, which stays the caller's; false: it is no ELF file. */
bool elf_file_open(struct elf_file *f, int fd);
void elf_file_release(struct elf_file *f);

/*
 * A part of the file in memory of the caller's, with a 0 byte behind it; NULL when it is empty,
 * or does not lie in the file, or there is no memory.
 */
void *elf_file_read(const struct elf_file *f, uint64_t offset, uint64_t size);

/* The GNU build-id, at most max bytes; its length, 0 when there is none. */
size_t elf_file_build_id(const struct elf_file *f, unsigned char *out, size_t max);

#endif
