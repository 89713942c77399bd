/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_explain_line.c - what people read of a refusal, for litmus tests
 *
 * And refusals for which pairs of writes have to be tried in both orders, which random programs
 * hardly ever need.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "engine/explained.h"
#include "engine/run/state.h"
#include "engine/sketch.h"
#include "offline/random_execution.h"
#include "suite.h"

enum {
	TANGLES = 300
};

/* The line is empty if it may. Returns whether orders had to be tried. */
static bool explain_sketch(enum engine_model m, const char *text, char *line, size_t size)
{
	struct sketch k;
	struct explanation e;
	struct question q;
	bool admitted, tried;
	enum explained got;
	struct asked count = { 0 };

	sketch_begin(&k, m, text);
	model_ask(&q, model_find(m), &k.g, k.g.count, k.read);
	admitted = k.rmw ? !taken_in_cut(&k.g, k.g.count, k.g.ev[k.read].loc, k.write) &&
				   model_admits_rmw(&q, k.write)
			 : model_admits(&q, k.write);
	model_asked(&q);
	got = explain_read(&e, m, &k.g, k.g.count, k.read, k.write, k.rmw);
	ck_assert_msg(got == (admitted ? EXPLAIN_MAY : EXPLAIN_MAY_NOT), "%s: %d", text, got);
	if (!admitted)
		explained_line(&e, m);
	explained_by_force(&e, m, admitted, &count);
	*line = 0;
	if (!admitted)
		explanation_line(&e, line, size);
	tried = !admitted && (e.v.ncases > 1 || e.v.searched);
	explanation_release(&e);
	sketch_end(&k);
	return tried;
}

