/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * main.c - the heddle command
 */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/cmd/cmd.h"
#include "controller/options/options.h"
#include "controller/run/system.h"
#include "controller/search/followed.h"
#include "wire/follow.h"

static int (*const commands[COMMAND_COUNT])(int, char **) = {
	[COMMAND_EXPLORE] = cmd_explore, [COMMAND_TEST] = cmd_test,
	[COMMAND_REPLAY] = cmd_replay,   [COMMAND_CHECK] = cmd_check,
	[COMMAND_SHOW] = cmd_show,       [COMMAND_RUN_SUITE] = cmd_run_suite,
};

static void usage(FILE *f)
{
	fputs("Usage: heddle COMMAND [OPTION...] ...\n\n"
	      "Runs C and C++ programs built with heddle-cc under every schedule and every value\n"
	      "that the memory model allows, and reports data races, failed assertions, crashes,\n"
	      "deadlocks, memory errors and awaits that never end.\n\n"
	      "  heddle explore PROGRAM [ARGUMENT...]  every execution, once\n"
	      "  heddle test PROGRAM [ARGUMENT...]     many executions, chosen at random\n"
	      "  heddle run-suite LIST|DIR             many programs, one table\n"
	      "  heddle replay TRACE                   a recorded execution again\n"
	      "  heddle check FILE...                  is a recorded execution consistent?\n"
	      "  heddle show TRACE                     a recorded execution as text, picture or page\n\n"
	      "heddle COMMAND --help lists the options of a command; heddle --version prints the\n"
	      "version. heddle help lists the manual pages: begin with heddle help tutorial.\n",
	      f);
}

/* Whoever began us with standard descriptors closed: what we open must not have their numbers. */
static void open_standard(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= 2);
	if (fd > 2)
		close(fd);
}

static int command(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word) {
		usage(stderr);
		return STATUS_USAGE;
	}
	for (int c = 0; c < COMMAND_COUNT; c++) {
		if (!strcmp(word, command_names[c]))
			return commands[c](argc - 1, argv + 1);
	}
	if (!strcmp(word, FOLLOW_COMMAND)) /* by runtime/follow only */
		return followed_run(argc - 1, argv + 1);
	if (!strcmp(word, "help"))
		return cmd_help(argc - 1, argv + 1);
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		usage(stdout);
		return STATUS_OK;
	}
	if (!strcmp(word, "--version")) {
		printf("heddle %s\n", PACKAGE_VERSION);
		return STATUS_OK;
	}
	if (!strncmp(word, "--completion=", 13))
		return options_completion(stdout, word + 13)
			       ? STATUS_OK
			       : fail(STATUS_USAGE,
				      "--completion: unknown shell '%.40s'; accepted: bash, zsh, fish",
				      word + 13);
	return fail(
		STATUS_USAGE,
		"unknown command '%.64s'; there are explore, test, run-suite, replay, check, show and help (see heddle --help)",
		word);
}

int main(int argc, char **argv)
{
	open_standard();
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like others */
	return system_with_stack(command, argc, argv);
}
