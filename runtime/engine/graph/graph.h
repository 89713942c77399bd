/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * graph.h - execution graphs in flat arrays
 *
 * One pool of events holds a stack of graphs: the one being worked on is the topmost, the
 * graphs it was made from by backward revisits lie below it (explore.c). Events are stored
 * in the order of their insertion, so taking back the latest is moving one number.
 *
 * Beside each event stand the notes that checks of consistency take about it while they work,
 * which are worth nothing afterwards.
 *
 * Each event has three vector clocks of `stride` entries, counting events by thread and
 * including the event itself:
 *	porf	its (po u rf)+ prefix
 *	hb	what happens before it, in the memory model in force
 *	msg	of a write: what a read that synchronises with it learns (its release
 *		sequence); only where the model has release and acquire
 *
 * A set of events closed under porf is a prefix of every thread; it is written as a cut:
 * cut[t] events of thread t belong to it. All consistency questions are asked about cuts.
 */
#ifndef HEDDLE_ENGINE_GRAPH_H
#define HEDDLE_ENGINE_GRAPH_H

#include <stddef.h>

#include "base/arena.h"
#include "engine/graph/event.h"
#include "engine/graph/guard.h"
#include "engine/graph/hbmo.h"
#include "engine/graph/waiting.h"

/* How reads and writes synchronise: what hb is (models.txt). */
enum sync_mode {
	SYNC_PORF,
	SYNC_PO,
	SYNC_RC20,
	SYNC_RC11
};

#define LOCATION_CHANGES UINT64_MAX /* it is to be taken again in this run */

struct location {
	uint64_t addr;
	uint32_t size;     /* 0: library object */
	uint32_t last;     /* latest inserted event of the current graph, or NO_POS */
	uint32_t mo_first; /* the write after the initial one in mo, or NO_POS */
	uint32_t mo_last;  /* the last one in mo, or RF_INIT */
	uint32_t taker;    /* a read-modify-write that reads the initial write, or NO_POS */
	uint32_t nsc;      /* sc accesses of the current graph, but for write parts */
	bool speaks;       /* a write there may have had a message, ever (clock.c) */
	uint32_t awaits;   /* 1 + where its values are (run/await.c); 0: nobody waits here */
	uint64_t run;      /* how many runs had begun when initial was taken, or LOCATION_CHANGES */
	struct value initial;
	struct value
		found; /* with a memo (run/memo.h): the initial value that the program had in this engine's latest run of it */
	/* Scratch of model_sc.c: the write last executed, and how many are yet to read it. (In
	 * psc_relate.c current is the location's number.) */
	uint32_t gen, current, pending;
	uint32_t visit; /* scratch: of the location, what one walk has met */
	uint64_t cell;  /* graph.cell() */
	struct {
		uint64_t run;  /* in this run a plain read has put into memory what it read, */
		uint32_t step; /* behind so many operations (not ENGINE_ONLINE) */
		struct value value;
	} shown;
};

struct graph {
	bool parts;  /* ever: some accesses are events of several locations (model/whole.h) */
	bool speaks; /* ever: some location does */
	bool beyond_hb; /* ever: something was read without synchronising, so porf says more than hb; */
	bool beyond_hb_else; /* and not by a try that failed */
	uint32_t capacity;   /* events in the pool; a power of two */
	enum sync_mode sync;
	uint32_t stride;   /* of the clocks */
	uint32_t nthreads; /* clock entries in use: threads ever seen */
	uint32_t most_threads;

	/* The current graph; ev and the clocks point at its first event in the pool. */
	uint32_t base, n;
	struct event *ev;
	struct notes *notes;
	struct waits *waits;
	uint32_t *porf, *hb, *msg;
	/* Whoever keeps something about the first events raises it to so many; it falls when they change (graph_changes()). */
	uint32_t told;
	uint32_t count[HEDDLE_MAX_THREADS]; /* events of each thread */
	uint32_t *at[HEDDLE_MAX_THREADS];   /* at[t][i]: place of event i of thread t */

	/*
	 * Where events were given back (graph_compact()): of thread t all from low[t] on are there; of those before
	 * it the nold[t] whose places are in old[t], in po. Else 0. graph_at() knows.
	 */
	uint32_t low[HEDDLE_MAX_THREADS], nold[HEDDLE_MAX_THREADS];
	uint32_t *old[HEDDLE_MAX_THREADS];
	uint64_t given_back; /* how many, since the graph was empty */
	/*
	 * What relaxed reads of a thread before its event folded_to[t] have seen since its last acquire fence: rows of
	 * `width`, as many entries as a clock can have.
	 */
	uint32_t *folded, folded_to[HEDDLE_MAX_THREADS], width;

