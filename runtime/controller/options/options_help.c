/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options_help.c - the table of options as help, as manual page source, and with its values
 *
 * Caller: options_parse(), and main.c for `heddle --help`.
 */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "controller/base/names.h"
#include "controller/options/options.h"
#include "controller/options/strategies.h"

static const char *const usages[] = {
	"heddle explore [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
	"Runs PROGRAM once for every execution its memory model allows, up to the equivalence.\n",
	"heddle test [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
	"Runs PROGRAM many times with random schedules and random consistent reads.\n",
	"heddle replay [OPTION...] TRACE\n"
	"Runs the execution recorded in TRACE again and reports the bug it ends in.\n",
	"heddle check [OPTION...] FILE...\n"
	"Decides whether each recorded execution is consistent with the memory model.\n",
	"heddle show [OPTION...] TRACE\n"
	"Shows a recorded execution: threads side by side, and what orders their events.\n",
	"heddle run-suite [OPTION...] LIST|DIR... [-- [explore|test] OPTION...]\n"
	"Runs heddle explore, or test with the OPTIONs behind --, for each program of a folder or a list.\n",
};

static void help_line(FILE *f, const struct option_def *d)
{
	char left[64];

	snprintf(left, sizeof(left), "  %c%c%s--%s%s%s", d->letter ? '-' : ' ',
		 d->letter ? d->letter : ' ', d->letter ? ", " : "  ", d->name,
		 d->argument ? "=" : "", d->argument ? d->argument : "");
	fprintf(f, "%-30s %s\n", left, d->help);
	if (!d->choices)
		return;
	fprintf(f, "%-30s one of:", "");
	for (int i = 0; d->choices[i]; i++)
		fprintf(f, " %s", d->choices[i]);
	fputc('\n', f);
}

void options_help(FILE *f, enum command command)
{
	fprintf(f, "Usage: %s\n", usages[command]);
	for (const struct option_def *d = options_table; d->name; d++) {
		if (d->commands & 1u << command)
			help_line(f, d);
	}
	fputs("\nHEDDLE_OPTIONS=key=value:key=value sets the same options from the environment;\n"
	      "HEDDLE_OPTIONS=help=1 lists them with their values.\n\n"
	      "Exit status: 0 no bug, 1 a bug was found, 2 wrong usage, 3 inconclusive (a limit was\n"
	      "reached), 4 the program cannot be run or is non-deterministic, 5 internal error.\n",
	      f);
	fprintf(f, "\nheddle help %s shows the manual page.\n", command_names[command]);
}

enum {
	MANUAL_WIDTH = 78
};

/* Text with what roff would take for a hyphen written out. */
static void manual_word(FILE *f, const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (word[i] == '-' || word[i] == '\\')
			fputc('\\', f);
		fputc(word[i], f);
	}
}

/* How long it is so. */
static size_t manual_length(const char *word, size_t len)
{
	size_t n = len;

	for (size_t i = 0; i < len; i++)
		n += word[i] == '-' || word[i] == '\\';
	return n;
}

/* A sentence that begins with a capital, in lines of source that are no longer than others. */
static void manual_sentence(FILE *f, const char *text)
{
	size_t column = 0;

	for (const char *word = text; *word;) {
		size_t len = strcspn(word, " "), written = manual_length(word, len);

		if (column && column + 1 + written > MANUAL_WIDTH) {
			fputc('\n', f);
			column = 0;
		} else if (column) {
			fputc(' ', f);
			column++;
		}
		if (word == text) {
			fputc(toupper((unsigned char)*word), f);
			manual_word(f, word + 1, len - 1);
		} else {
			manual_word(f, word, len);
		}
		column += written;
		word += len + (word[len] == ' ');
	}
	fputs(".\n", f);
}

void options_manual(FILE *f, enum command command)
{
	for (const struct option_def *d = options_table; d->name; d++) {
		if (!(d->commands & 1u << command))
			continue;
		fputs(".It Fl ", f);
		if (d->letter)
			fprintf(f, "%c , ", d->letter);
		fputs("\\-", f);
		manual_word(f, d->name, strlen(d->name));
		if (d->argument)
			fprintf(f, " Ns = Ns Ar %s", d->argument);
		fputc('\n', f);
		manual_sentence(f, d->help);
		for (int i = 0; d->choices && d->choices[i]; i++)
			fprintf(f, "%s%s%s", i ? "" : "Accepted:\n.Cm ", d->choices[i],
				d->choices[i + 1] ? " , " : " .\n");
	}
}

void options_values(FILE *f, const struct options *o)
{
	fputs("Keys of HEDDLE_OPTIONS (- and _ are the same), with their values now:\n", f);
	for (const struct option_def *d = options_table; d->name; d++) {
		const void *field = (const char *)o + d->at;
		const char *text;
		char name[STRATEGY_NAME];

		if (!strcmp(d->name, "help") || !strcmp(d->name, "version"))
			continue;
		fprintf(f, "  %s=", d->name);
		switch (d->kind) {
		case OPTION_SECONDS:
			fprintf(f, "%g", *(const double *)field);
			break;
		case OPTION_CHOICE:
			fputs(name_of(d->choices, *(const uint64_t *)field), f);
			break;
		case OPTION_STRATEGY:
			strategy_text(o->strategy, o->depth, name, sizeof(name));
			fputs(name, f);
			break;
		case OPTION_TEXT:
			text = *(const char *const *)field;
			fputs(text ? text : "", f);
			break;
		default:
			fprintf(f, "%llu", (unsigned long long)*(const uint64_t *)field);
		}
		fprintf(f, "\n      %s\n", d->help);
	}
	fputs("As in TSAN_OPTIONS: exitcode is error-exitcode, verbosity is verbose, halt_on_error=0 is\n"
	      "keep-going=1.\n",
	      f);
}
