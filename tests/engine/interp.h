/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interp.h - one thread of a script, one operation at a time
 *
 *	interp_init(&it, s, t);
 *	while (interp_next(&it, &act) == IT_OP) {
 *		... decide what act reads, or that it waits ...
 *		interp_done(&it, &rounds, &act, &effect);
 *	}
 *
 * Both the runner and brute force use it, since what a thread does is no part of what is
 * tested; that includes the redundant-round rule (design, Section 5), which needs `rounds`.
 */
#ifndef HEDDLE_TESTS_INTERP_H
#define HEDDLE_TESTS_INTERP_H

#include "engine/script.h"

enum interp_status {
	IT_OP,      /* wants to perform an operation */
	IT_END,     /* ran to its end */
	IT_BLOCKED, /* a failed assume, or a loop without operations */
	IT_FAILED,  /* a failed assertion */
	IT_STUCK,   /* stopped by the redundant-round rule */
};

struct action {
	uint8_t op; /* enum op_kind */
	uint8_t order, order_fail, fn;
	int8_t loc;
	uint32_t n;                    /* OP_CHOOSE; OP_FUTEX_WAKE and _REQUEUE: how many to wake */
	uint8_t word, bits, to, moves; /* of futex operations; fn 1: an OP_COND_WOKEN of one */
	int64_t arg, expected; /* OP_BARRIER_PASS: threads of a round, and when it is full */
};

/* What the operation did. */
struct effect {
	bool wrote;
	int64_t read, stored;
	uint32_t choice;
};

struct interp {
	const struct script *s;
	int8_t t, status;
	int16_t pc;
	uint8_t phase;       /* within I_COND_WAIT, I_TIMEDWAIT, I_BARRIER */
	uint16_t reads, ops; /* done so far */
	/* IT_STUCK: how many of the last operations are its last round; 0: the round would end
	 * another way if it went on. */
	uint16_t round;
	int64_t arrived; /* at the latest barrier: what it stored there */
	int64_t reg[SCRIPT_REGS];
};

/* Reads of the current stretch of silent events, for the redundant-round rule. */
struct rounds {
	int n;
	struct interp at[16]; /* before the read */
	int64_t value[16];    /* what it read */
};

void interp_init(struct interp *it, const struct script *s, int t);
enum interp_status interp_next(struct interp *it, struct action *act);
/* rounds NULL: the rule is off. */
void interp_done(struct interp *it, struct rounds *rounds, const struct action *act,
		 const struct effect *eff);

/*
 * The thread is about to perform this operation. Would it be stopped by the rule if it read v?
 * *round: not 0 if it would be where it was so many operations ago, for ever if it reads the same
 * again.
 */
bool interp_fails(const struct interp *it, const struct rounds *rounds, const struct action *act,
		  int64_t v, uint32_t *round);

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
