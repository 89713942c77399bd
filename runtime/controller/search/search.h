/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * search.h - the search in one process of the program, for explore and test
 */
#ifndef HEDDLE_CONTROLLER_SEARCH_H
#define HEDDLE_CONTROLLER_SEARCH_H

#include "controller/run/launch.h"
#include "controller/search/session.h"

/*
 * Runs the search in the process that the session names (s->child) and confirms the bugs found. Fills
 * s->search, and adds to s->bugs; s->verdict, s->status and s->why are those of this process alone.
 * An exit status of a program that has children with threads is not looked at: see search_again().
 */
void search_process(struct session *s, uint32_t mode);

/* What the search in such a process is asked for; and a run of it that was opened, from its start to its end: 0 or an exit status. */
void search_config(struct shared_config *c, const struct session *s, uint32_t mode);
int search_run(struct session *s, struct run *run);

/* The search alone, into s->search: 0 or an exit status after a message. */
int search_unjudged(struct session *s, uint32_t mode);

/* Confirms what search_process() left alone, and judges anew. */
void search_again(struct session *s);

/* Is there nothing but an exit status, which others may explain, and which is not looked at? */
bool search_left_alone(const struct session *s);

/* Has it children to be explored? */
bool search_has_children(const struct result *r);

#endif
