/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * box.h - signals that were sent, and that nobody has taken yet
 *
 * Internal to deliver.c, whose mutex guards all boxes, and sent.c. A box is what POSIX calls the signals
 * pending for a thread (the box has the thread's id) or for the process. Sets of signals are as the kernel has them: bit sig - 1.
 */
#ifndef HEDDLE_PRELOAD_BOX_H
#define HEDDLE_PRELOAD_BOX_H

#include <signal.h>
#include <stdint.h>

#include "preload/step/perform.h"
#include "wire/op.h"

#pragma GCC visibility push(hidden)

enum {
	BOX_PROCESS = HEDDLE_MAX_THREADS /* behind those of the threads */
};

/* What comes with a signal. */
struct sent {
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
void box_root(void);

/* A signal that is there already is one with it, unless it is a real-time one: these queue. */
void box_put(int box, int sig, const struct sent *with);

/* Takes the one with the lowest number of these, with what came with it; 0: there is none. with may be NULL. */
int box_take(int box, uint64_t wanted, struct sent *with);

/* What is there. */
uint64_t box_pending(int box);

#pragma GCC visibility pop

#endif
