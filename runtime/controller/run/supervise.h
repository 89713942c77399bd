/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * supervise.h - watches a started program until it is over
 */
#ifndef HEDDLE_CONTROLLER_SUPERVISE_H
#define HEDDLE_CONTROLLER_SUPERVISE_H

#include "controller/base/progress.h"
#include "controller/run/launch.h"

enum {
	SUPERVISE_PATIENCE = 10 /* times watchdog_s, for a thread that does plain accesses only */
};

/* What is to be done with what a run has put down. */
enum watch_look {
	LOOK_STOP, /* the program is to stop */
	LOOK_DONE, /* nothing is left of it now */
	LOOK_MORE, /* something is, and it would take long */
};

struct watch {
	double timeout_s;     /* 0: none */
	double part_with_bug; /* of it, once a bug was found; 0: all */
	double watchdog_s;    /* 0: off */
	enum progress_how progress;
	uint64_t of; /* how many executions it shall be; 0: unknown */
	bool gdb;    /* Ctrl-C and the terminal are gdb's */
	/* What the program leaves behind has as long to end as the watchdog says; else it is killed (orphans.h). */
	bool patient;
	/* Called every millisecond or so, and when the process is over as long as there is more,
	 * unless NULL. After a signal or the timeout what is left then may stay. Takes a tick at most. */
	enum watch_look (*look)(void *ctx, struct run *run);
	/* Called when the which-th process is over, unless NULL; false stops the others. */
	bool (*ended)(void *ctx, size_t which);
	/* Called every now and then, unless NULL: does the program ask for something? With busy_ctx. */
	void (*answer)(void *ctx, struct run *run);
	/* Is something at work that the process may wait for? Then the watchdog waits, too. NULL: never. */
	bool (*busy)(void *ctx);
	void *busy_ctx;
	void *ctx;
};

/*
 * Waits until the process has ended, by itself or because of the limits in w, a signal to us
 * or the watchdog, and fills run->end, wait_status, seconds and peak_rss_kib. Returns 0, or an
 * exit status after a message. Never waits longer than the limits say, plus two seconds.
 */
int supervise(struct run *run, const struct watch *w);

/* The same for n processes that work together, until all have ended. */
int supervise_all(struct run *runs, size_t n, const struct watch *w);

/* Monotonic time in seconds. */
double now_s(void);

/* Is it a signal by which a process that dies of it was ended by somebody else, as far as one can tell? */
bool signal_from_outside(int sig);

/* True once Ctrl-C, SIGTERM or SIGHUP came. */
bool was_interrupted(void);

#endif
