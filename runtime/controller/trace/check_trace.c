/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_trace.c - see check_trace.h
 *
 * A step of a trace is one event, but for those that touch no memory. Names of threads and
 * events: those of the trace, though indices may differ, since steps without an event have
 * one too. Creation and start of a thread, and its end and join, become a write and a read of
 * a location of their own, whose rf edge is happens-before in every model; so are those of
 * mutexes and other library objects. A signal is two events: it takes waiters out of the
 * condition variable, and writes a location of its own that those waiters read.
 *
 * Symbols are not looked up, as the program may be gone: each symbol stands for itself.
 */
#include "config.h"

#include "controller/trace/check_trace.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/table.h"

enum {
	SYMBOL_SHIFT = 40
}; /* offsets of symbols lie this far apart */

/* Names, by number and by what they say (base/table.h): 1 + number. */
struct symbols {
	char **name;
	uint32_t n, room;
	uint32_t *slot;
	uint32_t bits;
};

/* A step that was seen, and its event, or EX_NONE. */
struct seen {
	uint32_t index, event;
};

struct converter {
	struct execution *x;
	const struct trace_symbols *names;
	/* Of each thread, in order. Indices may leave out many: an array by index would be as long as a
	 * trace says. */
	struct seen *seen[HEDDLE_MAX_THREADS];
	uint32_t nseen[HEDDLE_MAX_THREADS], room[HEDDLE_MAX_THREADS], nevents[HEDDLE_MAX_THREADS];
	uint32_t created[HEDDLE_MAX_THREADS][2], ended[HEDDLE_MAX_THREADS]; /* + 1; 0: not */
	struct thread_set sleeps; /* what the thread has begun to wait for last was a futex */
};

/* The slot of a name, or a free one. */
static uint32_t *slot_of(const struct symbols *s, const char *name)
{
	uint64_t hash = XXH3_64bits(name, strlen(name));
	uint32_t *slot;

	TABLE_FIND(slot, s->slot, s->bits, hash, !*slot || !strcmp(s->name[*slot - 1], name));
	return slot;
}

static void widen(struct symbols *s)
{
	s->bits = table_wider(s->bits, 6);
	free(s->slot);
	s->slot = offline_zeroed(table_slots(s->bits), sizeof(*s->slot));
	for (uint32_t i = 0; i < s->n; i++)
		*slot_of(s, s->name[i]) = i + 1;
}

static bool symbol_offset(void *ctx, uint32_t module, const char *name, uint64_t *out)
{
	struct symbols *s = ctx;
	uint32_t *slot;

	(void)module;
	if (table_full(s->n, s->bits))
		widen(s);
	slot = slot_of(s, name);
	if (!*slot) {
		if (s->n == s->room) {
			s->room = s->room ? s->room * 2 : 16;
			s->name = offline_grow(s->name, s->room, sizeof(*s->name));
		}
		s->name[s->n] = offline_room(strlen(name) + 1, 1);
		strcpy(s->name[s->n], name);
		*slot = ++s->n;
	}
	*out = (uint64_t)*slot << SYMBOL_SHIFT;
	return true;
}

static bool symbol_name(void *ctx, uint32_t module, uint64_t offset, char *out, size_t size)
{
	const struct symbols *s = ctx;
	uint64_t i = offset >> SYMBOL_SHIFT;

	(void)module;
	if (!i || i > s->n)
		return false;
	snprintf(out, size, "%s+0x%llx", s->name[i - 1],
		 (unsigned long long)(offset & (((uint64_t)1 << SYMBOL_SHIFT) - 1)));
	return true;
}

static void note_step(struct converter *c, uint32_t tid, uint32_t index, bool event)
{
	uint32_t n = c->nseen[tid]++;

	if (n == c->room[tid]) {
		c->room[tid] = n ? 2 * n : 64;
		c->seen[tid] = offline_grow(c->seen[tid], c->room[tid], sizeof(struct seen));
	}
	c->seen[tid][n] = (struct seen){ index, event ? c->nevents[tid]++ : EX_NONE };
}

/* The event of a step, or EX_NONE. */
static uint32_t event_of(const struct converter *c, uint32_t tid, uint32_t index)
{
	uint32_t low = 0, high = tid < HEDDLE_MAX_THREADS ? c->nseen[tid] : 0;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (c->seen[tid][mid].index == index)
			return c->seen[tid][mid].event;
		if (c->seen[tid][mid].index < index)
			low = mid + 1;
		else
			high = mid;
	}
	return EX_NONE;
}

static void add(struct converter *c, const struct step *s, struct execution_event ev)
{
	ev.tid = s->record.tid;
	note_step(c, ev.tid, s->record.index, true);
	execution_add(c->x, &ev);
}

