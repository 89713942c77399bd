/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * action.h - operations of scripts: what one does to the state of its object
 *
 * As brute force has it: the engine has its own idea of that (guard.h, futex.h), and is tested
 * against this one.
 */
#ifndef HEDDLE_TESTS_ACTION_H
#define HEDDLE_TESTS_ACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/script.h"
#include "wire/op.h"

struct action {
	uint8_t op; /* enum op_kind */
	uint8_t order, order_fail, fn;
	int8_t loc;
	uint32_t n;                    /* OP_CHOOSE; OP_FUTEX_WAKE and _REQUEUE: how many to wake */
	uint8_t word, bits, to, moves; /* of futex operations; fn 1: an OP_COND_WOKEN of one */
	int64_t arg, expected; /* OP_BARRIER_PASS: threads of a round, and when it is full */
};

/* What an operation of thread t does to the value v (choice: of CHOOSE, SIGNAL). */
enum action_result {
	ACT_READS,
	ACT_WRITES,
	ACT_READS_AND_WRITES,
	ACT_NEITHER,
	ACT_WAITS
};
enum action_result action_apply(const struct action *act, int t, int64_t v, uint32_t choice,
				int64_t *stored);
bool action_reads(const struct action *act);
bool action_is_library(const struct action *act);
/* Does it change who sleeps? */
bool action_is_futex(const struct action *act);
/* Is it one of an epoll descriptor's set (script.h, SET_*)? Its state as the engine has it, and back. */
bool action_is_set(const struct action *act);
struct value set_wide(int64_t state);
int64_t set_narrow(struct value state);
/* If a thread waits there for good, that is no execution (a timed wait, or a sleep that somebody
 * came before). */
bool action_is_void(const struct action *act);
/*
 * The state of a futex is a byte for each thread: 0, or the word it sleeps on plus 1, and 16 times
 * its bits. As the engine has it: a set of its threads.
 */
uint64_t futex_sleepers(int64_t state);
/* Those that sleep on another word than before. */
uint64_t futex_moved(int64_t before, int64_t after);
/* Does the choice say anything? */
bool action_has_choice(const struct action *act, int64_t v);
/* In how many ways it can go on from value v. */
uint32_t action_choices(const struct action *act, int64_t v);

#endif
