/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_exit.c - the program ends: exit, _exit, abort, a failed assertion
 *
 * exit(0) lets the program's own handlers and destructors run as they do alone, as part of
 * the calling thread, so they may lock, join and race like anything else. Our handler was
 * registered before all others and so runs last; there OP_EXIT ends the execution, and libc's
 * exit() never comes to its own end. Where nobody registered anything, we do not even call
 * it. Any other status is a bug, at once. libc's own functions (err(), error()) call an exit()
 * that no hook sees; of these our handler is told the status.
 *
 * When main has called pthread_exit(), the process ends with its last thread, as if that called
 * exit(0). Which one it is depends on the schedule. So in programs that do so, and that have anything to run
 * then, threads count themselves when they end (a semaphore's post); who finds that all
 * others have ended is the last. That puts the ends of all threads in one order, which costs executions, so
 * no other program has the count. How many were created need not be asked in that order: whoever created a
 * thread and has not ended is missing in the count itself.
 *
 * Before the root point the same handler ends the only execution there is.
 */
/*
 * intercepts: The end of the program
 *
 * checked exit quick_exit _exit _Exit - the execution ends; a status other than 0 is the
 *	bug exit-code. Handlers and destructors run as part of the calling thread, or of
 *	the last one if main has called pthread_exit(). Of threads that call exit() or
 *	quick_exit(), one does, and the others wait
 * checked abort - the bug abort, if the program has no handler of SIGABRT or that returns
 * checked __assert_fail __assert __assert_perror_fail - a failed assert(): the bug
 *	assertion
 * checked __stack_chk_fail - a stack that was written over: the bug crash
 * internal __cxa_atexit on_exit - handlers are registered behind one of heddle's, which is
 *	the last to run
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/engine.h"
#include "preload/access/foreign.h"
#include "preload/access/promote.h"
#include "preload/code/fini.h"
#include "preload/code/modules.h"
#include "preload/core/active.h"
#include "preload/core/kin_end.h"
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/facts/facts.h"
#include "preload/fiber/dtors.h"
#include "preload/fiber/fiber.h"
#include "preload/fiber/leave.h"
#include "preload/hooks/interrupt/fault.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/thread/exit.h"
#include "preload/report/leak.h"
#include "preload/report/report.h"

int __cxa_atexit(void (*fn)(void *), void *arg, void *dso);
int __cxa_at_quick_exit(void (*fn)(void *), void *dso);

/* The program is over, its handlers included. */
static heddle_noreturn void last_step(uint64_t pc)
{
	struct op op = { .kind = OP_EXIT, .pc = pc };
	struct op_result res;

	if (!rooted)
		leave_unrooted();
	if (!current) /* libc, on behalf of the runtime: cannot be */
		internal_error("exit() inside the runtime", NULL);
	settle();
	foreign_exit();
	perform(&op, &res);
	if (engine_next(engine) != ENGINE_OVER)
		internal_error("the engine goes on after the program's exit", NULL);
	leak_check();
	leave_execution(LEAVE_OVER);
}

/* What the program wrote and exit() would now write out: a replay shows it. */
void (*show_streams)(void);

static void flush_output(void)
{
	if (!shared->config.show_output)
		return;
	if (show_streams)
		show_streams();
	else
		fflush(NULL);
}

/* 0, but for a child that ended otherwise where the program was content. */
static void check_status(int status, uint64_t pc)
{
	int expected = (int)shared->config.setting[SETTING_EXPECTED];
	char buf[64];
	struct text t = text_in(buf, sizeof(buf));

	status &= 0xff;
	if (status == expected)
		return;
	settle(); /* others go on behind the bug */
	fault_at_end();
	text_str(&t, "the program exits with status ");
	text_int(&t, status);
	if (expected) {
		text_str(&t, ", not ");
		text_int(&t, expected);
	}
	progress->ending = (uint32_t)W_EXITCODE(status, 0);
	report_bug_here(BUG_EXIT_CODE, 0, pc, buf);
}

static void last_handler(int status, void *arg)
{
	(void)arg;
	if (!init_active()) {
		kin_end_says();
		return;
	}
	flush_output();
	check_status(status, CALLER());
	last_step(CALLER());
}

static void last_quick_handler(void *arg)
{
	(void)arg;
	if (init_active())
		last_step(CALLER());
	kin_end_says();
}

/* Was anything else registered, at any time? */
static bool handlers;
/* Have the modules of the program endings of their own? */
static bool endings = true;

static void process_root(void)
{
	endings = modules_have_endings();
}

AT_ROOT(process_root);

HEDDLE_HOOK int __cxa_atexit(void (*fn)(void *), void *arg, void *dso)
{
	init_active(); /* ours comes first */
	handlers = true;
	return REAL(__cxa_atexit)(fn, arg, dso);
}

HEDDLE_HOOK int on_exit(void (*fn)(int, void *), void *arg)
{
	init_active();
	handlers = true;
	return REAL(on_exit)(fn, arg);
}

void process_init(void)
{
	REAL(on_exit)(last_handler, NULL);
	__cxa_at_quick_exit(last_quick_handler, NULL);
}

void (*wait_for_who_exits)(uint64_t pc);

static heddle_noreturn void end_all(int status, uint64_t pc)
{
	if (init_active()) {
		interrupt_point(pc);
		if ((status & 0xff) != (int)shared->config.setting[SETTING_EXPECTED])
			flush_output();
		check_status(status, pc);
		if (under_engine() && (handlers || endings))
			wait_for_who_exits(pc);
		perform_end(OP_EXIT, NULL);
		run_thread_local_dtors();
		if (rooted && !handlers && !endings) {
			flush_output();
			last_step(pc);
		}
	}
	REAL(exit)(status);
	__builtin_unreachable();
}

/* Is there half of it left? Handlers that the program has registered are to have room. */
static bool leaves_room(size_t used)
{
	struct rlimit limit;

	return !sys4(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)(uintptr_t)&limit) &&
	       used < limit.rlim_cur / 2;
}

