/* SPDX-License-Identifier: BSD-2-Clause */
/* harness.h - the program only starts others: make, a shell, a runner of tests */
#ifndef HEDDLE_CONTROLLER_HARNESS_H
#define HEDDLE_CONTROLLER_HARNESS_H

#include "controller/search/session.h"

/* Runs it as it is; those that it starts are explored (follow.h). 0 or an exit status after a message. */
int harness_run(struct session *s);

#endif
