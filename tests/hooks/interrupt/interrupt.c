/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interrupt.c - handlers that interrupt another thread
 *
 * case a_loop_that_ends: ok 2
 * case registers_without_arguments: ok 2
 * case a_loop_that_counts_unseen: ok 5
 * case arguments_differ: ok 4
 * case before_or_behind: ok 6
 * case before_or_behind_a_thread: ok 3
 * case what_a_handler_saw: ok 6
 * case a_blocked_thread_is_interrupted_later: ok 6
 * case by_the_process: ok 2
 * case handlers_do_not_nest: ok 17
 * case a_wait_that_ends: ok 3
 * case a_wait_that_begins_too_late: bug deadlock
 * case a_wait_that_goes_on: ok 3
 * case waits_for_a_mutex: ok 2
 * case waits_for_a_condition: ok 6
 * case a_mutex_in_the_handler: bug deadlock
 * case a_race_in_the_handler: bug data-race at data = sig
 * case in_a_handler_that_suspends: ok 18
 * case leaves_by_a_jump: ok 2
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/signal/signals.h"
#include "hooks/threads.h"

static atomic_int got, seen, begun;
static sem_t sem, other;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int data;
static bool flag;

static void handle_with(void (*fn)(int), int flags)
{
	struct sigaction a = { .sa_handler = fn, .sa_flags = flags };

	assert(sigaction(SIGUSR1, &a, NULL) == 0);
}

static void go_on(int sig);

static void set_it(int sig)
{
	assert(sig == SIGUSR1);
	atomic_fetch_add(&got, 1);
}

static void interrupt(pthread_t t)
{
	assert(pthread_kill(t, SIGUSR1) == 0);
}

static void *spin(void *arg)
{
	while (!atomic_load(&got))
		;
	return arg;
}

static void a_loop_that_ends(void)
{
	pthread_t t;

	handle_with(set_it, 0);
	t = begin(spin, NULL);
	interrupt(t);
	end(t);
	assert(got == 1);
}

/*
 * Calls leave what they like in registers that hold no argument of the next one. With a prefix, which means nothing there, it
 * is no instruction that asks for the time (hooks/world/asks.c).
 */
static void *spin_and_leave_remains(void *arg)
{
	while (!atomic_load(&got))
		__asm__ volatile(
			".byte 0xf2\n\trdtsc\n\tmovl %%eax, %%ecx\n\tmovl %%eax, %%r8d\n\tmovl %%eax, %%r9d"
			:
			:
			: "rax", "rdx", "rcx", "r8", "r9");
	return arg;
}

/* Nobody will look at them, so it is back where it was in the second round. */
static void registers_without_arguments(void)
{
	pthread_t t;

	handle_with(set_it, 0);
	t = begin(spin_and_leave_remains, NULL);
	interrupt(t);
	end(t);
	assert(got == 1);
}

static int rounds;

/* Nobody announces what it changes. */
__attribute__((no_sanitize("thread"), noinline)) static bool third_round(void)
{
	return ++rounds == 3;
}

static void *count_unseen(void *arg)
{
	while (!third_round())
		atomic_thread_fence(memory_order_relaxed);
	return arg;
}

/* The fence is no operation, but a handler may begin there: looks that are alike are no rounds that are. */
static void a_loop_that_counts_unseen(void)
{
	pthread_t t;

	handle_with(set_it, 0);
	rounds = 0;
	t = begin(count_unseen, NULL);
	interrupt(t);
	end(t);
}

static atomic_int which, place[2];

static void *look_one_behind(void *arg)
{
	int last = 0, next;

	for (;; last = next) {
		next = atomic_load(&which);
		if (atomic_load(&place[last]))
			return arg;
	}
}

/* Where it looks next is in the register for that only, when a handler may begin there. */
static void arguments_differ(void)
{
	pthread_t t;

	handle_with(go_on, 0);
	place[1] = 1;
	t = begin(look_one_behind, NULL);
	interrupt(t);
	atomic_store(&which, 1);
	end(t);
}

static void *count_twice(void *arg)
{
	int first = atomic_load(&got), second = atomic_load(&got);

	assert(first <= second);
	atomic_store(&seen, first * 2 + second);
	return arg;
}

