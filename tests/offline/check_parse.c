/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_parse.c - the line format: what is written is read, and anything else is refused
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "offline/random_execution.h"
#include "suite.h"

static const struct shape shape = {
	.events = 60, .threads = 4, .locations = 4, .rmws = 20, .fences = 10, .strong = 20
};

static bool parse(struct execution *x, const char *text, struct execution_error *e)
{
	memset(e, 0, sizeof(*e));
	return execution_parse(x, text, strlen(text), e);
}

static void refused(const char *text, uint32_t line, const char *words)
{
	struct execution_error e;
	struct execution x;

	ck_assert_msg(!parse(&x, text, &e), "accepted: %s", text);
	ck_assert_msg(e.line == line, "line %u, not %u: %s", e.line, line, e.text);
	ck_assert_msg(strstr(e.text, words), "'%s' does not say '%s'", e.text, words);
	execution_release(&x);
}

#define HEAD "heddle-execution 1\nthread 0\n"

START_TEST(parse_reads_what_was_written)
{
	uint64_t seed = 1;

	for (int i = 0; i < 300; i++) {
		struct execution x, y;
		struct execution_error e;
		char *text;

		random_execution(&x, &shape, &seed);
		text = to_text(&x);
		ck_assert_msg(parse(&y, text, &e), "%u: %s\n%s", e.line, e.text, text);
		ck_assert(x.n == y.n && x.k == y.k);
		ck_assert(!memcmp(x.rf, y.rf, x.n * sizeof(*x.rf)));
		ck_assert(!memcmp(x.kind, y.kind, x.n));
		ck_assert(!memcmp(x.order, y.order, x.n));
		for (uint32_t a = 0; a < x.n; a++)
			if (x.loc[a] != EX_NONE)
				ck_assert_str_eq(x.name[x.loc[a]], y.name[y.loc[a]]);
		free(text);
		execution_release(&x);
		execution_release(&y);
	}
}
END_TEST

START_TEST(parse_joins_blocks_and_skips_comments)
{
	struct execution_error e;
	struct execution x;

	ck_assert(parse(&x, HEAD "w x rlx\n\n# why\nthread 3\r\n r\tx  acq 0.1 \nthread 0\nw x rel",
			&e));
	ck_assert(x.n == 3 && x.k == 4 && x.first[1] == 2 && x.rf[2] == 1);
	execution_release(&x);
}
END_TEST

START_TEST(parse_names_line_and_expectation)
{
	refused("", 1, "heddle-execution 1");
	refused("hello\n", 1, "'hello' where 'heddle-execution 1'");
	refused("heddle-execution 2\n", 1, "format version 1");
	refused("heddle-execution 1\nw x rlx\n", 2, "'thread' line");
	refused("heddle-execution 1\nthread 65536\n", 2, "thread number");
	refused("heddle-execution 1\nthread -1\n", 2, "thread number");
	refused("heddle-execution 1\nthread 99999999999999999999\n", 2, "thread number");
	refused(HEAD "w\n", 3, "the line ends where the name of a location");
	refused(HEAD "w x\n", 3, "the order of a write");
	refused(HEAD "w x acq\n", 3, "'acq' where the order of a write");
	refused(HEAD "r x rel init\n", 3, "the order of a read");
	refused(HEAD "u x na init\n", 3, "the order of a read-modify-write");
	refused(HEAD "f rlx\n", 3, "the order of a fence");
	refused(HEAD "r x acq\n", 3, "what it reads from");
	refused(HEAD "r x acq 1\n", 3, "what it reads from");
	refused(HEAD "r x acq 1.\n", 3, "what it reads from");
	refused(HEAD "r x acq 0.01\n", 3, "what it reads from");
	refused(HEAD "r x acq 0.99999999999\n", 3, "what it reads from");
	refused(HEAD "w x rlx 0.1\n", 3, "the end of the line");
	refused(HEAD "q x rlx\n", 3, "an event");
	refused(HEAD "w x rlx\nr x rlx 7.0\n", 4, "no such event");
	refused(HEAD "w x rlx\nr x rlx 0.2\n", 4, "no such event");
	refused(HEAD "w x rlx\nr y rlx 0.0\n", 4, "another location");
	refused(HEAD "r x rlx init\nr x rlx 0.0\n", 4, "does not write");
	refused(HEAD "u x rlx 0.0\n", 3, "read from itself");
	refused(HEAD "w x\001 rlx\n", 3, "");
}
END_TEST

START_TEST(parse_refuses_zero_bytes_and_long_names)
{
	static const char zero[] = HEAD "w x\0y rlx\n";
	struct execution_error e;
	struct execution x;
	char text[400] = HEAD "w ";

	ck_assert(!execution_parse(&x, zero, sizeof(zero) - 1, &e));
	execution_release(&x);
	memset(text + strlen(text), 'a', 300);
	refused(text, 3, "name of a location");
}
END_TEST

/* Whatever bytes come, an execution or an error comes back. */
START_TEST(parse_survives_damage)
{
	static const char bytes[] = " \n\r\t.0#rwufinxt9\001\377";
	uint64_t seed = 7;

	for (int i = 0; i < 20000; i++) {
		struct execution x;
		struct execution_error e;
		char *text;
		size_t size;

		random_execution(&x, &shape, &seed);
		text = to_text(&x);
		execution_release(&x);
		size = strlen(text);
		for (uint32_t n = prng_below(&seed, 4) + 1; n--;)
			text[prng_below(&seed, (uint32_t)size)] =
				bytes[prng_below(&seed, sizeof(bytes))];
		if (prng_below(&seed, 4) == 0)
			text[size = prng_below(&seed, (uint32_t)size)] = 0;
		if (!execution_parse(&x, text, size, &e))
			ck_assert(strlen(e.text) > 10);
		execution_release(&x);
		free(text);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("offline");
	TCase *tc = tcase_create("parse");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, parse_reads_what_was_written);
	tcase_add_test(tc, parse_joins_blocks_and_skips_comments);
	tcase_add_test(tc, parse_names_line_and_expectation);
	tcase_add_test(tc, parse_refuses_zero_bytes_and_long_names);
	tcase_add_test(tc, parse_survives_damage);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
