/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shared.h - the mapping that controller and target share, and its protocol
 *
 * The controller creates a memfd, maps it at SHARED_ADDR, fills `config` (and the replay
 * steps), and starts the program with LD_PRELOAD=libheddle-rt.so and HEDDLE_SHARED_FD=<fd>.
 * The runtime maps the same file at the same address in a constructor, closes the
 * descriptor, and publishes what happens here. So everything survives the program: when it
 * crashes, hangs or is killed, the controller still sees the last event.
 *
 * The program may write anywhere, also here. The controller therefore copies what it reads
 * and checks every number against its bound before it uses it.
 *
 * The file is sparse: only pages touched exist.
 */
#ifndef HEDDLE_WIRE_SHARED_H
#define HEDDLE_WIRE_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

#include "wire/corpus.h"
#include "wire/coverage.h"
#include "wire/facts.h"
#include "wire/kin.h"
#include "wire/op.h"
#include "wire/place.h"
#include "wire/said.h"
#include "wire/search.h"

#define SHARED_ADDR     0x200000000000ul
#define SHARED_MAGIC    0x68656464u
#define SHARED_PROTOCOL 12u
#define SHARED_FD_ENV   "HEDDLE_SHARED_FD"
/* Under gdb, which starts the program itself: the file to be its standard input. */
#define SHARED_STDIN_ENV "HEDDLE_STDIN"

enum {
	SHARED_MAX_BUGS = 64,
	SHARED_MAX_FRAMES = 48,
	SHARED_MAX_MODULES = 128,
	SHARED_TEXT = 512,
	SHARED_DUMPS = 4096,
	SHARED_DUMP_STEPS = 1 << 21,
	DUMP_FORGET = -1, /* dump.ending: those before were in vain, the exploration starts again */
};

enum backend {
	BACKEND_AUTO,
	BACKEND_ROLLBACK,
	BACKEND_FORK
};

/* What the program means, where that can be chosen; a replay needs the same. */
enum setting {
	SETTING_VOLATILE,     /* 1: volatile accesses are relaxed atomic ones */
	SETTING_SPURIOUS_CAS, /* how many weak compare-exchanges of a thread may fail for nothing */
	SETTING_PLAIN,        /* 1: plain accesses that race are relaxed atomic ones */
	SETTING_LEAKS,        /* 1: memory that is lost at the end is a bug */
	SETTING_CHILD, /* which process is explored (preload/loop/children.c); 0: the first one */
	SETTING_EXPECTED, /* the status that it has to exit with */
	SETTING_NO_MEMO,  /* 1: the program makes each execution (engine/run/memo.h) */
	SETTING_BEHIND,   /* 1: of a trace: its race comes behind others, of the same execution */
	SETTINGS
};

enum bug_kind {
	BUG_NONE,
	BUG_ASSERTION,
	BUG_DATA_RACE,
	BUG_CRASH,
	BUG_DEADLOCK,
	BUG_AWAIT_STUCK,
	BUG_USE_AFTER_FREE,
	BUG_DOUBLE_FREE,
	BUG_INVALID_FREE,
	BUG_UNINITIALISED_READ,
	BUG_LEAK,
	BUG_LOCK_MISUSE,
	BUG_THREAD_MISUSE,
	BUG_ABORT,
	BUG_EXIT_CODE,
	BUG_OUT_OF_BOUNDS,
	BUG_USE_AFTER_RETURN,
	BUG_KINDS
};

/* A process that the program made with fork(), before it had threads. */
struct child {
	int32_t pid;
	_Atomic uint32_t threads; /* how many it created */
	_Atomic uint32_t ended;   /* 1 + what waitpid() told the program; 0: nothing */
};
enum {
	SHARED_MAX_CHILDREN = 4096,
	SHARED_PAGE = 4096,
	SHARED_VARIABLES = 1 << 14 /* bytes of their names */
};
/* What becomes of programs that the program starts (preload/hooks/process/depart.c). */
enum starts_how {
	STARTS_ALONE,    /* they run, and nobody looks at them */
	STARTS_FOLLOWED, /* they find a session (wire/follow.h) */
	STARTS_LEAVE /* before the first of them the run is over: the program is to run as it is */
};
enum starts_answer {
	STARTS_NONE,    /* not yet */
	STARTS_SESSION, /* library and session are there */
	STARTS_NOWHERE  /* heddle could not make its folder, and knows that */
};
struct starts {
	uint32_t how;           /* enum starts_how */
	_Atomic uint32_t leave; /* STARTS_LEAVE: it came to that */
	int32_t pid;            /* of the process that heddle started; -1: it is over */
	/* STARTS_FOLLOWED: it asks, since most programs start none; released when the strings are there. */
	_Atomic uint32_t asked, answer; /* answer: enum starts_answer */
	char library[SHARED_TEXT], session[SHARED_TEXT];
};

