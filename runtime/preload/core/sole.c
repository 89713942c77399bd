/* SPDX-License-Identifier: BSD-2-Clause */
/* sole.c - see sole.h */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/core/sole.h"

#include <sys/mman.h>

#include "preload/core/active.h"
#include "preload/core/own.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"

static volatile uint32_t *mark;
KEPT(mark);
const volatile uint32_t *sole_mark;
KEPT(sole_mark);
static long maker; /* of children that no hook sees: the process that last called sole_begin() */
KEPT(maker);

static void sole_map(void)
{
	mark = map_own(sizeof(*mark));
	/* Before Linux 4.14 children look like ours. */
	sys3(SYS_madvise, (long)mark, sizeof(*mark), MADV_WIPEONFORK);
	sole_mark = mark;
	sole_begin();
}

AT_WAKING(sole_map);

void sole_begin(void)
{
	*mark = 1;
	maker = sys3(SYS_getpid, 0, 0, 0);
}

/* The parent would go on, and find what we write. */
void sole_not(void)
{
	refuse_with(maker,
		    "the program makes a process by a system call that no hook sees: use fork(), "
		    "before the first thread is created",
		    NULL);
}
