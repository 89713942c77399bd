/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_map.c - memory that the program maps
 *
 * Only the fork back end can undo it (needs_fork()). The kernel would place it where the next gap
 * is, which depends on what other threads have mapped before: each thread has a part of the
 * address space of its own instead, used from bottom to top, and nothing in it twice.
 */
/*
 * intercepts: Memory
 *
 * undone mmap mmap64 mremap - each thread maps in a part of the address space of its own,
 *	so addresses do not depend on the schedule
 * undone munmap mprotect - made as they are
 * undone madvise - made as it is; pages that it empties are put back
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "preload/core/context.h"
#include "preload/facts/needs.h"
#include "preload/image/mapped.h"
#include "preload/image/snapshot.h"
#include "preload/image/unseen.h"
#include "preload/step/perform.h"

enum {
	PAGE = 4096
};

/* Above everything of the runtime's (fiber.h). */
#define MAPS_START      0x300000000000ul
#define MAPS_PER_THREAD (1ul << 36)

static HEDDLE_IMAGE_SELDOM uint64_t used[HEDDLE_MAX_THREADS] = { 0 };

/* Where the calling thread maps so much next, with a gap behind; NULL: there is no more room. */
static void *next_place(size_t size)
{
	uint64_t *mine = &used[current->tid], at = *mine;
	uint64_t whole = (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);

	if (whole < size || whole > MAPS_PER_THREAD - PAGE - at)
		return NULL;
	*mine = at + whole + PAGE;
	return (void *)(MAPS_START + current->tid * MAPS_PER_THREAD + at);
}

static void moves(const char *how)
{
	needs_fork_of_memory(how);
	unseen_moved();
}

/* The place for a mapping that the program leaves to the kernel. */
static void *place_for(void *at, size_t size, int *flags)
{
	if (!under_engine())
		return at;
	moves("maps memory");
	if (at || !size || (*flags & (MAP_FIXED | MAP_32BIT | MAP_HUGETLB)))
		return at;
	at = next_place(size);
	*flags |= at ? MAP_FIXED_NOREPLACE : 0;
	return at;
}

/* Notes what the program has mapped before the root point. */
static void *note_mapping(void *at, size_t size, int flags)
{
	if (rooted || at == MAP_FAILED)
		return at;
	/* On stacks, also those of coroutines, the kernel is asked to write. */
	if ((flags & (MAP_PRIVATE | MAP_ANONYMOUS)) == (MAP_PRIVATE | MAP_ANONYMOUS) &&
	    !(flags & (MAP_STACK | MAP_GROWSDOWN)))
		mapped_add((uintptr_t)at, size);
	else
		mapped_remove((uintptr_t)at, size);
	return at;
}

HEDDLE_HOOK void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t off)
{
	at = place_for(at, size, &flags);
	return note_mapping(REAL(mmap)(at, size, prot, flags, fd, off), size, flags);
}

HEDDLE_HOOK void *mmap64(void *at, size_t size, int prot, int flags, int fd, off_t off)
{
	at = place_for(at, size, &flags);
	return note_mapping(REAL(mmap64)(at, size, prot, flags, fd, off), size, flags);
}

HEDDLE_HOOK void *mremap(void *at, size_t old, size_t size, int flags, ...)
{
	void *to;
	va_list ap;

	va_start(ap, flags);
	to = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
	va_end(ap);
	if (under_engine()) {
		moves("maps memory");
		if (size > old && (flags & (MREMAP_MAYMOVE | MREMAP_FIXED)) == MREMAP_MAYMOVE) {
			to = next_place(size);
			flags |= to ? MREMAP_FIXED : 0;
		}
	}
	to = REAL(mremap)(at, old, size, flags, to);
	if (!rooted && to != MAP_FAILED)
		mapped_remove((uintptr_t)at, old);
	return note_mapping(to, size, 0);
}

HEDDLE_HOOK int munmap(void *at, size_t size)
{
	if (under_engine())
		moves("unmaps memory");
	if (!rooted)
		mapped_remove((uintptr_t)at, size);
	return REAL(munmap)(at, size);
}

HEDDLE_HOOK int mprotect(void *at, size_t size, int prot)
{
	if (under_engine()) {
		moves("protects memory");
		snapshot_expect((uintptr_t)at, size);
	}
	return REAL(mprotect)(at, size, prot);
}

/* MADV_DONTNEED and its like write, and cause no fault. */
HEDDLE_HOOK int madvise(void *at, size_t size, int advice)
{
	if (under_engine())
		snapshot_expect((uintptr_t)at, size);
	return REAL(madvise)(at, size, advice);
}
