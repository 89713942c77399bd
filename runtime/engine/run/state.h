/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.h - what the files of the engine share: one engine, one run of the program
 *
 * The graph (graph.h) says what the execution is; the run says how far the program, started
 * anew, has repeated it. While it repeats (`done` events of each thread, fewer than the graph
 * has), operations are checked against the graph and get their values from it; threads wait
 * only for the writes they read from. When nothing is left to repeat, new events are added,
 * always by the enabled thread with the lowest number (explore.c), by a random one
 * (online/), or by the recorded one (replay.c).
 */
#ifndef HEDDLE_ENGINE_STATE_H
#define HEDDLE_ENGINE_STATE_H

#include "engine/graph/graph.h"
#include "engine/graph/guard.h"
#include "engine/model/model.h"
#include "engine/model/witness.h"
#include "engine/run/config.h"

struct memo;
struct online;
struct value_search;

enum thread_state {
	THREAD_NONE,    /* not created in this run */
	THREAD_RUNS,    /* between operations: its next one is not known yet */
	THREAD_WAITS,   /* `pending` is its next operation */
	THREAD_STUCK,   /* stopped for good by OP_STUCK */
	THREAD_STOPPED, /* stopped for good by OP_BLOCK */
	THREAD_ENDED,
};

struct thread {
	enum thread_state state;
	uint32_t created; /* threads it created in this run */
	uint32_t steps;   /* replay.c, online/: operations it finished in this run */
	/* The event that created it, or, if its id is used again, created it last. */
	uint32_t creator, create_index;
	struct op pending;
	bool off;          /* online/, replay.c: engine_call_off() */
	uint32_t loc;      /* online/: of an access to memory that is pending, its location */
	uint64_t aside_at; /* aside.c: when it stepped aside */

	/* await.c: of its next operation, when that is its event number await_at - 1 */
	struct await_mask await;
	uint32_t await_at;
	uint32_t
		await_in_vain; /* 2 + the location's last event when nothing let it pass; 0: not yet */
	/* explore_guard.c: likewise where it may have to wait for a semaphore and the like; number guard_at - 1 */
	uint32_t guard_at, guard_in_vain;
};

/* What may be read at one location where threads wait. */
enum {
	AWAIT_VALUES = 64,
	AWAIT_LOCATIONS = 256,
};
struct await_values {
	uint32_t n;
	struct value value[AWAIT_VALUES];
};

/* Who created a thread: names of threads outlive executions. */
struct thread_name {
	uint32_t parent, rank;
};

/* One operation finished in this run; pos NO_POS: no event (OP_BLOCK, OP_STUCK, OP_EXIT), but
 * what its thread ended with, and still has as its pending one. */
struct ran {
	uint32_t pos;
	uint32_t tid;
};

/* A thread was stopped in a yield, and went on when so many operations had been done. */
struct stop {
	uint32_t tid, yield; /* struct op's peer */
	uint32_t at;
};

enum work_kind {
	WORK_READ,    /* let the read at `stamp` observe `rf` instead */
	WORK_REVISIT, /* let the write at `stamp` be observed by the read at `read` */
	WORK_TAKE,    /* in place of the lock at `stamp`, let thread `choice` lock */
	WORK_SLOT,    /* let thread `choice` lock where the lock at `read` did */
	WORK_PLACE, /* place the write at `stamp` in mo behind `rf`; `read` observes it, or NO_POS */
};

/* What it takes for an await that could pass to wait as well: explore_gate.c. */
enum {
	GATE_BESIDE = 1,
	GATE_REASON = 2,
	GATE_OPEN = GATE_BESIDE | GATE_REASON,
};

struct work {
	uint8_t kind;
	uint32_t stamp; /* the graph had stamp + 1 events when it was noted */
	uint32_t read, rf, choice;
	uint32_t witness; /* WORK_READ: see struct candidate */
	uint64_t
		gate; /* WORK_READ: 1 + the number of the item that says whether it is to be done */
	uint8_t open; /* the gate: what is there of GATE_OPEN */
	bool taken;   /* WORK_READ: it cannot write as well, since another read-modify-write reads
		     * rf already, or the model is against it */
};

/* A graph of the stack that is not the current one, and where its work begins. */
struct frame {
	uint32_t base, n, work, doubt, await_ready;
};

