/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_silent.c - operations that do no more than read, as a specification
 *
 * What an operation does to memory is what C does; what orders order is written down here once more, as sets.
 */
#include "preload/await/silent.h"
#include "preload/step/perform.h"
#include "suite.h"

static struct shared mapping;
struct shared *shared = &mapping;

static void setup(void)
{
	mapping.config.model = MODEL_RC11;
}

static struct op op_at(enum op_kind kind, unsigned size, unsigned order)
{
	return (struct op){ .kind = (uint8_t)kind,
			    .addr = 0x1000,
			    .size = (uint8_t)size,
			    .order = (uint8_t)order };
}

/* ---- What stores what is there already --------------------------------------------------------- */

/* What a read-modify-write makes of a variable of that size, as C has it. */
#define UPDATED(type)                            \
	do {                                     \
		type t = (type)v, y = (type)arg; \
		if (fn == RMW_XCHG)              \
			t = y;                   \
		else if (fn == RMW_ADD)          \
			t = (type)(t + y);       \
		else if (fn == RMW_SUB)          \
			t = (type)(t - y);       \
		else if (fn == RMW_AND)          \
			t = (type)(t & y);       \
		else if (fn == RMW_OR)           \
			t = (type)(t | y);       \
		else if (fn == RMW_XOR)          \
			t = (type)(t ^ y);       \
		else                             \
			t = (type) ~(t & y);     \
		return t;                        \
	} while (0)

static uint64_t updated(unsigned fn, unsigned size, uint64_t v, uint64_t arg)
{
	switch (size) {
	case 1:
		UPDATED(uint8_t);
	case 2:
		UPDATED(uint16_t);
	case 4:
		UPDATED(uint32_t);
	default:
		UPDATED(uint64_t);
	}
}

static uint64_t narrowed(uint64_t v, unsigned size)
{
	return size < 8 ? v & ((1ul << 8 * size) - 1) : v;
}

START_TEST(an_update_is_silent_if_memory_stays_what_it_is)
{
	static const uint64_t some[] = {
		0,     1,      2,      0x7f,       0x80,        0xff,
		0x100, 0xffff, 0x1234, 0xffffffff, 0x100000000, UINT64_MAX
	};
	const unsigned n = sizeof(some) / sizeof(*some);

	for (unsigned i = 0; i < 7 * 4 * n * n; i++) {
		unsigned fn = RMW_XCHG + i % 7, size = 1u << i / 7 % 4;
		uint64_t v = narrowed(some[i / 28 % n], size), arg = some[i / 28 / n];
		struct op op = op_at(OP_RMW, size, ORDER_RLX);

		if (fn == RMW_XCHG)
			arg = narrowed(arg, size); /* as hooks hand it over */
		op.fn = (uint8_t)fn;
		op.arg = value_of(arg);
		ck_assert(stores_with(&op, value_of(v)));
		ck_assert_msg(silent_with(&op, value_of(v)) == (updated(fn, size, v, arg) == v),
			      "function %u, size %u, %#lx and %#lx", fn, size, v, arg);
	}
}
END_TEST

START_TEST(sixteen_bytes_are_silent_that_stay)
{
	struct op op = op_at(OP_RMW, 16, ORDER_RLX);
	struct value v = { 1, 2 }, other = { 1, 3 };

	op.arg = v;
	op.fn = RMW_XCHG;
	ck_assert(silent_with(&op, v));
	ck_assert(!silent_with(&op, other));
	op.fn = RMW_ADD;
	ck_assert(!silent_with(&op, v));
	op.fn = RMW_OR;
	ck_assert(silent_with(&op, v));
	ck_assert(!silent_with(&op, (struct value){ 4, 2 }));
}
END_TEST

START_TEST(a_swap_is_silent_that_fails_or_stores_what_it_expects)
{
	struct op op = op_at(OP_CAS, 4, ORDER_RLX);

	op.expected = value_of(1);
	op.arg = value_of(2);
	ck_assert(silent_with(&op, value_of(3)));
	ck_assert(!stores_with(&op, value_of(3)));
	ck_assert(silent_with(&op, value_of(2)));
	ck_assert(!silent_with(&op, value_of(1)));
	ck_assert(stores_with(&op, value_of(1)));
	op.arg = value_of(1);
	ck_assert(silent_with(&op, value_of(1)));
	ck_assert(silent_with(&op, value_of(2)));
}
END_TEST

