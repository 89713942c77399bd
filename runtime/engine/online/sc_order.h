/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sc_order.h - rc11: one order of all sc events of a random execution, drawn as it goes on
 *
 * psc of models.txt has no cycle if and only if some total order S of the sc accesses and fences
 * contains it. Random testing draws S: each sc event gets its place when it happens, as a rule the
 * last. From then on a write that a read may observe, or a place in mo that a write may get, must not make
 * an edge of psc against S. online.txt, P, says which edges there are and proves that these are all.
 *
 * Places in S are numbers that grow along it; 0 is before all. Nothing is done while an execution has no sc event.
 */
#ifndef HEDDLE_ENGINE_ONLINE_SC_ORDER_H
#define HEDDLE_ENGINE_ONLINE_SC_ORDER_H

#include "engine/online/modification.h"

/*
 * What is handed on along hb: numbers in S, each the latest of some sc events that psc puts before
 * what comes after.
 */
struct sc_known {
	uint64_t fence; /* fences */
	uint64_t away;  /* accesses behind which there is a po step to another location */
	uint64_t
		any; /* accesses behind which there is a po step, or that are release writes read from */
};

/* Of an event, by its place; of one before the first sc event of the execution nothing is kept. */
struct sc_note {
	uint64_t place;  /* in S, of an sc access (both parts of a read-modify-write) or fence */
	uint64_t before; /* what is before its successors in mo and fr: itself, if sc, and
				 * the fences that happen before it; also of what its thread did at its location before */
	uint64_t fence;  /* of these the fences */
	struct sc_known handed; /* of a write: with its message; of a creation or an end */
	uint32_t left, right;   /* its neighbours in S, or NO_POS */
};

struct sc_thread {
	struct sc_known knows, pending,
		released; /* by now; by relaxed reads, since the acquire fence before; at its last release fence */
	uint32_t here; /* the location of its last event */
	uint64_t away_here,
		away_other;           /* knows.away at its last event; at the last one elsewhere */
	uint32_t own;                 /* the location of its last sc access, */
	uint64_t own_last, own_other; /* that one; the last one elsewhere */
};

struct sc_order {
	struct modification *o;
	struct sc_note *note;
	struct sc_thread thread[HEDDLE_MAX_THREADS];
	uint32_t fences
		[HEDDLE_MAX_THREADS]; /* the last sc fence of each thread: a list of modification.h */
	uint32_t first;               /* the first sc event; NO_POS: none yet */
	uint32_t last;                /* in S */
	bool fences_last; /* nobody knows any more what they have to be above (gone.h), */
	bool was_last;    /* and one was that could have come before something */
	uint64_t *random;
};

size_t sc_order_bytes(uint32_t capacity);
void sc_order_init(struct sc_order *s, struct modification *o, struct arena *a, uint32_t capacity,
		   uint64_t *random);
/* An execution begins. */
void sc_order_begin(struct sc_order *s);

/*
 * A read or a write, the next event of a thread, that would observe, or come in mo directly behind, this
 * write of the location.
 */
struct sc_question {
	uint32_t tid, loc, write;
	const uint32_t *clock; /* hb of the thread before it */
	unsigned order;
	bool reads, writes;
};

/* A place in S: behind that event; NO_POS: first of all. */
struct sc_place {
	uint32_t behind;
};

/* Can it be, with S as it is? place: where an sc access comes in S, then. O(k log q), or O(1) for the last write in mo */
bool sc_order_admits(struct sc_order *s, const struct sc_question *q, struct sc_place *place);
/* Has the execution no sc event yet? Then there is nothing to ask. */
static inline bool sc_order_is_empty(const struct sc_order *s)
{
	return s->first == NO_POS;
}

/* The first sc fence of thread t that event `index` of thread tid happens before, or NO_POS. O(log q) */
uint32_t sc_order_fence_behind(const struct sc_order *s, uint32_t t, uint32_t tid, uint32_t index);

/* Does another thread learn from the event? Then its note says what. */
static inline bool sc_hands_on(const struct event *ev)
{
	return (ev->flags & EV_WRITE) || ev->kind == OP_CREATE || ev->kind == OP_END;
}

/* Where the fence, the newest event of the graph, with its clocks, comes in S: as a rule last. */
struct sc_place sc_order_draw_fence(struct sc_order *s, uint32_t pos);

/*
 * The event, the newest of the graph, has happened, its clocks are set, and it is in its list. place: of an sc
 * access or fence; of a read-modify-write's write part the same as of its read part.
 */
void sc_order_takes_in(struct sc_order *s, uint32_t pos, struct sc_place place);
static inline void sc_order_enter(struct sc_order *s, uint32_t pos, struct sc_place place)
{
	/* sc: an access or a fence; nothing else has that order */
	if (s->first != NO_POS || s->o->g->ev[pos].order == ORDER_SC)
		sc_order_takes_in(s, pos, place);
}

#endif
