/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * revisit.c - which earlier reads a new write has to revisit
 *
 * A new write w may serve any read r of its location outside its porf-prefix that was
 * inserted before it: keep what was inserted before r, r, and w with its prefix; delete the
 * rest; let r observe w. To reach every graph exactly once, the revisit is done only when r
 * and everything deleted are maximally added with respect to w (after TruSt,
 * POPL 2022; tests/reference/explore.py, is_maximal() and canonical()). With
 * previous(e) = what was inserted no later than e, and w's prefix:
 *
 *	- no read inserted before an event e reads what is not in previous(e) (so what stays is closed under reads-from);
 *	- a read e reads the canonical write of previous(e): the greatest in the order of
 *	  names that it may read there (and write after, if it is a read-modify-write).
 *
 * A guarded read (a lock) may always wait instead of observing a write; to wait is the
 * greatest of its choices, so it is the canonical one, always.
 *
 * Why that is enough, and what of it need not be looked at: explore.txt, E1 to E8.
 *
 * Whether an event is maximally added does not depend on the read that is to be revisited, so
 * each is asked about once for all the reads that a write meets.
 *
 * Cost: O(n) per write, and a look at the writes of its location for each deleted
 * read; an order is built only for a write of greater name that hbmo.c cannot decide.
 * Caller: explore.c only.
 */
#include "engine/explore/explore.h"
#include "engine/graph/hbmo_list.h"

struct revisit {
	struct engine *e;
	struct graph *g;
	uint32_t write;                    /* NO_POS: a request, see explore_lock.c */
	uint32_t end;                      /* what was inserted from here on is not deleted */
	uint32_t without;                  /* the thread that requests, or NO_POS */
	const uint32_t *prefix;            /* porf clock of the write, or of the request */
	uint32_t seen[HEDDLE_MAX_THREADS]; /* events inserted so far, by thread */
	uint32_t cut[HEDDLE_MAX_THREADS];  /* previous(e) */
	uint32_t good; /* E7: from this place up to end all is maximally added, or in the prefix */
	uint32_t bad;  /* before this place nothing can be revisited: something behind is neither */
	uint32_t last; /* behind this place nothing can be: see first_rival() */
};

/* Its cuts are set when they are needed. */
static void begin(struct revisit *r, struct engine *e, uint32_t write, uint32_t end,
		  const uint32_t *prefix)
{
	r->e = e;
	r->g = &e->graph;
	r->write = write;
	r->end = r->good = end;
	r->bad = e->around.fixed; /* N1 */
	r->without = r->last = NO_POS;
	r->prefix = prefix;
}

static bool in_prefix(const struct revisit *r, const struct event *ev)
{
	return ev->index < r->prefix[ev->tid];
}

/* Does each read inserted before the event observe what is in previous(e)? Only one that was revisited may not. (E3) */
static bool closed(const struct revisit *r, uint32_t pos)
{
	const struct graph *g = r->g;

	for (uint32_t i = 0; i < g->nlate; i++)
		if (g->late[i] < pos && !in_cut(&g->ev[g->ev[g->late[i]].rf], r->cut))
			return false;
	return true;
}

/* So many events a revisit keeps, before it is asked where the next one stands that goes. */
enum {
#ifdef HEDDLE_CHECKS
	KEPT_IN_A_ROW = 1 /* in programs that brute force can judge, too */
#else
	KEPT_IN_A_ROW = 16
#endif
};

/* A deleted read, or the one to be revisited, and what has been asked about it. */
struct doubt {
	uint32_t pos;
	bool seen, asked;
	struct hbmo_view view; /* of the whole graph, when seen */
	struct question q;     /* of previous(pos), or of what is left, when asked */
};

static void doubt_begin(struct doubt *d, uint32_t pos)
{
	d->pos = pos;
	d->seen = d->asked = false;
}

/*
 * Does coherence let the read observe this write in the cut it is asked about? What the whole graph
 * knows decides most cases; only what it leaves open needs the order of the cut.
 */
