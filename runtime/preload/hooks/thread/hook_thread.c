/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_thread.c - creating, joining, detaching and ending threads
 *
 * spawn() makes the fiber; here is what POSIX says around it. Attributes, pthread_self()
 * and pthread_equal() work as they are, since each fiber borrows the control block of a
 * real thread; but that knows nothing of a stack that the program gave the thread.
 *
 * pthread_exit() unwinds the stack as glibc does: with _Unwind_ForcedUnwind(), which runs
 * the destructors of C++ objects and cleanup attributes, and
 * through the jump buffers that pthread_cleanup_push() registers in C. When the main thread
 * ends so, the execution ends with the last thread (hook_exit.c).
 */
/*
 * intercepts: Threads
 *
 * explored pthread_create pthread_join - creation and end of a thread order what is before
 *	and after them; joining twice, or a thread that was detached, is thread-misuse
 * checked pthread_detach pthread_exit - as POSIX has it; to detach a thread twice, or one that was joined, is
 *	thread-misuse; pthread_exit() unwinds the stack
 * internal __pthread_register_cancel __pthread_unregister_cancel
 *	__pthread_register_cancel_defer __pthread_unregister_cancel_restore
 *	__pthread_unwind_next - cleanup handlers (pthread_cleanup_push) run
 * internal pthread_getattr_np - knows what the thread was created with
 * ignored sched_yield __sched_yield - others go first (yield.c); under test another thread may run
 */
#define _GNU_SOURCE 1
#include "preload/fiber/fiber.h"
#include "preload/hooks/announce.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <sched.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "engine/engine.h"
#include "preload/access/yield.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/code/imports.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/fiber/dtors.h"
#include "preload/hooks/futex/futex.h"
#include "preload/hooks/interrupt/deliver.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/lock/mutex.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/hooks/thread/exit.h"
#include "preload/hooks/thread/run.h"
#include "preload/hooks/thread/thread.h"
#include "preload/hooks/world/thread_attributes.h"
#include "preload/loop/children.h"

enum joining {
	JOINABLE,
	JOINED,
	DETACHED
};

struct thread {
	enum joining joining;
	uint32_t joiner; /* 1 + the thread that is about to join it; 0: none, or it has */
	size_t guard;    /* of its stack, as it was asked for */
	void *value;     /* what it returned */
	__pthread_unwind_buf_t *cleanup; /* innermost pthread_cleanup_push() in C */
};

/* Main's is restored with the program, the others begin with their threads. */
static HEDDLE_IMAGE struct thread main_thread = { .value = NULL };
static struct thread threads[HEDDLE_MAX_THREADS];
FRESH(threads);

static struct thread *thread_at(uint32_t tid)
{
	return tid ? &threads[tid] : &main_thread;
}

/* The exceptions of pthread_exit(): outside the stacks that they unwind. */
static struct _Unwind_Exception unwinding[HEDDLE_MAX_THREADS];
FRESH(unwinding);

static struct thread *me(void)
{
	return thread_at(self_id());
}

/* ---- Beginning -------------------------------------------------------------------------- */

/* Does the program set them? */
static bool has_defaults;

static void defaults_root(void)
{
	has_defaults = program_imports("pthread_setattr_default_np");
}

AT_ROOT(defaults_root);

/*
 * What its attributes ask for, or those for threads without any. In a frame of its own, or what create() calls would lie deeper on the
 * stack than wipe_below() reaches.
 */
static __attribute__((noinline)) void set_up(uint32_t tid, const pthread_attr_t *attr)
{
	pthread_attr_t by_default;
	sigset_t blocked;

	thread_attributes_inherit(tid, attr);
	if (!attr && (!has_defaults || pthread_getattr_default_np(&by_default)))
		return;
	pthread_attr_getguardsize(attr ? attr : &by_default, &threads[tid].guard);
	if (pthread_attr_getsigmask_np(attr ? attr : &by_default, &blocked) == 0)
		deliver_begins_with(tid, &blocked);
	if (!attr)
		pthread_attr_destroy(&by_default);
}

static int create_thread(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *), void *arg,
			 bool tells, uint64_t pc)
{
	int detached = PTHREAD_CREATE_JOINABLE, tid, error;

	settle();
	if (attr) {
		error = thread_attributes_check(attr);
		if (error)
			return error;
		pthread_attr_getdetachstate(attr, &detached);
	}
	tid = spawn(fn, arg, attr, out, tells, pc);
	if (tid < 0)
		return -tid;
	process_thread_created();
	threads[tid] = (struct thread){
		.joining = detached == PTHREAD_CREATE_DETACHED ? DETACHED : JOINABLE,
		.guard = 4096,
	};
	if (detached == PTHREAD_CREATE_DETACHED)
		joins_detached((uint32_t)tid, pc);
	set_up((uint32_t)tid, attr);
	return then_pause(0, pc);
}

