/* SPDX-License-Identifier: BSD-2-Clause */
/* timeout.h - calls that time out, tries in vain, and waits that end for no reason (timeout.c) */
#ifndef HEDDLE_PRELOAD_TIMEOUT_H
#define HEDDLE_PRELOAD_TIMEOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/* A call of the caller's at pc times out: time passes (until NULL: has passed), and the thread may go no further. */
void timed_out(clockid_t clock, const struct timespec *until, uint64_t pc);
/* The caller's try to lock the object, at pc, found it taken; the thread may go no further. */
void try_failed(const volatile void *object, uint64_t pc);
/* The caller asked there for what is not there, and did not wait: likewise. */
void asked_in_vain(const volatile void *object, uint64_t pc);
/* May a wait that begins here end without a signal; and it did. */
bool may_wake_up(uint64_t pc);
void woke_up(uint64_t pc);

#pragma GCC visibility pop

#endif
