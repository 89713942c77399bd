/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * op.h - one intercepted operation, as a hook hands it to the engine
 *
 * A hook fills a struct op; the engine answers with a struct op_result. Plain accesses are
 * not ops (shadow memory sees them) unless their location was promoted because it is also
 * accessed atomically; then they are OP_LOAD or OP_STORE with order ORDER_NA.
 *
 * Library objects (mutexes, condition variables, once controls, semaphores) are hidden
 * locations named by the address of the object, with size 0. Their state is one value:
 *
 *	mutex	0 free, 1 locked
 *	cond	bit t set: thread t waits; of more than 64 threads, what engine/graph/waiting.h says
 *	once	0 not begun, 1 running, 2 done
 *	sem	the count
 *	rwlock	how many times it is locked for reading, or OP_RW_WRITER; and OP_RW_ASKED for
 *		each writer that readers have to wait for
 *	barrier	how many threads have arrived since it was initialised
 *	count	what a pipe or the like holds, and COUNT_NO_WRITER, COUNT_NO_READER
 *	set	of an epoll descriptor: READY_*; the only one with two words
 *	futex	bit t set: thread t sleeps (engine/graph/futex.h); of more, likewise. Words between which
 *		threads are moved have one such location, named by one of them
 *
 * OP_JOIN, OP_SEM_WAIT, OP_COND_WOKEN, OP_COUNT_TAKE, OP_COUNT_ADD, OP_COUNT_AWAIT and OP_READY_TAKE
 * can be called off, in an execution of its own: when arg.hi is the address of a semaphore that is above 0
 * in the end, to block there for ever is no deadlock.
 *
 * An operation on such an object may block for some states ("guarded"); the engine then
 * keeps the thread waiting until it can read a state for which it does not block.
 */
#ifndef HEDDLE_WIRE_OP_H
#define HEDDLE_WIRE_OP_H

#include <stdint.h>

#include "base/thread_set.h"
#include "wire/value.h"

enum {
	OP_RW_WRITER = 1 << 16,
	OP_RW_ASKED = 1 << 17,   /* and more */
	OP_SEM_MOST = 0x7fffffff /* SEM_VALUE_MAX */
};

