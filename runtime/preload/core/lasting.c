/* SPDX-License-Identifier: BSD-2-Clause */
/* lasting.c - see lasting.h */
#include "preload/core/lasting.h"

#include <string.h>

#include "base/must.h"
#include "preload/core/sys.h"

enum {
	ALIGNED = 64
};

LASTING(struct progress, progress);

extern const struct lasting __start_heddle_lasting[], __stop_heddle_lasting[];

static char *memory;
static size_t length;

static size_t room_for(const struct lasting *l)
{
	return (l->size + ALIGNED - 1) & ~(size_t)(ALIGNED - 1);
}

static char *map_at(uint64_t where, int flags)
{
	char *at = sys_mmap(where, length, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1);

	must(!sys_failed(at));
	return at;
}

void lasting_map(void)
{
	const struct lasting *l;
	char *at;

	for (l = __start_heddle_lasting; l < __stop_heddle_lasting; l++)
		length += room_for(l);
	at = memory = map_at(0x13f000000000ul, MAP_SHARED | MAP_FIXED_NOREPLACE);
	for (l = __start_heddle_lasting; l < __stop_heddle_lasting; l++) {
		*l->at = at;
		at += room_for(l);
	}
}

void lasting_part(void)
{
	char *copy = map_at(0, MAP_PRIVATE);

	memcpy(copy, memory, length);
	must(map_at((uint64_t)(uintptr_t)memory, MAP_SHARED | MAP_FIXED) == memory);
	memcpy(memory, copy, length);
	sys3(SYS_munmap, (long)copy, (long)length, 0);
}
