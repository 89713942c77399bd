/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interrupt.h - calls that a handler interrupts while they wait, and calls that none does
 *
 * Each case sends a thread a signal and, when the handler has run, lets its call come to an end. Natively the
 * thread waits already when the signal is sent, so it must be interrupted. Under heddle the signal
 * comes before the call as well: then the call waits for its end.
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "hooks/fails.h"
#include "hooks/signal/signals.h"

static bool natively;
static atomic_int ran, thread_id;
static long (*call)(void);
static long result;
static int error;

static inline void note(int sig)
{
	assert(sig == SIGUSR1);
	atomic_fetch_add(&ran, 1);
}

static inline void *make_call(void *arg)
{
	if (natively)
		atomic_store(&thread_id, (int)gettid());
	errno = 0;
	result = call();
	error = errno;
	return arg;
}

/* Natively: until the thread waits in the kernel. */
static inline bool waits_natively(void)
{
	char path[64], state = 0;

	if (!natively)
		return false;
	while (!atomic_load(&thread_id))
		;
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread_id);
	while (state != 'S') {
		FILE *f = fopen(path, "r");

		assert(f && fscanf(f, "%*d %*s %c", &state) == 1);
		fclose(f);
	}
	return true;
}

/* True if the call must have been interrupted. release: what lets it end otherwise. */
static inline bool interrupt(long (*fn)(void), void (*release)(void), int flags)
{
	struct sigaction a = { .sa_handler = note, .sa_flags = flags };
	bool waits;
	pthread_t t;

	assert(sigaction(SIGUSR1, &a, NULL) == 0);
	natively = getenv("HEDDLE_TEST_NATIVELY");
	call = fn;
	t = begin(make_call, NULL);
	waits = waits_natively();
	assert(pthread_kill(t, SIGUSR1) == 0);
	while (release && !atomic_load(&ran))
		;
	if (release)
		release();
	end(t);
	return waits;
}

static inline void is_interrupted(long (*fn)(void), void (*release)(void), long otherwise)
{
	bool must = interrupt(fn, release, 0);

	assert((result == -1 && error == EINTR) || (!must && result == otherwise));
}

static inline void is_restarted(long (*fn)(void), void (*release)(void), long wanted)
{
	interrupt(fn, release, SA_RESTART);
	assert(result == wanted && atomic_load(&ran) == 1);
}

#endif
