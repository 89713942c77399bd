/* SPDX-License-Identifier: BSD-2-Clause */
/* access.h - one access of the program to its memory, as the hooks of accesses see it */
#ifndef HEDDLE_PRELOAD_ACCESS_H
#define HEDDLE_PRELOAD_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

struct access {
	uint64_t addr, size, pc;
	bool is_write, is_atomic;
	bool is_free; /* the write of everything that a free stands for */
	uint32_t
		object; /* a read of its first byte stands for the use of a library object of that size; 0: it is none */
};

#endif