static uint32_t location(struct converter *c, const char *what, uint32_t tid)
{
	char name[32];
	int n = snprintf(name, sizeof(name), "%s:%u", what, tid);

	return execution_location(c->x, name, (size_t)n);
}

/* Creation, start, end and join; false if the step is none of these. */
static bool thread_step(struct converter *c, const struct step *s)
{
	const struct engine_step_record *r = &s->record;
	uint32_t tid = r->tid, peer = r->peer < HEDDLE_MAX_THREADS ? r->peer : 0;

	switch (r->kind) {
	case OP_CREATE:
		c->created[peer][0] = tid + 1;
		c->created[peer][1] = c->nevents[tid];
		add(c, s,
		    (struct execution_event){ .kind = EX_WRITE,
					      .order = ORDER_RLX,
					      .loc = location(c, "create", peer) });
		return true;
	case OP_START:
		if (!c->created[tid][0])
			return note_step(c, tid, r->index, false), true;
		add(c, s,
		    (struct execution_event){ .kind = EX_READ | EX_SYNC,
					      .order = ORDER_RLX,
					      .loc = location(c, "create", tid),
					      .rf_tid = c->created[tid][0] - 1,
					      .rf_index = c->created[tid][1] });
		return true;
	case OP_END:
		c->ended[tid] = c->nevents[tid] + 1;
		add(c, s,
		    (struct execution_event){
			    .kind = EX_WRITE, .order = ORDER_RLX, .loc = location(c, "end", tid) });
		return true;
	case OP_JOIN:
		if (!c->ended[peer])
			return note_step(c, tid, r->index, false), true;
		add(c, s,
		    (struct execution_event){ .kind = EX_READ | EX_SYNC,
					      .order = ORDER_RLX,
					      .loc = location(c, "end", peer),
					      .rf_tid = peer,
					      .rf_index = c->ended[peer] - 1 });
		return true;
	default:
		return false;
	}
}

static uint32_t wake_location(struct converter *c, uint32_t tid, uint32_t index)
{
	char name[40];
	int n = snprintf(name, sizeof(name), "wake:%u.%u", tid, index);

	return execution_location(c->x, name, (size_t)n);
}

/* A waiter goes on; false if that is not what the step is. */
static bool woken_step(struct converter *c, const struct step *s)
{
	const struct engine_step_record *r = &s->record;
	uint32_t tid = (uint32_t)r->rf_tid, from;

	if ((r->kind != OP_COND_WOKEN && r->kind != OP_BARRIER_PASS) || r->rf_tid < 0)
		return false;
	from = event_of(c, tid, r->rf_index);
	if (from == EX_NONE)
		return false;
	add(c, s,
	    (struct execution_event){ .kind = EX_READ | EX_SYNC,
				      .order = ORDER_RLX,
				      .loc = wake_location(c, tid, r->rf_index),
				      .rf_tid = tid,
				      .rf_index = from + 1 });
	return true;
}

static void wake(struct converter *c, const struct engine_step_record *r)
{
	if (r->kind != OP_COND_SIGNAL && r->kind != OP_COND_BROADCAST &&
	    r->kind != OP_BARRIER_ARRIVE && r->kind != OP_FUTEX_WAKE && r->kind != OP_FUTEX_REQUEUE)
		return;
	c->nevents[r->tid]++;
	execution_add(c->x, &(struct execution_event){ .tid = r->tid,
						       .kind = EX_WRITE,
						       .order = ORDER_RLX,
						       .loc = wake_location(c, r->tid, r->index) });
}

/* Does it access the threads that sleep at a futex? */
static bool is_queue(struct converter *c, const struct engine_step_record *r)
{
	if (r->kind == OP_COND_BEGIN)
		thread_set_remove(&c->sleeps, r->tid);
	if (r->kind == OP_FUTEX_WAIT)
		thread_set_add(&c->sleeps, r->tid);
	if (r->kind == OP_COND_LEAVE) /* of what it has begun to wait at last */
		return thread_set_has(&c->sleeps, r->tid);
	return r->kind >= OP_FUTEX_LOOK && r->kind <= OP_FUTEX_REQUEUE;
}

/* What the step accesses. The threads that sleep at a futex are an object of their own beside its word. */
static uint32_t accessed(struct converter *c, const struct step *s)
{
	bool queue = is_queue(c, &s->record);
	char place[TRACE_LOCATION], name[TRACE_LOCATION + 8];

	trace_location(&s->place, c->names, place, sizeof(place));
	if (!s->place.kind) /* addresses tell apart what has no name; there are none in traces */
		snprintf(place, sizeof(place), "?0x%llx", (unsigned long long)s->record.addr);
	snprintf(name, sizeof(name), "%s%s", queue ? "futex:" : "", place);
	return execution_location(c->x, name, strlen(name));
}

