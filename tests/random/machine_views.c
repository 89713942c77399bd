/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine_views.c - messages with timestamps and views
 *
 * The machine of Kang et al., "A promising semantics for relaxed-memory concurrency" (POPL 2017),
 * without promises, since (po u rf) has no cycle in any model here. A location is a list of
 * messages in modification order; a timestamp is a position in it. A thread may read a message
 * that is not before its view, and may add one anywhere behind its view, but for a read-modify-
 * write, which goes right behind what it reads; nothing may then come between the two.
 *
 *	ra	each write releases, each read acquires
 *	sra	the same, and a write is always the last of its location (acyclic(hb u mo))
 *	relaxed	only mutexes hand over views
 *	rc20	orders as written, sc as acquire and release; a message takes over the view of
 *		the one that its read-modify-write reads
 *	rc11	also that of an earlier release write of its thread to the location; sc fences
 *		exchange views with one global view. Programs with sc accesses are not for it.
 *
 * To come to an end, messages that nobody can read any more go, and positions count from the
 * first one left. A read-modify-write that stored what it read, with the view of the message
 * that it read, takes its place: nothing can come between the two, none but this one could
 * take the first, and who reads either learns the same.
 */
#include "random/machine.h"

#include <string.h>

static bool always_syncs(const struct search *search)
{
	return search->model == RA_MODEL || search->model == SRA_MODEL;
}

static bool has_orders(const struct search *search)
{
	return search->model == RC20_MODEL || search->model == RC11_MODEL;
}

static bool acquires(const struct search *search, int order)
{
	return always_syncs(search) ||
	       (has_orders(search) && (order == ACQ || order == ACQ_REL || order == SC));
}

static bool releases(const struct search *search, int order)
{
	return always_syncs(search) ||
	       (has_orders(search) && (order == REL || order == ACQ_REL || order == SC));
}

static void join(struct view *v, const struct view *with)
{
	for (int c = 0; c < MAX_CELLS; c++)
		if (v->at[c] < with->at[c])
			v->at[c] = with->at[c];
	v->marks |= with->marks;
}

static void start(const struct search *search, struct state *s)
{
	memset(&s->views, 0, sizeof(s->views));
	for (int c = 0; c < MAX_CELLS; c++) {
		s->views.n[c] = 1;
		if (c < search->p->nlocs)
			s->views.m[c][0].value = search->p->init[c];
		if (c >= MAX_LOCS)
			s->views.m[c][0].value = (int8_t)lock_begins(search->p, c - MAX_LOCS);
	}
}

/* Calls f with every view that there is. */
#define EACH_VIEW(v, mem, f)                                        \
	do {                                                        \
		struct view *v;                                     \
		for (int t_ = 0; t_ < MAX_THREADS; t_++) {          \
			v = &(mem)->t[t_].current;                  \
			f;                                          \
			v = &(mem)->t[t_].acquire;                  \
			f;                                          \
			v = &(mem)->t[t_].fence;                    \
			f;                                          \
			for (int c_ = 0; c_ < MAX_CELLS; c_++) {    \
				v = &(mem)->t[t_].release[c_];      \
				f;                                  \
			}                                           \
		}                                                   \
		for (int c_ = 0; c_ < MAX_CELLS; c_++)              \
			for (int i_ = 0; i_ < (mem)->n[c_]; i_++) { \
				v = &(mem)->m[c_][i_].view;         \
				f;                                  \
			}                                           \
		v = &(mem)->sc;                                     \
		f;                                                  \
	} while (0)

/* Makes room for a message at this position. */
static bool insert(struct search *search, struct view_memory *mem, int cell, int at)
{
	if (mem->n[cell] == MAX_MESSAGES) {
		search->cut = true;
		return false;
	}
	EACH_VIEW(v, mem, if (v->at[cell] >= at) v->at[cell]++);
	memmove(&mem->m[cell][at + 1], &mem->m[cell][at],
		(size_t)(mem->n[cell] - at) * sizeof(struct message));
	mem->n[cell]++;
	mem->m[cell][at] = (struct message){ 0 };
	return true;
}

static bool is_taken(const struct view_memory *mem, int cell, int at)
{
	return at + 1 < mem->n[cell] && mem->m[cell][at + 1].glued;
}

