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

enum {
	SYMBOL_SHIFT = 40
}; /* offsets of symbols lie this far apart */

struct symbols {
	char **name;
	uint32_t n, room;
};

struct converter {
	struct execution *x;
	const struct trace_symbols *names;
	uint32_t *index[HEDDLE_MAX_THREADS]; /* event of each step, or EX_NONE */
	uint32_t nsteps[HEDDLE_MAX_THREADS], nevents[HEDDLE_MAX_THREADS];
	uint32_t created[HEDDLE_MAX_THREADS][2], ended[HEDDLE_MAX_THREADS]; /* + 1; 0: not */
};

static bool symbol_offset(void *ctx, uint32_t module, const char *name, uint64_t *out)
{
	struct symbols *s = ctx;
	uint32_t i = 0;

	(void)module;
	while (i < s->n && strcmp(s->name[i], name))
		i++;
	if (i == s->n) {
		if (s->n == s->room) {
			s->room = s->room ? s->room * 2 : 16;
			s->name = offline_grow(s->name, s->room, sizeof(*s->name));
		}
		s->name[i] = offline_room(strlen(name) + 1, 1);
		strcpy(s->name[i], name);
		s->n++;
	}
	*out = (uint64_t)(i + 1) << SYMBOL_SHIFT;
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
	uint32_t *n = &c->nsteps[tid];

	if (index >= *n) {
		uint32_t room = index * 2 + 64;

		c->index[tid] = offline_grow(c->index[tid], room, sizeof(uint32_t));
		memset(c->index[tid] + *n, 0xff, (room - *n) * sizeof(uint32_t));
		*n = room;
	}
	c->index[tid][index] = event ? c->nevents[tid]++ : EX_NONE;
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

static bool is_known(const struct converter *c, uint32_t tid, uint32_t index)
{
	return tid < HEDDLE_MAX_THREADS && index < c->nsteps[tid] &&
	       c->index[tid][index] != EX_NONE;
}

/* A waiter goes on; false if that is not what the step is. */
static bool woken_step(struct converter *c, const struct step *s)
{
	const struct engine_step_record *r = &s->record;
	uint32_t tid = (uint32_t)r->rf_tid;

	if ((r->kind != OP_COND_WOKEN && r->kind != OP_BARRIER_PASS) || r->rf_tid < 0 ||
	    !is_known(c, tid, r->rf_index))
		return false;
	add(c, s,
	    (struct execution_event){ .kind = EX_READ | EX_SYNC,
				      .order = ORDER_RLX,
				      .loc = wake_location(c, tid, r->rf_index),
				      .rf_tid = tid,
				      .rf_index = c->index[tid][r->rf_index] + 1 });
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

/* What the step accesses. The threads that sleep at a futex are an object of their own beside its word. */
static uint32_t accessed(struct converter *c, const struct step *s)
{
	bool queue = s->record.kind >= OP_FUTEX_LOOK && s->record.kind <= OP_FUTEX_REQUEUE;
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
		ev.order = ORDER_RLX;
		if (ev.kind & EX_READ)
			ev.kind |= EX_SYNC;
	}
	if (!(ev.kind & EX_WRITE) && (ev.order == ORDER_REL || ev.order == ORDER_ACQ_REL))
		ev.order = ev.order == ORDER_REL ? ORDER_RLX : ORDER_ACQ;
	ev.loc = accessed(c, s);
	if (r->rf_tid == -1) {
		ev.rf_tid = EX_INIT;
	} else if (r->rf_tid >= 0) {
		ev.rf_tid = (uint32_t)r->rf_tid;
		if (!is_known(c, ev.rf_tid, r->rf_index))
			return false;
		ev.rf_index = c->index[ev.rf_tid][r->rf_index];
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

		if (thread_step(c, s) || woken_step(c, s))
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

bool check_steps(struct execution *x, const struct step *steps, size_t n,
		 const struct trace_symbols *names, char *error, size_t size)
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
	for (int i = 0; i < HEDDLE_MAX_THREADS; i++)
		free(c.index[i]);
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
		ok = check_steps(x, t.bug.steps, t.bug.nsteps, &names, why, sizeof(why));
		if (!ok)
			snprintf(error, size, "%s: %s", path, why);
	}
	trace_close(&r);
	trace_release(&t);
	for (uint32_t i = 0; i < symbols.n; i++)
		free(symbols.name[i]);
	free(symbols.name);
	return ok;
}
