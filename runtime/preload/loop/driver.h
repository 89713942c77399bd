/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * driver.h - the loop over executions, for the rest of the core
 *
 * Internal to runtime/preload; hooks see perform.h only.
 */
#ifndef HEDDLE_PRELOAD_DRIVER_H
#define HEDDLE_PRELOAD_DRIVER_H

#include "preload/await/rounds.h"
#include "preload/facts/facts.h"
#include "preload/step/perform.h"

#pragma GCC visibility push(hidden)

/* Why control came back to the driver. */
enum leaving {
	LEAVE_OVER,   /* engine_next() said ENGINE_OVER */
	LEAVE_CUT,    /* STEP_CUT */
	LEAVE_FAILED, /* a bug was recorded and engine_fail() called */
	LEAVE_AGAIN,  /* repeat_execution(): no engine_end() */
	LEAVE_STOP,   /* the controller asked for the end */
};

enum {
	KNOWN_STATES = 2048,
};

/* What values do to a thread at an await, by the state it is in (await.c). */
struct known_state {
	uint64_t hash[2];
	struct await_mask told;
	uint32_t epoch;
};

/* What must outlive an execution that runs in a child (fork back end). */
struct driver_state {
	uint32_t done;       /* the child ran to the end of driver_execution() */
	uint32_t more;       /* another execution follows */
	uint32_t over;       /* nothing follows, and the verdict is written */
	uint32_t sets_flags; /* a thread has set status flags of a descriptor */
	uint32_t borrows;    /* this is a child with the memory of its parent (backend_split.c) */
	uint32_t threads;    /* highest thread id seen */
	uint64_t stack_size[HEDDLE_MAX_THREADS]; /* the most that each asked for; 0: nothing */
	uint64_t begun;                          /* executions begun */
	uint64_t restarts, reruns;
	uint64_t bug_begun; /* execution of the bug that waits for its end */
	uint32_t bug_pending;
	uint32_t discarded; /* the execution is beyond the limit, and does not count */
	uint32_t bug_seen;  /* in this execution, which goes on without the thread (keep_going) */
	uint64_t op_pc;     /* last operation: for a child that dies without a word */
	uint32_t op_thread;
	struct facts_state facts;
	struct known_state known[KNOWN_STATES];
	struct round_filters rounds;
	uint32_t compared; /* memory was (unseen.c) */
	uint32_t ending;   /* children.c: as waitpid() would tell it */
};

extern struct driver_state *state;

/* Main's stack pointer at the root point. */
extern uint64_t root_sp;

/* The root point, if it was not reached before (e.g. heddle_choose() before any thread). */
void root_point(void);
/* Leaves the calling fiber for the driver; the execution is over. */
heddle_noreturn void driver_leave(enum leaving why);
/* engine_end() was called: prepares what follows. True: another execution does. */
bool driver_advance(struct engine_outcome *o);
/* Runs one execution on the restored program, up to and with engine_end(). */
void driver_execution(void);
/* Ends the process in good order. */
heddle_noreturn void driver_finish(void);
/* The same for a program that ended before any thread was created. */
heddle_noreturn void driver_finish_unrooted(void);
/* Thread tid exists, and asked for a stack of that size (or 0): the fork back end makes its block in
 * the parent next time. */
void driver_thread_seen(uint32_t tid, size_t stack_size);

#pragma GCC visibility pop

#endif