struct children {
	struct starts starts;
	_Atomic uint32_t n;
	struct child at[SHARED_MAX_CHILDREN];

	/* Of all that were made, numbered here or not; preload/core/kin.c. */
	int32_t first; /* the process that heddle started; -1: it is over */
	struct kin kin;
	_Atomic uint32_t refuses,
		refused; /* one that runs alone did what heddle cannot run: `text` names it */
	char text[SHARED_TEXT];
};

/* What a side of a bug did, where that is no access or operation. */
enum side_call {
	SIDE_ACCESSES,
	SIDE_FREES,
	SIDE_DELETES,
	SIDE_DELETES_ARRAY,
	SIDE_ALLOCATES,
	SIDE_CALLS
};

/* Environment variables that the program looked at, in a replay: names, each with its final 0. */
struct environment_names {
	_Atomic uint32_t used;
	char name[SHARED_VARIABLES];
};

/* One side of a bug: a thread at a place in the code. */
struct bug_side {
	uint32_t thread;
	uint8_t is_write, is_atomic, size; /* of the access, when it is one */
	uint8_t blocked_on; /* enum op_kind + 1 of a blocked thread; 0: not blocked */
	uint32_t peer;      /* of a thread that waits for another one to end */
	struct place waits; /* what a blocked thread waits for, if it is an object */
	uint8_t call;       /* enum side_call */
	uint32_t
		behind; /* 1 + the number of the first operation of its thread that is the access, or comes behind it; 0: unknown */
	uint64_t pc;    /* return address of the hook, 0 if unknown */
	uint32_t frames; /* call stack, innermost first; only in replay */
	uint64_t frame[SHARED_MAX_FRAMES];
	uint32_t created; /* likewise, of the call that created the thread */
	uint64_t creation[SHARED_MAX_FRAMES];
};

struct bug {
	uint32_t kind; /* enum bug_kind */
	char message[SHARED_TEXT];
	uint64_t addr; /* of the object, when there is one */
	struct place place;
	/* Race: this access, the earlier one, in the heap its allocation; deadlock: each thread. */
	uint32_t nsides;
	struct bug_side side[HEDDLE_MAX_THREADS];
	uint64_t execution;       /* number of the execution, from 1 */
	uint64_t seed;            /* ENGINE_ONLINE: seed of the execution */
	uint32_t strategy;        /* and who chose (enum search_strategy) */
	uint64_t steps_at, steps; /* in the step area: index of the first, how many */
	uint64_t times; /* in how many executions it showed, since the search began (again) */
	uint32_t facts; /* how many were in force */
	uint32_t counted_only; /* it came behind another one in its execution, and has no steps */
	uint64_t base[SHARED_MAX_MODULES]; /* of modules, in that execution */
};

/* What became of random executions that followed a guide to its end; and of those that could not. */
struct guided {
	uint64_t failed, ended, cut; /* failed: with a bug; cut: nothing is known */
	uint64_t strayed;
};

struct module {
	uint64_t base;
	uint8_t build_id_len;
	uint8_t build_id[32];
	char path[SHARED_TEXT];
};

/* Which data race ends an execution; others are passed by, as if there were none. */
enum races {
	RACES_ANY, /* the first one */
	RACES_ONE, /* that of shared_config.race (a replay) */
	RACES_ALL  /* none: each is noted, and a replay goes on behind its last step */
};

/* What a race is known by, in a replay. */
struct race_named {
	uint32_t thread, earlier; /* of the later access, and of the one before it */
	struct place code;        /* of the later one's call */
	struct place place;       /* of what both touch */
};

