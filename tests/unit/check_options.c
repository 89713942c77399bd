/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_options.c - the command line and HEDDLE_OPTIONS, as a specification
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/status.h"
#include "controller/options/options.h"
#include "engine/engine.h"
#include "suite.h"
#include "wire/shared.h"

static struct options o;
static int status;
static char error[512];

/* Parses words separated by blanks. */
static bool parse(enum command command, const char *line)
{
	static char copy[1024];
	static char *argv[64];
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *p = strtok(copy, " "); p; p = strtok(NULL, " "))
		argv[argc++] = p;
	argv[argc] = NULL;
	return options_parse(&o, command, argc, argv, &status);
}

static bool from_string(const char *text)
{
	options_init(&o, COMMAND_EXPLORE);
	error[0] = 0;
	return options_from_string(&o, text, error, sizeof(error));
}

static void setup(void)
{
	unsetenv("HEDDLE_OPTIONS");
	if (!freopen("/dev/null", "w", stderr))
		abort();
}

START_TEST(options_end_at_the_program)
{
	ck_assert(parse(COMMAND_EXPLORE, "explore -m sc ./t -m tso --help"));
	ck_assert_uint_eq(o.model, MODEL_SC);
	ck_assert_int_eq(o.argc, 4);
	ck_assert_str_eq(o.argv[0], "./t");
	ck_assert(parse(COMMAND_EXPLORE, "explore -- -odd"));
	ck_assert_str_eq(o.argv[0], "-odd");
}
END_TEST

START_TEST(options_have_long_and_short_forms)
{
	ck_assert(parse(COMMAND_TEST, "test --seed=7 -n 20 -o out -qvv --json x.json ./t"));
	ck_assert_uint_eq(o.seed, 7);
	ck_assert(o.seed_given);
	ck_assert_uint_eq(o.executions, 20);
	ck_assert_str_eq(o.output_dir, "out");
	ck_assert_uint_eq(o.quiet, 1);
	ck_assert_uint_eq(o.verbose, 2);
	ck_assert_str_eq(o.result[RESULT_JSON], "x.json");
}
END_TEST

START_TEST(options_have_defaults)
{
	ck_assert(parse(COMMAND_TEST, "test ./t"));
	ck_assert_uint_eq(o.executions, 1000);
	ck_assert(!o.seed_given);
	ck_assert(parse(COMMAND_EXPLORE, "explore ./t"));
	ck_assert_uint_eq(o.executions, 0);
	ck_assert_uint_eq(o.model, MODEL_RC11);
	ck_assert_uint_eq(o.equivalence, EQUIV_RF);
	ck_assert_str_eq(o.output_dir, "heddle-out");
	ck_assert_uint_eq(o.error_exitcode, STATUS_BUG);
}
END_TEST

START_TEST(options_out_of_range_are_usage_errors)
{
	static const char *const bad[] = {
		"test -m x86 ./t",
		"test -n -1 ./t",
		"test -n 1x ./t",
		"test -n ./t",
		"test --seed= ./t",
		"test --timeout=-1 ./t",
		"test --timeout=nan ./t",
		"test --timeout=1e99 ./t",
		"test -j 0 ./t",
		"test --error-exitcode=256 ./t",
		"test --color=blue ./t",
		"test --nonsense ./t",
		"test -Z ./t",
		"test --json",
		"test -e all ./t",
		"test -n 18446744073709551616 ./t",
		"test -o",
		"test --gdb ./t",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		status = -1;
		ck_assert_msg(!parse(COMMAND_TEST, bad[i]), "%s", bad[i]);
		ck_assert_msg(status == STATUS_USAGE, "%s: status %d", bad[i], status);
	}
}
END_TEST

START_TEST(options_of_other_commands_are_refused)
{
	ck_assert(!parse(COMMAND_EXPLORE, "explore --window 1 ./t"));
	ck_assert_int_eq(status, STATUS_USAGE);
	ck_assert(!parse(COMMAND_REPLAY, "replay -n 1 x.hdt"));
	ck_assert(parse(COMMAND_REPLAY, "replay --gdb x.hdt"));
}
END_TEST

