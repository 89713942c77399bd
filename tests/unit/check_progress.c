/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_progress.c - what is said while heddle searches, and how often (controller/base/progress.h); and what an estimate
 * says in words (controller/run/estimate.h)
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/progress.h"
#include "controller/run/estimate.h"
#include "suite.h"

static char said[4096];

/* All that goes to standard error between begin() and end(). */
static FILE *file;
static int kept;

static void begin(void)
{
	file = tmpfile();
	ck_assert(file != NULL);
	fflush(stderr);
	kept = dup(2);
	dup2(fileno(file), 2);
}

static void end(void)
{
	size_t n;

	fflush(stderr);
	dup2(kept, 2);
	close(kept);
	rewind(file);
	n = fread(said, 1, sizeof(said) - 1, file);
	said[n] = 0;
	fclose(file);
}

static unsigned lines(void)
{
	unsigned n = 0;

	for (const char *c = said; *c; c++)
		n += *c == '\n';
	return n;
}

/* A search of so many seconds, looked at twenty times in each; a thousand executions a second. */
static void search(enum progress_how how, int seconds)
{
	begin();
	for (int i = 0; i <= seconds * 20; i++) {
		const double at = i / 20.0;

		progress_show(&(struct progress){ .how = how,
						  .complete = (uint64_t)(at * 1000),
						  .elapsed_s = at,
						  .about = 200000,
						  .error = 20000,
						  .memory_kib = 3 * 1024,
						  .workers = 2 });
	}
	end();
}

START_TEST(plain_lines_come_later_and_later)
{
	search(PROGRESS_PLAIN, 9);
	ck_assert_str_eq(said, "");
	search(PROGRESS_PLAIN, 100);
	ck_assert_uint_eq(lines(), 4); /* after 10, 20, 40 and 80 seconds */
	ck_assert_msg(
		strstr(said,
		       "heddle: 10000 executions, 0 blocked, 1000/s, 10.0 s; 5.0% of about 200k "
		       "(+-10%), 3 min 10 s left, 3 MiB, 2 workers\n") != NULL,
		"%s", said);
	ck_assert(strstr(said, "heddle: 80000 executions") != NULL);
	ck_assert(!strchr(said, '\r') && !strchr(said, '\033'));
}
END_TEST

START_TEST(a_line_in_place_is_as_wide_as_the_terminal)
{
	setenv("COLUMNS", "80", 1);
	search(PROGRESS_LINE, 1);
	ck_assert_uint_eq(lines(), 0);
	for (char *line = strtok(said, "\r"); line; line = strtok(NULL, "\r"))
		ck_assert_msg(strlen(line) < 80 + strlen("\033[K"), "%s", line);
}
END_TEST

START_TEST(quiet_says_nothing)
{
	search(PROGRESS_NONE, 100);
	ck_assert_str_eq(said, "");
}
END_TEST

/* Descents that found these sizes, all of one weight. */
static struct engine_estimate descents(const double *size, int n)
{
	struct engine_estimate x = { 0 };

	for (int i = 0; i < n; i++) {
		x.descents++;
		x.weight++;
		x.weight2++;
		x.complete += size[i];
		x.all2 += size[i];
		x.square2 += size[i] * size[i];
	}
	return x;
}

START_TEST(mean_and_error)
{
	const double sizes[] = { 2, 4, 6, 8 };
	struct engine_estimate x = descents(sizes, 4), y = descents(sizes, 2);
	struct estimate about;

	ck_assert(!estimate_known(&(struct engine_estimate){ 0 }, &about));
	ck_assert(estimate_known(&x, &about));
	ck_assert_double_eq_tol(about.all, 5, 1e-9);
	ck_assert_double_eq_tol(about.error * about.error, (9 + 1 + 1 + 9) / 16.0, 1e-6);
	estimate_add(&x, &y);
	ck_assert(estimate_known(&x, &about));
	ck_assert_double_eq_tol(about.all, 26 / 6.0, 1e-9);
	ck_assert(!estimate_holds(&about, 1)); /* so few descents */
	about.descents = 100;
	ck_assert(estimate_holds(&about, 4));
	ck_assert(!estimate_holds(&about, 5)); /* and there are more */
	x.weight = -1;                         /* the program wrote over it */
	ck_assert(!estimate_known(&x, &about));
}
END_TEST

START_TEST(numbers_in_words)
{
	static const struct {
		double n;
		const char *text;
	} words[] = {
		{ 0, "0" },           { 999999, "999999" },         { 1.234e6, "1.23 million" },
		{ 5e9, "5 billion" }, { 7.77e13, "77.7 trillion" }, { 1e20, "1.0e+20" }
	};
	char text[ESTIMATE_TEXT];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		estimate_text(words[i].n, text);
		ck_assert_str_eq(text, words[i].text);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("progress");
	TCase *tc = tcase_create("progress");

	tcase_add_test(tc, plain_lines_come_later_and_later);
	tcase_add_test(tc, a_line_in_place_is_as_wide_as_the_terminal);
	tcase_add_test(tc, quiet_says_nothing);
	tcase_add_test(tc, mean_and_error);
	tcase_add_test(tc, numbers_in_words);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
