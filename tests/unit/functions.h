/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * functions.h - functions in assembly, as compilers write them, to be asked about (check_flow.c)
 *
 * What flow.c needs of the runtime stands here as well; included by one file of a program.
 */
#ifndef HEDDLE_TESTS_FUNCTIONS_H
#define HEDDLE_TESTS_FUNCTIONS_H

#include "suite.h"

#include "base/insn.h"
#include "preload/code/inline_code.h"
#include "preload/fiber/fiber.h"
#include "preload/liveness/flow.h"

struct self *current;

void *map_own(size_t size)
{
	return calloc(1, size);
}

/* There is no inline assembly that is an operation, but where a case says so. */
static uint64_t operates_at;

const struct inline_op *inline_op_at(uint64_t at)
{
	static const struct inline_op op;

	return operates_at && at == operates_at ? &op : NULL;
}

#define FUNCTION(name, body)                                                           \
	__asm__(".text\n.type " #name ", @function\n" #name ":\n.cfi_startproc\n" body \
		".cfi_endproc\n"                                                       \
		".size " #name ", .-" #name "\n")
#define BEGIN "pushq %rbp\nmovq %rsp, %rbp\n"
#define END   "leave\nret\n"
/* Where a call returns to: the case asks about this place. */
#define HERE(name) #name "_here:\n"
#define LOAD(name) \
	"leaq word(%rip), %rdi\nmovl $2, %esi\ncall __tsan_atomic32_load@PLT\n" HERE(name)

__asm__(".local word\n.comm word, 8, 8\n");

static struct flow flow;

#define FIND(name)                                \
	do {                                      \
		extern const char name##_here[];  \
		flow.pc = (uintptr_t)name##_here; \
		flow_find(&flow);                 \
	} while (0)

/* By offset from rbp, which is 16 below the canonical frame address. */
static bool live(int from_rbp, int size)
{
	int n = 0;

	for (int i = 0; i < size; i++)
		n += flow_live(&flow, from_rbp - 16 + i);
	ck_assert_msg(!n || n == size, "some bytes at %d", from_rbp);
	return n;
}

#endif
