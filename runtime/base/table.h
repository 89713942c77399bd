/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * table.h - hash tables: where what has a key stands, by open addressing
 *
 *	struct thing *t;
 *
 *	TABLE_FIND(t, things, BITS, table_hash(key), !t->key || t->key == key);
 *	if (!t->key && table_full(n, BITS))
 *		there is no room: forget it, refuse it, or make the table larger
 *
 * A table is what its user has: an array of 2^bits slots, and how many of them are taken. Nothing
 * is allocated here, so the array may lie in an arena, in memory of the runtime's own, or in a
 * mapping that others see; it begins with all slots free. Slots are of any type: whole entries
 * that have a key no entry has where they are free, or numbers, 1 + the index of an entry that
 * lies elsewhere, 0 where they are free.
 *
 * Half of the slots stay free (table_full()), so that a search is short and ends. Nothing is
 * taken out. A table grows by the user's hand: more bits, free slots, and each entry to where
 * TABLE_FIND() says. Slots are no order of entries that anything may depend on.
 *
 * Not for tables that several processes add to at the same time: taking a slot is no atomic
 * operation.
 *
 * Cost: a search looks at 1.5 slots on average where the key is there, at 2.5 where it is not (Knuth,
 * The Art of Computer Programming, 6.4, half full); a table that is filled no further, at fewer.
 */
#ifndef HEDDLE_BASE_TABLE_H
#define HEDDLE_BASE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	TABLE_BITS_LEAST = 1,
	TABLE_BITS_MOST = 32
};

/* The hash of a word. Its upper bits depend on all of the word, and those are looked at. */
static inline uint64_t table_hash(uint64_t key)
{
	return key * 0x9e3779b97f4a7c15u; /* 2^64 by the golden ratio: words in a row are spread */
}

/* The hash of some words: 0, or any number, for none, and `hash` with one more of them. */
static inline uint64_t table_mix(uint64_t hash, uint64_t word)
{
	hash = table_hash(hash ^ word);
	return hash ^ hash >> 32;
}

/* How many slots there are; none where bits is 0, which stands for a table yet to be made. */
static inline uint64_t table_slots(uint32_t bits)
{
	return bits ? (uint64_t)1 << bits : 0;
}

/* May no slot be taken any more, if n are? The table is to grow, or does without the new entry. */
static inline bool table_full(uint64_t n, uint32_t bits)
{
	return 2 * n >= table_slots(bits);
}

/* The smallest table, at least 2^least slots, that is not too full with n entries. n < 2^31. */
static inline uint32_t table_bits(uint64_t n, uint32_t least)
{
	while (2 * n > table_slots(least))
		least++;
	return least;
}

/* Twice as many slots; 2^least of them where there is no table yet. */
static inline uint32_t table_wider(uint32_t bits, uint32_t least)
{
	return bits ? bits + 1 : least;
}

/* Where the search for a hash begins; and the slot behind another one. */
static inline uint64_t table_first(uint64_t hash, uint32_t bits)
{
	return hash >> (64 - bits);
}

static inline uint64_t table_next(uint64_t at, uint32_t bits)
{
	return (at + 1) & UINT64_MAX >> (64 - bits);
}

/*
 * Sets `slot`, a pointer, to the slot of an entry with this hash, or, if there is none, to the free
 * one where it belongs. `stop` says of *slot whether it is one of these; it is evaluated for each
 * slot that is looked at. `slots` is the array, of 2^bits (1 <= bits <= 32), one of them free.
 */
#define TABLE_FIND(slot, slots, bits, hash, stop)              \
	do {                                                   \
		uint64_t table_at = table_first(hash, bits);   \
                                                               \
		while ((slot) = &(slots)[table_at], !(stop))   \
			table_at = table_next(table_at, bits); \
	} while (0)

#endif
