/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_memory.c - memcpy, memmove, memset and the like as plain accesses of what they touch
 *
 * Compilers do not announce these: gcc leaves the calls of the program as they are, and
 * clang (before 15) also makes a call of memcpy of every assignment of a structure. Only
 * calls from instrumented code count. A library that is not instrumented may synchronise
 * in ways that nobody sees, and the runtime itself copies a lot.
 *
 * The runtime's own calls go to __wrap_memcpy() and so on (the linker's --wrap), which do
 * nothing but copy.
 *
 * Before the root point nothing is checked, and the copying is done by string instructions, since
 * this may be called before libc's own functions can be looked up.
 */
/*
 * intercepts: Memory
 *
 * checked memcpy memmove mempcpy __mempcpy memset bcopy bzero __bzero explicit_bzero __memcpy_chk
 *	__memmove_chk __memset_chk - plain accesses to all bytes, when instrumented code
 *	calls them
 */
#include "preload/hooks/hook.h"

#include <string.h>
#include <strings.h>

#include "preload/access/bare_traps.h"
#include "preload/code/fini.h"
#include "preload/code/modules.h"
#include "preload/core/lifecycle.h"

static void *(*real_memcpy)(void *, const void *, size_t);
static void *(*real_memmove)(void *, const void *, size_t);
static void *(*real_memset)(void *, int, size_t);

static void memory_root(void)
{
	memory_modules();
	real_memcpy = (void *(*)(void *, const void *, size_t))real_lookup("memcpy", NULL);
	real_memmove = (void *(*)(void *, const void *, size_t))real_lookup("memmove", NULL);
	real_memset = (void *(*)(void *, int, size_t))real_lookup("memset", NULL);
}

AT_ROOT(memory_root);

/* ---- The functions themselves ----------------------------------------------------------- */

static void *copy_up(void *to, const void *from, size_t size)
{
	void *at = to;

	__asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(size) : : "memory");
	return to;
}

static void *copy_down(void *to, const void *from, size_t size)
{
	char *at = (char *)to + size - 1;
	const char *last = (const char *)from + size - 1;

	__asm__ volatile("std; rep movsb; cld" : "+D"(at), "+S"(last), "+c"(size) : : "memory");
	return to;
}

static inline void *copy(void *to, const void *from, size_t size)
{
	return likely(real_memcpy) ? real_memcpy(to, from, size) : copy_up(to, from, size);
}

static inline void *move(void *to, const void *from, size_t size)
{
	if (likely(real_memmove))
		return real_memmove(to, from, size);
	return (uintptr_t)to - (uintptr_t)from < size ? copy_down(to, from, size)
						      : copy_up(to, from, size);
}

static inline void *fill(void *to, int byte, size_t size)
{
	void *at = to;

	if (likely(real_memset))
		return real_memset(to, byte, size);
	__asm__ volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(byte) : "memory");
	return to;
}

static void announce_for_library(void *to, const void *from, size_t size, uint64_t pc)
{
	if (!bare_is_in(pc))
		return;
	if (from)
		bare_passes(from, size, false, pc);
	bare_passes(to, size, true, pc);
}

/* The accesses of a call from pc; from NULL: none. */
static inline void announce(void *to, const void *from, size_t size, uint64_t pc)
{
	if (!program_runs())
		return;
	if (!memory_from_program(pc)) {
		if (unlikely(bare_asks))
			announce_for_library(to, from, size, pc);
		return;
	}
	if (from)
		shadow_plain((uintptr_t)from, size, false, pc);
	shadow_plain((uintptr_t)to, size, true, pc);
}

/* ---- What the runtime itself calls ------------------------------------------------------ */

#pragma GCC visibility push(hidden)
void *__wrap_memcpy(void *restrict to, const void *restrict from, size_t size);
void *__wrap_memmove(void *to, const void *from, size_t size);
void *__wrap_memset(void *to, int byte, size_t size);
#pragma GCC visibility pop

void *__wrap_memcpy(void *restrict to, const void *restrict from, size_t size)
{
	return copy(to, from, size);
}

void *__wrap_memmove(void *to, const void *from, size_t size)
{
	return move(to, from, size);
}

void *__wrap_memset(void *to, int byte, size_t size)
{
	return fill(to, byte, size);
}

/* ---- The hooks -------------------------------------------------------------------------- */

HEDDLE_HOOK void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	announce(to, from, size, CALLER());
	return copy(to, from, size);
}

HEDDLE_HOOK void *memmove(void *to, const void *from, size_t size)
{
	announce(to, from, size, CALLER());
	return move(to, from, size);
}

HEDDLE_HOOK void *memset(void *to, int byte, size_t size)
{
	announce(to, NULL, size, CALLER());
	return fill(to, byte, size);
}

HEDDLE_HOOK void *mempcpy(void *restrict to, const void *restrict from, size_t size)
{
	announce(to, from, size, CALLER());
	return (char *)copy(to, from, size) + size;
}

HEDDLE_HOOK void bcopy(const void *from, void *to, size_t size)
{
	announce(to, from, size, CALLER());
	move(to, from, size);
}

HEDDLE_HOOK void bzero(void *to, size_t size)
{
	announce(to, NULL, size, CALLER());
	fill(to, 0, size);
}

HEDDLE_HOOK void explicit_bzero(void *to, size_t size)
{
	announce(to, NULL, size, CALLER());
	fill(to, 0, size);
}

/* As -D_FORTIFY_SOURCE calls them. */
void __chk_fail(void) __attribute__((noreturn));
void *__memcpy_chk(void *to, const void *from, size_t size, size_t room);
void *__memmove_chk(void *to, const void *from, size_t size, size_t room);
void *__memset_chk(void *to, int byte, size_t size, size_t room);

HEDDLE_HOOK void *__memcpy_chk(void *to, const void *from, size_t size, size_t room)
{
	if (size > room)
		__chk_fail();
	announce(to, from, size, CALLER());
	return copy(to, from, size);
}

HEDDLE_HOOK void *__memmove_chk(void *to, const void *from, size_t size, size_t room)
{
	if (size > room)
		__chk_fail();
	announce(to, from, size, CALLER());
	return move(to, from, size);
}

HEDDLE_HOOK void *__memset_chk(void *to, int byte, size_t size, size_t room)
{
	if (size > room)
		__chk_fail();
	announce(to, NULL, size, CALLER());
	return fill(to, byte, size);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__bzero, bzero);
ALSO_CALLED(__mempcpy, mempcpy);
