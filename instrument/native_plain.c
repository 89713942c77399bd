/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * native_plain.c - announcements of plain accesses, run natively
 *
 * The compiler announces an access before it makes it, so there is nothing to do but return.
 * gcc 12 and clang 14 use: read and write of 1 to 16 bytes, the same for unaligned, volatile
 * and unaligned volatile ones, clang's combined read_write, ranges, and the pointer to a
 * class's virtual functions. The _pc forms, ignore_thread and the function marks are
 * for programs that call them by hand or were compiled without heddle-cc.
 *
 * The memory functions do work: recent clang replaces memcpy and its like by them.
 */
#include "native.h"

#include <string.h>

#define ANNOUNCE(kind, size)                       \
	NATIVE(void, __tsan_##kind##size, void *p) \
	{                                          \
		(void)p;                           \
	}

#define ANNOUNCE_PC(kind, size)                                   \
	NATIVE(void, __tsan_##kind##size##_pc, void *p, void *pc) \
	{                                                         \
		(void)p;                                          \
		(void)pc;                                         \
	}

#define ANNOUNCE_SIZES(kind) \
	ANNOUNCE(kind, 1)    \
	ANNOUNCE(kind, 2)    \
	ANNOUNCE(kind, 4)    \
	ANNOUNCE(kind, 8)    \
	ANNOUNCE(kind, 16)

#define ANNOUNCE_SIZES_PC(kind) \
	ANNOUNCE_PC(kind, 1)    \
	ANNOUNCE_PC(kind, 2)    \
	ANNOUNCE_PC(kind, 4)    \
	ANNOUNCE_PC(kind, 8)    \
	ANNOUNCE_PC(kind, 16)

ANNOUNCE_SIZES(read)
ANNOUNCE_SIZES(write)
ANNOUNCE_SIZES(read_write)
ANNOUNCE_SIZES(unaligned_read)
ANNOUNCE_SIZES(unaligned_write)
ANNOUNCE_SIZES(unaligned_read_write)
ANNOUNCE_SIZES(volatile_read)
ANNOUNCE_SIZES(volatile_write)
ANNOUNCE_SIZES(unaligned_volatile_read)
ANNOUNCE_SIZES(unaligned_volatile_write)
ANNOUNCE_SIZES_PC(read)
ANNOUNCE_SIZES_PC(write)

NATIVE(void, __tsan_read_range, void *p, unsigned long size)
{
	(void)p;
	(void)size;
}

NATIVE(void, __tsan_write_range, void *p, unsigned long size)
{
	(void)p;
	(void)size;
}

NATIVE(void, __tsan_read_range_pc, void *p, unsigned long size, void *pc)
{
	(void)p;
	(void)size;
	(void)pc;
}

NATIVE(void, __tsan_write_range_pc, void *p, unsigned long size, void *pc)
{
	(void)p;
	(void)size;
	(void)pc;
}

NATIVE(void, __tsan_vptr_read, void **p)
{
	(void)p;
}

NATIVE(void, __tsan_vptr_update, void **p, void *value)
{
	(void)p;
	(void)value;
}

NATIVE(void, __tsan_init, void)
{
}

NATIVE(void, __tsan_func_entry, void *pc)
{
	(void)pc;
}

NATIVE(void, __tsan_func_exit, void)
{
}

NATIVE(void, __tsan_ignore_thread_begin, void)
{
}

NATIVE(void, __tsan_ignore_thread_end, void)
{
}

NATIVE(void *, __tsan_memcpy, void *to, const void *from, size_t size)
{
	return memcpy(to, from, size);
}

NATIVE(void *, __tsan_memmove, void *to, const void *from, size_t size)
{
	return memmove(to, from, size);
}

NATIVE(void *, __tsan_memset, void *to, int byte, size_t size)
{
	return memset(to, byte, size);
}
