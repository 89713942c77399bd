/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * await.h - the redundant-round rule, between its two halves
 *
 * await.c follows what each thread reads and decides; await_ask.c tells the engine what values would
 * do; probe.c runs a thread once more from an earlier read, compares, and undoes it. Internal to
 * runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_AWAIT_H
#define HEDDLE_PRELOAD_AWAIT_H

#include "preload/await/rounds.h"
#include "preload/await/write_log.h"
#include "preload/fiber/fiber.h"
#include "preload/liveness/stretch.h"

#pragma GCC visibility push(hidden)

enum {
	AWAIT_OPS = 64,     /* operations looked back at; bits of a word */
	AWAIT_PLACES = 256, /* locations of operations that were passed over, that are told apart */
	AWAIT_FOREIGN = 8,  /* writes of others remembered until a thread goes on */
	AWAIT_REACH = 8,    /* operations that the two runs may take until they are in one state */
	NO_TWIN = AWAIT_OPS,
	AWAIT_TWINS = 4, /* of one operation that are tried then, the latest first */
};
#define SOMEWHERE UINT64_MAX /* a place in the code that is not known */

/* An operation of the window, and the program as it was when it called the hook. */
struct await_op {
	struct op op;
	struct value value; /* that it read */
	uint32_t parts;     /* how many operations of the engine it is (access/parts.h) */
	bool reads;         /* silently: fences and plain loads do not count */
	bool saved;
	uint8_t stretch; /* enum stretch: what its thread may do until the next one */
	uint32_t writes; /* length of the log then */
	uint32_t behind; /* how many events its thread had, with this one */
	uint64_t memory; /* where the program is not instrumented: a hash of it, behind it */
	bool asked;      /* which are its twins? */
	uint64_t twins;  /* earlier operations that this one may repeat: bit i for the i-th */
	uint64_t others; /* those of them from which a probe took another way */
	struct entry entry;
	uint64_t size;
	char *stack; /* copy of [entry.sp, entry.sp + size) */
};

/* Per fiber: the window, everything since its last operation that was not silent. */
struct await {
	/* What every execution sets comes first, on one page: a fork() copies what is written. */
	uint32_t settled; /* how many events it had behind its last operation that was not silent */
	uint32_t lost;    /* since then: windows that ended for what nobody sees */
	uint32_t timed;   /* likewise: how often the thread has asked for the time */
	bool open;        /* `ahead` is about its last operation, and not all of it is told */
	struct frames ahead;
	bool let_go_first; /* at random: all others, since the window began */
	bool fenced;       /* the window has a fence that releases, */
	bool released;     /* or an operation that stored what it read and did */
	uint32_t
		kept; /* before it is a round of the window that stays for its races only; 0: none */
	/* Where the program is not instrumented: */
	bool doubtful;   /* memory was not the same all through the round that was the last */
	uint64_t memory; /* a hash of it, when the thread went on */
	char *arena;
	uint64_t arena_used;
	uint32_t nforeign; /* writes of other threads to this one's stack since it stopped */
	struct {
		uint64_t addr, size;
	} foreign[AWAIT_FOREIGN];
	struct write_log log;
	struct touch touch[TOUCHES + 1]; /* rounds.c */
	struct op stuck, yield, look;    /* what await_before() and await_look() return */
	struct op before;                /* the operation that the thread was stopped at */
	struct await_op ops[AWAIT_OPS];  /* as many as self.window */
	/* Operations of a long window that came behind ops[0], and before ops[1] (window.c): */
	struct {
		uint32_t ops, parts; /* so many; of the engine */
		uint32_t patience;   /* how many parts, at most, before another one is ops[0] */
		bool behind_kept;    /* ops[0] comes behind a round that stays (`kept`) */
		uint32_t nplaces;    /* where they read memory */
		struct {
			uint64_t addr;
			uint32_t size;
		} place[AWAIT_PLACES];
	} passed;
};

enum probe_result {
	PROBE_EQUAL,  /* the same state */
	PROBE_DRIFTS, /* the same operations so far, in states that differ */
	PROBE_OTHER,  /* it does something else */
};

/* ---- window.c ---- */

extern struct await await_of[HEDDLE_MAX_THREADS];
static inline struct await *await_of_fiber(const struct fiber *f)
{
	return &await_of[f->self.tid];
}

/* Empties the window. */
void await_forget(struct fiber *f);
/* Something may have happened that nobody sees, or that there is no room for. */
void await_lose_window(struct fiber *f);
/* The calling fiber's window is full: passes over the older half of it, all but one (await.txt, A0). */
void await_make_room(struct fiber *f);
/* How many operations of the engine those of the window are, from one to another. */
uint32_t await_parts(const struct await *a, uint32_t from, uint32_t to);
/* How many the window has, from one to another, with those that were passed over. */
uint32_t await_length(const struct await *a, uint32_t from, uint32_t to);
/* The first operation of the calling fiber's window since which all is told that it did. */
uint32_t told_from(const struct await *a);

