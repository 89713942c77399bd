/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sort.h - numbers in ascending order, in place
 *
 * libc's qsort() allocates what it merges into, and in a program under heddle that would be a block of the program's own heap, whose
 * addresses would depend on what heddle is about. So the runtime has its own: heapsort (Williams 1964), O(n log n) in any case.
 */
#ifndef HEDDLE_BASE_SORT_H
#define HEDDLE_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Defines `name`, which sorts the first n numbers of an array of that type. */
#define SORT_NUMBERS(name, type)                                                     \
	static inline void name(type *v, size_t n)                                   \
	{                                                                            \
		for (size_t first = n / 2, end = n; end > 1;) {                      \
			type sinks;                                                  \
			size_t at, child;                                            \
                                                                                     \
			if (first) {                                                 \
				sinks = v[--first];                                  \
			} else {                                                     \
				sinks = v[--end];                                    \
				v[end] = v[0];                                       \
			}                                                            \
			for (at = first; (child = 2 * at + 1) < end; at = child) {   \
				child += child + 1 < end && v[child] < v[child + 1]; \
				if (v[child] <= sinks)                               \
					break;                                       \
				v[at] = v[child];                                    \
			}                                                            \
			v[at] = sinks;                                               \
		}                                                                    \
	}

SORT_NUMBERS(sort_u32, uint32_t)
SORT_NUMBERS(sort_u64, uint64_t)

#endif
