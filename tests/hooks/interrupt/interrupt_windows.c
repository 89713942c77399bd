/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interrupt_windows.c - times at which a signal may come, and others at which it does not
 *
 * Each thread lets the signal in for some time of its life only, or handles it for some time only. It comes by a thread whose calls
 * no operation of the program orders with that, so what the first execution happens to do must not matter.
 *
 * case while_it_runs: bug assertion at assert(atomic_load(&x) != 1)
 * case behind_its_last_step: bug assertion at assert(atomic_load(&x) != 1)
 * case before_it_exits: bug assertion at assert(atomic_load(&x) != 1)
 * case until_it_blocks_it: bug assertion at assert(atomic_load(&x) != 1)
 * case until_it_is_held: bug assertion at assert(atomic_load(&x) != 1)
 * case while_it_lets_it_in: bug assertion at assert(atomic_load(&x) != 1)
 * case to_the_process_until_it_blocks_it: bug assertion at assert(atomic_load(&x) != 1)
 * case from_the_start_of_another: bug assertion at assert(atomic_load(&x) != 1)
 * case while_a_call_lets_it_in: bug assertion at assert(atomic_load(&x) != 1)
 * case while_it_is_handled: bug assertion at assert(atomic_load(&x) != 1)
 * case until_it_is_ignored: bug assertion at assert(atomic_load(&x) != 1)
 * case until_an_action_ignores_it: bug assertion at assert(atomic_load(&x) != 1)
 * case between_volatile_writes: bug assertion at assert(!torn)
 * case between_volatile_reads: bug assertion at assert(first == second)
 * case while_another_handler_lets_it_in: bug assertion at assert(atomic_load(&x) != 1)
 * case not_while_it_is_blocked: ok 5
 * case blocked_before_it_can_come: ok 1
 * case a_flag_is_waited_for: ok 1
 * case before_a_pause: bug deadlock at pause()
 * case before_a_suspension: bug deadlock
 * case a_suspension_ends: ok 2
 * case before_or_in_a_suspension: ok 26
 * case ignored_when_it_is_sent: ok 1
 * case ignored_but_blocked_when_it_is_sent: ok 1
 * case ignored_or_handled_when_it_is_sent: ok 4
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/signal/signals.h"
#include "hooks/threads.h"

static atomic_int x, ran;
static volatile int low, high;
static volatile sig_atomic_t flag;
static bool torn;
static sem_t heard;
static pthread_t target;

static void sees(int sig)
{
	assert(sig == SIGUSR1);
	assert(atomic_load(&x) != 1);
}

static void *send(void *arg)
{
	assert(pthread_kill(target, SIGUSR1) == 0);
	return arg;
}

static void *send_to_the_process(void *arg)
{
	mask(SIG_BLOCK, SIGUSR1);
	assert(kill(getpid(), SIGUSR1) == 0);
	return arg;
}

/* fn runs in a thread that is interrupted, if it can be. */
static void by_another(void *(*fn)(void *), void (*handler)(int))
{
	pthread_t sender;

	handle(handler);
	target = begin(fn, NULL);
	sender = begin(send, NULL);
	end(sender);
	end(target);
}

/* The first thread is. */
static void by_a_thread(void (*fn)(void), void (*handler)(int))
{
	pthread_t sender;

	handle(handler);
	target = pthread_self();
	sender = begin(send, NULL);
	fn();
	end(sender);
}

/* ---- While a thread lets it in --------------------------------------------------------------------- */

static void *two_steps(void *arg)
{
	atomic_store(&x, 1);
	atomic_store(&x, 2);
	return arg;
}

static void while_it_runs(void)
{
	by_another(two_steps, sees);
}

static void *one_step(void *arg)
{
	atomic_store(&x, 1);
	return arg;
}

static void behind_its_last_step(void)
{
	by_another(one_step, sees);
}

static void *one_step_and_exit(void *arg)
{
	atomic_store(&x, 1);
	pthread_exit(arg);
}

static void before_it_exits(void)
{
	by_another(one_step_and_exit, sees);
}

static void *block_in_between(void *arg)
{
	atomic_store(&x, 1);
	mask(SIG_BLOCK, SIGUSR1);
	atomic_store(&x, 2);
	return arg;
}