enum op_kind {
	OP_LOAD,        /* addr, size, order; fn: enum load_how, expected */
	OP_STORE,       /* addr, size, order, arg */
	OP_RMW,         /* addr, size, order, fn, arg */
	OP_CAS,         /* addr, size, order, order_fail, expected, arg = desired */
	OP_FENCE,       /* order */
	OP_CREATE,      /* result.tid: the new thread */
	OP_START,       /* first operation of every thread but the main one */
	OP_END,         /* last operation of a thread (not of the main one at exit) */
	OP_JOIN,        /* peer: the thread waited for; blocks until its OP_END; arg; fn 1: others
			    * may join it as well, so it keeps its id */
	OP_EXIT,        /* the process ends; waits until no other thread can move */
	OP_LOCK,        /* addr; 0 -> 1, blocks at 1 */
	OP_TRYLOCK,     /* addr; 0 -> 1 (result.wrote), at 1 only reads */
	OP_UNLOCK,      /* addr; writes 0 (also used to (re)initialise a mutex) */
	OP_COND_BEGIN,  /* addr; the caller starts to wait (before it unlocks the mutex) */
	OP_COND_WOKEN,  /* addr; blocks until a signal or broadcast took the caller out;
			    * arg; fn: enum woken, or 0;
			    * peer 1: in a timed wait, which ends in another way if nobody does,
			    * so that an execution in which nobody does is none; expected.lo:
			    * the futex's word, if it is one, for reports */
	OP_COND_SIGNAL, /* addr; takes one waiter out, every choice is explored */
	OP_COND_BROADCAST, /* addr; takes all waiters out */
	OP_FUTEX_LOOK,     /* addr; what comes between it and the caller's next OP_FUTEX_WAIT or
			    * _REQUEUE is one step with that: no other operation on the queue
			    * comes between them. The caller may also do neither */
	OP_FUTEX_WAIT,     /* addr; the caller goes to sleep on word arg.lo, with the bits
			    * arg.hi, until it is taken out (OP_COND_WOKEN comes next) */
	OP_FUTEX_WAKE,     /* addr; takes up to peer threads out that sleep on word arg.lo with
			    * one of the bits arg.hi, every choice is explored */
	OP_FUTEX_REQUEUE,  /* addr; takes up to peer threads out that sleep on word arg.lo, and
			    * up to arg.hi more sleep on expected.lo from now on */
	OP_ONCE_ENTER,     /* addr; 0 -> 1 (result.wrote: the caller runs the routine), blocks
			     * at 1, at 2 only reads */
	OP_ONCE_DONE,      /* addr; writes 2 */
	OP_SEM_WAIT,       /* addr; v -> v - 1, blocks at 0; arg */
	OP_SEM_TRYWAIT,    /* addr; v -> v - 1 (result.wrote), at 0 only reads */
	OP_SEM_POST,       /* addr; v -> v + 1 (result.wrote), at OP_SEM_MOST only reads */
	OP_COND_LEAVE,     /* addr; a waiter gives up: takes itself out (result.wrote), or only
			     * reads that a signal or broadcast took it out */
	OP_RDLOCK,         /* addr; v -> v + 1, blocks from OP_RW_WRITER on */
	OP_TRYRDLOCK,      /* the same, only reads there */
	OP_WRLOCK,         /* addr; 0 -> OP_RW_WRITER, blocks at anything else; arg 1: the caller
			     * has asked, v -> v + OP_RW_WRITER - OP_RW_ASKED, blocks while it is
			     * locked */
	OP_TRYWRLOCK,      /* 0 -> OP_RW_WRITER, only reads at anything else */
	OP_RWUNLOCK,       /* addr; v -> v - 1 or v - OP_RW_WRITER */
	OP_RW_ASK,         /* addr; v -> v + OP_RW_ASKED */
	OP_BARRIER_ARRIVE, /* addr, arg: threads of a round; v -> v + 1 */
	OP_BARRIER_PASS,   /* addr, arg; blocks until the round that the caller arrived in is
			     * full */
	OP_COUNT_TAKE, /* addr; v -> v - min(v, arg), blocks at 0 unless there is no writer: then it
			    * only reads */
	OP_COUNT_TRYTAKE, /* the same; at 0 only reads */
	OP_COUNT_ADD,     /* addr; v -> v + arg, blocks when that is more than expected; only reads
			    * if there is no reader */
	OP_COUNT_TRYADD,  /* the same; when it is more only reads */
	OP_COUNT_CLOSE,   /* addr; sets the flags arg */
	OP_COUNT_OPEN,    /* addr; writes 0, whatever was there */
	OP_COUNT_LOOK,    /* addr; reads */
	OP_COUNT_AWAIT,   /* addr; reads, blocks unless count_ready(state, expected) says one of the
			    * bits arg; peer not 0: as for OP_COND_WOKEN */
	OP_READY_TAKE, /* addr; blocks while the set is busy, or has none of the bits arg.lo; then
			    * nothing is listed, and it is busy; peer not 0: as for OP_COND_WOKEN */
	OP_READY_TRYTAKE, /* the same, but where it is not busy and has none it only reads */
	OP_READY_LOCK,    /* addr; blocks while the set is busy, makes it so */
	OP_READY_MARK,    /* addr; something happened to those arg.lo, of kind fn (enum ready_key):
			    * those that ask for it are listed; all are while the set is busy */
	OP_READY_RELEASE, /* addr; not busy any more; clears the bits arg, sets the bits expected */
	OP_CHOOSE,        /* peer = n: result.value is any of 0..n-1; fn: enum choose_how, then
			    * arg.lo is the likely way (n: either), for random testing */
	OP_BLOCK,         /* a failed assume: the thread never goes on; expected.lo: the lock that
			   * it tries to get in vain, again and again, instead, with rounds of
			   * peer operations; fn: enum block_why */
	OP_STUCK,         /* the redundant-round rule stopped the thread (await.txt);
			     * peer: how many of its operations make up its last round, that is
			     * those after r1 up to and with r2; 0 when r1 read another value
			     * than r2, so that the next round is not that one again; fn: enum
			     * stuck, of threads whose rounds cancel out */
	OP_YIELD,         /* no event; lets others run first, which when testing at random takes fn
			   * YIELD_ASIDE or YIELD_BACK: else whoever is drawn runs; peer: code of the
			   * program is behind it as well as before it, and it is the so manieth of these
			   * in its thread; 0: it is part of the operation behind it */
	OP_PAUSE,         /* nothing; what the thread does without operations, behind it, it does
			   * when its turn comes (random testing) */
	OP_KINDS
};