static const struct {
	enum engine_model model;
	const char *text, *line;
} cases[] = {
	{ MODEL_RA, "Wxr Wyr | Ryr0.1 Rxr?init", "read coherence: 0.0 -hb-> 1.1 -fr-> 0.0" },
	{ MODEL_RA, "Wxr Wyr | Ryr0.1 Rxr?0.0", "" },
	{ MODEL_RELAXED, "Wxr Wyr | Ryr0.1 Rxr?init", "" },
	{ MODEL_RELAXED, "Wxr C1 | S0.1 Rxr?init", "read coherence: 0.0 -hb-> 1.1 -fr-> 0.0" },
	{ MODEL_RELAXED, "Wxr | Wxr | Rxr0.0 Rxr1.0 | Rxr1.0 Rxr?0.0",
	  "read coherence: 1.0 -rf-> 3.0 -hb-> 3.1 -fr-> 1.0; 0.0 -mo-> 1.0 since 0.0 "
	  "-rf-> 2.0 -hb-> 2.1 -rf^-1-> 1.0" },
	{ MODEL_RELAXED, "Wxr Uxr0.0 | Uxr?0.0",
	  "atomicity: 1.0 -rf^-1-> 0.0 -rf-> 0.1, two read-modify-writes of one write" },
	{ MODEL_RELAXED, "Wxr | Uxr0.0 | Wxr Rxr1.0 | Rxr0.0 Rxr?2.0",
	  "read coherence: 2.0 -hb-> 2.1 -fr-> 2.0; 0.0 -mo-> 2.0 since 0.0 -rf-> 3.0 "
	  "-hb-> 3.1 -rf^-1-> 2.0" },
	{ MODEL_RELAXED, "Wxr Wxr | Rxr0.1 Rxr?0.0",
	  "read coherence: 0.1 -rf-> 1.0 -hb-> 1.1 -fr-> 0.1; 0.0 -mo-> 0.1 since 0.0 "
	  "-hb-> 0.1" },
	{ MODEL_RELAXED, "Wxr | Uxr0.0 | Wxr | Rxr1.0 Rxr2.0 | Rxr2.0 Rxr?0.0",
	  "read coherence: 2.0 -rf-> 4.0 -hb-> 4.1 -fr-> 2.0; 1.0 -mo-> 2.0 since 1.0 "
	  "-rf-> 3.0 -hb-> 3.1 -rf^-1-> 2.0" },
	{ MODEL_RELAXED, "Wxr Rxr1.0 | Wxr Uxr?0.0",
	  "write coherence: 1.0 -hb-> 1.1 -mo-> 1.0; 0.0 -mo-> 1.0 since 0.0 -hb-> 0.1 "
	  "-rf^-1-> 1.0" },
	{ MODEL_RC20, "Wxr Wyl | Rya0.1 Rxr?init", "read coherence: 0.0 -hb-> 1.1 -fr-> 0.0" },
	{ MODEL_RC20, "Wxr Fl Wyr | Ryr0.2 Fa Rxr?init",
	  "read coherence: 0.0 -hb-> 1.2 -fr-> 0.0" },
	{ MODEL_RC20, "Wxr Wyl Wyr | Rya0.2 Rxr?init", "" },
	{ MODEL_RC11, "Wxr Wyl Wyr | Rya0.2 Rxr?init", "read coherence: 0.0 -hb-> 1.1 -fr-> 0.0" },
	{ MODEL_RC11, "Wxs Rys?init | Wys Rxsinit",
	  "acyclic(psc): 0.0 -po-> 0.1 -fr-> 1.0 -po-> 1.1 -fr-> 0.0" },
	{ MODEL_RC11, "Wxs Kys?init | Wys Rxsinit", "" },
	{ MODEL_RC11, "Wxr Fs Ryr?init | Wyr Fs Rxrinit",
	  "acyclic(psc): [0.1] -hb-> 0.2 -fr-> 1.0 -hb-> [1.1] -hb-> 1.2 -fr-> 0.0 -hb-> "
	  "[0.1]" },
	{ MODEL_RC11, "Wxs | Wys | Rxa0.0 Rysinit | Rya1.0 Rxs?init", "" },
	{ MODEL_WRA, "Wxr Wyr | Ryr0.1 Rxr?init",
	  "weak read coherence: init -hb-> 0.0 -hb-> 1.1 -rf^-1-> init" },
	{ MODEL_WRA, "Wxr | Wxr | Rxr0.0 Rxr1.0 Rxr?0.0", "" },
	{ MODEL_WRA, "Wxr | Uxr0.0 | Uxr?0.0",
	  "weak atomicity: 2.0 -rf^-1-> 0.0 -rf-> 1.0, two read-modify-writes of one "
	  "write" },
	{ MODEL_SRA, "Wxr Wyr Ryr1.0 | Wyr Wxr Rxr?0.0",
	  "acyclic(hb u mo): 0.0 -po-> 0.1 -mo-> 1.0 -po-> 1.1 -mo-> 0.0; 0.1 -mo-> 1.0 "
	  "since 0.1 -hb-> 0.2 -rf^-1-> 1.0; 1.1 -mo-> 0.0 since 1.1 -hb-> 1.2 -rf^-1-> "
	  "0.0" },
	{ MODEL_RA, "Wxr Wyr Ryr1.0 | Wyr Wxr Rxr?0.0", "" },
	{ MODEL_SRA, "Wxr Wyr Ryr1.0 | Wyr Wxr Uxr?0.0",
	  "acyclic(hb u mo): 1.0 -po-> 1.1 -mo-> 0.0 -po-> 0.1 -mo-> 1.0; 1.1 -mo-> 0.0 "
	  "since 1.1 -po-> 1.2 -rf^-1-> 0.0; 0.1 -mo-> 1.0 since 0.1 -po-> 0.2 -rf^-1-> "
	  "1.0" },
	{ MODEL_SRA, "Wxr Wyr Ryr1.0 | Wyr Wxr | Rxr1.1 Uxr?0.0",
	  "acyclic(hb u mo): 1.0 -po-> 1.1 -mo-> 0.0 -po-> 0.1 -mo-> 1.0; 1.1 -mo-> 0.0 "
	  "since 1.1 -rf-> 2.0 -po-> 2.1 -rf^-1-> 0.0; 0.1 -mo-> 1.0 since 0.1 -po-> 0.2 "
	  "-rf^-1-> 1.0" },
	{ MODEL_SRA, "Uxrinit Wyr | Wyr Ryr0.1 Uxr?init",
	  "acyclic(hb u mo) and atomicity: 0.0 -po-> 0.1 -rf-> 1.1 -po-> 1.2 -fr-> 0.0" },
	{ MODEL_SRA, "Wxr Wyr | Ryr0.1 Rxr?init", "read coherence: 0.0 -hb-> 1.1 -fr-> 0.0" },
	{ MODEL_TSO, "Wxr Ryr?init | Wyr Rxrinit", "" },
	{ MODEL_TSO, "Wxr Ryr?init | Wyr Fs Rxrinit", "" },
	{ MODEL_TSO, "Wxr Uyr?init | Wyr Fs Rxrinit",
	  "acyclic(ppo u rfe u mo u fr): 1.0 -po-> 1.2 -fr-> 0.0 -po-> 0.1 -fr-> 1.0" },
	{ MODEL_TSO, "Wxr C2 Ryr?init | Wyr Fs Rxrinit | S0.1",
	  "acyclic(ppo u rfe u mo u fr): 1.0 -po-> 1.2 -fr-> 0.0 -po-> 0.1 -po-> 0.2 -fr-> 1.0" },
	{ MODEL_TSO, "Uxrinit | Uxr?init",
	  "acyclic(ppo u rfe u mo u fr): 1.0 -fr-> 0.0 -fr-> 1.0" },
	{ MODEL_TSO, "Wxr Fs Ryr?init | Wyr Fs Rxrinit",
	  "acyclic(ppo u rfe u mo u fr): 1.0 -po-> 1.2 -fr-> 0.0 -po-> 0.2 -fr-> 1.0" },
	{ MODEL_TSO, "Wxr Wyr | Ryr0.1 Rxr?init",
	  "acyclic(ppo u rfe u mo u fr): 0.0 -po-> 0.1 -rf-> 1.0 -po-> 1.1 -fr-> 0.0" },
	{ MODEL_TSO, "Wxr Wxr Rxr?0.0",
	  "sc per location: 0.0 -mo-> 0.1 -po-> 0.2 -rf^-1-> 0.0; 0.0 -mo-> 0.1 since "
	  "0.0 -po-> 0.1" },
	{ MODEL_TSO, "Wxr | Wyr | Rxr0.0 Ryrinit | Ryr1.0 Rxr?init",
	  "acyclic(ppo u rfe u mo u fr): 1.0 -rf-> 3.0 -po-> 3.1 -fr-> 0.0 -rf-> 2.0 "
	  "-po-> 2.1 -fr-> 1.0" },
	{ MODEL_SC, "Wxr Ryr?init | Wyr Rxrinit",
	  "acyclic(po u rf u mo u fr): 1.0 -po-> 1.1 -fr-> 0.0 -po-> 0.1 -fr-> 1.0" },
	{ MODEL_SC, "Wxr Wyr | Ryr0.1 Rxr?init",
	  "acyclic(po u rf u mo u fr): 0.0 -po-> 0.1 -rf-> 1.0 -po-> 1.1 -fr-> 0.0" },
	{ MODEL_SC, "Uxrinit | Uxr?init", "acyclic(po u rf u mo u fr): 1.0 -fr-> 0.0 -fr-> 1.0" },
	{ MODEL_SC,
	  "Wxr | Wxr | Wyr | Wyr | Rxr0.0 Ryr2.0 | Rxr0.0 Ryr3.0 | Rxr1.0 Ryr2.0 | Rxr1.0 Ryr3.0 |"
	  "Ryr2.0 Rxr0.0 | Ryr2.0 Rxr1.0 | Ryr3.0 Rxr0.0 | Ryr3.0 Rxr?1.0",
	  "acyclic(po u rf u mo u fr): every modification order has a cycle; with 0.0 "
	  "-mo-> 1.0: 2.0 -rf-> 8.0 -po-> 8.1 -fr-> 1.0 -rf-> 7.0 -po-> 7.1 -fr-> 2.0; "
	  "3.0 -mo-> 2.0 since 3.0 -rf-> 10.0 -po-> 10.1 -fr-> 1.0 -rf-> 6.0 -po-> 6.1 "
	  "-rf^-1-> 2.0; so 1.0 -mo-> 0.0: 2.0 -rf-> 9.0 -po-> 9.1 -fr-> 0.0 -rf-> 5.0 "
	  "-po-> 5.1 -fr-> 2.0; 3.0 -mo-> 2.0 since 3.0 -rf-> 11.0 -po-> 11.1 -fr-> 0.0 "
	  "-rf-> 4.0 -po-> 4.1 -rf^-1-> 2.0" },
	{ MODEL_RC11,
	  "Wxs | Wxs | Wys | Wys | Rxs0.0 Rys2.0 | Rxs0.0 Rys3.0 | Rxs1.0 Rys2.0 | Rxs1.0 Rys3.0 |"
	  "Rys2.0 Rxs0.0 | Rys2.0 Rxs1.0 | Rys3.0 Rxs0.0 | Rys3.0 Rxs?1.0",
	  "acyclic(psc): every modification order has a cycle; in one, with 2.0 -mo-> "
	  "3.0, 0.0 -mo-> 1.0: 1.0 -hb-> 6.0 -po-> 6.1 -fr-> 3.0 -hb-> 10.0 -po-> 10.1 "
	  "-fr-> 1.0" },
};

