/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clocks.c - happens-before of each memory model, as vector clocks
 *
 *	sc tso sra ra wra	(po u rf)+
 *	relaxed			po, and the edges of threads and locks (EX_SYNC)
 *	rc20			(po u sw)+, a release sequence goes on through rf to
 *				read-modify-writes only
 *	rc11			(po u sw)+, it also has later stores of its thread to its
 *				location; plain accesses take no part
 *
 * Under rc20 and rc11 each write has a message: what an acquiring read of it learns. That is
 * the clock of one event (the write if it releases, the release fence or the release store
 * before it), and for a read-modify-write also the message of what it read; mostly one of
 * the two holds the other, so that messages name an event and only few need a row.
 *
 * Invariant: a row's component for the event's own thread never exceeds the event's index, so
 * that copying rows is safe although that component is not kept up to date.
 */
#include "offline/clocks.h"

#include <stdlib.h>
#include <string.h>

struct builder {
	struct clocks *c;
	const struct execution *x;
	enum engine_model model;
	bool synchronises; /* rc20 and rc11 */
	uint32_t *current; /* row of each thread */
	uint32_t *fence;   /* last release fence of each thread, or EX_NONE */
	uint32_t *head;    /* rc11: release store at or before a write, in its thread */
	uint32_t *message; /* of each write: an event, EX_NONE, or ROW and a row */
	uint32_t *pending; /* k components for each thread: messages read, not acquired */
};

#define ROW (1u << 31)

static bool releases(const struct execution *x, uint32_t e)
{
	return x->order[e] >= ORDER_REL;
}

static bool acquires(const struct execution *x, uint32_t e)
{
	return x->order[e] == ORDER_ACQ || x->order[e] >= ORDER_ACQ_REL;
}

static uint32_t new_row(struct clocks *c, uint32_t from)
{
	if (c->nrows == c->room) {
		c->room = c->room ? c->room * 2 : 256;
		c->rows = offline_grow(c->rows, c->room * c->k, sizeof(*c->rows));
	}
	if (c->nrows)
		memcpy(c->rows + c->nrows * c->k, c->rows + (size_t)from * c->k,
		       c->k * sizeof(*c->rows));
	else
		memset(c->rows, 0, c->k * sizeof(*c->rows));
	return (uint32_t)c->nrows++;
}

static void join(uint32_t *to, const uint32_t *from, uint32_t k)
{
	for (uint32_t u = 0; u < k; u++)
		to[u] = to[u] < from[u] ? from[u] : to[u];
}

/* to: k components; adds what the message says. */
static void join_message(const struct builder *b, uint32_t *to, uint32_t message)
{
	const struct clocks *c = b->c;
	uint32_t u, count;

	if (message & ROW) {
		join(to, c->rows + (size_t)(message & ~ROW) * c->k, c->k);
		return;
	}
	join(to, clock_row(c, message), c->k);
	u = b->x->tid[message];
	count = execution_index(b->x, message) + 1;
	if (to[u] < count)
		to[u] = count;
}

/* Does event e, with its row so far, know all of the message? */
static bool knows(const struct builder *b, uint32_t e, uint32_t message)
{
	return !(message & ROW) && clock_before(b->c, message, e);
}

static void learn(struct builder *b, uint32_t e, uint32_t message)
{
	if (message == EX_NONE || knows(b, e, message))
		return;
	b->c->row[e] = new_row(b->c, b->c->row[e]);
	join_message(b, b->c->rows + (size_t)b->c->row[e] * b->c->k, message);
}

/* The release store at or before each write in its thread and location. */
static void find_heads(struct builder *b)
{
	const struct execution *x = b->x;
	uint32_t *last = offline_room(x->nlocs, sizeof(*last));

	b->head = offline_room(x->n, sizeof(*b->head));
	for (uint32_t t = 0; t < x->k; t++) {
		for (uint32_t e = x->first[t]; e < x->first[t + 1]; e++)
			if (x->loc[e] != EX_NONE)
				last[x->loc[e]] = EX_NONE;
		for (uint32_t e = x->first[t]; e < x->first[t + 1]; e++) {
			if (!(x->kind[e] & EX_WRITE))
				continue;
			if (releases(x, e))
				last[x->loc[e]] = e;
			b->head[e] = last[x->loc[e]];
		}
	}
	free(last);
}