static bool coherent(struct revisit *r, struct doubt *d, uint32_t write)
{
	if (!d->seen)
		hbmo_ask_within(&d->view, r->g, d->pos);
	d->seen = true;
	if (hbmo_overwritten(&d->view, r->g, write))
		return false;
	return r->g->hbmo.weak || hbmo_admits(&d->view, r->g, write) ||
	       model_is_coherent(&d->q, write);
}

enum reading {
	READ_ALLOWED,
	READ_INCOHERENT,
	READ_REFUSED
};

/* May the read take this write instead of the one it has, in previous(pos)? */
static enum reading could_read(struct revisit *r, struct doubt *d, uint32_t write)
{
	const struct event *ev = &r->g->ev[d->pos];
	enum guard guard = run_guard(r->e, d->pos, write, 0);
	bool ok;

	if (guard == GUARD_WRITES && taken_in_cut(r->g, r->cut, ev->loc, write))
		return READ_REFUSED;
	if (!d->asked)
		model_ask(&d->q, r->e->model, r->g, r->cut, d->pos);
	d->asked = true;
	if (!coherent(r, d, write))
		return READ_INCOHERENT;
	ok = guard == GUARD_WRITES ? model_agrees_rmw(&d->q, write) : model_agrees(&d->q, write);
	return ok ? READ_ALLOWED : READ_REFUSED;
}

static uint64_t write_name(const struct graph *g, uint32_t write)
{
	return write >= RF_NONE ? 0 : event_name(&g->ev[write]);
}

static bool rf_in_cut(const struct revisit *r, const struct event *read)
{
	return read->rf >= RF_NONE || in_cut(&r->g->ev[read->rf], r->cut);
}

/*
 * In the order that makes a write canonical: is w greater than the one the read observes, of that
 * name? For an await that waits, every write that lets it pass is.
 */
static bool greater(const struct revisit *r, const struct event *read, uint32_t w, uint64_t name)
{
	return (read->flags & EV_BLOCKED) || write_name(r->g, w) > name;
}

/* Would the read wait with that write? */
static bool blocks(const struct revisit *r, uint32_t read, uint32_t w)
{
	return run_guard(r->e, read, w, 0) == GUARD_BLOCKS;
}

/*
 * Could the read take some greater write of this thread? Coherence lets it take the latest of them,
 * up to one: the others need not be looked at. (E6)
 */
static bool could_read_of(struct revisit *r, struct doubt *d, uint32_t tid, uint64_t name)
{
	struct graph *g = r->g;
	const struct event *ev = &g->ev[d->pos];
	uint32_t w;

	if (hbmo_latest(g, ev->loc, tid) == NO_POS)
		return false;
	w = hbmo_write_up_to(g, hbmo_last_before(g, ev->loc, tid, r->cut[tid]));

	for (; w != NO_POS; w = hbmo_earlier(g, w)) {
		if (!greater(r, ev, w, name))
			return false;
		if ((ev->flags & EV_AWAIT) && blocks(r, d->pos, w))
			continue;
		switch (could_read(r, d, w)) {
		case READ_ALLOWED:
			return true;
		case READ_INCOHERENT:
			return false;
		case READ_REFUSED:
			break;
		}
	}
	return false;
}

/* Does the read at pos observe the canonical write of previous(pos)? */
static bool canonical(struct revisit *r, uint32_t pos)
{
	struct graph *g = r->g;
	const struct event *ev = &g->ev[pos];
	struct doubt d;
	uint64_t name = write_name(g, ev->rf);
	bool ok = true;

	if (r->e->slots && ev->kind == OP_LOCK)
		return lock_canonical(r->e, pos, r->cut, r->prefix, r->without);
	if (guard_may_block(ev->kind))
		return ev->flags & EV_BLOCKED;
	if (g->mo)
		return !ev->choice && ev->rf != RF_NONE && rf_in_cut(r, ev) &&
		       mo_latest(g, r->cut, ev->loc, ev->rf);
	if (ev->choice || !rf_in_cut(r, ev))
		return false;
	doubt_begin(&d, pos);
	for (uint32_t t = 0; ok && t < g->nthreads; t++)
		ok = !could_read_of(r, &d, t, name);
	if (ok && greater(r, ev, RF_INIT, name) && !blocks(r, pos, RF_INIT))
		ok = could_read(r, &d, RF_INIT) != READ_ALLOWED;
	if (d.asked)
		model_asked(&d.q);
	return ok;
}

