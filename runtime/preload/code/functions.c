/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * functions.c - see functions.h
 *
 * .eh_frame_hdr has them in a table (LSB Core, Section 10.6). Hand-written assembly without such entries is not in it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/code/functions.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "preload/code/modules.h"
#include "preload/core/reset.h"

enum {
	SDATA4 = 0x1b,
	UDATA4 = 0x03,
	TABLE = 0x3b,
	ROW = 8
};

/* Whom to tell; of modules by ascending addresses the first from `from` on is looked at next. */
struct search {
	bool (*wanted)(const struct dl_phdr_info *info);
	void (*tell)(const struct module_code *c);
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

/* How many rows the table has, which begin at *rows. */
static uint32_t rows_of(const struct module_code *c, const uint8_t **rows)
{
	const uint8_t *t = c->table;
	uint32_t n;

	if (!t || t[0] != 1 || t[1] != SDATA4 || t[2] != UDATA4 || t[3] != TABLE)
		return 0;
	memcpy(&n, t + 8, sizeof(n));
	*rows = t + 12;
	return n;
}

static uint64_t start_of(const struct module_code *c, const uint8_t *row)
{
	return (uint64_t)(uintptr_t)c->table + (uint64_t)(int64_t)number_at(row);
}

/* Where the function of a row ends; 0: its entry does not say it in the usual way. */
static uint64_t end_of(const struct module_code *c, const uint8_t *row)
{
	const uint8_t *fde = c->table + number_at(row + 4);
	uint64_t start = start_of(c, row), end = start + (uint32_t)number_at(fde + 12);
	uint64_t says = (uint64_t)(uintptr_t)fde + 8 + (uint64_t)(int64_t)number_at(fde + 8);

	return says == start && start >= c->start && end <= c->end ? end : 0;
}

void functions_of(const struct module_code *c,
		  void (*tell)(const struct module_code *c, uint64_t start, uint64_t end))
{
	const uint8_t *row;

	for (uint32_t n = rows_of(c, &row); n; n--, row += ROW) {
		uint64_t end = end_of(c, row);

		if (end)
			tell(c, start_of(c, row), end);
	}
}

uint64_t functions_before(const struct module_code *c, uint64_t at)
{
	const uint8_t *rows = NULL;
	uint32_t low = 0, high = rows_of(c, &rows);

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (start_of(c, rows + (size_t)mid * ROW) <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? end_of(c, rows + (size_t)(low - 1) * ROW) : 0;
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
	struct module_code c = { .base = info->dlpi_addr, .file = info->dlpi_name };

	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;

		if (p->p_type == PT_LOAD && p->p_flags & PF_W) {
			c.data = start;
			c.filled = start + p->p_filesz;
			c.data_end = end;
		} else if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			c.start = start;
			c.end = end;
		} else if (p->p_type == PT_GNU_RELRO) {
			c.relro = start;
			c.relro_end = end;
		} else if (p->p_type == PT_GNU_EH_FRAME) {
			c.table = (const uint8_t *)start;
		} else if (p->p_type == PT_DYNAMIC) {
			c.dynamic = (const void *)start;
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
	s->tell(&c);
	return 0;
}

void functions_each(bool (*wanted)(const struct dl_phdr_info *info),
		    void (*tell)(const struct module_code *c))
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