START_TEST(no_store_is_silent_without_an_order_of_writes)
{
	struct op cas = op_at(OP_CAS, 4, ORDER_RLX), rmw = op_at(OP_RMW, 4, ORDER_RLX);
	struct op_result res = { .wrote = true };

	mapping.config.model = MODEL_WRA;
	rmw.fn = RMW_XCHG;
	ck_assert(!silent_with(&cas, value_of(0)));
	ck_assert(!silent_with(&rmw, value_of(0)));
	ck_assert(!is_silent(&cas, &res));
	ck_assert(!is_silent(&rmw, &res));
	ck_assert(silent_with(&cas, value_of(1)));
	res.wrote = false;
	ck_assert(is_silent(&cas, &res));
}
END_TEST

/* ---- What did no more than read ---------------------------------------------------------------- */

static bool was_silent(enum op_kind kind, bool wrote, uint64_t read, uint64_t stored)
{
	struct op op = op_at(kind, 4, ORDER_RLX);
	struct op_result res = { .value = value_of(read),
				 .stored = value_of(stored),
				 .wrote = wrote };

	return is_silent(&op, &res);
}

START_TEST(loads_and_fences_do_no_more_than_read)
{
	ck_assert(was_silent(OP_LOAD, false, 0, 0));
	ck_assert(was_silent(OP_FENCE, false, 0, 0));
	ck_assert(was_silent(OP_PAUSE, false, 0, 0));
	ck_assert(!was_silent(OP_STORE, true, 1, 1));
}
END_TEST

START_TEST(tries_do_no_more_if_they_fail)
{
	static const enum op_kind tries[] = { OP_TRYLOCK, OP_SEM_TRYWAIT, OP_TRYRDLOCK,
					      OP_TRYWRLOCK };

	for (unsigned i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		ck_assert(was_silent(tries[i], false, 0, 0));
		ck_assert(!was_silent(tries[i], true, 0, 0));
	}
	ck_assert(!was_silent(OP_LOCK, true, 0, 1));
	ck_assert(!was_silent(OP_SEM_WAIT, true, 1, 0));
	ck_assert(!was_silent(OP_RDLOCK, true, 0, 1));
	ck_assert(!was_silent(OP_WRLOCK, true, 0, 1));
}
END_TEST

START_TEST(updates_do_no_more_if_they_store_what_they_read)
{
	ck_assert(was_silent(OP_RMW, true, 1, 1));
	ck_assert(!was_silent(OP_RMW, true, 1, 2));
	ck_assert(was_silent(OP_CAS, true, 1, 1));
	ck_assert(!was_silent(OP_CAS, true, 1, 2));
	ck_assert(was_silent(OP_CAS, false, 1, 2));
}
END_TEST

START_TEST(only_a_choice_of_how_a_wait_ends_is_silent)
{
	struct op op = op_at(OP_CHOOSE, 0, ORDER_RLX);
	struct op_result res = { .wrote = false };

	ck_assert(!is_silent(&op, &res));
	op.fn = 1;
	ck_assert(is_silent(&op, &res));
}
END_TEST

START_TEST(atomic_reads_may_be_awaits)
{
	struct op op = op_at(OP_LOAD, 4, ORDER_RLX);

	ck_assert(may_be_await(&op));
	op.order = ORDER_NA;
	ck_assert(!may_be_await(&op));
	op.kind = OP_CAS;
	ck_assert(may_be_await(&op));
	op.kind = OP_RMW;
	ck_assert(may_be_await(&op));
	op.kind = OP_TRYLOCK;
	ck_assert(!may_be_await(&op));
}
END_TEST

/* ---- What orders no more ------------------------------------------------------------------------- */

enum {
	STORES = 1,
	ACQUIRES = 2,
	RELEASES = 4,
	IS_SC = 8
};

/* What an order is about in an operation that reads and stores; one that only reads releases nothing. */
static const unsigned parts[] = {
	[ORDER_NA] = 0,
	[ORDER_RLX] = 0,
	[ORDER_ACQ] = ACQUIRES,
	[ORDER_REL] = RELEASES,
	[ORDER_ACQ_REL] = ACQUIRES | RELEASES,
	[ORDER_SC] = ACQUIRES | RELEASES | IS_SC,
};