static bool maximal(struct revisit *r, uint32_t pos)
{
	const struct event *ev = &r->g->ev[pos];

	if (r->g->nlate && !closed(r, pos))
		return false;
	if (ev->flags & EV_READ)
		return canonical(r, pos);
	if (ev->flags & EV_WRITE)
		return !r->g->mo || mo_latest(r->g, r->cut, ev->loc, pos); /* E8 */
	return ev->kind != OP_CHOOSE || ev->choice == 0;
}

static void advance(struct revisit *r, uint32_t pos)
{
	uint32_t tid = r->g->ev[pos].tid;

	if (++r->seen[tid] > r->cut[tid])
		r->cut[tid] = r->seen[tid];
}

/* How many events of thread t stand before pos? */
static uint32_t inserted_before(const struct graph *g, uint32_t t, uint32_t pos)
{
	uint32_t lo = 0, hi = g->count[t];

	if (!hi || g->at[t][hi - 1] < pos) /* as with most threads */
		return hi;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (g->at[t][mid] < pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* What stands before place n into r->seen; and with the prefix into r->cut, without the write
 * itself unless with_it. */
static inline void cut_at(struct revisit *r, uint32_t n, bool with_it)
{
	const struct graph *g = r->g;

	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t prefix = r->prefix[t];

		if (!with_it && r->write != NO_POS && t == g->ev[r->write].tid)
			prefix--;
		r->seen[t] = inserted_before(g, t, n);
		r->cut[t] = r->seen[t] < prefix ? prefix : r->seen[t];
	}
}

/* What was inserted by then, and the prefix without the write: previous(e) into r->cut. */
static bool previous(struct revisit *r, struct stamp when)
{
	cut_at(r, when.pos + (when.rank == UINT32_MAX), false);
	return lock_close_cut(r->g, when, r->prefix, r->cut);
}

/* The same as below where slots make the order of insertion another than that in the graph. */
static bool all_maximal_with_slots(struct revisit *r, uint32_t read)
{
	const struct graph *g = r->g;
	struct stamp from = lock_stamp(g, read);

	for (uint32_t p = from.pos; p < r->end; p++) {
		struct stamp when = lock_stamp(g, p);

		if (in_prefix(r, &g->ev[p]) || stamp_less(when, from))
			continue;
		if (!previous(r, when) || !maximal(r, p))
			return false;
	}
	return true;
}

/* Goes on to the first event from place p on that the revisit deletes, or to the end of what is looked at. */
static __attribute__((noinline)) uint32_t to_next_deleted(struct revisit *r, uint32_t p)
{
	const struct graph *g = r->g;
	uint32_t next = r->good;

	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t i = inserted_before(g, t, p);

		if (i < r->prefix[t])
			i = r->prefix[t];
		if (i < g->count[t] && g->at[t][i] < next)
			next = g->at[t][i];
	}
	cut_at(r, next, false);
	return next;
}

