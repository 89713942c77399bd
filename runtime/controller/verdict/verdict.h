/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verdict.h - bugs that come back, and the verdict on a search
 *
 * A bug is one if a replay in a fresh process shows it again (confirm.h). "No bug" is said only of a search that was complete
 * (incomplete.h), and all of whose executions are accounted for (wire/ledger.h).
 */
#ifndef HEDDLE_CONTROLLER_VERDICT_H
#define HEDDLE_CONTROLLER_VERDICT_H

#include "controller/report/outcome.h"

/*
 * Confirms the bugs that s->search has found, reports each that came back, adds it to s->bugs, and sets s->verdict, s->status and s->why, which is empty
 * before. status: how the search itself ended, 0 or an exit status after a message.
 */
void verdict_decide(struct session *s, int status);

#endif
