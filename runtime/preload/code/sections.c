/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sections.c - see sections.h
 *
 * The table of sections is not loaded, so it is read from the file.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/code/sections.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "preload/core/sys.h"

enum {
	HEADERS = 16 /* that are read at once */
};

/* Adds what of it is executed; the number then. */
static uint32_t add(const struct module_code *c, struct section all[SECTIONS], uint32_t n,
		    const ElfW(Shdr) * s)
{
	struct section found = { c->base + s->sh_addr, c->base + s->sh_addr + s->sh_size };

	if (!(s->sh_flags & SHF_EXECINSTR))
		return n;
	if (found.start < c->start)
		found.start = c->start;
	if (found.end > c->end)
		found.end = c->end;
	if (found.start >= found.end)
		return n;
	if (n < SECTIONS)
		all[n] = found;
	return n + 1;
}

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
	return sys4(SYS_pread64, fd, (long)to, (long)size, (long)offset) == (long)size;
}

static uint32_t read_sections(int fd, const struct module_code *c, struct section all[SECTIONS])
{
	ElfW(Ehdr) head;
	ElfW(Shdr) s[HEADERS];
	uint32_t found = 0;

	if (!read_at(fd, &head, sizeof(head), 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_shentsize != sizeof(*s))
		return 0;
	for (uint32_t i = 0, n; i < head.e_shnum; i += n) {
		n = head.e_shnum - i < HEADERS ? head.e_shnum - i : HEADERS;
		if (!read_at(fd, s, n * sizeof(*s), head.e_shoff + i * sizeof(*s)))
			return 0;
		for (uint32_t k = 0; k < n; k++)
			found = add(c, all, found, &s[k]);
	}
	return found;
}

uint32_t sections_of(const struct module_code *c, struct section all[SECTIONS])
{
	int fd = sys_open(*c->file ? c->file : "/proc/self/exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint32_t n = 0;

	if (fd >= 0) {
		n = read_sections(fd, c, all);
		sys_close(fd);
	}
	if (n && n <= SECTIONS)
		return n;
	all[0] = (struct section){ c->start, c->end };
	return 1;
}
