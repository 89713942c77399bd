/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_memo.c - executions that the engine makes without the program are those that it would do
 *
 *	check_memo			what `make check` runs
 *	check_memo --long N --from SEED	N random programs of each style and model, from that seed
 *
 * Random programs are explored three times, without a memo of what threads do next (runtime/engine/run/memo.h), with one, and with one that
 * has hardly any memory. All that is counted
 * has to be the same: executions, each by its whole graph, those that led nowhere, events, bugs, and the books (ledger.h).
 */
#include <check.h>
#include <string.h>

#include "engine/random.h"
#include "engine/random_conds.h"
#include "engine/random_plain.h"
#include "engine/random_sleeps.h"
#include "engine/random_waits.h"
#include "engine/runner.h"
#include "engine/script_json.h"
#include "suite.h"

static const enum engine_model models[] = { MODEL_RC11, MODEL_SC,  MODEL_TSO,     MODEL_SRA,
					    MODEL_RA,   MODEL_WRA, MODEL_RELAXED, MODEL_RC20 };
enum {
	MODELS = sizeof(models) / sizeof(models[0]),
	TOO_LARGE = 4000, /* executions of a program that is left out */
	LITTLE = 1 << 14, /* bytes: some 100 steps of threads */
	PLAIN = 5,        /* of plain_script() for each seed */
	STYLES = STYLE_COUNT + WAITS_SHAPES + 1 + PLAIN,
};

static uint64_t from_seed = 1, long_run;

struct pair {
	struct runner plain, memo;
	uint64_t programs, executions, made, too_large, raced, plain_made, made_with_little, behind;
};

/* What is to be the same. */
struct counts {
	uint64_t executions, blocked, wasted, failed, events, graphs, ngraphs, stuck, deadlocks;
	uint64_t ended[LEDGER_ENDS], cause[LEDGER_CAUSES], noted;
	bool raced, endless;
};

static struct counts counts_of(const struct runner *r, const struct engine_stats *s)
{
	struct counts c;

	memset(&c, 0, sizeof(c));
	c.executions = s->executions;
	c.blocked = s->blocked;
	c.wasted = s->wasted;
	c.failed = s->failed;
	c.events = s->events;
	c.graphs = r->graphs;
	c.ngraphs = r->ngraphs;
	c.stuck = r->stuck_bugs;
	c.deadlocks = r->endings[CLASS_DEADLOCK];
	memcpy(c.ended, s->ledger.ended, sizeof(c.ended));
	memcpy(c.cause, s->ledger.cause, sizeof(c.cause));
	c.noted = s->ledger.noted;
	c.raced = r->raced;
	c.endless = r->endless;
	return c;
}

/* With so much memory for what is known: counts all that a does, or that is said, and noticed. */
static struct counts remember(struct pair *p, const struct script *s, struct runner_options opt,
			      const struct counts *a, struct engine_memory *memory)
{
	struct counts b;

	opt.memo = true;
	ck_assert_msg(runner_run(&p->memo, s, &opt), "%s, with a memo: %s", s->name, p->memo.error);
	b = counts_of(&p->memo, engine_stats(runner_last()));
	ck_assert(engine_memory(runner_last(), memory));
	ck_assert_msg(!memory->mistaken, "%s under %s: %s", s->name, model_names[opt.model],
		      memory->why);
	if (memcmp(a, &b, sizeof(b))) {
		printf("# %s under %s: %llu %llu %llu %llu, not %llu %llu %llu %llu (complete, blocked, wasted, bugs); %llu of %llu made; %s\n",
		       s->name, model_names[opt.model], (unsigned long long)b.executions,
		       (unsigned long long)b.blocked, (unsigned long long)b.wasted,
		       (unsigned long long)b.failed, (unsigned long long)a->executions,
		       (unsigned long long)a->blocked, (unsigned long long)a->wasted,
		       (unsigned long long)a->failed, (unsigned long long)memory->made,
		       (unsigned long long)b.ngraphs, memory->why ? memory->why : "");
		script_print(s, stdout);
		fflush(stdout);
	}
	ck_assert_msg(!memcmp(a, &b, sizeof(b)), "%s under %s differs", s->name,
		      model_names[opt.model]);
	return b;
}