struct shared_config {
	uint32_t mode, model, equivalence; /* enum engine_* */
	uint32_t backend;                  /* enum backend */
	uint64_t seed, max_executions, max_events;
	uint32_t strategy, depth; /* ENGINE_ONLINE: enum search_strategy, and its number */
	uint32_t estimate;        /* ENGINE_EXPLORE: enum search_estimate */
	uint32_t timeouts; /* how many are followed (preload/hooks/world/timeout.c); 0: all */
	uint32_t unroll;   /* rounds of a loop that are followed (preload/step/unroll.c); 0: all */
	uint32_t window;   /* test: how many writes of a location can be read at most; 0: all */
	uint32_t memo_mib; /* memory for what the program is known to do; 0: as there is room */
	uint32_t spurious_wakeups; /* waiters of condition variables may wake up */
	uint32_t keep_going;       /* go on after the first bug */
	uint64_t setting[SETTINGS];
	uint32_t verbose;
	uint32_t show_output;     /* the program's output is kept (replay), else discarded */
	uint32_t stop_at_bug;     /* replay --gdb: raise SIGTRAP where the bug shows */
	uint32_t worker, workers; /* -j: which one this is, of how many; 0 of 0 or 1: alone */
	uint32_t exchange_fd;     /* of the memory common to them (exchange.h) */
	uint32_t dump;            /* hand over each execution that ends */
	/* ENGINE_REPLAY: how many steps stand at the step area's start; ENGINE_ONLINE: likewise, of a guide, or 0 */
	uint64_t replay_steps;
	/* ENGINE_REPLAY of a race: where it is, so that stacks of both sides are kept */
	struct place watch;
	uint32_t races; /* enum races */
	uint32_t way;   /* RACES_ALL: which of the ways to go on, from 1 */
	struct race_named race;
	/* ENGINE_REPLAY: the block of the heap that a bug is about, whose stacks are kept, or none */
	struct place block;
};

/* One execution that the controller is to take (config.dump). */
struct dump {
	uint32_t ending;    /* enum engine_ending, or DUMP_FORGET */
	uint64_t at, steps; /* in dump_steps: index of the first, how many */
	uint32_t too_long;  /* there is not so much room; at and steps say nothing */
};

enum phase {
	PHASE_START,    /* the program is loading */
	PHASE_LOADED,   /* the runtime is there; main runs natively before the root point */
	PHASE_RUNNING,  /* executing under the engine */
	PHASE_DONE,     /* the runtime ended in good order; results are final */
	PHASE_REFUSED,  /* the program did what heddle cannot run: `text` names it (exit 4) */
	PHASE_NONDET,   /* non-determinism: `text` (exit 4) */
	PHASE_INTERNAL, /* the runtime itself failed: `text` (exit 5) */
};

/* The steps of bugs, and of the execution to replay. */
#define SHARED_STEPS (1u << 22)

/* Beyond what a thread was not followed. */
enum shared_cut {
	CUT_TIMEOUTS = 1,
	CUT_TRIES = 2,
	CUT_ROUNDS = 4,    /* of a loop that changes what nobody sees (preload/await/await.c) */
	CUT_WAITS = 8,     /* a loop that it may be in for ever, for all that is known (wra) */
	CUT_UNROLLED = 16, /* so many rounds of a loop (preload/step/unroll.c) */
	/* a loop, likewise, beside others whose rounds cancel out (await.txt, E5) */
	CUT_CANCELS = 32,
	CUT_WINDOW = 128, /* test: reads that far back (engine/online/give_back.h) */
	CUT_PARTS = 64,   /* whether accesses of several sizes are torn (preload/step/whole.c) */
	CUT_PARTS_ORDER =
		256, /* test: accesses of several sizes in other orders than one (likewise) */
	CUT_FENCES =
		512, /* test: sc fences elsewhere than last in their order (engine/online/gone.h) */
	CUT_FULL = 2048, /* an execution: there is no memory for a longer one */
	CUT_TIME = 1024  /* with CUT_ROUNDS: it asks for the time in each round */
};

/* CUT_WINDOW: so many writes, where nobody said how many. */
#define CUT_WINDOW_WRITES 1024u

struct shared {
	uint32_t magic, protocol;
	struct shared_config config;

