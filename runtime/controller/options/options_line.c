/* SPDX-License-Identifier: BSD-2-Clause */
/* options_line.c - see options.h: the words of a command line */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "controller/options/options.h"

/* What a letter means to a command; of others, so that it can be said that they have it. */
static const struct option_def *find_letter(int letter, enum command command)
{
	const struct option_def *other = NULL;

	for (const struct option_def *d = options_table; d->name; d++) {
		if (d->letter != letter)
			continue;
		if (d->commands & 1u << command)
			return d;
		other = d;
	}
	return other;
}

enum {
	LONG_BASE = 256,
	LONG_HELP_OPTIONS = 1000,
	MAX_OPTIONS = 64
};

/* The table in the form of getopt_long. */
static void build_getopt(char *letters, struct option *longs)
{
	size_t n = 0;

	*letters++ = '+'; /* options end at the program */
	*letters++ = ':';
	for (const struct option_def *d = options_table; d->name && n < MAX_OPTIONS - 2; d++, n++) {
		bool takes = d->kind != OPTION_FLAG && d->kind != OPTION_COUNT;

		longs[n] = (struct option){
			.name = d->name,
			.has_arg = takes ? required_argument : no_argument,
			.val = LONG_BASE + (int)(d - options_table),
		};
		if (d->letter) {
			*letters++ = d->letter;
			if (takes)
				*letters++ = ':';
		}
	}
	longs[n++] = (struct option){ .name = "help-options", .val = LONG_HELP_OPTIONS };
	longs[n] = (struct option){ .name = NULL };
	*letters = 0;
}

/* Where what stands behind the operand is not for a program that it names, or for gdb, options may stand there, too. */
static bool options_go_on(const struct options *o)
{
	return o->command == COMMAND_SHOW || o->command == COMMAND_CHECK ||
	       (o->command == COMMAND_REPLAY && !o->gdb && !o->break_at && !o->until);
}

/* c: what getopt_long() has found. False with error set. */
static bool apply(struct options *o, int c, char **argv, char *error, size_t size)
{
	const struct option_def *d = c >= LONG_BASE && c < LONG_HELP_OPTIONS
					     ? &options_table[c - LONG_BASE]
					     : find_letter(c, o->command);

	if (c == LONG_HELP_OPTIONS) {
		o->help_options = 1;
		return true;
	}
	if (c == ':')
		snprintf(error, size, "option '%s' needs a value", argv[optind - 1]);
	else if ((c == '?' || !d) && optopt && optopt < LONG_BASE)
		snprintf(error, size, "unknown option '-%c'", optopt);
	else if (c == '?' || !d)
		snprintf(error, size, "unknown or ambiguous option '%s'", argv[optind - 1]);
	else if (!(d->commands & 1u << o->command))
		snprintf(error, size, "option '--%s' does not apply to heddle %s", d->name,
			 command_names[o->command]);
	else if (d->kind != OPTION_COUNT)
		return option_set(o, d, optarg ? optarg : "1", error, size);
	else
		return ++*(uint64_t *)((char *)o + d->at), true;
	return false;
}

/* The options of argv, of which the first word is none. The index behind them; -1: an error. */
static int apply_all(struct options *o, int argc, char **argv, const char *letters,
		     const struct option *longs, char *error, size_t size)
{
	int c;

	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1)
		if (!apply(o, c, argv, error, size))
			return -1;
	return optind;
}

bool options_line(struct options *o, int argc, char **argv, char *error, size_t size)
{
	char letters[2 * MAX_OPTIONS + 3];
	struct option longs[MAX_OPTIONS];
	const char *in_order = letters, *anywhere = letters + 1;
	int end, more;

	build_getopt(letters, longs);
	end = apply_all(o, argc, argv, in_order, longs, error, size);
	if (end > 0 && end < argc && options_go_on(o) && strcmp(argv[end - 1], "--")) {
		/* getopt_long() moves the operands behind the options. */
		more = apply_all(o, argc - end + 1, argv + end - 1, anywhere, longs, error, size);
		end = more < 0 ? -1 : end - 1 + more;
	}
	if (end < 0)
		return false;
	o->words = argv + 1;
	o->nwords = end - 1;
	o->argc = argc - end;
	o->argv = argv + end;
	return true;
}
