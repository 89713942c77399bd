/* SPDX-License-Identifier: BSD-2-Clause */
/* lasting.c - see lasting.h */
#include "preload/core/lasting.h"

#include "base/must.h"
#include "preload/core/sys.h"

enum {
	ALIGNED = 64
};

LASTING(struct progress, progress);

extern const struct lasting __start_heddle_lasting[], __stop_heddle_lasting[];

static size_t room_for(const struct lasting *l)
{
	return (l->size + ALIGNED - 1) & ~(size_t)(ALIGNED - 1);
}

void lasting_map(void)
{
	const struct lasting *l;
	size_t size = 0;
	char *at;

	for (l = __start_heddle_lasting; l < __stop_heddle_lasting; l++)
		size += room_for(l);
	at = sys_mmap(0x13f000000000ul, size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1);
	must(!sys_failed(at));
	for (l = __start_heddle_lasting; l < __stop_heddle_lasting; l++) {
		*l->at = at;
		at += room_for(l);
	}
}