static void observe(struct view_memory *mem, int t, int cell, int at, bool acquire)
{
	struct view read = mem->m[cell][at].view;

	if (mem->t[t].current.at[cell] < at)
		mem->t[t].current.at[cell] = (uint8_t)at;
	if (acquire)
		join(&mem->t[t].current, &read);
	join(&mem->t[t].acquire, &read);
	join(&mem->t[t].acquire, &mem->t[t].current);
}

/* Thread t adds a message at this position; glued: to the one that its read-modify-write read. */
static bool add(struct search *search, struct view_memory *mem, int t, int cell, int at, int value,
		bool release, bool glued)
{
	struct view view;

	if (!insert(search, mem, cell, at))
		return false;
	mem->t[t].current.at[cell] = (uint8_t)at;
	join(&mem->t[t].acquire, &mem->t[t].current);
	if (release)
		mem->t[t].release[cell] = mem->t[t].current;
	view = mem->t[t].fence;
	if (release)
		join(&view, &mem->t[t].current);
	if (search->model == RC11_MODEL)
		join(&view, &mem->t[t].release[cell]);
	if (glued)
		join(&view, &mem->m[cell][at - 1].view);
	view.at[cell] = (uint8_t)at;
	mem->m[cell][at].value = (int8_t)value;
	mem->m[cell][at].glued = glued;
	mem->m[cell][at].view = view;
	return true;
}

/* A store to every place that is free for it. */
static void store(struct search *search, const struct state *s, int t, int cell, int value,
		  bool release)
{
	const int n = s->views.n[cell];

	for (int at = s->views.t[t].current.at[cell] + 1; at <= n; at++) {
		struct state next = *s;

		if (search->model == SRA_MODEL && at < n)
			continue;
		if (at < n && s->views.m[cell][at].glued)
			continue;
		if (add(search, &next.views, t, cell, at, value, release, false))
			search_emit(search, &next, t, true);
	}
}

/* What a read-modify-write reads is still free. */
static bool may_take(const struct search *search, const struct state *s, int cell, int at)
{
	return search->model == SRA_MODEL ? at + 1 == s->views.n[cell]
					  : !is_taken(&s->views, cell, at);
}

static void read_modify_write(struct search *search, const struct state *s, int t,
			      const struct insn *i, int at)
{
	struct state next = *s;
	const int old = s->views.m[i->cell][at].value;

	if (!may_take(search, s, i->cell, at))
		return;
	observe(&next.views, t, i->cell, at, acquires(search, i->order));
	if (!add(search, &next.views, t, i->cell, at + 1,
		 rmw_value(i->fn, old, operand_value(i->arg, s->t[t].reg)),
		 releases(search, i->order), true))
		return;
	next.t[t].reg[i->reg] = (int8_t)old;
	search_emit(search, &next, t, true);
}

static void compare_and_swap(struct search *search, const struct state *s, int t,
			     const struct insn *i, int at)
{
	struct state next = *s;
	const int old = s->views.m[i->cell][at].value;
	const bool equal = old == operand_value(i->expected, s->t[t].reg);

	if (equal && !may_take(search, s, i->cell, at))
		return;
	observe(&next.views, t, i->cell, at, acquires(search, equal ? i->order : i->order_fail));
	if (equal && !add(search, &next.views, t, i->cell, at + 1,
			  operand_value(i->arg, s->t[t].reg), releases(search, i->order), true))
		return;
	next.t[t].reg[i->reg] = equal;
	next.t[t].reg[i->reg2] = (int8_t)old;
	search_emit(search, &next, t, true);
}

static void load(struct search *search, const struct state *s, int t, const struct insn *i, int at)
{
	struct state next = *s;

	observe(&next.views, t, i->cell, at, acquires(search, i->order));
	next.t[t].reg[i->reg] = s->views.m[i->cell][at].value;
	search_emit(search, &next, t, true);
}

/*
 * A mutex is taken by an acquire read-modify-write, other locks by one that releases, too; a try that fails is a relaxed
 * load.
 */