	/* Written by the target, read by the controller at any time. */
	_Atomic uint32_t phase;     /* released after everything it announces */
	_Atomic uint64_t heartbeat; /* grows with every operation */
	_Atomic uint64_t accesses;  /* grows with plain accesses, now and then */
	_Atomic uint64_t executions, blocked, wasted, events, restarts, cut, strayed;
	_Atomic uint64_t drawn[STRATEGY_COUNT];
	struct ledger ledger;          /* PHASE_DONE: what became of all that was begun */
	uint64_t values[VALUE_COUNTS]; /* likewise; */
	uint64_t memo[MEMO_COUNTS];    /* likewise; */
	uint64_t ticks_begun,
		ns_begun; /* by two clocks, when the engine began (preload/facts/values.c) */
	_Atomic uint32_t not_followed; /* enum shared_cut: some thread, any further */
	_Atomic uint32_t doubtful;     /* an execution ended where a thread might go on */
	_Atomic uint32_t
		synchronised; /* threads did, by what is seen; asked where nothing is instrumented */
	_Atomic uint32_t
		met; /* threads were at once in met_in, a library with locks that are not seen */
	_Atomic uint32_t is_bare;        /* `bare` says something */
	_Atomic uint32_t exhausted;      /* the whole space was visited */
	_Atomic uint32_t backend;        /* the one in use */
	_Atomic uint32_t uninstrumented; /* no __tsan_* hook was ever called */
	_Atomic uint32_t current_thread; /* the one that is running natively */
	_Atomic uint32_t roots;          /* 1 once a thread was created */
	char foreign[SHARED_TEXT];       /* what of an instrumented program is not, by name */
	char met_in[SHARED_TEXT];
	char bare
		[SHARED_TEXT]; /* what threads did in code that announces nothing (preload/access/bare_traps.c) */
	char text[SHARED_TEXT]; /* PHASE_REFUSED and so on: one line for the user */
	char note[SHARED_TEXT]; /* shown with -v: e.g. why fork is used; */
	char values_over
		[SHARED_TEXT]; /* why the program is explored by reads-from, and not by values; */
	char memo_over
		[SHARED_TEXT]; /* likewise, why no more executions are made without the program */

	/* Written by the controller, polled by the target between executions and in hooks. */
	_Atomic uint32_t stop; /* end now with what was found */

	_Atomic uint32_t nbugs;     /* released after bugs[nbugs - 1] is complete */
	_Atomic uint64_t bugs_more; /* found beyond SHARED_MAX_BUGS or the step area */
	uint64_t nsteps;            /* used of the step area */
	uint64_t engine;            /* address of the struct engine, 0 before there is one */

	/*
	 * config.dump: executions that ended, in a ring. dumps_put is the target's, released
	 * after the execution is complete; dumps_taken the controller's, released when its
	 * steps may be overwritten.
	 */
	_Atomic uint64_t dumps_put, dumps_taken;
	_Atomic uint64_t
		dumps_dropped; /* executions that ended when the search was being stopped */

	/*
	 * What is large comes last: of a run without a bug nobody touches more than the modules, and
	 * each page of a shared mapping that is only looked at costs microseconds, too.
	 */
	uint32_t nmodules; /* filled at PHASE_LOADED and again at the root point */
	struct module modules[SHARED_MAX_MODULES];

	struct bug bugs[SHARED_MAX_BUGS];
	struct engine_step_record steps[SHARED_STEPS];
	struct place places[SHARED_STEPS]; /* place of steps[i].addr */

	struct dump dumps[SHARED_DUMPS];
	struct engine_step_record dump_steps[SHARED_DUMP_STEPS];
	struct place dump_places[SHARED_DUMP_STEPS];

	/* What is known of the program, unless workers share that; a replay is given what it needs. */
	struct fact_table facts;
	/* Of the worker: where the facts are by address. 2^n slots begin at slot 2^n. */
	struct fact_slot fact_index[2 << FACT_INDEX_MOST];

	/* rf-fuzz: what it is to begin with, and, in the end, what it has found. */
	struct corpus corpus;

	struct environment_names environment;
	struct said said; /* likewise, in a replay */

	struct engine_estimate estimate; /* ENGINE_EXPLORE, if config.estimate */

	struct coverage coverage; /* ENGINE_ONLINE */
	struct guided guided;     /* ENGINE_ONLINE with a guide */

	/* On pages of its own: a child that runs alone keeps nothing else. */
	_Alignas(SHARED_PAGE) struct children children;
};

#define SHARED_ENGINE_AT   (1ul << 30)  /* offset of the engine's memory in the mapping */
#define SHARED_ENGINE_SIZE (31ul << 30) /* sparse: rows of all threads for 2 million events */
#define SHARED_SIZE        (SHARED_ENGINE_AT + SHARED_ENGINE_SIZE)

_Static_assert((int)SHARED_MAX_MODULES == LATE_MODULES && (int)SHARED_TEXT == LATE_PATH, "late.h");
_Static_assert(sizeof(struct shared) < SHARED_ENGINE_AT, "the engine has its own room");

#endif
