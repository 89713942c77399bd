/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * race.c - data races between plain accesses (see race.h)
 *
 * Two accesses of one byte race when one of them writes and neither happens before the
 * other. As long as no race was found, the writes of a byte are ordered, so the last one
 * stands for all; a read is dropped once a later read or write of the byte that it happens
 * before is known, since whatever races with the dropped one races with the later one.
 *
 * A cell in its common form holds one write and one read. When the bytes of the granule
 * differ, or reads are concurrent, it is split: two lists of records, where
 *
 *	- the masks of the write records are disjoint,
 *	- for each thread the masks of its read records are disjoint,
 *	- no record has an empty mask,
 *
 * and it goes back to the common form when each list has at most one record.
 *
 * Cost: a few comparisons in the common form; split, one visit of each record, at most
 * 8 writes and 8 reads per thread. Callers: shadow.c, shadow_plain.c.
 */
#include "preload/race/race.h"
#include "preload/code/fini.h"

#include <stddef.h>

void race_pool_reset(struct race_pool *pool)
{
	pool->used = 1;
	pool->free = 0;
}

static uint32_t record_new(struct race_pool *pool)
{
	uint32_t i = pool->free;

	if (i)
		pool->free = pool->record[i].next;
	else
		i = pool->used++;
	return i;
}

static void record_free(struct race_pool *pool, uint32_t i)
{
	pool->record[i].next = pool->free;
	pool->free = i;
}

static bool before(const struct race_access *now, struct race_mark mark, uint32_t clock)
{
	return race_before(mark, clock, now->tid, now->clock);
}

/* Does the access marked so race with now? Conflict is the caller's business. */
static bool races(const struct race_access *now, struct race_mark mark, uint32_t clock,
		  bool is_write, struct race_prior *prior)
{
	if (!(mark.mask & now->mask) || before(now, mark, clock))
		return false;
	prior->tid = race_thread(mark, clock);
	prior->clock = race_clock(clock);
	prior->is_write = is_write;
	prior->allocates = clock & RACE_ALLOCATES;
	prior->mask = mark.mask & now->mask;
	prior->pc = mark.pc;
	return true;
}

static bool races_list(const struct race_pool *pool, uint32_t head, const struct race_access *now,
		       bool is_write, struct race_prior *prior)
{
	for (uint32_t i = head; i; i = pool->record[i].next)
		if (races(now, pool->record[i].mark, pool->record[i].clock, is_write, prior))
			return true;
	return false;
}

bool race_check(const struct race_cell *cell, const struct race_pool *pool,
		const struct race_access *now, struct race_prior *prior)
{
	if (cell->write.split)
		return races_list(pool, cell->write_clock, now, true, prior) ||
		       (now->is_write && races_list(pool, cell->read_clock, now, false, prior));
	return races(now, cell->write, cell->write_clock, true, prior) ||
	       (now->is_write && races(now, cell->read, cell->read_clock, false, prior));
}

static void tell_list(const struct race_pool *pool, uint32_t head, const struct race_access *now,
		      bool is_write, void (*tell)(const struct race_prior *prior, void *ctx),
		      void *ctx)
{
	struct race_prior prior;

	for (uint32_t i = head; i; i = pool->record[i].next)
		if (races(now, pool->record[i].mark, pool->record[i].clock, is_write, &prior))
			tell(&prior, ctx);
}

static struct race_mark mark_of(const struct race_access *now)
{
	return (struct race_mark){ .pc = now->pc & RACE_PC,
				   .mask = now->mask,
				   .by = now->tid & 0xff };
}

/* And the clock beside it. */
static uint32_t at_of(const struct race_access *now)
{
	return race_at(now->tid, now->clock[now->tid]);
}

/* By the same thread, between the same two of its events? */
static inline bool is_same(struct race_mark mark, uint32_t clock, const struct race_access *now)
{
	return mark.by == (now->tid & 0xff) && clock == at_of(now);
}

/* May the access be told by a mark that is already there, with a wider mask? */
static bool mergeable(struct race_mark mark, uint32_t clock, const struct race_access *now)
{
	return is_same(mark, clock, now) && (!now->exact_pc || mark.pc == (now->pc & RACE_PC));
}

/* ---- The split form --------------------------------------------------------------------- */

static uint32_t push(struct race_pool *pool, uint32_t head, struct race_mark mark, uint32_t clock)
{
	uint32_t i = record_new(pool);

	mark.split = 0;
	pool->record[i] = (struct race_record){ .mark = mark, .clock = clock, .next = head };
	return i;
}

static void split(struct race_cell *cell, struct race_pool *pool)
{
	uint32_t writes = 0, reads = 0;

	if (cell->write.mask)
		writes = push(pool, 0, cell->write, cell->write_clock);
	if (cell->read.mask)
		reads = push(pool, 0, cell->read, cell->read_clock);
	*cell = (struct race_cell){ .write_clock = writes, .read_clock = reads };
	cell->write.split = 1;
}

static void unsplit(struct race_cell *cell, struct race_pool *pool)
{
	uint32_t w = cell->write_clock, r = cell->read_clock;
	struct race_cell whole = { 0 };

	if ((w && pool->record[w].next) || (r && pool->record[r].next))
		return;
	if (w) {
		whole.write = pool->record[w].mark;
		whole.write_clock = pool->record[w].clock;
		record_free(pool, w);
	}
	if (r) {
		whole.read = pool->record[r].mark;
		whole.read_clock = pool->record[r].clock;
		record_free(pool, r);
	}
	*cell = whole;
}

