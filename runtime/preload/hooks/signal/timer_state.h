/* SPDX-License-Identifier: BSD-2-Clause */
/* timer_state.h - what timers.c, timers_ring.c and timers_alone.c share */
#ifndef HEDDLE_PRELOAD_TIMER_STATE_H
#define HEDDLE_PRELOAD_TIMER_STATE_H

#include "preload/hooks/signal/timers.h"
#include "preload/hooks/world/time.h"

#pragma GCC visibility push(hidden)

/* ---- timers.c: its state. Under the engine with signals_guard held ---- */

bool timer_is_running(const struct timer *t);
/* It rings now, or would have by now: more than once counts as once. Returns how often more. */
uint64_t timer_goes_on(struct timer *t);
/* That sends its signal to a thread or TO_PROCESS; false: it is pending there, which only counts (timer_getoverrun()). */
bool timer_sends(struct timer *t, int to, uint64_t missed);
/* The next one that sleeping brings to its end until then, and that tells a thread of the program; NULL: none. */
struct timer *timer_next(uint64_t until);

/* What the program does about the signal. */
struct sigaction timer_action(int sig);
bool timer_ignored(const struct timer *t);
bool timer_handled(int sig);
__attribute__((noreturn)) void timer_ends_program(const struct timer *t);

/* ---- timers_ring.c: under the engine ---- */

/* The calling thread sets one. How many of those that were set does it know of? */
void timer_note(void);
uint64_t timer_settings_known(void);

/* Makes the thread that rings it, with signals_guard held; it may be that it needs none. */
bool timer_wants_ringer(const struct timer *t);
void timer_make_ringer(struct timer *t);
/* Of all timers that have none and want one, of those that send these signals. */
void timer_make_ringers(uint64_t bits, uint64_t pc);

/*
 * Rings what comes to its end until then, up to the first that interrupts the calling thread: true. With signals_guard
 * held. And the other for who waits until then.
 */
bool timer_ring_until(uint64_t until, uint64_t pc);
enum time_ring timer_rings_under_engine(uint64_t until, uint64_t pc);

/* ---- timers_alone.c: before there are threads ---- */

enum time_ring timer_rings_alone(uint64_t until);

#pragma GCC visibility pop

#endif