	uint32_t nsc;      /* sc accesses and fences in it */
	uint32_t nfences;  /* sc fences alone */
	uint32_t nblocked; /* guarded reads that wait */

	/* Reads whose write was inserted after them: they were revisited. */
	uint32_t *late, nlate;

	/* Locks whose slot was inserted before they were (explore_lock.c). */
	uint32_t *late_locks, nlate_locks;

	/*
	 * Where accesses of several sizes may meet (model/whole.h): the same for all locations that one of them may
	 * take together, not 0. Else 0. NULL: there is none. It stays what it is until graph_ask_cells().
	 */
	uint64_t (*cell)(void *ctx, uint64_t addr, unsigned size);
	void *ctx;

	struct event *pool;
	struct notes *pool_notes;
	struct waits *pool_waits;
	bool any_waits; /* some event is, or was, EV_AWAIT */
	uint32_t *pool_porf, *pool_hb, *pool_msg;

	struct location *locs; /* capacity of them */
	uint32_t nlocs;
	uint32_t *loc_table; /* base/table.h: 1 + index */
	uint32_t loc_bits;   /* its slots are twice the capacity */
	uint32_t recent;     /* the location asked for last, if it is one */

	uint32_t gen, visit; /* of the scratch fields */
	bool mo;             /* writes are placed in mo, and that counts */
	uint32_t rmw;        /* a read to be judged as a read-modify-write, its write right
			      * behind it, though that is no event yet; else NO_POS */
	struct hbmo hbmo;
	struct wide_states *waiting; /* values that are sets of many threads */
	struct {
		bool kept;      /* the lists of mo hold a witness (witness.h) */
		uint32_t doubt; /* it holds for the events before this place; NO_POS: all */
		/* version grows when another is found. Which one (+ 1, or 0) is known to stay one
		 * with the read last asked about; with the next one told what it observes. */
		uint32_t version, extends, promised;
		bool wanted; /* the search under way is to leave one */
		uint32_t
			about; /* the read that is asked about, whose observing what it does is new; else NO_POS */
	} witness;
	struct arena scratch;
};

/* Cuts the tables for capacity events of so many threads (graph_bytes()) from the arena; scratch gets
 * the rest. */
void graph_init(struct graph *g, struct arena *a, enum sync_mode sync, uint32_t capacity,
		uint32_t threads);
size_t graph_bytes(uint32_t capacity, uint32_t threads);

/* Forgets all events and locations (threads stay known only to the caller). */
void graph_clear(struct graph *g);

/* Asks for the cells of the known locations once more. */
void graph_ask_cells(struct graph *g);

/* Spreads n rows from one width to a larger one, in place; new bytes are `fill`. */
void graph_respread(uint32_t *rows, size_t n, uint32_t from, uint32_t to, int fill);
/* Makes room for clock entries of nthreads threads. True: all clocks are elsewhere now. */
bool graph_widen(struct graph *g, uint32_t nthreads);

/* The location of addr (library objects apart from memory), created when new. */
uint32_t graph_look_up(struct graph *g, uint64_t addr, unsigned size);
static inline uint32_t graph_location(struct graph *g, uint64_t addr, unsigned size)
{
	const struct location *l = &g->locs[g->recent];

	if (l->addr != addr || !l->size != !size || g->recent >= g->nlocs)
		g->recent = graph_look_up(g, addr, size);
	return g->recent;
}
/* The same, or NO_LOC when it is not known. */
uint32_t graph_find_location(const struct graph *g, uint64_t addr, unsigned size);

/* Are both locations the same, or such that one access may take both? Those are for po|!=loc. */
static inline bool same_cell(const struct graph *g, uint32_t a, uint32_t b)
{
	return a != NO_LOC &&
	       (a == b || (b != NO_LOC && g->locs[a].cell && g->locs[a].cell == g->locs[b].cell));
}

/* Where the next event can be made, for graph_add() to find it there. */
static inline struct event *graph_next(const struct graph *g)
{
	must((size_t)g->base + g->n + 1 < g->capacity);
	return &g->ev[g->n];
}
/* Appends an event: thread, location and labels are set, clocks computed. Returns its place. */
uint32_t graph_add(struct graph *g, const struct event *ev);

/* The events from place n on change, or go. */
static inline void graph_changes(struct graph *g, uint32_t n)
{
	if (g->told > n)
		g->told = n;
}

/* Takes back events until n are left. */
void graph_truncate(struct graph *g, uint32_t n);

/* Computes the clocks of the event at pos anew, after its rf or order changed. */
void graph_clocks(struct graph *g, uint32_t pos);

/* The same for a read that observed nothing before: what it learns from its write. */
void graph_learn(struct graph *g, uint32_t pos);