/* An access; false if it reads from a step that is no event. */
static bool access_step(struct converter *c, const struct step *s)
{
	const struct engine_step_record *r = &s->record;
	bool library = r->kind >= OP_LOCK && r->kind <= OP_READY_RELEASE;
	struct execution_event ev = { .order = r->order };

	if (r->rf_tid != -2)
		ev.kind |= EX_READ;
	if ((r->flags & STEP_WROTE) || r->kind == OP_STORE)
		ev.kind |= EX_WRITE;
	if (!ev.kind) {
		note_step(c, r->tid, r->index, false);
		return true;
	}
	if (library) {
		/* who tries in vain, or only looks, synchronises with nobody */
		if ((ev.kind & EX_READ) && r->order != ORDER_RLX && r->order != ORDER_REL)
			ev.kind |= EX_SYNC;
		ev.order = ORDER_RLX;
	}
	if (!(ev.kind & EX_WRITE) && (ev.order == ORDER_REL || ev.order == ORDER_ACQ_REL))
		ev.order = ev.order == ORDER_REL ? ORDER_RLX : ORDER_ACQ;
	ev.loc = accessed(c, s);
	if (r->rf_tid == -1) {
		ev.rf_tid = EX_INIT;
	} else if (r->rf_tid >= 0) {
		ev.rf_tid = (uint32_t)r->rf_tid;
		ev.rf_index = event_of(c, ev.rf_tid, r->rf_index);
		if (ev.rf_index == EX_NONE)
			return false;
	}
	add(c, s, ev);
	wake(c, r);
	return true;
}

static bool convert(struct converter *c, const struct step *steps, size_t n, char *error,
		    size_t size)
{
	for (size_t i = 0; i < n; i++) {
		const struct step *s = &steps[i];
		const struct engine_step_record *r = &s->record;

		if (!step_happened(r) || thread_step(c, s) || woken_step(c, s))
			continue;
		if (r->kind == OP_FENCE && r->order <= ORDER_RLX) {
			note_step(c, r->tid, r->index, false);
			continue;
		}
		if (r->kind == OP_FENCE) {
			add(c, s, (struct execution_event){ .kind = EX_FENCE, .order = r->order });
			continue;
		}
		if (access_step(c, s))
			continue;
		snprintf(error, size, "step %u.%u reads from a step that writes nothing", r->tid,
			 r->index);
		return false;
	}
	return true;
}

static void number(const struct converter *c, const struct step *steps, size_t n, uint32_t *event)
{
	for (size_t i = 0; i < n; i++) {
		const struct engine_step_record *r = &steps[i].record;
		uint32_t of = step_happened(r) ? event_of(c, r->tid, r->index) : EX_NONE;

		event[i] = of == EX_NONE ? EX_NONE : c->x->first[r->tid] + of;
	}
}

bool check_steps(struct execution *x, const struct step *steps, size_t n,
		 const struct trace_symbols *names, uint32_t *event, char *error, size_t size)
{
	struct converter c = { .x = x, .names = names };
	struct execution_error e;
	bool ok;

	execution_init(x);
	ok = convert(&c, steps, n, error, size);
	if (ok && !execution_finish(x, &e)) {
		snprintf(error, size, "%s", e.text);
		ok = false;
	}
	if (ok && event)
		number(&c, steps, n, event);
	for (int i = 0; i < HEDDLE_MAX_THREADS; i++)
		free(c.seen[i]);
	return ok;
}

bool check_trace_read(struct execution *x, const char *path, uint32_t *model, char *error,
		      size_t size)
{
	struct symbols symbols = { 0 };
	struct trace_symbols names = { symbol_name, symbol_offset, &symbols };
	struct trace_reader r;
	struct trace t;
	char why[600];
	bool ok;

	memset(x, 0, sizeof(*x));
	ok = trace_open(&r, path, &t) && trace_read_steps(&r, &t, &names);
	if (!ok) {
		snprintf(error, size, "%s", r.error);
	} else {
		*model = t.model;
		ok = check_steps(x, t.bug.steps, t.bug.nsteps, &names, NULL, why, sizeof(why));
		if (!ok)
			snprintf(error, size, "%s: %s", path, why);
	}
	trace_close(&r);
	trace_release(&t);
	for (uint32_t i = 0; i < symbols.n; i++)
		free(symbols.name[i]);
	free(symbols.name);
	free(symbols.slot);
	return ok;
}
