/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.h - the options of every command, from the command line and HEDDLE_OPTIONS
 *
 * One table (options_table) says for each option its name, letter, type, range, help and the
 * commands that take it. The command line parser, HEDDLE_OPTIONS, --help and the list of
 * options in the manual page of a command (`heddle COMMAND --help-options`) all read that table.
 *
 *	struct options o;
 *	int status;
 *
 *	if (!options_parse(&o, COMMAND_EXPLORE, argc, argv, &status))
 *		return status;
 *	explore o.argv[0] ...
 */
#ifndef HEDDLE_CONTROLLER_OPTIONS_H
#define HEDDLE_CONTROLLER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "wire/shared.h"

enum command {
	COMMAND_EXPLORE,
	COMMAND_TEST,
	COMMAND_REPLAY,
	COMMAND_CHECK,
	COMMAND_SHOW,
	COMMAND_RUN_SUITE,
	COMMAND_COUNT
};

/* The forms in which a result is written to a file (report/forms.h). */
enum result_form {
	RESULT_JSON,
	RESULT_SARIF,
	RESULT_JUNIT,
	RESULT_FORMS
};

/* Strings point into argv or into memory that lives as long as the process. */
struct options {
	enum command command;
	uint64_t model;       /* enum engine_model */
	uint64_t equivalence; /* enum engine_equivalence */
	uint64_t jobs;
	uint64_t executions; /* 0: no limit */
	uint64_t seed;
	uint64_t strategy, depth; /* enum search_strategy, and its number, where it has one */
	bool seed_given, executions_given, model_given, output_given, from_given;
	uint64_t explore_around, from;
	const char *around; /* a trace; NULL: all executions are explored */
	uint64_t estimate;  /* how many there are, instead */
	double timeout_s;   /* 0: no limit */
	double time_s; /* that is no limit, but how long random testing is asked to go on; 0: it is not */
	uint64_t max_events;  /* of one execution; 0: no limit */
	uint64_t timeouts;    /* of a thread at one place; 0: no limit */
	uint64_t window;      /* of writes of a location that can be read; 0: all */
	uint64_t unroll;      /* rounds of a loop; 0: no limit */
	uint64_t memo_memory; /* MiB, for steps of threads that are known; 0: as there is room */
	uint64_t spurious_wakeups;
	uint64_t minimise;    /* how many shorter executions of a bug are tried; 0: none */
	uint64_t no_minimise; /* minimise was set to 0 */
	double watchdog_s;    /* 0: off */
	uint64_t keep_going;
	const char *result[RESULT_FORMS]; /* where it is written in each form; NULL: nowhere */
	const char *output_dir;
	const char *dump_dir;   /* NULL: none */
	const char *stdin_file; /* NULL: empty input */
	uint64_t backend;       /* enum backend */
	uint64_t setting[SETTINGS];
	uint64_t progress, color; /* enum when */
	uint64_t error_exitcode, skip_exitcode;
	const char *program; /* to be replayed; NULL: the one that the trace names */
	const char *follow;  /* all, none, or a pattern */
	uint64_t then_run;
	const char *suppressions; /* NULL: none */
	uint64_t trust;
	uint64_t gdb;
	const char *break_at, *until; /* with gdb: events of the trace; NULL: none */
	uint64_t witness;
	const char *algorithm; /* NULL: the best */
	uint64_t format; /* enum show_format; as the name of the file says where it is not given */
	bool format_given;
	const char *output; /* of what is shown; NULL: standard output */
	uint64_t last;      /* events that are shown; 0: all */
	bool last_given;
	uint64_t quiet, verbose;
	uint64_t help, version, help_options, env_help;
	int argc; /* what follows the options: the program and its arguments, the trace, or files */
	char **argv;
	const char *file; /* the program's, whatever argv[0] says; NULL: what that names */
	int nwords;       /* what stands before them: the options as they were given */
	char **words;
};

enum option_kind {
	OPTION_FLAG,    /* uint64_t, 1 when given; `key=0` in HEDDLE_OPTIONS clears it */
	OPTION_COUNT,   /* uint64_t, grows each time it is given */
	OPTION_NUMBER,  /* uint64_t within min..max */
	OPTION_SECONDS, /* double, at least 0 */
	OPTION_CHOICE,  /* uint64_t, index into choices */
	OPTION_TEXT,    /* const char * */
	OPTION_STRATEGY /* uint64_t, as OPTION_CHOICE, and another one, behind a colon (strategies.h) */
};

struct option_def {
	const char *name;
	char letter; /* 0: none */
	enum option_kind kind;
	unsigned commands; /* bit 1 << enum command */
	size_t at;         /* offset in struct options */
	const char *argument;
	const char *help;
	const char *const *choices;
	uint64_t min, max;
};

extern const struct option_def options_table[]; /* ends with a NULL name */

extern const char *const command_names[]; /* enum command, ends with NULL */

/*
 * Fills o from the defaults, HEDDLE_OPTIONS and argv (argv[0] is the name of the command), in
 * this order, later ones win. Returns true to go on. Otherwise the command is over with
 * *status: help was printed, or an error.
 */
bool options_parse(struct options *o, enum command command, int argc, char **argv, int *status);

/*
 * Takes one option's value in text form. Returns false, with one line in error, when the text
 * is not a value of that option.
 */
bool option_set(struct options *o, const struct option_def *def, const char *text, char *error,
		size_t size);

/*
 * The words of argv behind the first: options into o, and what is left into its argc and argv. Options end at a program, which may have
 * some of its own; they may also stand behind a trace or an execution. False with a line in error.
 */
bool options_line(struct options *o, int argc, char **argv, char *error, size_t size);

/* Sets every option from a string key=value:key=value; false with a line in error. */
bool options_from_string(struct options *o, const char *string, char *error, size_t size);

/* For a session that is given none: short enough to be copied by hand. */
uint64_t options_random_seed(void);

/* The defaults of a command. */
void options_init(struct options *o, enum command command);

/* --help of one command; its options as manual page source (mdoc); every key with its value. */
void options_help(FILE *f, enum command command);
void options_manual(FILE *f, enum command command);
void options_values(FILE *f, const struct options *o);

/* What bash, zsh or fish is to read to complete them; false: it is another shell. */
bool options_completion(FILE *f, const char *shell);

#endif
