/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_heap.c - malloc and its family
 *
 * Called from the very first (ld.so allocates before any constructor has run), so the first
 * call finds out whether the program runs under heddle. When it does not, libc's own heap
 * serves.
 */
/*
 * intercepts: Memory
 *
 * checked malloc calloc realloc reallocarray aligned_alloc memalign posix_memalign valloc
 *	pvalloc - blocks have the same address in all executions that do the same, guards
 *	around them and a filling that tells uninitialised reads
 * checked free - double and invalid frees, and accesses afterwards, are bugs; memory is
 *	never handed out again in the same execution
 * deterministic malloc_usable_size - the size that was asked for
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "preload/access/heap_free.h"
#include "preload/access/shadow_plain.h"
#include "preload/code/modules.h"
#include "preload/code/real.h"
#include "preload/core/active.h"
#include "preload/core/touch.h"
#include "preload/facts/memo.h"
#include "preload/hooks/announce.h"
#include "preload/memory/heap.h"
#include "preload/memory/heap_region.h"
#include "preload/memory/limit.h"
#include "preload/race/memo_shared.h"
#include "preload/race/shadow.h"

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *p);

/* Under the engine NULL comes from a limit that the program has set, or behind 8 GiB a thread. */
static void *alloc(size_t size, size_t align, uint64_t pc)
{
	void *p = heap_alloc(size, align, HEAP_C, pc);

	if (!p)
		errno = ENOMEM;
	return p;
}

HEDDLE_HOOK void *malloc(size_t size)
{
	if (!init_our_heap())
		return __libc_malloc(size);
	return alloc(size, 16, CALLER());
}

/* The program's, if it has one: that is what the dynamic linker finds first. */
static __typeof__(malloc) *const volatile found_malloc = malloc;

void *block_for_program(size_t size, uint64_t pc)
{
	if (unlikely(!in_runtime((uintptr_t)found_malloc)))
		return found_malloc(size);
	return alloc(size, 16, pc);
}

HEDDLE_HOOK void *calloc(size_t n, size_t size)
{
	size_t all;
	void *p;

	if (!init_our_heap())
		return __libc_calloc(n, size);
	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	p = alloc(all, 16, CALLER());
	if (p)
		memset(p, 0, all);
	return p;
}

HEDDLE_HOOK void free(void *p)
{
	if (!init_our_heap())
		__libc_free(p);
	else
		heap_free(p, HEAP_C, CALLER());
}

HEDDLE_HOOK void *realloc(void *p, size_t size)
{
	size_t old;
	void *q;

	if (!init_our_heap())
		return __libc_realloc(p, size);
	if (!p)
		return alloc(size, 16, CALLER());
	if (!size) {
		heap_free(p, HEAP_C, CALLER());
		return NULL;
	}
	old = heap_size(p);
	limit_give(old, true); /* it would grow where it is, or be moved page by page */
	q = alloc(size, 16, CALLER());
	if (limit_is_set)
		limit_took(old, true);
	if (!q)
		return NULL;
	if (old > size)
		old = size;
	shadow_plain((uintptr_t)p, old, false, CALLER());
	shadow_plain((uintptr_t)q, old, true, CALLER());
	memcpy(q, p, old);
	heap_free(p, HEAP_C, CALLER());
	return q;
}

HEDDLE_HOOK void *reallocarray(void *p, size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, all);
}

/* What is no power of two becomes the next one, as glibc has it up to 2.37. */
static void *aligned(size_t align, size_t size, uint64_t pc)
{
	size_t power = 16;

	if (align > SIZE_MAX / 2 + 1) {
		errno = EINVAL;
		return NULL;
	}
	while (power < align)
		power *= 2;
	if (!init_our_heap())
		return __libc_memalign(power, size);
	return alloc(size, power, pc);
}

HEDDLE_HOOK void *memalign(size_t align, size_t size)
{
	return aligned(align, size, CALLER());
}

HEDDLE_HOOK void *aligned_alloc(size_t align, size_t size)
{
	return aligned(align, size, CALLER());
}

HEDDLE_HOOK int posix_memalign(void **out, size_t align, size_t size)
{
	int saved = errno;
	void *p;

	if (!align || align % sizeof(void *) || align & (align - 1))
		return EINVAL;
	p = aligned(align, size, CALLER());
	if (!p) {
		int err = errno;

		errno = saved;
		return err;
	}
	*out = p;
	return 0;
}

HEDDLE_HOOK void *valloc(size_t size)
{
	return aligned(4096, size, CALLER());
}

HEDDLE_HOOK void *pvalloc(size_t size)
{
	size_t whole;

	if (__builtin_add_overflow(size, 4095, &whole)) {
		errno = ENOMEM;
		return NULL;
	}
	return aligned(4096, whole & ~(size_t)4095, CALLER());
}

HEDDLE_HOOK size_t malloc_usable_size(void *p)
{
	if (!init_our_heap())
		return p ? REAL(malloc_usable_size)(p) : 0;
	if (p && !heap_region_of((uint64_t)(uintptr_t)p))
		touch_to_read(p); /* libc has the size there */
	if (unlikely(memo_watched) && p && current && !current->probing)
		memo_asks_size((uintptr_t)p);
	return p ? heap_size(p) : 0;
}
