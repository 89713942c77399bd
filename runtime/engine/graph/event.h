/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event.h - one event of an execution graph
 *
 * Events are named thread.index and stand in the graph in the order in which they were
 * inserted; their place in it, a number, is how they refer to each other. A
 * read-modify-write is two events, an exclusive read and right behind it in its thread an
 * exclusive write (GenMC, PLDI 2019, Section 2.6); a compare-and-swap that fails is the
 * read alone.
 */
#ifndef HEDDLE_ENGINE_EVENT_H
#define HEDDLE_ENGINE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/graph/await_mask.h"
#include "wire/op.h"

enum {
	EV_READ = 1,
	EV_WRITE = 2,
	EV_EXCLUSIVE = 4, /* part of a read-modify-write that succeeds */
	EV_BLOCKED = 8,   /* a guarded read that waits: it observes nothing (see explore.c) */
	EV_FENCE = 16,
	EV_PLACED = 32, /* a write that has its place in mo (`mo` equivalence) */
	EV_AWAIT = 64,  /* a read of which is known with what values its thread only waits */
	EV_LOOKS = 128, /* an await that looks for good: it may observe such a value as well */
};

/* RF_INIT and NO_POS are the same number: where a read has no source, that is RF_NONE. */
#define RF_INIT UINT32_MAX       /* reads the initial write of its location */
#define RF_NONE (UINT32_MAX - 1) /* reads nothing */
#define NO_LOC  UINT32_MAX
#define NO_POS  UINT32_MAX

/* What a run that repeats the event looks at comes first. */
struct event {
	uint8_t kind;  /* enum op_kind */
	uint8_t flags; /* EV_* */
	uint8_t order; /* enum mem_order in force: of the failure where a CAS fails */
	uint8_t size;
	uint8_t fn; /* enum rmw_fn */
	uint8_t order_success : 4, order_fail : 4;
	uint16_t tid;
	uint32_t index;       /* in its thread, from 0 */
	uint32_t loc;         /* or NO_LOC */
	uint32_t rf;          /* place of the write it reads, or RF_*; of OP_START, OP_JOIN and
				* OP_COND_WOKEN: the event they wait for */
	uint32_t prev_at_loc; /* the event of the same location inserted before it, or NO_POS */
	uint64_t pc;
	struct value read, written;
	/* Look at the flags first, also in an event that was just copied from a read to become the
	 * write part of its read-modify-write. */
	union {
		struct { /* of a read */
			struct value arg, expected;
		};
		struct { /* of a write */
			/* its neighbours in mo, where it is placed; RF_INIT and NO_POS at the ends */
			uint32_t mo_before, mo_after;
			uint32_t head;  /* the latest release write of its thread to the location up
					 * to itself, or NO_POS */
			uint32_t taker; /* a read-modify-write that reads it, or NO_POS */
			uint32_t next_taker; /* EV_EXCLUSIVE: the next that reads the same write */
		};
	};
	uint32_t last_release; /* 1 + index of the last release fence of its thread, 0: none */
	uint32_t last_fence;   /* 1 + index of the last sc fence of its thread, itself included */
	uint32_t choice;
	uint32_t peer;
	/* explore_lock.c: of a lock's read, when its slot was inserted; of any event, how many
	 * there were when its thread came to the next operation (NO_POS: not yet), and the
	 * mutex that it is to lock then, or NO_LOC. */
	uint32_t slot, slot_rank, asked, asks;
	/* slot in random testing, but of write parts: how many operations of its thread came before it. */
};

_Static_assert(sizeof(struct event) == 128, "two lines of the cache, and found by a shift");

/* Of an event that is EV_AWAIT, and beside it, since few are. */
struct waits {
	struct await_mask mask;
	uint64_t gate; /* 1 + the number of its gate (explore_gate.c), or 0 */
};

/*
 * Scratch of coherence.c, psc.c and model_sc.c, about an event. gen marks what one walk has met: a
 * check in front of a walk that marks with the same number hides events from it.
 */
struct notes {
	uint32_t gen, chain, rank, node, readers;
};

/* The order of names (explore.txt, E): initial writes first, then by thread and index. */
static inline uint64_t event_name(const struct event *ev)
{
	return ((uint64_t)ev->tid << 32 | ev->index) + 1;
}

/* The write that an event at pos stands for: itself, or the one it reads from. */
static inline uint32_t event_write(const struct event *ev, uint32_t pos)
{
	return ev->flags & EV_WRITE ? pos : ev->rf;
}

static inline bool order_acquires(unsigned order)
{
	return order == ORDER_ACQ || order >= ORDER_ACQ_REL;
}

static inline bool order_releases(unsigned order)
{
	return order >= ORDER_REL;
}

/* Does the read wait with values that fail (EV_LOOKS: it observes them as well)? */
static inline bool is_await(const struct event *ev)
{
	return (ev->flags & (EV_AWAIT | EV_LOOKS)) == EV_AWAIT;
}

/* Has the write a message that does not come from another write of its location? */
static inline bool event_begins_message(const struct event *write)
{
	return order_releases(write->order) || write->last_release;
}

static inline bool is_sc_fence(const struct event *ev)
{
	return (ev->flags & EV_FENCE) && ev->order == ORDER_SC;
}

#endif
