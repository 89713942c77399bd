/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_explain.c - whenever a model refuses a write to a read, the explanation holds
 *
 * Random programs are executed at random; then their reads are taken back from the last on. Each
 * is asked about every write of its location, in the graph before it and in a smaller cut. The
 * explanation must say what the model says, and so must brute force over all modification
 * orders; each step of a refusal must hold by the axioms (refusal.c). So it must in graphs of an
 * exploration; by modification order, the steps must hold in the order that the graph has.
 *
 * HEDDLE_FUZZ=N: N (0.25, 10) times as many programs.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "engine/explained.h"
#include "engine/random.h"
#include "engine/run/run.h"
#include "engine/runner.h"
#include "offline/random_execution.h"
#include "suite.h"

enum {
	PROGRAMS = 400, /* of each style, for each model */
	EXPLORED = 40,
	EXPLORED_MO = 160,
	GRAPHS = 40, /* of an exploration */
};

/* ---- Random programs ---------------------------------------------------------------------- */

static void check_question(struct question *q, enum engine_model m, uint32_t write, bool rmw,
			   struct asked *count)
{
	struct graph *g = q->g;
	uint32_t loc = g->ev[q->read].loc;
	bool admitted = rmw ? !taken_in_cut(g, q->cut, loc, write) && model_admits_rmw(q, write)
			    : model_admits(q, write);
	struct explanation e;
	enum explained got = explain_read(&e, m, g, q->cut, q->read, write, rmw);

	if (got != (admitted ? EXPLAIN_MAY : EXPLAIN_MAY_NOT))
		ck_abort_msg("%s: the model says %s of a %s, the explanation %d\n%s",
			     explained_models[m], admitted ? "yes" : "no", rmw ? "rmw" : "read",
			     got, to_text(&e.x));
	if (!admitted)
		explained_line(&e, m);
	count->tried += !admitted && (e.v.ncases > 1 || e.v.searched);
	explained_by_force(&e, m, admitted, count);
	++*(admitted ? &count->may : &count->may_not);
	explanation_release(&e);
}

static void check_write(struct engine *e, struct question *q, enum engine_model m, uint32_t write,
			struct asked *count)
{
	enum guard guard = run_guard(e, q->read, write, 0);

	if (guard == GUARD_BLOCKS)
		return;
	check_question(q, m, write, false, count);
	if (guard == GUARD_WRITES)
		check_question(q, m, write, true, count);
}

static void check_writes(struct engine *e, const uint32_t *cut, uint32_t read, struct asked *count)
{
	struct graph *g = &e->graph;
	enum engine_model m = e->config.model;
	struct question q;

	model_ask(&q, e->model, g, cut, read);
	for (uint32_t w = g->locs[g->ev[read].loc].last; w != NO_POS; w = g->ev[w].prev_at_loc)
		if ((g->ev[w].flags & EV_WRITE) && in_cut(&g->ev[w], cut))
			check_write(e, &q, m, w, count);
	check_write(e, &q, m, RF_INIT, count);
	model_asked(&q);
}

/* The past of the read, and that of some other event. */
static void smaller_cut(const struct graph *g, uint32_t read, uint64_t *random, uint32_t *cut)
{
	uint32_t before = graph_po_before(g, &g->ev[read]), other;

	memset(cut, 0, HEDDLE_MAX_THREADS * sizeof(*cut));
	other = prng_below(random, read + 1);
	for (uint32_t t = 0; t < g->nthreads; t++) {
		if (before != NO_POS)
			cut[t] = graph_porf(g, before)[t];
		if (other < read && graph_porf(g, other)[t] > cut[t])
			cut[t] = graph_porf(g, other)[t];
	}
	cut[g->ev[read].tid] = g->ev[read].index + 1;
}

/* Takes the reads back, the last first, and asks about each. */
static void check_graph(struct engine *e, uint64_t *random, struct asked *count)
{
	struct graph *g = &e->graph;

	for (uint32_t pos = g->n; pos-- > 0;) {
		struct event *ev = &g->ev[pos];
		uint32_t cut[HEDDLE_MAX_THREADS];

		if (!(ev->flags & EV_READ))
			continue;
		graph_truncate(g, pos + 1);
		hbmo_retract(g, pos);
		ev->rf = RF_NONE;
		graph_label(g, pos, EV_READ, ev->order_success);
		graph_clocks(g, pos);
		check_writes(e, g->count, pos, count);
		smaller_cut(g, pos, random, cut);
		check_writes(e, cut, pos, count);
	}
}