/* Is the read at pos, and everything that revisiting it deletes, maximally added? */
static bool all_maximal(struct revisit *r, uint32_t read)
{
	const struct graph *g = r->g;
	uint32_t kept = 0;

	if (read < r->bad)
		return false;
	if (g->nlate_locks)
		return all_maximal_with_slots(r, read);
	if (read >= r->good)
		return true;
	cut_at(r, read, false);
	for (uint32_t p = read; p < r->good; p++) {
		advance(r, p);
		if (in_prefix(r, &g->ev[p])) {
			if (++kept == KEPT_IN_A_ROW)
				p = to_next_deleted(r, p + 1) - 1;
			kept %= KEPT_IN_A_ROW;
		} else if (maximal(r, p)) {
			kept = 0;
		} else {
			r->bad = p + 1;
			return false;
		}
	}
	r->good = read;
	return true;
}

bool revisit_slot_maximal(struct engine *e, uint32_t lock, uint32_t tid, const uint32_t *prefix)
{
	struct revisit r;

	begin(&r, e, NO_POS, e->graph.n, prefix);
	r.without = tid;
	hbmo_sync(&e->graph);
	return all_maximal(&r, lock);
}

/* Does a read-modify-write in r->cut, but for the new one, read this write of the location? */
static bool is_taken(const struct revisit *r, uint32_t loc, uint32_t source)
{
	const struct graph *g = r->g;
	uint32_t p = source == RF_INIT ? g->locs[loc].taker : g->ev[source].taker;

	while (p != NO_POS && (p == r->write || !in_cut(&g->ev[p], r->cut)))
		p = g->ev[p].next_taker;
	return p != NO_POS;
}

/*
 * The first read of a read-modify-write, other than the new one, that observes this write of the
 * location. It has to go or to be revisited itself, so no read behind it can be: NO_POS if
 * there is none, RF_NONE if it is in the prefix and stays in any case. (E4)
 */
static uint32_t first_rival(const struct revisit *r, uint32_t loc, uint32_t source)
{
	const struct graph *g = r->g;
	uint32_t p = source == RF_INIT ? g->locs[loc].taker : g->ev[source].taker, first = NO_POS;

	for (; p != NO_POS; p = g->ev[p].next_taker) {
		const struct event *write = &g->ev[p];

		if (p == r->write)
			continue;
		if (in_prefix(r, write))
			return RF_NONE;
		if (g->at[write->tid][write->index - 1] < first)
			first = g->at[write->tid][write->index - 1];
	}
	return first;
}

/* What is left after the revisit, into r->cut; false: not all that it needs. */
static bool cut_after(struct revisit *r, uint32_t read)
{
	cut_at(r, read + 1, true);
	return lock_close_cut(r->g, (struct stamp){ read, UINT32_MAX }, r->prefix, r->cut);
}

/* Is the graph after the revisit consistent? Leaves its cut in r->cut. */
static bool consistent_after(struct revisit *r, uint32_t read)
{
	struct graph *g = r->g;
	struct doubt d;
	bool ok;

	if (!cut_after(r, read))
		return false;
	if (g->mo)
		return true; /* to be seen when the write is placed */
	doubt_begin(&d, read);
	model_ask(&d.q, r->e->model, g, r->cut, read);
	/* A new chain has no successors yet: coherence cannot mind. */
	ok = (!is_rmw_write(&g->ev[r->write]) || coherent(r, &d, r->write)) &&
	     model_agrees(&d.q, r->write);
	model_asked(&d.q);
	return ok;
}

static void note(struct engine *e, uint32_t write, uint32_t read)
{
	const struct event *ev = &e->graph.ev[read];
	uint32_t choices = graph_choices(&e->graph, ev, write);

	for (uint32_t c = 0; c < choices; c++)
		note_work(e, (struct work){ .kind = WORK_REVISIT,
					    .stamp = write,
					    .read = read,
					    .choice = c });
}

/*
 * The reads of a thread at a location that are not in the prefix, latest first: the next before p,
 * or NO_POS; p NO_POS: the first.
 */
static uint32_t next_read(const struct revisit *r, uint32_t loc, uint32_t tid, uint32_t p)
{
	const struct graph *g = r->g;

	p = p == NO_POS ? hbmo_last_before(g, loc, tid, g->count[tid]) : hbmo_before(g, p);
	while (p != NO_POS && g->ev[p].index >= r->prefix[tid] && !(g->ev[p].flags & EV_READ))
		p = hbmo_before(g, p);
	return p != NO_POS && g->ev[p].index >= r->prefix[tid] ? p : NO_POS;
}

