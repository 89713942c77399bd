/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * modification.h - the modification order of a random execution, drawn as it goes on
 *
 * Random testing decides where a write stands in mo when the write happens, so that nothing is open: a
 * question about the next read is one about a list. Writes of a location have labels that grow along
 * mo. The events of each thread at each location are a list, newest first, each fourth with jumps of doubling
 * length (after hbmo_list.h), so that a search in it takes O(log q) for q of them.
 *
 * What a thread may read or where it may write begins at its floor: the latest write in mo that it
 * has, by hb, written or read or knows to be written or read (online.txt, O1).
 *
 * Under wra there is no mo: the list of a location is the order in which its writes were executed,
 * and labels say no more than that. Under tso a write has no label while it is in its thread's
 * store buffer (buffers.h).
 */
#ifndef HEDDLE_ENGINE_ONLINE_MODIFICATION_H
#define HEDDLE_ENGINE_ONLINE_MODIFICATION_H

#include "engine/graph/graph.h"

/* Of an event of a location, or an sc fence, by its place. */
struct drawn {
	uint32_t prev, jump, depth;
	uint32_t
		newest; /* the last in its list: the index of the last event of its thread there, which may be in none */
	uint32_t write;      /* that it makes or reads: a place, or RF_INIT */
	uint32_t last_write; /* of its list up to it, or NO_POS */
	uint32_t last_sc;    /* the last sc write of those, or NO_POS */
	uint64_t label;  /* of a write; 0: it is in a buffer. Of a read of a write that was given
				* back: of that (then it stands for it: write is the read's own place) */
	uint64_t moment; /* moments.h */
};

/* wra: of a write, by its place: one far before it in the list of its location, and how many are before it. */
struct mod_far {
	uint32_t jump, depth;
};

/* Of a location that has events. */
struct mod_location {
	uint32_t
		oldest; /* the first write in mo that anybody may still read, or RF_INIT (floors.h) */
	uint32_t chain;    /* from this write on all in mo but the last are taken; not under wra */
	bool was_above;    /* a library object: a write before that one is not 0 */
	bool gone;         /* its memory was freed (gone.h) */
	bool written;      /* there was a write; */
	struct value left; /* and what the last that was executed wrote */
};

/*
 * What a thread knows of a location by others: the floor without its own events there. That is so until the thread
 * learns of another event, which few of its operations do, so it is kept for the locations that it used last.
 */
struct mod_met {
	uint64_t since; /* mod_learned() numbers it */
	uint32_t loc;
	uint32_t write; /* or RF_INIT */
};

enum {
	MOD_MET = 16 /* locations; a power of two */
};

struct modification {
	struct graph *g;
	struct drawn *of;
	uint8_t *listed; /* of an event, by its place: is it in a list? */
	uint32_t *last;  /* the last event of each thread at each location: rows of `stride` */
	uint32_t stride, rows;
	struct mod_location *at;
	struct mod_far *far;
	uint64_t news;                        /* how often anybody has learned anything, ever */
	uint64_t learned[HEDDLE_MAX_THREADS]; /* the last time that each thread did */
	struct mod_met met[HEDDLE_MAX_THREADS][MOD_MET];
};

size_t mod_bytes(uint32_t capacity);
void mod_init(struct modification *o, struct graph *g, struct arena *a, uint32_t capacity);

/* Labels of writes that are placed last are so far apart. */
#define MOD_GAP ((uint64_t)1 << 24)

static inline uint64_t mod_label(const struct modification *o, uint32_t write)
{
	return write == RF_INIT ? 0 : o->of[write].label;
}

/* The row of a location to which an event is about to be added; `first`: it has none yet. */
uint32_t *mod_row_anew(struct modification *o, uint32_t loc, bool first);
static inline uint32_t *mod_row(struct modification *o, uint32_t loc, bool first)
{
	return first || o->stride != o->g->stride || loc >= o->rows
		       ? mod_row_anew(o, loc, first)
		       : &o->last[(size_t)loc * o->stride];
}

