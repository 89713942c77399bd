/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signals.c - real signals
 *
 * case pthread_kill_1_1: ok 2
 * case pthread_kill_1_2: ok * (orders of the sections in which heddle keeps what is pending)
 * case pthread_create_8_1: ok 1
 * case pthread_create_8_2: ok 1
 * case pthread_sigmask_1_1: ok 1
 * case kill_2_2: ok 1
 * case kill_reaches_one_thread: ok * (likewise)
 * case raise_2_1: ok 1
 * case sigaction_13_1: ok 1
 * case sigaction_23_1: ok 1
 * case sigaction_resets: ok 1
 * case sigaction_nests: ok 1
 * case sigaction_ignores_what_is_pending: ok 1
 * case sigpending_1_2: ok 1
 * case sigqueue_4_1: ok 1
 * case sigqueue_9_1: ok 1
 * case sigqueue_of_threads: ok 2
 * case sigwait_1_1: ok * (likewise)
 * case sigwait_2_1: ok 1
 * case sigwait_of_two_threads: ok * (likewise)
 * case sigwaitinfo_7_1: ok 1
 * case sigwaitinfo_8_1: ok 1
 * case sigsuspend_1_1: ok 1
 * case sigsuspend_4_1: ok * (likewise)
 * case sem_wait_7_1: ok * (likewise)
 * case nanosleep_3_2: ok * (likewise)
 * case read_is_interrupted: ok 2
 * case read_is_restarted: ok 2
 * case pthread_cond_wait_is_not_interrupted: ok 3
 * case pthread_mutex_lock_is_not_interrupted: ok 2
 */
#define _GNU_SOURCE
#include <semaphore.h>
#include <unistd.h>

#include "posix/posix.h"

static atomic_int handled, ready;
static pthread_t handler_of;
static sem_t sem;
static int ends[2], state;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void handle(int sig)
{
	(void)sig;
	handler_of = pthread_self();
	atomic_fetch_add(&handled, 1);
}

static void hear_with(int sig, void (*fn)(int), int flags)
{
	struct sigaction a = { .sa_handler = fn, .sa_flags = flags };

	sigemptyset(&a.sa_mask);
	assert(sigaction(sig, &a, NULL) == 0);
}

static void hear(int sig)
{
	hear_with(sig, handle, 0);
}

/* ---- To whom ---- */

static void *waits_to_be_hit(void *arg)
{
	while (!atomic_load(&handled))
		;
	assert(pthread_equal(handler_of, pthread_self()));
	return arg;
}

/* The thread that it is sent to handles it. */
static void pthread_kill_1_1(void)
{
	pthread_t t;

	hear(SIGUSR1);
	assert(pthread_create(&t, NULL, waits_to_be_hit, NULL) == 0);
	assert(pthread_kill(t, SIGUSR1) == 0 && pthread_join(t, NULL) == 0);
	assert(handled == 1);
}

static void *finds_it_pending(void *arg)
{
	sigset_t set = only(SIGUSR1);
	int sig;

	assert(sigwait(&set, &sig) == 0 && sig == SIGUSR1);
	return arg;
}

/* Sent to a thread that blocks it, it is pending for that one only. */
static void pthread_kill_1_2(void)
{
	pthread_t t;

	block(SIGUSR1);
	assert(pthread_create(&t, NULL, finds_it_pending, NULL) == 0);
	assert(pthread_kill(t, SIGUSR1) == 0 && !is_pending(SIGUSR1));
	assert(pthread_join(t, NULL) == 0);
}

static void *has_the_mask(void *arg)
{
	sigset_t set;

	assert(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0);
	assert(sigismember(&set, SIGUSR1) && !sigismember(&set, SIGUSR2));
	return arg;
}

/* The mask is inherited from the creating thread. */
static void pthread_create_8_1(void)
{
	block(SIGUSR1);
	THREADS(2, has_the_mask);
}

static void *has_nothing_pending(void *arg)
{
	assert(!is_pending(SIGUSR1));
	return arg;
}

/* What is pending is not. */
static void pthread_create_8_2(void)
{
	block(SIGUSR1);
	assert(pthread_kill(pthread_self(), SIGUSR1) == 0 && is_pending(SIGUSR1));
	THREADS(1, has_nothing_pending);
}

static void *blocks_it(void *arg)
{
	block(SIGUSR1);
	return arg;
}

static void pthread_sigmask_1_1(void)
{
	sigset_t set;

	THREADS(1, blocks_it);
	assert(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0 && !sigismember(&set, SIGUSR1));
}

/* No signal is sent, but errors are looked for. */
static void kill_2_2(void)
{
	THREADS(1, nothing);
	assert(kill(getpid(), 0) == 0);
	assert(kill(getpid(), -1) == -1 && errno == EINVAL);
}

