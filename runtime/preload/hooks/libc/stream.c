/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream.c - the locks of streams
 *
 * Each stream has a recursive lock, which flockfile() takes and each call that is not called _unlocked. libc
 * takes it, without a call that we see. While it does no operation with the lock, nobody else can
 * find it taken, since fibers are switched in operations only: then the lock is left to libc, and no event.
 *
 * It is one as soon as a thread is found that performs an operation while it has it: in flockfile() (what the
 * program does then is unknown), or since the stream leads to a pipe, or the thread looks there whether it was
 * cancelled. Such a lock is explored from the start of the next search (FACT_STREAM_HELD): each call takes a
 * mutex of the engine before it lets libc take the stream's lock, which is free then. So libc never waits for
 * it. The mutex is the lock in libc's memory: that says who has it, and how often, and is
 * put back with the program. DECISIONS.md, "The lock of a stream is an event once it is held", has the argument.
 *
 * Not so where the program takes care of that itself (__fsetlocking()).
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <stdio_ext.h>

#include "preload/core/lifecycle.h"
#include "preload/facts/facts.h"
#include "preload/facts/values.h"
#include "preload/hooks/libc/stream.h"
#include "preload/hooks/libc/stream_lock.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/hooks/thread/thread.h"

/* In _flags, as in glibc. */
enum {
	UNBUFFERED = 0x2,
	LINE_BUFFERED = 0x200,
	LOCKED_BY_USER = 0x8000
};

/* In _flags2. */
enum {
	NOT_CANCELLED = 2
};

bool (*stream_leads_to_channel)(int fd);
bool (*stream_is_of_file)(const FILE *f);

/* ---- The lock ------------------------------------------------------------------------------------- */

struct asked {
	struct fact fact;
	bool found;
};

static void compare(const struct fact *f, void *ctx)
{
	struct asked *a = ctx;

	a->found |= fact_is_by_address(f) ? f->addr == a->fact.addr : fact_same(f, &a->fact);
}

/* In a replay, where addresses may be others. */
static bool known_by_place(const struct stream_lock *l)
{
	struct asked a = { .fact = { .kind = FACT_STREAM_HELD,
				     .place = place_of((uintptr_t)l),
				     .addr = (uintptr_t)l } };

	facts_each(FACT_STREAM_HELD, compare, &a);
	return a.found;
}

bool stream_explored(const struct stream_lock *l)
{
	if (!fact_in_use(FACT_STREAM_HELD))
		return false;
	return shared->config.mode == ENGINE_REPLAY ? known_by_place(l)
						    : fact_used_at(FACT_STREAM_HELD, (uintptr_t)l);
}

void stream_explore(struct stream_lock *l)
{
	if (stream_explored(l) || shared->config.mode == ENGINE_REPLAY)
		return;
	if (current->probing)
		lifecycle_hidden();
	values_give_up("streams are used");
	fact_found_at(FACT_STREAM_HELD, (uintptr_t)l);
}

/* By another thread. */
static bool is_taken(const struct stream_lock *l)
{
	return l->taken && !stream_is_mine(l);
}

/* Takes the mutex for a call, if there is one: that, or NULL. */
static struct stream_lock *take(struct stream_lock *l, uint64_t pc)
{
	if (!l || stream_is_mine(l))
		return NULL;
	if (!stream_explored(l)) {
		/* Since there were no threads, or in a call that no hook knows of? */
		if (is_taken(l))
			stream_explore(l);
		return NULL;
	}
	object_op(OP_LOCK, l, pc);
	return l;
}

/* ---- Calls ---------------------------------------------------------------------------------------- */

/* The innermost of each thread. */
static struct stream_call *calls[HEDDLE_MAX_THREADS];
static uint32_t ncalls; /* none beyond these has been in any */

static void calls_begin(void)
{
	memset(calls, 0, ncalls * sizeof(*calls));
	ncalls = 0;
}

AT_BEGIN(calls_begin);

/* May there be an operation in the call? */
static bool may_operate(const FILE *f, const struct stream_call *c)
{
	if (c->looked)
		return false;
	if ((f->_lock && stream_explored(f->_lock)) || stream_leads_to_channel(f->_fileno))
		return true;
	return f->_flags & (UNBUFFERED | LINE_BUFFERED) && cancel_location();
}

/*
 * Where a thread is only tried out such a call must not begin: what libc does to the stream is not undone. Else it
 * is state, but for what is discarded.
 */
static void before_operations(const FILE *f)
{
	bool discarded = (f == stdout || f == stderr) && !stream_leads_to_channel(f->_fileno);

	if (!discarded)
		note_hidden_state();
	else if (current->probing)
		lifecycle_hidden();
}

/* Without the lock, which nobody waits for: so this is the same as within the call. */
static void look_before(struct stream_call *c, const FILE *f)
{
	if ((f->_lock && stream_explored(f->_lock)) || stream_leads_to_channel(f->_fileno))
		return;
	c->looked = true;
	if (cancel_requested(c->pc))
		cancel_act();
}