START_TEST(the_line_is)
{
	char line[1000];

	explain_sketch(cases[_i].model, cases[_i].text, line, sizeof(line));
	ck_assert_str_eq(line, cases[_i].line);
}
END_TEST

/*
 * Two writes of x and of y each, and threads that read one of either, in one order or the
 * other: most pairs of writes are ordered by nothing alone.
 */
static void tangle(char *text, char order, uint64_t *random)
{
	uint32_t first = prng_below(random, 8), n;

	n = (uint32_t)sprintf(text, "Wx%c | Wx%c | Wy%c | Wy%c", order, order, order, order);
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t c = (first + i) % 8, x = c & 1, y = 2 + (c >> 1 & 1);
		const char *mark = i == 7 ? "?" : "";

		if (i < 7 && !prng_below(random, 8))
			continue;
		n += (uint32_t)(c & 4 ? sprintf(text + n, " | Ry%c%u.0 Rx%c%s%u.0", order, y, order,
						mark, x)
				      : sprintf(text + n, " | Rx%c%u.0 Ry%c%s%u.0", order, x, order,
						mark, y));
	}
}

START_TEST(a_refusal_by_cases_is_explained)
{
	static const enum engine_model hard[] = { MODEL_SC, MODEL_TSO, MODEL_RC11 };
	uint64_t random = 1;
	uint32_t tried = 0;
	char text[400], line[4000];

	for (uint64_t i = 0; i < suite_times(TANGLES); i++) {
		tangle(text, hard[_i] == MODEL_RC11 ? 's' : 'r', &random);
		tried += explain_sketch(hard[_i], text, line, sizeof(line));
	}
	printf("# %s: %u by cases\n", explained_models[hard[_i]], tried);
	fflush(stdout);
	ck_assert_uint_gt(tried, suite_times(TANGLES) / 12);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("explain");
	TCase *tc = tcase_create("litmus");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, the_line_is, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_loop_test(tc, a_refusal_by_cases_is_explained, 0, 3);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