int thread_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *), void *arg,
		  uint64_t pc)
{
	return create_thread(out, attr, fn, arg, true, pc);
}

int thread_create_own(pthread_t *out, void *(*fn)(void *), void *arg, uint64_t pc)
{
	return create_thread(out, NULL, fn, arg, false, pc);
}

ENTERED static int create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *),
			  void *arg)
{
	if (!shared) {
		children_thread_created();
		return REAL(pthread_create)(out, attr, fn, arg);
	}
	return thread_create(out, attr, fn, arg, ENTRY_CALLER());
}
HOOK_ENTRY(pthread_create, create, 4);

/* ---- Ending ----------------------------------------------------------------------------- */

void thread_returned(void *value)
{
	/* Who joins the thread reads that (engine/memo.txt, K1). */
	struct op op = { .kind = OP_END, .arg = value_of((uint64_t)(uintptr_t)value) };
	struct op_result res;

	settle();
	interrupt_point(CALLER());
	perform_end(OP_END, value);
	cancel_end();
	run_thread_local_dtors();
	keys_thread_end();
	robust_thread_end(0);
	joins_thread_end();
	futex_thread_end();
	if (!current)
		exit(0);
	process_thread_ends();
	me()->value = value;
	deliver_ends();
	operate(&op, &res);
	end_thread();
}

uint64_t stack_in_jump(const __jmp_buf registers)
{
	enum {
		JMPBUF_RSP = 6,
		POINTER_GUARD = 0x30
	};
	uint64_t sp = (uint64_t)registers[JMPBUF_RSP];
	uint64_t guard;

	__asm__("movq %%fs:%c1, %0" : "=r"(guard) : "i"(POINTER_GUARD));
	return (sp >> 17 | sp << 47) ^ guard;
}

static uint64_t stack_of(const __pthread_unwind_buf_t *buf)
{
	return stack_in_jump(buf->__cancel_jmp_buf[0].__cancel_jmp_buf);
}

static heddle_noreturn void run_cleanup(const __pthread_unwind_buf_t *buf)
{
	/* It has the beginning of a sigjmp_buf, up to the flag that no signal mask is saved. */
	sigjmp_buf whole = { 0 };

	memcpy(whole, buf->__cancel_jmp_buf, sizeof(buf->__cancel_jmp_buf));
	siglongjmp(whole, 1);
}

/* Of the unwinder that the program uses itself, if it has one: the frames of its functions belong
 * to that one. Otherwise of the runtime's. */
static _Unwind_Reason_Code (*unwinder)(struct _Unwind_Exception *, _Unwind_Stop_Fn, void *);
static _Unwind_Word (*unwinder_cfa)(struct _Unwind_Context *);

static _Unwind_Reason_Code no_more(struct _Unwind_Context *context, void *arg)
{
	(void)context;
	(void)arg;
	return _URC_END_OF_STACK;
}

/*
 * Who is cancelled may be in a function of libc's (stream_calls.c), whose cleanups go on with libgcc_s, which libc loads when
 * it wants it first. So it is to be there before, and to begin, too.
 */
static void *unwinder_of_libc(void)
{
	void *here[1], *from = NULL;

	if (program_imports("pthread_cancel") && backtrace(here, 1))
		from = REAL(dlopen)("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
	return from ? from : RTLD_DEFAULT;
}

/* An unwinder sets itself up under a pthread_once(), which should not be an operation of
 * whichever thread throws or exits first, or is probed: so it is done before. */
static void unwinder_root(void)
{
	_Unwind_Reason_Code (*backtrace)(_Unwind_Trace_Fn, void *);
	void *from = unwinder_of_libc();

	*(void **)&backtrace = dlsym(from, "_Unwind_Backtrace");
	*(void **)&unwinder_cfa = dlsym(from, "_Unwind_GetCFA");
	*(void **)&unwinder = dlsym(from, "_Unwind_ForcedUnwind");
	if (backtrace)
		backtrace(no_more, NULL);
	if (!unwinder || !unwinder_cfa) {
		unwinder = _Unwind_ForcedUnwind;
		unwinder_cfa = _Unwind_GetCFA;
	}
	_Unwind_Backtrace(no_more, NULL);
}

AT_ROOT(unwinder_root);

void (*thread_unwound)(uint64_t sp);

/* As libc's own code registers what is to be done when a thread is cancelled within it. */
void _pthread_cleanup_push(struct _pthread_cleanup_buffer *b, void (*fn)(void *), void *arg);
void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *b, int execute);

/*
 * Does that of the frames that were left, below sp: libc has a list for each thread, whose first one is told to who
 * adds one.
 */
