/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alias.c - see alias.h
 *
 * The kernel tells what is mapped as a device, an inode and an offset, also for memory without a file: each
 * mmap() of that has an inode of its own.
 */
#include "preload/core/alias.h"

#include "preload/core/reset.h"

enum {
	MAPPINGS = 256 /* those beyond that are not looked at */
};

static struct mapping {
	uint64_t start, end;
	struct maps_file file;
	bool twice;
} mapping[MAPPINGS];
KEPT(mapping);
static uint32_t nmappings;
KEPT(nmappings);
static bool any;
KEPT(any);

static bool is_same(const struct mapping *a, const struct mapping *b)
{
	return a->file.device == b->file.device && a->file.inode == b->file.inode &&
	       a->file.offset < b->file.offset + (b->end - b->start) &&
	       b->file.offset < a->file.offset + (a->end - a->start);
}

void alias_meet(const struct maps_line *line)
{
	struct mapping new = { .start = line->start, .end = line->end, .file = maps_file(line) };

	if (nmappings == MAPPINGS)
		return;
	for (uint32_t i = 0; i < nmappings; i++) {
		if (mapping[i].start == new.start && mapping[i].end == new.end)
			return; /* met before */
		if (is_same(&mapping[i], &new))
			any = mapping[i].twice = new.twice = true;
	}
	mapping[nmappings++] = new;
}

static void take(const struct maps_line *line, void *arg)
{
	(void)arg;
	if (line->perms[3] == 's')
		alias_meet(line);
}

void alias_look_again(void)
{
	nmappings = 0;
	maps_each(take, NULL);
}

bool alias_any(void)
{
	return any;
}

bool alias_has(uint64_t at)
{
	for (uint32_t i = 0; i < nmappings; i++)
		if (mapping[i].twice && at >= mapping[i].start && at < mapping[i].end)
			return true;
	return false;
}
