/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waiting.c - see waiting.h
 */
#include "engine/graph/waiting.h"

#include <string.h>

#include "base/table.h"

size_t waiting_bytes(uint32_t capacity)
{
	return (size_t)capacity * sizeof(struct wide_state) +
	       table_slots(table_bits(capacity, TABLE_BITS_LEAST)) * sizeof(uint32_t) +
	       2 * ARENA_SKEW;
}

void waiting_init(struct wide_states *w, struct arena *a, uint32_t capacity)
{
	w->state = arena_table(a, capacity * sizeof(*w->state));
	w->n = 1;
	w->bits = table_bits(capacity, TABLE_BITS_LEAST);
	w->table = arena_table(a, table_slots(w->bits) * sizeof(*w->table));
}

void waiting_clear(struct wide_states *w)
{
	while (w->n > 1)
		w->table[w->state[--w->n].slot] = 0;
}

struct waiting waiting_of(const struct wide_states *w, struct value v)
{
	struct waiting is = { 0 };

	if (v.hi == WAITING_WIDE) {
		must(v.lo && v.lo < w->n);
		return w->state[v.lo].is;
	}
	is.set.word[0] = v.lo;
	is.set.some = v.lo != 0;
	is.moved.word[0] = v.hi;
	is.moved.some = v.hi != 0;
	return is;
}

static uint64_t hash_of(const struct waiting *is)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < THREAD_WORDS; i++)
		hash = table_mix(table_mix(hash, is->set.word[i]), is->moved.word[i]);
	return hash;
}

static bool same(const struct waiting *a, const struct waiting *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* It was written down, or is now. */
static uint32_t number_of(struct wide_states *w, const struct waiting *is)
{
	uint32_t *slot;

	TABLE_FIND(slot, w->table, w->bits, hash_of(is), !*slot || same(&w->state[*slot].is, is));
	if (!*slot) {
		must(!table_full(w->n, w->bits)); /* each is the value of an event */
		w->state[w->n] = (struct wide_state){ *is, (uint32_t)(slot - w->table) };
		*slot = w->n++;
	}
	return *slot;
}

struct value waiting_value(struct wide_states *w, const struct waiting *is)
{
	if ((is->set.some | is->moved.some) <= 1 && is->moved.word[0] != WAITING_WIDE)
		return (struct value){ .lo = is->set.word[0], .hi = is->moved.word[0] };
	return (struct value){ .lo = number_of(w, is), .hi = WAITING_WIDE };
}

bool waiting_kind(unsigned kind)
{
	return kind == OP_COND_BEGIN || kind == OP_COND_LEAVE || kind == OP_COND_SIGNAL ||
	       kind == OP_COND_BROADCAST;
}

enum guard waiting_apply(struct wide_states *w, const struct guard_op *op, struct value read,
			 struct value *written)
{
	struct waiting is = waiting_of(w, read);
	enum guard guard = thread_set_any(&is.set) ? GUARD_WRITES : GUARD_READS;

	switch (op->kind) {
	case OP_COND_BEGIN:
		guard = GUARD_WRITES;
		thread_set_add(&is.set, op->tid);
		break;
	case OP_COND_LEAVE:
		guard = thread_set_has(&is.set, op->tid) ? GUARD_WRITES : GUARD_READS;
		thread_set_remove(&is.set, op->tid);
		break;
	case OP_COND_SIGNAL:
		if (guard == GUARD_WRITES)
			thread_set_remove(&is.set, thread_set_nth(&is.set, op->choice));
		break;
	default:
		is.set = (struct thread_set){ 0 };
	}
	if (written)
		*written = waiting_value(w, &is);
	return guard;
}
