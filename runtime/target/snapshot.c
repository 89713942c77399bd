/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snapshot.c - the image of the program at the root point
 *
 * The image is every writable private mapping (/proc/self/maps), less what is ours: the
 * runtime's data, everything in our part of the address space except the heap used so far,
 * and main's stack below its stack pointer. Variables of the runtime marked HEDDLE_IMAGE are
 * added.
 *
 * Restoring costs a copy of what may have changed. A range is copied whole when it is small;
 * the pages of larger ones are compared first, since reading is cheaper than writing.
 */
#include <string.h>

#include "target/driver.h"
#include "target/fiber.h"
#include "target/sys.h"

enum { MAX_RANGES = 512, PAGE = 4096 };

struct range {
	uint64_t start, size;
	char *copy;
};

static struct range range[MAX_RANGES];
static uint32_t nranges;

/* The section exists even when no hook uses it. */
HEDDLE_IMAGE __attribute__((used)) static uint64_t image_section;
extern char __start_heddle_image[] __attribute__((visibility("hidden")));
extern char __stop_heddle_image[] __attribute__((visibility("hidden")));

static void range_add(uint64_t start, uint64_t end)
{
	struct range *last = nranges ? &range[nranges - 1] : NULL;

	if (start >= end)
		return;
	if (last && last->start + last->size == start) {
		last->size += end - start;
		return;
	}
	if (nranges == MAX_RANGES)
		refuse("the program has more than 512 writable mappings: it is too large for "
		       "heddle as yet",
		       NULL);
	range[nranges++] = (struct range){ .start = start, .size = end - start };
}

/* Adds [start, end) without [hole, hole_end). */
static void range_add_around(uint64_t start, uint64_t end, uint64_t hole, uint64_t hole_end)
{
	if (hole >= end || hole_end <= start) {
		range_add(start, end);
		return;
	}
	if (start < hole)
		range_add(start, hole);
	if (hole_end < end)
		range_add(hole_end, end);
}

static uint64_t hex(const char **p)
{
	uint64_t n = 0;

	for (;; ++*p) {
		char c = **p;

		if (c >= '0' && c <= '9')
			n = n * 16 + (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n = n * 16 + (uint64_t)(c - 'a' + 10);
		else
			return n;
	}
}

/* One line of /proc/self/maps: start-end perms ... */
static void take_mapping(const char *line, uint64_t main_sp)
{
	uint64_t start = hex(&line), end, data, data_end;

	line++;
	end = hex(&line);
	if (line[2] != 'w' || line[4] != 'p')
		return;
	if (start >= OWN_START && start < OWN_END)
		return;
	if (main_sp >= start && main_sp < end)
		start = main_sp;
	runtime_data(&data, &data_end);
	range_add_around(start, end, data, data_end);
}

static void take_mappings(uint64_t main_sp)
{
	static char buf[1 << 16];
	int fd = sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t have = 0, line, i;
	long n;

	if (fd < 0)
		internal_error("cannot read /proc/self/maps: is /proc mounted?", NULL);
	while ((n = sys_read(fd, buf + have, sizeof(buf) - have)) > 0) {
		have += (size_t)n;
		for (line = i = 0; i < have; i++)
			if (buf[i] == '\n') {
				take_mapping(buf + line, main_sp);
				line = i + 1;
			}
		have -= line;
		memmove(buf, buf + line, have);
	}
	sys_close(fd);
}

void snapshot_capture(uint64_t main_sp)
{
	uint64_t start, end;

	nranges = 0;
	take_mappings(main_sp);
	heap_image(&start, &end);
	range_add(start, end);
	range_add((uint64_t)(uintptr_t)__start_heddle_image,
		  (uint64_t)(uintptr_t)__stop_heddle_image);
	for (uint32_t i = 0; i < nranges; i++) {
		range[i].copy = map_own(range[i].size);
		memcpy(range[i].copy, (void *)range[i].start, range[i].size);
	}
}

static void range_restore(const struct range *r)
{
	char *at = (char *)r->start;

	for (uint64_t off = 0; off < r->size; off += PAGE) {
		uint64_t n = r->size - off < PAGE ? r->size - off : PAGE;

		if (memcmp(at + off, r->copy + off, n))
			memcpy(at + off, r->copy + off, n);
	}
}

void snapshot_restore(void)
{
	for (uint32_t i = 0; i < nranges; i++)
		range_restore(&range[i]);
}
