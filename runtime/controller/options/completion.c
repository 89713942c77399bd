/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * completion.c - the table of options as what bash, zsh and fish complete (heddle --completion=SHELL)
 *
 * All that is in the table is in each of them: nothing is written twice (tests/cli/completion.test).
 */
#include "config.h"

#include <string.h>

#include "controller/options/options.h"
#include "controller/options/topics.h"

static bool takes(const struct option_def *d, int command)
{
	return d->commands & 1u << command;
}

static bool has_value(const struct option_def *d)
{
	return d->kind != OPTION_FLAG && d->kind != OPTION_COUNT;
}

static bool is_folder(const struct option_def *d)
{
	return d->argument && !strcmp(d->argument, "DIR");
}

static bool is_file(const struct option_def *d)
{
	return d->argument && (!strcmp(d->argument, "FILE") || !strcmp(d->argument, "TRACE"));
}

static void put_topics(FILE *f)
{
	for (const struct topic *t = topics; t->name; t++)
		fprintf(f, "%s%s", t == topics ? "" : " ", t->name);
}

static void put_choices(FILE *f, const struct option_def *d)
{
	for (int i = 0; d->choices[i]; i++)
		fprintf(f, "%s%s", i ? " " : "", d->choices[i]);
}

/* Text between single quotes of a shell; those that stand in it, as the shell has them; brackets: zsh's, in descriptions. */
static void put_quoted(FILE *f, const char *text, const char *quote, bool brackets)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs(quote, f);
		else if (brackets && strchr("[]", *text))
			fprintf(f, "\\%c", *text);
		else
			fputc(*text, f);
	}
}

/* ---- bash ------------------------------------------------------------------------------------- */

static void bash_options(FILE *f)
{
	for (int c = 0; c < COMMAND_COUNT; c++) {
		fprintf(f, "\t%s) options='", command_names[c]);
		for (const struct option_def *d = options_table; d->name; d++) {
			if (!takes(d, c))
				continue;
			fprintf(f, "--%s%s ", d->name, has_value(d) ? "=" : "");
			if (d->letter)
				fprintf(f, "-%c ", d->letter);
		}
		fputs("' ;;\n", f);
	}
}

/* What the value of an option can be; of one letter, what it means to that command. */
static void bash_values(FILE *f)
{
	for (int c = 0; c < COMMAND_COUNT; c++) {
		for (const struct option_def *d = options_table; d->name; d++) {
			if (!takes(d, c) || !has_value(d))
				continue;
			fprintf(f, "\t%s:--%s", command_names[c], d->name);
			if (d->letter)
				fprintf(f, "|%s:-%c", command_names[c], d->letter);
			fputs(") ", f);
			if (d->choices) {
				fputs("words='", f);
				put_choices(f, d);
				fputs("' ;;\n", f);
			} else {
				fprintf(f, "kind=%s ;;\n",
					is_folder(d) ? "folder"
					: is_file(d) ? "file"
						     : "other");
			}
		}
	}
}

static void print_bash(FILE *f)
{
	fputs("# heddle(1) in bash; made by heddle --completion=bash\n"
	      "_heddle()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options= words= kind=\n"
	      "\tCOMPREPLY=()\n"
	      "\tif test \"$COMP_CWORD\" = 1; then\n"
	      "\t\tCOMPREPLY=($(compgen -W '",
	      f);
	for (int c = 0; c < COMMAND_COUNT; c++)
		fprintf(f, "%s ", command_names[c]);
	fputs("help --help --version' -- \"$cur\"))\n\t\treturn\n\tfi\n"
	      "\tif test \"${COMP_WORDS[1]}\" = help; then\n\t\tCOMPREPLY=($(compgen -W '",
	      f);
	put_topics(f);
	fputs("' -- \"$cur\"))\n\t\treturn\n\tfi\n"
	      "\tif test \"$cur\" = =; then\n\t\tcur=\n"
	      "\telif test \"$prev\" = =; then\n\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
	      "\tcase ${COMP_WORDS[1]} in\n",
	      f);
	bash_options(f);
	fputs("\tesac\n\tcase ${COMP_WORDS[1]}:$prev in\n", f);
	bash_values(f);
	fputs("\tesac\n"
	      "\tif test -n \"$words\"; then\n\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	      "\telif test \"$kind\" = folder; then\n\t\tcompopt -o filenames 2>/dev/null\n"
	      "\t\tCOMPREPLY=($(compgen -d -- \"$cur\"))\n"
	      "\telif test \"$kind\" = other; then\n\t\treturn\n"
	      "\telif test -z \"$kind\" && [[ $cur == -* ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
	      "\t\t[[ ${COMPREPLY-} == *= ]] && compopt -o nospace 2>/dev/null\n"
	      "\telse\n\t\tcompopt -o filenames 2>/dev/null\n"
	      "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\tfi\n"
	      "\treturn 0\n}\n"
	      "complete -F _heddle heddle\n",
	      f);
}

