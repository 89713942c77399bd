/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * follow.h - programs that the program starts
 *
 * They are explored where they are started, each by a heddle of its own (followed.h), and what that finds
 * becomes part of the result of the one that the user has called. These share a folder (wire/follow.h).
 */
#ifndef HEDDLE_CONTROLLER_FOLLOW_H
#define HEDDLE_CONTROLLER_FOLLOW_H

#include <stdio.h>

#include "controller/run/launch.h"
#include "controller/search/follow_log.h"
#include "controller/search/session.h"

struct follow {
	char folder[PATH_MAX];       /* "": it is not there yet */
	bool failed;                 /* it cannot be made, and something was started */
	char session[PATH_MAX + 16]; /* as in the environment */
	unsigned number;             /* ours in it; 0: the folder is ours */
	bool over;                   /* what is started from now on was looked at before */
	int top;                     /* process of a harness */
	unsigned long top_ticks;     /* how long that had run when it was looked at */
	int top_status;              /* how that ended, as wait() says it */
};

/* 0 or an exit status after a message. */
int follow_begin(struct session *s);
/* The session becomes number n of a folder that another heddle made; 0 or an exit status after a message. */
int follow_join(struct session *s, const char *folder, unsigned n);
/* Makes the folder, if there is none: something is about to be started. False when it cannot. */
bool follow_ready(const struct session *s);
/* Removes the folder, if it is ours. */
void follow_release(struct session *s);

/* The path of a file of the folder. */
void follow_path(const struct follow *f, const char *name, char path[PATH_MAX]);

/* Tells a run, before it starts, what becomes of programs that it starts. */
void follow_tell(const struct session *s, struct run *run, bool first);

/* The program may be about to start the first one. For watch.answer. */
void follow_answer(void *ctx, struct run *run);

/* Is a program being explored that the one of the session has started? For watch.busy; ctx is the session. */
bool follow_busy(void *ctx);

/* Has a harness threads? */
bool follow_top_threads(const struct session *s);
/* Has it threads, and started nothing that could be explored? */
bool follow_top_alone(const struct session *s);

/* Has one that it started a bug, or was it killed? Then the program's own exit status may come from that. */
bool follow_explains(const struct session *s);

/* From the JSON that heddle has written of a program: its verdict, counts and reason. */
void followed_counts(struct followed *f);
/* From what it said: the error that it ended with. */
void followed_error(struct followed *f, FILE *said);
/* All that it said, to standard error. */
void followed_show(FILE *said);

/* The heddle that the user called: what was found becomes part of the session. */
void follow_settle(struct session *s);

#endif
