/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * instrumented.c - which modules are instrumented
 *
 * A module is when it may call __tsan_init(), as the constructors of its files do. (Who called it cannot be told: the call
 * is the last thing that they do, and so a jump.)
 */
#define _GNU_SOURCE 1
#include <link.h>

#include "preload/code/imports.h"
#include "preload/code/modules.h"
#include "preload/core/context.h"

enum {
	MAX_MODULES = 64
};

struct range {
	uint64_t low, high;
};

static struct range modules[MAX_MODULES];
static uint32_t nmodules;

static int find_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	if (!module_imports(info, "__tsan_init"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum && nmodules < MAX_MODULES; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t low = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X))
			modules[nmodules++] = (struct range){ low, low + ph->p_memsz };
	}
	return 0;
}

bool memory_from_program(uint64_t pc)
{
	for (uint32_t i = 0; i < nmodules; i++)
		if (pc - modules[i].low < modules[i].high - modules[i].low)
			return true;
	return false;
}

void memory_modules(void)
{
	nmodules = 0;
	dl_iterate_phdr(find_module, NULL);
}

/* How many modules the dynamic linker has loaded so far: the first one is asked, and says it of all. */
static int take_adds(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(unsigned long long *)arg = info->dlpi_adds;
	return 1;
}

void memory_modules_early(void)
{
	static unsigned long long known;
	unsigned long long adds = 0;

	dl_iterate_phdr(take_adds, &adds);
	if (adds != known)
		memory_modules();
	known = adds;
}