/* Takes the bytes of now out of every record of a list that happens before it. */
static void cut(struct race_pool *pool, uint32_t *head, const struct race_access *now)
{
	for (uint32_t *at = head; *at;) {
		uint32_t i = *at;
		struct race_record *rec = &pool->record[i];

		if (before(now, rec->mark, rec->clock))
			rec->mark.mask &= ~now->mask & RACE_ALL;
		if (rec->mark.mask) {
			at = &rec->next;
		} else {
			*at = rec->next;
			record_free(pool, i);
		}
	}
}

static void insert(struct race_pool *pool, uint32_t *head, const struct race_access *now)
{
	for (uint32_t i = *head; i; i = pool->record[i].next) {
		struct race_record *rec = &pool->record[i];

		if (mergeable(rec->mark, rec->clock, now)) {
			rec->mark.mask |= now->mask;
			return;
		}
	}
	*head = push(pool, *head, mark_of(now), at_of(now));
}

/* Bytes of now that the thread wrote in its present epoch: reads of them tell nothing new. */
static uint8_t own_writes(const struct race_pool *pool, uint32_t head,
			  const struct race_access *now)
{
	uint8_t mask = 0;

	for (uint32_t i = head; i; i = pool->record[i].next) {
		const struct race_record *rec = &pool->record[i];

		if (is_same(rec->mark, rec->clock, now))
			mask |= rec->mark.mask;
	}
	return mask & now->mask;
}

static void remember_split(struct race_cell *cell, struct race_pool *pool,
			   const struct race_access *now)
{
	struct race_access rest = *now;

	if (now->is_write) {
		cut(pool, &cell->write_clock, now);
		cut(pool, &cell->read_clock, now);
		insert(pool, &cell->write_clock, now);
	} else {
		rest.mask &= (uint8_t)~own_writes(pool, cell->write_clock, now);
		if (rest.mask) {
			cut(pool, &cell->read_clock, &rest);
			insert(pool, &cell->read_clock, &rest);
		}
	}
	unsplit(cell, pool);
}

void race_allocated(struct race_cell *cell, uint32_t tid, uint32_t clock, uint8_t mask, uint64_t pc)
{
	cell->write = (struct race_mark){ .pc = pc & RACE_PC, .mask = mask, .by = tid & 0xff };
	cell->write_clock = race_at(tid, clock) | RACE_ALLOCATES;
}

static bool is_write_of(struct race_mark mark, uint32_t clock, unsigned mask)
{
	return !(clock & RACE_ALLOCATES) && (mark.mask & mask);
}

bool race_written(const struct race_cell *cell, const struct race_pool *pool, unsigned mask)
{
	if (!cell->write.split)
		return is_write_of(cell->write, cell->write_clock, mask);
	for (uint32_t i = cell->write_clock; i; i = pool->record[i].next)
		if (is_write_of(pool->record[i].mark, pool->record[i].clock, mask))
			return true;
	return false;
}

/* ---- The common form -------------------------------------------------------------------- */

/* Puts now in the place of *mark, or merges it in; false when both must be kept apart. */
static bool replace(struct race_mark *mark, uint32_t *clock, const struct race_access *now)
{
	bool covered = !(mark->mask & ~now->mask);

	if (mark->mask && !(covered && before(now, *mark, *clock))) {
		if (!mergeable(*mark, *clock, now))
			return false;
		mark->mask |= now->mask;
		mark->pc = now->pc;
		return true;
	}
	*mark = mark_of(now);
	*clock = at_of(now);
	return true;
}

static bool remember(struct race_cell *cell, const struct race_access *now)
{
	if (!now->is_write)
		return race_known_write(cell, now->tid, now->clock[now->tid], now->mask) ||
		       replace(&cell->read, &cell->read_clock, now);
	if (!replace(&cell->write, &cell->write_clock, now))
		return false;
	cell->read.mask &= ~now->mask & RACE_ALL;
	return true;
}

void race_access_all(struct race_cell *cell, struct race_pool *pool, const struct race_access *now,
		     void (*tell)(const struct race_prior *prior, void *ctx), void *ctx)
{
	if (!cell->write.split)
		split(cell, pool);
	tell_list(pool, cell->write_clock, now, true, tell, ctx);
	if (now->is_write)
		tell_list(pool, cell->read_clock, now, false, tell, ctx);
	remember_split(cell, pool, now);
}

int race_access_whole(struct race_cell *cell, const struct race_pool *pool,
		      const struct race_access *now, struct race_prior *prior)
{
	if (race_check(cell, pool, now, prior))
		return 1;
	return remember(cell, now) ? 0 : -1;
}

bool race_access(struct race_cell *cell, struct race_pool *pool, const struct race_access *now,
		 struct race_prior *prior)
{
	if (race_check(cell, pool, now, prior))
		return true;
	if (!cell->write.split) {
		if (remember(cell, now))
			return false;
		split(cell, pool);
	}
	remember_split(cell, pool, now);
	return false;
}
