/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * suite.h - many programs, each searched by a process of its own
 *
 *	struct suite suite;
 *
 *	status = suite_read(&suite, "tests/");
 *	if (!status)
 *		status = suite_run(&suite, &session);
 *	suite_release(&suite);
 */
#ifndef HEDDLE_CONTROLLER_SUITE_H
#define HEDDLE_CONTROLLER_SUITE_H

#include "controller/search/session.h"

struct suite_program {
	char **argv; /* ends with NULL */
	char *name;  /* as one would type it */
	char *label; /* of its traces: no other one of the suite has it */
};

struct suite {
	struct suite_program *programs;
	size_t n;
};

/*
 * Adds the programs of a folder, in the order of their names, or those of a list, in its order: a command each line, in words as
 * a shell divides them; "-": standard input. 0 or an exit status after a message. The suite begins as zeros, and is to
 * be released in any case.
 */
int suite_read(struct suite *suite, const char *path);
void suite_release(struct suite *suite);

/*
 * Searches them, s->options->jobs at a time, with the options of each; *all says how long it may take altogether (0: no limit).
 * What is found becomes s->followed, its counts those of s->search, the verdict and the status those of the worst. 0, or
 * an exit status after a message.
 */
int suite_run(struct session *s, const struct suite *suite, const struct options *each, double all);

#endif