static void take_mutex(struct search *search, const struct state *s, int t, const struct insn *i,
		       int at)
{
	struct state next = *s;
	const int value = s->views.m[i->cell][at].value;
	const bool free = lock_passes(i->fn, value);

	if (free ? !may_take(search, s, i->cell, at) : i->op == OP_LOCK)
		return;
	observe(&next.views, t, i->cell, at, free || always_syncs(search));
	if (free && !add(search, &next.views, t, i->cell, at + 1, lock_taken(i->fn, value),
			 i->fn != HOW_MUTEX || always_syncs(search), true))
		return;
	if (i->op == OP_TRYLOCK)
		next.t[t].reg[i->reg] = free;
	search_emit(search, &next, t, true);
}

/* Of other locks than mutexes. */
static void free_lock(struct search *search, const struct state *s, int t, const struct insn *i,
		      int at)
{
	struct state next = *s;
	const int value = s->views.m[i->cell][at].value;

	if (!may_take(search, s, i->cell, at))
		return;
	observe(&next.views, t, i->cell, at, true);
	if (add(search, &next.views, t, i->cell, at + 1, lock_freed(i->fn, value), true, true))
		search_emit(search, &next, t, true);
}

static void fence(struct search *search, const struct state *s, int t, int order)
{
	struct state next = *s;
	struct view_memory *mem = &next.views;

	if (acquires(search, order) && has_orders(search))
		mem->t[t].current = mem->t[t].acquire;
	if (order == SC && search->model == RC11_MODEL) {
		join(&mem->t[t].current, &mem->sc);
		mem->sc = mem->t[t].current;
		mem->sc.marks = 0; /* sc fences do not make anything happen before another */
		join(&mem->t[t].acquire, &mem->t[t].current);
	}
	if (releases(search, order) && has_orders(search))
		mem->t[t].fence = mem->t[t].current;
	search_emit(search, &next, t, true);
}

static void step(struct search *search, const struct state *s, int t)
{
	const struct insn *i = next_insn(search, s, t);
	void (*from)(struct search *, const struct state *, int, const struct insn *, int) = NULL;
	struct state next;

	switch (i->op) {
	case OP_LOAD:
		from = load;
		break;
	case OP_RMW:
		from = read_modify_write;
		break;
	case OP_CAS:
		from = compare_and_swap;
		break;
	case OP_LOCK:
	case OP_TRYLOCK:
		from = take_mutex;
		break;
	case OP_STORE:
		store(search, s, t, i->cell, operand_value(i->arg, s->t[t].reg),
		      releases(search, i->order));
		return;
	case OP_UNLOCK:
		if (i->fn != HOW_MUTEX) {
			from = free_lock;
			break;
		}
		store(search, s, t, i->cell, 0, true);
		return;
	case OP_FENCE:
		fence(search, s, t, i->order);
		return;
	case OP_END:
		next = *s;
		search_emit(search, &next, t, true);
		return;
	default:
		machine_cond(search, s, t);
		return;
	}
	for (int at = s->views.t[t].current.at[i->cell]; at < s->views.n[i->cell]; at++)
		from(search, s, t, i, at);
}

/* Takes message at of a cell out; who has seen it has seen the one before it, or all do. */
static void take_out(struct view_memory *mem, int cell, int at)
{
	memmove(&mem->m[cell][at], &mem->m[cell][at + 1],
		(size_t)(mem->n[cell] - at - 1) * sizeof(struct message));
	mem->n[cell]--;
	EACH_VIEW(v, mem, if (v->at[cell] && v->at[cell] >= at) v->at[cell]--);
}

static bool same_but_for(const struct view *a, const struct view *b, int cell)
{
	for (int c = 0; c < MAX_CELLS; c++)
		if (c != cell && a->at[c] != b->at[c])
			return false;
	return a->marks == b->marks;
}

static bool repeats(const struct view_memory *mem, int cell, int at)
{
	const struct message *a = &mem->m[cell][at - 1], *b = &mem->m[cell][at];

	return b->glued && a->value == b->value && same_but_for(&a->view, &b->view, cell);
}

/* Of a lock that is not tried only the last state is read any more. */
static bool is_row(const struct search *search, int cell)
{
	return cell >= MAX_LOCS && !(search->tried >> (cell - MAX_LOCS) & 1);
}