/* Places a write in mo directly behind another (RF_INIT: the initial one), or takes it out. */
void graph_place(struct graph *g, uint32_t write, uint32_t behind);
void graph_unplace(struct graph *g, uint32_t write);
/* The same as graph_place() behind the last one. */
static inline void graph_place_last(struct graph *g, uint32_t write)
{
	struct event *ev = &g->ev[write];
	struct location *l = &g->locs[ev->loc];

	ev->flags |= EV_PLACED;
	ev->mo_before = l->mo_last;
	ev->mo_after = NO_POS;
	*(l->mo_last == RF_INIT ? &l->mo_first : &g->ev[l->mo_last].mo_after) = write;
	l->mo_last = write;
}

/* The write after this one (or RF_INIT) of location loc in mo, or NO_POS. */
static inline uint32_t mo_next(const struct graph *g, uint32_t loc, uint32_t write)
{
	return write == RF_INIT ? g->locs[loc].mo_first : g->ev[write].mo_after;
}

/* The write that comes before this one in mo within the cut, or RF_INIT. */
static inline uint32_t mo_before_in_cut(const struct graph *g, const uint32_t *cut,
					const struct event *write)
{
	uint32_t w = write->mo_before;

	while (w != RF_INIT && !(g->ev[w].index < cut[g->ev[w].tid]))
		w = g->ev[w].mo_before;
	return w;
}

/*
 * What a read-modify-write or guarded read makes of the value of this write (a place, or
 * RF_INIT) of its location; *written is set for GUARD_WRITES, unless it is NULL.
 */
enum guard graph_guard_of(const struct graph *g, const struct event *ev, uint32_t write,
			  uint32_t choice, struct value *written);
/* In how many ways it can go on from there (whom it wakes); at least 1. */
uint32_t graph_choices_of(const struct graph *g, const struct event *ev, uint32_t write);
static inline uint32_t graph_choices(const struct graph *g, const struct event *ev, uint32_t write)
{
	return ev->kind <= OP_CAS ? 1 : graph_choices_of(g, ev, write);
}
/* The same, not of futexes, with that state of its object. */
uint32_t graph_choices_with(const struct graph *g, unsigned kind, struct value state);
/* The order it has when it observes this write: of success or of failure. */
unsigned graph_order_given(const struct graph *g, const struct event *ev, uint32_t write);

/* Changes what the event at pos is, without its clocks. (See also hbmo_retract().) */
void graph_label(struct graph *g, uint32_t pos, unsigned flags, unsigned order);

/* Hangs the events of the current graph, which hold nothing, into the tables of threads and
 * locations. */
void graph_link(struct graph *g);

enum {
	KEEP_FOR_NOW =
		2 /* the event, and the new graph may lose it again, as any that is added to it */
};

/*
 * Begins a new graph above the current one with the events for which keep[pos] is not zero
 * (a set closed under porf once the event at `revisited` reads from the one at `write`), and
 * makes it the current one, the old one unlinked. The revisited read's value is set; its
 * label is the caller's to fix. Returns the place of the revisited read in the new graph.
 * NO_POS for both: no read changes.
 */
uint32_t graph_push(struct graph *g, const uint8_t *keep, uint32_t revisited, uint32_t write);

/*
 * Gives events back: those n listed stay, in their order, and place[pos] is the new place of each of them; of the others it is NO_POS. Of each thread all from
 * low[t] on stay, and its last one; so do the writes of mo, and both parts of a read-modify-write or the read
 * alone. What stays and names one that does not says so: RF_NONE, NO_POS. Nothing else may hold a place. O(n k)
 */
void graph_compact(struct graph *g, const uint32_t *stays, uint32_t n, const uint32_t *place,
		   const uint32_t *low);
/* Adds up, in folded, what the fences of each thread still have to learn from its reads so far. */
void graph_fold(struct graph *g);
/* Nothing was given back: all is as it was before graph_compact() and graph_fold(). The graph is empty. */
void graph_unfold(struct graph *g);

/* Goes back from the graph that was pushed last to the n events at base. */
void graph_pop(struct graph *g, uint32_t base, uint32_t n);

static inline uint32_t *graph_hb(const struct graph *g, uint32_t pos)
{
	return g->hb + (size_t)pos * g->stride;
}

static inline uint32_t *graph_porf(const struct graph *g, uint32_t pos)
{
	return g->porf + (size_t)pos * g->stride;
}

static inline uint32_t *graph_msg(const struct graph *g, uint32_t pos)
{
	return g->msg + (size_t)pos * g->stride;
}

static inline uint32_t *graph_folded(const struct graph *g, uint32_t tid)
{
	return g->folded + (size_t)tid * g->width;
}

static inline struct notes *notes_of(const struct graph *g, const struct event *ev)
{
	return &g->notes[ev - g->ev];
}