/* Sets of kinds: operations that try to take a lock, or a share of one (to read, or of a semaphore), and do not wait for it; */
#define OP_SET(kind) ((uint64_t)1 << (kind))
#define OP_SET_TRIES \
	(OP_SET(OP_TRYLOCK) | OP_SET(OP_TRYRDLOCK) | OP_SET(OP_TRYWRLOCK) | OP_SET(OP_SEM_TRYWAIT))
/* that take one, try to, or say that they will; and that give it back. */
#define OP_SET_TAKES                                                              \
	(OP_SET_TRIES | OP_SET(OP_LOCK) | OP_SET(OP_RDLOCK) | OP_SET(OP_WRLOCK) | \
	 OP_SET(OP_RW_ASK) | OP_SET(OP_SEM_WAIT))
#define OP_SET_FREES (OP_SET(OP_UNLOCK) | OP_SET(OP_RWUNLOCK) | OP_SET(OP_SEM_POST))
_Static_assert(OP_KINDS <= 64, "a set of kinds is a word");

static inline bool op_tries_lock(unsigned kind)
{
	return OP_SET_TRIES >> kind & 1;
}

static inline bool op_takes_lock(unsigned kind)
{
	return OP_SET_TAKES >> kind & 1;
}

static inline bool op_frees_lock(unsigned kind)
{
	return OP_SET_FREES >> kind & 1;
}

/* How a load differs from others. */
enum load_how {
	LOAD_OF_FUTEX =
		1,    /* it comes behind an OP_FUTEX_LOOK; explored, no execution is one in which it
			    * does not read `expected`; */
	LOAD_CHANGED, /* likewise, in which it does */
	LOAD_LATEST,  /* random testing reads the latest write; */
	LOAD_LATELY   /* mostly so */
};

/* Where a handler runs while the thread waits to be woken, what comes of the wait? */
enum woken {
	WOKEN_BEHIND = 1, /* the thread waits on */
	WOKEN_OR_ENDED    /* it is over */
};

/* Of a choice that no program made: how a wait ends; whether a thread goes to sleep. A loop of such waits is an await. */
enum choose_how {
	CHOOSE_ENDS = 1,
	CHOOSE_SLEEPS
};

/* Where in its round a thread is stopped (await.txt, E5). */
enum stuck {
	STUCK_ROUND, /* where it has taken back all that it added */
	STUCK_ANYWHERE,
	STUCK_TOGETHER /* anywhere: it was followed, with others, and none of them leaves (E8) */
};

/* Why a thread goes no further. */
enum block_why {
	BLOCK_OTHERWISE,
	BLOCK_ASSUMES, /* heddle_assume() */
	BLOCK_HAS_BUG, /* it has one, by itself (engine/memo.txt, K11) */
	BLOCK_IN_BUG   /* it has one, together with others */
};

/* What a thread that yields has done since it did so last. */
enum yield_state {
	YIELD_ASIDE = 1,
	YIELD_BACK, /* nothing: it is where it was */
};

/* "load", "store", ...: as in traces. */
const char *op_kind_name(enum op_kind kind);