/*
 * Each MOD_STRIDEth event of a list has jumps, given the one before it of that kind, or NO_POS: two jumps of the same length behind each
 * other make one of twice the length. The others jump to the last of these.
 */
enum {
	MOD_STRIDE = 4
};
static inline uint32_t mod_far_jump(const struct modification *o, uint32_t before)
{
	const struct drawn *b = before == NO_POS ? NULL : &o->of[before];
	const struct drawn *j = !b || b->jump == NO_POS ? NULL : &o->of[b->jump];
	const uint32_t jj = j ? j->jump : NO_POS;

	return j && b->depth - j->depth == j->depth - (jj == NO_POS ? 0 : o->of[jj].depth) ? jj
											   : before;
}

/* The event, the newest of the graph, is in no list yet: puts it into that one, of a location or not. */
static inline void mod_list_add(struct modification *o, uint32_t *list, uint32_t pos)
{
	const struct event *ev = &o->g->ev[pos];
	struct drawn *d = &o->of[pos];
	const uint32_t before = *list;

	*d = (struct drawn){ .prev = before,
			     .jump = before,
			     .depth = 1,
			     .newest = ev->index,
			     .write = NO_POS,
			     .last_write = NO_POS,
			     .last_sc = NO_POS };
	*list = pos;
	o->listed[pos] = 1;
	if (before != NO_POS) {
		const struct drawn *b = &o->of[before];

		d->depth = b->depth + 1;
		if (b->depth % MOD_STRIDE)
			d->jump = b->jump;
		if (d->depth % MOD_STRIDE == 0)
			d->jump = mod_far_jump(o, b->jump);
		d->last_write = b->last_write;
		d->last_sc = b->last_sc;
	}
	if (!(ev->flags & EV_WRITE))
		return;
	d->last_write = pos;
	if (ev->order == ORDER_SC)
		d->last_sc = pos;
}

/* Places a write in mo directly behind another (RF_INIT: the initial one). O(1) amortised */
void mod_place_between(struct modification *o, uint32_t write, uint32_t behind);
static inline void mod_place(struct modification *o, uint32_t write, uint32_t behind)
{
	if (o->g->locs[o->g->ev[write].loc].mo_last != behind) {
		mod_place_between(o, write, behind);
		return;
	}
	graph_place_last(o->g, write);
	o->of[write].label = mod_label(o, behind) + MOD_GAP;
	if (!is_rmw_write(&o->g->ev[write]))
		o->at[o->g->ev[write].loc].chain = write;
}

/*
 * The latest write in mo of the location that the thread has met, given how many events of each thread it
 * knows of (its hb clock). O(k log q)
 */
uint32_t mod_floor(const struct modification *o, uint32_t loc, uint32_t tid, const uint32_t *clock);

/*
 * The same for the next operation of a thread, whose clock is that of its last event. O(1) where the thread knows of the last write, or has
 * learned nothing since it was asked, else as mod_floor()
 */
uint32_t mod_floor_kept(struct modification *o, uint32_t loc, uint32_t tid, const uint32_t *clock);
static inline uint32_t mod_floor_now(struct modification *o, uint32_t loc, uint32_t tid,
				     const uint32_t *clock)
{
	const uint32_t last = o->g->locs[loc].mo_last;

	/* Has the thread met the last write in mo, since it knows of it? There is no later one to be met. */
	if (last != RF_INIT && o->g->ev[last].index < clock[o->g->ev[last].tid])
		return last;
	return mod_floor_kept(o, loc, tid, clock);
}
/* The event at pos, the newest of its thread, has its clocks. O(k) */
void mod_may_have_learned(struct modification *o, uint32_t pos);
static inline void mod_learned(struct modification *o, uint32_t pos)
{
	if (graph_may_learn(o->g, &o->g->ev[pos]))
		mod_may_have_learned(o, pos);
}
/* Events move, or writes were given up: what was kept for mod_floor_now() says nothing any more. */
void mod_moved(struct modification *o);

/* wra: has the thread met a write that this one happens before? O(k log q) */
bool mod_hidden(const struct modification *o, uint32_t loc, uint32_t tid, const uint32_t *clock,
		uint32_t write);

