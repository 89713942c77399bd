/* SPDX-License-Identifier: BSD-2-Clause */
/* native.h - atomic operations while there is one thread */
#ifndef HEDDLE_PRELOAD_NATIVE_H
#define HEDDLE_PRELOAD_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Is the operation of the program at pc to be done as it stands, since nobody decides it? Errors with memory are told. */
bool atomic_is_native(const volatile void *p, unsigned size, bool reads, bool writes, uint64_t pc);

#pragma GCC visibility pop

#endif