/* It begins before the one, between them, or behind the other; or the thread ends first. */
static void before_or_behind(void)
{
	pthread_t t;

	handle_with(set_it, 0);
	t = begin(count_twice, NULL);
	interrupt(t);
	end(t);
	assert(seen == 0 || seen == 1 || seen == 3);
}

static void *store_and_end(void *arg)
{
	data = 1;
	return arg;
}

static void tell_data(int sig)
{
	assert(sig == SIGUSR1);
	atomic_store(&seen, 1 + data);
}

/* There is no operation but its beginning and its end. */
static void before_or_behind_a_thread(void)
{
	pthread_t t;

	handle_with(tell_data, 0);
	t = begin(store_and_end, NULL);
	interrupt(t);
	end(t);
	assert(seen >= 0 && seen <= 2);
}

static void see_data(int sig)
{
	assert(sig == SIGUSR1 && data == 1);
}

/* What was written before the signal was sent is there. */
static void what_a_handler_saw(void)
{
	pthread_t t;

	handle_with(see_data, 0);
	t = begin(count_twice, NULL);
	data = 1;
	interrupt(t);
	end(t);
}

static void *block_for_a_while(void *arg)
{
	mask(SIG_BLOCK, SIGUSR1);
	atomic_store(&begun, 1);
	assert(atomic_load(&got) == atomic_load(&got));
	mask(SIG_UNBLOCK, SIGUSR1);
	return spin(arg);
}

static void a_blocked_thread_is_interrupted_later(void)
{
	pthread_t t;

	handle_with(set_it, 0);
	t = begin(block_for_a_while, NULL);
	interrupt(t);
	end(t);
}

static void by_the_process(void)
{
	pthread_t t;

	handle_with(set_it, 0);
	t = begin(spin, NULL);
	mask(SIG_BLOCK, SIGUSR1);
	assert(kill(getpid(), SIGUSR1) == 0);
	end(t);
}

static void count_in_and_out(int sig)
{
	assert(blocks(sig) && !flag);
	flag = true;
	atomic_fetch_add(&got, 1);
	flag = false;
}

static void handlers_do_not_nest(void)
{
	pthread_t t;

	handle_with(count_in_and_out, 0);
	t = begin(spin, NULL);
	interrupt(t);
	interrupt(t);
	end(t);
	assert(got == 1 || got == 2);
}

static void *wait_for_sem(void *arg)
{
	int status = sem_wait(&sem);

	if (status)
		assert(status == -1 && errno == EINTR && got == 1);
	return arg;
}

static void a_wait_that_ends(void)
{
	pthread_t t;

	handle_with(set_it, 0);
	sem_init(&sem, 0, 0);
	t = begin(wait_for_sem, NULL);
	interrupt(t);
	spin(NULL);
	sem_post(&sem); /* it may not have waited yet */
	end(t);
}

/* The signal comes between the look and the wait. */
static void *look_and_wait(void *arg)
{
	if (!atomic_load(&got))
		assert(sem_wait(&sem) == -1 && errno == EINTR);
	return arg;
}

static void a_wait_that_begins_too_late(void)
{
	pthread_t t;

	handle_with(set_it, 0);
	sem_init(&sem, 0, 0);
	t = begin(look_and_wait, NULL);
	interrupt(t);
	end(t); /* bug: a_wait_that_begins_too_late */
}

static void *wait_for_all(void *arg)
{
	assert(sem_wait(&sem) == 0);
	return arg;
}

static void post_it(int sig)
{
	assert(sig == SIGUSR1 && sem_post(&sem) == 0);
}

static void a_wait_that_goes_on(void)
{
	pthread_t t;

	handle_with(post_it, SA_RESTART);
	sem_init(&sem, 0, 0);
	t = begin(wait_for_all, NULL);
	interrupt(t);
	end(t);
}

static void post_other(int sig)
{
	assert(sig == SIGUSR1 && sem_post(&other) == 0);
}