/* ---- zsh --------------------------------------------------------------------------------------- */

static void zsh_option(FILE *f, const struct option_def *d)
{
	const char *value = has_value(d) ? "=" : "";

	fputs(" \\\n\t\t\t", f);
	if (d->letter)
		fprintf(f, "'(-%c --%s)'{-%c%s,--%s%s}", d->letter, d->name, d->letter,
			*value ? "+" : "", d->name, value);
	else
		fprintf(f, "--%s%s", d->name, value);
	fputs("'[", f);
	put_quoted(f, d->help, "'\\''", true);
	fputc(']', f);
	if (has_value(d)) {
		fprintf(f, ":%s:", d->name);
		if (d->choices) {
			fputc('(', f);
			put_choices(f, d);
			fputc(')', f);
		} else {
			fputs(is_folder(d) ? "_files -/" : is_file(d) ? "_files" : " ", f);
		}
	}
	fputc('\'', f);
}

static void print_zsh(FILE *f)
{
	fputs("#compdef heddle\n# heddle(1) in zsh; made by heddle --completion=zsh\n"
	      "_heddle()\n{\n\tif (( CURRENT == 2 )); then\n\t\tcompadd --",
	      f);
	for (int c = 0; c < COMMAND_COUNT; c++)
		fprintf(f, " %s", command_names[c]);
	fputs(" help --help --version\n\t\treturn\n\tfi\n"
	      "\tif [[ $words[2] == help ]]; then\n\t\tcompadd -- ",
	      f);
	put_topics(f);
	fputs("\n\t\treturn\n\tfi\n"
	      "\tshift words\n\t(( CURRENT-- ))\n\tcase $words[1] in\n",
	      f);
	for (int c = 0; c < COMMAND_COUNT; c++) {
		fprintf(f, "\t%s)\n\t\t_arguments -S", command_names[c]);
		for (const struct option_def *d = options_table; d->name; d++)
			if (takes(d, c))
				zsh_option(f, d);
		fputs(" \\\n\t\t\t'*:file:_files' ;;\n", f);
	}
	fputs("\tesac\n}\n_heddle \"$@\"\n", f);
}

/* ---- fish -------------------------------------------------------------------------------------- */

static void fish_option(FILE *f, const struct option_def *d)
{
	fputs("complete -c heddle -n '__fish_seen_subcommand_from", f);
	for (int c = 0; c < COMMAND_COUNT; c++)
		if (takes(d, c))
			fprintf(f, " %s", command_names[c]);
	fprintf(f, "' -l %s", d->name);
	if (d->letter)
		fprintf(f, " -s %c", d->letter);
	if (has_value(d) && d->choices) {
		fputs(" -x -a '", f);
		put_choices(f, d);
		fputc('\'', f);
	} else if (has_value(d)) {
		fputs(is_folder(d) ? " -x -a '(__fish_complete_directories)'"
		      : is_file(d) ? " -r"
				   : " -x",
		      f);
	}
	fputs(" -d '", f);
	put_quoted(f, d->help, "\\'", false);
	fputs("'\n", f);
}

static void print_fish(FILE *f)
{
	fputs("# heddle(1) in fish; made by heddle --completion=fish\n", f);
	fputs("complete -c heddle -n __fish_use_subcommand -x -a '", f);
	for (int c = 0; c < COMMAND_COUNT; c++)
		fprintf(f, "%s ", command_names[c]);
	fputs("help'\n", f);
	for (const struct topic *t = topics; t->name; t++) {
		fprintf(f, "complete -c heddle -n '__fish_seen_subcommand_from help' -x -a %s -d '",
			t->name);
		put_quoted(f, t->about, "\\'", false);
		fputs("'\n", f);
	}
	for (const struct option_def *d = options_table; d->name; d++)
		fish_option(f, d);
}

bool options_completion(FILE *f, const char *shell)
{
	static const struct {
		const char *name;
		void (*print)(FILE *f);
	} shells[] = { { "bash", print_bash }, { "zsh", print_zsh }, { "fish", print_fish } };

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (strcmp(shells[i].name, shell) != 0)
			continue;
		shells[i].print(f);
		return true;
	}
	return false;
}