/* Flags of a count, beside its value. */
#define COUNT_NO_WRITER ((uint64_t)1 << 62) /* nothing will be added any more */
#define COUNT_NO_READER ((uint64_t)1 << 63)
#define COUNT_OF(state) ((state) & (COUNT_NO_WRITER - 1))

enum count_ready {
	COUNT_READABLE = 1, /* to take would not wait */
	COUNT_WRITABLE = 2, /* to add one would not wait */
	COUNT_ENDED = 4,    /* nothing will be added */
	COUNT_BROKEN = 8    /* nothing will be taken */
};

static inline unsigned count_ready(uint64_t state, uint64_t most)
{
	return (COUNT_OF(state) || (state & COUNT_NO_WRITER) ? COUNT_READABLE : 0u) |
	       (COUNT_OF(state) < most || (state & COUNT_NO_READER) ? COUNT_WRITABLE : 0u) |
	       (state & COUNT_NO_WRITER ? COUNT_ENDED : 0u) |
	       (state & COUNT_NO_READER ? COUNT_BROKEN : 0u);
}

/*
 * A set: what it watches has a place of READY_PLACES. Of each, low word: is it listed as perhaps ready;
 * is it asked for anything. High word: is it asked for when there is something to read; for room.
 */
enum {
	READY_PLACES = 30
};

#define READY_ALL          (((uint64_t)1 << READY_PLACES) - 1)
#define READY_BUSY         ((uint64_t)1 << 60) /* a thread looks at it, or changes it */
#define READY_FOREIGN      ((uint64_t)1 << 61) /* something is to be asked in the kernel */
#define READY_UPPER(place) (((uint64_t)1 << READY_PLACES) << (place))

/* What has happened to something watched; the kernel tells who waits for it. */
enum ready_key {
	READY_KEY_ANY, /* an end was closed or shut: whoever asks for anything is told */
	READY_KEY_IN,  /* there is more to read */
	READY_KEY_OUT  /* there is more room */
};

/* Orders as in C11, plus the plain access. */
enum mem_order {
	ORDER_NA,
	ORDER_RLX,
	ORDER_ACQ,
	ORDER_REL,
	ORDER_ACQ_REL,
	ORDER_SC
};

enum rmw_fn {
	RMW_XCHG,
	RMW_ADD,
	RMW_SUB,
	RMW_AND,
	RMW_OR,
	RMW_XOR,
	RMW_NAND,
	RMW_NEG /* whatever arg is */
};

struct op {
	uint8_t kind;       /* enum op_kind */
	uint8_t order;      /* enum mem_order; of the success for OP_CAS */
	uint8_t order_fail; /* OP_CAS */
	uint8_t size;       /* bytes: 1, 2, 4, 8, 16; 0 for library objects */
	uint8_t fn;         /* enum rmw_fn, OP_RMW */
	uint8_t await; /* OP_LOAD: here threads are known to wait, see engine_await_unknown() */
	uint32_t peer; /* OP_JOIN: thread; OP_CHOOSE: how many; of memory: op_part(), or 0 */
	uint64_t addr;
	uint64_t pc; /* return address of the hook: where the program called it */
	struct value arg;
	struct value expected;
};

/*
 * An atomic access to locations that others take in smaller pieces is as many operations as there are
 * locations (access/parts.c), each of which says so: of how many bytes the access is, how many of them come before
 * these, and whether other operations of the same access came before.
 */
static inline uint32_t op_part(unsigned size, unsigned offset, bool joined)
{
	return 1u << 31 | (joined ? 1u << 16 : 0) | offset << 8 | size;
}

static inline unsigned op_part_size(uint32_t peer)
{
	return peer & 0xff;
}

static inline unsigned op_part_offset(uint32_t peer)
{
	return peer >> 8 & 0xff;
}

static inline bool op_part_joined(uint32_t peer)
{
	return peer >> 16 & 1;
}

struct op_result {
	struct value value;  /* what was read */
	struct value stored; /* what was written, when wrote */
	uint8_t wrote;       /* a write happened: the target stores it into real memory */
	uint32_t tid;        /* OP_CREATE */
};

#endif