/* The last event in a list, from pos on back, whose index is below n; or NO_POS. O(log q) */
uint32_t mod_below(const struct modification *o, uint32_t pos, uint32_t n);

/* The last event of the thread at the location, or NO_POS. */
static inline uint32_t mod_last(const struct modification *o, uint32_t loc, uint32_t tid)
{
	return o->g->locs[loc].last == NO_POS || tid >= o->stride || loc >= o->rows
		       ? NO_POS
		       : o->last[(size_t)loc * o->stride + tid];
}

/*
 * Has another thread done anything at the location of which this one, given its clock, does not know by hb? writes: has it
 * written there? O(k)
 */
bool mod_unknown(const struct modification *o, uint32_t loc, uint32_t tid, const uint32_t *clock,
		 bool writes);

/* The first write of the list of a location that anybody may still read. */
static inline uint32_t mod_oldest(const struct modification *o, uint32_t loc)
{
	return o->g->locs[loc].last == NO_POS || loc >= o->rows ? RF_INIT : o->at[loc].oldest;
}

/* wra, where writes come last: the write was placed; or some have left the lists, or moved. */
void mod_far_note(struct modification *o, uint32_t write);
void mod_far_again(struct modification *o);
/* The write so many before this one in the list, but none before the oldest. O(log n) */
uint32_t mod_far_before(const struct modification *o, uint32_t loc, uint32_t write, uint32_t n);

/* Nobody may read the writes before this one in mo any more: they leave it (but are EV_PLACED still). O(1), of memory */
void mod_give_up(struct modification *o, uint32_t loc, uint32_t oldest);

/* The last event of thread t at the location that thread tid knows of, by its hb clock; or NO_POS. */
static inline uint32_t mod_known(const struct modification *o, uint32_t loc, uint32_t t,
				 uint32_t tid, const uint32_t *clock)
{
	uint32_t last = mod_last(o, loc, t);

	return t == tid ? last : mod_below(o, last, clock[t]);
}

/* The place in mo of what the event reads or writes. */
static inline uint64_t mod_label_of(const struct modification *o, uint32_t pos)
{
	return mod_label(o, o->of[pos].write);
}

/* The last event in a list, from pos on back, whose label is at most that; or NO_POS. O(log q) */
uint32_t mod_up_to(const struct modification *o, uint32_t pos, uint64_t label);
/* The first event in the list that ends with pos whose label is above that; or NO_POS. O(log q) */
uint32_t mod_first_above(const struct modification *o, uint32_t pos, uint64_t label);
/* The same of writes, and of sc writes. */
uint32_t mod_first_write_above(const struct modification *o, uint32_t pos, uint64_t label);
uint32_t mod_first_sc_above(const struct modification *o, uint32_t pos, uint64_t label);

/* How many writes there are behind the oldest, but for those that were put between others. O(1) */
static inline uint64_t mod_appended(const struct modification *o, uint32_t loc)
{
	return (mod_label(o, o->g->locs[loc].mo_last) - mod_label(o, mod_oldest(o, loc))) / MOD_GAP;
}

/* The write before this one in mo; of the first one RF_INIT. */
static inline uint32_t mod_before(const struct modification *o, uint32_t write)
{
	return o->g->ev[write].mo_before;
}

/*
 * Is no write from this one on, which is not before the oldest, free but for the last? (O2) Not said of all of which it is so; not under
 * wra.
 */
static inline bool mod_taken_from(const struct modification *o, uint32_t loc, uint32_t write)
{
	const uint32_t chain =
		o->g->locs[loc].last == NO_POS || loc >= o->rows ? RF_INIT : o->at[loc].chain;

	return mod_label(o, chain) <= mod_label(o, write);
}

/* Has a read-modify-write read it? */
static inline bool mod_taken(const struct modification *o, uint32_t loc, uint32_t write)
{
	return (write == RF_INIT ? o->g->locs[loc].taker : o->g->ev[write].taker) != NO_POS;
}

#endif
