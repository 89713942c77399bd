/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * race.h - data races between plain accesses, decided from what eight bytes remember
 *
 * A cell stands for the eight bytes of one granule. It remembers the last write and the
 * reads since, as epochs: who (thread), when (that thread's own event count at the access),
 * which of the eight bytes (mask) and where in the code (pc). This is FastTrack (PLDI 2009)
 * made exact per byte:
 *
 *	struct race_cell cell = { 0 };
 *	struct race_access now = { .clock = clock_of_thread_1, .tid = 1, .mask = 0x0f,
 *				   .is_write = true, .pc = pc };
 *	struct race_prior prior;
 *
 *	if (race_access(&cell, &pool, &now, &prior))
 *		the access races with prior
 *
 * Pure logic over the caller's memory: no dependency on the program under test. Not
 * thread-safe.
 */
#ifndef HEDDLE_PRELOAD_RACE_H
#define HEDDLE_PRELOAD_RACE_H

#include <stdbool.h>
#include <stdint.h>

/* Who accessed which bytes from where; mask 0: nobody. */
struct race_mark {
	uint64_t pc : 47;
	uint64_t mask : 8;
	uint64_t by : 8;    /* the thread; what is more than that is in the clock beside it */
	uint64_t split : 1; /* only in race_cell.write: both clocks are list heads */
};

enum {
	RACE_ALL = 0xff /* bytes of a granule, as a mask */
};

/*
 * The clock that stands beside a mark counts events in its lower bits. Of the others one is the ninth of the
 * thread's id, and one says that it allocated the bytes: that is no access that a thread may repeat, and no clock
 * is equal to it.
 */
#define RACE_PC        (((uint64_t)1 << 47) - 1)
#define RACE_NINTH     (1u << 30)
#define RACE_ALLOCATES (1u << 31)

/* Which bytes of the granule (8 bytes) at `granule` an access of [addr, end) touches, as a mask. */
static inline uint8_t race_bytes(uint64_t granule, uint64_t addr, uint64_t end)
{
	unsigned first = addr > granule ? (unsigned)(addr - granule) : 0;
	unsigned last = end < granule + 8 ? (unsigned)(end - granule) : 8;

	return (uint8_t)(0xffu << first & 0xffu >> (8 - last));
}

/* All zero: no access so far. */
struct race_cell {
	uint32_t write_clock, read_clock;
	struct race_mark write, read;
};

/* One access that no longer fits into its cell, in a list. */
struct race_record {
	struct race_mark mark;
	uint32_t clock;
	uint32_t next; /* index into the pool; 0 ends the list */
};

/* Where records come from. The caller sets record and max, and calls race_pool_reset(). */
struct race_pool {
	struct race_record *record; /* max of them; the first is never used */
	uint32_t used, free, max;
};

struct race_access {
	/* clock[u]: how many events of thread u happen before this access; an access that
	 * thread u made when its own entry was c happens before this one iff clock[u] > c. */
	const uint32_t *clock;
	uint32_t tid;
	uint8_t mask;
	bool is_write;
	bool exact_pc; /* never let one pc stand for bytes accessed from several places */
	uint64_t pc;
};

/* The earlier side of a race. */
struct race_prior {
	uint32_t tid, clock;
	bool is_write;
	bool allocates; /* it is no access, but the allocation of the bytes */
	uint8_t mask;   /* of the bytes both touch */
	uint64_t pc;
};

void race_pool_reset(struct race_pool *pool);

/*
 * Checks an access against all earlier conflicting ones of the cell and remembers it.
 * Returns true, fills *prior and leaves the cell as it was when they race. A cell must not
 * be used further once the pool is exhausted: *pool then has free == 0 and used == max, and
 * the caller checks race_pool_left() beforehand.
 */
bool race_access(struct race_cell *cell, struct race_pool *pool, const struct race_access *now,
		 struct race_prior *prior);

/*
 * The same for a cell that stands for many granules, and so must not be split: 1 for a race, 0 if the
 * access was remembered, -1 if it cannot be without that; then nothing has changed.
 */
int race_access_whole(struct race_cell *cell, const struct race_pool *pool,
		      const struct race_access *now, struct race_prior *prior);

/* The check alone, without remembering (for an atomic access, which is an event instead). */
bool race_check(const struct race_cell *cell, const struct race_pool *pool,
		const struct race_access *now, struct race_prior *prior);

/*
 * The same where a race is not the end: tells each earlier access that this one races with, and remembers
 * this one beside them. Masks of a cell's records may overlap from then on.
 */
void race_access_all(struct race_cell *cell, struct race_pool *pool, const struct race_access *now,
		     void (*tell)(const struct race_prior *prior, void *ctx), void *ctx);

/*
 * The bytes of an empty cell were allocated by a thread when its own entry was clock, by a call at pc.
 * For all others that is a write which has to happen before they touch them.
 */
void race_allocated(struct race_cell *cell, uint32_t tid, uint32_t clock, uint8_t mask,
		    uint64_t pc);

/* Has one of these bytes been written by an access? */
bool race_written(const struct race_cell *cell, const struct race_pool *pool, unsigned mask);

/* How many accesses can surely still be remembered: each takes at most three records. */
static inline uint32_t race_pool_left(const struct race_pool *pool)
{
	return (pool->max - pool->used) / 3;
}

/* True when an access by (tid, clock) would change nothing: the common case, decided
 * without a call. (Of thread 256 that is never known.) */
static inline bool race_known_write(const struct race_cell *cell, uint32_t tid, uint32_t clock,
				    unsigned mask)
{
	return !(mask & ~cell->write.mask) && cell->write.by == tid && cell->write_clock == clock;
}

static inline bool race_known_read(const struct race_cell *cell, uint32_t tid, uint32_t clock,
				   unsigned mask)
{
	return (!(mask & ~cell->read.mask) && cell->read.by == tid && cell->read_clock == clock) ||
	       race_known_write(cell, tid, clock, mask);
}

static inline uint32_t race_thread(struct race_mark mark, uint32_t at)
{
	return mark.by | (at & RACE_NINTH) >> 22;
}

/* How many events its thread had done; and what stands beside the mark of an access by a thread that has done so many. */
static inline uint32_t race_clock(uint32_t at)
{
	return at & (RACE_NINTH - 1);
}

static inline uint32_t race_at(uint32_t tid, uint32_t clock)
{
	return clock | tid >> 8 << 30;
}

/* Is the mark's access the thread's own, or does it happen before what it does now? */
static inline bool race_before(struct race_mark mark, uint32_t at, uint32_t tid,
			       const uint32_t *clock)
{
	const uint32_t by = race_thread(mark, at);

	return by == tid || clock[by] > race_clock(at);
}

/*
 * What race_access() does where the cell, in its common form, can forget what it has: the accesses to these
 * bytes happened before, and those that now takes the place of were to no others. False, and nothing is done,
 * when it is not so. Uses no stack.
 */
static inline bool race_next_read(struct race_cell *cell, uint32_t tid, const uint32_t *clock,
				  unsigned mask, uint64_t pc)
{
	if (cell->write.split ||
	    ((cell->write.mask & mask) &&
	     !race_before(cell->write, cell->write_clock, tid, clock)) ||
	    (cell->read.mask &&
	     ((cell->read.mask & ~mask) || !race_before(cell->read, cell->read_clock, tid, clock))))
		return false;
	cell->read = (struct race_mark){ .pc = pc, .mask = mask, .by = tid };
	cell->read_clock = race_at(tid, clock[tid]);
	return true;
}

static inline bool race_next_write(struct race_cell *cell, uint32_t tid, const uint32_t *clock,
				   unsigned mask, uint64_t pc)
{
	if (cell->write.split ||
	    ((cell->read.mask & mask) && !race_before(cell->read, cell->read_clock, tid, clock)) ||
	    (cell->write.mask && ((cell->write.mask & ~mask) ||
				  !race_before(cell->write, cell->write_clock, tid, clock))))
		return false;
	cell->write = (struct race_mark){ .pc = pc, .mask = mask, .by = tid };
	cell->write_clock = race_at(tid, clock[tid]);
	cell->read.mask &= ~mask;
	return true;
}

#endif
