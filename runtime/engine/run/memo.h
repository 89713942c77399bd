/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo.h - what each thread does next is known, and executions are made without the program
 *
 * What a thread does next is a function of what it has read. The memo is a tree of steps for each thread: a step is a place
 * behind so many of its operations, which read such values, and says what comes next. Where that is known of all threads, the
 * exploration makes the execution by itself, as the program would (engine/memo_run.h). engine/memo.txt: why nothing is lost, and
 * when it holds.
 *
 * What threads read that is no operation is memory that others write plainly. Whoever runs the program tells of it, by granules of eight
 * bytes (engine_shares(), engine_touches()). Such a read is a step of its own; what it finds follows from the writes that
 * happen before it (memo_plain.c), and that nothing races.
 *
 *	memo_learn(e, tid, op);		the program is there: the thread does that next
 *	s = memo_step(e, tid);		what it does next, where it is now; NULL: not known
 *
 * Cost: a step for each history of a thread; O(1) for each event of an execution that the one before did not have.
 */
#ifndef HEDDLE_ENGINE_MEMO_H
#define HEDDLE_ENGINE_MEMO_H

#include "engine/run/memo_touch.h"
#include "engine/run/state.h"

enum memo_what {
	MEMO_UNKNOWN, /* nobody knows what comes next */
	MEMO_READS,   /* a plain read of a granule that is shared */
	MEMO_DOES,    /* an operation */
};

/* What a thread is to read to come there, and what there is before what it does there, is on one line of the cache. */
struct memo_step {
	uint32_t above, first,
		other; /* the step that leads here; the first that this one leads to, the next one of `above`; 0: none */
	uint32_t index;    /* events of the thread before it */
	uint8_t what;      /* enum memo_what */
	uint8_t mask;      /* MEMO_READS: the bytes */
	uint16_t nwrites;  /* MEMO_DOES: so many touches but reads since its operation before, */
	uint32_t granule;  /* or MEMO_READS: that one; */
	uint32_t writes;   /* from this one of memo.write on */
	struct value came; /* what led here from `above`: what that has read */
	struct op op;
	uint32_t loc; /* of op, or NO_LOC */
	uint32_t unused[3];
};

_Static_assert(sizeof(struct memo_step) == 128, "two lines of the cache");

/* What a thread does there in the graph, in the list of the granule. */
struct memo_access {
	uint32_t next, tid, index; /* so many events of its thread come before it */
	uint32_t left; /* it, or the next one that puts something into plain memory; 0: none */
	struct memo_touch touch;
	/* Of it and all behind it, so that few have to be looked at (memo_access()): */
	uint8_t plain, mixed; /* the bytes of plain accesses, and of others; */
	uint8_t put;          /* of those that put something into plain memory; */
	uint8_t size;         /* atomic operations are aligned, of that size; 0: there is none */
	bool varied;          /* there are others; */
	bool settled;         /* all but atomic operations happen before it, for certain */
};

struct memo_granule {
	uint64_t initial;
	uint64_t age; /* `list` is of memo.age */
	uint32_t list;
	bool born;   /* what is there has to be allocated first */
	bool rounds; /* so do rounds of loops that are left out */
	/* Threads behind which it was read, or written, in po u rf and not in hb, since the exploration began; all, where that is not known. */
	uint64_t read_behind, written_behind;
};

enum {
	MEMO_GRANULES = 1 << 10, /* shared */
	MEMO_WRITES = 1 << 18,
	MEMO_ACCESSES = 1 << 16, /* of an execution */
	MEMO_MOVES = 1 << 16,    /* likewise; more are not remembered */
};

/* A thread has gone on: where it was before, to be taken back when events from place stamp - 1 on change. */
struct memo_move {
	uint32_t stamp, most; /* the greatest stamp up to here */
	uint32_t tid, at, index, noted, naccesses;
};

