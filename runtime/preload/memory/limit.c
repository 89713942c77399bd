/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * limit.c - how much memory the program may have: RLIMIT_AS and RLIMIT_DATA
 *
 * The kernel would count what the runtime has mapped, gigabytes of it, so it is never told of these two. Counted
 * is here what the program has: what was mapped for it when it set the first of them, and from then on blocks
 * of the heap that are not freed, what it maps, and stacks of its threads. That is what it has natively but for
 * some pages of the allocator's.
 *
 * A limit belongs to the execution that sets it, as the memory that it counts.
 */
#define _GNU_SOURCE 1
#include "preload/memory/limit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "preload/code/modules.h"
#include "preload/core/lifecycle.h"
#include "preload/core/maps.h"
#include "preload/core/sys.h"
#include "preload/core/wipe.h"
#include "preload/fiber/fiber.h"
#include "preload/memory/heap_region.h"

enum {
	AS,
	DATA,
	LIMITS,
	STACK_MAPPED =
		132 << 10, /* of main, as it begins: what there is depends on the environment */
};

bool limit_is_set HEDDLE_IMAGE_SELDOM = false;

static HEDDLE_IMAGE_SELDOM struct {
	struct rlimit limit;
	uint64_t used;
	bool known;
} limits[LIMITS] = { { .known = false } };

static int index_of(int what)
{
	return what == RLIMIT_AS ? AS : what == RLIMIT_DATA ? DATA : -1;
}

bool limit_is_ours(int what)
{
	return index_of(what) >= 0;
}

/* ---- What is mapped ----------------------------------------------------------------------- */

static bool holds(const struct maps_line *line, const char *word)
{
	return memmem(line->perms, (size_t)(line->newline - line->perms), word, strlen(word)) !=
	       NULL;
}

static void count_mapping(const struct maps_line *line, void *arg)
{
	uint64_t ours, ours_end, size = line->end - line->start;
	bool is_stack = holds(line, "[stack]");

	(void)arg;
	runtime_data(&ours, &ours_end);
	if (own_address(line->start) || holds(line, "/libheddle-rt.so") ||
	    (line->start < ours_end && line->end > ours))
		return;
	if (is_stack)
		size = STACK_MAPPED;
	limits[AS].used += size;
	if (line->perms[1] == 'w' && line->perms[3] == 'p' && !is_stack)
		limits[DATA].used += size;
}

static void count_blocks(void)
{
	for (uint32_t i = 0; i < REGION_RUNTIME; i++)
		for (uint32_t b = 0; heap_region[i].base && b < heap_region[i].nblocks; b++)
			if (!heap_region[i].block[b].freed)
				limit_took(heap_region[i].block[b].capacity, true);
}

/* ---- Limits --------------------------------------------------------------------------------- */

static void learn(int what)
{
	if (limits[index_of(what)].known)
		return;
	limits[index_of(what)].known = true;
	sys4(SYS_prlimit64, 0, what, 0, (long)&limits[index_of(what)].limit);
}

static int may_be(const struct rlimit *to, const struct rlimit *now)
{
	if (to->rlim_cur > to->rlim_max)
		return EINVAL;
	return to->rlim_max > now->rlim_max && geteuid() != 0 ? EPERM : 0;
}

static void set(int i, const struct rlimit *to)
{
	limits[i].limit = *to;
	if (limit_is_set)
		return;
	limits[AS].used = limits[DATA].used = 0;
	maps_each(count_mapping, NULL);
	count_blocks();
	limit_is_set = true;
}

int limit_change(int what, const struct rlimit *to, struct rlimit *old)
{
	int i = index_of(what), error;
	struct rlimit before;

	learn(RLIMIT_AS);
	learn(RLIMIT_DATA);
	before = limits[i].limit;
	error = to ? may_be(to, &before) : 0;
	if (error)
		return error;
	if (to)
		set(i, to);
	if (old)
		*old = before;
	return 0;
}

bool limit_allows(uint64_t size, bool is_data)
{
	if (!limit_is_set)
		return true;
	for (int i = AS; i <= (is_data ? DATA : AS); i++)
		if (size > limits[i].limit.rlim_cur ||
		    limits[i].used > limits[i].limit.rlim_cur - size)
			return false;
	return true;
}

void limit_took(uint64_t size, bool is_data)
{
	limits[AS].used += size;
	limits[DATA].used += is_data ? size : 0;
}

bool limit_take_slowly(uint64_t size, bool is_data)
{
	if (!limit_allows(size, is_data))
		return false;
	limit_took(size, is_data);
	return true;
}

void limit_give_slowly(uint64_t size, bool is_data)
{
	limits[AS].used -= size < limits[AS].used ? size : limits[AS].used;
	if (is_data)
		limits[DATA].used -= size < limits[DATA].used ? size : limits[DATA].used;
}
