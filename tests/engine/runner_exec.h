/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runner_exec.h - one execution of a script, for the files of the runner
 */
#ifndef HEDDLE_TESTS_RUNNER_EXEC_H
#define HEDDLE_TESTS_RUNNER_EXEC_H

#include "engine/runner.h"

enum {
	THREADS = SCRIPT_THREADS + 1,
	MAX_DONE = 128,
};

/* An operation that happened, as the thread saw it. */
struct done {
	struct action act;
	struct effect eff;
};

struct shadow {
	int32_t write_tid; /* -1: none */
	uint32_t write_at;
	uint32_t read_at[THREADS]; /* 1 + epoch, 0: none */
};

struct thread {
	struct interp it;
	bool started, over, cut;
	bool fixed; /* its operation is one of those that the exploration begins with */
	int ndone;
	struct done done[MAX_DONE];
};

struct exec {
	struct runner *r;
	const struct script *s;
	const struct runner_options *opt;
	struct engine *e;
	struct thread th[SCRIPT_THREADS];
	struct rounds rounds[SCRIPT_THREADS];
	int main_at; /* of main: creates, joins, exit */
	int64_t memory[SCRIPT_LOCS];
	struct shadow shadow[SCRIPT_LOCS];
	/* options.memo: what a thread has done plainly since it had so many events */
	struct memo_touch touch[64];
	uint32_t ntouched, touched_at;
	int toucher;
	bool cut, wrong;
	bool limited; /* max_executions was reached */
};

/* The engine misbehaved: keeps the first such message. */
__attribute__((format(printf, 2, 3))) void runner_wrong(struct exec *x, const char *fmt, ...);

static inline uint64_t runner_address(int loc)
{
	return 0x10000 + (uint64_t)loc * 64;
}

/* runner_plain.c: a conflict with an earlier plain access that does not happen before. */
bool runner_races(const struct exec *x, int loc, int tid, bool write);
/* Thread t does that. */
void runner_plain(struct exec *x, int t, const struct action *act);
/* options.memo: the thread with that id comes to an operation. */
void runner_tell_plain(struct exec *x, int tid);
/* Likewise, before the first execution: which memory is accessed plainly, and nothing of it otherwise? */
void runner_share_plain(struct exec *x, struct engine *e);

/* runner_gone.c: an operation was done. */
void runner_gone(const struct exec *x);

/* What the engine answered to thread t, checked against what the operation means, and done to memory. */
void runner_answer(struct exec *x, int t, const struct action *act, const struct op_result *res);

/* Threads were told that. */
void runner_trail(struct runner *r, uint64_t told);

/* The class of the execution that is over. */
void runner_key(struct exec *x, struct class_key *key);
/* What its reads have returned, as brute force lists that (struct oracle). */
void runner_values(const struct exec *x, struct class_key *key);

#endif
