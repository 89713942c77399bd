/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * llvm.c - the C interface of the LLVM library that a clang is linked with
 */
#include "config.h"

#include "llvm.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The name of the library, as the program asks for it, into name. */
static bool find_needed(Elf *elf, char *name, size_t size)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Dyn entry;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getdyn(data, i, &entry); i++) {
			const char *needed =
				entry.d_tag == DT_NEEDED
					? elf_strptr(elf, header.sh_link, entry.d_un.d_val)
					: NULL;

			if (needed && !strncmp(needed, "libLLVM", strlen("libLLVM")))
				return (size_t)snprintf(name, size, "%s", needed) < size;
		}
	}
	return false;
}

static bool needed_by(const char *program, char *name, size_t size)
{
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	bool found = false;
	Elf *elf;

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf) {
		found = find_needed(elf, name, size);
		elf_end(elf);
	}
	close(fd);
	return found;
}

/* As the dynamic linker finds it, or in lib beside the folder of the program. */
static void *open_library(const char *program, const char *name)
{
	char real[PATH_MAX], path[PATH_MAX + NAME_MAX];
	void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);

	if (library || !realpath(program, real))
		return library;
	snprintf(path, sizeof(path), "%s/../lib/%s", dirname(real), name);
	return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

bool llvm_load(struct llvm *llvm, const char *clang)
{
	char name[NAME_MAX];
	void *library;

	if (!needed_by(clang, name, sizeof(name)))
		return false;
	library = open_library(clang, name);
	if (!library)
		return false;
#define LLVM_FIND(result, name, arguments)                    \
	*(void **)&llvm->name = dlsym(library, "LLVM" #name); \
	if (!llvm->name)                                      \
		return false;
	LLVM_FUNCTIONS(LLVM_FIND)
#undef LLVM_FIND
	return true;
}
