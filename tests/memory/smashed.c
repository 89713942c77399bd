/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * smashed.c - stacks that are written over, and memory that is gone: crashes, with what can still be said
 *
 * A replay walks up the call stack, which may lead nowhere by then.
 *
 * case return_address: bug crash
 * case whole_stack: bug crash
 * case variables_unmapped: bug crash
 * case before_the_threads: bug crash at } /* bug: return_address
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#include "cases.h"

static size_t length;

static __attribute__((noinline)) void fill(void)
{
	volatile char block[16];

	for (size_t i = 0; i < length; i++)
		block[i] = 'A'; /* bug: whole_stack */
} /* bug: return_address */

static void *filled(void *arg)
{
	fill();
	return arg;
}

static void return_address(void)
{
	length = 64;
	THREADS(1, filled);
}

static void whole_stack(void)
{
	length = 64 << 20;
	THREADS(1, filled);
}

static char *page_of(void *p)
{
	return (char *)((uintptr_t)p & ~(uintptr_t)4095);
}

static int variable[4096];

static void *unmap_variables(void *arg)
{
	munmap(page_of(&variable[2048]), 4096);
	variable[2048] = 1; /* bug: variables_unmapped */
	return arg;
}

static void variables_unmapped(void)
{
	THREADS(1, unmap_variables);
}

static void before_the_threads(void)
{
	length = 64;
	fill();
}

CASES(CASE(return_address), CASE(whole_stack), CASE(variables_unmapped), CASE(before_the_threads))
