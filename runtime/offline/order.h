/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * order.h - is there a total order of items in which every read observes its write?
 *
 * What sc, tso and sra have in common. Items stand in lines; the order extends each line,
 * the given edges, and has every read behind the write it reads. A read that *locks* (under
 * sc and tso every read, under sra a read-modify-write) also demands that no other write of
 * the location comes between its write and itself; a read that may be *early* (tso: from the
 * thread's own store buffer) may also come before its write.
 *
 * First saturation: what must come before what, as clocks, until nothing new follows. Then a
 * search over positions in the lines. A position says which writes still have readers to
 * come, so it is the whole state; positions that failed are remembered.
 */
#ifndef HEDDLE_OFFLINE_ORDER_H
#define HEDDLE_OFFLINE_ORDER_H

#include "offline/check.h"

enum {
	ITEM_READ = 1,
	ITEM_WRITE = 2,
	ITEM_LOCKS = 4,
	ITEM_EARLY = 8
};

/* Why an item must come before another. */
enum order_why {
	ORDER_PO,      /* given */
	ORDER_OWN,     /* mo: `from` is before via in po, which observes `to` */
	ORDER_READ,    /* mo: `from` must come before via, which observes `to` */
	ORDER_FR,      /* fr: what `from` observes, via or init, must come before `to` */
	ORDER_ASSUMED, /* mo: see struct verdict_reason */
	ORDER_REFUTED  /* mo: case via refutes the opposite */
};

struct order_edge {
	uint32_t from, to; /* items */
	uint32_t via;
	uint32_t known; /* how many edges there were when this one was found */
	enum order_why why;
};

struct order {
	uint32_t n, lines, nlocs;
	uint32_t *first;                   /* lines + 1 */
	uint32_t *line, *loc, *rf, *event; /* of each item; rf: an item, EX_INIT or EX_NONE */
	uint8_t *flags;
	struct order_edge *edges;
	uint32_t nedges, room;
	uint32_t *hint; /* of each item: when it was recorded; NULL if that is not known */
	/* Made by order_saturate(). */
	uint32_t *clock; /* lines components for each item */
	bool saturated;
	/* Made by order_follow() or order_search(). */
	uint32_t *found; /* the items in order */
	uint64_t states;
};

/* Arrays for n items in so many lines; the caller fills them. */
void order_init(struct order *o, uint32_t n, uint32_t lines, uint32_t nlocs);
void order_release(struct order *o);
void order_edge(struct order *o, struct order_edge edge);

static inline uint32_t *order_row(const struct order *o, uint32_t i)
{
	return o->clock + (size_t)i * o->lines;
}

/* Must a come before b, or is it b? After order_saturate(). */
static inline bool order_before(const struct order *o, uint32_t a, uint32_t b)
{
	uint32_t l = o->line[a];

	return order_row(o, b)[l] > a - o->first[l];
}

/*
 * Computes the clocks from the edges there are. False: there is no such order, and v has one more
 * case that says along which cycle.
 */
bool order_clocks(struct order *o, struct verdict *v);

/*
 * Again after more edges. False: there is no such order, and v has one more case that says
 * along which cycle.
 */
bool order_saturate(struct order *o, struct verdict *v);

/*
 * Is there such an order close to that of the hint? False says nothing. Needs no clocks and no
 * saturation, and no reads that do not lock: those are not checked.
 */
bool order_follow(struct order *o);

/*
 * 1: found. 0: there is none. -1: the positions that failed do not fit into memory, or there
 * are more states than `most`.
 */
int order_search(struct order *o, uint64_t most);

/* order_search() found that there is none: cases that say why. */
void order_explain(struct order *o, struct verdict *v);

/* Groups items by a key below nkeys (EX_NONE: left out), in their order. */
void order_group(uint32_t n, uint32_t nkeys, const uint32_t *key, uint32_t **start,
		 uint32_t **items);

/* The numbers of the edges into each item i, edges[start[i]..start[i + 1] - 1], ascending. */
void order_edges_into(const struct order *o, uint32_t **start, uint32_t **edges);

/*
 * A case of v: `from` must come before `to`, by the edges below `known`, and `to` before `from`, by the given
 * one, or (EX_NONE) since it observes init.
 */
void order_refute(const struct order *o, uint32_t from, uint32_t to, uint32_t known, uint32_t edge,
		  struct verdict *v);

#endif