static void tidy_cell(const struct search *search, struct state *s, int cell)
{
	struct view_memory *mem = &s->views;
	int least = mem->n[cell] - 1;

	for (int t = 0; !is_row(search, cell) && t < search->p->nthreads; t++)
		if (!s->t[t].done && mem->t[t].current.at[cell] < least)
			least = mem->t[t].current.at[cell];
	while (least-- > 0)
		take_out(mem, cell, 0);
	mem->m[cell][0].glued = false;
	for (int at = 1; at < mem->n[cell]; at++)
		if (repeats(mem, cell, at))
			take_out(mem, cell, at--);
}

static void tidy(const struct search *search, struct state *s)
{
	for (int t = 0; t < MAX_THREADS; t++) {
		if (t >= search->p->nthreads || s->t[t].done)
			memset(&s->views.t[t], 0, sizeof(s->views.t[t]));
		if (!search->acquire_fences)
			memset(&s->views.t[t].acquire, 0, sizeof(struct view));
		if (search->model != RC11_MODEL)
			memset(s->views.t[t].release, 0, sizeof(s->views.t[t].release));
	}
	for (int c = 0; c < MAX_CELLS; c++)
		tidy_cell(search, s, c);
}

static uint8_t *pack_view(const struct search *search, const struct view *v, uint8_t *to)
{
	memcpy(to, v->at, sizeof(v->at));
	return pack_marks(search, v->marks, to + sizeof(v->at));
}

static const uint8_t *unpack_view(const struct search *search, struct view *v, const uint8_t *from)
{
	memcpy(v->at, from, sizeof(v->at));
	return unpack_marks(search, &v->marks, from + sizeof(v->at));
}

static uint8_t *pack(const struct search *search, const struct state *s, uint8_t *to)
{
	const struct view_memory *mem = &s->views;

	for (int c = 0; c < MAX_CELLS; c++) {
		*to++ = mem->n[c];
		for (int i = 0; i < mem->n[c]; i++) {
			*to++ = (uint8_t)mem->m[c][i].value;
			*to++ = mem->m[c][i].glued;
			to = pack_view(search, &mem->m[c][i].view, to);
		}
	}
	for (int t = 0; t < search->p->nthreads; t++) {
		to = pack_view(search, &mem->t[t].current, to);
		if (!has_orders(search))
			continue;
		to = pack_view(search, &mem->t[t].acquire, to);
		to = pack_view(search, &mem->t[t].fence, to);
		for (int c = 0; search->model == RC11_MODEL && c < MAX_CELLS; c++)
			to = pack_view(search, &mem->t[t].release[c], to);
	}
	return search->model == RC11_MODEL ? pack_view(search, &mem->sc, to) : to;
}

static const uint8_t *unpack(const struct search *search, struct state *s, const uint8_t *from)
{
	struct view_memory *mem = &s->views;

	memset(mem, 0, sizeof(*mem));
	for (int c = 0; c < MAX_CELLS; c++) {
		mem->n[c] = *from++;
		for (int i = 0; i < mem->n[c]; i++) {
			mem->m[c][i].value = (int8_t)*from++;
			mem->m[c][i].glued = *from++;
			from = unpack_view(search, &mem->m[c][i].view, from);
		}
	}
	for (int t = 0; t < search->p->nthreads; t++) {
		from = unpack_view(search, &mem->t[t].current, from);
		if (!has_orders(search))
			continue;
		from = unpack_view(search, &mem->t[t].acquire, from);
		from = unpack_view(search, &mem->t[t].fence, from);
		for (int c = 0; search->model == RC11_MODEL && c < MAX_CELLS; c++)
			from = unpack_view(search, &mem->t[t].release[c], from);
	}
	return search->model == RC11_MODEL ? unpack_view(search, &mem->sc, from) : from;
}

static void finish(struct search *search, const struct state *s, tell_fn tell)
{
	int8_t last[MAX_CELLS];

	for (int c = 0; c < MAX_CELLS; c++)
		last[c] = s->views.m[c][s->views.n[c] - 1].value;
	tell(search, s, last);
}

static marks_t known(const struct state *s, int t)
{
	return s->views.t[t].current.marks;
}

static void note(struct state *s, int t, marks_t mark)
{
	EACH_VIEW(v, &s->views, v->marks &= ~mark);
	s->views.t[t].current.marks |= mark;
	s->views.t[t].acquire.marks |= mark;
}

const struct machine machine_views = { start, step, tidy, pack, unpack, finish, known, note, NULL };
