/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_machines.c - the oracle by itself: its machines agree with each other, and with the textbook
 *
 * Of random programs: what a stronger model allows a weaker one allows, too; and rc11 has the same
 * final states by views and by graphs. HEDDLE_FUZZ=N: N times as many programs.
 *
 * Of litmus tests: what each model allows.
 */
#include <check.h>
#include <ctype.h>
#include <string.h>

#include "random/oracle.h"
#include "suite.h"

/* ---- Litmus tests: "x=1 a=y | y=1 b=x", and which values of a, b, ... are asked about ------- */

struct reader {
	struct program *p;
	uint8_t *tail;
	int thread;
	enum order read, write;
};

static struct stmt *append(struct reader *r, enum stmt_kind kind)
{
	const int n = r->p->nstmts++;
	struct stmt *s = &r->p->s[n];

	s->kind = (uint8_t)kind;
	*r->tail = (uint8_t)n;
	r->tail = &s->next;
	return s;
}

/* One word: "x=1" stores, "a=x" loads, "F" is an sc fence, "a+x" adds 1. */
static void read_word(struct reader *r, const char *word)
{
	struct stmt *s;

	if (*word == '|') {
		r->tail = &r->p->t[++r->thread].body;
		r->p->nthreads++;
		r->p->t[r->thread].nregs = 4;
	} else if (*word == 'F') {
		append(r, ST_FENCE)->order = SC;
	} else if (word[0] >= 'x') {
		s = append(r, ST_STORE);
		s->loc = (uint8_t)(word[0] - 'x');
		s->arg.v = (int8_t)(word[2] - '0');
		s->order = (uint8_t)r->write;
	} else {
		s = append(r, word[1] == '+' ? ST_RMW : ST_LOAD);
		s->reg = (uint8_t)((word[0] - 'a') % 4);
		s->loc = (uint8_t)(word[2] - 'x');
		s->fn = FN_ADD;
		s->arg.v = 1;
		s->order = (uint8_t)r->read;
		r->p->t[r->thread].outs |= (uint8_t)(1u << s->reg);
	}
}

static void read_litmus(struct program *p, const char *text, enum order read, enum order write)
{
	struct reader r = { .p = p, .read = read, .write = write };
	char copy[200];

	memset(p, 0, sizeof(*p));
	p->nstmts = 1;
	p->nthreads = 1;
	p->nlocs = 3;
	p->t[0].nregs = 4;
	p->style = "litmus";
	r.tail = &p->t[0].body;
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		read_word(&r, word);
	program_update(p);
}

static bool allows(enum model model, const char *text, enum order read, enum order write,
		   const char *state)
{
	struct program p;
	struct outcomes o;
	bool found = false;

	read_litmus(&p, text, read, write);
	p.as_graph = views_may_miss(&p, model);
	oracle_run(&o, &p, model, 1000000);
	ck_assert(!o.too_large);
	for (int i = 0; i < o.n; i++)
		found |= !strcmp(o.line[i], state);
	outcomes_release(&o);
	return found;
}

/* Exactly the models with these letters (s t S r w x 0 1: sc tso sra ra wra relaxed rc20 rc11). */
static void only_under(const char *letters, const char *text, enum order read, enum order write,
		       const char *state)
{
	static const char names[] = "stSrwx01";

	for (int m = 0; m < MODELS; m++)
		ck_assert_msg(allows(m, text, read, write, state) == !!strchr(letters, names[m]),
			      "%s under %s: %s", text, model_names[m], state);
}

START_TEST(litmus_tests_have_the_outcomes_of_the_literature)
{
	static const char sb[] = "x=1 a=y | y=1 a=x", mp[] = "x=1 y=1 | a=y b=x";
	static const char sbf[] = "x=1 F a=y | y=1 F a=x", lb[] = "a=y x=1 | a=x y=1";
	static const char iriw[] = "x=1 | y=1 | a=x b=y | a=y b=x";
	static const char iriwf[] = "x=1 | y=1 | a=x F b=y | a=y F b=x";
	static const char ww[] = "x=1 y=2 a=y | y=1 x=2 a=x",
			  rr[] = "x=1 | x=2 | a=x b=x | a=x b=x";
	static const char take[] = "a+x | a+x", isa2[] = "x=1 y=1 | a=y z=1 | a=z b=x";
	static const char isa2f[] = "x=1 F y=1 | a=y z=1 | a=z F b=x";

	only_under("tSrwx01", sb, RLX, RLX, "0 0 | 1 1 0");
	only_under("tSrwx01", sb, SC, RLX, "0 0 | 1 1 0"); /* sc loads alone do nothing */
	only_under("Srwx0", sb, SC, SC, "0 0 | 1 1 0");
	only_under("Srwx0", sbf, RLX, RLX, "0 0 | 1 1 0");
	only_under("x01", mp, RLX, RLX, "1 0 | 1 1 0");
	only_under("x", mp, ACQ, REL, "1 0 | 1 1 0");
	only_under("", lb, RLX, RLX, "1 1 | 1 1 0");
	only_under("Srwx01", iriw, ACQ, REL, "1 0 1 0 | 1 1 0");
	only_under("Srwx0", iriwf, RLX, RLX, "1 0 1 0 | 1 1 0");
	only_under("Srwx0", iriw, SC, SC, "1 0 1 0 | 1 1 0");
	only_under("rwx01", ww, RLX, RLX, "2 2 | 1 1 0");
	only_under("w", rr, RLX, RLX, "1 2 2 1 | 1 0 0");
	only_under("", take, RLX, RLX, "0 0 | 1 0 0");
	only_under("x01", isa2, RLX, RLX, "1 1 0 | 1 1 1");
	only_under("x", isa2, ACQ, REL, "1 1 0 | 1 1 1");
	only_under("x01", isa2f, RLX, RLX, "1 1 0 | 1 1 1"); /* with views rc11 has it not */
}
END_TEST