struct memo {
	bool lost;    /* nothing is known any more */
	bool making;  /* an execution, without the program */
	bool unknown; /* which it needs: a location that nobody has met; accesses that race */
	bool beyond_hb; /* one was made in which something is read without synchronising (engine_beyond_hb()) */
	bool full; /* there is no room for more: all is forgotten before the next run */
	bool deaf; /* in this run nothing is learned: it was not listened to from its start */
	const char *why;
	bool mistaken;         /* memo.txt, K5 */
	uint32_t nsteps, most; /* step 0 is none */
	struct memo_step *step;
	struct await_mask
		*asked; /* of each step, where its op.await is set: what values would do */
	uint32_t *
		behind; /* by place in the graph: the step behind that operation, as far as threads were followed */
	/* Of each thread: its first step, the one where it is, and how many of its events come before that. */
	uint32_t root[HEDDLE_EXPLORED_THREADS], at[HEDDLE_EXPLORED_THREADS],
		index[HEDDLE_EXPLORED_THREADS];
	uint32_t noted[HEDDLE_EXPLORED_THREADS]; /* the step whose writes are in the lists */
	uint64_t made, given_up, learned;        /* executions; steps */
	uint64_t made_before; /* when it was last asked whether it is worth it (memo_run.c) */

	struct memo_touch *write; /* of steps */
	uint32_t nwrites;
	struct memo_granule *granule;
	uint32_t rounds[MEMO_GRANULES], nrounds; /* those of which `rounds` is so */
	struct memo_access *access;
	uint32_t naccesses;
	/* Where threads are, and the lists, go back only as far as the graph has changed since (memo.txt, K2). */
	struct memo_move *move;
	uint32_t nmoves;
	uint64_t age; /* grows when nothing of it is kept */
	bool kept;    /* all of it is of an execution that was made */
	/* What the running thread has done since its latest operation, told by who runs it. */
	const struct memo_touch *touched;
	uint32_t ntouched;
	bool varies; /* what the location of its operation holds at first (K9) */
};

size_t memo_bytes(uint32_t capacity);
void memo_init(struct engine *e, struct arena *a, uint32_t capacity);
/* No step is known any more; */
void memo_empty(struct engine *e);
/* nor does what was made count: the exploration begins. */
void memo_anew(struct engine *e);
/* A run begins. */
void memo_begin(struct engine *e);

void memo_learn(struct engine *e, uint32_t tid, const struct op *op);
const struct memo_step *memo_step(struct engine *e, uint32_t tid);
/* The thread has ended; what it has accessed is to be known. False: that is not. */
bool memo_has_ended(struct engine *e, uint32_t tid);
/* The location, which the run meets for the first time, holds that; it is what it always held. */
void memo_meets(struct engine *e, struct location *l, struct value now);

/* From now on the program runs, for a reason; again: what was made is made again, since it is not certain. */
void memo_lose(struct engine *e, const char *why, bool again);

/* memo.c: follows a thread behind so many of its events; 0: it is not known, or was never there, unless that is made. */
uint32_t memo_go_to(struct engine *e, uint32_t tid, uint32_t index, bool make);

/* memo_plain.c */
/* All threads go on as far as what they do happens before what the thread does behind so many of its events. */
void memo_follow(struct engine *e, uint32_t tid, uint32_t index);
/* The thread, behind so many of its events, reads these bytes: the value, at their places in the granule. */
uint64_t memo_read(struct engine *e, uint32_t tid, uint32_t index, uint32_t granule, uint8_t mask);
/* It does that to them; what races, or may not be done there, is not known in an execution that is made. */
void memo_access(struct engine *e, uint32_t tid, uint32_t index, const struct memo_touch *touch);
/* Does the location of the thread's next operation, behind so many events, hold at first what it held in all runs? Else that is not known. */
void memo_holds(struct engine *e, uint32_t tid, uint32_t index, const struct op *op,
		const struct memo_touch *touch);
/* The execution is made. May any access in it race with a round of a loop that was left out? */
bool memo_any_minds_rounds(struct engine *e);
/* Bytes of a granule, each all ones or zero. */
uint64_t memo_bytes_of(uint8_t mask);

#endif