/* Behind whom somebody came in some execution, it is known that somebody did: by a run, or where executions were made (K4). */
static uint64_t know_behind(const struct pair *p, const struct script *s,
			    const struct runner_options *opt)
{
	struct engine *e = runner_last();
	uint64_t n = 0;

	for (int l = 0; l < s->nlocs && !p->memo.raced; l++)
		for (uint32_t t = 0; t < HEDDLE_EXPLORED_THREADS; t++)
			for (int write = 0; write < 2; write++) {
				const struct runner *a = &p->plain, *b = &p->memo;
				const bool made = engine_made_behind(e, (uint32_t)l, t, write);

				if (((a->behind[l][1] | (write ? a->behind[l][0] : 0)) >> t & 1) ==
				    0)
					continue;
				n += made;
				ck_assert_msg(made || ((b->behind[l][1] |
							(write ? b->behind[l][0] : 0)) >>
							       t &
						       1),
					      "%s under %s: nobody accessed %d behind thread %u",
					      s->name, model_names[opt->model], l, t);
			}
	/* Of memory that is shared from now on it is known only whether there may be any such. */
	ck_assert(engine_shares(e, SCRIPT_LOCS));
	ck_assert(engine_made_behind(e, SCRIPT_LOCS, 0, false) == engine_made_beyond_hb(e));
	return n;
}

static void compare(struct pair *p, const struct script *s, struct runner_options opt)
{
	struct engine_memory memory;
	struct counts a, b;

	opt.memo = false;
	ck_assert_msg(runner_run(&p->plain, s, &opt), "%s: %s", s->name, p->plain.error);
	a = counts_of(&p->plain, engine_stats(runner_last()));
	if (a.executions + a.blocked + a.failed >= TOO_LARGE) {
		p->too_large++;
		return;
	}
	/* Hardly any: again and again all is forgotten. */
	opt.memo_bytes = LITTLE;
	remember(p, s, opt, &a, &memory);
	ck_assert_msg(memory.steps < LITTLE / 64, "%s: %llu steps", s->name,
		      (unsigned long long)memory.steps);
	p->made_with_little += memory.made;
	opt.memo_bytes = 0;
	b = remember(p, s, opt, &a, &memory);
	p->behind += know_behind(p, s, &opt);
	p->programs++;
	p->executions += a.executions + a.blocked + a.wasted;
	p->made += memory.made;
	p->raced += b.raced && memory.made > 3;
	p->plain_made += strncmp(s->name, "plain", 5) ? 0 : memory.made;
}

static void make(struct script *s, uint64_t seed, int style)
{
	if (style < STYLE_COUNT)
		random_script(s, seed, (enum random_style)style);
	else if (style < STYLE_COUNT + WAITS_SHAPES)
		waits_script(s, seed, (enum waits_shape)(style - STYLE_COUNT));
	else if (style == STYLE_COUNT + WAITS_SHAPES)
		conds_script(s, seed);
	else
		plain_script(s, seed);
}

static void random_programs(enum engine_model model, enum engine_equivalence equivalence)
{
	const uint64_t n = long_run ? long_run : suite_times(25);
	static struct script s;
	static struct pair p;

	memset(&p, 0, sizeof(p));
	runner_init(&p.plain);
	runner_init(&p.memo);
	for (uint64_t seed = from_seed; seed < from_seed + n; seed++)
		for (int style = 0; style < STYLES; style++) {
			struct runner_options opt = { .mode = ENGINE_EXPLORE,
						      .model = model,
						      .equivalence = equivalence,
						      .max_executions = TOO_LARGE };

			make(&s, style < STYLES - PLAIN ? seed : seed * PLAIN + (uint64_t)style,
			     style);
			opt.rule = s.loops;
			if (s.loops && model == MODEL_WRA)
				continue; /* no write is silent there, and loops that write have no end */
			opt.waiting_locks = seed % 5 == 1;
			opt.plain_events = style == STYLE_NA && seed % 4 == 3;
			compare(&p, &s, opt);
		}
	printf("# %s: %llu programs, %llu too large, %llu executions, %llu of them made; of plain ones %llu; with little memory %llu; %llu raced behind some; %llu are known to come behind others\n",
	       model_names[model], (unsigned long long)p.programs, (unsigned long long)p.too_large,
	       (unsigned long long)p.executions, (unsigned long long)p.made,
	       (unsigned long long)p.plain_made, (unsigned long long)p.made_with_little,
	       (unsigned long long)p.raced, (unsigned long long)p.behind);
	fflush(stdout);
	ck_assert_uint_gt(p.made, p.executions / 4);
	ck_assert_uint_gt(p.made_with_little, p.executions / 20);
	ck_assert_uint_lt(p.made_with_little, p.made);
	runner_release(&p.plain);
	runner_release(&p.memo);
}

START_TEST(the_same_by_reads_from)
{
	random_programs(models[_i], EQUIV_RF);
}
END_TEST

START_TEST(the_same_by_modification_order)
{
	if (models[_i] != MODEL_WRA)
		random_programs(models[_i], EQUIV_MO);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *s = suite_create("memo");
	TCase *tc = tcase_create("with and without");

	if (!suite_arguments(argc, argv, &long_run, &from_seed))
		return 2;
	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, the_same_by_reads_from, 0, MODELS);
	tcase_add_loop_test(tc, the_same_by_modification_order, 0, MODELS);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
