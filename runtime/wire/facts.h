/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * facts.h - what a search finds out about the program on the way, and how that is written down
 *
 * A fact is a kind, a place and an argument. Once it is in force the program is run in another
 * way, or the engine takes its operations for something else, so mostly the search starts again
 * for it (preload/facts/facts.h). Facts stand in a table, in the order in which they were found. There
 * is one table: of a worker alone it is in shared.h, of several in exchange.h. All workers read
 * the same one, and when the controller starts processes anew it gives them what stood there.
 *
 * Places name what a fact is about in every run (place.h). An address is kept beside the place,
 * for the run that found it, and where there is no name.
 *
 * The first `used` facts of the table are in force, for all workers. The others wait for the next
 * start, but for those that only say how an execution is run. So a bug is found under the first
 * `used` facts of that time, and those of them that a replay needs go with its trace.
 *
 * Any worker adds facts, at any time. An entry is there when its kind is; a worker that dies
 * before leaves a hole. Two workers may add the same fact at the same time: the controller leaves
 * one of them.
 */
#ifndef HEDDLE_WIRE_FACTS_H
#define HEDDLE_WIRE_FACTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/late.h"
#include "wire/place.h"

enum fact_kind {
	FACT_NONE,
	/* Of a place in the code. */
	FACT_REPEATS, /* a location is read again there: states are saved (await.c) */
	FACT_WAITS, /* a thread came back to where it was: the engine is told (struct op, await) */
	/* Of a place in memory. */
	FACT_QUEUE, /* FUTEX_REQUEUE moves threads to or from this word (hook_futex.c) */
	FACT_EXPLORED, /* plain accesses are events (explored_marks.c); arg: their size, 1, 2, 4 or 8 */
	FACT_SPLIT, /* atomic accesses of several sizes meet (split_marks.c); arg: one of them, 1, 2, 4 or 8 */
	/* Of a thread and a signal. */
	FACT_INTERRUPTED, /* it is sent to a thread that lets it in at some time (interrupt.c) */
	/* Of a thread. */
	FACT_FENCES, /* it asks all others for fences while there are some (fence.c) */
	/* Of eight bytes of memory. */
	FACT_LOOKED_AT,   /* looks in vain at atomics there may race: they are done (rounds.c) */
	FACT_TOUCHED,     /* a round that was left out touches it; arg: arg_of() in rounds.c */
	FACT_KEPT_ROUNDS, /* such rounds may race, and are done once */
	/* Of the program. */
	FACT_STACKS_SHARED, /* threads write to each other's stacks (await.c) */
	FACT_MEMORY_UNSEEN, /* code that is not instrumented writes in loops that wait (await.c) */
	FACT_CODE_UNTOLD,   /* such loops have code that may do what nobody announces (stretch.c) */
	FACT_ROUNDS_HIDE,   /* rounds of which others may come to know are done (wra; rounds.c) */
	FACT_MAIN_LEAVES,  /* main calls pthread_exit(), and something runs at exit (hook_exit.c) */
	FACT_FUTEX_TABLE,  /* futexes that change words (futex_table.c) */
	FACT_FUTEX_OWNERS, /* a thread ends with a futex that others ask for (futex_pi.c) */
	FACT_LOCKS_WAIT,   /* engine_config.waiting_locks */
	FACT_AWAITS_PLAIN, /* engine_config.plain_awaits */
	FACT_NEEDS_CHILD,  /* only a child undoes what executions do; it may have our memory */
	FACT_NEEDS_COPY,   /* likewise; it must have memory of its own */
	/* Of a place in the code: a thread that is back there at a lock, having done nothing, stops (polls.c); */
	FACT_POLLS,
	FACT_POLLS_KEPT, /* of the program: neither there nor by FACT_CANCELS */
	/* Of a lock: such a thread does not stop that takes it, for it would be missed; */
	FACT_LOCKS_MINDED,
	FACT_SHARES_MINDED, /* nor one that takes a share of it: to read, or of a semaphore */
	/* Of the end of a thread's stack: others look there, so what it writes there in such rounds counts. */
	FACT_STACK_SEEN,
	/* Of a place in memory: threads whose read-modify-writes of it cancel out stop (cancels.c); */
	FACT_CANCELS,
	FACT_CANCELS_LOOKS,  /* others look at it meanwhile: those that do not mind; */
	FACT_CANCELS_KEPT,   /* they do not */
	FACT_BY_READS,       /* of the program: not to be explored by values (values.h) */
	FACT_PARTS_IN_ORDER, /* engine_config.parts_in_order (step/whole.c) */
	FACT_FILES_SHARED, /* of the program: threads take turns at files (hooks/io/file_order.c) */
	FACT_STREAM_HELD, /* of a stream's lock: operations are done with it (hooks/libc/stream.c) */
	FACT_RUNS_ALWAYS, /* of the program: no execution is made without it (memo.h) */
	FACT_ACTIONS, /* of a signal: threads change what it does, and it is delivered (deliver.c) */
	FACT_ANYBODY, /* of a signal: sent to the process by a thread that does not block it, beside others (anybody.c) */
	FACT_OVERTIME, /* of a place in the code: no value is tried out there (await/overtime.h) */
	FACT_KINDS
};

