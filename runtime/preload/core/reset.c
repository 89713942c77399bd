/* SPDX-License-Identifier: BSD-2-Clause */
/* reset.c - see reset.h: is each variable what it has to be when an execution begins? */
#define _GNU_SOURCE
#include "preload/core/reset.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/own.h"
#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/core/text.h"

enum {
	CHECKED = 8,         /* executions */
	OVERWRITTEN = 65536, /* bytes of a variable, the first ones */
	PATTERN = 0xa5,
	PAGE = 4096,
	ALIGNED = 32 /* the variables that begin with zero */
};

extern const struct marked __start_heddle_kept[], __stop_heddle_kept[];
extern const struct marked __start_heddle_fresh[], __stop_heddle_fresh[];
extern char __start_heddle_image[], __stop_heddle_image[];
extern char __start_heddle_seldom[], __stop_heddle_seldom[];

static struct {
	bool on;
	uint32_t begun;
	uint64_t base;   /* of the module */
	char *from, *to; /* its variables */
	char *zeroes;    /* the first page that the file has nothing for */
	char *first;  /* what they were when the first execution began: the pages that were there */
	uint8_t *had; /* which were, then or when an earlier search began */
	uint8_t *has; /* which are */
} check;
KEPT(check);

/* The writable part of this module, without what the linker has filled in for good. */
static int find_variables(struct dl_phdr_info *info, size_t size, void *ctx)
{
	uint64_t me = (uint64_t)(uintptr_t)&check;

	(void)size;
	(void)ctx;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_W) || me < at ||
		    me >= at + p->p_memsz)
			continue;
		check.base = info->dlpi_addr;
		check.from = (char *)((at + PAGE - 1) & ~(PAGE - 1ul));
		check.to = (char *)(at + p->p_memsz);
		check.zeroes = (char *)((at + p->p_filesz + PAGE - 1) & ~(PAGE - 1ul));
		return 1;
	}
	return 0;
}

/* The variable that holds the byte, of those of one kind; NULL if none does. */
static const struct marked *find(const struct marked *m, const struct marked *end, const char *p)
{
	while (m < end && (size_t)(p - (char *)m->at) >= m->size)
		m++;
	return m < end ? m : NULL;
}

/* The first variable that begins with zero is the compiler's: has the end of the module begun? exit() makes it so. */
extern char __bss_start[] __attribute__((visibility("hidden")));

static const char *first_zero(void)
{
	uint64_t at = (uint64_t)(uintptr_t)__bss_start + ALIGNED - 1;

	return (const char *)(at & ~(ALIGNED - 1ul));
}

/* Where what has to be the same begins, from here on; what is put back, or marked, is left out. */
static const char *skip_marked(const char *p)
{
	for (;;) {
		const struct marked *m = find(__start_heddle_kept, __stop_heddle_kept, p);

		if (!m)
			m = find(__start_heddle_fresh, __stop_heddle_fresh, p);
		if (m)
			p = (char *)m->at + m->size;
		else if (p >= __start_heddle_image && p < __stop_heddle_image)
			p = __stop_heddle_image;
		else if (p == first_zero())
			p++;
		else if (p >= __start_heddle_seldom && p < __stop_heddle_seldom)
			p = __stop_heddle_seldom;
		else
			return p;
	}
}

static size_t pages(void)
{
	return ((size_t)(check.to - check.from) + PAGE - 1) / PAGE;
}

/*
 * Asks the kernel which pages are there. Of many megabytes few are touched, and what never was is zero, and
 * stays out of memory so. Those that begin with other values come from the file, and count as there.
 */
static void ask_which(uint8_t *there)
{
	size_t filled = (size_t)(check.zeroes - check.from) / PAGE;

	if (sys3(SYS_mincore, (long)check.from, (long)(pages() * PAGE), (long)there))
		filled = pages();
	memset(there, 1, filled);
}

static size_t size_of_page(size_t i)
{
	size_t left = (size_t)(check.to - check.from) - i * PAGE;

	return left < PAGE ? left : PAGE;
}

static void keep_first(void)
{
	if (!check.first) {
		check.first = map_own(pages() * PAGE);
		check.had = map_own(pages());
		check.has = map_own(pages());
	}
	ask_which(check.has);
	for (size_t i = 0; i < pages(); i++) {
		check.had[i] |= check.has[i];
		if (check.had[i])
			memcpy(check.first + i * PAGE, check.from + i * PAGE, size_of_page(i));
	}
}

static void compare_from(const char *p, const char *end)
{
	static char where[20];
	struct text t = text_in(where, sizeof(where));

	FRESH(where);
	for (; p < end; p++) {
		if (*p == check.first[p - check.from])
			continue;
		p = skip_marked(p);
		if (p >= end || *p == check.first[p - check.from])
			continue;
		text_hex(&t, (uint64_t)(uintptr_t)p - check.base);
		internal_error("a variable of the runtime, at ", where,
			       " (nm -n libheddle-rt.so), is not what it was when the "
			       "first execution began (core/reset.h)",
			       NULL);
	}
}

/* A page that was not there, and is not, is zero as it was. */
static void compare(void)
{
	ask_which(check.has);
	for (size_t i = 0; i < pages(); i++) {
		const char *from = check.from + i * PAGE;

		if ((check.has[i] || check.had[i]) &&
		    memcmp(from, check.first + i * PAGE, size_of_page(i)) != 0)
			compare_from(from, from + size_of_page(i));
	}
}

void reset_before(void)
{
	if (!check.begun && !check.on) {
		check.on = getenv("HEDDLE_CHECK_RESET") && dl_iterate_phdr(find_variables, NULL);
		check.begun = check.on ? 0 : CHECKED;
	}
	if (check.begun == CHECKED)
		return;
	for (const struct marked *m = __start_heddle_fresh; m < __stop_heddle_fresh; m++)
		memset(m->at, PATTERN, m->size < OVERWRITTEN ? m->size : OVERWRITTEN);
}

void reset_after(void)
{
	if (check.begun == CHECKED)
		return;
	if (check.begun++)
		compare();
	else
		keep_first();
}

void reset_anew(void)
{
	if (check.on)
		check.begun = 0;
}