/* When an event was inserted: before the event now at pos if rank is not UINT32_MAX. */
struct stamp {
	uint32_t pos, rank;
};

static inline bool stamp_less(struct stamp a, struct stamp b)
{
	return a.pos != b.pos ? a.pos < b.pos : a.rank < b.rank;
}

/* One of the operations that an exploration begins with: which step of config.replay, which of these operations wrote what it
 * reads, and where its (first) event stands. */
struct around_step {
	uint32_t record, source, pos;
};

struct around {
	struct around_step *step;
	uint32_t n, at; /* how many there are, and are in the graph */
	uint32_t fixed; /* so many events they are */
	uint32_t tid_of
		[HEDDLE_MAX_THREADS]; /* while they are followed: of a recorded thread, who that is here */
};

struct engine {
	struct engine_config config;
	const struct model *model;
	const struct strategy *strategy;
	struct engine_stats stats;
	struct graph graph;

	struct thread thread[HEDDLE_MAX_THREADS];
	uint32_t
		done[HEDDLE_MAX_THREADS]; /* events of the graph this run has executed, by thread */
	struct thread_name name[HEDDLE_MAX_THREADS];
	struct thread_set running, waiting; /* those that THREAD_RUNS and THREAD_WAITS */
	uint32_t nthreads;                  /* names in use */
	uint64_t run;                       /* number of this run, from 1 */
	uint64_t met;       /* locations that any run met: their initial values were taken */
	uint64_t begun;     /* how many began: one that is run again has its number, but not this */
	uint64_t first_run; /* how many there had been when the exploration began (again) */
	bool first;         /* the next one is the first of all */
	uint32_t repeating; /* events of the graph not yet repeated in this run */
	union {
		struct {
			bool failed, exited, limited, wrong;
			bool dead_end; /* nothing that counts comes of this execution */
		};
		uint64_t over; /* any of those */
	};

	/* aside.c */
	struct thread_set aside; /* threads that let others go first; they wait */
	uint64_t yields;         /* of this run */
	uint64_t cut_at;         /* so many of these and events; 0: no limit */
	uint32_t calm_until; /* run_is_calm(): until the graph has so many events; 0: not known */
	bool idle;           /* they do nothing else any more */
	bool lets_go;        /* in random testing: who yields steps aside */

	/* stops.c */
	struct stop *stop;
	uint32_t nstops;

	struct ran *ran;
	uint32_t nran;
	uint64_t
		ran_before; /* how many operations were finished before those (online/give_back.h) */

	/* explore.c */
	struct work *work;
	uint32_t nwork;
	struct frame *frame;
	uint32_t nframes;
	uint32_t work_base; /* of the current graph's work */
	uint64_t
		work_given; /* items taken away from below: an item's number is its place plus this */

	/* explore_lock.c */
	bool slots;               /* locks are explored by slots */
	const char *why_by_reads; /* the exploration by values was left; NULL: it was not */
	unsigned restart;         /* the exploration starts again: enum restart_reason */
	uint64_t fresh;      /* set of threads whose next operation has not been asked for yet */
	uint32_t first_asks; /* the mutex that the main thread locks first of all, or NO_LOC */
	uint32_t forced;     /* the thread that has to lock next, or NO_POS */
	struct stamp forced_slot; /* and where */
	uint64_t forced_addr;     /* and what */

	/* await.c */
	bool awaits;                       /* reads wait for values that let their threads go on */
	struct await_values *await_values; /* AWAIT_LOCATIONS of them */
	uint32_t await_locs;               /* in use */
	uint32_t await_version;            /* grows with each new value */
	uint32_t await_epoch;              /* grows when all values are forgotten */
	uint32_t await_ready;   /* the version for which the graph's awaits know all values */
	bool topping;           /* this run asks again, of values met since */
	uint32_t picked;        /* the thread whose turn it is still, or NO_POS: to be found out */
	bool last_looks;        /* nothing can move: waiting threads look for good */
	bool looking;           /* that is all this run is for */
	bool look_again;        /* next, without the awaits that wait: they may do so for good */
	bool rerun;             /* the graph is to be executed again before anything else */
	bool stray;             /* since a thread did something else than the graph says of it */
	uint32_t astray;        /* and which thread it was (config.strays) */
	bool finishing;         /* what it did repeat is brought to its end, for bugs only */
	uint32_t late;          /* a write whose revisits are not noted yet, or NO_POS */
	struct event late_read; /* unless it fits: the read before it; both are not in the graph */
	struct waits late_waits;
	bool late_fits; /* and whether the graph is worth executing then */

