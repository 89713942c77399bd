/* SPDX-License-Identifier: BSD-2-Clause */
/* membarrier.h - membarrier(), for hook_syscall.c */
#ifndef HEDDLE_PRELOAD_MEMBARRIER_H
#define HEDDLE_PRELOAD_MEMBARRIER_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* What the kernel answers: 0 and more, or an error number below 0. For the program, at pc. */
long membarrier_call(int command, unsigned flags, uint64_t pc);

#pragma GCC visibility pop

#endif
