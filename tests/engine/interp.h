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
 * tested; that includes the redundant-round rule (await.txt), which needs `rounds`.
 */
#ifndef HEDDLE_TESTS_INTERP_H
#define HEDDLE_TESTS_INTERP_H

#include "engine/action.h"
#include "engine/script.h"

enum interp_status {
	IT_OP,      /* wants to perform an operation */
	IT_END,     /* ran to its end */
	IT_BLOCKED, /* a failed assume, or a loop without operations */
	IT_FAILED,  /* a failed assertion */
	IT_STUCK,   /* stopped by the redundant-round rule */
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
	bool no_mo;           /* of wra, where no write is silent */
	struct interp at[16]; /* before the read */
	int64_t value[16];    /* what it read */
};

void interp_init(struct interp *it, const struct script *s, int t);
enum interp_status interp_next(struct interp *it, struct action *act);
/* How the thread ended, in one number: its registers, or, stopped by the rule, where, and those that it will
 * look at from there on. */
uint64_t interp_state(const struct interp *it);
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

#endif
