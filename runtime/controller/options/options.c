/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.c - the table of options, and its two readers: command line and HEDDLE_OPTIONS
 *
 * Invariant: an option exists if and only if it has a line in options_table; nothing else in
 * the controller names an option letter.
 *
 * Errors are one line that names the option and what it accepts.
 */
#include "config.h"

#include "controller/options/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/status.h"
#include "controller/options/strategies.h"
#include "wire/exchange.h"
#include "wire/search.h"
#include "wire/shared.h"

#define AT(field) offsetof(struct options, field)

enum {
	SEARCH = 1 << COMMAND_EXPLORE | 1 << COMMAND_TEST,
	EXPLORE = 1 << COMMAND_EXPLORE,
	TEST = 1 << COMMAND_TEST,
	REPLAY = 1 << COMMAND_REPLAY,
	CHECK = 1 << COMMAND_CHECK,
	SHOW = 1 << COMMAND_SHOW,
	SUITE = 1 << COMMAND_RUN_SUITE,
	ALL = SEARCH | REPLAY,
	EVERY = ALL | CHECK | SHOW | SUITE,
	ANY_NUMBER = 0,
};

const char *const command_names[] = { "explore", "test",      "replay", "check",
				      "show",    "run-suite", NULL };

const struct option_def options_table[] = {
	{ "model", 'm', OPTION_CHOICE, SEARCH | CHECK, AT(model), "MODEL",
	  "memory model (default rc11; for check of a trace: the recorded one)", names_model, 0,
	  0 },
	{ "equivalence", 'e', OPTION_CHOICE, SEARCH, AT(equivalence), "EQUIV",
	  "executions that count as one: same reads-from, modification order or values",
	  names_equivalence, 0, 0 },
	{ "jobs", 'j', OPTION_NUMBER, SEARCH | SUITE, AT(jobs), "N",
	  "how many workers search, of run-suite how many programs, at the same time (default 1)",
	  NULL, 1, EXCHANGE_MAX_WORKERS },
	{ "executions", 'n', OPTION_NUMBER, SEARCH, AT(executions), "N",
	  "stop after N executions; 0: no limit (default: 0 for explore, 1000 for test)", NULL, 0,
	  UINT64_MAX },
	{ "seed", 's', OPTION_NUMBER, SEARCH, AT(seed), "SEED",
	  "start of the random choices (default: another one each time; of explore, for estimates: 0)",
	  NULL, 0, UINT64_MAX },
	{ "strategy", 0, OPTION_STRATEGY, TEST, AT(strategy), "NAME[:D]",
	  "how executions are chosen, D of pct and pctwm being how deep the bugs are, of delay how many delays (default mix)",
	  names_strategy, 0, 0 },
	{ "timeout", 0, OPTION_SECONDS, ALL | SUITE, AT(timeout_s), "SECONDS",
	  "stop after so long; 0: no limit (default)", NULL, 0, 0 },
	{ "time", 0, OPTION_SECONDS, TEST, AT(time_s), "SECONDS",
	  "make executions for so long, as many as there is time for unless -n says; 0: -n alone (default)",
	  NULL, 0, 0 },
	{ "max-events", 0, OPTION_NUMBER, SEARCH, AT(max_events), "N",
	  "cut an execution after N events; 0: no limit (default 1000000)", NULL, 0, UINT64_MAX },
	{ "estimate", 0, OPTION_FLAG, EXPLORE, AT(estimate), NULL,
	  "only estimate how many executions there are, in --timeout (default 1 s)", NULL, 0, 1 },
	{ "timeouts", 0, OPTION_NUMBER, SEARCH, AT(timeouts), "N",
	  "follow a thread through N time-outs at one place; 0: all (default 3)", NULL, 0,
	  UINT32_MAX },
	{ "unroll", 0, OPTION_NUMBER, EXPLORE, AT(unroll), "N",
	  "stop a thread that comes by one place of a loop more than N times; 0: never (default)",
	  NULL, 0, UINT32_MAX },
	{ "around", 0, OPTION_TEXT, EXPLORE, AT(around), "TRACE",
	  "explore only executions that begin like the recorded one", NULL, 0, 0 },
	{ "explore-around", 0, OPTION_FLAG, TEST, AT(explore_around), NULL,
	  "if no random execution shows a bug, explore those that begin like one of them", NULL, 0,
	  1 },
	{ "from", 0, OPTION_NUMBER, SEARCH, AT(from), "N",
	  "with --around or --explore-around: to begin like it is to have its first N operations (default: half of them)",
	  NULL, 0, UINT64_MAX },
	{ "window", 0, OPTION_NUMBER, TEST, AT(window), "N",
	  "let reads observe the last N writes of a location at most; 0: all (default)", NULL, 0,
	  UINT32_MAX },
	{ "spurious-wakeups", 0, OPTION_FLAG, SEARCH, AT(spurious_wakeups), NULL,
	  "let waits for condition variables end once without a signal, too", NULL, 0, 1 },
	{ "watchdog", 0, OPTION_SECONDS, ALL, AT(watchdog_s), "SECONDS",
	  "give up when the program does no operation for so long; 0: never (default 10)", NULL, 0,
	  0 },
	{ "keep-going", 'k', OPTION_FLAG, SEARCH, AT(keep_going), NULL,
	  "go on after the first bug and report all that are found", NULL, 0, 1 },
	{ "stdin", 0, OPTION_TEXT, ALL, AT(stdin_file), "FILE",
	  "the program's standard input, read anew by each execution; -: heddle's own (default: empty)",
	  NULL, 0, 0 },
	{ "backend", 0, OPTION_CHOICE, ALL, AT(backend), "BACKEND",
	  "how an execution starts again: rollback in the process, or a fork (default auto)",
	  names_backend, 0, 0 },
	{ "volatile", 0, OPTION_CHOICE, SEARCH, AT(setting[SETTING_VOLATILE]), "HOW",
	  "take volatile accesses for plain ones (default), or for relaxed atomic ones",
	  names_volatile, 0, 0 },
	{ "plain", 0, OPTION_CHOICE, SEARCH, AT(setting[SETTING_PLAIN]), "HOW",
	  "report plain accesses that race (default), or explore them as relaxed atomic ones",
	  names_plain, 0, 0 },
	{ "spurious-cas", 0, OPTION_NUMBER, SEARCH, AT(setting[SETTING_SPURIOUS_CAS]), "N",
	  "let N weak compare-exchanges of each thread fail for no reason (default 0)", NULL, 0,
	  1000 },
	{ "minimise", 0, OPTION_NUMBER, SEARCH, AT(minimise), "N",
	  "try N shorter executions of each bug; 0: none, and test looks for no inflection point (default 200)",
	  NULL, 0, UINT32_MAX },
	{ "no-minimise", 0, OPTION_FLAG, SEARCH, AT(no_minimise), NULL, "the same as --minimise=0",
	  NULL, 0, 1 },
	{ "no-memo", 0, OPTION_FLAG, EXPLORE, AT(setting[SETTING_NO_MEMO]), NULL,
	  "run the program for each execution, also where it is known what it does", NULL, 0, 1 },
	{ "memo-memory", 0, OPTION_NUMBER, EXPLORE, AT(memo_memory), "MIB",
	  "so much memory at most, of each worker, for what the program is known to do; 0: for half a million steps (default)",
	  NULL, 0, UINT32_MAX },
	{ "leaks", 0, OPTION_FLAG, SEARCH, AT(setting[SETTING_LEAKS]), NULL,
	  "report memory that is lost when the program ends", NULL, 0, 1 },
	{ "follow", 0, OPTION_TEXT, SEARCH, AT(follow), "WHICH",
	  "explore programs that the program starts, too: all (default), none, or those whose name or path "
	  "is like this pattern",
	  NULL, 0, 0 },
	{ "suppressions", 0, OPTION_TEXT, SEARCH, AT(suppressions), "FILE",
	  "count the bugs that lines of this file are about, and report the others (implies --keep-going)",
	  NULL, 0, 0 },
	{ "then-run", 0, OPTION_FLAG, SEARCH, AT(then_run), NULL,
	  "when there is no bug, run the program as it is, and end as it ends", NULL, 0, 1 },
	{ "output-dir", 'o', OPTION_TEXT, SEARCH | SUITE, AT(output_dir), "DIR",
	  "where traces are written (default heddle-out)", NULL, 0, 0 },
	{ "dump-executions", 0, OPTION_TEXT, EXPLORE, AT(dump_dir), "DIR",
	  "write each execution to a file in DIR that heddle check reads", NULL, 0, 0 },
	{ "witness", 0, OPTION_FLAG, CHECK, AT(witness), NULL,
	  "print, and verify, an order that makes the execution consistent", NULL, 0, 1 },
	{ "algorithm", 0, OPTION_TEXT, CHECK, AT(algorithm), "NAME",
	  "auto (default), wra, sra, rc20, relaxed, search, psc or wb", NULL, 0, 0 },
	{ "format", 0, OPTION_CHOICE, SHOW, AT(format), "FORMAT",
	  "how the execution is shown (default: as the name of the -o file ends, else text)",
	  names_format, 0, 0 },
	{ "to", 'o', OPTION_TEXT, SHOW, AT(output), "FILE",
	  "write to this file (default -: standard output)", NULL, 0, 0 },
	{ "last", 0, OPTION_NUMBER, SHOW, AT(last), "N",
	  "show the last N events; 0: all (default: 1000 in pictures, all in text and json)", NULL,
	  0, UINT32_MAX },
	{ "json", 0, OPTION_TEXT, ALL | CHECK | SUITE, AT(result[RESULT_JSON]), "FILE",
	  "write the result as JSON too; -: standard output", NULL, 0, 0 },
	{ "sarif", 0, OPTION_TEXT, ALL | SUITE, AT(result[RESULT_SARIF]), "FILE",
	  "write the bugs as SARIF too, which code hosts show beside the source; -: standard output",
	  NULL, 0, 0 },
	{ "junit", 0, OPTION_TEXT, ALL | SUITE, AT(result[RESULT_JUNIT]), "FILE",
	  "write the result as JUnit's XML too, a test for each program; -: standard output", NULL,
	  0, 0 },
	{ "error-exitcode", 0, OPTION_NUMBER, ALL | SUITE, AT(error_exitcode), "N",
	  "exit status when a bug was found (default 1)", NULL, 0, 255 },
	{ "skip-exitcode", 0, OPTION_NUMBER, SEARCH, AT(skip_exitcode), "N",
	  "a program that exits with N in all executions is a test to be skipped, and so is heddle's exit status (default 77); 0: it is a bug",
	  NULL, 0, 255 },
	{ "program", 0, OPTION_TEXT, REPLAY | SHOW, AT(program), "FILE",
	  "run, or show, this program, whichever the trace names", NULL, 0, 0 },
	{ "trust", 0, OPTION_FLAG, REPLAY | SHOW, AT(trust), NULL,
	  "run the program that the trace names, or show its source, wherever it is and however it was built",
	  NULL, 0, 1 },
	{ "gdb", 0, OPTION_FLAG, REPLAY, AT(gdb), NULL,
	  "run the execution in gdb ($GDB), stop where the bug shows; what follows the trace goes to gdb",
	  NULL, 0, 1 },
	{ "break", 0, OPTION_TEXT, REPLAY, AT(break_at), "EVENT[,EVENT...]",
	  "like --gdb, and stop before each of these events, which the report names (1.2)", NULL, 0,
	  0 },
	{ "until", 0, OPTION_TEXT, REPLAY, AT(until), "EVENT",
	  "like --gdb, and stop when this event has happened", NULL, 0, 0 },
	{ "progress", 0, OPTION_CHOICE, ALL | SUITE, AT(progress), "WHEN",
	  "show a line that counts while searching (default auto: on a terminal; elsewhere a line after 10 s, 20 s, 40 s ...)",
	  names_when, 0, 0 },
	{ "color", 0, OPTION_CHOICE, EVERY, AT(color), "WHEN",
	  "use colours (default auto: on a terminal)", names_when, 0, 0 },
	{ "quiet", 'q', OPTION_FLAG, EVERY, AT(quiet), NULL, "say nothing but bugs and errors",
	  NULL, 0, 1 },
	{ "verbose", 'v', OPTION_COUNT, ALL, AT(verbose), NULL, "say more about what heddle does",
	  NULL, 0, 9 },
	{ "version", 0, OPTION_FLAG, EVERY, AT(version), NULL, "print the version and exit", NULL,
	  0, 1 },
	{ "help", 'h', OPTION_FLAG, EVERY, AT(help), NULL, "print this help and exit", NULL, 0, 1 },
	{ NULL, 0, OPTION_FLAG, 0, 0, NULL, NULL, NULL, 0, 0 },
};

