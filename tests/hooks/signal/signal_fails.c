/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signal_fails.c - how calls about signals fail
 *
 * ways kill: EINVAL ESRCH; not EPERM (tests may run as root, to whom nothing is forbidden)
 * ways killpg: EINVAL ESRCH; not EPERM (likewise)
 * ways tgkill: EINVAL ESRCH; not EPERM EAGAIN (likewise, and a limit of the system)
 * ways raise: EINVAL
 * ways sigqueue: EINVAL ESRCH; not EPERM EAGAIN (likewise)
 * ways pthread_kill: EINVAL; not ESRCH (nobody may name a thread that is gone)
 * ways pthread_sigqueue: EINVAL; not ESRCH EAGAIN (likewise)
 * ways sigaction: EINVAL
 * ways signal: EINVAL
 * ways sigprocmask: EINVAL
 * ways pthread_sigmask: EINVAL
 * ways sigsuspend: EINTR
 * ways sigtimedwait: EAGAIN EINVAL EINTR
 * ways pause: ; not EINTR (natively the signal may come before it waits)
 * ways sigwaitinfo: EINTR
 * never fails: sigpending sigwait
 *
 * case kill_EINVAL: ok 1
 * case kill_ESRCH: ok 1
 * case kill_asks: ok 1
 * case killpg_EINVAL: ok 1
 * case killpg_ESRCH: ok 1
 * case tgkill_EINVAL: ok 1
 * case tgkill_ESRCH: ok 1
 * case raise_EINVAL: ok 1
 * case sigqueue_EINVAL: ok 1
 * case sigqueue_ESRCH: ok 1
 * case pthread_kill_EINVAL: ok 1
 * case pthread_kill_asks: ok 1
 * case pthread_sigqueue_EINVAL: ok 1
 * case sigaction_EINVAL: ok 1
 * case sigaction_tells_what_was_there: ok 1
 * case signal_EINVAL: ok 1
 * case sigprocmask_EINVAL: ok 1
 * case pthread_sigmask_EINVAL: ok 1
 * case sigsuspend_EINTR: ok 1
 * case sigtimedwait_EAGAIN: ok 1
 * case sigtimedwait_EINVAL: ok 1
 * case waits_for_what_is_pending: ok 1
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "hooks/fails.h"

enum {
	NO_SIGNAL = 100,
	NOBODY = INT_MAX /* more than ids of processes can be */
};

static const union sigval nothing;

EACH_FAILS(kill_ESRCH, ESRCH, kill(NOBODY, 0))
EACH_FAILS(killpg_ESRCH, ESRCH, killpg(NOBODY, 0))
EACH_FAILS(raise_EINVAL, EINVAL, raise(NO_SIGNAL))
EACH_FAILS(sigqueue_ESRCH, ESRCH, sigqueue(NOBODY, 0, nothing))

IN_EACH(kill_EINVAL)
{
	FAILS(EINVAL, kill(getpid(), NO_SIGNAL));
	FAILS(EINVAL, kill(getpid(), -1));
	return arg;
}

/* Signal 0 is none: is there such a process? */
IN_EACH(kill_asks)
{
	assert(kill(getpid(), 0) == 0 && kill(0, 0) == 0);
	assert(tgkill(getpid(), gettid(), 0) == 0);
	return arg;
}

IN_EACH(killpg_EINVAL)
{
	FAILS(EINVAL, killpg(0, NO_SIGNAL));
	FAILS(EINVAL, killpg(-1, 0));
	return arg;
}

IN_EACH(tgkill_EINVAL)
{
	FAILS(EINVAL, tgkill(getpid(), gettid(), NO_SIGNAL));
	FAILS(EINVAL, tgkill(-1, gettid(), 0));
	FAILS(EINVAL, tgkill(getpid(), 0, 0));
	return arg;
}

IN_EACH(tgkill_ESRCH)
{
	FAILS(ESRCH, tgkill(getpid(), NOBODY, 0));
	FAILS(ESRCH, tgkill(NOBODY, gettid(), 0));
	return arg;
}

EACH_FAILS(sigqueue_EINVAL, EINVAL, sigqueue(getpid(), NO_SIGNAL, nothing))

IN_EACH(pthread_kill_EINVAL)
{
	GIVES(EINVAL, pthread_kill(pthread_self(), NO_SIGNAL));
	GIVES(EINVAL, pthread_kill(pthread_self(), -1));
	return arg;
}

static void *nothing_to_do(void *arg)
{
	return arg;
}

IN_EACH(pthread_kill_asks)
{
	pthread_t t;

	GIVES(0, pthread_kill(pthread_self(), 0));
	GIVES(0, pthread_create(&t, NULL, nothing_to_do, NULL));
	GIVES(0, pthread_kill(t, 0));
	GIVES(0, pthread_join(t, NULL));
	return arg;
}