/* The new write meets an earlier read of its location that is not in its prefix. */
static void meet(struct revisit *r, uint32_t read)
{
	struct engine *e = r->e;
	const struct event *ev = &e->graph.ev[read];

	if (ev->flags & EV_LOOKS)
		return;
	if ((ev->flags & EV_AWAIT) && await_fails(e, ev, r->write))
		await_open(e, ev);
	if (read < r->bad || read > r->last || (e->slots && ev->kind == OP_LOCK) ||
	    run_guard(e, read, r->write, 0) == GUARD_BLOCKS)
		return;
	if (all_maximal(r, read) && consistent_after(r, read))
		note(e, r->write, read);
}

uint32_t revisit_note(struct engine *e, uint32_t write)
{
	struct graph *g = &e->graph;
	uint32_t before = e->nwork, loc = g->ev[write].loc, p;
	struct revisit r;

	begin(&r, e, write, write, graph_porf(g, write));
	hbmo_sync(g);
	if (is_rmw_write(&g->ev[write]))
		r.last = first_rival(&r, loc, graph_rmw_source(g, &g->ev[write]));
	if (r.last == RF_NONE)
		r.bad = NO_POS;
	for (uint32_t t = 0; t < g->nthreads; t++) {
		p = next_read(&r, loc, t, NO_POS);
		for (; p != NO_POS; p = next_read(&r, loc, t, p))
			meet(&r, p);
	}
	/* Reads that wait are in no list, but last in their threads. */
	for (uint32_t t = 0; g->nblocked && t < g->nthreads; t++) {
		p = g->count[t] ? g->at[t][g->count[t] - 1] : NO_POS;
		if (p != NO_POS && (g->ev[p].flags & EV_BLOCKED) && g->ev[p].loc == loc)
			meet(&r, p);
	}
	return e->nwork - before;
}

static bool could_take(struct engine *e, uint32_t pos, struct value written)
{
	struct graph *g = &e->graph;
	uint32_t loc = g->ev[pos].loc, rival, p;
	struct revisit r;

	begin(&r, e, NO_POS, pos, graph_porf(g, pos));
	rival = first_rival(&r, loc, g->ev[pos].rf);
	if (rival == RF_NONE)
		return false;
	hbmo_sync(g);
	/* What revisits a read before it takes it away, too. (E5, G4) */
	if (rival != NO_POS && !g->nlate_locks)
		return all_maximal(&r, rival);
	for (uint32_t t = 0; t < g->nthreads; t++) {
		p = next_read(&r, loc, t, NO_POS);
		for (; p != NO_POS; p = next_read(&r, loc, t, p))
			if (await_would_open(e, &g->ev[p], written) ||
			    (all_maximal(&r, p) && cut_after(&r, p) &&
			     !is_taken(&r, loc, g->ev[pos].rf)))
				return true;
		p = g->nblocked && g->count[t] ? g->at[t][g->count[t] - 1] : NO_POS;
		if (p != NO_POS && (g->ev[p].flags & EV_BLOCKED) && g->ev[p].loc == loc &&
		    !in_prefix(&r, &g->ev[p]))
			return true;
	}
	return false;
}

bool revisit_could_take(struct engine *e, uint32_t pos, uint32_t write)
{
	struct graph *g = &e->graph;
	uint32_t doubt = g->witness.doubt;
	struct value written;
	bool could;

	if (g->mo || !await_is_ready(e))
		return true; /* to be seen when it is done */
	run_set_read(e, pos, write, 0);
	graph_guard(g, &g->ev[pos], write, 0, &written);
	could = could_take(e, pos, written);
	hbmo_retract(g, pos);
	g->witness.doubt = doubt;
	return could;
}
