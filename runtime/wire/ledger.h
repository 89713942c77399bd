/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ledger.h - every run of the program, and every item of work, accounted for
 *
 * "No bug" is true only if nothing was dropped on the way. So the books are kept twice: why a run
 * was to be made and how it ended, what was noted as work and what became of it. What does not
 * balance in the end is an error of heddle, in every build.
 *
 *	why = ledger_unbalanced(&l);	at any time between two runs
 *	why = ledger_unfinished(&l);	an exploration that says that nothing is left
 *	why = ledger_incomplete(&sum);	all engines that shared it, added up
 *
 * Each of them answers NULL, or in one English clause what does not add up.
 *
 * Cost: a few additions for each run and each item.
 */
#ifndef HEDDLE_ENGINE_LEDGER_H
#define HEDDLE_ENGINE_LEDGER_H

#include <stdint.h>

/* Why there is to be a run. Items of work are counted by what became of them: WORK_DONE. */
enum ledger_cause {
	CAUSE_FIRST, /* of an exploration, or a replay */
	CAUSE_DRAWN, /* random testing: one more */
	CAUSE_ASK,   /* END_ASKS came before it */
	CAUSE_LOOK,  /* END_LOOKS */
	CAUSE_STRAY, /* END_STRAYED */
	CAUSE_RERUN, /* engine_rerun() */
	LEDGER_CAUSES
};

enum ledger_end {
	ENDED_COMPLETE,
	ENDED_BLOCKED,
	ENDED_BUG,
	ENDED_CUT,      /* at max_events, or where there was no memory for more */
	ENDED_DOUBTFUL, /* as a hang, where a thread may go on for all that is known */
	ENDED_STOPPED,  /* the controller wants no more */
	ENDED_WRONG,    /* the program did not repeat itself */
	ENDED_RERUN,    /* left, to be done again: engine_rerun() */
	ENDED_ASKS,     /* likewise, since awaits have to be asked what a new value does */
	ENDED_LOOKS, /* likewise, without the awaits that wait, to see whether they do so for good */
	ENDED_STRAYED,  /* dead end: what is not seen kept the program from repeating the graph */
	ENDED_FINISHED, /* what such a run did repeat, brought to its end for the bugs in it */
	ENDED_DEAD,     /* a graph that was only good for the revisits it noted, or is none */
	ENDED_IN_VAIN,  /* a thread waits though something would let it go on */
	LEDGER_ENDS
};

enum ledger_work {
	WORK_DONE,      /* a run was to be made of it */
	WORK_FRUITLESS, /* it led to no consistent graph, or was only good for what it noted */
	WORK_UNWANTED,  /* a gate that is shut (explore_gate.c) */
	WORK_GIVEN,     /* to another engine */
	WORK_SKIPPED,   /* an engine that died had given it away */
	WORK_DROPPED,   /* noted in a run that only brings another one to its end */
	LEDGER_WORKS
};

struct ledger {
	uint64_t begun;
	uint64_t cause[LEDGER_CAUSES], ended[LEDGER_ENDS], work[LEDGER_WORKS];
	uint64_t noted; /* items of work */
	uint64_t taken; /* of these: given by other engines */
};

const char *ledger_unbalanced(const struct ledger *l);
const char *ledger_unfinished(const struct ledger *l);
const char *ledger_incomplete(const struct ledger *sum);

/* Of random testing that was to do so many executions, and found no bug. */
const char *ledger_short_of(const struct ledger *sum, uint64_t executions);

void ledger_add(struct ledger *sum, const struct ledger *l);

/* In words with underscores, for JSON. */
extern const char *const ledger_ends[LEDGER_ENDS];

#endif