/* ---- await.c ---- */

/* Are threads followed, and may they be run once more? */
bool await_tries_out(void);

/* ---- twins.c ---- */

/* Tries the twins of operation r2; returns one that shows it to be redundant, or r2. */
uint32_t twins_try(struct await *a, uint32_t r2, uint32_t n, const struct op *op);
/* L2, K1. The first round of a window that has to stay for its races (L2) does so for all that follow. */
bool twins_may_go(struct await *a, uint32_t from, uint32_t to, uint32_t end);
/*
 * The thread has done a silent op, which left everything as it was. Did a round end there that has to stay? What is
 * repeated from the graph does not come by await_before(), so it is asked here.
 */
void twins_find_kept(const struct fiber *f, struct await *a, const struct op *op);

/* ---- await_told.c ---- */

/* What may the thread do behind the operation that it is at, until its next one? */
void told_ahead(const struct op *op, struct frames *ahead, enum stretch most);
/* The functions that it is in. */
void told_arrival(const struct op *op, struct frames *here);
/* And what may it have done behind one, if its next operation was op? */
enum stretch told_between(const struct frames *ahead, const struct op *op);
/* The calling fiber has done r, the last operation of its window. If not all is told of what may come behind it: a->open. */
void told_open(struct await *a, struct await_op *r);
/* It is at its next one. */
void told_close(struct await *a, const struct op *op);
/* Is all told that it did since operation r1 of its window? Else the exploration starts again, and memory is compared. */
bool told_since(const struct await *a, uint32_t r1);

/* ---- probe.c; probe_save(), probe_came_back() and probe_catch_up(): saved.c; probe_state() and probe_place(): arrival.c ---- */

/* Fills o->entry, o->stack and so on, if it can. */
void probe_save(struct await *a, struct await_op *o);

/*
 * The calling fiber is about to perform op. Runs it once more from operation r1 of its window,
 * but with the values that the operations from r2 on read, and undoes that: is it here then,
 * too, and in the same state?
 */
enum probe_result probe_run(struct await *a, uint32_t r1, uint32_t r2, const struct op *op);

/*
 * The calling fiber is about to perform op: has it come back to an operation of its window, in
 * the same state as then? Returns which, the latest, or NO_TWIN. *unsaved is the place of an
 * operation of which that cannot be said since its state was not saved, or 0.
 */
uint32_t probe_came_back(const struct await *a, const struct op *op, uint64_t *unsaved);

/*
 * If op read this value, silently: would the thread be stopped at its next operation, since it
 * is back where it was then, or where the same value had led from an earlier operation?
 * *round: if it would be so again and again, the operations, at least, that it would do each time;
 * else 0.
 */
bool probe_fails(struct await *a, const struct op *op, struct value value, uint32_t *round,
		 uint64_t *unsaved);

/*
 * The calling fiber is in the hook that performed op. If that had read this value: a hash of where it would come to next, an
 * operation or a plain read of what others may write, and of all that it would have written. False if that is not known.
 */
bool probe_leads(const struct op *op, struct value value, uint64_t hash[2]);

/*
 * May the next operation of the calling fiber, with the value in it, be only a repetition of
 * operation r1 of the window, in a loop, if the one that comes then is at next_pc (SOMEWHERE: in the
 * loop, for all that is known)?
 */
bool await_repeats(const struct await *a, uint32_t r1, const struct await_op *next,
		   uint64_t next_pc);

/*
 * A hash of all that such a probe depends on: the program's stack and registers, and
 * those of the operations in the window. False if there is more to it.
 */
bool probe_state(const struct await *a, const struct op *op, uint64_t hash[2]);

/* A hash of where the program called the hook that performed op, without the window. */
bool probe_place(const struct op *op, uint64_t hash[2]);

/* Does the address belong to the calling fiber's stack, where no other fiber writes? */
bool await_own(uint64_t addr);

/* The fiber goes on: what others have written to its stack meanwhile is so in the saved states, too. */
void probe_catch_up(const struct fiber *f, struct await *a);

/* In a probe: the fiber's next operation. Does not return when the probe ends with it. */
void probe_step(const struct op *op, struct op_result *res);
/* In a probe: the fiber did what ends it. */
heddle_noreturn void probe_differs(void);

/* The calling thread asks for the time. */
void await_asks_time(void);
/* In a probe: a plain write, one to the thread's own stack, or a read. */
void probe_write(uint64_t addr, uint64_t size, bool shows);
void probe_own_write(uint64_t addr, uint64_t size);
/* Is it an operation, if the location is an atomic one? */
bool probe_read(uint64_t addr, uint64_t size);
/* What the probe does the thread itself has done since it had so many events; UINT32_MAX: it has not. */
uint32_t probe_reads_as_behind(void);

#pragma GCC visibility pop

#endif