/* ---- Random programs ------------------------------------------------------------------------ */

START_TEST(what_a_stronger_model_allows_a_weaker_one_allows)
{
	static const struct {
		uint8_t strong, weak;
	} pairs[] = { { SC_MODEL, TSO_MODEL },    { TSO_MODEL, SRA_MODEL },
		      { SRA_MODEL, RA_MODEL },    { RA_MODEL, WRA_MODEL },
		      { RA_MODEL, RC20_MODEL },   { RC20_MODEL, RELAXED_MODEL },
		      { RC11_MODEL, RC20_MODEL }, { SC_MODEL, RC11_MODEL } };
	static struct program p;
	uint64_t compared = 0;

	for (uint64_t seed = 0; seed < suite_times(500); seed++) {
		struct outcomes o[MODELS];

		program_generate(&p, (int)(seed % (unsigned)style_count()), seed);
		for (int m = 0; m < MODELS; m++)
			oracle_run(&o[m], &p, m, 20000);
		for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
			const int a = pairs[i].strong, b = pairs[i].weak;

			if (!oracle_knows(&p, a) || !oracle_knows(&p, b) || o[a].too_large ||
			    o[b].too_large || o[b].partial)
				continue;
			compared++;
			ck_assert_msg(!o[a].race || o[b].race, "%s/%lu: %s has a race, %s has not",
				      p.style, (unsigned long)seed, model_names[a], model_names[b]);
			if (o[a].race || o[b].race)
				continue;
			ck_assert_msg(!outcomes_missing(&o[a], &o[b]),
				      "%s/%lu: %s has %s, %s has not", p.style, (unsigned long)seed,
				      model_names[a], outcomes_missing(&o[a], &o[b]),
				      model_names[b]);
		}
		for (int m = 0; m < MODELS; m++)
			outcomes_release(&o[m]);
	}
	ck_assert(compared > suite_times(500) * 4);
}
END_TEST

START_TEST(views_and_graphs_agree_about_rc11)
{
	static struct program p;
	uint64_t compared = 0;

	for (uint64_t seed = 0; seed < suite_times(500); seed++) {
		struct outcomes views, graphs;
		bool fewer;

		program_generate(&p, (int)(seed % (unsigned)style_count()), seed);
		if (p.sc_accesses)
			continue;
		oracle_run(&views, &p, RC11_MODEL, 100000);
		fewer = views_may_miss(&p, RC11_MODEL);
		p.as_graph = true;
		if (oracle_knows(&p, RC11_MODEL) && !views.too_large) {
			oracle_run(&graphs, &p, RC11_MODEL, 50000);
			if (!graphs.too_large && !graphs.partial && !views.partial) {
				compared++;
				ck_assert_msg(graphs.race == views.race || (fewer && graphs.race),
					      "%s/%lu: races", p.style, (unsigned long)seed);
				ck_assert_msg(views.race || (!outcomes_missing(&views, &graphs) &&
							     (fewer ||
							      (!outcomes_missing(&graphs, &views) &&
							       views.stuck == graphs.stuck))),
					      "%s/%lu", p.style, (unsigned long)seed);
			}
			outcomes_release(&graphs);
		}
		outcomes_release(&views);
	}
	ck_assert(compared > suite_times(500) / 4);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("machines");
	TCase *litmus = tcase_create("litmus"), *random = tcase_create("random");

	tcase_add_test(litmus, litmus_tests_have_the_outcomes_of_the_literature);
	tcase_set_timeout(random, 600);
	tcase_add_test(random, what_a_stronger_model_allows_a_weaker_one_allows);
	tcase_add_test(random, views_and_graphs_agree_about_rc11);
	suite_add_tcase(suite, litmus);
	suite_add_tcase(suite, random);
	return suite_run(suite);
}
