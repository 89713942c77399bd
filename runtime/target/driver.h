/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * driver.h - the loop over executions, for the rest of the core
 *
 * Internal to runtime/target; hooks see perform.h only.
 */
#ifndef HEDDLE_TARGET_DRIVER_H
#define HEDDLE_TARGET_DRIVER_H

#include "target/facts.h"
#include "target/perform.h"
#include "target/rounds.h"

#pragma GCC visibility push(hidden)

/* Why control came back to the driver. */
enum leaving {
	LEAVE_OVER,   /* engine_next() said ENGINE_OVER */
	LEAVE_CUT,    /* STEP_CUT */
	LEAVE_FAILED, /* a bug was recorded and engine_fail() called */
	LEAVE_AGAIN,  /* repeat_execution(): no engine_end() */
	LEAVE_STOP,   /* the controller asked for the end */
};

enum {
	KNOWN_STATES = 2048,
};

/* What values do to a thread at an await, by the state it is in (await.c). */
struct known_state {
	uint64_t hash[2];
	struct await_mask told;
	uint32_t epoch;
};

/* What must outlive an execution that runs in a child (fork back end). */
struct driver_state {
	uint32_t done;       /* the child ran to the end of driver_execution() */
	uint32_t more;       /* another execution follows */
	uint32_t over;       /* nothing follows, and the verdict is written */
	uint32_t sets_flags; /* a thread has set status flags of a descriptor */
	uint32_t borrows;    /* this is a child with the memory of its parent (backend_split.c) */
	uint32_t threads;    /* highest thread id seen */
	uint64_t stack_size[HEDDLE_MAX_THREADS]; /* the most that each asked for; 0: nothing */
	uint64_t begun;                          /* executions begun */
	uint64_t restarts, reruns;
	uint64_t bug_begun; /* execution of the bug that waits for its end */
	uint32_t bug_pending;
	uint32_t discarded; /* the execution is beyond the limit, and does not count */
	uint32_t bug_seen;  /* in this execution, which goes on without the thread (keep_going) */
	uint64_t op_pc;     /* last operation: for a child that dies without a word */
	uint32_t op_thread;
	struct facts_state facts;
	struct known_state known[KNOWN_STATES];
	struct round_filters rounds;
	uint32_t compared; /* memory was (unseen.c) */
	uint32_t ending;   /* children.c: as waitpid() would tell it */
};

extern struct driver_state *state;

/* Main's stack pointer at the root point. */
extern uint64_t root_sp;

/* Leaves the calling fiber for the driver; the execution is over. */
heddle_noreturn void driver_leave(enum leaving why);
/* engine_end() was called: prepares what follows. True: another execution does. */
bool driver_advance(struct engine_outcome *o);
/* Runs one execution on the restored program, up to and with engine_end(). */
void driver_execution(void);
/* Ends the process in good order. */
heddle_noreturn void driver_finish(void);
/* The same for a program that ended before any thread was created. */
heddle_noreturn void driver_finish_unrooted(void);
/* Thread tid exists, and asked for a stack of that size (or 0): the fork back end makes its block in
 * the parent next time. */
void driver_thread_seen(uint32_t tid, size_t stack_size);

/* ---- bug.c ---- */

/* Fills the next free slot of shared->bugs (not yet released). */
void bug_record(enum bug_kind kind, uint64_t addr, const char *message,
		const struct bug_side *sides, uint32_t nsides);
/* engine_end() was called: completes and releases the recorded bug, if there is one. */
void bug_release(uint64_t seed);
/* What the thread asked of the system last in this execution, as a clause for a message. */
void asked_text(struct text *t, uint32_t tid);
/* Moves the steps to replay to private memory and tells where they are. */
const struct engine_step_record *bug_take_replay_steps(void);

/* ---- dump.c ---- */

/* engine_end() was called: hands the execution to the controller, if it wants to have it. */
void dump_execution(enum engine_ending ending);
/* The exploration starts again: those handed over so far will come once more. */
void dump_forget(void);

/* ---- await.c, await_ask.c ---- */

void await_reset(void);
/* Before operation op of the calling fiber: the one to perform, op or an OP_STUCK. */
const struct op *await_before(const struct op *op);
/* Before await_ask(): the operation, marked as an await if it is one. */
const struct op *await_look(const struct op *op);
/* Tells the engine what the thread does with the values that op, an await, may read. */
void await_ask(const struct op *op);
/* A write is about to happen, or just did, perhaps to another thread's stack. */
void await_foreign_write(uint64_t addr, uint64_t size, bool is_atomic);
/* Code of the program runs: what memory held behind the last probe is no longer known (probe.c). */
void memory_moves(void);
/* After an operation. */
void await_after(const struct op *op, const struct op_result *res);
/* At its next operation, where not all code is instrumented: what has it written since? */
void await_arrives(void);
/*
 * To be asked before engine_end(). Might a thread that was stopped go on, for all that is known,
 * since memory that nobody announces is not what it saw?
 */