/* Keys of TSAN_OPTIONS that mean the same, for HEDDLE_OPTIONS only. */
static const struct {
	const char *key, *name;
	bool inverted;
} aliases[] = {
	{ "exitcode", "error-exitcode", false },
	{ "verbosity", "verbose", false },
	{ "halt_on_error", "keep-going", true },
	{ "detect_leaks", "leaks", false },
};

void options_init(struct options *o, enum command command)
{
	*o = (struct options){
		.command = command,
		.model = MODEL_RC11,
		.equivalence = EQUIV_RF,
		.jobs = 1,
		.strategy = STRATEGY_MIX,
		.executions = command == COMMAND_TEST ? 1000 : 0,
		.max_events = 1000000,
		.timeouts = 3,
		.minimise = 200,
		.watchdog_s = 10,
		.output_dir = "heddle-out",
		.follow = "all",
		.backend = BACKEND_AUTO,
		.error_exitcode = STATUS_BUG,
		.skip_exitcode = STATUS_SKIPPED,
	};
}

uint64_t options_random_seed(void)
{
	uint32_t seed;
	struct timespec now;

	if (getrandom(&seed, sizeof(seed), 0) == sizeof(seed))
		return seed;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint32_t)now.tv_nsec;
}

static const struct option_def *find_name(const char *name, size_t len)
{
	for (const struct option_def *d = options_table; d->name; d++) {
		size_t i = 0;

		while (i < len && d->name[i] &&
		       (d->name[i] == name[i] || (d->name[i] == '-' && name[i] == '_')))
			i++;
		if (i == len && !d->name[i])
			return d;
	}
	return NULL;
}