static void *unblocks_it(void *arg)
{
	unblock(SIGUSR1);
	return arg;
}

/* One that is sent to the process is handled once, in one that does not block it. */
static void kill_reaches_one_thread(void)
{
	hear(SIGUSR1);
	block(SIGUSR1);
	assert(kill(getpid(), SIGUSR1) == 0 && handled == 0);
	THREADS(2, unblocks_it);
	assert(handled == 1);
}

static void *raises(void *arg)
{
	int before = handled;

	assert(raise(SIGUSR1) == 0 && handled == before + 1);
	return arg;
}

/* It does not return before the handler has. */
static void raise_2_1(void)
{
	hear(SIGUSR1);
	THREADS(1, raises);
}

/* ---- What is to be done ---- */

static void raise_again(int sig)
{
	int before = atomic_fetch_add(&handled, 1);

	if (before)
		return;
	assert(raise(sig) == 0 && handled == 1);
	assert(raise(SIGUSR2) == 0 && handled == 1);
}

static void *raises_once(void *arg)
{
	assert(raise(SIGUSR1) == 0);
	assert(handled == 3);
	return arg;
}

/* The signal itself and those of sa_mask are blocked while its handler runs. */
static void sigaction_13_1(void)
{
	struct sigaction a = { .sa_handler = raise_again };

	a.sa_mask = only(SIGUSR2);
	assert(sigaction(SIGUSR1, &a, NULL) == 0);
	hear(SIGUSR2);
	THREADS(1, raises_once);
}

static void take_info(int sig, siginfo_t *info, void *context)
{
	assert(context && info->si_signo == sig && info->si_code == SI_QUEUE);
	assert(info->si_value.sival_int == 42);
	atomic_fetch_add(&handled, 1);
}

static void *queues(void *arg)
{
	assert(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 42 }) == 0);
	return arg;
}

static void sigaction_23_1(void)
{
	struct sigaction a = { .sa_sigaction = take_info, .sa_flags = SA_SIGINFO };

	sigemptyset(&a.sa_mask);
	assert(sigaction(SIGRTMIN, &a, NULL) == 0);
	block(SIGRTMIN);
	THREADS(1, queues);
	unblock(SIGRTMIN);
	assert(handled == 1);
}

static void *raises_reset(void *arg)
{
	struct sigaction a;

	assert(raise(SIGUSR1) == 0 && handled == 1);
	assert(sigaction(SIGUSR1, NULL, &a) == 0 && a.sa_handler == SIG_DFL);
	return arg;
}

static void sigaction_resets(void)
{
	hear_with(SIGUSR1, handle, SA_RESETHAND);
	THREADS(1, raises_reset);
}

static void nest(int sig)
{
	if (atomic_fetch_add(&handled, 1) < 2) {
		int before = handled;

		assert(raise(sig) == 0 && handled > before);
	}
}

static void *raises_nested(void *arg)
{
	assert(raise(SIGUSR1) == 0 && handled == 3);
	return arg;
}

static void sigaction_nests(void)
{
	hear_with(SIGUSR1, nest, SA_NODEFER);
	THREADS(1, raises_nested);
}

static void *ignores(void *arg)
{
	block(SIGUSR1);
	assert(raise(SIGUSR1) == 0 && is_pending(SIGUSR1));
	hear_with(SIGUSR1, SIG_IGN, 0);
	assert(!is_pending(SIGUSR1));
	hear(SIGUSR1);
	unblock(SIGUSR1);
	assert(handled == 0);
	return arg;
}

static void sigaction_ignores_what_is_pending(void)
{
	THREADS(1, ignores);
}

/* ---- What is pending ---- */

static void *sees_both(void *arg)
{
	assert(pthread_kill(pthread_self(), SIGUSR2) == 0);
	assert(is_pending(SIGUSR1) && is_pending(SIGUSR2));
	return arg;
}

/* Those of the process, and those of the thread. */
static void sigpending_1_2(void)
{
	block(SIGUSR1);
	block(SIGUSR2);
	THREADS(1, nothing);
	assert(kill(getpid(), SIGUSR1) == 0);
	THREADS(1, sees_both);
	assert(is_pending(SIGUSR1) && !is_pending(SIGUSR2));
}

static int take_value(int sig)
{
	sigset_t set = only(sig);
	siginfo_t info;

	assert(sigwaitinfo(&set, &info) == sig && info.si_code == SI_QUEUE);
	return info.si_value.sival_int;
}

/* Real-time signals are queued, in order. */
static void sigqueue_4_1(void)
{
	block(SIGRTMIN);
	THREADS(1, nothing);
	for (int i = 0; i < 3; i++)
		assert(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i }) == 0);
	for (int i = 0; i < 3; i++)
		assert(take_value(SIGRTMIN) == i);
	assert(!is_pending(SIGRTMIN));
}

