/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timer.c - alarms and timers that ring
 *
 * case alone_sem_wait: ok 1
 * case alone_sem_wait_is_restarted: ok 1
 * case alone_sem_timedwait: ok 1
 * case alone_sleeps: ok 1
 * case alone_pause: ok 1
 * case alone_sigwait: ok 1
 * case alone_sigtimedwait: ok 1
 * case alone_sigsuspend: ok 1
 * case alone_sigsuspend_unblocked: ok 1
 * case alone_signal_of_faults: ok 1
 * case alone_signal_of_faults_is_pending: ok 1
 * case alone_handler_on_a_stack: ok 1
 * case alone_futex: ok 1
 * case alone_interval: ok 1
 * case alone_timer_by_id: ok 1
 * case alone_in_a_wait_for_ever: ok 1
 * case alone_watchdog: bug deadlock
 * case alone_killed: refused SIGALRM
 * case wakes_a_thread_that_waits: ok 17
 * case wakes_a_thread_that_pauses: ok 3
 * case set_before_the_threads: ok 2
 * case may_come_too_late: bug assertion
 * case may_come_too_early: bug deadlock
 * case taken_by_sigwait: ok 2
 * case stopped_in_time: ok 18
 * case set_anew: ok 542
 * case comes_before_a_sleep_ends: ok 9
 * case comes_before_a_wait_ends: ok 8
 * case comes_before_a_condition_times_out: ok 8
 * case comes_before_a_poll_ends: ok 8
 * case comes_before_a_sigtimedwait_ends: ok 4
 * case is_as_old: ok 14
 * case watchdog_is_left_out: ok 1
 * case watchdog_that_is_heard: ok 7
 * case kills_who_sleeps: refused SIGALRM
 * case to_one_thread: ok 9
 * case to_itself: ok 9
 * case calls_a_function: ok 1
 * case calls_a_function_in_a_thread: ok 1
 * case calls_a_function_that_sets_it_anew: ok 5
 * case calls_it_again_and_again: refused SIGEV_THREAD
 * case calls_no_function: bug crash
 * case a_handler_races: bug data-race
 * case ticks: ok 36
 * case ticks -j 2: ok 36
 * case ticks_are_no_deadlock: inconclusive no execution comes to its end within 3 time-outs
 * case ticks_that_stop: bug deadlock
 * case a_bug_behind_the_last_tick: bug assertion
 * case the_rest_is_of_the_last_one: ok * (when the timer rings)
 * case processor_time: ok 7
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "hooks/fails.h"
#include "hooks/threads.h"

enum {
	MS = 1000000,
	SHORT_MS = 20 /* until a timer rings */
};

#define LONG_S 2 /* much later */

static atomic_int rung;
static int64_t start, rung_at;
static sem_t sem;
static int data;

