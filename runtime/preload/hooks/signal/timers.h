/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timers.h - timers of the program that ring (timers.c)
 *
 * Internal to runtime/preload/hooks/signal. All calls are for the calling thread at pc, before there are threads
 * or under the engine.
 */
#ifndef HEDDLE_PRELOAD_TIMERS_H
#define HEDDLE_PRELOAD_TIMERS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

struct timer {
	/* What it is: these do not change while it is used. */
	bool used;
	clockid_t clock;
	uint32_t level;     /* children_level(): a child does not inherit it */
	int notify;         /* SIGEV_*, or TIMER_TICKS */
	int sig, code;      /* what is sent, with which si_code, */
	int to;             /* to a thread or TO_PROCESS */
	union sigval value; /* what comes with it */
	void (*fn)(union sigval);
	/* A descriptor tells of it (hook_timerfd.c): so often more, false: nobody has it any more; and what was told is void. */
	uint16_t channel;
	bool (*tick)(const struct timer *t, uint64_t n, uint64_t pc);
	void (*clear)(const struct timer *t, uint64_t pc);
	/* How it is set. Under signals_guard. */
	uint64_t ends, interval; /* as elapsed_ns(); ends 0: it is not running */
	uint64_t setting;        /* grows when it is set, and when it has rung for the last time */
	uint64_t
		overrun; /* how often it has rung while its signal was pending, for the last that was sent; */
	uint64_t missed; /* the same for the last that was taken, while one is pending */
	bool waits;      /* a thread of its own waits for the end, or has reached it, */
	pthread_t ringer;
	uint64_t chain; /* how often in a row its own function has set it anew (SIGEV_THREAD) */
	uint64_t bed;   /* where that one lies when it rings no more (a condition variable) */
	uint64_t pc;    /* who set it */
};

enum {
	TIMER_TICKS = 100
};

struct timer_left {
	uint64_t ns, interval;
};

#define TIMER_NOW UINT64_MAX

/* Sets it, to ring in so many ns (0: not at all) or TIMER_NOW, and tells what was left. */
void timer_set(struct timer *t, uint64_t ns, uint64_t interval, struct timer_left *old,
	       uint64_t pc);
void timer_ask(struct timer *t, struct timer_left *left, uint64_t pc);
int timer_overrun(struct timer *t, uint64_t pc);

/* All of them, of every kind (hook_alarm.c). */
enum {
	TIMERS_OF_PROCESS = 3, /* ITIMER_REAL and its like, */
	TIMERS_BY_ID = 64,     /* those of timer_create(), */
	TIMERS_OF_DESCRIPTORS = 64,
	TIMERS = TIMERS_OF_PROCESS + TIMERS_BY_ID + TIMERS_OF_DESCRIPTORS
};
extern struct timer timers[TIMERS];

/* Before there are threads: the next one that ends until then rings, if any does. Is its signal handled now? */
enum timer_rung {
	TIMER_NONE,
	TIMER_PENDING, /* blocked */
	TIMER_ENDS,
	TIMER_RESTARTS /* as SA_RESTART asks */
};
enum timer_rung timer_ring_alone(uint64_t until_ns);

/* Does the calling thread know of any that was set? Under the engine. */
bool timers_known(void);

/* The program wants to hear of these signals from now on: it installs a handler, or blocks them. */
void timers_heard(uint64_t bits, uint64_t pc);

#pragma GCC visibility pop

#endif
