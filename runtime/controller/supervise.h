/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * supervise.h - watches a started program until it is over
 */
#ifndef HEDDLE_CONTROLLER_SUPERVISE_H
#define HEDDLE_CONTROLLER_SUPERVISE_H

#include "controller/launch.h"

struct watch {
	double timeout_s;  /* 0: none */
	double watchdog_s; /* 0: off */
	bool progress;     /* show the line that counts */
	uint64_t of;       /* how many executions it shall be; 0: unknown */
	bool gdb;          /* Ctrl-C and the terminal are gdb's */
};

/*
 * Waits until the process has ended, by itself or because of the limits in w, a signal to us
 * or the watchdog, and fills run->end, wait_status, seconds and peak_rss_kib. Returns 0, or an
 * exit status after a message. Never waits longer than the limits say, plus two seconds.
 */
int supervise(struct run *run, const struct watch *w);

/* Monotonic time in seconds. */
double now_s(void);

/* True once Ctrl-C, SIGTERM or SIGHUP came. */
bool was_interrupted(void);

#endif