START_TEST(environment_sets_the_same_options)
{
	ck_assert(from_string("model=sc:jobs=2:timeout=1.5:keep_going=1:output-dir=a b"));
	ck_assert_uint_eq(o.model, MODEL_SC);
	ck_assert_uint_eq(o.jobs, 2);
	ck_assert(o.timeout_s > 1.4 && o.timeout_s < 1.6);
	ck_assert_uint_eq(o.keep_going, 1);
	ck_assert_str_eq(o.output_dir, "a b");
	ck_assert(from_string(""));
	ck_assert(from_string(":::model=sc:"));
	ck_assert(from_string("json='a:b':model=sc"));
	ck_assert_str_eq(o.result[RESULT_JSON], "a:b");
	ck_assert_uint_eq(o.model, MODEL_SC);
}
END_TEST

START_TEST(environment_knows_names_of_tsan)
{
	ck_assert(from_string("exitcode=66:verbosity=2:halt_on_error=0:detect_leaks=1"));
	ck_assert_uint_eq(o.setting[SETTING_LEAKS], 1);
	ck_assert_uint_eq(o.error_exitcode, 66);
	ck_assert_uint_eq(o.verbose, 2);
	ck_assert_uint_eq(o.keep_going, 1);
}
END_TEST

START_TEST(environment_errors_name_the_key)
{
	ck_assert(!from_string("modle=sc"));
	ck_assert_ptr_nonnull(strstr(error, "modle"));
	ck_assert(!from_string("model"));
	ck_assert(!from_string("model=x86"));
	ck_assert_ptr_nonnull(strstr(error, "rc11"));
	ck_assert(!from_string("json='open"));
	ck_assert(!from_string("json='a'b"));
	ck_assert(!from_string("=1"));
}
END_TEST

START_TEST(command_line_wins_over_environment)
{
	setenv("HEDDLE_OPTIONS", "model=sc:executions=5", 1);
	ck_assert(parse(COMMAND_EXPLORE, "explore -m ra ./t"));
	ck_assert_uint_eq(o.model, MODEL_RA);
	ck_assert_uint_eq(o.executions, 5);
	setenv("HEDDLE_OPTIONS", "model=bad", 1);
	ck_assert(!parse(COMMAND_EXPLORE, "explore ./t"));
	ck_assert_int_eq(status, STATUS_USAGE);
	unsetenv("HEDDLE_OPTIONS");
}
END_TEST

START_TEST(help_and_manual_name_every_option)
{
	char *help, *manual, *values, key[64];
	size_t size;
	FILE *f = open_memstream(&help, &size);

	options_init(&o, COMMAND_TEST);
	for (int c = 0; c < COMMAND_COUNT; c++)
		options_help(f, (enum command)c);
	fclose(f);
	f = open_memstream(&manual, &size);
	options_manual(f, COMMAND_EXPLORE);
	fclose(f);
	f = open_memstream(&values, &size);
	options_values(f, &o);
	fclose(f);
	for (const struct option_def *d = options_table; d->name; d++) {
		snprintf(key, sizeof(key), "--%s", d->name);
		ck_assert_msg(strstr(help, key) != NULL, "%s", key);
		if (strcmp(d->name, "help") && strcmp(d->name, "version")) {
			snprintf(key, sizeof(key), "  %s=", d->name);
			ck_assert_msg(strstr(values, key) != NULL, "%s", key);
		}
	}
	ck_assert_ptr_nonnull(strstr(manual, ".It Fl n , \\-executions Ns = Ns Ar N\n"));
	ck_assert_ptr_nonnull(strstr(manual, ".It Fl \\-max\\-events"));
	ck_assert_ptr_null(strstr(manual, ".It Fl \\-strategy")); /* of test */
	free(help);
	free(manual);
	free(values);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("options");
	TCase *tc = tcase_create("command line");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, options_end_at_the_program);
	tcase_add_test(tc, options_have_long_and_short_forms);
	tcase_add_test(tc, options_have_defaults);
	tcase_add_test(tc, options_out_of_range_are_usage_errors);
	tcase_add_test(tc, options_of_other_commands_are_refused);
	tcase_add_test(tc, help_and_manual_name_every_option);
	suite_add_tcase(suite, tc);
	tc = tcase_create("environment");
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, environment_sets_the_same_options);
	tcase_add_test(tc, environment_knows_names_of_tsan);
	tcase_add_test(tc, environment_errors_name_the_key);
	tcase_add_test(tc, command_line_wins_over_environment);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
