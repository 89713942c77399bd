/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rseq.c - see rseq.h
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/core/rseq.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "preload/core/sys.h"

enum {
	CPU_ID = 4,      /* where in the area the kernel tells the processor; < 0: it does not */
	LEAST_SIZE = 32, /* that glibc registers */
	UNREGISTER = 1,
	SIGNATURE = 0x53053053,
};

/* Where the area lies, seen from the control block, and its size; 0: none. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

bool rseq_area(uint64_t tcb, uint64_t *start, uint64_t *end)
{
	if (!&__rseq_size || !__rseq_size)
		return false;
	*start = tcb + (uint64_t)__rseq_offset;
	*end = *start + (__rseq_size < LEAST_SIZE ? LEAST_SIZE : __rseq_size);
	return true;
}

bool rseq_leave(void)
{
	uint64_t start, end;

	if (!rseq_area((uint64_t)pthread_self(), &start, &end) ||
	    *(const int *)(start + CPU_ID) < 0)
		return true;
	return !sys4(SYS_rseq, (long)start, (long)(end - start), UNREGISTER, SIGNATURE);
}
