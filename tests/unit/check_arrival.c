/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_arrival.c - the state of a thread at one of its operations, as a specification
 *
 * What a probe that runs ahead depends on has to be in the key that its answer is kept by (await.txt, W4):
 * two situations that differ in one thing only have different keys.
 */
#include <sys/mman.h>

#include "preload/arch/x86_64/entry.h"
#include "preload/arch/x86_64/sigframe.h"
#include "preload/await/arrival.h"
#include "preload/code/inline_code.h"
#include "preload/liveness/live.h"
#include "preload/loop/driver.h"
#include "suite.h"

enum {
	STACK = 128,
	DEAD_BYTE = 40, /* of the stack from the return address of the hook up; and a register */
	DEAD_REGISTER = 2
};

static struct fiber fiber;
struct self *current = &fiber.self;
static uint64_t rounds;
static uint32_t told;
static bool same_but_for_dead, looks;
const char entry_looked[] = "where a look for handlers returns to";
static char stack[STACK] __attribute__((aligned(16)));
static struct await await;
static struct op next;

/* ---- What arrival.c needs of the runtime ------------------------------------------------------- */

void *map_own(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		    -1, 0);
}

bool in_runtime(uint64_t pc)
{
	(void)pc;
	return false;
}

uint64_t rounds_hash(const struct await *a)
{
	(void)a;
	return rounds;
}

uint32_t told_from(const struct await *a)
{
	(void)a;
	return told;
}

bool live_same(uint64_t pc, bool before, uint64_t size, const struct live_state *a,
	       const struct live_state *b)
{
	return pc && before == looks && size && a && b && same_but_for_dead;
}

void live_wipe(uint64_t pc, bool before, uint64_t size, uint64_t *reg, char *frame)
{
	ck_assert_uint_ne(pc, 0);
	ck_assert(before == looks);
	ck_assert_uint_gt(size, DEAD_BYTE);
	reg[DEAD_REGISTER] = 0;
	frame[DEAD_BYTE] = 0;
}

/* There is no inline assembly. */
const char sigframe_behind[] = "where hooks for that return to";
bool code_is_broken;

void code_restore(uint8_t *copy, uint64_t at, uint64_t n)
{
	(void)copy;
	(void)at;
	(void)n;
}

void sigframe_look(char *front, struct sigframe_front *f)
{
	(void)front;
	(void)f;
	ck_abort();
}

void sigframe_wipe(char *front, const struct sigframe_front *f)
{
	(void)front;
	(void)f;
}

const struct inline_op *inline_op_at(uint64_t at)
{
	(void)at;
	return NULL;
}

const struct inline_op *inline_op_before(uint64_t end)
{
	(void)end;
	return NULL;
}

uint16_t live_registers(uint64_t pc)
{
	(void)pc;
	return 0;
}

bool live_vectors(uint64_t pc)
{
	(void)pc;
	return true;
}

bool live_below(uint64_t pc, uint64_t below)
{
	(void)pc;
	(void)below;
	return true;
}

/* ---- A thread that has done three operations, and wrote twice ---------------------------------- */

static char memory[64], saved[2][STACK];

static void begin_operation(struct await_op *o, bool reads, uint64_t value, char *copy)
{
	o->op = (struct op){ .kind = OP_LOAD, .addr = 0x1000, .size = 4, .order = ORDER_RLX };
	o->reads = o->saved = reads;
	o->value = value_of(value);
	o->entry = fiber.self.entry;
	o->size = STACK;
	o->stack = copy;
	for (int i = 0; copy && i < STACK; i++)
		copy[i] = (char)(i + 1);
}

static void begin_write(unsigned i, unsigned size)
{
	await.log.write[i].addr = (uint64_t)(uintptr_t)memory + 16 * i;
	await.log.write[i].size = size;
	await.log.write[i].at = await.log.used;
	memset(await.log.old + await.log.used, (int)i + 1, size);
	await.log.used += size;
	await.log.n++;
}

static void setup(void)
{
	memset(&fiber, 0, sizeof(fiber));
	memset(&await, 0, sizeof(await));
	memset(memory, 0, sizeof(memory));
	for (int i = 0; i < STACK; i++)
		stack[i] = (char)(2 * i + 1);
	fiber.stack_low = fiber.self.entry.sp = (uint64_t)(uintptr_t)stack;
	fiber.stack_high = fiber.stack_low + STACK;
	for (int i = 0; i < 6; i++)
		fiber.self.entry.reg[i] = 100 + (uint64_t)i;
	next = (struct op){ .kind = OP_LOAD, .addr = 0x1000, .size = 4, .order = ORDER_RLX };
	begin_operation(&await.ops[0], true, 5, saved[0]);
	begin_operation(&await.ops[1], false, 0, NULL);
	begin_operation(&await.ops[2], true, 5, saved[1]);
	await.ops[2].writes = 1;
	fiber.self.window = 3;
	begin_write(0, 4);
	begin_write(1, 4);
	rounds = told = 0;
	same_but_for_dead = looks = false;
}