static void leave_libc(uint64_t sp)
{
	struct _pthread_cleanup_buffer mine = { .__prev = NULL }, *b, *next;

	REAL(_pthread_cleanup_push)(&mine, NULL, NULL);
	for (b = mine.__prev; b && (uint64_t)(uintptr_t)b <= sp; b = next) {
		next = b->__prev;
		b->__routine(b->__arg);
	}
	mine.__prev = b;
	REAL(_pthread_cleanup_pop)(&mine, 0);
}

/* Called for each frame: leaves the unwinder at a handler registered in C, and at the end. */
static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
				struct _Unwind_Exception *exception,
				struct _Unwind_Context *context, void *arg)
{
	const __pthread_unwind_buf_t *buf = me()->cleanup;
	bool end = (actions & _UA_END_OF_STACK) != 0;

	(void)version;
	(void)class;
	(void)exception;
	(void)arg;
	leave_libc(end ? UINT64_MAX : unwinder_cfa(context));
	if (thread_unwound)
		thread_unwound(end ? UINT64_MAX : unwinder_cfa(context));
	if (buf && (end || stack_of(buf) < unwinder_cfa(context)))
		run_cleanup(buf);
	if (end)
		thread_returned(me()->value);
	return _URC_NO_REASON;
}

/* A handler caught what pthread_exit() throws and did not throw it again. */
static void caught(_Unwind_Reason_Code reason, struct _Unwind_Exception *exception)
{
	(void)reason;
	(void)exception;
	abort();
}

static heddle_noreturn void unwind(void)
{
	struct _Unwind_Exception *exception = &unwinding[self_id()];

	if (!unwinder) /* no thread was ever created */
		unwinder_root();
	exception->exception_class = 0;
	exception->exception_cleanup = caught;
	unwinder(exception, stop, NULL);
	/* A frame that it does not understand. */
	if (me()->cleanup)
		run_cleanup(me()->cleanup);
	thread_returned(me()->value);
}

void thread_exit(void *value)
{
	settle();
	cancel_end();
	me()->value = value;
	unwind();
}

HEDDLE_HOOK heddle_noreturn void pthread_exit(void *value)
{
	if (!shared)
		REAL(pthread_exit)(value);
	cancel_look(CALLER());
	thread_exit(value);
}

/* pthread_cleanup_push() and pthread_cleanup_pop() in C. */
HEDDLE_HOOK void __pthread_register_cancel(__pthread_unwind_buf_t *buf)
{
	if (!shared) {
		REAL(__pthread_register_cancel)(buf);
		return;
	}
	buf->__pad[0] = me()->cleanup;
	me()->cleanup = buf;
}

HEDDLE_HOOK void __pthread_unregister_cancel(__pthread_unwind_buf_t *buf)
{
	if (!shared)
		REAL(__pthread_unregister_cancel)(buf);
	else
		me()->cleanup = buf->__pad[0];
}

/* pthread_cleanup_push_defer_np(), pthread_cleanup_pop_restore_np() in C. */
HEDDLE_HOOK void __pthread_register_cancel_defer(__pthread_unwind_buf_t *buf)
{
	int old;

	if (!shared) {
		REAL(__pthread_register_cancel_defer)(buf);
		return;
	}
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old);
	buf->__pad[0] = me()->cleanup;
	buf->__pad[1] = (void *)(intptr_t)old;
	me()->cleanup = buf;
}

HEDDLE_HOOK void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *buf)
{
	if (!shared) {
		REAL(__pthread_unregister_cancel_restore)(buf);
		return;
	}
	me()->cleanup = buf->__pad[0];
	pthread_setcanceltype((int)(intptr_t)buf->__pad[1], NULL);
}

HEDDLE_HOOK heddle_noreturn void __pthread_unwind_next(__pthread_unwind_buf_t *buf)
{
	if (!shared)
		REAL(__pthread_unwind_next)(buf);
	me()->cleanup = buf->__pad[0];
	unwind();
}

/* ---- Joining ---------------------------------------------------------------------------- */

static heddle_noreturn void misuse(const char *message, uint64_t pc)
{
	report_bug_here(BUG_THREAD_MISUSE, 0, pc, message);
}

/* The thread may only be tried out (await.c). */
static void set_joining(uint32_t tid, enum joining joining, uint32_t joiner)
{
	struct thread *t = thread_at(tid);

	note_plain_write((uintptr_t)t, offsetof(struct thread, guard));
	t->joining = joining;
	t->joiner = joiner;
}

/* The id of a thread that is there; -1 if it is none. */
static int known(pthread_t thread)
{
	if (under_engine())
		return tid_of(thread);
	return pthread_equal(thread, pthread_self()) ? 0 : -1;
}

