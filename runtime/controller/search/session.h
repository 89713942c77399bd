/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session.h - one use of heddle, from the program's name to the exit status
 *
 * explore, test and replay fill a session and hand it to the reports.
 */
#ifndef HEDDLE_CONTROLLER_SESSION_H
#define HEDDLE_CONTROLLER_SESSION_H

#include "controller/base/progress.h"
#include "controller/report/outcome.h"

/* Opens what will be written to, so that a long search does not end in an error; 0 or an exit
 * status after a message. */
int session_init(struct session *s, const struct options *o);
void session_release(struct session *s);

/*
 * For explore and test: session_init(), then checks jobs, model and the program that the
 * options name. 0 or an exit status after a message; release the session in any case.
 */
int session_prepare(struct session *s, const struct options *o);

/* Finds and checks the program o->argv names; 0 or an exit status after a message. */
int session_program(struct session *s, const char *name);

/* Is there such a model and equivalence? Names those there are if not. 0 or STATUS_USAGE. */
int session_model(const struct session *s);

/* Prints the summary, writes the JSON file, and returns the exit status. */
int session_end(struct session *s);

/* How many bugs there are, with those of programs that the program started. */
size_t session_bugs(const struct session *s);

/* What is to be said while heddle searches. */
enum progress_how session_progress(const struct options *o);

/* What SETTING_CHILD stands for. */
void child_name(uint64_t child, char name[CHILD_NAME]);

/* explore and test: the whole of it. mode is enum engine_mode. */
int session_search(struct session *s, uint32_t mode);

#endif
