/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * value.h - the value of an atomic object of up to 16 bytes
 *
 * Values travel zero-extended: bytes beyond the object's size are always zero, so two
 * values of one location are equal exactly when both words are.
 */
#ifndef HEDDLE_WIRE_VALUE_H
#define HEDDLE_WIRE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

struct value {
	uint64_t lo, hi;
};

static inline struct value value_of(uint64_t lo)
{
	return (struct value){ .lo = lo, .hi = 0 };
}

static inline bool value_eq(struct value a, struct value b)
{
	return a.lo == b.lo && a.hi == b.hi;
}

#endif