static bool set_number(const struct option_def *def, const char *text, uint64_t *out, char *error,
		       size_t size)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (!*text || *end || errno || strchr(text, '-') || v < def->min || v > def->max) {
		if (def->max == UINT64_MAX)
			snprintf(error, size, "--%s: '%s' is not a number from %llu up", def->name,
				 text, (unsigned long long)def->min);
		else
			snprintf(error, size, "--%s: '%s' is not a number from %llu to %llu",
				 def->name, text, (unsigned long long)def->min,
				 (unsigned long long)def->max);
		return false;
	}
	*out = v;
	return true;
}

static bool set_seconds(const struct option_def *def, const char *text, double *out, char *error,
			size_t size)
{
	char *end;
	double v = strtod(text, &end);

	if (!*text || *end || !isfinite(v) || v < 0 || v > 1e9) {
		snprintf(error, size, "--%s: '%s' is not a number of seconds from 0 to 1000000000",
			 def->name, text);
		return false;
	}
	*out = v;
	return true;
}

static bool set_choice(const struct option_def *def, const char *text, uint64_t *out, char *error,
		       size_t size)
{
	int i = name_find(def->choices, text);
	int n;

	if (i >= 0) {
		*out = (uint64_t)i;
		return true;
	}
	n = snprintf(error, size, "--%s: unknown %s '%s'; accepted:", def->name, def->name, text);
	for (i = 0; def->choices[i] && n > 0 && (size_t)n < size; i++)
		n += snprintf(error + n, size - (size_t)n, "%s %s", i ? "," : "", def->choices[i]);
	return false;
}