void thread_join_detached(uint64_t pc)
{
	misuse("pthread_join of a thread that was detached", pc);
}

/*
 * Claims the thread for the caller: 0, or the error of pthread_join(). Two that join or detach it are a bug in either order, so
 * none of the engine's is asked for.
 */
static int claim(pthread_t thread, uint32_t *peer, uint64_t pc)
{
	int tid;

	tid = known(thread);
	if (tid < 0)
		return no_thread(thread, NULL_IS_NONE | WRITES);
	if (thread_at((uint32_t)tid)->joining == DETACHED)
		thread_join_detached(pc);
	if (pthread_equal(thread, pthread_self()))
		return EDEADLK;
	/* At random a handler may have come while the caller waited in this call, which it makes again (interrupt.c). */
	if (thread_at((uint32_t)tid)->joining == JOINED &&
	    thread_at((uint32_t)tid)->joiner != 1 + self_id())
		misuse("pthread_join of a thread that was joined already", pc);
	set_joining((uint32_t)tid, JOINED, 1 + self_id());
	*peer = (uint32_t)tid;
	return 0;
}

int thread_join_now(pthread_t thread, void **value, uint64_t pc)
{
	struct op op = { .kind = OP_JOIN, .pc = pc };
	struct op_result res;
	int error;

	settle();
	op.arg.hi = cancel_location();
	error = claim(thread, &op.peer, op.pc);
	if (error)
		return error;
	operate(&op, &res);
	set_joining(op.peer, JOINED, 0);
	if (value)
		*value = thread_at(op.peer)->value;
	return 0;
}

int thread_join(pthread_t thread, void **value, uint64_t pc)
{
	cancellation_point(pc);
	return thread_join_now(thread, value, pc);
}

void thread_hand_over(void **to, void *value, uint64_t pc)
{
	if (!to)
		return;
	if (seen(pc))
		writes(to, sizeof(*to), pc);
	*to = value;
}

int thread_join_told(pthread_t thread, void **value, uint64_t pc)
{
	void *returned;
	int error = thread_join(thread, &returned, pc);

	if (!error)
		thread_hand_over(value, returned, pc);
	return error;
}

ENTERED static int join(pthread_t thread, void **value)
{
	if (!shared)
		return REAL(pthread_join)(thread, value);
	return thread_join_told(thread, value, ENTRY_CALLER());
}
HOOK_ENTRY(pthread_join, join, 2);

int thread_detach(pthread_t thread, uint64_t pc)
{
	int tid;

	settle();
	tid = known(thread);
	if (tid < 0)
		return no_thread(thread, NULL_IS_NONE | WRITES);
	if (thread_at((uint32_t)tid)->joining == JOINED)
		misuse("pthread_detach of a thread that was joined", pc);
	if (thread_at((uint32_t)tid)->joining == DETACHED)
		misuse("pthread_detach of a thread that was detached already", pc);
	set_joining((uint32_t)tid, DETACHED, 0);
	joins_detached((uint32_t)tid, pc);
	return 0;
}

HEDDLE_HOOK int pthread_detach(pthread_t thread)
{
	if (!shared)
		return REAL(pthread_detach)(thread);
	return thread_detach(thread, CALLER());
}

/* ---- The rest --------------------------------------------------------------------------- */

ENTERED static int yield(void)
{
	if (!shared)
		return REAL(sched_yield)();
	thread_yield(ENTRY_CALLER());
	return 0;
}
HOOK_ENTRY(sched_yield, yield, 0);

/* Its stack is as large as it was asked for, also where there is more of it (blocks.c). */
static int tell_stack(const struct fiber *f, size_t guard, pthread_attr_t *attr)
{
	size_t room = f->block_high - f->mapped_low, size = f->asked < room ? f->asked : room;
	int error;

	if (fiber_has_given_stack(f))
		error = pthread_attr_setstack(attr, (void *)f->stack_low,
					      f->stack_high - f->stack_low);
	else
		error = pthread_attr_setstack(attr, (void *)(f->block_high - size), size);
	return error ? error : pthread_attr_setguardsize(attr, guard);
}

HEDDLE_HOOK int pthread_getattr_np(pthread_t thread, pthread_attr_t *attr)
{
	int error = REAL(pthread_getattr_np)(thread, attr);
	int tid = error || !under_engine() ? -1 : tid_of(thread);
	cpu_set_t cpus;

	if (tid <= 0)
		return error;
	if (pthread_getaffinity_np(thread, sizeof(cpus), &cpus) ==
	    0) /* not what the block was made on */
		pthread_attr_setaffinity_np(attr, sizeof(cpus), &cpus);
	return tell_stack(&fibers[tid], threads[tid].guard, attr);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__sched_yield, sched_yield);
