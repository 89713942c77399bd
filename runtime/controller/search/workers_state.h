/* SPDX-License-Identifier: BSD-2-Clause */
/* workers_state.h - the workers of one search, for the files that are about them */
#ifndef HEDDLE_CONTROLLER_WORKERS_STATE_H
#define HEDDLE_CONTROLLER_WORKERS_STATE_H

#include "controller/report/outcome.h"
#include "controller/run/collect.h"
#include "controller/run/known.h"
#include "controller/run/supervise.h"
#include "wire/exchange.h"

/* What one of them was told, and has left. */
struct part {
	struct shared_config config;
	struct result result;
	bool ended, lost; /* lost: its work was given to others */
};

struct workers {
	struct session *s;
	const struct watch *outer; /* its look is called on */
	uint32_t n;
	struct run *run;
	struct part *part;
	struct exchange *x;
	struct known *known;
	int fd;
	bool again;    /* what was started is not to be followed once more */
	bool siblings; /* the first makes the others */
	int *sibling_fd;
	bool incomplete; /* something was lost that nobody does again */
	bool out_of_memory;
};

/* ---- workers_lost.c ---- */

/*
 * Worker i died of a signal. If somebody else sent that, what it was doing is put up for the others, and of the worker counts what it had committed. False: the others
 * need not go on.
 */
bool workers_died(struct workers *w, uint32_t i);

/* The totals that a worker committed last; zero if there are none. */
struct commit workers_committed(const struct workers *w, uint32_t i);

/* Is there a subtree that nobody works on? */
bool workers_left_undone(const struct workers *w);

/* ---- workers_merge.c ---- */

/* When all are over: what they found becomes one result, to be released with result_release(). False: out of memory. */
bool workers_merge(struct workers *w, struct result *out);

#endif
