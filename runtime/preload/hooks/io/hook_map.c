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
 * undone mmap __mmap mmap64 mremap shmat - each thread maps in a part of the address space of its own,
 *	so addresses do not depend on the schedule
 * undone munmap __munmap mprotect __mprotect - made as they are
 * undone madvise __madvise - made as it is; pages that it empties are put back
 * ignored mlockall - what heddle has reserved would be locked with the rest
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/types.h>

#include "preload/core/active.h"
#include "preload/core/alias.h"
#include "preload/core/context.h"
#include "preload/facts/needs.h"
#include "preload/image/mapped.h"
#include "preload/image/snapshot.h"
#include "preload/image/unseen.h"
#include "preload/memory/limit.h"
#include "preload/memory/mappings.h"
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

/* Notes what the program has mapped; more of it before the root point (mapped.h). */
static void *note_mapping(void *at, size_t size, int flags)
{
	if (at == MAP_FAILED)
		return at;
	mappings_add((uintptr_t)at, size);
	if (rooted)
		return at;
	/* On stacks, also those of coroutines, the kernel is asked to write. */
	if ((flags & (MAP_PRIVATE | MAP_ANONYMOUS)) == (MAP_PRIVATE | MAP_ANONYMOUS) &&
	    !(flags & (MAP_STACK | MAP_GROWSDOWN)))
		mapped_add((uintptr_t)at, size);
	else
		mapped_remove((uintptr_t)at, size);
	return at;
}

/* As RLIMIT_DATA counts them. */
static bool is_data(int prot, int flags)
{
	return prot & PROT_WRITE && flags & MAP_PRIVATE && !(flags & MAP_GROWSDOWN);
}

static uint64_t pages_of(size_t size)
{
	return ((uint64_t)size + 4095) & ~4095ul;
}

/* Other processes may get the same, or this one at another address. */
static void others_have(const void *at, size_t size, int flags)
{
	if (!(flags & MAP_SHARED) || flags & MAP_ANONYMOUS)
		return;
	if (kin_any)
		kin_shares(at, size);
	if (under_engine()) {
		alias_look_again();
		kin_watch();
	}
}

/* What is there already, and is replaced, is counted (MAP_FIXED). */
static void *limited(void *at, size_t size, int prot, int flags, int fd, off_t off)
{
	bool data = is_data(prot, flags), more = !(flags & MAP_FIXED);
	void *to;

	if (more && limit_is_set && !limit_allows(pages_of(size), data)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	at = place_for(at, size, &flags);
	to = note_mapping(REAL(mmap64)(at, size, prot, flags, fd, off), size, flags);
	if (limit_is_set && to != MAP_FAILED && more)
		limit_took(pages_of(size), data);
	if (to != MAP_FAILED)
		others_have(to, size, flags);
	return to;
}

HEDDLE_HOOK void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t off)
{
	return limited(at, size, prot, flags, fd, off);
}

HEDDLE_HOOK void *mmap64(void *at, size_t size, int prot, int flags, int fd, off_t off)
{
	return limited(at, size, prot, flags, fd, off);
}

HEDDLE_HOOK void *mremap(void *at, size_t old, size_t size, int flags, ...)
{
	void *to;
	va_list ap;

	va_start(ap, flags);
	to = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
	va_end(ap);
	if (size > old && !limit_take(pages_of(size) - pages_of(old), true)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	if (under_engine()) {
		moves("maps memory");
		if (size > old && (flags & (MREMAP_MAYMOVE | MREMAP_FIXED)) == MREMAP_MAYMOVE) {
			to = next_place(size);
			flags |= to ? MREMAP_FIXED : 0;
		}
	}
	to = REAL(mremap)(at, old, size, flags, to);
	if (to == MAP_FAILED && size > old)
		limit_give(pages_of(size) - pages_of(old), true);
	else if (to != MAP_FAILED && size < old)
		limit_give(pages_of(old) - pages_of(size), true);
	if (to != MAP_FAILED) {
		mappings_remove((uintptr_t)at, old);
		if (!rooted)
			mapped_remove((uintptr_t)at, old);
	}
	return note_mapping(to, size, 0);
}

HEDDLE_HOOK int munmap(void *at, size_t size)
{
	if (under_engine())
		moves("unmaps memory");
	if (!rooted)
		mapped_remove((uintptr_t)at, size);
	if (REAL(munmap)(at, size))
		return -1;
	mappings_remove((uintptr_t)at, size);
	kin_keeps(at, size);
	limit_give(pages_of(size), true);
	return 0;
}

HEDDLE_HOOK int mprotect(void *at, size_t size, int prot)
{
	if (under_engine()) {
		moves("protects memory");
		snapshot_expect((uintptr_t)at, size);
	}
	return REAL(mprotect)(at, size, prot);
}

/* 0: there is none. */
static size_t segment_size(int id)
{
	struct shmid_ds s;

	return shmctl(id, IPC_STAT, &s) ? 0 : s.shm_segsz;
}

HEDDLE_HOOK void *shmat(int id, const void *at, int flags)
{
	size_t size = under_engine() || kin_any ? segment_size(id) : 0;
	const void *to = at;

	if (under_engine() && size) {
		moves("maps memory");
		to = at ? at : next_place(size);
	}
	to = REAL(shmat)(id, to, flags);
	if (to != (const void *)-1) {
		others_have(to, size, MAP_SHARED);
		mappings_add((uintptr_t)to, size);
	}
	return (void *)(uintptr_t)to;
}

/* MADV_DONTNEED and its like write, and cause no fault. */
HEDDLE_HOOK int madvise(void *at, size_t size, int advice)
{
	if (under_engine())
		snapshot_expect((uintptr_t)at, size);
	return REAL(madvise)(at, size, advice);
}

/* Nobody sees whether memory is locked but by its limit, which few have. */
HEDDLE_HOOK int mlockall(int flags)
{
	if (!init_active())
		return REAL(mlockall)(flags);
	if (!(flags & (MCL_CURRENT | MCL_FUTURE)) ||
	    (flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT))) {
		errno = EINVAL;
		return -1;
	}
	return 0;
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__madvise, madvise);
ALSO_CALLED(__mmap, mmap);
ALSO_CALLED(__mprotect, mprotect);
ALSO_CALLED(__munmap, munmap);