/* The n-th of all loads, exchanges and compare-and-swaps, which expect 1; and its parts when it reads 1. */
static bool nth(unsigned n, struct op *op, unsigned *has)
{
	static const unsigned loads[] = { ORDER_NA, ORDER_RLX, ORDER_ACQ, ORDER_SC };

	if (n < 4) {
		*op = op_at(OP_LOAD, 4, loads[n]);
		*has = parts[loads[n]] & ~RELEASES;
		return true;
	}
	n -= 4;
	if (n < 5) {
		*op = op_at(OP_RMW, 4, ORDER_RLX + n);
		*has = parts[ORDER_RLX + n] | STORES;
		return true;
	}
	n -= 5;
	*op = op_at(OP_CAS, 4, ORDER_RLX + n % 5);
	op->order_fail = (uint8_t)loads[1 + n / 5 % 3];
	op->expected = value_of(n / 15);
	*has = n / 15 ? parts[op->order] | STORES : parts[op->order_fail] & ~RELEASES;
	return n < 30;
}

START_TEST(an_operation_stands_for_another_that_has_all_its_parts)
{
	struct op a, b;
	unsigned of_a, of_b, pairs = 0;

	for (unsigned i = 0; nth(i, &a, &of_a); i++)
		for (unsigned k = 0; nth(k, &b, &of_b); k++, pairs++)
			ck_assert_msg(may_repeat(&a, &b, value_of(1)) == !(of_a & ~of_b),
				      "%s %u/%u, expected %lu, and %s %u/%u, expected %lu",
				      op_kind_name(a.kind), a.order, a.order_fail, a.expected.lo,
				      op_kind_name(b.kind), b.order, b.order_fail, b.expected.lo);
	ck_assert_uint_eq(pairs, 39 * 39);
}
END_TEST

START_TEST(no_operation_stands_for_one_of_another_place)
{
	struct op a = op_at(OP_LOAD, 4, ORDER_RLX), b = a;

	ck_assert(may_repeat(&a, &b, value_of(0)));
	b.addr += 4;
	ck_assert(!may_repeat(&a, &b, value_of(0)));
	b = a;
	b.size = 8;
	ck_assert(!may_repeat(&a, &b, value_of(0)));
}
END_TEST

START_TEST(operations_on_objects_stand_for_such_of_their_kind)
{
	struct op a = op_at(OP_TRYRDLOCK, 0, ORDER_RLX), b = op_at(OP_TRYWRLOCK, 0, ORDER_RLX);

	ck_assert(!may_repeat(&a, &b, value_of(0)));
	ck_assert(!may_repeat(&b, &a, value_of(0)));
	ck_assert(may_repeat(&a, &a, value_of(0)));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("silent");
	TCase *stores = tcase_create("stores"), *reads = tcase_create("reads"),
	      *orders = tcase_create("orders");

	tcase_add_checked_fixture(stores, setup, NULL);
	tcase_add_test(stores, an_update_is_silent_if_memory_stays_what_it_is);
	tcase_add_test(stores, sixteen_bytes_are_silent_that_stay);
	tcase_add_test(stores, a_swap_is_silent_that_fails_or_stores_what_it_expects);
	tcase_add_test(stores, no_store_is_silent_without_an_order_of_writes);
	tcase_add_checked_fixture(reads, setup, NULL);
	tcase_add_test(reads, loads_and_fences_do_no_more_than_read);
	tcase_add_test(reads, tries_do_no_more_if_they_fail);
	tcase_add_test(reads, updates_do_no_more_if_they_store_what_they_read);
	tcase_add_test(reads, only_a_choice_of_how_a_wait_ends_is_silent);
	tcase_add_test(reads, atomic_reads_may_be_awaits);
	tcase_add_checked_fixture(orders, setup, NULL);
	tcase_add_test(orders, an_operation_stands_for_another_that_has_all_its_parts);
	tcase_add_test(orders, no_operation_stands_for_one_of_another_place);
	tcase_add_test(orders, operations_on_objects_stand_for_such_of_their_kind);
	suite_add_tcase(suite, stores);
	suite_add_tcase(suite, reads);
	suite_add_tcase(suite, orders);
	return suite_run(suite);
}