/* The others are not. */
static void sigqueue_9_1(void)
{
	block(SIGUSR1);
	THREADS(1, nothing);
	for (int i = 0; i < 3; i++)
		assert(sigqueue(getpid(), SIGUSR1, (union sigval){ .sival_int = i }) == 0);
	assert(take_value(SIGUSR1) == 0 && !is_pending(SIGUSR1));
}

static void *queues_its_own(void *arg)
{
	assert(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = (int)(intptr_t)arg }) ==
	       0);
	return arg;
}

static void sigqueue_of_threads(void)
{
	block(SIGRTMIN);
	THREADS(2, queues_its_own);
	assert(take_value(SIGRTMIN) + take_value(SIGRTMIN) == 1);
}

/* ---- Waiting ---- */

static void *sends_usr1(void *arg)
{
	assert(kill(getpid(), SIGUSR1) == 0);
	return arg;
}

static void wait_for_it(void)
{
	sigset_t set = only(SIGUSR1);
	int sig = 0;

	assert(sigwait(&set, &sig) == 0 && sig == SIGUSR1);
}

static void sigwait_1_1(void)
{
	pthread_t t;

	block(SIGUSR1);
	assert(pthread_create(&t, NULL, sends_usr1, NULL) == 0);
	wait_for_it();
	assert(pthread_join(t, NULL) == 0);
}

/* What was taken is not pending any more. */
static void sigwait_2_1(void)
{
	block(SIGUSR1);
	THREADS(1, sends_usr1);
	assert(is_pending(SIGUSR1));
	wait_for_it();
	assert(!is_pending(SIGUSR1));
}

static void *waits_for_it(void *arg)
{
	wait_for_it();
	atomic_fetch_add(&ready, 1);
	return arg;
}

/* One of them gets it. */
static void sigwait_of_two_threads(void)
{
	pthread_t t[2];

	block(SIGUSR1);
	for (int i = 0; i < 2; i++)
		assert(pthread_create(&t[i], NULL, waits_for_it, NULL) == 0);
	assert(pthread_kill(t[0], SIGUSR1) == 0 && pthread_join(t[0], NULL) == 0);
	assert(ready == 1);
	assert(kill(getpid(), SIGUSR1) == 0 && pthread_join(t[1], NULL) == 0);
}

/* Of real-time signals that are pending, the lowest is taken first. */
static void sigwaitinfo_7_1(void)
{
	sigset_t set = only(SIGRTMIN);

	sigaddset(&set, SIGRTMIN + 1);
	block(SIGRTMIN);
	block(SIGRTMIN + 1);
	THREADS(1, nothing);
	assert(kill(getpid(), SIGRTMIN + 1) == 0 && kill(getpid(), SIGRTMIN) == 0);
	assert(sigwaitinfo(&set, NULL) == SIGRTMIN && sigwaitinfo(&set, NULL) == SIGRTMIN + 1);
}

static void sigwaitinfo_8_1(void)
{
	sigset_t set = only(SIGUSR1);
	siginfo_t info;

	block(SIGUSR1);
	THREADS(1, sends_usr1);
	assert(sigwaitinfo(&set, &info) == SIGUSR1 && info.si_signo == SIGUSR1);
	assert(info.si_code == SI_USER && info.si_pid == getpid());
}

/* The mask is another one while it waits, and the old one behind. */
static void sigsuspend_1_1(void)
{
	sigset_t none, now_blocked;

	sigemptyset(&none);
	hear(SIGUSR1);
	block(SIGUSR1);
	THREADS(1, sends_usr1);
	assert(handled == 0 && sigsuspend(&none) == -1 && errno == EINTR && handled == 1);
	assert(pthread_sigmask(SIG_BLOCK, NULL, &now_blocked) == 0);
	assert(sigismember(&now_blocked, SIGUSR1));
}

static void sigsuspend_4_1(void)
{
	sigset_t none;
	pthread_t t;

	sigemptyset(&none);
	hear(SIGUSR1);
	block(SIGUSR1);
	assert(pthread_create(&t, NULL, sends_usr1, NULL) == 0);
	assert(sigsuspend(&none) == -1 && errno == EINTR && handled == 1);
	assert(pthread_join(t, NULL) == 0);
}

/* ---- Calls that wait ---- */

/* Again and again, until the thread has left the call. */
static void hit_until_it_ends(void *(*fn)(void *))
{
	pthread_t t;

	hear(SIGUSR1);
	assert(pthread_create(&t, NULL, fn, NULL) == 0);
	assert(sem_wait(&sem) == 0);
	assert(pthread_kill(t, SIGUSR1) == 0);
	assert(pthread_join(t, NULL) == 0);
	assert(handled == 1);
}