static int64_t now(void)
{
	struct timespec t;

	assert(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void handle(int sig)
{
	assert(sig == SIGALRM || sig == SIGUSR1 || sig == SIGVTALRM || sig == SIGSEGV);
	atomic_fetch_add(&rung, 1);
}

static void hear(int sig, int flags)
{
	struct sigaction a = { .sa_handler = handle, .sa_flags = flags };

	assert(sigaction(sig, &a, NULL) == 0);
}

static void ring_every(int ms, int again_ms)
{
	struct itimerval value = { { 0, again_ms * 1000 }, { 0, ms * 1000 } };

	start = now();
	assert(setitimer(ITIMER_REAL, &value, NULL) == 0);
}

static void ring(void)
{
	ring_every(SHORT_MS, 0);
}

static void is_late(void)
{
	assert(now() - start >= SHORT_MS * MS);
}

static sigset_t only(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	return set;
}

static void block(int sig)
{
	sigset_t set = only(sig);

	assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
}

static void *nothing(void *arg)
{
	return arg;
}

/* ---- Without threads --------------------------------------------------------------------------- */

static void alone_sem_wait(void)
{
	hear(SIGALRM, 0);
	sem_init(&sem, 0, 0);
	ring();
	FAILS(EINTR, sem_wait(&sem));
	is_late();
	assert(rung == 1);
}

static void post(int sig)
{
	handle(sig);
	sem_post(&sem);
}

static void alone_sem_wait_is_restarted(void)
{
	struct sigaction a = { .sa_handler = post, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &a, NULL);
	sem_init(&sem, 0, 0);
	ring();
	assert(sem_wait(&sem) == 0 && rung == 1);
	is_late();
}

static struct timespec later(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_sec += LONG_S;
	return t;
}

static void alone_sem_timedwait(void)
{
	struct timespec t = later(CLOCK_REALTIME);

	hear(SIGALRM, 0);
	sem_init(&sem, 0, 0);
	ring();
	FAILS(EINTR, sem_timedwait(&sem, &t));
	is_late();
	assert(now() - start < LONG_S * 1000ll * MS);
}

static void alone_sleeps(void)
{
	struct timespec t = { .tv_sec = LONG_S }, left;

	hear(SIGALRM, SA_RESTART);
	ring();
	assert(sleep(LONG_S) == LONG_S - 1 && rung == 1);
	ring();
	FAILS(EINTR, nanosleep(&t, &left));
	assert(rung == 2 && left.tv_sec == LONG_S - 1);
	ring();
	GIVES(EINTR, clock_nanosleep(CLOCK_REALTIME, 0, &t, &left));
	assert(rung == 3 && left.tv_sec == LONG_S - 1);
	ring();
	t = later(CLOCK_MONOTONIC);
	GIVES(EINTR, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
	ring();
	FAILS(EINTR, usleep(900000));
	is_late();
	assert(rung == 5 && usleep(1000) == 0);
}

static void alone_pause(void)
{
	hear(SIGALRM, SA_RESTART);
	ring();
	FAILS(EINTR, pause());
	is_late();
}

static void alone_sigwait(void)
{
	sigset_t set = only(SIGALRM);
	siginfo_t info;
	int sig;

	block(SIGALRM);
	ring();
	assert(sigwait(&set, &sig) == 0 && sig == SIGALRM);
	is_late();
	ring();
	assert(sigwaitinfo(&set, &info) == SIGALRM && info.si_code == SI_KERNEL);
	is_late();
}

static void alone_sigtimedwait(void)
{
	struct timespec t = { .tv_sec = LONG_S };
	sigset_t set = only(SIGALRM);

	block(SIGALRM);
	ring();
	assert(sigtimedwait(&set, NULL, &t) == SIGALRM);
	is_late();
	assert(now() - start < LONG_S * 1000ll * MS);
	hear(SIGALRM, 0);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	set = only(SIGUSR1);
	ring();
	FAILS(EINTR, sigtimedwait(&set, NULL, &t));
	is_late();
}

static void alone_sigsuspend(void)
{
	sigset_t none;

	sigemptyset(&none);
	hear(SIGALRM, 0);
	block(SIGALRM);
	ring();
	FAILS(EINTR, sigsuspend(&none));
	is_late();
	assert(rung == 1);
}

static void alone_sigsuspend_unblocked(void)
{
	sigset_t none;

	sigemptyset(&none);
	hear(SIGALRM, 0);
	ring();
	FAILS(EINTR, sigsuspend(&none));
	is_late();
	assert(rung == 1);
}

static void alone_futex(void)
{
	static uint32_t word;

	hear(SIGALRM, 0);
	ring();
	FAILS(EINTR, syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0));
	is_late();
}

static void alone_interval(void)
{
	hear(SIGALRM, 0);
	ring_every(SHORT_MS, SHORT_MS);
	for (int i = 1; i <= 4; i++) {
		FAILS(EINTR, pause());
		assert(rung == i && now() - start >= i * SHORT_MS * MS);
	}
	ring_every(0, 0);
	sleep(1);
	assert(rung == 4);
}

static void handle_value(int sig, siginfo_t *info, void *context)
{
	assert(context && info->si_code == SI_TIMER && info->si_value.sival_int == 42);
	handle(sig);
}

static timer_t make_timer(int notify, int sig)
{
	struct sigevent event = { .sigev_notify = notify, .sigev_signo = sig };
	timer_t timer;

	event.sigev_value.sival_int = 42;
	if (notify == SIGEV_THREAD_ID)
		event._sigev_un._tid = gettid();
	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	return timer;
}

static void ring_by_id(timer_t timer)
{
	struct itimerspec value = { .it_value = { .tv_nsec = SHORT_MS * MS } };

	start = now();
	assert(timer_settime(timer, 0, &value, NULL) == 0);
}

static void alone_timer_by_id(void)
{
	struct sigaction a = { .sa_sigaction = handle_value, .sa_flags = SA_SIGINFO };
	timer_t timer = make_timer(SIGEV_SIGNAL, SIGUSR1);

	sigaction(SIGUSR1, &a, NULL);
	ring_by_id(timer);
	FAILS(EINTR, pause());
	is_late();
	assert(rung == 1 && timer_getoverrun(timer) == 0 && timer_delete(timer) == 0);
}

/* The kernel knows nothing of whether the program blocks it. */
static void alone_signal_of_faults(void)
{
	timer_t timer = make_timer(SIGEV_SIGNAL, SIGSEGV);
	sigset_t none;

	sigemptyset(&none);
	hear(SIGSEGV, 0);
	ring_by_id(timer);
	FAILS(EINTR, pause());
	is_late();
	ring_by_id(timer);
	FAILS(EINTR, sigsuspend(&none));
	is_late();
	block(SIGSEGV);
	ring_by_id(timer);
	FAILS(EINTR, sigsuspend(&none));
	is_late();
	assert(rung == 3);
}

static void alone_signal_of_faults_is_pending(void)
{
	timer_t timer = make_timer(SIGEV_SIGNAL, SIGSEGV);
	sigset_t set = only(SIGSEGV);
	struct timespec t = { .tv_sec = LONG_S };
	siginfo_t info;
	int sig;

	block(SIGSEGV);
	ring_by_id(timer);
	assert(sigwait(&set, &sig) == 0 && sig == SIGSEGV);
	is_late();
	ring_by_id(timer);
	assert(sigtimedwait(&set, &info, &t) == SIGSEGV && info.si_code == SI_TIMER &&
	       info.si_value.sival_int == 42);
	is_late();
}

static _Alignas(16) char stack[1 << 16];

static void handle_on_stack(int sig)
{
	char here;

	assert(&here >= stack && &here < stack + sizeof(stack));
	handle(sig);
}

static void alone_handler_on_a_stack(void)
{
	struct sigaction a = { .sa_handler = handle_on_stack, .sa_flags = SA_ONSTACK };
	stack_t set = { .ss_sp = stack, .ss_size = sizeof(stack) };

	assert(sigaltstack(&set, NULL) == 0);
	sigaction(SIGALRM, &a, NULL);
	ring();
	FAILS(EINTR, pause());
	assert(rung == 1);
}

static void leave(int sig)
{
	(void)sig;
	_exit(0);
}

/* No handler ends the wait, but this one ends the program. */
static void alone_in_a_wait_for_ever(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

	signal(SIGALRM, leave);
	ring();
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&cond, &mutex);
	abort();
}

/* Nobody handles the signal. */
static void alone_watchdog(void)
{
	sem_init(&sem, 0, 0);
	alarm(100);
	sem_wait(&sem); /* bug: alone_watchdog */
}

static void alone_killed(void)
{
	alarm(1);
	sleep(LONG_S);
}

/* ---- With threads ------------------------------------------------------------------------------ */

static void *wait_for_post(void *arg)
{
	while (sem_wait(&sem))
		assert(errno == EINTR);
	is_late();
	return arg;
}

static void wakes_a_thread_that_waits(void)
{
	struct sigaction a = { .sa_handler = post };

	sigaction(SIGALRM, &a, NULL);
	sem_init(&sem, 0, 0);
	ring();
	end(begin(wait_for_post, NULL));
	assert(rung == 1);
}

static void *pause_once(void *arg)
{
	sigset_t none;

	sigemptyset(&none);
	FAILS(EINTR, sigsuspend(&none));
	assert(rung == 1);
	is_late();
	return arg;
}

static void wakes_a_thread_that_pauses(void)
{
	pthread_t t;

	hear(SIGALRM, 0);
	block(SIGALRM);
	t = begin(pause_once, NULL);
	ring();
	end(t);
}

static void set_before_the_threads(void)
{
	hear(SIGALRM, 0);
	block(SIGALRM);
	ring();
	end(begin(pause_once, NULL));
}

static void *be_quick(void *arg)
{
	assert(atomic_load(&rung) == 1); /* bug: may_come_too_late */
	return arg;
}

static void may_come_too_late(void)
{
	hear(SIGALRM, 0);
	ring();
	end(begin(be_quick, NULL));
}

/* The handler runs, and only then does the thread wait: alarm() and pause() are a race. */
static void *pause_late(void *arg)
{
	if (!atomic_load(&rung))
		pause();
	return arg;
}

static void may_come_too_early(void)
{
	pthread_t t;

	hear(SIGALRM, 0);
	ring();
	t = begin(pause_late, NULL);
	pthread_join(t, NULL); /* bug: may_come_too_early */
}

static void *take_it(void *arg)
{
	sigset_t set = only(SIGALRM);
	int sig;

	assert(sigwait(&set, &sig) == 0 && sig == SIGALRM);
	is_late();
	return arg;
}

static void taken_by_sigwait(void)
{
	pthread_t t;

	block(SIGALRM);
	ring();
	t = begin(take_it, NULL);
	end(t);
}

static void *stop_it(void *arg)
{
	struct itimerval off = { { 0 } }, old;

	assert(setitimer(ITIMER_REAL, &off, &old) == 0);
	if (old.it_value.tv_sec || old.it_value.tv_usec)
		assert(!rung);
	else
		is_late();
	return arg;
}

static void stopped_in_time(void)
{
	hear(SIGALRM, 0);
	ring();
	end(begin(stop_it, NULL));
	usleep(SHORT_MS * 2000);
	assert(rung <= 1);
}

static void *set_it_anew(void *arg)
{
	ring();
	usleep(SHORT_MS * 2000);
	return arg;
}

static void set_anew(void)
{
	hear(SIGALRM, 0);
	alarm(1000);
	end(begin(set_it_anew, NULL));
	assert(rung == 1 || rung == 2);
}

/* Threads that get the signal alone: who else had it could be slow. */
static void let_in(void)
{
	sigset_t set = only(SIGALRM);

	assert(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
}

static void *sleep_long(void *arg)
{
	unsigned left;

	let_in();
	left = rung ? 0 : sleep(LONG_S);
	assert(rung == 1);
	assert(left <= LONG_S);
	is_late();
	return arg;
}

static void comes_before_a_sleep_ends(void)
{
	hear(SIGALRM, 0);
	block(SIGALRM);
	ring();
	end(begin(sleep_long, NULL));
}

static void *wait_long(void *arg)
{
	struct timespec t = later(CLOCK_REALTIME);

	let_in();
	assert(sem_timedwait(&sem, &t) == -1);
	assert(errno == EINTR || now() - start >= LONG_S * 1000ll * MS);
	assert(rung == 1);
	is_late();
	return arg;
}

/* No handler ends it. */
static void *wait_long_for_a_mutex(void *arg)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec t = later(CLOCK_REALTIME);

	let_in();
	pthread_mutex_lock(&mutex);
	assert(pthread_cond_timedwait(&cond, &mutex, &t) == ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
	assert(atomic_load(&rung) == 1);
	return arg;
}

static void comes_before_a_condition_times_out(void)
{
	hear(SIGALRM, 0);
	block(SIGALRM);
	ring();
	end(begin(wait_long_for_a_mutex, NULL));
}

static void *poll_long(void *arg)
{
	int ends[2], r;
	struct pollfd p = { .events = POLLIN };

	assert(pipe(ends) == 0);
	p.fd = ends[0];
	let_in();
	r = poll(&p, 1, LONG_S * 1000);
	assert((r == -1 && errno == EINTR) || (r == 0 && now() - start >= LONG_S * 1000ll * MS));
	assert(atomic_load(&rung) == 1);
	is_late();
	return arg;
}

static void comes_before_a_poll_ends(void)
{
	hear(SIGALRM, 0);
	block(SIGALRM);
	ring();
	end(begin(poll_long, NULL));
}

static void *take_long(void *arg)
{
	struct timespec t = { .tv_sec = LONG_S };
	sigset_t set = only(SIGALRM);

	assert(sigtimedwait(&set, NULL, &t) == SIGALRM);
	is_late();
	return arg;
}

static void comes_before_a_sigtimedwait_ends(void)
{
	block(SIGALRM);
	ring();
	end(begin(take_long, NULL));
}

static void comes_before_a_wait_ends(void)
{
	hear(SIGALRM, 0);
	sem_init(&sem, 0, 0);
	block(SIGALRM);
	ring();
	end(begin(wait_long, NULL));
}

static void note_time(int sig)
{
	is_late();
	handle(sig);
}

static void is_as_old(void)
{
	struct sigaction a = { .sa_handler = note_time };

	sigaction(SIGALRM, &a, NULL);
	ring();
	end(begin(nothing, NULL));
	if (atomic_load(&rung))
		is_late();
}

static void watchdog_is_left_out(void)
{
	alarm(1000);
	THREADS(2, nothing);
	assert(alarm(0) > 0);
}

static void *hear_it(void *arg)
{
	let_in();
	alarm(1);
	hear(SIGALRM, 0);
	while (sleep(LONG_S))
		;
	assert(rung == 1);
	return arg;
}

static void watchdog_that_is_heard(void)
{
	block(SIGALRM);
	end(begin(hear_it, NULL));
}

static void *be_killed(void *arg)
{
	alarm(1);
	sleep(LONG_S);
	return arg;
}

static void kills_who_sleeps(void)
{
	end(begin(be_killed, NULL));
}

static void *ring_for_me(void *arg)
{
	timer_t timer = make_timer(SIGEV_THREAD_ID, SIGUSR1);

	ring_by_id(timer);
	while (!atomic_load(&rung))
		usleep(SHORT_MS * 1000);
	is_late();
	assert(timer_delete(timer) == 0);
	return arg;
}

static pthread_t told;

static void handle_there(int sig)
{
	assert(pthread_equal(pthread_self(), told));
	handle(sig);
}

static void *told_alone(void *arg)
{
	told = pthread_self();
	return ring_for_me(arg);
}

static void to_one_thread(void)
{
	struct sigaction a = { .sa_handler = handle_there };

	sigaction(SIGUSR1, &a, NULL);
	end(begin(told_alone, NULL));
}

static void to_itself(void)
{
	hear(SIGUSR1, 0);
	end(begin(ring_for_me, NULL));
}

static void count_up(union sigval value)
{
	assert(value.sival_int == 42);
	is_late();
	data++;
	sem_post(&sem);
}

static void call_it(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD };
	timer_t timer;

	event.sigev_value.sival_int = 42;
	event.sigev_notify_function = count_up;
	assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
	ring_by_id(timer);
	assert(sem_wait(&sem) == 0);
	assert(data == 1);
	is_late();
	assert(timer_delete(timer) == 0);
}

static void calls_a_function(void)
{
	sem_init(&sem, 0, 0);
	call_it();
}

static void *call_it_there(void *arg)
{
	call_it();
	return arg;
}

static void calls_a_function_in_a_thread(void)
{
	sem_init(&sem, 0, 0);
	end(begin(call_it_there, NULL));
}

static timer_t by_function;

static void set_again(union sigval value)
{
	(void)value;
	sem_post(&sem);
	ring_by_id(by_function);
}

static void calls_a_function_that_sets_it_anew(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD };

	sem_init(&sem, 0, 0);
	event.sigev_notify_function = set_again;
	assert(timer_create(CLOCK_MONOTONIC, &event, &by_function) == 0);
	ring_by_id(by_function);
	assert(sem_wait(&sem) == 0 && sem_wait(&sem) == 0);
}