IN_EACH(pthread_sigqueue_EINVAL)
{
	GIVES(EINVAL, pthread_sigqueue(pthread_self(), NO_SIGNAL, nothing));
	return arg;
}

static void ignore(int sig)
{
	(void)sig;
}

IN_EACH(sigaction_EINVAL)
{
	struct sigaction act = { .sa_handler = ignore }, old;

	FAILS(EINVAL, sigaction(0, &act, NULL));
	FAILS(EINVAL, sigaction(NO_SIGNAL, &act, NULL));
	FAILS(EINVAL, sigaction(NO_SIGNAL, NULL, &old));
	FAILS(EINVAL, sigaction(SIGKILL, &act, NULL));
	FAILS(EINVAL, sigaction(SIGSTOP, &act, NULL));
	return arg;
}

/* Of faults as of others. */
IN_EACH(sigaction_tells_what_was_there)
{
	static const int sig[] = { SIGUSR1, SIGSEGV };
	struct sigaction act = { .sa_handler = ignore }, old;

	for (int i = 0; i < 2; i++) {
		act.sa_flags = SA_NODEFER;
		assert(sigaction(sig[i], &act, &old) == 0 && old.sa_handler == SIG_DFL);
		assert(sigaction(sig[i], NULL, &old) == 0 && old.sa_handler == ignore);
		assert((old.sa_flags & SA_NODEFER) && signal(sig[i], SIG_DFL) == ignore);
	}
	return arg;
}

IN_EACH(signal_EINVAL)
{
	static const int wrong[] = { 0, -1, NO_SIGNAL, SIGKILL, SIGSTOP };

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		errno = 0;
		assert(signal(wrong[i], ignore) == SIG_ERR && errno == EINVAL);
	}
	errno = 0;
	assert(signal(SIGUSR1, SIG_ERR) == SIG_ERR && errno == EINVAL);
	errno = 0;
	assert(signal(SIGSEGV, SIG_ERR) == SIG_ERR && errno == EINVAL);
	return arg;
}

IN_EACH(sigprocmask_EINVAL)
{
	sigset_t set;

	sigemptyset(&set);
	FAILS(EINVAL, sigprocmask(77, &set, NULL));
	assert(sigprocmask(77, NULL, &set) == 0); /* nothing is changed: how does not matter */
	return arg;
}

IN_EACH(pthread_sigmask_EINVAL)
{
	sigset_t set;

	sigemptyset(&set);
	GIVES(EINVAL, pthread_sigmask(77, &set, NULL));
	GIVES(0, pthread_sigmask(77, NULL, &set));
	return arg;
}

static sigset_t block_one(void)
{
	sigset_t set;

	signal(SIGUSR1, ignore);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	GIVES(0, pthread_sigmask(SIG_BLOCK, &set, NULL));
	return set;
}

IN_EACH(sigsuspend_EINTR)
{
	sigset_t none;

	block_one();
	assert(raise(SIGUSR1) == 0);
	sigemptyset(&none);
	FAILS(EINTR, sigsuspend(&none));
	return arg;
}

IN_EACH(sigtimedwait_EAGAIN)
{
	struct timespec none = { 0, 0 };
	sigset_t set = block_one();

	FAILS(EAGAIN, sigtimedwait(&set, NULL, &none));
	return arg;
}

IN_EACH(sigtimedwait_EINVAL)
{
	struct timespec wrong = { 0, 1000000000 };
	sigset_t set = block_one();

	FAILS(EINVAL, sigtimedwait(&set, NULL, &wrong));
	return arg;
}

IN_EACH(waits_for_what_is_pending)
{
	sigset_t set = block_one(), pending;
	siginfo_t info;
	int sig = 0;

	assert(raise(SIGUSR1) == 0);
	assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1));
	GIVES(0, sigwait(&set, &sig));
	assert(sig == SIGUSR1);
	assert(kill(getpid(), SIGUSR1) == 0);
	assert(sigwaitinfo(&set, &info) == SIGUSR1 && info.si_signo == SIGUSR1);
	return arg;
}

CASES(CASE(kill_EINVAL), CASE(kill_ESRCH), CASE(kill_asks), CASE(killpg_EINVAL), CASE(killpg_ESRCH),
      CASE(tgkill_EINVAL), CASE(tgkill_ESRCH), CASE(raise_EINVAL), CASE(sigqueue_EINVAL),
      CASE(sigqueue_ESRCH), CASE(pthread_kill_EINVAL), CASE(pthread_kill_asks),
      CASE(pthread_sigqueue_EINVAL), CASE(sigaction_EINVAL), CASE(sigaction_tells_what_was_there),
      CASE(signal_EINVAL), CASE(sigprocmask_EINVAL), CASE(pthread_sigmask_EINVAL),
      CASE(sigsuspend_EINTR), CASE(sigtimedwait_EAGAIN), CASE(sigtimedwait_EINVAL),
      CASE(waits_for_what_is_pending))
