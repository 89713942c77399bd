/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * altstack.c - stacks that the program has for handlers of signals
 *
 * case there_is_none: ok 1
 * case of_a_new_thread: ok 1
 * case for_what_is_raised: ok 1
 * case for_what_is_raised_before_threads: ok 1
 * case for_faults: ok 1
 * case each_thread_has_its_own: ok 36
 * case other_threads_go_on_meanwhile: ok 3
 * case another_thread_sends_it: ok 4
 * case a_stack_overflows: ok 1
 * case a_stack_overflows_before_threads: ok 1
 * case a_stack_overflows_without: bug crash at frame[64] = {
 * case disarms_itself: refused SS_AUTODISARM
 *
 * ways sigaltstack: EFAULT EINVAL ENOMEM EPERM
 *
 * case sigaltstack_EFAULT: ok 1
 * case sigaltstack_EINVAL: ok 1
 * case sigaltstack_ENOMEM: ok 1
 * case sigaltstack_EPERM: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#include "hooks/fails.h"
#include "hooks/threads.h"
#include "signals.h"

enum {
	SIZE = 1 << 16
};

static char stacks[3][SIZE];
static _Thread_local char *mine;

static void handle_there(int sig, void (*handler)(int))
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_ONSTACK }, now;

	assert(sigaction(sig, &a, NULL) == 0);
	assert(sigaction(sig, NULL, &now) == 0 && now.sa_flags & SA_ONSTACK);
}

static void use(char *stack)
{
	stack_t set = { .ss_sp = stack, .ss_size = SIZE };

	assert(sigaltstack(&set, NULL) == 0);
	mine = stack;
}

static bool is_on(const char *stack)
{
	const char here = 0;

	return (uintptr_t)&here - (uintptr_t)stack < SIZE;
}

static void check_none(void)
{
	stack_t now;

	assert(sigaltstack(NULL, &now) == 0);
	assert(!now.ss_sp && !now.ss_size && now.ss_flags == SS_DISABLE);
}

static void find_none(int sig)
{
	(void)sig;
	check_none();
	handled++;
}

static void *look_for_none(void *arg)
{
	handled = 0;
	check_none();
	raise(SIGUSR1);
	raise(SIGFPE);
	assert(handled == 2);
	return arg;
}

static void there_is_none(void)
{
	handle_there(SIGUSR1, find_none);
	handle_there(SIGFPE, find_none);
	look_for_none(NULL);
	alone(look_for_none);
}

static void of_a_new_thread(void)
{
	handle_there(SIGUSR1, find_none);
	handle_there(SIGFPE, find_none);
	use(stacks[0]);
	alone(look_for_none);
}

static void find_mine(int sig)
{
	stack_t now;

	assert(sig && is_on(mine));
	assert(sigaltstack(NULL, &now) == 0);
	assert(now.ss_sp == mine && now.ss_size == SIZE && now.ss_flags == SS_ONSTACK);
	if (handled++ == 0)
		raise(SIGUSR2); /* it is on it already */
}

static void *raise_some(void *arg)
{
	stack_t now;

	handled = 0;
	use(stacks[1]);
	assert(!is_on(mine));
	raise(SIGUSR1);
	assert(handled == 2);
	raise(SIGABRT);
	assert(handled == 3);
	assert(sigaltstack(NULL, &now) == 0);
	assert(now.ss_sp == mine && now.ss_size == SIZE && now.ss_flags == 0);
	now.ss_flags = SS_DISABLE;
	assert(sigaltstack(&now, NULL) == 0);
	check_none();
	return arg;
}

static void for_what_is_raised(void)
{
	handle_there(SIGUSR1, find_mine);
	handle_there(SIGUSR2, find_mine);
	handle_there(SIGABRT, find_mine);
	alone(raise_some);
}

static void *nothing_to_do(void *arg)
{
	return arg;
}

static void for_what_is_raised_before_threads(void)
{
	handle_there(SIGUSR1, find_mine);
	handle_there(SIGUSR2, find_mine);
	handle_there(SIGABRT, find_mine);
	raise_some(NULL);
	alone(nothing_to_do);
}

static void *trap(void *arg)
{
	handled = 1;
	use(stacks[1]);
	__asm__ volatile("int3");
	assert(handled == 2);
	return arg;
}

static void for_faults(void)
{
	handle_there(SIGTRAP, find_mine);
	alone(trap);
}

static atomic_int number;

static void add_one(int sig)
{
	assert(sig == SIGTRAP && is_on(mine));
	atomic_fetch_add(&number, 1);
}

static void *add_there(void *arg)
{
	use(stacks[(intptr_t)arg]);
	__asm__ volatile("int3");
	assert(!is_on(mine));
	return arg;
}

