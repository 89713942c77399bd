/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * processors.c - new threads and processes that start on the processor that we are on
 *
 * Waking another processor up takes longer than all that a new thread has to do, and its caches
 * know nothing of what an execution needs.
 */
#include "preload/core/processors.h"

#include <string.h>

#include "preload/core/sys.h"

void processors_pin(struct processors *old)
{
	struct processors one;
	unsigned here;

	old->size = sys3(SYS_sched_getaffinity, 0, sizeof(old->set), (long)old->set);
	if (old->size < 0 || sys3(SYS_getcpu, (long)&here, 0, 0) || here / 8 >= old->size)
		old->size = 0;
	if (!old->size)
		return;
	memset(one.set, 0, (size_t)old->size);
	one.set[here / 64] = 1ul << here % 64;
	if (sys3(SYS_sched_setaffinity, 0, old->size, (long)one.set))
		old->size = 0;
}

void processors_unpin(const struct processors *old)
{
	if (old->size)
		sys3(SYS_sched_setaffinity, 0, old->size, (long)old->set);
}
