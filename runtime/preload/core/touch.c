/* SPDX-License-Identifier: BSD-2-Clause */
/* touch.c - see touch.h */
#include "preload/core/touch.h"

volatile uint64_t touching_pc;

__asm__(".text\n"
	".globl copy_safely, copy_safely_at, copy_safely_end\n"
	".hidden copy_safely, copy_safely_at, copy_safely_end\n"
	".type copy_safely, @function\n"
	"copy_safely:\n"
	"	movq %rdx, %rcx\n"
	"copy_safely_at:\n"
	"	rep movsb\n"
	"copy_safely_end:\n"
	"	movq %rcx, %rax\n"
	"	ret\n"
	".size copy_safely, .-copy_safely\n");

bool memory_readable(const void *p, uint64_t n)
{
	const char *first = p;
	char byte;

	return !n || !(copy_safely(&byte, first, 1) || copy_safely(&byte, first + n - 1, 1));
}

bool memory_writable(void *p, uint64_t n)
{
	char *first = p;

	return !n ||
	       !(copy_safely(first, first, 1) || copy_safely(first + n - 1, first + n - 1, 1));
}
