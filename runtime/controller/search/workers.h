/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * workers.h - one search by several processes (-j N)
 */
#ifndef HEDDLE_CONTROLLER_WORKERS_H
#define HEDDLE_CONTROLLER_WORKERS_H

#include "controller/run/supervise.h"
#include "controller/search/session.h"

/*
 * Runs the search that config describes in as many processes as the session's options say, each
 * started as launch says, and puts what they found together into s->search, as one
 * process would have left it. 0, or an exit status after a message.
 */
int workers_search(struct session *s, const struct shared_config *config,
		   const struct launch *launch, const struct watch *watch);

#endif
