/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * faults.c - the program's own handlers of faults, and of abort(), come before heddle's verdict
 *
 * case raised_in_a_thread: ok 1
 * case raised_before_threads: ok 1
 * case blocked_in_a_thread: ok 1
 * case blocked_before_threads: ok 1
 * case pending_when_the_first_thread_begins: ok 1
 * case taken_in_a_thread: ok 1
 * case taken_before_threads: ok 1
 * case suspended_before_threads: ok 1
 * case ignored_ones: ok 1
 * case once_only: ok 1
 * case of_strict_programs: ok 1
 * case to_another_thread: ok 2
 * case masks_are_told: ok 1
 * case a_jump_puts_the_mask_back: ok 1
 * case children_that_run_alone: ok 1
 *
 * case makes_the_page_writable: ok 2
 * case makes_the_page_writable_before_threads: ok 2
 * case goes_on_behind_it: ok 2
 * case goes_on_behind_a_trap: ok 2
 * case jumps_out: ok 2
 * case jumps_out_of_a_division: ok 2
 * case jumps_out_of_atomics: ok 3
 * case jumps_out_of_a_write: ok 2
 * case jumps_out_before_threads: ok 2
 * case two_threads_jump_out: ok 2
 * case finds_the_registers_of_the_fpu: ok 1
 *
 * case default_for_the_next: bug crash at *nowhere = 1
 * case the_next_one_in_a_handler: bug crash at *nowhere = 2
 * case while_it_is_blocked: bug crash at *nowhere = 1
 * case while_it_is_ignored: bug crash at *nowhere = 1
 * case ends_it_all: bug crash at *nowhere = 1
 * case raises_it_again: bug crash at *nowhere = 1
 * case exits_in_peace: ok 1
 * case crashes_in_several -k: bug crash at *nowhere = 5
 * case raised_by_default: bug crash at raise(SIGFPE)
 * case raised_by_default_before_threads: bug crash at raise(SIGFPE)
 * case sent_by_default: bug abort
 * case sent_by_default -e value: bug abort
 * case sent_to_the_process_by_default: bug abort
 * case raises_abort_before_threads: bug abort
 *
 * case abort_with_a_handler: bug abort at void)arg, abort()
 * case abort_with_one_that_jumps: ok 1
 * case abort_with_one_that_jumps_before_threads: ok 1
 * case abort_with_one_that_is_blocked: ok 1
 * case abort_that_is_ignored: bug abort at void)arg, abort()
 * case abort_with_one_that_raises_it: bug abort at void)arg, abort()
 * case assertion_with_a_handler: bug assertion at assert(handled == 1 && !arg)
 * case assertion_with_one_that_jumps: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/threads.h"
#include "signals.h"

static const int of_faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT };

enum {
	FAULTS = sizeof(of_faults) / sizeof(*of_faults)
};

static void count_any(int sig)
{
	(void)sig;
	handled++;
}

static void handle_it(int sig, void (*handler)(int), int flags)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = flags }, now;

	assert(sigaction(sig, &a, NULL) == 0);
	assert(sigaction(sig, NULL, &now) == 0 && now.sa_handler == handler);
}

static void inform(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction a = { .sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO };

	assert(sigaction(sig, &a, NULL) == 0);
}

static void handle_all(void (*handler)(int))
{
	for (int i = 0; i < FAULTS; i++)
		handle_it(of_faults[i], handler, 0);
}

static void *nothing_to_do(void *arg)
{
	return arg;
}

/* --- raised ------------------------------------------------------------------------------------ */

static void *raise_all(void *arg)
{
	handled = 0;
	for (int i = 0; i < FAULTS; i++) {
		assert(raise(of_faults[i]) == 0);
		assert(pthread_kill(pthread_self(), of_faults[i]) == 0);
		assert(handled == 2 * (i + 1));
	}
	return arg;
}

static void raised_in_a_thread(void)
{
	handle_all(count_any);
	alone(raise_all);
}

