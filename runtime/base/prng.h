/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prng.h - seeded random numbers, the same on every machine
 *
 * SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): one word of state, any seed is good.
 */
#ifndef HEDDLE_BASE_PRNG_H
#define HEDDLE_BASE_PRNG_H

#include <stdint.h>

static inline uint64_t prng_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/*
 * Uniform in 0..n-1, n > 0; without bias, since the low product word is rejected when short. That is below n, so
 * the division is seldom done (Lemire 2019).
 */
static inline uint32_t prng_below(uint64_t *state, uint32_t n)
{
	for (;;) {
		uint64_t m = (prng_next(state) >> 32) * n;

		if ((uint32_t)m >= n || (uint32_t)m >= -n % n)
			return (uint32_t)(m >> 32);
	}
}

#endif
