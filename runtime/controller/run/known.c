/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * known.c - the facts that go from some workers to those that are started after them
 *
 * Several workers that find the same fact add it to their table one by one, so here each is taken
 * once. They are kept in the order of the table, since what locations become depends on it
 * (explored_marks.c).
 *
 * Invariant: each start knows more than the one before. So a search does not start again for
 * ever, since there are only so many places in a program, and table entries for them. (A name that was
 * another one in each process made two workers start again for ever, and so did a list that was full.)
 *
 * Cost: a hash table of facts, made anew for each start.
 */
#include "config.h"

#include "controller/run/known.h"

#include <errno.h>
#include <stdlib.h>

#include "base/table.h"

static uint64_t hash_of(const struct fact *f)
{
	const uint64_t part[] = { f->kind,         f->arg,
				  f->place.kind,   f->place.module,
				  f->place.thread, f->place.count,
				  f->place.offset, f->place.kind == PLACE_UNKNOWN ? f->addr : 0 };
	uint64_t h = 0;

	for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		h = table_mix(h, part[i]);
	return h;
}

/*
 * Which block of a thread lies at an address differs between executions, and a block has several addresses. The heap's are the same in each
 * run, and facts are looked for by these.
 */
static bool is_the_same(const struct fact *a, const struct fact *b)
{
	return fact_same(a, b) && (a->place.kind != PLACE_HEAP || a->addr == b->addr);
}

/* Facts by what they say (base/table.h): 1 + index. */
struct set {
	uint32_t *slot;
	uint32_t bits;
};

/* The slot of a fact, or a free one. */
static uint32_t *slot_of(const struct set *s, const struct known *k, const struct fact *f)
{
	uint32_t *slot;

	TABLE_FIND(slot, s->slot, s->bits, hash_of(f), !*slot || is_the_same(&k->at[*slot - 1], f));
	return slot;
}

/* With room for n more. */
static bool set_init(struct set *s, struct known *k, uint32_t n)
{
	struct fact *grown = realloc(k->at, (k->n + (size_t)n + 1) * sizeof(*grown));

	if (!grown)
		return false;
	k->at = grown;
	s->bits = table_bits((uint64_t)k->n + n, 4);
	s->slot = calloc(table_slots(s->bits), sizeof(*s->slot));
	for (uint32_t i = 0; s->slot && i < k->n; i++)
		*slot_of(s, k, &k->at[i]) = i + 1;
	return s->slot;
}

/* An address that nobody can name means nothing to another process. */
static bool is_lost(const struct fact *f, bool by_name)
{
	return by_name && f->place.kind == PLACE_UNKNOWN && f->addr;
}

/* Do only executions start again for it? */
static bool is_small(const struct fact *f)
{
	return f->kind == FACT_REPEATS || f->kind == FACT_NEEDS_CHILD || f->kind == FACT_NEEDS_COPY;
}

int known_take(struct known *k, const struct fact_table *t, bool by_name)
{
	uint32_t n = facts_count(t), *slot;
	bool more = false;
	struct set set;
	struct fact f;

	if (!set_init(&set, k, n))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		if (!facts_get(t, i, &f) || is_lost(&f, by_name))
			continue;
		slot = slot_of(&set, k, &f);
		if (*slot)
			continue;
		k->at[k->n++] = f;
		*slot = k->n;
		more |= !is_small(&f);
	}
	late_copy(&k->late, &t->late);
	k->look = atomic_load_explicit(&t->look, memory_order_relaxed);
	free(set.slot);
	return more;
}

void known_give(const struct known *k, struct fact_table *t)
{
	facts_init(t);
	late_copy(&t->late, &k->late);
	for (uint32_t i = 0; i < k->n; i++)
		facts_add(t, k->at[i].kind, &k->at[i].place, k->at[i].addr, k->at[i].arg);
	/* relaxed: processes that start later read it */
	atomic_store_explicit(&t->used, facts_count(t), memory_order_relaxed);
	atomic_store_explicit(&t->look, k->look, memory_order_relaxed);
}

void known_release(struct known *k)
{
	free(k->at);
	*k = (struct known){ .at = NULL };
}
