/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_table.c - hash tables (base/table.h): what is found, when one is full, how far it is looked for
 */
#include <check.h>

#include "base/prng.h"
#include "base/table.h"
#include "suite.h"

enum {
	BITS = 10,
	SLOTS = 1 << BITS,
	KEYS = SLOTS / 2
};

struct entry {
	uint64_t key; /* 0: free */
	uint64_t value;
};

static struct entry table[SLOTS];
static uint32_t n;

static void setup(void)
{
	memset(table, 0, sizeof(table));
	n = 0;
}

/* Counts the slots that were looked at. */
static struct entry *find(uint64_t hash, uint64_t key, unsigned *looks)
{
	struct entry *e;

	TABLE_FIND(e, table, BITS, hash, (++*looks, !e->key || e->key == key));
	return e;
}

static struct entry *add(uint64_t hash, uint64_t key)
{
	unsigned looks = 0;
	struct entry *e = find(hash, key, &looks);

	ck_assert(!e->key && !table_full(n, BITS));
	e->key = key;
	n++;
	return e;
}

START_TEST(what_was_put_there_is_found)
{
	uint64_t key[KEYS], seed = 1 + (uint64_t)_i;
	unsigned looks = 0;

	for (uint64_t i = 0; i < KEYS; i++) {
		key[i] = prng_next(&seed) | 1;
		ck_assert(!find(table_hash(key[i]), key[i], &looks)->key);
		add(table_hash(key[i]), key[i])->value = i;
	}
	ck_assert(table_full(n, BITS));
	for (uint64_t i = 0; i < KEYS; i++) {
		ck_assert_uint_eq(find(table_hash(key[i]), key[i], &looks)->value, i);
		ck_assert(!find(table_hash(key[i] ^ 1), key[i] ^ 1, &looks)->key);
	}
}
END_TEST

/* They stand in a row, from where they belong to behind the last slot. */
START_TEST(all_may_have_one_hash)
{
	uint64_t hash = table_mix(0, (uint64_t)_i);
	uint64_t first = table_first(hash, BITS);
	unsigned looks = 0;

	ck_assert_uint_lt(first, SLOTS);
	for (uint64_t key = 1; key <= KEYS; key++)
		ck_assert_ptr_eq(add(hash, key), &table[(first + key - 1) % SLOTS]);
	for (uint64_t key = 1; key <= KEYS; key++) {
		looks = 0;
		ck_assert_uint_eq(find(hash, key, &looks)->key, key);
		ck_assert_uint_eq(looks, key);
	}
}
END_TEST

START_TEST(the_last_slot_is_followed_by_the_first)
{
	for (uint32_t bits = TABLE_BITS_LEAST; bits <= TABLE_BITS_MOST; bits++) {
		uint64_t last = table_slots(bits) - 1;

		ck_assert_uint_eq(table_first(UINT64_MAX, bits), last);
		ck_assert_uint_eq(table_first(0, bits), 0);
		ck_assert_uint_eq(table_next(last, bits), 0);
		ck_assert_uint_eq(table_next(last - 1, bits), last);
	}
}
END_TEST

START_TEST(half_of_the_slots_stay_free)
{
	ck_assert_uint_eq(table_slots(0), 0);
	ck_assert(table_full(0, 0)); /* no table yet */
	for (uint32_t bits = TABLE_BITS_LEAST; bits <= TABLE_BITS_MOST; bits++) {
		uint64_t half = table_slots(bits) / 2;

		ck_assert_uint_eq(2 * half, (uint64_t)1 << bits);
		ck_assert(!table_full(half - 1, bits));
		ck_assert(table_full(half, bits));
		ck_assert_uint_eq(table_bits(half, 1), bits);
		if (bits < TABLE_BITS_MOST)
			ck_assert_uint_eq(table_bits(half + 1, 1), bits + 1);
	}
	ck_assert_uint_eq(table_bits(0, 4), 4);
	ck_assert_uint_eq(table_bits(8, 4), 4);
	ck_assert_uint_eq(table_bits(9, 4), 5);
}
END_TEST

/* Numbers of entries that lie elsewhere, in a table that grows. */
START_TEST(a_table_grows)
{
	enum {
		MANY = 10000
	};
	static uint64_t key[MANY];
	static bool there[MANY];
	uint64_t seed = 7;
	uint32_t bits = 0, *slots = NULL, *slot, entries = 0;

	for (int i = 0; i < 2 * MANY; i++) {
		uint64_t k = prng_below(&seed, MANY);

		if (table_full(entries, bits)) {
			bits = table_wider(bits, 2);
			free(slots);
			slots = calloc(table_slots(bits), sizeof(*slots));
			for (uint32_t e = 0; e < entries; e++) {
				TABLE_FIND(slot, slots, bits, table_hash(key[e]), !*slot);
				*slot = e + 1;
			}
		}
		TABLE_FIND(slot, slots, bits, table_hash(k), !*slot || key[*slot - 1] == k);
		if (!*slot) {
			ck_assert(!there[k]);
			there[k] = true;
			key[entries++] = k;
			*slot = entries;
		}
		ck_assert_uint_eq(key[*slot - 1], k);
	}
	ck_assert_uint_eq(bits, table_bits(entries, 2));
	free(slots);
}
END_TEST

/* A table half full has no long searches for what programs have: words in a row, of any size. */
START_TEST(words_in_a_row_are_spread)
{
	static const uint64_t steps[] = { 1, 4, 8, 16, 24, 64, 4096, 1ull << 32, 1ull << 52 };
	uint64_t step = steps[_i];
	unsigned looks = 0;

	for (uint64_t i = 1; i <= KEYS; i++)
		add(table_hash(i * step), i * step);
	for (uint64_t i = 1; i <= KEYS; i++)
		find(table_hash(i * step), i * step, &looks);
	ck_assert_uint_le(looks, 2 * KEYS);
}
END_TEST

START_TEST(words_are_mixed)
{
	unsigned looks = 0;

	ck_assert_uint_ne(table_mix(table_mix(0, 1), 2), table_mix(table_mix(0, 2), 1));
	for (uint64_t i = 0; i < KEYS; i++)
		add(table_mix(table_mix(0, i % 16), i / 16), i + 1);
	for (uint64_t i = 0; i < KEYS; i++)
		find(table_mix(table_mix(0, i % 16), i / 16), i + 1, &looks);
	ck_assert_uint_le(looks, 2 * KEYS);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("table");
	TCase *tc = tcase_create("table");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_loop_test(tc, what_was_put_there_is_found, 0, 20);
	tcase_add_loop_test(tc, all_may_have_one_hash, 0, 20);
	tcase_add_test(tc, the_last_slot_is_followed_by_the_first);
	tcase_add_test(tc, half_of_the_slots_stay_free);
	tcase_add_test(tc, a_table_grows);
	tcase_add_loop_test(tc, words_in_a_row_are_spread, 0, 9);
	tcase_add_test(tc, words_are_mixed);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