static bool set_flag(const struct option_def *def, const char *text, uint64_t *out, char *error,
		     size_t size)
{
	static const char *const yes[] = { "1", "yes", "true", "on", NULL };
	static const char *const no[] = { "0", "no", "false", "off", NULL };

	if (name_find(yes, text) >= 0) {
		*out = 1;
	} else if (name_find(no, text) >= 0) {
		*out = 0;
	} else {
		snprintf(error, size, "--%s: '%s' is neither 1 nor 0", def->name, text);
		return false;
	}
	return true;
}

bool option_set(struct options *o, const struct option_def *def, const char *text, char *error,
		size_t size)
{
	void *field = (char *)o + def->at;

	switch (def->kind) {
	case OPTION_FLAG:
		if (!set_flag(def, text, field, error, size))
			return false;
		if (def->at == AT(no_minimise) && o->no_minimise)
			o->minimise = 0;
		return true;
	case OPTION_COUNT:
	case OPTION_NUMBER:
		if (def->at == AT(seed))
			o->seed_given = true;
		if (def->at == AT(from))
			o->from_given = true;
		if (def->at == AT(executions))
			o->executions_given = true;
		if (def->at == AT(last))
			o->last_given = true;
		return set_number(def, text, field, error, size);
	case OPTION_SECONDS:
		return set_seconds(def, text, field, error, size);
	case OPTION_CHOICE:
		if (def->at == AT(model))
			o->model_given = true;
		if (def->at == AT(format))
			o->format_given = true;
		return set_choice(def, text, field, error, size);
	case OPTION_STRATEGY:
		return strategy_parse(text, &o->strategy, &o->depth, error, size);
	case OPTION_TEXT:
		if (!*text) {
			snprintf(error, size, "--%s: the name is empty", def->name);
			return false;
		}
		if (def->at == AT(output_dir))
			o->output_given = true;
		*(const char **)field = text;
		return true;
	}
	return false;
}

