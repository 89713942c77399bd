/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names.c - the words for models, operations, orders and kinds of bugs
 *
 * Invariant: every table is as long as its enum, which the assertions below check when heddle
 * is compiled.
 */
#include "config.h"

#include "controller/base/names.h"

#include <string.h>

#include "wire/search.h"
#include "wire/shared.h"

const char *const names_model[] = {
	"sc", "tso", "sra", "ra", "wra", "relaxed", "rc20", "rc11", NULL
};
const char *const names_equivalence[] = { "rf", "mo", "value", NULL };
const char *const names_strategy[] = { "random",  "pct",   "pctwm", "pos", "surw",
				       "rf-fuzz", "delay", "even",  "mix", NULL };
const char *const names_volatile[] = { "plain", "relaxed", NULL };
const char *const names_plain[] = { "race", "explore", NULL };
const char *const names_setting[] = { "volatile", "spurious-cas", "plain",  "leaks", "child",
				      "expects",  "no-memo",      "behind", NULL };
const char *const names_backend[] = { "auto", "rollback", "fork", NULL };
const char *const names_when[] = { "auto", "always", "never", NULL };
const char *const names_format[] = { "text", "dot", "svg", "html", "json", NULL };
const char *const names_bug[] = {
	"none",
	"assertion",
	"data-race",
	"crash",
	"deadlock",
	"await-stuck",
	"use-after-free",
	"double-free",
	"invalid-free",
	"uninitialised-read",
	"leak",
	"lock-misuse",
	"thread-misuse",
	"abort",
	"exit-code",
	"out-of-bounds",
	"use-after-return",
	NULL,
};

const char *const names_side_call[] = { "", "free", "delete", "delete[]", "allocate", NULL };

const char *const names_fact[] = {
	"none",          "repeats",       "waits",       "queue",
	"explored",      "split",         "interrupted", "fences",
	"looked-at",     "touched",       "kept-rounds", "stacks-shared",
	"memory-unseen", "code-untold",   "rounds-hide", "main-leaves",
	"futex-table",   "futex-owners",  "locks-wait",  "awaits-plain",
	"needs-child",   "needs-copy",    "polls",       "polls-kept",
	"locks-minded",  "shares-minded", "stack-seen",  "cancels",
	"cancels-looks", "cancels-kept",  "by-reads",    "parts-in-order",
	"files-shared",  "stream-held",   "runs-always", "actions",
	"anybody",       "overtime",      NULL,
};

#define LENGTH(table) (sizeof(table) / sizeof((table)[0]) - 1)
_Static_assert(LENGTH(names_model) == MODEL_COUNT, "one word for each model");
_Static_assert(LENGTH(names_strategy) == STRATEGY_COUNT, "one word for each strategy");
_Static_assert(LENGTH(names_equivalence) == EQUIV_VALUE + 1, "one word for each equivalence");
_Static_assert(LENGTH(names_fact) == FACT_KINDS, "one word for each kind of fact");
_Static_assert(LENGTH(names_backend) == BACKEND_FORK + 1, "one word for each back end");
_Static_assert(LENGTH(names_setting) == SETTINGS, "one word for each setting");
_Static_assert(LENGTH(names_side_call) == SIDE_CALLS, "one word for each call");
_Static_assert(LENGTH(names_bug) == BUG_KINDS, "one word for each kind of bug");

const char *name_of(const char *const *table, size_t i)
{
	for (size_t n = 0; table[n]; n++) {
		if (n == i)
			return table[n];
	}
	return "?";
}

int name_find(const char *const *table, const char *word)
{
	for (int i = 0; table[i]; i++) {
		if (!strcmp(table[i], word))
			return i;
	}
	return -1;
}

const char *bug_title(unsigned kind)
{
	static const char *const titles[] = {
		[BUG_NONE] = "no bug",
		[BUG_ASSERTION] = "assertion failed",
		[BUG_DATA_RACE] = "data race",
		[BUG_CRASH] = "crash",
		[BUG_DEADLOCK] = "deadlock",
		[BUG_AWAIT_STUCK] = "await that never ends",
		[BUG_USE_AFTER_FREE] = "use after free",
		[BUG_DOUBLE_FREE] = "double free",
		[BUG_INVALID_FREE] = "invalid free",
		[BUG_UNINITIALISED_READ] = "uninitialised read",
		[BUG_LEAK] = "leak",
		[BUG_LOCK_MISUSE] = "lock misuse",
		[BUG_THREAD_MISUSE] = "thread misuse",
		[BUG_ABORT] = "abort",
		[BUG_EXIT_CODE] = "exit with a failure status",
		[BUG_OUT_OF_BOUNDS] = "out of bounds",
		[BUG_USE_AFTER_RETURN] = "use after return",
	};

	return kind < BUG_KINDS ? titles[kind] : "unknown bug";
}

const char *waiting_for(enum op_kind kind)
{
	switch (kind) {
	case OP_LOCK:
		return "to lock a mutex";
	case OP_JOIN:
		return "for a thread to end (join)";
	case OP_COND_WOKEN:
		return "to be woken (condition variable, futex or signal)";
	case OP_ONCE_ENTER:
		return "for a once routine to finish";
	case OP_SEM_WAIT:
		return "for a semaphore to be posted";
	case OP_RDLOCK:
		return "to lock a read-write lock for reading";
	case OP_WRLOCK:
		return "to lock a read-write lock for writing";
	case OP_BARRIER_PASS:
		return "for other threads to arrive at a barrier";
	case OP_COUNT_TAKE:
		return "for something to read";
	case OP_COUNT_ADD:
		return "for room to write";
	case OP_COUNT_AWAIT:
	case OP_READY_TAKE:
		return "for a descriptor to be ready";
	case OP_LOAD:
	case OP_RMW:
	case OP_CAS:
	case OP_STUCK:
		return "in a loop for an atomic location to change";
	case OP_BLOCK:
		return "in a loop that tries to get a lock, which nobody frees";
	case OP_YIELD:
		return "in a loop that yields, sleeps, or only looks, and comes to nothing";
	case OP_EXIT:
		return "to leave the process";
	default:
		return "in an operation that cannot proceed";
	}
}
