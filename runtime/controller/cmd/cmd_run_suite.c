/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_run_suite.c - heddle run-suite: heddle explore, or test, for each of many programs, and one table
 *
 * What stands behind `--` is for each program; what stands before it, for all together.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/cmd/cmd.h"
#include "controller/options/options.h"
#include "controller/report/report.h"
#include "controller/search/suite.h"

/* Reads [explore|test] OPTION... of each; false: the command is over with *status. */
static bool parse_each(struct options *each, char **words, int n, int *status)
{
	enum command command = COMMAND_EXPLORE;
	char **argv;

	if (n && (!strcmp(words[0], command_names[COMMAND_EXPLORE]) ||
		  !strcmp(words[0], command_names[COMMAND_TEST]))) {
		command = *words[0] == 't' ? COMMAND_TEST : COMMAND_EXPLORE;
		words++;
		n--;
	}
	argv = calloc((size_t)n + 2, sizeof(*argv)); /* options point into its words, not into it */
	if (!argv) {
		*status = fail(STATUS_INTERNAL, "out of memory");
		return false;
	}
	argv[0] = (char *)command_names[command];
	for (int i = 0; i < n; i++)
		argv[i + 1] = words[i];
	if (!options_parse(each, command, n + 1, argv, status)) {
		free(argv);
		return false;
	}
	*status =
		each->argc
			? fail(STATUS_USAGE,
			       "'%s': behind -- stand explore or test, and options for each program",
			       each->argv[0])
			: 0;
	if (!*status && each->stdin_file && !strcmp(each->stdin_file, "-"))
		*status = fail(STATUS_USAGE,
			       "--stdin=- can be read once only: give the programs a file");
	if (!*status && each->then_run)
		*status = fail(STATUS_USAGE, "--then-run is for one program, whose output is seen");
	free(argv);
	return !*status;
}

/* How the whole is told: as a result of the command that each program has. */
static struct options of_all(const struct options *suite, const struct options *each)
{
	struct options o = *each;

	memcpy(o.result, suite->result, sizeof(o.result));
	o.jobs = suite->jobs;
	o.color = suite->color;
	o.progress = suite->progress;
	o.quiet = suite->quiet;
	o.output_dir = suite->output_dir;
	o.error_exitcode = suite->error_exitcode;
	o.argv = suite->argv;
	o.stdin_file = NULL;
	return o;
}

static int run(const struct options *asked, const struct options *each, const struct suite *suite)
{
	struct options o = of_all(asked, each);
	struct session s;
	int status = session_init(&s, &o);

	s.argv = o.argv;
	if (!status)
		status = session_model(&s);
	if (!status)
		status = suite_run(&s, suite, each, asked->timeout_s);
	if (!status) {
		report_suite(&s);
		status = session_end(&s);
	}
	session_release(&s);
	return status;
}

int cmd_run_suite(int argc, char **argv)
{
	struct options asked, each;
	struct suite suite = { .n = 0 };
	int named, status;

	if (!options_parse(&asked, COMMAND_RUN_SUITE, argc, argv, &status))
		return status;
	for (named = 0; named < asked.argc && strcmp(asked.argv[named], "--") != 0;)
		named++;
	if (!named)
		return fail(STATUS_USAGE,
			    "no list or folder of programs is named (see heddle %s --help)",
			    command_names[COMMAND_RUN_SUITE]);
	if (!parse_each(&each, asked.argv + named + 1,
			named < asked.argc ? asked.argc - named - 1 : 0, &status))
		return status;
	if (each.command == COMMAND_TEST && !each.seed_given)
		each.seed = options_random_seed();
	if (named < asked.argc)
		asked.argv[named] = NULL;
	for (int i = 0; i < named && !status; i++)
		status = suite_read(&suite, asked.argv[i]);
	if (!status)
		status = run(&asked, &each, &suite);
	suite_release(&suite);
	return status;
}