static inline struct waits *waits_of(const struct graph *g, const struct event *ev)
{
	return &g->waits[ev - g->ev];
}

static inline bool in_cut(const struct event *ev, const uint32_t *cut)
{
	return ev->index < cut[ev->tid];
}

/* One that is before low[tid]: its place, or NO_POS. O(log n) */
uint32_t graph_at_old(const struct graph *g, uint32_t tid, uint32_t index);

/* The place of event `index` of a thread; NO_POS: it was given back. */
static inline uint32_t graph_at(const struct graph *g, uint32_t tid, uint32_t index)
{
	return index >= g->low[tid] ? g->at[tid][index] : graph_at_old(g, tid, index);
}

/* The OP_END of a thread, if that is its last event there; or NO_POS. */
static inline uint32_t graph_end_of(const struct graph *g, uint32_t tid)
{
	const uint32_t last = g->count[tid] ? g->at[tid][g->count[tid] - 1] : NO_POS;

	return last != NO_POS && g->ev[last].kind == OP_END ? last : NO_POS;
}

/* The event before event *index of a thread that is there: its index and place. False: there is none. */
bool graph_back_old(const struct graph *g, uint32_t tid, uint32_t *index, uint32_t *pos);
static inline bool graph_back(const struct graph *g, uint32_t tid, uint32_t *index, uint32_t *pos)
{
	if (*index <= g->low[tid])
		return graph_back_old(g, tid, index, pos);
	*pos = g->at[tid][--*index];
	return true;
}

/* True when the event at a happens before the one at b (not reflexive). */
static inline bool happens_before(const struct graph *g, uint32_t a, uint32_t b)
{
	return a != b && g->ev[a].index < graph_hb(g, b)[g->ev[a].tid];
}

/* The place of the event before ev in its thread, or NO_POS. */
static inline uint32_t graph_po_before(const struct graph *g, const struct event *ev)
{
	return ev->index ? graph_at(g, ev->tid, ev->index - 1) : NO_POS;
}

/* The write that a read-modify-write's write part replaced: rf of its read part. */
static inline uint32_t graph_rmw_source(const struct graph *g, const struct event *write)
{
	return g->ev[graph_at(g, write->tid, write->index - 1)].rf;
}

static inline bool is_rmw_write(const struct event *ev)
{
	return (ev->flags & (EV_WRITE | EV_EXCLUSIVE)) == (EV_WRITE | EV_EXCLUSIVE);
}

/* Does a read-modify-write in the cut read from this write of location loc? */
static inline bool taken_in_cut(const struct graph *g, const uint32_t *cut, uint32_t loc,
				uint32_t write)
{
	uint32_t p = write == RF_INIT ? g->locs[loc].taker : g->ev[write].taker;

	while (p != NO_POS && !in_cut(&g->ev[p], cut))
		p = g->ev[p].next_taker;
	return p != NO_POS;
}

/* Of an event of the graph, where last_release is known: may somebody learn from its location? */
static inline void graph_speaks(struct graph *g, const struct event *ev)
{
	if ((ev->flags & EV_WRITE) && event_begins_message(ev))
		g->locs[ev->loc].speaks = g->speaks = true;
}

/* May an acquire fence behind the event learn from what it reads? */
static inline bool graph_hears(const struct graph *g, const struct event *ev)
{
	return (ev->flags & EV_READ) && ev->rf < RF_NONE && ev->order != ORDER_NA &&
	       g->locs[ev->loc].speaks;
}

/*
 * May the event know of more by hb than the one before it in its thread, but for itself? Most do not, and it says so of these at
 * once (clock.c).
 */
static inline bool graph_may_learn(const struct graph *g, const struct event *ev)
{
	if (!ev->index || (ev->flags & EV_FENCE))
		return true;
	if (ev->rf >= RF_NONE)
		return false;
	if (g->sync == SYNC_PORF)
		return g->ev[ev->rf].tid != ev->tid;
	return !(ev->flags & EV_READ) || order_acquires(ev->order);
}

/* The value of a write given as in event.rf, at location loc. */
static inline struct value graph_value(const struct graph *g, uint32_t loc, uint32_t write)
{
	return write == RF_INIT ? g->locs[loc].initial : g->ev[write].written;
}

static inline enum guard graph_guard(const struct graph *g, const struct event *ev, uint32_t write,
				     uint32_t choice, struct value *written)
{
	if (ev->kind == OP_LOAD)
		return GUARD_READS;
	if (ev->kind == OP_RMW) {
		if (written)
			*written = guard_written(ev->fn, ev->size, graph_value(g, ev->loc, write),
						 ev->arg);
		return GUARD_WRITES;
	}
	return graph_guard_of(g, ev, write, choice, written);
}

#endif
