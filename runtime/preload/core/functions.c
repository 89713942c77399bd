/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * functions.c - see functions.h
 *
 * .eh_frame_hdr has them in a table (LSB Core, Section 10.6). Hand-written assembly without such entries is not in it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/core/functions.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "preload/core/modules.h"
#include "preload/core/reset.h"

enum {
	SDATA4 = 0x1b,
	UDATA4 = 0x03,
	TABLE = 0x3b
};

/* Whom to tell; of modules by ascending addresses the first from `from` on is looked at next. */
struct search {
	bool (*wanted)(const struct dl_phdr_info *info);
	void (*tell)(const struct module_code *c, uint64_t start, uint64_t end);
	uint64_t from, next;
	uint32_t n;
};

/* How many there were when the program began. They stand first in the list. */
static uint32_t initial;
KEPT(initial);

static int32_t number_at(const uint8_t *at)
{
	int32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

void functions_of(const struct module_code *c,
		  void (*tell)(const struct module_code *c, uint64_t start, uint64_t end))
{
	const uint8_t *t = c->table, *row;
	uint32_t n;

	if (!t || t[0] != 1 || t[1] != SDATA4 || t[2] != UDATA4 || t[3] != TABLE)
		return;
	memcpy(&n, t + 8, sizeof(n));
	row = t + 12;
	for (uint32_t i = 0; i < n; i++, row += 8) {
		uint64_t start = (uint64_t)(uintptr_t)t + (uint64_t)(int64_t)number_at(row);
		const uint8_t *fde = t + number_at(row + 4);
		uint64_t says =
			(uint64_t)(uintptr_t)fde + 8 + (uint64_t)(int64_t)number_at(fde + 8);
		uint64_t end = start + (uint32_t)number_at(fde + 12);

		if (says == start && start >= c->start && end <= c->end)
			tell(c, start, end);
	}
}

static int count(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	(void)arg;
	initial++;
	return 0;
}

void functions_init(void)
{
	dl_iterate_phdr(count, NULL);
}

static int find_next(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;

	(void)size;
	if (s->n++ == initial)
		return 1;
	if (info->dlpi_addr >= s->from && info->dlpi_addr < s->next)
		s->next = info->dlpi_addr;
	return 0;
}

struct module_code functions_module(const struct dl_phdr_info *info)
{
	struct module_code c = { .table = NULL };

	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;

		if (p->p_type == PT_LOAD && p->p_flags & PF_W) {
			c.data = start;
			c.data_end = end;
		} else if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			c.start = start;
			c.end = end;
		} else if (p->p_type == PT_GNU_RELRO) {
			c.relro = start;
			c.relro_end = end;
		} else if (p->p_type == PT_GNU_EH_FRAME) {
			c.table = (const uint8_t *)start;
		}
	}
	return c;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	struct module_code c;

	(void)size;
	if (s->n++ == initial)
		return 1;
	if (info->dlpi_addr != s->next || in_runtime(info->dlpi_addr) || !s->wanted(info))
		return 0;
	c = functions_module(info);
	functions_of(&c, s->tell);
	return 0;
}

void functions_each(bool (*wanted)(const struct dl_phdr_info *info),
		    void (*tell)(const struct module_code *c, uint64_t start, uint64_t end))
{
	struct search s = { .wanted = wanted, .tell = tell };

	do {
		s.next = UINT64_MAX;
		s.n = 0;
		dl_iterate_phdr(find_next, &s);
		s.n = 0;
		dl_iterate_phdr(look_at, &s);
		s.from = s.next + 1;
	} while (s.next != UINT64_MAX);
}