bool await_doubts(void);

/* ---- snapshot.c ---- */

/* Remembers the program as it is, main's stack from sp up. */
void snapshot_capture(uint64_t sp);
/* Puts the program back to that. */
void snapshot_restore(void);
/* A fault at addr: true if it was the first write to a protected page, which may go on. */
bool snapshot_fault(uint64_t addr);
/* The kernel may be about to write to [addr, addr + size): it would not wait for a fault. */
void snapshot_expect(uint64_t addr, uint64_t size);
/* Calls fn for each part of the image. */
void snapshot_each(void (*fn)(uint64_t start, uint64_t end));
/*
 * Calls fn for what may be another than at the root point, always in the same order, with what was
 * there then (NULL: that was not kept). What is known to be as it was may be left out, and turn up
 * later.
 */
void snapshot_written(void (*fn)(uint64_t start, uint64_t end, const char *copy));
/* Of the image, in bytes. */
uint64_t snapshot_size(void);
/* Forgets the image: executions run in children from now on. */
void snapshot_release(void);
/* Such a child is about to be made. */
void pages_fork(void);

/* ---- snapshot_shared.c ---- */

/* A new image; a shared mapping of it, with the path in /proc/self/maps; all were added. */
void shared_maps_begin(void);
void shared_maps_add(uint64_t start, uint64_t end, const char *path, size_t length);
void shared_maps_take(void);
/* Were there any at the root point? */
bool shared_maps_any(void);
/* Puts back what they held. For both back ends, before each execution. */
void shared_maps_restore(void);
/* Calls fn for each, with what it held then. */
void shared_maps_each(void (*fn)(uint64_t start, uint64_t end));
void shared_maps_written(void (*fn)(uint64_t start, uint64_t end, const char *copy));

/* ---- hook_file.c ---- */

/* Offsets of the files that are open at the root point: noted, and put back. */
void files_root(void);
void files_reset(void);

/* ---- nameless.c ---- */

/* At the root point: nothing is kept; this one is. Its size is in bytes. */
void nameless_forget(void);
void nameless_keep(int fd, uint64_t size);
/* Before each execution. */
void nameless_reset(void);

/* ---- heap.c ---- */

void heap_root(void);
void heap_reset(void);
/* The used part of the memory allocated before the root point: belongs to the image. */
void heap_image(uint64_t *start, uint64_t *end);

/* ---- stack.c, place.c, signal.c, modules.c ---- */

void stack_init(void);
/* The next stack_take() is of the code that a signal interrupted (a ucontext_t). */
void stack_fault_context(void *uc);
/* Call stack of a fiber that waits in perform(). */
uint32_t stack_take_of(uint32_t tid, uint64_t *frame, uint32_t max);
/* The stack of the calling thread is where it created thread tid: noted, for reports. In replay only. */
void stack_note_creation(uint32_t tid);
/* How many frames were noted for it. */
uint32_t stack_of_creation(uint32_t tid, uint64_t frame[SHARED_MAX_FRAMES]);
void modules_fill(void);
/* Index of the module that addr lies in, or -1. */
int module_of(uint64_t addr);
/* Has a module thread-local variables, apart from those of libc and the C++ library? */
bool modules_have_tls(void);
/* Does [start, end) hold what ld.so knows of a module? Then it mapped that for itself. */
bool modules_list_in(uint64_t start, uint64_t end);
/* True when pc lies in the runtime itself. */
bool in_runtime(uint64_t pc);
/* The writable segments of the runtime: [*start, *end) covers them. */
void runtime_data(uint64_t *start, uint64_t *end);
extern uint64_t main_stack_top;
void signals_init(void);
void signals_restore(void); /* as they were before */

/* While the runtime touches memory that the program named: a fault there is the program's,
 * at this pc. */
extern volatile uint64_t touching_pc;

/* Copies like memcpy(), but stops at a fault; returns how many bytes were not copied. */
uint64_t copy_safely(void *to, const void *from, uint64_t n);
extern const char copy_safely_at[], copy_safely_end[]; /* for signal.c: faults at, goes on at */

/* What the kernel answers with EFAULT: is memory to be read, or to be written, at the first and at the
 * last of these bytes? Nothing is changed. n may be 0: yes. */
bool memory_readable(const void *p, uint64_t n);
bool memory_writable(void *p, uint64_t n);

#pragma GCC visibility pop

#endif
