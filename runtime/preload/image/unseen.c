/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unseen.c - memory that the program writes without telling
 *
 * In a program that nobody has instrumented, whatever a thread did between two operations stands
 * in memory and nowhere else. A thread runs alone from the end of one operation to the
 * next one, so what it wrote there shows in a comparison of all memory before and after, as
 * long as bytes change: that is all that can matter to anybody.
 *
 * All memory is the image (snapshot.c), what the heap has handed out since, and the blocks with
 * the threads' local variables. Not the stacks, which are compared by those who ask
 * (await.c, yield.c), not errno, which hooks set behind an operation, and not where the kernel writes the number of
 * the processor (rseq(2)) whenever that changes. Memory that the program
 * has mapped by itself since the root point is not followed; then nothing is the same.
 *
 * In a program that is instrumented, libraries of its own may not be. What they write is looked for
 * in the same way, and their names are for the controller to tell. The system's libraries are trusted
 * to keep nothing that a loop around them depends on.
 *
 * What is as it was at the root point adds nothing to the hash, so pages that are known not to have been
 * written to (pages.h) need no look, and the rest is compared with the image, which is faster than
 * to hash it. Each hash is a function of what memory holds, all the same.
 *
 * Cost: a comparison of the program's data and heap, some microseconds, and a pass over the heap of its
 * threads. Asked only of threads that have looked at something in vain.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <link.h>
#include <string.h>

#define XXH_INLINE_ALL 1
#include <xxhash.h>

#include "preload/code/modules.h"
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/core/rseq.h"
#include "preload/core/text.h"
#include "preload/fiber/fiber.h"
#include "preload/image/entered.h"
#include "preload/image/pages.h"
#include "preload/image/snapshot.h"
#include "preload/image/unseen.h"
#include "preload/memory/heap_region.h"

LASTING(uint32_t, memory_was_compared);

enum {
	HOLES = 3,
	MOST = 64 << 20, /* bytes */
	PIECE = 1024,
};

bool unseen, unseen_partly;

static bool moved;

/* Parts of the image to be left out, the runtime's data, and the sum so far. */
static struct {
	struct {
		uint64_t start, end;
	} hole[HOLES];
	uint64_t ours, ours_end;
	uint64_t hash;
} sum;
KEPT(sum);

/* ---- What is not instrumented ---------------------------------------------------------------- */

/* Is it in the list of names? */
static bool is_named(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += n)
		if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ','))
			return true;
	return false;
}

/* Adds a module to the names of those that are not instrumented. */
static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *name = slash ? slash + 1 : info->dlpi_name;
	struct text *names = arg;
	bool instrumented = false;

	(void)size;
	if (module_is_of_system(name) || in_runtime(info->dlpi_addr))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		instrumented |= info->dlpi_phdr[i].p_type == PT_LOAD &&
				memory_from_program(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	name = *name ? name : "the program itself";
	if (instrumented)
		return 0;
	entered_watch(info, name);
	if (is_named(shared->foreign, name))
		return 0;
	if (shared->foreign[0])
		text_str(names, ", ");
	text_str(names, name);
	return 0;
}

void unseen_root(void)
{
	struct text names = text_in(shared->foreign, sizeof(shared->foreign));

	unseen = unseen_partly = !tsan_seen;
	if (unseen)
		return;
	dl_iterate_phdr(look_at, &names);
	unseen_partly = shared->foreign[0];
}

void unseen_loaded(void)
{
	size_t n = strlen(shared->foreign);
	struct text names = text_in(shared->foreign + n, sizeof(shared->foreign) - n);

	if (!unseen && modules_loading())
		dl_iterate_phdr(look_at, &names);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

void unseen_moved(void)
{
	moved = true;
}

static void unseen_begin(void)
{
	moved = false;
}

AT_BEGIN(unseen_begin);

/* Adds a piece of memory, unless it is what it was. */
static void add(uint64_t start, uint64_t end, const char *copy)
{
	uint64_t size;

	for (; start < end; start += size) {
		size = copy && end - start > PIECE ? PIECE : end - start;
		if (!copy || memcmp((const void *)start, copy, size))
			sum.hash = XXH3_64bits_withSeed((const void *)start, size,
							sum.hash + start + size);
		copy += copy ? size : 0;
	}
}

/* Adds what of [start, end) lies in no hole from number i on. */
static void add_around(uint64_t start, uint64_t end, const char *copy, unsigned i)
{
	uint64_t behind;

	while (i < HOLES && (sum.hole[i].start >= end || sum.hole[i].end <= start))
		i++;
	if (i == HOLES) {
		add(start, end, copy);
		return;
	}
	behind = sum.hole[i].end;
	if (start < sum.hole[i].start)
		add_around(start, sum.hole[i].start, copy, i + 1);
	if (behind < end)
		add_around(behind, end, copy ? copy + (behind - start) : NULL, i + 1);
}

static void add_part(uint64_t start, uint64_t end, const char *copy)
{
	if (start - sum.ours >= sum.ours_end - sum.ours)
		add_around(start, end, copy, 0);
}

/* Leaves errno of a thread out, which glibc has in the static block: as far from its end in all. */
static void leave_errno_out(const struct fiber *f)
{
	sum.hole[1].start = f->tcb + (uint64_t)(uintptr_t)&errno - (uint64_t)pthread_self();
	sum.hole[1].end = sum.hole[1].start + sizeof(errno);
}

/* The kernel has one thread, the first, and writes to the area of that one. */
static void leave_rseq_out(void)
{
	if (!rseq_area(fibers[0].tcb, &sum.hole[2].start, &sum.hole[2].end))
		sum.hole[2].start = sum.hole[2].end = 0;
}

/* All memory; that of threads' local variables does not count. */
static uint64_t size_of_memory(void)
{
	uint64_t bytes = snapshot_size();

	for (uint32_t i = 1; i < REGION_RUNTIME; i++)
		bytes += heap_region[i].next - heap_region[i].base;
	return bytes;
}

bool unseen_hash(uint64_t *hash)
{
	if (moved || size_of_memory() > MOST)
		return false;
	*memory_was_compared = 1;
	sum.hash = 0;
	sum.hole[0].start = fibers[0].stack_low;
	sum.hole[0].end = fibers[0].stack_high;
	leave_errno_out(&fibers[0]);
	leave_rseq_out();
	runtime_data(&sum.ours, &sum.ours_end);
	snapshot_written(add_part);
	for (uint32_t i = 1; i < REGION_RUNTIME; i++)
		add(heap_region[i].base, heap_region[i].next, NULL);
	for (uint32_t t = 1; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		leave_errno_out(&fibers[t]);
		if (fibers[t].existing)
			add_around(fibers[t].block_low, fibers[t].block_high, fibers[t].pristine,
				   0);
	}
	*hash = sum.hash;
	return true;
}
