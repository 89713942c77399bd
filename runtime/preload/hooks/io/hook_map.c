/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_map.c - memory that the program maps
 *
 * Each thread has a part of the address space for it (placed.h). What is private and anonymous there is undone when the execution
 * is over; else only the fork back end can undo it (needs_fork_of_memory()).
 */
/*
 * intercepts: Memory
 *
 * undone mmap __mmap mmap64 mremap shmat - each thread maps in a part of the address space of its own,
 *	so addresses do not depend on the schedule; of an address that is only a hint, far from all code, the alignment counts
 * undone munmap __munmap mprotect __mprotect - made as they are
 * undone madvise __madvise - made as it is; pages that it empties are put back
 * ignored mlockall - what heddle has reserved would be locked with the rest
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/types.h>

#include "preload/core/active.h"
#include "preload/core/alias.h"
#include "preload/core/context.h"
#include "preload/facts/needs.h"
#include "preload/image/mapped.h"
#include "preload/image/placed.h"
#include "preload/image/snapshot.h"
#include "preload/image/unseen.h"
#include "preload/memory/limit.h"
#include "preload/memory/mappings.h"
#include "preload/step/perform.h"

static void moves(const char *how)
{
	needs_fork_of_memory(how);
	unseen_moved();
}

/* Likewise, where it is undone (placed.h). */
static void moves_placed(const char *how)
{
	needs_nothing_for_memory(how);
	unseen_moved();
}

/* What has been mapped there, or may have been, is changed. */
static void changes(const void *at, size_t size, const char *how)
{
	if (placed_has(at, size))
		moves_placed(how);
	else
		moves(how);
}

static bool is_private(int flags)
{
	return (flags & MAP_TYPE) == MAP_PRIVATE && flags & MAP_ANONYMOUS &&
	       !(flags & MAP_GROWSDOWN);
}

/* Is it there that code of the program or of libraries is? So that mapping may have to be near it, as what a compiler makes. */
static bool is_near_code(const void *hint)
{
	const uint64_t at = (uintptr_t)hint, far = 1ul << 32;

	return at && (at - getauxval(AT_PHDR) + far < 2 * far ||
		      at - (uintptr_t)&is_near_code + far < 2 * far);
}

/*
 * The place for a mapping that the program leaves to the kernel. A hint is none: what comes of it depends on what others have mapped. Most allocators give one to get
 * aligned memory, which they do.
 */
static void *place_for(void *at, size_t size, int *flags)
{
	void *place = NULL;

	if (!under_engine())
		return at;
	if (size && !is_near_code(at) &&
	    !(*flags & (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_32BIT | MAP_HUGETLB)))
		place = placed_next(size, at);
	if (place && is_private(*flags))
		moves_placed("maps memory");
	else
		moves("maps memory");
	*flags |= place ? MAP_FIXED_NOREPLACE : 0;
	return place ? place : at;
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
		/* What grows where it is may leave its thread's part. */
		if (flags & ~MREMAP_MAYMOVE || (size > old && !(flags & MREMAP_MAYMOVE)))
			moves("maps memory");
		else
			changes(at, old, "maps memory");
		if (size > old && (flags & (MREMAP_MAYMOVE | MREMAP_FIXED)) == MREMAP_MAYMOVE) {
			to = placed_next(size, NULL);
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
		changes(at, size, "unmaps memory");
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
		changes(at, size, "protects memory");
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
		to = at ? at : placed_next(size, NULL);
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