static void until_it_blocks_it(void)
{
	by_another(block_in_between, sees);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void hold_in_between(void)
{
	atomic_store(&x, 1);
	sighold(SIGUSR1);
	atomic_store(&x, 2);
}

static void until_it_is_held(void)
{
	by_a_thread(hold_in_between, sees);
}

static void *open_a_window(void *arg)
{
	mask(SIG_UNBLOCK, SIGUSR1);
	atomic_store(&x, 1);
	mask(SIG_BLOCK, SIGUSR1);
	atomic_store(&x, 2);
	return arg;
}

static void while_it_lets_it_in(void)
{
	mask(SIG_BLOCK, SIGUSR1);
	by_another(open_a_window, sees);
}

static void to_the_process_until_it_blocks_it(void)
{
	pthread_t t, sender;

	handle(sees);
	t = begin(block_in_between, NULL);
	sender = begin(send_to_the_process, NULL);
	mask(SIG_BLOCK, SIGUSR1);
	end(sender);
	end(t);
}

/* It is created when the signal was sent, in the first execution. */
static void *create_one(void *arg)
{
	mask(SIG_UNBLOCK, SIGUSR1);
	mask(SIG_BLOCK, SIGUSR1);
	return arg;
}

static void from_the_start_of_another(void)
{
	pthread_attr_t attr;
	pthread_t t, sender;
	sigset_t none = only(0);

	handle(sees);
	mask(SIG_BLOCK, SIGUSR1);
	sender = begin(send_to_the_process, NULL);
	assert(pthread_attr_init(&attr) == 0 && pthread_attr_setsigmask_np(&attr, &none) == 0);
	end(begin(create_one, NULL));
	assert(pthread_create(&t, &attr, two_steps, NULL) == 0);
	end(t);
	end(sender);
}

static void poll_in_between(void)
{
	const struct timespec now = { 0, 0 };
	sigset_t none = only(0);

	atomic_store(&x, 1);
	ppoll(NULL, 0, &now, &none);
	atomic_store(&x, 2);
}

static void while_a_call_lets_it_in(void)
{
	mask(SIG_BLOCK, SIGUSR1);
	by_a_thread(poll_in_between, sees);
}

/* ---- While it is handled ---------------------------------------------------------------------------- */

static void *handle_for_a_while(void *arg)
{
	signal(SIGUSR1, sees);
	atomic_store(&x, 1);
	atomic_store(&x, 2);
	signal(SIGUSR1, SIG_IGN);
	return arg;
}

static void while_it_is_handled(void)
{
	by_another(handle_for_a_while, SIG_IGN);
}

static void ignore_in_between(void)
{
	atomic_store(&x, 1);
	signal(SIGUSR1, SIG_IGN);
	atomic_store(&x, 2);
}

static void until_it_is_ignored(void)
{
	by_a_thread(ignore_in_between, sees);
}

static void ignore_by_an_action_in_between(void)
{
	atomic_store(&x, 1);
	handle(SIG_IGN);
	atomic_store(&x, 2);
}

static void until_an_action_ignores_it(void)
{
	by_a_thread(ignore_by_an_action_in_between, sees);
}

/* ---- Between volatile accesses ---------------------------------------------------------------------- */

static void compare(int sig)
{
	assert(sig == SIGUSR1);
	torn |= low != high;
}

static void write_both(void)
{
	low = 1;
	high = 1;
}

static void between_volatile_writes(void)
{
	by_a_thread(write_both, compare);
	assert(!torn);
}

static void change(int sig)
{
	assert(sig == SIGUSR1);
	low = 1;
}

static void read_twice(void)
{
	int first = low, second = low;

	assert(first == second);
}

static void between_volatile_reads(void)
{
	by_a_thread(read_twice, change);
}

static void two_steps_of_a_handler(int sig)
{
	two_steps(NULL);
	assert(sig == SIGUSR2);
	mask(SIG_BLOCK, SIGUSR1);
}

/* What the mask of the call lets in comes while the other handler runs as well. */
static void *suspend_for_another(void *arg)
{
	sigset_t none = only(0);

	mask(SIG_BLOCK, SIGUSR2);
	raise(SIGUSR2);
	sigsuspend(&none);
	return arg;
}

static void while_another_handler_lets_it_in(void)
{
	struct sigaction a = { .sa_handler = two_steps_of_a_handler };

	assert(sigaction(SIGUSR2, &a, NULL) == 0);
	mask(SIG_BLOCK, SIGUSR1);
	by_another(suspend_for_another, sees);
}

/* ---- Not at other times ------------------------------------------------------------------------------ */

static void block_around(void)
{
	mask(SIG_BLOCK, SIGUSR1);
	atomic_store(&x, 1);
	atomic_store(&x, 2);
	mask(SIG_UNBLOCK, SIGUSR1);
}

static void not_while_it_is_blocked(void)
{
	by_a_thread(block_around, sees);
}

static void blocked_before_it_can_come(void)
{
	mask(SIG_BLOCK, SIGUSR1);
	by_another(two_steps, sees);
}

static void set_flag(int sig)
{
	assert(sig == SIGUSR1);
	flag = 1;
}

static void wait_for_flag(void)
{
	while (!flag)
		;
}

static void a_flag_is_waited_for(void)
{
	by_a_thread(wait_for_flag, set_flag);
}

/* ---- Pauses --------------------------------------------------------------------------------------------- */

static void pause_for_it(void)
{
	if (!flag)
		pause();
}

static void before_a_pause(void)
{
	by_a_thread(pause_for_it, set_flag);
}

static void suspend_for_it(void)
{
	sigset_t none = only(0);

	if (!flag)
		sigsuspend(&none); /* bug: before_a_suspension */
}

static void before_a_suspension(void)
{
	by_a_thread(suspend_for_it, set_flag);
}

static void a_suspension_ends(void)
{
	sigset_t none = only(0);

	mask(SIG_BLOCK, SIGUSR1);
	handle(set_flag);
	target = pthread_self();
	begin(send, NULL);
	while (!flag)
		sigsuspend(&none);
}

static void note_it(int sig)
{
	assert(sig == SIGUSR1);
	atomic_store(&ran, 1);
}

static void post_it(int sig)
{
	if (sig == SIGUSR1)
		sem_post(&heard);
}

static void *send_two(void *arg)
{
	send(NULL);
	sem_wait(&heard);
	assert(pthread_kill(target, SIGUSR2) == 0);
	return arg;
}

/* The first signal ends the call if it comes while that waits; then the thread does not go on to wait. Else the second one does. */
static void before_or_in_a_suspension(void)
{
	struct sigaction a = { .sa_handler = post_it };
	sigset_t none = only(0);
	pthread_t sender;

	assert(sem_init(&heard, 0, 0) == 0 && sigaction(SIGUSR2, &a, NULL) == 0);
	mask(SIG_BLOCK, SIGUSR2);
	handle(post_it);
	target = pthread_self();
	sender = begin(send_two, NULL);
	assert(sigsuspend(&none) == -1 && errno == EINTR);
	end(sender);
}

/* ---- Ignored signals --------------------------------------------------------------------------------- */

static void let_it_in(void)
{
	mask(SIG_BLOCK, SIGUSR1);
	mask(SIG_UNBLOCK, SIGUSR1);
}

static void ignored_when_it_is_sent(void)
{
	handle(SIG_IGN);
	target = pthread_self();
	alone(send);
	handle(note_it);
	let_it_in();
	assert(!ran);
}

static void ignored_but_blocked_when_it_is_sent(void)
{
	mask(SIG_BLOCK, SIGUSR1);
	handle(SIG_IGN);
	target = pthread_self();
	alone(send);
	handle(note_it);
	let_it_in();
	assert(ran);
}

static void *handle_it(void *arg)
{
	handle(note_it);
	return arg;
}

static void ignored_or_handled_when_it_is_sent(void)
{
	pthread_t t, sender;

	handle(SIG_IGN);
	target = pthread_self();
	t = begin(handle_it, NULL);
	sender = begin(send, NULL);
	end(t);
	end(sender);
}

CASES(CASE(while_it_runs), CASE(behind_its_last_step), CASE(before_it_exits),
      CASE(until_it_blocks_it), CASE(until_it_is_held), CASE(while_it_lets_it_in),
      CASE(to_the_process_until_it_blocks_it), CASE(from_the_start_of_another),
      CASE(while_a_call_lets_it_in), CASE(while_it_is_handled), CASE(until_it_is_ignored),
      CASE(until_an_action_ignores_it), CASE(between_volatile_writes), CASE(between_volatile_reads),
      CASE(while_another_handler_lets_it_in), CASE(not_while_it_is_blocked),
      CASE(blocked_before_it_can_come), CASE(a_flag_is_waited_for), CASE(before_a_pause),
      CASE(before_a_suspension), CASE(a_suspension_ends), CASE(before_or_in_a_suspension),
      CASE(ignored_when_it_is_sent), CASE(ignored_but_blocked_when_it_is_sent),
      CASE(ignored_or_handled_when_it_is_sent))