static void calls_it_again_and_again(void)
{
	struct itimerspec value = { { 1, 0 }, { 1, 0 } };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD };
	timer_t timer;

	event.sigev_notify_function = count_up;
	assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
	assert(timer_settime(timer, 0, &value, NULL) == 0);
}

static void *nothing_comes(void *arg)
{
	struct itimerspec value = { .it_value = { 1, 0 } };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD };
	timer_t timer;

	assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
	assert(timer_settime(timer, 0, &value, NULL) == 0); /* bug: calls_no_function */
	sleep(2);
	return arg;
}

static void calls_no_function(void)
{
	end(begin(nothing_comes, NULL));
}

static void write_it(int sig)
{
	(void)sig;
	data++;
}

static void *write_too(void *arg)
{
	block(SIGALRM);
	data++; /* bug: a_handler_races */
	return arg;
}

static void a_handler_races(void)
{
	pthread_t t;

	signal(SIGALRM, write_it);
	ring();
	t = begin(write_too, NULL);
	while (usleep(SHORT_MS * 2000))
		;
	end(t);
}

static void *wait_for_ticks(void *arg)
{
	sigset_t set = only(SIGALRM);
	int sig;

	for (int i = 1; i <= 2; i++) {
		assert(sigwait(&set, &sig) == 0);
		assert(now() - start >= i * SHORT_MS * MS);
	}
	return arg;
}

