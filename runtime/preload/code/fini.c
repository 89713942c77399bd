/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fini.c - does the end of a module do anything?
 *
 * exit() runs what was registered with atexit() and then, for each module, the functions in
 * its .fini_array and its _fini. Most modules have there only what the C compiler's start
 * files put in: __do_global_dtors_aux, which runs what was registered for the module, and an
 * empty _fini. A program of such modules ends the same without exit(), which writes to
 * half a dozen pages of libraries, all to be put back before the next execution.
 *
 * What is not recognised counts as doing something. Caller: hook_exit.c, at the root point.
 */
#define _GNU_SOURCE 1
#include <elf.h>
#include <link.h>
#include <string.h>

#include "preload/code/fini.h"
#include "preload/code/modules.h"
#include "preload/core/context.h"

struct ending {
	uint64_t fini, array, size; /* size of the array in bytes */
};

/* Skips endbr64. */
static const uint8_t *body_of(uint64_t fn)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uint8_t *code = (const uint8_t *)fn;

	return memcmp(code, endbr64, sizeof(endbr64)) ? code : code + sizeof(endbr64);
}

/* sub $8,%rsp; add $8,%rsp; ret */
static bool is_empty_fini(uint64_t fn)
{
	static const uint8_t empty[] = { 0x48, 0x83, 0xec, 0x08, 0x48, 0x83, 0xc4, 0x08, 0xc3 };

	return !memcmp(body_of(fn), empty, sizeof(empty));
}

/* cmpb $0,completed(%rip): how __do_global_dtors_aux of crtbegin.o begins. */
static bool is_dtors_aux(uint64_t fn)
{
	const uint8_t *code = body_of(fn);

	return code[0] == 0x80 && code[1] == 0x3d && code[6] == 0;
}

static struct ending ending_of(const struct dl_phdr_info *info)
{
	struct ending e = { 0 };
	const ElfW(Dyn) *d = NULL;

	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++)
		switch (d->d_tag) {
		case DT_FINI:
			e.fini = info->dlpi_addr + d->d_un.d_ptr;
			break;
		case DT_FINI_ARRAY:
			e.array = info->dlpi_addr + d->d_un.d_ptr;
			break;
		case DT_FINI_ARRAYSZ:
			e.size = d->d_un.d_val;
			break;
		default:
			break;
		}
	return e;
}

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct ending e = ending_of(info);
	bool *any = arg;

	(void)size;
	if (e.fini && !is_empty_fini(e.fini))
		*any = true;
	/* The start files' entry is the first of the array. */
	if (e.size > sizeof(uint64_t) || (e.size && !is_dtors_aux(*(const uint64_t *)e.array)))
		*any = true;
	return *any;
}

bool modules_have_endings(void)
{
	bool any = false;

	dl_iterate_phdr(look, &any);
	return any;
}