struct key {
	uint64_t hash[2];
};

static struct key key(void)
{
	struct key k;

	ck_assert(probe_state(&await, &next, k.hash));
	return k;
}

static struct key key_of_place(void)
{
	struct key k;

	ck_assert(probe_place(&next, k.hash));
	return k;
}

static bool is_one(struct key a, struct key b)
{
	return a.hash[0] == b.hash[0] && a.hash[1] == b.hash[1];
}

/* Changes one thing: the key is another one, and the one it was when that is as before. */
#define MATTERS(thing, other)                                  \
	do {                                                   \
		struct key before = key();                     \
		__typeof__(thing) was = (thing);               \
		(thing) = (other);                             \
		ck_assert_msg(!is_one(before, key()), #thing); \
		(thing) = was;                                 \
		ck_assert(is_one(before, key()));              \
	} while (0)

#define MATTERS_NOT(thing, other)                             \
	do {                                                  \
		struct key before = key();                    \
		(thing) = (other);                            \
		ck_assert_msg(is_one(before, key()), #thing); \
	} while (0)

START_TEST(where_the_thread_is_matters)
{
	MATTERS(next.addr, 0x1004);
	MATTERS(fiber.self.entry.reg[1], 7);
	MATTERS(stack[0], 7); /* the place in the code */
	MATTERS(stack[STACK - 1], 7);
}
END_TEST

START_TEST(the_same_bytes_elsewhere_are_another_state)
{
	static char elsewhere[STACK];
	struct key before = key();

	memcpy(elsewhere, stack, STACK);
	fiber.self.entry.sp = (uint64_t)(uintptr_t)elsewhere;
	fiber.stack_high = fiber.self.entry.sp + STACK;
	ck_assert(!is_one(before, key()));
}
END_TEST

START_TEST(what_is_dead_does_not_matter)
{
	MATTERS_NOT(stack[8 + DEAD_BYTE], 7);
	MATTERS_NOT(saved[0][8 + DEAD_BYTE], 7);
	MATTERS_NOT(fiber.self.entry.reg[DEAD_REGISTER], 7);
}
END_TEST

START_TEST(what_the_thread_has_done_matters)
{
	MATTERS(fiber.self.window, 2);
	MATTERS(await.ops[0].value.lo, 6);
	MATTERS(await.ops[2].value.hi, 6);
	MATTERS(await.ops[2].writes, 2);
	MATTERS(await.passed.ops, 1);
	MATTERS(await.ops[0].op.addr, 0x1004);
	MATTERS(await.ops[0].entry.sp, 16);
	MATTERS(await.ops[2].entry.reg[5], 16);
	MATTERS(saved[0][0], 99);
	MATTERS(saved[1][STACK - 1], 99);
	MATTERS(rounds, 1);
	MATTERS(told, 1);
}
END_TEST

START_TEST(what_the_thread_has_written_matters)
{
	MATTERS(await.log.n, 1);
	MATTERS(await.log.write[0].addr, (uint64_t)(uintptr_t)memory + 4);
	MATTERS(memory[3], 1);
	MATTERS(memory[16], 1);
	MATTERS(await.log.old[0], 9);
	MATTERS(await.log.old[7], 9);
	MATTERS(await.log.write[1].size, 3);
}
END_TEST

START_TEST(without_a_saved_state_there_is_no_key)
{
	struct key k;

	await.ops[2].saved = false;
	ck_assert(!probe_state(&await, &next, k.hash));
	fiber.self.window = 2;
	ck_assert(probe_state(&await, &next, k.hash));
}
END_TEST

START_TEST(of_a_stack_that_is_too_large_there_is_no_key)
{
	struct key k;

	fiber.stack_high += STACK_MAX;
	ck_assert(!probe_state(&await, &next, k.hash));
	ck_assert(!probe_place(&next, k.hash));
}
END_TEST

START_TEST(a_place_is_that_of_the_thread_alone)
{
	struct key before = key_of_place();

	await.ops[0].value.lo++;
	memory[0]++;
	fiber.self.window = 0;
	ck_assert(is_one(before, key_of_place()));
	next.addr++;
	ck_assert(!is_one(before, key_of_place()));
	next.addr--;
	stack[STACK - 1]++;
	ck_assert(!is_one(before, key_of_place()));
}
END_TEST

START_TEST(outside_of_a_hook_there_is_no_place)
{
	struct key k;

	fiber.self.entry.sp = 0;
	ck_assert(!probe_place(&next, k.hash));
}
END_TEST

/* ---- Comparing ------------------------------------------------------------------------------------ */

static char other_stack[STACK];
static uint64_t other_reg[REGISTERS];
static struct arrival at;

static bool same(void)
{
	return same_state(&fiber, &at, other_reg, other_stack);
}

static void arrive_twice(void)
{
	setup();
	arrive(&at, &next);
	memcpy(other_stack, stack + 8, STACK - 8);
	memcpy(other_reg, fiber.self.entry.reg, sizeof(other_reg));
}

START_TEST(a_state_is_the_stack_and_the_registers)
{
	ck_assert(same());
	other_stack[0]++;
	ck_assert(!same());
	other_stack[0]--;
	other_stack[STACK - 9]++;
	ck_assert(!same());
	other_stack[STACK - 9]--;
	other_reg[5]++;
	ck_assert(!same());
	other_reg[5]--;
	ck_assert(same());
}
END_TEST

START_TEST(states_may_differ_in_what_is_dead)
{
	other_stack[0]++;
	same_but_for_dead = true;
	ck_assert(same());
}
END_TEST

/* The registers of the call that comes behind a look lie in front of the program's frame, and are not dead. */
START_TEST(a_look_keeps_what_the_call_is_given)
{
	uint64_t pc = (uint64_t)(uintptr_t)entry_looked, behind = 0x4000;

	memcpy(stack, &pc, sizeof(pc));
	memcpy(stack + ENTRY_KEPT, &behind, sizeof(behind));
	looks = true;
	arrive(&at, &next);
	memcpy(other_stack, stack + 8, STACK - 8);
	other_stack[ENTRY_KEPT]++;
	ck_assert(!same());
	same_but_for_dead = true;
	ck_assert(same());
	other_stack[0]++;
	ck_assert(!same());
	arrival_of_program(&at);
	ck_assert_uint_eq(at.pc, behind);
	ck_assert_uint_eq(at.sp, fiber.self.entry.sp + 8 + ENTRY_KEPT);
	arrival_of_program(&at); /* there it is */
	ck_assert_uint_eq(at.sp, fiber.self.entry.sp + 8 + ENTRY_KEPT);
}
END_TEST

/* What an operation is given may be in no state any more. */
#define TELLS_APART(part, other)                           \
	do {                                               \
		struct op b = next;                        \
		b.part = (other);                          \
		ck_assert_msg(!same_op(&next, &b), #part); \
	} while (0)

START_TEST(all_parts_of_operations_are_compared)
{
	struct op same_one = next;

	ck_assert(same_op(&next, &same_one));
	TELLS_APART(kind, OP_RMW);
	TELLS_APART(order, ORDER_ACQ);
	TELLS_APART(order_fail, ORDER_ACQ);
	TELLS_APART(size, 8);
	TELLS_APART(fn, 1);
	TELLS_APART(peer, 1);
	TELLS_APART(addr, 0x1004);
	TELLS_APART(arg.lo, 1);
	TELLS_APART(arg.hi, 1);
	TELLS_APART(expected.lo, 1);
	TELLS_APART(expected.hi, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("arrival");
	TCase *keys = tcase_create("keys"), *states = tcase_create("states");

	tcase_add_checked_fixture(keys, setup, NULL);
	tcase_add_test(keys, where_the_thread_is_matters);
	tcase_add_test(keys, the_same_bytes_elsewhere_are_another_state);
	tcase_add_test(keys, what_is_dead_does_not_matter);
	tcase_add_test(keys, what_the_thread_has_done_matters);
	tcase_add_test(keys, what_the_thread_has_written_matters);
	tcase_add_test(keys, without_a_saved_state_there_is_no_key);
	tcase_add_test(keys, of_a_stack_that_is_too_large_there_is_no_key);
	tcase_add_test(keys, a_place_is_that_of_the_thread_alone);
	tcase_add_test(keys, outside_of_a_hook_there_is_no_place);
	tcase_add_checked_fixture(states, arrive_twice, NULL);
	tcase_add_test(states, a_state_is_the_stack_and_the_registers);
	tcase_add_test(states, states_may_differ_in_what_is_dead);
	tcase_add_test(states, a_look_keeps_what_the_call_is_given);
	tcase_add_test(states, all_parts_of_operations_are_compared);
	suite_add_tcase(suite, keys);
	suite_add_tcase(suite, states);
	return suite_run(suite);
}
