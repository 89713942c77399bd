/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snapshot_shared.c - shared mappings that the program has at the root point
 *
 * What threads write to memory mapped with MAP_SHARED is there for the next execution as well,
 * also when each runs in a child. So what they hold at the root point is kept, and put back before
 * each execution by either back end. Those that show a device are left alone.
 *
 * Another process that has the memory, too, sees all that. One that changes it makes the program
 * non-deterministic, as far as it looks.
 *
 * Cost: a comparison with the copy for each execution, line by line, as for the program's data.
 */
#include <string.h>

#include "preload/core/context.h"
#include "preload/core/own.h"
#include "preload/core/refuse.h"
#include "preload/core/touch.h"
#include "preload/fiber/fiber.h"
#include "preload/image/pages.h"
#include "preload/image/snapshot.h"

enum {
	MAX_MAPS = 64,
	MOST = 256 << 20, /* bytes */
};

static struct {
	uint64_t start, size;
	char *copy;
} map[MAX_MAPS];
static uint32_t nmaps;

void shared_maps_begin(void)
{
	nmaps = 0;
}

void shared_maps_add(uint64_t start, uint64_t end, const char *path, size_t length)
{
	static const char dev[] = "/dev/", shm[] = "/dev/shm/", zero[] = "/dev/zero";
	uint64_t size = 0;

	if (length >= sizeof(dev) - 1 && !memcmp(path, dev, sizeof(dev) - 1) &&
	    (length < sizeof(shm) - 1 ||
	     (memcmp(path, shm, sizeof(shm) - 1) && memcmp(path, zero, sizeof(zero) - 1))))
		return;
	for (uint32_t i = 0; i < nmaps; i++)
		size += map[i].size;
	if (nmaps == MAX_MAPS || end - start > MOST - size)
		refuse("the program has more than 64 shared mappings, or 256 MiB in them: make it "
		       "smaller",
		       NULL);
	map[nmaps].start = start;
	map[nmaps++].size = end - start;
}

bool shared_maps_any(void)
{
	return nmaps != 0;
}

void shared_maps_take(void)
{
	for (uint32_t i = 0; i < nmaps; i++) {
		map[i].copy = map_own(map[i].size);
		/* There may be nothing behind the end of a file. */
		map[i].size -= copy_safely(map[i].copy, (const void *)map[i].start, map[i].size);
	}
}

void shared_maps_restore(void)
{
	for (uint32_t i = 0; i < nmaps; i++)
		snapshot_put_back((char *)map[i].start, map[i].copy, map[i].size);
}

void shared_maps_each(void (*fn)(uint64_t start, uint64_t end))
{
	for (uint32_t i = 0; i < nmaps; i++)
		fn(map[i].start, map[i].start + map[i].size);
}

void shared_maps_written(void (*fn)(uint64_t start, uint64_t end, const char *copy))
{
	for (uint32_t i = 0; i < nmaps; i++)
		fn(map[i].start, map[i].start + map[i].size, map[i].copy);
}
