/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * seen.h - how many different things were seen, and how many of them once, in bounded memory
 *
 *	seen_add(&s, hash);		as often as something is seen
 *	seen_join(&sum, &s);		what several have seen, each by itself
 *	seen_estimate(&s, &e);		so many, so many once
 *
 * A thing is its hash. Hashes stand in a table that grows; up to SEEN_EXACT of them the numbers are exact. Then
 * the table keeps those only that end with a zero bit, then those with two, and so on: an unbiased sample of what was
 * seen, each thing with all its occurrences, so that what was seen once can be told from it as well (adaptive
 * sampling: Wegman; Flajolet, Computing 43, 1990). A sketch that only counts (HyperLogLog) cannot
 * tell that. The standard error is about 1.2 / sqrt(n) of n that are kept: below 0.7 %.
 *
 * All zeros is an empty set. Memory is touched only where the table has grown to.
 */
#ifndef HEDDLE_WIRE_SEEN_H
#define HEDDLE_WIRE_SEEN_H

#include <stdbool.h>
#include <stdint.h>

enum {
	SEEN_LEAST = 8, /* slots, as powers of two */
	SEEN_MOST = 17,
	SEEN_EXACT = 1 << (SEEN_MOST - 1) /* half of the table stays free */
};

struct seen_set {
	uint64_t samples; /* how often anything was seen */
	uint64_t n;       /* in the table */
	uint32_t log,
		left; /* 2^log slots, from slot 2^log on; 0: none. How many bits have to be zero */
	/* A hash without its lowest bit, which says instead that it was seen again. 0: free */
	uint64_t slot[2 << SEEN_MOST];
};

struct seen_estimate {
	uint64_t samples, different, once;
	bool exact;
};

void seen_add(struct seen_set *s, uint64_t hash);
/* Forgets all. */
void seen_clear(struct seen_set *s);
/* Adds what another one has seen. What that holds may be anything: numbers beyond their bounds are an empty set. */
void seen_join(struct seen_set *s, const struct seen_set *other);
void seen_estimate(const struct seen_set *s, struct seen_estimate *out);

/* Spreads a number over all bits, so that sums of these are hashes. */
static inline uint64_t seen_mix(uint64_t a, uint64_t b)
{
	uint64_t z = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xbf58476d1ce4e5b9u;

	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

#endif