/* How much of the stack main has used, with what it called: as far down as an operation was seen. */
static size_t used_by_main(uint64_t top)
{
	const struct fiber *f = &fibers[0];
	const size_t used = rooted && f->deepest < top ? top - f->deepest : 0;

	return f->deepest >= f->stack_low && leaves_room(used) ? used : 0;
}

/*
 * Its variables may be in use by other threads, which go on until the process has ended. So what ends it lies below them: else they
 * would write over that, and read it.
 */
void end_of_main(int status, uint64_t pc)
{
	const uint64_t top = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	char *below = __builtin_alloca(used_by_main(top));

	leak_main_returns(top);
	__asm__ volatile("" : : "r"(below) : "memory");
	end_all(status, pc);
}

HEDDLE_HOOK heddle_noreturn void exit(int status)
{
	end_all(status, CALLER());
}

HEDDLE_HOOK heddle_noreturn void quick_exit(int status)
{
	if (init_active()) {
		check_status(status, CALLER());
		if (under_engine())
			wait_for_who_exits(CALLER());
	}
	REAL(quick_exit)(status);
	__builtin_unreachable();
}

void exit_now(int status, uint64_t pc)
{
	if (!init_active()) {
		kin_end_says();
		sys_exit_group(status);
	}
	check_status(status, pc);
	last_step(pc);
}

HEDDLE_HOOK heddle_noreturn void _exit(int status)
{
	exit_now(status, CALLER());
}

HEDDLE_HOOK heddle_noreturn void _Exit(int status)
{
	exit_now(status, CALLER());
}

/* ---- The last thread ------------------------------------------------------------------------------- */

static uint32_t created; /* in this execution, besides main */
static bool main_left;   /* likewise: it has called pthread_exit() */
static bool leaving;     /* likewise: the last one has ended; handlers may still create others */
static uint32_t ended;   /* its address stands for the count of threads that have */

static void process_begin_execution(void)
{
	created = 0;
	main_left = leaving = false;
}

AT_BEGIN(process_begin_execution);

void process_thread_created(void)
{
	created++;
}

/* Do threads count themselves? Found out when main has left, or somebody behind it registers a handler. */
static bool counted(void)
{
	if (fact_in_use(FACT_MAIN_LEAVES))
		return true;
	if (main_left && (handlers || endings) && shared->config.mode != ENGINE_REPLAY)
		fact_found(FACT_MAIN_LEAVES);
	return false;
}

static void count_end(void)
{
	struct op op = { .kind = OP_SEM_POST, .addr = (uintptr_t)&ended };
	struct op_result res;

	operate(&op, &res);
	leaving = res.stored.lo == created + 1;
	if (leaving)
		end_all(0, 0);
}

void process_thread_ends(void)
{
	main_left |= current->tid == 0;
	if (!leaving && counted())
		count_end();
}

void process_over(void)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		if (fibers[t].alive)
			return;
	flush_output();
}

/* ---- Assertions and abort --------------------------------------------------------------------------- */

static heddle_noreturn void assertion(const char *expr, const char *file, unsigned line,
				      const char *function, uint64_t pc)
{
	char buf[SHARED_TEXT];
	struct text t = text_in(buf, sizeof(buf));

	text_str(&t, "assertion `");
	text_str(&t, expr ? expr : "?");
	text_str(&t, "' failed at ");
	text_str(&t, file ? file : "?");
	text_str(&t, ":");
	text_int(&t, line);
	if (function) {
		text_str(&t, " in ");
		text_str(&t, function);
	}
	fault_abort(BUG_ASSERTION, buf, pc);
}

HEDDLE_HOOK void __assert_fail(const char *expr, const char *file, unsigned line,
			       const char *function)
{
	if (!init_active())
		REAL(__assert_fail)(expr, file, line, function);
	assertion(expr, file, line, function, CALLER());
}

void __assert(const char *expr, const char *file, int line);
HEDDLE_HOOK void __assert(const char *expr, const char *file, int line)
{
	if (!init_active())
		REAL(__assert)(expr, file, line);
	assertion(expr, file, (unsigned)line, NULL, CALLER());
}

void __assert_perror_fail(int err, const char *file, unsigned line, const char *function);
HEDDLE_HOOK void __assert_perror_fail(int err, const char *file, unsigned line,
				      const char *function)
{
	if (!init_active())
		REAL(__assert_perror_fail)(err, file, line, function);
	assertion("unexpected error", file, line, function, CALLER());
}

HEDDLE_HOOK void abort(void)
{
	if (!init_active()) {
		kin_end_says();
		REAL(abort)();
	}
	fault_abort(BUG_ABORT, "the program called abort()", CALLER());
}

void __stack_chk_fail(void);
HEDDLE_HOOK void __stack_chk_fail(void)
{
	if (!init_active())
		REAL(__stack_chk_fail)();
	settle();
	report_bug_here(BUG_CRASH, 0, CALLER(), "stack smashing detected");
}
