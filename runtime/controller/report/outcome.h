/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outcome.h - what one use of heddle was asked for, and what came of it, as the reports tell it
 *
 * explore, test and replay fill it (search/session.h).
 */
#ifndef HEDDLE_CONTROLLER_OUTCOME_H
#define HEDDLE_CONTROLLER_OUTCOME_H

#include <limits.h>
#include <sys/types.h>

#include "controller/base/folder.h"
#include "controller/options/options.h"
#include "controller/run/collect.h"
#include "controller/trace/shorten.h"
#include "controller/trace/trace.h"

/* A bug with the run that shows it best: its replay, with call stacks. */
enum {
	CHILD_NAME = 24 /* "2", "2.1" */
};

/* A smaller execution with the same bug (search/minimise.h). */
struct shorter {
	char trace[PATH_MAX]; /* beside that of the bug; "": there is none */
	bool replaces;        /* the bug's own trace is the smaller one */
	struct trace_size before, after;
	uint64_t tried; /* 0: nothing was */
};

/* From which operation on every way to go on fails, by those that were drawn (search/inflection.h). */
struct inflection {
	size_t at, of; /* the at-th of so many operations; 0: it is not known */
	struct step step;
	struct guided behind, before; /* behind it, and behind the one before it */
};

struct reported {
	struct finding bug;
	struct loaded_list modules;
	pid_t pid;
	bool confirmed;
	char child[CHILD_NAME]; /* the process that has it; "": the one that heddle started */
	char *output; /* what the program wrote in this execution, where that was asked for, or NULL */
	char trace[PATH_MAX]; /* "": none was written */
	struct shorter shorter;
	struct inflection inflection; /* of the shorter one, if there is one */
	char site[640];               /* "t.c:31 worker" */
	char summary[640];            /* "t.c:31 in worker" */
};

/* What came of a child of the program (children.c). */
struct child_result {
	char name[CHILD_NAME];
	const char *verdict; /* as in JSON */
	uint64_t executions, blocked;
	size_t nbugs;
	int expected;   /* the status that it is to exit with */
	char why[1024]; /* when it is inconclusive */
};

/* What came of a program that another one started (search/follow.h). */
struct followed {
	unsigned number, from; /* from: of the one that was explored and started it, or 0 */
	int pid;
	char *file, *name; /* name: in results */
	const char *verdict;
	uint64_t executions, blocked, events;
	size_t nbugs;
	int status;          /* heddle's own for it; -1: it did not come to its end */
	int expected;        /* it ends with this status in all executions; 0: it should */
	bool told;           /* its report was shown */
	char why[1024];      /* when it is inconclusive */
	struct json_t *json; /* what heddle says of it, or NULL */
};

/* A bug that the user does not want to be told of (search/suppress.h). */
struct suppressed {
	enum bug_kind kind;
	char site[640];
	struct finding bug;
	const char *by;      /* the line of the file */
	struct json_t *json; /* what would be said of it */
};

struct suppressions;
struct follow;

/* The execution that what is explored begins like (search/around.h). */
struct around {
	const struct trace *trace;    /* with its steps; NULL: all executions are explored */
	const char *name;             /* of its file; NULL: a random execution */
	size_t from, of;              /* it begins with the first so many of its operations */
	uint64_t executions, blocked; /* behind a random one: those of the exploration alone */
};

struct session {
	const struct options *options;
	struct program program;
	char *const *argv;     /* of the program, with argv[0], ends with NULL */
	char *folder;          /* where it was started, if not by the user; else NULL */
	const char *called_in; /* then: the folder where the user called heddle */
	uint32_t model, equivalence;
	uint64_t seed;
	struct result search;
	/* The process that is explored now: SETTING_CHILD and its kin, and its name ("": the first). */
	uint64_t child, expected;
	char child_name[CHILD_NAME];
	struct child_result *children; /* those that were explored */
	size_t nchildren;
	double timeout_s;          /* what is left of it */
	double minimised_s;        /* how long smaller executions were looked for */
	double until;              /* of now_s(): the end of --timeout; 0: there is none */
	unsigned hardly_minimised; /* bugs for which that left too little time */
	struct follow *follow;     /* of programs that the program starts; NULL: not yet */
	struct followed *followed; /* those that were explored */
	size_t nfollowed;
	bool harness; /* the program ran as it is, since it only starts others */
	struct around around;
	struct trace around_own; /* of a random execution; owns its steps */
	struct reported *bugs;
	size_t nbugs;
	struct suppressions *suppressions; /* NULL: none */
	struct suppressed *suppressed;
	size_t nsuppressed;
	struct corpus *corpus; /* of rf-fuzz, from earlier sessions; NULL: none is asked for */
	struct dumper *dumper; /* NULL: executions are not written */
	int result_fd[RESULT_FORMS]; /* -1: none */
	char stdin_file[PATH_MAX];   /* absolute; "": none */
	int stdin_fd;                /* what it holds, if it came through a pipe; -1: it did not */
	struct folder output;        /* of --output-dir */
	enum {
		VERDICT_OK,
		VERDICT_BUG,
		VERDICT_INCONCLUSIVE
	} verdict;
	bool skipped;   /* VERDICT_OK: the program exits with --skip-exitcode in all executions */
	char why[1024]; /* VERDICT_INCONCLUSIVE, a limit behind a bug, or an error: one line */
	int status;     /* exit status */
};

#define SKIPPED "skipped" /* a verdict */

/* Which of heddle's verdicts this is, as in JSON. */
const char *verdict_name(const struct session *s);
/* What heddle exits with. */
int outcome_status(const struct session *s);

#endif