static void raised_before_threads(void)
{
	handle_all(count_any);
	raise_all(NULL);
	for (int i = 0; i < FAULTS; i++) {
		assert(kill(getpid(), of_faults[i]) == 0);
		assert(sigqueue(getpid(), of_faults[i], (union sigval){ 0 }) == 0);
		assert(handled == 2 * (FAULTS + i + 1));
	}
	alone(nothing_to_do);
}

static void *block_all(void *arg)
{
	sigset_t set;

	handled = 0;
	for (int i = 0; i < FAULTS; i++) {
		int sig = of_faults[i];

		mask(SIG_BLOCK, sig);
		assert(blocks(sig));
		assert(raise(sig) == 0 && raise(sig) == 0 && handled == i);
		assert(sigpending(&set) == 0 && sigismember(&set, sig));
		mask(SIG_UNBLOCK, sig);
		assert(handled == i + 1 && !blocks(sig));
		assert(sigpending(&set) == 0 && !sigismember(&set, sig));
	}
	return arg;
}

static void blocked_in_a_thread(void)
{
	handle_all(count_any);
	alone(block_all);
}

static void blocked_before_threads(void)
{
	handle_all(count_any);
	block_all(NULL);
	alone(nothing_to_do);
}

/* What was raised is for main, what was sent for everybody. */
static void *look_what_is_there(void *arg)
{
	sigset_t set;

	assert(blocks(SIGABRT) && blocks(SIGSEGV));
	assert(sigpending(&set) == 0);
	assert(!sigismember(&set, SIGABRT) && sigismember(&set, SIGSEGV));
	return arg;
}

static void pending_when_the_first_thread_begins(void)
{
	handle_all(count_any);
	mask(SIG_BLOCK, SIGABRT);
	mask(SIG_BLOCK, SIGSEGV);
	assert(raise(SIGABRT) == 0 && kill(getpid(), SIGSEGV) == 0);
	alone(look_what_is_there);
	mask(SIG_UNBLOCK, SIGABRT);
	assert(handled == 1);
	mask(SIG_UNBLOCK, SIGSEGV);
	assert(handled == 2);
}

static void *take_one(void *arg)
{
	sigset_t set = only(SIGABRT);
	siginfo_t info;
	int sig = 0;

	mask(SIG_BLOCK, SIGABRT);
	assert(raise(SIGABRT) == 0 && sigwait(&set, &sig) == 0 && sig == SIGABRT);
	assert(sigqueue(getpid(), SIGABRT, (union sigval){ .sival_int = 7 }) == 0);
	assert(sigwaitinfo(&set, &info) == SIGABRT && info.si_value.sival_int == 7);
	assert(info.si_code == SI_QUEUE && info.si_pid == getpid());
	assert(raise(SIGABRT) == 0 && sigtimedwait(&set, NULL, NULL) == SIGABRT);
	return arg;
}

static void taken_in_a_thread(void)
{
	mask(SIG_BLOCK, SIGABRT);
	alone(take_one);
}

static void taken_before_threads(void)
{
	take_one(NULL);
	alone(nothing_to_do);
}

static void suspended_before_threads(void)
{
	sigset_t none = only(0);

	handle_all(count_any);
	mask(SIG_BLOCK, SIGABRT);
	assert(raise(SIGABRT) == 0 && handled == 0);
	assert(sigsuspend(&none) == -1 && errno == EINTR && handled == 1 && blocks(SIGABRT));
	alone(nothing_to_do);
}

static void *raise_ignored(void *arg)
{
	for (int i = 0; i < FAULTS; i++)
		assert(raise(of_faults[i]) == 0);
	return arg;
}

static void ignored_ones(void)
{
	handle_all(SIG_IGN);
	raise_ignored(NULL);
	alone(raise_ignored);
}

