/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys.h - system calls made without libc
 *
 * The runtime hooks libc's functions, runs before libc is ready, and switches FS (and with
 * it errno) under it; so it asks the kernel itself. Results are those of the kernel:
 * negative values are -errno.
 */
#ifndef HEDDLE_PRELOAD_SYS_H
#define HEDDLE_PRELOAD_SYS_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* In every build: a child with our memory (CLONE_VM) must not return where its parent has yet to. */
#define SYS_INLINE static inline __attribute__((always_inline))

SYS_INLINE long sys6(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

SYS_INLINE long sys4(long n, long a, long b, long c, long d)
{
	return sys6(n, a, b, c, d, 0, 0);
}

SYS_INLINE long sys3(long n, long a, long b, long c)
{
	return sys6(n, a, b, c, 0, 0, 0);
}

static inline void *sys_mmap(uint64_t at, size_t size, int prot, int flags, int fd)
{
	return (void *)sys6(SYS_mmap, (long)at, (long)size, prot, flags, fd, 0);
}

static inline int sys_failed(const void *p)
{
	return (uintptr_t)p >= (uintptr_t)-4095l;
}

static inline int sys_open(const char *path, int flags)
{
	return (int)sys4(SYS_openat, AT_FDCWD, (long)path, flags, 0);
}

static inline long sys_read(int fd, void *buf, size_t n)
{
	return sys3(SYS_read, fd, (long)buf, (long)n);
}

static inline void sys_close(int fd)
{
	sys3(SYS_close, fd, 0, 0);
}

static inline __attribute__((noreturn)) void sys_exit_group(int status)
{
	for (;;)
		sys3(SYS_exit_group, status, 0, 0);
}

#endif