/* The event whose clock a write hands on by itself, or EX_NONE. */
static uint32_t own_message(const struct builder *b, uint32_t w)
{
	uint32_t own, fence = b->fence[b->x->tid[w]];

	if (b->model == MODEL_RC11 && b->x->order[w] == ORDER_NA)
		return EX_NONE;
	own = b->model == MODEL_RC11 ? b->head[w] : releases(b->x, w) ? w : EX_NONE;
	return fence != EX_NONE && (own == EX_NONE || own < fence) ? fence : own;
}

static uint32_t message_of(struct builder *b, uint32_t w)
{
	uint32_t own = own_message(b, w), read = EX_NONE, row;

	if ((b->x->kind[w] & EX_READ) && b->x->rf[w] < b->x->n)
		read = b->message[b->x->rf[w]];
	if (read == EX_NONE || (own != EX_NONE && knows(b, own, read)))
		return own;
	if (own == EX_NONE)
		return read;
	row = new_row(b->c, 0);
	join_message(b, b->c->rows + (size_t)row * b->c->k, read);
	join_message(b, b->c->rows + (size_t)row * b->c->k, own);
	return row | ROW;
}

static void read_message(struct builder *b, uint32_t e)
{
	const struct execution *x = b->x;
	uint32_t message = b->message[x->rf[e]];

	if (message == EX_NONE || (b->model == MODEL_RC11 && x->order[e] == ORDER_NA))
		return;
	if (acquires(x, e))
		learn(b, e, message);
	else if (b->pending && !knows(b, e, message))
		join_message(b, b->pending + (size_t)x->tid[e] * x->k, message);
}

static void pass_fence(struct builder *b, uint32_t e)
{
	const struct execution *x = b->x;
	const uint32_t *pending;
	uint32_t t = x->tid[e];

	if (acquires(x, e) && b->pending) {
		pending = b->pending + (size_t)t * x->k;
		for (uint32_t u = 0; u < x->k; u++) {
			if (u == t || pending[u] <= clock_row(b->c, e)[u])
				continue;
			b->c->row[e] = new_row(b->c, b->c->row[e]);
			join(b->c->rows + (size_t)b->c->row[e] * x->k, pending, x->k);
			break;
		}
	}
	if (releases(x, e))
		b->fence[t] = e;
}

static void add_event(struct builder *b, uint32_t e)
{
	const struct execution *x = b->x;
	uint32_t kind = x->kind[e], t = x->tid[e], rf = x->rf[e];

	b->c->row[e] = b->current[t];
	if ((kind & EX_READ) && rf < x->n) {
		if ((kind & EX_SYNC) || (b->model != MODEL_RELAXED && !b->synchronises))
			learn(b, e, rf);
		if (b->synchronises)
			read_message(b, e);
	}
	if (b->synchronises && (kind & EX_FENCE))
		pass_fence(b, e);
	b->current[t] = b->c->row[e];
	if (b->synchronises && (kind & EX_WRITE))
		b->message[e] = message_of(b, e);
}

void clocks_build(struct clocks *c, const struct execution *x, enum engine_model model,
		  const uint32_t *sort)
{
	struct builder b = { .c = c, .x = x, .model = model };
	bool fences = false;

	*c = (struct clocks){ .x = x, .k = x->k ? x->k : 1 };
	c->row = offline_room(x->n, sizeof(*c->row));
	new_row(c, 0);
	b.synchronises = model == MODEL_RC20 || model == MODEL_RC11;
	b.current = offline_zeroed(x->k, sizeof(*b.current));
	if (b.synchronises) {
		b.message = offline_room(x->n, sizeof(*b.message));
		b.fence = offline_room(x->k, sizeof(*b.fence));
		memset(b.fence, 0xff, x->k * sizeof(*b.fence));
		for (uint32_t e = 0; e < x->n && !fences; e++)
			fences = (x->kind[e] & EX_FENCE) && acquires(x, e);
		if (fences)
			b.pending = offline_zeroed((size_t)x->k * x->k, sizeof(*b.pending));
	}
	if (model == MODEL_RC11)
		find_heads(&b);
	for (uint32_t i = 0; i < x->n; i++)
		add_event(&b, sort[i]);
	free(b.current);
	free(b.fence);
	free(b.head);
	free(b.message);
	free(b.pending);
}

void clocks_release(struct clocks *c)
{
	free(c->row);
	free(c->rows);
	c->row = c->rows = NULL;
}
