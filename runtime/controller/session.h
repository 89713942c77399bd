/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session.h - one use of heddle, from the program's name to the exit status
 *
 * explore, test and replay fill a session and hand it to the reports.
 */
#ifndef HEDDLE_CONTROLLER_SESSION_H
#define HEDDLE_CONTROLLER_SESSION_H

#include <limits.h>
#include <sys/types.h>

#include "controller/collect.h"
#include "controller/options.h"

/* A bug with the run that shows it best: its replay, with call stacks. */
struct reported {
	struct finding bug;
	struct loaded_list modules;
	pid_t pid;
	bool confirmed;
	char *output; /* what the program wrote in this execution, where that was asked for, or NULL */
	char trace[PATH_MAX]; /* "": none was written */
	char site[640];       /* "t.c:31 worker" */
	char summary[640];    /* "t.c:31 in worker" */
};

struct session {
	const struct options *options;
	struct program program;
	char *const *argv; /* of the program, with argv[0], ends with NULL */
	uint32_t model, equivalence;
	uint64_t seed;
	struct result search;
	struct reported *bugs;
	size_t nbugs;
	struct dumper *dumper;     /* NULL: executions are not written */
	int json_fd;               /* -1: none */
	char stdin_file[PATH_MAX]; /* absolute; "": none */
	enum {
		VERDICT_OK,
		VERDICT_BUG,
		VERDICT_INCONCLUSIVE
	} verdict;
	char why[1024]; /* VERDICT_INCONCLUSIVE, a limit behind a bug, or an error: one line */
	int status;     /* exit status */
};

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

/* Which of heddle's verdicts this is, as in JSON. */
const char *verdict_name(const struct session *s);

/* explore and test: the whole of it. mode is enum engine_mode. */
int session_search(struct session *s, uint32_t mode);

#endif
