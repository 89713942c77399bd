/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * around.h - exploring what begins like another execution, which was recorded or is drawn
 */
#ifndef HEDDLE_CONTROLLER_AROUND_H
#define HEDDLE_CONTROLLER_AROUND_H

#include "controller/run/launch.h"
#include "controller/search/session.h"

struct trace_reader;

/*
 * heddle explore --around TRACE, before and after session_prepare(): the options are what the trace was recorded with, if the user
 * does not say otherwise; then the program has to be the one that was recorded. 0 or an exit status after a message.
 */
int around_open(struct session *s, struct options *o, struct trace_reader *r, struct trace *t);
int around_read(struct session *s, struct trace_reader *r, struct trace *t);

/* heddle test --explore-around, when no random execution has shown a bug: explores around one. The session's result is of all. */
void around_drawn(struct session *s);

/* A search that is about to start begins like that, if it is to. */
void around_tell(const struct session *s, struct shared *shared);

#endif