	struct around around;         /* around.c */
	const struct engine_id *skip; /* share.c: subtrees to be left out */
	size_t nskip;

	struct value_search *value; /* value/, NULL for other equivalences */
	/* Likewise: a thread has repeated an operation; its clock. */
	const uint32_t *(*repeated)(struct engine *e, uint32_t tid);

	struct estimate *estimate; /* explore/estimate.c; NULL: nobody asks */
	bool estimating;           /* this run is one of a random descent */

	struct memo *memo; /* explore/memo.h, NULL: the program makes all executions */

	/* online/, NULL in other modes; random: in a replay that goes on, too */
	struct online *online;
	uint64_t seed, random;

	/* replay.c: the next step, and the event of each step of each thread; other modes list these when somebody
	 * asks (inspect.c) */
	size_t replay_at;
	size_t recorded; /* with the threads that were stopped when it ended */
	size_t own_next
		[HEDDLE_MAX_THREADS]; /* of each thread, where to look for what it does next */
	uint32_t *step_at[HEDDLE_MAX_THREADS];

	char error[256];
};

/* Something to be done later. The books say in the end whether it was (ledger.h). */
static inline void note_work(struct engine *e, struct work w)
{
	must(e->nwork < e->graph.capacity && w.stamp <= e->graph.n);
	e->stats.ledger.noted++;
	e->work[e->nwork++] = w;
}

static inline void thread_becomes(struct engine *e, uint32_t tid, enum thread_state state)
{
	const enum thread_state before = e->thread[tid].state;

	if (before == state)
		return;
	e->thread[tid].state = state;
	if (before == THREAD_RUNS)
		thread_set_remove(&e->running, tid);
	if (before == THREAD_WAITS)
		thread_set_remove(&e->waiting, tid);
	if (state == THREAD_RUNS)
		thread_set_add(&e->running, tid);
	if (state == THREAD_WAITS)
		thread_set_add(&e->waiting, tid);
}

/* How many events this run has, also those that were given back. */
static inline uint64_t engine_events(const struct engine *e)
{
	return e->graph.n + e->graph.given_back;
}

/* Has the event happened in this run? */
static inline bool happened(const struct engine *e, uint32_t pos)
{
	const struct event *ev = &e->graph.ev[pos];

	return ev->index < e->done[ev->tid];
}

/*
 * The event creates a thread, whose first operation is its start. One that has the id of a thread
 * that was joined (reuse.c) goes on in the list of events that the other left. (Member by member: to
 * clear the whole would take longer than all else.)
 */
static inline void thread_create(struct engine *e, const struct event *ev)
{
	struct thread *child = &e->thread[ev->peer];

	e->thread[ev->tid].created++;
	child->creator = ev->tid;
	child->create_index = ev->index;
	child->pending = (struct op){ .kind = OP_START, .pc = ev->pc };
	child->await_at = child->await_in_vain = child->guard_at = 0;
	thread_becomes(e, ev->peer, THREAD_WAITS);
}

static inline bool is_aside(const struct engine *e, uint32_t tid)
{
	return thread_set_has(&e->aside, tid);
}

/* Is what happens next recorded? If not in a replay, that goes on (config.go_on). */
static inline bool is_recorded(const struct engine *e)
{
	return e->config.mode == ENGINE_REPLAY &&
	       !(e->config.go_on && e->replay_at >= e->config.replay_len);
}

/* Is the exploration still on its way through the operations that it begins with (around.c)? */
static inline bool around_follows(const struct engine *e)
{
	return e->around.at < e->around.n;
}

/* state.c */
/* No graph, no work: where the exploration, or that of another subtree, begins. */
void engine_empty(struct engine *e);
/* The same, with nothing counted, and nothing known of values (engine_restart()). */
void engine_anew(struct engine *e);
/* A thread does not repeat the graph: is that just a dead end? */
bool engine_strays(struct engine *e, uint32_t tid);
void engine_wrong(struct engine *e, uint32_t tid, const char *what, const struct op *op);

/* repeat.c */
/* A thread that can repeat its next event now, or ENGINE_OVER. */
int engine_next_to_repeat(const struct engine *e);

#endif