static void *waits_for_sem(void *arg)
{
	static sem_t never;
	struct timespec t = in_ms(CLOCK_REALTIME, 2000);

	assert(sem_init(&never, 0, 0) == 0 && sem_post(&sem) == 0);
	assert(sem_timedwait(&never, &t) == -1);
	assert(errno == EINTR || errno == ETIMEDOUT);
	while (!handled)
		;
	return arg;
}

/* A handler ends it with EINTR. */
static void sem_wait_7_1(void)
{
	assert(sem_init(&sem, 0, 0) == 0);
	hit_until_it_ends(waits_for_sem);
}

static void *waits_asleep(void *arg)
{
	struct timespec t = { 1, 0 }, left = { 0 };

	assert(sem_post(&sem) == 0);
	if (nanosleep(&t, &left))
		assert(errno == EINTR && left.tv_sec <= 1);
	while (!handled)
		;
	return arg;
}

static void nanosleep_3_2(void)
{
	assert(sem_init(&sem, 0, 0) == 0);
	hit_until_it_ends(waits_asleep);
}

static void write_it(int sig)
{
	(void)sig;
	assert(write(ends[1], "x", 1) == 1);
	atomic_fetch_add(&handled, 1);
}

static void *waits_to_read(void *flags)
{
	char c;
	ssize_t n;

	assert(sem_post(&sem) == 0);
	n = read(ends[0], &c, 1);
	assert(n == 1 || (!flags && n == -1 && errno == EINTR));
	return NULL;
}

static void read_with(int flags, void *arg)
{
	pthread_t t;

	assert(sem_init(&sem, 0, 0) == 0 && pipe(ends) == 0);
	hear_with(SIGUSR1, write_it, flags);
	assert(pthread_create(&t, NULL, waits_to_read, arg) == 0 && sem_wait(&sem) == 0);
	assert(pthread_kill(t, SIGUSR1) == 0 && pthread_join(t, NULL) == 0);
	assert(handled == 1);
}

static void read_is_interrupted(void)
{
	read_with(0, NULL);
}

static void read_is_restarted(void)
{
	read_with(SA_RESTART, &sem);
}

static void *waits_for_cond(void *arg)
{
	pthread_mutex_lock(&m);
	assert(sem_post(&sem) == 0);
	while (!state)
		assert(pthread_cond_wait(&cond, &m) == 0);
	pthread_mutex_unlock(&m);
	return arg;
}

/* It never returns EINTR. */
static void pthread_cond_wait_is_not_interrupted(void)
{
	pthread_t t;

	assert(sem_init(&sem, 0, 0) == 0);
	hear(SIGUSR1);
	assert(pthread_create(&t, NULL, waits_for_cond, NULL) == 0 && sem_wait(&sem) == 0);
	assert(pthread_kill(t, SIGUSR1) == 0);
	pthread_mutex_lock(&m);
	state = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&m);
	assert(pthread_join(t, NULL) == 0 && handled == 1);
}

static void *waits_for_mutex(void *arg)
{
	assert(sem_post(&sem) == 0);
	assert(pthread_mutex_lock(&m) == 0 && pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void pthread_mutex_lock_is_not_interrupted(void)
{
	pthread_t t;

	assert(sem_init(&sem, 0, 0) == 0);
	hear(SIGUSR1);
	pthread_mutex_lock(&m);
	assert(pthread_create(&t, NULL, waits_for_mutex, NULL) == 0 && sem_wait(&sem) == 0);
	assert(pthread_kill(t, SIGUSR1) == 0 && pthread_mutex_unlock(&m) == 0);
	assert(pthread_join(t, NULL) == 0 && handled == 1);
}

CASES(CASE(pthread_kill_1_1), CASE(pthread_kill_1_2), CASE(pthread_create_8_1),
      CASE(pthread_create_8_2), CASE(pthread_sigmask_1_1), CASE(kill_2_2),
      CASE(kill_reaches_one_thread), CASE(raise_2_1), CASE(sigaction_13_1), CASE(sigaction_23_1),
      CASE(sigaction_resets), CASE(sigaction_nests), CASE(sigaction_ignores_what_is_pending),
      CASE(sigpending_1_2), CASE(sigqueue_4_1), CASE(sigqueue_9_1), CASE(sigqueue_of_threads),
      CASE(sigwait_1_1), CASE(sigwait_2_1), CASE(sigwait_of_two_threads), CASE(sigwaitinfo_7_1),
      CASE(sigwaitinfo_8_1), CASE(sigsuspend_1_1), CASE(sigsuspend_4_1), CASE(sem_wait_7_1),
      CASE(nanosleep_3_2), CASE(read_is_interrupted), CASE(read_is_restarted),
      CASE(pthread_cond_wait_is_not_interrupted), CASE(pthread_mutex_lock_is_not_interrupted))