static void ticks(void)
{
	block(SIGALRM);
	ring_every(SHORT_MS, SHORT_MS);
	end(begin(wait_for_ticks, NULL));
	ring_every(0, 0);
}

static void *wait_for_many(void *arg)
{
	sigset_t set = only(SIGALRM);
	int sig;

	for (int i = 1; i <= 10; i++)
		assert(sigwait(&set, &sig) == 0);
	return arg;
}

static void ticks_are_no_deadlock(void)
{
	block(SIGALRM);
	ring_every(SHORT_MS, SHORT_MS);
	end(begin(wait_for_many, NULL));
	ring_every(0, 0);
}

static void *wait_for_ever(void *arg)
{
	ring_every(0, 0);
	while (sem_wait(&sem))
		;
	return arg;
}

static void ticks_that_stop(void)
{
	pthread_t t;

	block(SIGALRM);
	sem_init(&sem, 0, 0);
	ring_every(SHORT_MS, SHORT_MS);
	t = begin(wait_for_ever, NULL);
	pthread_join(t, NULL); /* bug: ticks_that_stop */
}

static void *use_time(void *arg)
{
	struct itimerval value = { { 0 }, { 0, 1000 } };

	assert(setitimer(ITIMER_VIRTUAL, &value, NULL) == 0);
	while (!atomic_load(&rung))
		;
	return arg;
}