static void report(enum engine_model m, const struct asked *count)
{
	printf("# %s: %lu may, %lu may not (%lu by cases, %lu only in this mo), %lu judged by brute "
	       "force\n",
	       explained_models[m], (unsigned long)count->may, (unsigned long)count->may_not,
	       (unsigned long)count->tried, (unsigned long)count->mo, (unsigned long)count->judged);
	fflush(stdout);
	ck_assert_uint_gt(count->may_not, suite_times(100));
	ck_assert_uint_gt(count->judged, (count->may + count->may_not) / 2);
}

START_TEST(every_refusal_is_explained)
{
	static struct script s;
	enum engine_model m = (enum engine_model)_i;
	uint64_t random = 1;
	struct asked count = { 0 };
	struct runner r;

	runner_init(&r);
	for (uint64_t i = 0; i < suite_times(PROGRAMS) * STYLE_COUNT; i++) {
		struct runner_options opt = {
			.mode = ENGINE_ONLINE, .model = m, .seed = i, .max_reads = 6
		};
		struct engine *e;
		struct visit v;

		random_script(&s, i / STYLE_COUNT, (enum random_style)(i % STYLE_COUNT));
		runner_start(&r, &s, &opt);
		e = runner_engine(&r, 0, 1, NULL);
		runner_execute(&r, e, &v);
		ck_assert_msg(!r.error[0], "%s: %s", s.name, r.error);
		check_graph(e, &random, &count);
	}
	report(m, &count);
	runner_release(&r);
}
END_TEST

/* The graph as it is: of each thread the last event, if that is a read. */
static void check_ends(struct engine *e, struct asked *count)
{
	const struct graph *g = &e->graph;

	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t pos = g->count[t] ? g->at[t][g->count[t] - 1] : NO_POS;

		if (pos != NO_POS && (g->ev[pos].flags & EV_READ))
			check_writes(e, g->count, pos, count);
	}
}

/*
 * Some graphs of each exploration. Here reads may observe writes that were inserted after them;
 * a graph without such reads, after which the exploration is left, can be taken back.
 */
static void explore(enum engine_model m, enum engine_equivalence equivalence, uint64_t programs,
		    struct asked *count)
{
	static struct script s;
	uint64_t random = 1;
	struct runner r;

	runner_init(&r);
	for (uint64_t i = 0; i < suite_times(programs) * STYLE_COUNT; i++) {
		struct runner_options opt = { .mode = ENGINE_EXPLORE,
					      .model = m,
					      .equivalence = equivalence,
					      .max_reads = 6 };
		struct engine *e;
		struct visit v;

		random_script(&s, i / STYLE_COUNT, (enum random_style)(i % STYLE_COUNT));
		runner_start(&r, &s, &opt);
		e = runner_engine(&r, 0, 1, NULL);
		for (int n = 0; n < GRAPHS && runner_execute(&r, e, &v) && !r.error[0]; n++) {
			check_ends(e, count);
			if (e->graph.nlate || prng_below(&random, GRAPHS / 4))
				continue;
			check_graph(e, &random, count);
			break;
		}
		ck_assert_msg(!r.error[0], "%s: %s", s.name, r.error);
	}
	report(m, count);
	runner_release(&r);
}

START_TEST(so_it_is_in_graphs_of_an_exploration)
{
	struct asked count = { 0 };

	explore((enum engine_model)_i, EQUIV_RF, EXPLORED, &count);
	ck_assert_uint_eq(count.mo, 0);
}
END_TEST

START_TEST(so_it_is_with_a_modification_order)
{
	struct asked count = { 0 };

	if (_i == MODEL_WRA) /* it has none */
		return;
	explore((enum engine_model)_i, EQUIV_MO, EXPLORED_MO, &count);
	ck_assert_uint_eq(count.tried, 0);
	ck_assert_uint_gt(count.mo, suite_times(100));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("explain");
	TCase *tc = tcase_create("brute-force");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, every_refusal_is_explained, 0, MODEL_COUNT);
	tcase_add_loop_test(tc, so_it_is_in_graphs_of_an_exploration, 0, MODEL_COUNT);
	tcase_add_loop_test(tc, so_it_is_with_a_modification_order, 0, MODEL_COUNT);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
