/* SPDX-License-Identifier: BSD-2-Clause */
/* time.h - how time passes for threads (hook_time.c) */
#ifndef HEDDLE_PRELOAD_TIME_H
#define HEDDLE_PRELOAD_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/* Can a call wait on this clock, and until then (if not, EINVAL)? And it did: the calling thread's clock is there. */
bool time_has_clock(clockid_t clock);
bool time_can_wait(clockid_t clock, const struct timespec *until);
void time_passed(clockid_t clock, const struct timespec *until);

/* The calling thread asks the processor: in nanoseconds. */
uint64_t time_ticks(void);
/* What has passed for the calling thread; what is left for it until a time of this clock. */
uint64_t time_own_ns(void);
uint64_t time_until_ns(clockid_t clock, const struct timespec *t);
/* The clock of the processor time of the thread whom the program knows by this id. */
clockid_t time_clock_of(pid_t id);
/* Why there is no timer of this clock: EINVAL or ENOTSUP; 0 if there is. */
int time_no_timer(clockid_t clock);

/* When the calling thread's clock is to stand there, or (not absolute) has gone on by as much, what will have passed? In a probe: 0. */
uint64_t time_end_ns(const struct timespec *t, bool absolute, clockid_t clock);

/*
 * The calling thread waits until then. Does a timer of the program come first that interrupts it (timers.c)? Then its
 * clock stands there. Under the engine the signal is pending for it, else its handler has run.
 */
enum time_ring {
	RING_NONE,
	RING_ENDS,
	RING_RESTARTS /* the handler asks for calls to be restarted; not under the engine */
};
struct time_watch {
	enum time_ring (*rings)(uint64_t until_ns, uint64_t pc);
	void (*passes)(uint64_t until_ns, uint64_t pc);
};
extern struct time_watch time_watch; /* of NULL: there is no timer */
#define TIME_FOR_EVER UINT64_MAX
enum time_ring time_rings(uint64_t until_ns, uint64_t pc);
/* The only thread waits for ever, in a call that no handler ends. Some may do so all the same, by a jump or an exit(). */
void time_rings_out(uint64_t pc);
/* The same in a call that no handler ends: it comes before the next hook that the thread calls. */
void time_passes(uint64_t until_ns, uint64_t pc);

/* A timespec that POSIX allows? */
bool time_valid(const struct timespec *t);
/* The calling thread has waited until then, or (not absolute) that long. */
void time_waited(const struct timespec *t, bool absolute, clockid_t clock);
/* Before there are threads: a call has waited in the kernel, that long if it timed out (NULL: it has none). Returns result. */
int time_waited_alone(int result, bool timed_out, const struct timespec *t);

#pragma GCC visibility pop

#endif