static void *does_nothing(void *arg)
{
	return arg;
}

static void *sleeps_deaf(void *arg)
{
	struct timespec t = { 0, 105 * MS };
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	nanosleep(&t, NULL);
	return arg;
}

/* In the replay the timer rings as often. */
static void a_bug_behind_the_last_tick(void)
{
	end(begin(does_nothing, NULL));
	hear(SIGALRM, 0);
	ring_every(10, 10);
	end(begin(sleeps_deaf, NULL));
	ring_every(0, 0);
	assert(rung >= 9); /* bug: a_bug_behind_the_last_tick */
}

/* What is rung later belongs to what is taken later. */
static void the_rest_is_of_the_last_one(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec value = { { 0, SHORT_MS * MS }, { 0, SHORT_MS * MS } };
	struct timespec t = { 0, 5 * SHORT_MS * MS + MS };
	sigset_t set = only(SIGUSR1);
	timer_t id;
	int sig, n;

	pthread_sigmask(SIG_BLOCK, &set, NULL);
	end(begin(does_nothing, NULL));
	assert(timer_create(CLOCK_MONOTONIC, &event, &id) == 0);
	assert(timer_settime(id, 0, &value, NULL) == 0);
	assert(nanosleep(&t, NULL) == 0);
	assert(sigwait(&set, &sig) == 0);
	n = timer_getoverrun(id);
	assert(n >= 4 && n == timer_getoverrun(id));
	assert(timer_delete(id) == 0);
}

