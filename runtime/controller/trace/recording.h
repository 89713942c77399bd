/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording.h - one execution and the bug it ends in, in terms that hold in every run
 *
 * A recording is what the controller keeps of a process that is gone, what a trace file holds
 * and what a replay is compared with. It owns its memory.
 */
#ifndef HEDDLE_CONTROLLER_RECORDING_H
#define HEDDLE_CONTROLLER_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/elf/elf.h"
#include "wire/shared.h"

/* A step, or where a thread went on that yields (wire/search.h), with where its location and its call lie. record.addr and .pc hold in one run. */
struct step {
	struct engine_step_record record;
	struct place place; /* of record.addr */
	struct place code;  /* of record.pc: PLACE_GLOBAL or PLACE_UNKNOWN */
};

/* Is it one that happened? Not where a thread was stopped. */
static inline bool step_happened(const struct engine_step_record *r)
{
	return r->kind != OP_YIELD && !(r->kind == OP_PAUSE && r->choice);
}

/* Does it go on since another step woke it, or was the last to arrive, rf_tid.rf_index? */
static inline bool step_is_woken(const struct engine_step_record *r)
{
	return (r->kind == OP_COND_WOKEN || r->kind == OP_BARRIER_PASS) &&
	       !(r->flags & STEP_READ) && r->rf_tid >= 0;
}

#define SIDE_NO_PEER UINT32_MAX /* which thread a side waits for is not known: an older trace */

struct side {
	uint32_t thread;
	bool is_write, is_atomic;
	uint8_t size;
	uint8_t call; /* enum side_call */
	uint32_t
		behind; /* 1 + the number of the first operation of its thread that is the access, or comes behind it; 0: unknown */
	int blocked_on; /* enum op_kind, or -1 */
	uint32_t peer;  /* the thread that it waits for (OP_JOIN), or SIDE_NO_PEER */
	struct place waits; /* or the object; PLACE_UNKNOWN: none, or none that a trace can name */
	uint64_t pc;        /* of one run */
	struct place code;
	struct place
		own; /* of a trace: the innermost own code that called that (site_of()); PLACE_UNKNOWN: the same, or none */
	uint32_t frames;
	uint64_t frame[SHARED_MAX_FRAMES]; /* of one run */
	uint32_t created;
	uint64_t creation[SHARED_MAX_FRAMES]; /* where the thread was created; likewise */
};

/* What the program said of the execution, and how it names things (wire/said.h); its memory. */
struct said_list {
	struct said_text *text; /* in the order in which they were said */
	struct said_name *name; /* a later name of the same thing counts */
	struct said_pointer *pointer;
	struct said_call *call;
	size_t ntexts, nnames, npointers, ncalls;
};

struct finding {
	enum bug_kind kind;
	char message[SHARED_TEXT];
	uint64_t addr;
	struct place place;
	uint32_t nsides;
	struct side *sides;
	uint64_t execution, seed;
	uint32_t strategy; /* enum search_strategy */
	uint64_t times;    /* in how many executions it showed; 0: that was not counted */
	bool behind;       /* a race that comes behind others in its execution */
	bool counted_only; /* it came behind another bug; it is added to the same bug where that comes first */
	bool guided; /* an execution that followed a guide has it (run/guided.h), so by no equivalence */
	int signal;       /* the process died of it without a word; 0 otherwise */
	uint32_t nfacts;  /* how many of the facts that a replay needs were in force */
	bool lacks_steps; /* of a very long random execution only the last ones were there */
	struct step *steps;
	size_t nsteps;
	struct said_list said; /* where the run was a replay */
};

/* A file of the process: its program (index 0) or a library. */
struct loaded {
	uint64_t base;
	char id[BUILD_ID_TEXT];
	char *path;
};

struct loaded_list {
	struct loaded *at;
	size_t n;
};

void finding_release(struct finding *f);
void loaded_release(struct loaded_list *l);
void said_release(struct said_list *l);

/* Room for another one, all 0; NULL when memory is short. */
struct said_text *said_add_text(struct said_list *l);
struct said_name *said_add_name(struct said_list *l);

/* What the program called the thread, or the object that the place is in; NULL: nothing. *offset: how far into it. */
const char *said_thread(const struct said_list *l, uint32_t tid);
const char *said_object(const struct said_list *l, const struct place *p, uint64_t *offset);

struct said_call *said_add_call(struct said_list *l);
/* Is that the step of a call, which creates a thread; or with which one begins? */
bool said_calls(const struct said_call *call, const struct finding *f);

struct said_pointer *said_add_pointer(struct said_list *l);
/* Where a value of eight bytes points to, or NULL: that is not known, or it is no pointer. */
const struct place *said_points(const struct said_list *l, uint64_t value);

/* The place of a code address: the module with the greatest base not beyond it. */
struct place place_of_code(const struct loaded_list *l, uint64_t pc);

/* The address of a place of a module in the run that l describes; 0 if it is of no module. */
uint64_t place_address(const struct loaded_list *l, const struct place *p);

/* The same kind of bug at the same places in the code, whichever the threads. */
bool finding_repeats(const struct finding *a, const struct finding *b);

/* Are both races of the same later access? */
bool finding_same_access(const struct finding *a, const struct finding *b);

/*
 * Do two findings show the same bug? If not, why holds what differs. Code of modules is
 * compared by place, since addresses may differ from run to run.
 */
bool finding_same(const struct finding *a, const struct finding *b, char *why, size_t size);

/*
 * Sorts findings by the number of their execution, or by kind, words and place in the code,
 * which does not depend on the order in which executions were visited.
 */
void findings_sort(struct finding *f, size_t n, bool by_number);

#endif
