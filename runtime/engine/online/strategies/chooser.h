/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chooser.h - how random testing chooses: one file for each strategy
 *
 * online/ knows what may happen next; a strategy says what of that happens. It is asked who moves next
 * and what sort of write a read is to observe, and is told what happened:
 *
 *	begin()		an execution begins
 *	thread()	of these threads, who moves? `first`: all that wait; else those of them that can move, since who
 *			was chosen cannot
 *	happened()	a thread has done an operation
 *	over()		the execution is at its end
 *
 * A strategy only chooses, so whatever it does each execution is one of the model. What it learns from one
 * execution for the next ones lies in struct choices, so in the engine's memory. Execution i of a session is a function of
 * the seed, i, and what was learned before.
 *
 * Callers: online.c, strategy.c and draw.c.
 */
#ifndef HEDDLE_ENGINE_ONLINE_STRATEGIES_CHOOSER_H
#define HEDDLE_ENGINE_ONLINE_STRATEGIES_CHOOSER_H

#include "base/arena.h"
#include "base/thread_set.h"
#include "engine/online/strategies/fuzz.h"
#include "engine/online/strategies/lengths.h"
#include "engine/online/strategies/mix.h"
#include "engine/online/strategies/ranks.h"
#include "engine/online/strategies/walk.h"
#include "engine/run/state.h"

/* What the reads of an execution observe, and where its writes come in mo. */
enum memory {
	MEMORY_ANY,  /* whatever the model admits */
	MEMORY_LAST, /* the last write, as long as it lets the thread go on; writes come last, and leave buffers at once */
	MEMORY_VIEWS /* what sees() says of each read; writes come last */
};

/* What a read observes, if it lets the thread go on. */
enum sees {
	SEES_ANY,
	SEES_LAST,
	SEES_OWN,    /* the first that it may: what its thread knows already */
	SEES_WANTED, /* one that wants() says */
	SEES_RECENT  /* one of the last few (recent), each as likely as the others */
};

struct choices;

/* What a thread did: its event, and what the strategies want to know of it. */
struct happening {
	const struct event *ev; /* of a read-modify-write, its read */
	bool news;              /* it learned of a write of another thread, or of a thread's end */
	bool spins; /* it has looked where it looked before, in vain (online/polling.h) */
};

struct chooser {
	enum memory memory;
	void (*begin)(struct choices *c);
	uint32_t (*thread)(struct choices *c, const struct thread_set *set, bool first);
	enum sees (*sees)(struct choices *c, uint32_t tid); /* or NULL: as `memory` says */
	bool (*wants)(struct choices *c, const struct event *read,
		      uint32_t write); /* SEES_WANTED */
	void (*happened)(struct choices *c, const struct happening *h);
	void (*over)(struct choices *c);
};

/* pctwm: which reads communicate. */
struct talk {
	uint32_t reads;          /* so far, */
	struct thread_set asked; /* with those that these threads are about to do; */
	struct thread_set sinks; /* of these threads they communicate */
	uint32_t history;        /* of so many writes */
};

struct choices {
	const struct chooser *chooser; /* of this execution */
	struct chooser combined;       /* mix: one whose reads are another matter (reads.c) */
	unsigned strategy;             /* its name */
	const struct engine *e;
	uint32_t depth; /* of the strategies that take a number */
	uint64_t *random;
	uint32_t moved; /* the thread that moved last, or NO_POS */
	uint32_t
		steps; /* so far: operations, without looks of threads that spin (choices_step()) */
	uint32_t step; /* which of them the last operation was, from 1; 0: it is none */
	struct lengths lengths, reads; /* of executions; reads that were to be chosen for (pctwm) */

	/* Of one strategy each, for one execution. */
	uint32_t stays;                    /* random */
	struct ranks ranks;                /* pct, pctwm, pos, surw */
	struct points points;              /* pct, pctwm, delay */
	struct patience patience;          /* pct, pctwm, pos, surw, delay */
	uint64_t done[HEDDLE_MAX_THREADS]; /* even: operations of each thread that was created, */
	uint32_t pace[HEDDLE_MAX_THREADS]; /* one of which counts that often */
	uint32_t turn, skips; /* delay: whose turn it is; how often it goes on to the next one */
	struct talk talk;     /* pctwm */
	struct walk walk;     /* surw */
	struct fuzz *fuzz;    /* rf-fuzz; mix: what was seen */
	struct mix *mix;      /* NULL: one strategy has all executions */
};

extern const struct chooser chooser_random, chooser_pct, chooser_pctwm, chooser_pos, chooser_surw,
	chooser_delay, chooser_rf_fuzz, chooser_even;

/* Who moves is for the chooser to say, what reads observe for `reads`; into *combined, unless that is the chooser's own. */
const struct chooser *reads_combine(const struct chooser *chooser, enum reads reads,
				    struct chooser *combined);

/* Priorities of operations: so surw, too, draws what does not count. */
void pos_begin(struct choices *c);
void pos_happened(struct choices *c, const struct happening *h);

/* What surw wants to know of the execution before: it begins, a thread has done an operation, it is at its end. */
void walk_begins(struct walk *w);
void walk_notes(struct choices *c, const struct happening *h);
void walk_learns(struct choices *c);
/* Have several threads touched the place of the event in the execution before? Of what it does not tell: they may have. */
bool walk_shows_others(const struct choices *c, const struct event *ev);

size_t choices_bytes(void);
void choices_init(struct choices *c, struct engine *e, struct arena *a);
/* rf-fuzz: what earlier sessions found, which may be damaged. */
void fuzz_give(struct fuzz *f, const struct corpus *given);
/* Notes which pairs the event shows. */
void fuzz_sees(struct choices *c, const struct happening *h);
/* If it showed a new one, its schedule goes into the corpus. */
void fuzz_learns(struct choices *c);
/* The execution under way has shown nothing, and chosen nothing. */
void fuzz_again(struct fuzz *f);
/* rf-fuzz has seen nothing, but what is in the corpus that it was given. */
void fuzz_begin(struct fuzz *f);
/* The execution that was begun comes again, as if it had not been. */
void choices_again(struct choices *c);
/* An execution begins; `anew`: nothing was learned, since it is the first. */
void choices_begin(struct choices *c, bool anew);
/*
 * Is the operation a step, at which a strategy may change its mind? Of mix, where it is known from the execution before which places
 * several threads touch, only if it is at one of these: elsewhere it makes no difference who goes on.
 */
static inline bool choices_step(const struct choices *c, const struct happening *h)
{
	return !h->spins && (!c->mix || walk_shows_others(c, h->ev));
}
/* A thread has done an operation. */
void choices_notes(struct choices *c, const struct happening *h); /* of mix */
static inline void choices_happened(struct choices *c, const struct happening *h)
{
	c->moved = h->ev->tid;
	c->step = choices_step(c, h) ? ++c->steps : 0;
	c->chooser->happened(c, h);
	if (c->mix)
		choices_notes(c, h);
}
void choices_over(struct choices *c);

#endif
