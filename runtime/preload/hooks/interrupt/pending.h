/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pending.h - signals that are pending: sent, and not taken yet
 *
 * For a thread (its id), or for the process. Internal to deliver.c, whose mutex guards all of them, and
 * signal_send.c. Sets of signals are as the kernel has them: bit sig - 1.
 */
#ifndef HEDDLE_PRELOAD_PENDING_H
#define HEDDLE_PRELOAD_PENDING_H

#include <signal.h>
#include <stdint.h>

#include "preload/step/perform.h"
#include "wire/op.h"

#pragma GCC visibility push(hidden)

enum {
	PENDING_PROCESS = HEDDLE_MAX_THREADS /* behind those of the threads */
};

/* What comes with a signal. */
struct signal_info {
	int code; /* SI_USER, SI_TKILL or SI_QUEUE */
	union sigval value;
};

static inline uint64_t signal_bits(const sigset_t *set)
{
	return set->__val[0];
}

static inline uint64_t signal_bit(int sig)
{
	return 1ul << (sig - 1);
}

/* A write to the image by a thread that may only be tried out (await.c). */
static inline void write_noted(uint64_t *word, uint64_t value)
{
	note_plain_write((uintptr_t)word, sizeof(*word));
	*word = value;
}

/* At the root point: what is pending in the kernel. */
void pending_root(void);

/* A signal that is there already is one with it, unless it is a real-time one: these queue. */
void pending_put(int to, int sig, const struct signal_info *with);

/* Takes the one with the lowest number of these, with what came with it; 0: there is none. with may be NULL. */
int pending_take(int to, uint64_t wanted, struct signal_info *with);

/* What is there for a thread, or PENDING_PROCESS. */
uint64_t pending_of(int to);
/* How many signals of the set there are, each as often as it is queued. */
uint64_t pending_count(int to, uint64_t wanted);

/* Under the engine, right behind that: one more is there, or one less. (io/hook_signalfd.c) */
extern void (*pending_changes)(int to, int sig, bool more);

#pragma GCC visibility pop

#endif