static void *lock_it(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

/* The handler runs, though the mutex is not free. */
static void waits_for_a_mutex(void)
{
	pthread_t t;

	handle_with(post_other, 0);
	sem_init(&other, 0, 0);
	pthread_mutex_lock(&mutex);
	t = begin(lock_it, NULL);
	interrupt(t);
	assert(sem_wait(&other) == 0);
	pthread_mutex_unlock(&mutex);
	end(t);
}

static void *wait_for_flag(void *arg)
{
	pthread_mutex_lock(&mutex);
	while (!flag)
		assert(pthread_cond_wait(&cond, &mutex) == 0);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void waits_for_a_condition(void)
{
	pthread_t t;

	handle_with(post_other, 0);
	sem_init(&other, 0, 0);
	t = begin(wait_for_flag, NULL);
	interrupt(t);
	assert(sem_wait(&other) == 0);
	pthread_mutex_lock(&mutex);
	flag = true;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	end(t);
}

static void lock_in_handler(int sig)
{
	assert(sig == SIGUSR1);
	lock_it(NULL);
}

/* The classic one: the thread has it when the handler wants it. */
static void a_mutex_in_the_handler(void)
{
	pthread_t t;

	handle_with(lock_in_handler, 0);
	t = begin(lock_it, NULL);
	interrupt(t);
	end(t); /* bug: a_mutex_in_the_handler */
}

static void write_data(int sig)
{
	data = sig;
}

static void a_race_in_the_handler(void)
{
	pthread_t t;

	handle_with(write_data, 0);
	t = begin(spin, NULL);
	interrupt(t);
	data = 1;
	atomic_store(&got, 1);
	end(t);
}

/* As collectors of garbage stop the world. */
static void stop_here(int sig)
{
	sigset_t all_but;

	sigfillset(&all_but);
	sigdelset(&all_but, SIGUSR2);
	assert(sig == SIGUSR1 && sem_post(&other) == 0);
	assert(sigsuspend(&all_but) == -1 && errno == EINTR);
}

static void go_on(int sig)
{
	assert(sig == SIGUSR1 || sig == SIGUSR2);
}

static void *change_data(void *arg)
{
	data++;
	atomic_load(&got);
	data++;
	return spin(arg);
}

static void in_a_handler_that_suspends(void)
{
	struct sigaction stop = { .sa_handler = stop_here }, go = { .sa_handler = go_on };
	pthread_t t;

	sigfillset(&stop.sa_mask);
	assert(sigaction(SIGUSR1, &stop, NULL) == 0 && sigaction(SIGUSR2, &go, NULL) == 0);
	sem_init(&other, 0, 0);
	t = begin(change_data, NULL);
	interrupt(t);
	assert(sem_wait(&other) == 0);
	assert(data >= 0 && data <= 2); /* nobody changes it now */
	assert(pthread_kill(t, SIGUSR2) == 0);
	atomic_store(&got, 1);
	end(t);
	assert(data == 2);
}

static sigjmp_buf back;

static void jump_back(int sig)
{
	siglongjmp(back, sig);
}

static void *leave_by_jump(void *arg)
{
	if (sigsetjmp(back, 1)) {
		assert(!blocks(SIGUSR1));
		return arg;
	}
	atomic_store(&begun, 1);
	for (;;)
		sem_wait(&sem);
}

static void leaves_by_a_jump(void)
{
	pthread_t t;

	handle_with(jump_back, 0);
	sem_init(&sem, 0, 0);
	t = begin(leave_by_jump, NULL);
	while (!atomic_load(&begun))
		;
	interrupt(t);
	end(t);
}

CASES(CASE(a_loop_that_ends), CASE(registers_without_arguments), CASE(a_loop_that_counts_unseen),
      CASE(arguments_differ), CASE(before_or_behind), CASE(before_or_behind_a_thread),
      CASE(what_a_handler_saw), CASE(a_blocked_thread_is_interrupted_later), CASE(by_the_process),
      CASE(handlers_do_not_nest), CASE(a_wait_that_ends), CASE(a_wait_that_begins_too_late),
      CASE(a_wait_that_goes_on), CASE(waits_for_a_mutex), CASE(waits_for_a_condition),
      CASE(a_mutex_in_the_handler), CASE(a_race_in_the_handler), CASE(in_a_handler_that_suspends),
      CASE(leaves_by_a_jump))