static void *raise_once(void *arg)
{
	struct sigaction now;

	assert(raise(SIGABRT) == 0 && handled == 1);
	assert(sigaction(SIGABRT, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
	return arg;
}

static void once_only(void)
{
	handle_it(SIGABRT, count_any, SA_RESETHAND);
	alone(raise_once);
}

/* signal() as it is with -std=c11: in a handler of its signal the default is back. */
static void of_strict_programs(void)
{
	struct sigaction now;

	assert(sysv_signal(SIGABRT, count_any) == SIG_DFL);
	assert(sigaction(SIGABRT, NULL, &now) == 0);
	assert(now.sa_flags & SA_RESETHAND && now.sa_flags & SA_NODEFER);
	alone(raise_once);
}

static atomic_int told;

static void tell_it(int sig)
{
	assert(sig == SIGABRT);
	atomic_store(&told, 1);
}

static void *wait_to_be_told(void *arg)
{
	while (!atomic_load(&told))
		;
	return arg;
}

static void to_another_thread(void)
{
	pthread_t t;

	handle_it(SIGABRT, tell_it, 0);
	t = begin(wait_to_be_told, NULL);
	assert(pthread_kill(t, SIGABRT) == 0);
	end(t);
}

static void look_at_masks(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	assert(info->si_signo == sig && info->si_pid == getpid());
	assert(blocks(sig) && blocks(SIGUSR2) && blocks(SIGUSR1));
	assert(!sigismember(&uc->uc_sigmask, sig) && sigismember(&uc->uc_sigmask, SIGUSR1));
	handled++;
}

static void *raise_with_mask(void *arg)
{
	handled = 0;
	mask(SIG_BLOCK, SIGUSR1);
	assert(raise(SIGBUS) == 0 && handled == 1);
	assert(!blocks(SIGBUS) && !blocks(SIGUSR2) && blocks(SIGUSR1));
	mask(SIG_UNBLOCK, SIGUSR1);
	return arg;
}

static void masks_are_told(void)
{
	struct sigaction a = { .sa_sigaction = look_at_masks, .sa_flags = SA_SIGINFO };

	a.sa_mask = only(SIGUSR2);
	assert(sigaction(SIGBUS, &a, NULL) == 0);
	raise_with_mask(NULL);
	alone(raise_with_mask);
}

static _Thread_local sigjmp_buf outside;

static void jump_out(int sig)
{
	assert(blocks(sig));
	siglongjmp(outside, 1);
}

static void *raise_and_jump(void *arg)
{
	for (int i = 0; i < 2; i++) {
		if (!sigsetjmp(outside, 1)) {
			raise(SIGILL);
			assert(!"not here");
		}
		assert(!blocks(SIGILL));
	}
	return arg;
}

static void a_jump_puts_the_mask_back(void)
{
	handle_it(SIGILL, jump_out, 0);
	raise_and_jump(NULL);
	alone(raise_and_jump);
}

static void look_and_end(int sig)
{
	sigset_t set;

	assert(sigpending(&set) == 0);
	_exit(sig == SIGSEGV && blocks(SIGSEGV) && blocks(SIGABRT) && !sigismember(&set, SIGABRT)
		      ? 0
		      : 3);
}

/* They have handlers and masks of their parent, and nothing that is pending. */
static void children_that_run_alone(void)
{
	int status = -1;

	handle_it(SIGSEGV, look_and_end, 0);
	mask(SIG_BLOCK, SIGABRT);
	raise(SIGABRT);
	if (fork() == 0) {
		*(volatile int *)8 = 1;
		_exit(2);
	}
	assert(wait(&status) > 0 && status == 0);
	alone(nothing_to_do);
}

/* --- faults, twice: what an execution does must not be there in the next one ------------------------- */

static atomic_int number;

static void *add(void *arg)
{
	atomic_fetch_add(&number, 1);
	return arg;
}

static void twice(void *(*fn)(void *))
{
	pthread_t t = begin(add, NULL);

	fn(NULL);
	atomic_fetch_add(&number, 1);
	end(t);
}

static char *page;

static void get_page(int prot)
{
	page = mmap(NULL, 4096, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert(page != MAP_FAILED);
}

static void make_writable(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	assert(sig == SIGSEGV && info->si_code == SEGV_ACCERR && info->si_addr == page + 8);
	assert(blocks(SIGSEGV) && !sigismember(&uc->uc_sigmask, SIGSEGV));
	assert(mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
	handled++;
}

static void *write_to_it(void *arg)
{
	*(volatile char *)(page + 8) = 1;
	assert(handled == 1 && page[8] == 1 && !blocks(SIGSEGV));
	return arg;
}

static void makes_the_page_writable(void)
{
	get_page(PROT_READ);
	inform(SIGSEGV, make_writable, 0);
	twice(write_to_it);
}

static void makes_the_page_writable_before_threads(void)
{
	get_page(PROT_READ);
	inform(SIGSEGV, make_writable, 0);
	write_to_it(NULL);
	twice(nothing_to_do);
}

extern const char fault_at[], fault_over[];

static void go_on(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	assert(sig == SIGSEGV && info->si_addr == page);
	assert(uc->uc_mcontext.gregs[REG_RIP] == (greg_t)(uintptr_t)fault_at);
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)fault_over;
	uc->uc_mcontext.gregs[REG_RAX] = 42;
	uc->uc_sigmask = only(SIGUSR1);
}

static void *read_it(void *arg)
{
	long got = 0;

	__asm__ volatile("fault_at: movq (%1), %%rax\nfault_over:"
			 : "=a"(got)
			 : "r"(page)
			 : "memory");
	assert(got == 42 && blocks(SIGUSR1) && !blocks(SIGSEGV));
	return arg;
}

static void goes_on_behind_it(void)
{
	get_page(PROT_NONE);
	inform(SIGSEGV, go_on, 0);
	twice(read_it);
}

static void *trap(void *arg)
{
	__asm__ volatile("int3");
	assert(handled == 1);
	return arg;
}

static void goes_on_behind_a_trap(void)
{
	handle_it(SIGTRAP, count_any, 0);
	twice(trap);
}

static volatile int *nowhere;

#define OUT_OF(what)                                 \
	do {                                         \
		if (!sigsetjmp(outside, 1)) {        \
			what;                        \
			assert(!"not here");         \
		}                                    \
		assert(!blocks(SIGSEGV) && ++n < 9); \
	} while (0)

static void *write_nowhere(void *arg)
{
	volatile int n = 0;

	OUT_OF(*nowhere = 3);
	OUT_OF(*nowhere = 3);
	return arg;
}

static void jumps_out(void)
{
	handle_it(SIGSEGV, jump_out, 0);
	twice(write_nowhere);
}

static void jumps_out_before_threads(void)
{
	handle_it(SIGSEGV, jump_out, 0);
	write_nowhere(NULL);
	twice(nothing_to_do);
}

static volatile int zero;

static void *divide(void *arg)
{
	volatile int n = 0;

	OUT_OF(n /= zero);
	return arg;
}

static void jumps_out_of_a_division(void)
{
	handle_it(SIGFPE, jump_out, 0);
	twice(divide);
}

static void *use_atomics(void *arg)
{
	atomic_int *p = (atomic_int *)page;
	volatile int n = 0;

	OUT_OF(atomic_load(p));
	OUT_OF(atomic_store(p, 1));
	OUT_OF(atomic_fetch_add(p, 1));
	atomic_fetch_add(&number, 0);
	return arg;
}

static void jumps_out_of_atomics(void)
{
	get_page(PROT_NONE);
	handle_it(SIGSEGV, jump_out, 0);
	twice(use_atomics);
}

/* There is something to read. */
static void *write_to_a_constant(void *arg)
{
	atomic_int *p = (atomic_int *)page;
	volatile int n = 0;

	assert(atomic_load(p) == 0);
	OUT_OF(atomic_store(p, 1));
	OUT_OF(atomic_fetch_add(p, 1));
	assert(atomic_load(p) == 0);
	return arg;
}

static void jumps_out_of_a_write(void)
{
	get_page(PROT_READ);
	handle_it(SIGSEGV, jump_out, 0);
	twice(write_to_a_constant);
}

static _Thread_local sigjmp_buf own_outside;

static void jump_out_of_own(int sig)
{
	(void)sig;
	siglongjmp(own_outside, 1);
}

static void *write_near_null(void *arg)
{
	if (!sigsetjmp(own_outside, 1)) {
		((volatile int *)nowhere)[2] = 1;
		assert(!"not here");
	}
	return arg;
}

/* Neither of them has written anything. */
static void two_threads_jump_out(void)
{
	handle_it(SIGSEGV, jump_out_of_own, 0);
	THREADS(2, write_near_null);
}

static volatile double third;

static void divide_doubles(int sig)
{
	(void)sig;
	third = 1.0 / (handled + 4);
	handled++;
}

static void *keep_doubles(void *arg)
{
	register double d __asm__("xmm7") = 0.75;

	__asm__ volatile("int3" : "+x"(d));
	assert(d == 0.75 && third == 0.25);
	return arg;
}

static void finds_the_registers_of_the_fpu(void)
{
	handle_it(SIGTRAP, divide_doubles, 0);
	alone(keep_doubles);
}

/* --- bugs --------------------------------------------------------------------------------------- */

static void *fault(void *arg)
{
	*nowhere = 1;
	return arg;
}

static void default_next(int sig)
{
	signal(sig, SIG_DFL);
}

static void default_for_the_next(void)
{
	handle_it(SIGSEGV, default_next, 0);
	alone(fault);
}

static void fault_again(int sig)
{
	(void)sig;
	*nowhere = 2;
}

static void the_next_one_in_a_handler(void)
{
	handle_it(SIGSEGV, fault_again, 0);
	alone(fault);
}

static void *fault_blocked(void *arg)
{
	mask(SIG_BLOCK, SIGSEGV);
	return fault(arg);
}

static void while_it_is_blocked(void)
{
	handle_it(SIGSEGV, count_any, 0);
	alone(fault_blocked);
}

static void while_it_is_ignored(void)
{
	handle_it(SIGSEGV, SIG_IGN, 0);
	alone(fault);
}

static void end_badly(int sig)
{
	(void)sig;
	_exit(1);
}

static void ends_it_all(void)
{
	handle_it(SIGSEGV, end_badly, 0);
	alone(fault);
}

static void raise_again(int sig)
{
	signal(sig, SIG_DFL);
	mask(SIG_UNBLOCK, sig);
	raise(sig);
}

static void raises_it_again(void)
{
	handle_it(SIGSEGV, raise_again, 0);
	alone(fault);
}

static void end_well(int sig)
{
	(void)sig;
	_exit(0);
}

static void exits_in_peace(void)
{
	handle_it(SIGSEGV, end_well, 0);
	alone(fault);
}

static void *raise_only(void *arg)
{
	raise(SIGFPE);
	return arg;
}

static void raised_by_default(void)
{
	alone(raise_only);
}

static void raised_by_default_before_threads(void)
{
	raise_only(NULL);
}

static void sent_by_default(void)
{
	pthread_t t = begin(nothing_to_do, NULL);

	pthread_kill(t, SIGABRT); /* bug: sent_by_default */
	end(t);
}

/* Main does not block it. What is pending for the thread stays so while the bug is reported. */
static void *block_and_send(void *arg)
{
	mask(SIG_BLOCK, SIGABRT);
	raise(SIGABRT);
	kill(getpid(), SIGABRT); /* bug: sent_to_the_process_by_default */
	return arg;
}

static void sent_to_the_process_by_default(void)
{
	alone(block_and_send);
}

static void raises_abort_before_threads(void)
{
	raise(SIGABRT); /* bug: raises_abort_before_threads */
}

/* --- abort() ------------------------------------------------------------------------------------ */

static void *call_abort(void *arg)
{
	(void)arg, abort();
}

static void abort_with_a_handler(void)
{
	handle_it(SIGABRT, count_any, 0);
	alone(call_abort);
}

static void *abort_and_jump(void *arg)
{
	volatile int n = 0;

	OUT_OF(abort());
	OUT_OF(abort());
	return arg;
}

static void abort_with_one_that_jumps(void)
{
	handle_it(SIGABRT, jump_out, 0);
	alone(abort_and_jump);
}

static void abort_with_one_that_jumps_before_threads(void)
{
	handle_it(SIGABRT, jump_out, 0);
	abort_and_jump(NULL);
	alone(nothing_to_do);
}

static void *block_and_abort(void *arg)
{
	mask(SIG_BLOCK, SIGABRT);
	abort_and_jump(arg);
	return arg;
}

static void abort_with_one_that_is_blocked(void)
{
	handle_it(SIGABRT, jump_out, 0);
	alone(block_and_abort);
}

static void abort_that_is_ignored(void)
{
	handle_it(SIGABRT, SIG_IGN, 0);
	alone(call_abort);
}

static void abort_with_one_that_raises_it(void)
{
	handle_it(SIGABRT, raise_again, 0);
	alone(call_abort);
}

static void *fail(void *arg)
{
	assert(handled == 1 && !arg);
	return arg;
}

static void assertion_with_a_handler(void)
{
	handle_it(SIGABRT, count_any, 0);
	alone(fail);
}

static void *fail_and_jump(void *arg)
{
	volatile int n = 0;

	OUT_OF(fail(arg));
	return arg;
}

static void assertion_with_one_that_jumps(void)
{
	handle_it(SIGABRT, jump_out, 0);
	alone(fail_and_jump);
}

/* The call stack of the first one is asked for, and of no other. */
static atomic_int last;

static void *is_last(void *arg)
{
	atomic_store(&last, arg ? 2 : 1);
	return arg;
}

static void *counts(void *arg)
{
	atomic_fetch_add(&number, 1);
	return arg;
}

static void crashes_in_several(void)
{
	THREADS(2, is_last);
	THREADS(3, counts);
	if (atomic_load(&last) == 1)
		*nowhere = 5;
}

CASES(CASE(raised_in_a_thread), CASE(raised_before_threads), CASE(blocked_in_a_thread),
      CASE(blocked_before_threads), CASE(pending_when_the_first_thread_begins),
      CASE(taken_in_a_thread), CASE(taken_before_threads), CASE(suspended_before_threads),
      CASE(ignored_ones), CASE(once_only), CASE(of_strict_programs), CASE(to_another_thread),
      CASE(masks_are_told), CASE(a_jump_puts_the_mask_back), CASE(children_that_run_alone),
      CASE(makes_the_page_writable), CASE(makes_the_page_writable_before_threads),
      CASE(goes_on_behind_it), CASE(goes_on_behind_a_trap), CASE(jumps_out),
      CASE(jumps_out_of_a_division), CASE(jumps_out_of_atomics), CASE(jumps_out_of_a_write),
      CASE(jumps_out_before_threads), CASE(two_threads_jump_out),
      CASE(finds_the_registers_of_the_fpu), CASE(default_for_the_next),
      CASE(the_next_one_in_a_handler), CASE(while_it_is_blocked), CASE(while_it_is_ignored),
      CASE(ends_it_all), CASE(raises_it_again), CASE(exits_in_peace), CASE(crashes_in_several),
      CASE(raised_by_default), CASE(raised_by_default_before_threads), CASE(sent_by_default),
      CASE(sent_to_the_process_by_default), CASE(raises_abort_before_threads),
      CASE(abort_with_a_handler), CASE(abort_with_one_that_jumps),
      CASE(abort_with_one_that_jumps_before_threads), CASE(abort_with_one_that_is_blocked),
      CASE(abort_that_is_ignored), CASE(abort_with_one_that_raises_it),
      CASE(assertion_with_a_handler), CASE(assertion_with_one_that_jumps))