struct fact {
	struct place place;    /* PLACE_UNKNOWN: of the program, or no name is known */
	uint64_t addr;         /* in the run that found it; 0: of the program */
	_Atomic uint32_t kind; /* enum fact_kind; released last */
	uint32_t arg;
};

enum {
	FACTS_MAX = 1 << 20
};

struct fact_table {
	_Atomic uint32_t n;    /* taken; up to the limit */
	_Atomic uint32_t used; /* the first so many are in force */
	uint32_t limit;        /* at most FACTS_MAX */
	uint32_t by_name;      /* the next processes may have other addresses */
	_Atomic uint64_t
		look; /* FACT_WAITS: the search does not start again before so many executions */
	struct late_modules late; /* what the modules are called that places name */
	struct fact at[FACTS_MAX];
};

/* Where a fact stands in the index of a process, by address (preload/facts/facts.c). */
struct fact_slot {
	uint64_t key;   /* 0: free */
	uint32_t marks; /* FACT_EXPLORED: what the bytes of the granule are */
	uint32_t split; /* FACT_SPLIT, likewise; and with what waits to be put in force: */
	uint32_t split_known;
	uint64_t known, used; /* sets of kinds */
};

enum {
	FACT_INDEX_LEAST = 12, /* slots, as powers of two */
	FACT_INDEX_MOST = 21
};

_Static_assert(FACT_KINDS <= 64, "fact_slot has a bit for each kind");
_Static_assert(2 * FACTS_MAX <= 1 << FACT_INDEX_MOST, "half of the index stays free");

/* An empty table. */
static inline void facts_init(struct fact_table *t)
{
	t->limit = FACTS_MAX;
}

/* How many entries there are; those that are not there yet have kind FACT_NONE. */
static inline uint32_t facts_count(const struct fact_table *t)
{
	/* relaxed: who reads an entry acquires its kind */
	uint32_t n = atomic_load_explicit(&t->n, memory_order_relaxed);
	uint32_t limit = t->limit < FACTS_MAX ? t->limit : FACTS_MAX;

	return n < limit ? n : limit;
}

/* Entry i; false: it is not there (yet), or makes no sense. */
static inline bool facts_get(const struct fact_table *t, uint32_t i, struct fact *out)
{
	const struct fact *f = &t->at[i];
	/* acquire: partner is the release in facts_add() */
	uint32_t kind = atomic_load_explicit(&f->kind, memory_order_acquire);

	out->place = f->place;
	out->addr = f->addr;
	out->arg = f->arg;
	atomic_init(&out->kind, kind);
	return kind > FACT_NONE && kind < FACT_KINDS;
}

/* Appends a fact; false: the table is full. */
static inline bool facts_add(struct fact_table *t, enum fact_kind kind, const struct place *place,
			     uint64_t addr, uint32_t arg)
{
	/* relaxed: to each its own entry */
	uint32_t i = facts_count(t) < t->limit
			     ? atomic_fetch_add_explicit(&t->n, 1, memory_order_relaxed)
			     : t->limit;

	if (i >= t->limit || i >= FACTS_MAX)
		return false;
	t->at[i].place = *place;
	t->at[i].addr = addr;
	t->at[i].arg = arg;
	atomic_store_explicit(&t->at[i].kind, kind, memory_order_release);
	return true;
}

/* Do both say the same, in whatever run? */
static inline bool fact_same(const struct fact *a, const struct fact *b)
{
	const struct place *p = &a->place, *q = &b->place;

	return a->kind == b->kind && a->arg == b->arg && p->kind == q->kind &&
	       p->module == q->module && p->thread == q->thread && p->count == q->count &&
	       p->offset == q->offset && (p->kind != PLACE_UNKNOWN || a->addr == b->addr);
}

/* Does a replay act on facts of this kind? What awaits do stands in the steps. */
static inline bool fact_is_replayed(uint32_t kind)
{
	return kind == FACT_EXPLORED || kind == FACT_SPLIT || kind == FACT_INTERRUPTED ||
	       kind == FACT_FENCES || kind == FACT_MAIN_LEAVES || kind == FACT_FUTEX_TABLE ||
	       kind == FACT_FUTEX_OWNERS || kind == FACT_BY_READS || kind == FACT_PARTS_IN_ORDER ||
	       kind == FACT_FILES_SHARED || kind == FACT_STREAM_HELD || kind == FACT_ACTIONS ||
	       kind == FACT_ANYBODY;
}

#endif
