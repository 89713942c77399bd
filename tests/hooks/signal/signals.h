/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signals.h - what cases about signals are written with
 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "hooks/threads.h"

static volatile sig_atomic_t handled;

static inline void count(int sig)
{
	assert(sig == SIGUSR1);
	handled++;
}

static inline void handle(void (*handler)(int))
{
	struct sigaction a = { .sa_handler = handler };

	assert(sigaction(SIGUSR1, &a, NULL) == 0);
}

static inline sigset_t only(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	if (sig)
		sigaddset(&set, sig);
	return set;
}

static inline void mask(int how, int sig)
{
	sigset_t set = only(sig);

	assert(pthread_sigmask(how, &set, NULL) == 0);
}

static inline bool blocks(int sig)
{
	sigset_t set;

	assert(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0);
	return sigismember(&set, sig);
}

static inline void alone(void *(*fn)(void *))
{
	end(begin(fn, NULL));
}

static inline void *wait_for_it(void *arg)
{
	sigset_t set = only(SIGUSR1);
	int sig = 0;

	assert(sigwait(&set, &sig) == 0 && sig == SIGUSR1);
	return arg;
}

static inline void *tell(void *arg)
{
	assert(kill(getpid(), SIGUSR1) == 0);
	return arg;
}

#endif