/* One key=value of HEDDLE_OPTIONS, which lies in memory of its own and stays. */
static bool set_key(struct options *o, char *key, char *text, char *error, size_t size)
{
	const struct option_def *def;
	const char *name = key;
	bool inverted = false;
	char inner[256];

	if (!strcmp(key, "help")) {
		o->env_help = strcmp(text, "0") != 0;
		return true;
	}
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (!strcmp(key, aliases[i].key)) {
			name = aliases[i].name;
			inverted = aliases[i].inverted;
		}
	}
	def = find_name(name, strlen(name));
	if (!def || def->at == AT(version) || def->at == AT(help)) {
		snprintf(error, size,
			 "HEDDLE_OPTIONS: unknown key '%s'; HEDDLE_OPTIONS=help=1 lists them", key);
		return false;
	}
	if (!option_set(o, def, text, inner, sizeof(inner))) {
		snprintf(error, size, "HEDDLE_OPTIONS: %s", inner);
		return false;
	}
	if (inverted)
		*(uint64_t *)((char *)o + def->at) ^= 1;
	return true;
}

/* A copy for options to point into, kept for as long as the process lives. */
static char *keep(const char *string)
{
	static struct kept {
		struct kept *next;
		char text[];
	} * all;
	size_t size = strlen(string) + 1;
	struct kept *k = malloc(sizeof(*k) + size);

	if (!k)
		return NULL;
	memcpy(k->text, string, size);
	k->next = all;
	all = k;
	return k->text;
}

bool options_from_string(struct options *o, const char *string, char *error, size_t size)
{
	for (char *p = keep(string); p && *p;) {
		size_t len = strcspn(p, "=:");
		char *key = p, *text = p + len, *end;

		if (!len && *p == ':') {
			p++;
			continue;
		}
		if (p[len] != '=') {
			p[len] = 0;
			snprintf(error, size, "HEDDLE_OPTIONS: '%s' is not of the form key=value",
				 key);
			return false;
		}
		*text++ = 0;
		if (*text == '"' || *text == '\'') {
			char quote = *text++;

			end = strchr(text, quote);
			if (!end || (end[1] && end[1] != ':')) {
				snprintf(error, size,
					 "HEDDLE_OPTIONS: the quote of '%s' is not closed", key);
				return false;
			}
			p = end + (end[1] ? 2 : 1);
		} else {
			end = text + strcspn(text, ":");
			p = end + (*end ? 1 : 0);
		}
		*end = 0;
		if (!set_key(o, key, text, error, size))
			return false;
	}
	return true;
}

/* A session of so many seconds comes to its end then; a shorter --timeout cuts it short. */
static void ask_for_time(struct options *o)
{
	if (o->time_s <= 0)
		return;
	if (!o->executions_given)
		o->executions = 0;
	if (o->timeout_s > 0 && o->timeout_s < o->time_s)
		o->time_s = 0;
	else
		o->timeout_s = o->time_s;
}

bool options_parse(struct options *o, enum command command, int argc, char **argv, int *status)
{
	const char *environment = getenv("HEDDLE_OPTIONS");
	char error[512];

	options_init(o, command);
	if ((environment && !options_from_string(o, environment, error, sizeof(error))) ||
	    !options_line(o, argc, argv, error, sizeof(error))) {
		*status = fail(STATUS_USAGE, "%s (see heddle %s --help)", error,
			       command_names[command]);
		return false;
	}
	ask_for_time(o);
	if (o->suppressions) /* or the first one would end the search */
		o->keep_going = 1;
	*status = STATUS_OK;
	if (o->help)
		options_help(stdout, command);
	else if (o->help_options)
		options_manual(stdout, command);
	else if (o->version)
		printf("heddle %s\n", PACKAGE_VERSION);
	else if (o->env_help)
		options_values(stdout, o);
	else
		return true;
	return false;
}
