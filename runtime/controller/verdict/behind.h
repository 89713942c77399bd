/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * behind.h - further races of an execution that ended with one (--keep-going)
 *
 * A race is undefined behaviour, so a search goes no further there: nothing that comes behind it would mean
 * anything. But the accesses that come are those that the program makes, and more of them may lack
 * the same lock. So an execution that ended with a confirmed race is run once more, in a process of its own,
 * and goes on behind it as if there were none, at random where the trace ends. What races there is a finding,
 * to be confirmed like any other, by a replay that passes by the races before it.
 *
 * Nothing else that happens behind a race is told: a crash there, or a loop without end, may be the
 * race's doing.
 */
#ifndef HEDDLE_CONTROLLER_BEHIND_H
#define HEDDLE_CONTROLLER_BEHIND_H

#include "controller/report/outcome.h"

/* How often the execution goes on, each time in another way, from where its threads were at the first race. */
enum {
	BEHIND_WAYS = 4
};

/* Races that were met: places in the code, what they are about, and lines in words. */
struct races_met {
	struct race_met *at;
	size_t n;
};

/*
 * Is the race one that was met? By the same two calls, or of the same object at the same two lines: x++ in two
 * threads is a read and a write in each. It is remembered in any case.
 */
bool races_meet(struct races_met *m, const struct finding *f, const struct loaded_list *modules);
void races_release(struct races_met *m);

/*
 * Goes on behind a race of the search, in one of BEHIND_WAYS (from 1), whose replay took so many seconds; loops there may be without end. *out has what raced; it is to be released in any case. False: nothing
 * is known.
 */
bool behind_race(struct session *s, const struct finding *f, uint32_t way, double took,
		 struct result *out);

#endif
