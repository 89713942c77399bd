/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * become.h - the process of heddle goes on as the program
 *
 * Whoever started it waits for what the program writes, and for its status.
 */
#ifndef HEDDLE_CONTROLLER_BECOME_H
#define HEDDLE_CONTROLLER_BECOME_H

#include <signal.h>

#include "controller/search/session.h"

/* What is to be as it was when the process becomes the program. */
struct before {
	sigset_t mask;
	char *options; /* HEDDLE_OPTIONS; NULL: it was not set */
};

/* Before anything of a search has begun; before_release() when it is not needed any more. */
void before_note(struct before *b);
void before_release(struct before *b);

/* Returns when it cannot, with an exit status after a message. */
int become(const struct before *b, const char *file, char *const *argv);

/*
 * --then-run, behind a search that ended with that status: releases the session, and becomes its program when that has no
 * bug. A tool that started programs has run already. Returns the status otherwise.
 */
int then_run(struct session *s, const struct before *b, int status);

#endif