void stream_enter(struct stream_call *c, FILE *f, unsigned how, const char *name, uint64_t pc)
{
	uint32_t tid = self_id();

	*c = (struct stream_call){ .name = name, .pc = pc };
	if (!under_engine())
		return;
	touch_to_read(f); /* where it is a bad pointer */
	if (how & STREAM_WRITES)
		look_before(c, f);
	if (may_operate(f, c))
		before_operations(f);
	/* What its functions do is unknown. */
	if (!stream_is_of_file(f) && f->_lock)
		stream_explore(f->_lock);
	if (current->probing) {
		if (f->_lock && is_taken(f->_lock))
			lifecycle_hidden();
		return;
	}
	if (how & STREAM_LOCKS && !(f->_flags & LOCKED_BY_USER))
		c->lock = take(f->_lock, pc);
	c->outer = calls[tid];
	calls[tid] = c;
	if (ncalls <= tid)
		ncalls = tid + 1;
}

/* It is over, and so are those within it that were left. */
static void leave(struct stream_call *c)
{
	void *lock = c->lock;

	c->lock = NULL;
	calls[self_id()] = c->outer;
	if (lock)
		object_op(OP_UNLOCK, lock, c->pc);
}

void stream_leave(struct stream_call *c)
{
	if (under_engine() && calls[self_id()] == c)
		leave(c);
}

const struct stream_call *stream_call(void)
{
	return under_engine() ? calls[self_id()] : NULL;
}

void stream_held(FILE *f)
{
	if (f->_lock && stream_is_mine(f->_lock))
		stream_explore(f->_lock);
}

void stream_gone(void)
{
	struct stream_call *c = calls[self_id()];

	if (c && c->lock) {
		object_op(OP_UNLOCK, c->lock, c->pc);
		c->lock = NULL;
	}
}

/* ---- Who writes for certain ----------------------------------------------------------------------- */

static bool can_be_cancelled(const FILE *f)
{
	if (!under_engine())
		return false;
	touch_to_read(f);
	return f->_flags & (UNBUFFERED | LINE_BUFFERED) && !(f->_flags2 & NOT_CANCELLED) &&
	       cancel_location();
}

static unsigned writes_if(bool certain)
{
	return certain ? STREAM_WRITES : 0;
}

unsigned stream_prints_char(const FILE *f, int c)
{
	return writes_if(can_be_cancelled(f) && (f->_flags & UNBUFFERED || c == '\n'));
}

unsigned stream_prints_bytes(const FILE *f, const void *p, size_t size, size_t n)
{
	size_t all;

	return writes_if(can_be_cancelled(f) && !__builtin_mul_overflow(size, n, &all) && all &&
			 (f->_flags & UNBUFFERED || memchr(p, '\n', all)));
}

unsigned stream_prints_text(const FILE *f, const char *s)
{
	return writes_if(can_be_cancelled(f) &&
			 (f->_flags & UNBUFFERED ? *s : strchr(s, '\n') != NULL));
}

unsigned stream_prints_line(const FILE *f)
{
	return writes_if(can_be_cancelled(f));
}

/* What an argument comes to is not known here. */
unsigned stream_prints_format(const FILE *f, const char *format)
{
	return writes_if(
		can_be_cancelled(f) &&
		(strchr(format, '\n') || (f->_flags & UNBUFFERED && *format && *format != '%')));
}

/* ---- Readers -------------------------------------------------------------------------------------- */

enum {
	MOST_READ = 64
};

/* In this execution: streams, and which thread read first; of more streams the locks are explored. */
static struct reading {
	const struct stream_lock *lock;
	uint32_t tid;
} readings[MOST_READ];
static uint32_t nreadings;

static void readings_begin(void)
{
	memset(readings, 0, nreadings * sizeof(*readings));
	nreadings = 0;
}

AT_BEGIN(readings_begin);

void stream_reads(FILE *f)
{
	struct stream_lock *l;
	uint32_t i;

	if (!under_engine() || current->probing)
		return;
	touch_to_read(f);
	l = f->_lock;
	if (!l || stream_explored(l))
		return;
	for (i = 0; i < nreadings && readings[i].lock != l; i++)
		;
	if (i == MOST_READ || (i < nreadings && readings[i].tid != current->tid))
		stream_explore(l);
	else if (i == nreadings)
		readings[nreadings++] = (struct reading){ l, current->tid };
}

/* ---- The end of a thread -------------------------------------------------------------------------- */

/* The thread has left its stack below sp: libc has given back the locks of the calls there, and so do we. */
static void unwound(uint64_t sp)
{
	struct stream_call *c;

	while ((c = calls[self_id()]) && (uintptr_t)c <= sp)
		leave(c);
}

static void stream_root(void)
{
	thread_unwound = unwound;
}

AT_ROOT(stream_root);