static void processor_time(void)
{
	hear(SIGVTALRM, 0);
	end(begin(use_time, NULL));
	assert(rung == 1);
}

CASES(CASE(alone_sem_wait), CASE(alone_sem_wait_is_restarted), CASE(alone_sem_timedwait),
      CASE(alone_sleeps), CASE(alone_pause), CASE(alone_sigwait), CASE(alone_sigtimedwait),
      CASE(alone_sigsuspend), CASE(alone_sigsuspend_unblocked), CASE(alone_signal_of_faults),
      CASE(alone_signal_of_faults_is_pending), CASE(alone_handler_on_a_stack), CASE(alone_futex),
      CASE(alone_interval), CASE(alone_timer_by_id), CASE(alone_in_a_wait_for_ever),
      CASE(alone_watchdog), CASE(alone_killed), CASE(wakes_a_thread_that_waits),
      CASE(wakes_a_thread_that_pauses), CASE(set_before_the_threads), CASE(may_come_too_late),
      CASE(may_come_too_early), CASE(taken_by_sigwait), CASE(stopped_in_time), CASE(set_anew),
      CASE(comes_before_a_sleep_ends), CASE(comes_before_a_wait_ends),
      CASE(comes_before_a_condition_times_out), CASE(comes_before_a_poll_ends),
      CASE(comes_before_a_sigtimedwait_ends), CASE(is_as_old), CASE(watchdog_is_left_out),
      CASE(watchdog_that_is_heard), CASE(kills_who_sleeps), CASE(to_one_thread), CASE(to_itself),
      CASE(calls_a_function), CASE(calls_a_function_in_a_thread),
      CASE(calls_a_function_that_sets_it_anew), CASE(calls_it_again_and_again),
      CASE(calls_no_function), CASE(a_handler_races), CASE(ticks), CASE(ticks_are_no_deadlock),
      CASE(ticks_that_stop), CASE(processor_time), CASE(a_bug_behind_the_last_tick),
      CASE(the_rest_is_of_the_last_one))
