/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exchange.h - where the workers of one search (-j N) meet
 *
 * Each worker is a process with a mapping of its own (shared.h); this one is common to all of
 * them and the controller. The controller creates it as a memfd, maps it, and passes its
 * descriptor in shared->config.
 *
 * Exploring, a worker works on one subtree at a time, which stands in its slot `work` (a copy, so
 * that it survives the worker). When somebody is hungry it puts a part of it into its slot
 * `offer`, and notes the part's identity in `given`. A worker that is through with its subtree
 * takes one from any slot that is full, its own offer first. So all that is left to do lies,
 * at any time, in full slots and with workers that are busy; when there are neither, the
 * exploration is over. An idle worker sees that by looking at all of them twice, with nothing
 * taken in between.
 *
 * What is found out about the program on the way stands in `facts`, the same table for all
 * (facts.h). In the beginning the first worker explores alone: most facts are found in the first
 * executions, and to use them it takes no more than its own engine to start again. The others
 * begin with what is in force when the work is `open`. From then on that stays as it is: a fact for
 * which the search must start again stops all workers, and the controller starts them anew with
 * all that was found.
 *
 * When a worker dies, the controller takes back what it had begun: its subtree, without the parts it
 * had given away, goes into its slot `work` as full, for others to take. What it had counted
 * in that subtree is forgotten: the totals it committed last are those of the subtrees it
 * finished. A state names what was true before each step that the worker may have died in.
 *
 * What is left of a search by values may be spread over subtrees that others have (engine/value/board.h), so when a worker dies
 * after the work is open all start again, by reads-from.
 *
 * Testing at random, a worker draws the number of its next execution from a counter.
 *
 * The program may write anywhere, also here; the controller checks what it reads.
 */
#ifndef HEDDLE_WIRE_EXCHANGE_H
#define HEDDLE_WIRE_EXCHANGE_H

#include <stdatomic.h>
#include <stdint.h>

#include "wire/board.h"
#include "wire/search.h"
#include "wire/shared.h"

#define EXCHANGE_ADDR 0x210000000000ul

enum {
	EXCHANGE_MAX_WORKERS = 256,
	EXCHANGE_GIVEN = 1 << 16,
	EXCHANGE_DATA = 32 << 20,
	EXCHANGE_TRIES = 8, /* workers that may die of one subtree before it is given up */
};

/* Low half of slot.state; the high half is the number of the worker that takes it. */
enum slot_state {
	SLOT_EMPTY,
	SLOT_FILLING, /* its owner writes into it */
	SLOT_FULL,
	SLOT_TAKING,  /* a worker copies it */
	SLOT_WORKING, /* of `work`: its owner is busy with it */
};

struct slot {
	_Atomic uint64_t state;
	uint64_t serial;   /* of the subtree, from 1; goes with it */
	uint64_t len;      /* of the subtree (engine_give()); 0: the whole exploration */
	uint64_t nskip;    /* subtrees of it that others have */
	uint64_t given_at; /* of an offer: its place in `given` */
	uint32_t tries;    /* workers that died of it */
	/* nskip times struct engine_id, then len bytes. */
	_Alignas(64) unsigned char data[EXCHANGE_DATA];
};

/* Totals of the subtrees, or of the executions, that a worker finished. */
struct commit {
	struct engine_stats stats;
	uint64_t serial; /* of the last of them */
};

enum worker_state {
	WORKER_IDLE, /* also before it has come to its root point */
	WORKER_BUSY,
	WORKER_DEAD,
};

struct worker {
	_Atomic uint32_t state;     /* enum worker_state */
	_Atomic uint32_t committed; /* 1 + index of the commit that counts; 0: none */
	struct commit commit[2];
	_Atomic uint64_t number;    /* testing: the execution it runs */
	_Atomic uint64_t redo;      /* testing: one that a worker died in, to be run again */
	_Atomic uint32_t elsewhere; /* its addresses are not those of the others: no work for it */
	uint32_t
		memory; /* siblings: descriptor, in the first worker, of what it shares with the controller */
	_Atomic uint32_t pid;                 /* siblings: its process, once it is there */
	_Alignas(64) _Atomic uint64_t ngiven; /* parts of `work` given away; released */
	struct engine_id given[EXCHANGE_GIVEN];
	_Alignas(64) struct slot work, offer;
};

struct exchange {
	uint32_t workers;
	uint32_t siblings;         /* the first worker makes the others (preload/loop/siblings.c) */
	uint64_t limit;            /* executions; 0: none */
	struct engine_names names; /* of threads */
	_Atomic uint64_t layout;   /* of the first worker at its root point; 0: none yet */
	_Atomic uint64_t serials;  /* given out */
	_Atomic uint64_t takes;    /* grows with every subtree taken */
	_Atomic uint64_t executions; /* counted, exploring with a limit */
	_Atomic uint64_t numbers;    /* given out, testing */
	_Atomic uint64_t last;    /* no execution with a greater number need be tested; 0: none */
	_Atomic uint32_t hungry;  /* workers that look for work, about */
	_Atomic uint32_t over;    /* nothing is left to do */
	_Atomic uint32_t stop;    /* a bug was found, the limit reached, or restart */
	_Atomic uint32_t open;    /* subtrees may be given away; released after facts.used */
	_Atomic uint32_t restart; /* all are to start again, with what stands in facts */
	uint32_t known_to_all;    /* so many of these stood there before that */
	struct fact_table facts;
	struct value_board board; /* exploring by values */
	_Alignas(4096) struct worker worker[];
};

static inline uint64_t exchange_size(uint32_t workers)
{
	return sizeof(struct exchange) + workers * sizeof(struct worker);
}

static inline struct engine_id *slot_skip(struct slot *s)
{
	return (struct engine_id *)s->data;
}

static inline unsigned char *slot_subtree(struct slot *s)
{
	return s->data + s->nskip * sizeof(struct engine_id);
}

/* Room for a subtree behind the identities. */
static inline uint64_t slot_room(const struct slot *s)
{
	return EXCHANGE_DATA - s->nskip * sizeof(struct engine_id);
}

#endif