static void each_thread_has_its_own(void)
{
	handle_there(SIGTRAP, add_one);
	THREADS(3, add_there);
	assert(number == 3);
}

static atomic_int ready;

static void wait_there(int sig)
{
	assert(sig == SIGTRAP && is_on(mine));
	if (!atomic_load(&ready))
		atomic_store(&number, 1);
}

static void *be_ready(void *arg)
{
	atomic_store(&ready, 1);
	atomic_load(&number);
	return arg;
}

static void other_threads_go_on_meanwhile(void)
{
	pthread_t t;

	handle_there(SIGTRAP, wait_there);
	t = begin(be_ready, NULL);
	add_there(NULL);
	end(t);
}

static void note_it(int sig)
{
	assert(sig == SIGUSR1 && is_on(mine));
	atomic_store(&ready, 1);
}

static void *wait_for_signal(void *arg)
{
	use(stacks[1]);
	mask(SIG_UNBLOCK, SIGUSR1);
	while (!atomic_load(&ready))
		;
	return arg;
}

static void another_thread_sends_it(void)
{
	pthread_t t;

	handle_there(SIGUSR1, note_it);
	mask(SIG_BLOCK, SIGUSR1);
	t = begin(wait_for_signal, NULL);
	assert(pthread_kill(t, SIGUSR1) == 0);
	end(t);
}

static sigjmp_buf outside;

static void jump_out(int sig)
{
	assert(sig == SIGSEGV && is_on(mine));
	siglongjmp(outside, 1);
}

/* Not a last call, so that each needs its frame. */
__attribute__((noinline)) static int deeper(volatile int *above)
{
	volatile int frame[64] = { *above };

	return deeper(frame) + frame[0];
}

static void *overflow(void *arg)
{
	volatile int top = 1, n = 0;

	for (; n < 2; n++) {
		if (!sigsetjmp(outside, 1)) {
			deeper(&top);
			assert(!"not here");
		}
		assert(!is_on(mine) && !blocks(SIGSEGV));
	}
	return arg;
}

static void *overflow_with_stack(void *arg)
{
	use(stacks[1]);
	return overflow(arg);
}

static void a_stack_overflows(void)
{
	handle_there(SIGSEGV, jump_out);
	alone(overflow_with_stack);
}

static void a_stack_overflows_before_threads(void)
{
	handle_there(SIGSEGV, jump_out);
	overflow_with_stack(NULL);
	alone(nothing_to_do);
}

/* Nowhere for the handler to begin. */
static void a_stack_overflows_without(void)
{
	handle_there(SIGSEGV, jump_out);
	alone(overflow);
}

static void disarms_itself(void)
{
	stack_t set = { .ss_sp = stacks[0], .ss_size = SIZE, .ss_flags = (int)(1u << 31) };

	sigaltstack(&set, NULL);
}

/* --- how it fails ------------------------------------------------------------------------------- */

EACH_FAILS(sigaltstack_EFAULT, EFAULT, sigaltstack(NULL, (stack_t *)8))

IN_EACH(sigaltstack_EINVAL)
{
	stack_t set = { .ss_sp = stacks[0], .ss_size = SIZE, .ss_flags = 4 };

	FAILS(EINVAL, sigaltstack(&set, NULL));
	return arg;
}

IN_EACH(sigaltstack_ENOMEM)
{
	stack_t set = { .ss_sp = stacks[0], .ss_size = 100 };

	FAILS(ENOMEM, sigaltstack(&set, NULL));
	check_none();
	return arg;
}

static void try_to_change_it(int sig)
{
	stack_t set = { .ss_flags = SS_DISABLE };

	(void)sig;
	FAILS(EPERM, sigaltstack(&set, NULL));
	handled++;
}

IN_EACH(sigaltstack_EPERM)
{
	stack_t none = { .ss_flags = SS_DISABLE };

	handled = 0;
	handle_there(SIGUSR1, try_to_change_it);
	use(stacks[0]);
	raise(SIGUSR1);
	assert(handled == 1);
	assert(sigaltstack(&none, NULL) == 0);
	return arg;
}

CASES(CASE(there_is_none), CASE(of_a_new_thread), CASE(for_what_is_raised),
      CASE(for_what_is_raised_before_threads), CASE(for_faults), CASE(each_thread_has_its_own),
      CASE(other_threads_go_on_meanwhile), CASE(another_thread_sends_it), CASE(a_stack_overflows),
      CASE(a_stack_overflows_before_threads), CASE(a_stack_overflows_without), CASE(disarms_itself),
      CASE(sigaltstack_EFAULT), CASE(sigaltstack_EINVAL), CASE(sigaltstack_ENOMEM),
      CASE(sigaltstack_EPERM))
