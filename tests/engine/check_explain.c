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
 * HEDDLE_FUZZ=N: N times as many programs.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "engine/random.h"
#include "engine/runner.h"
#include "engine/sketch.h"
#include "engine/state.h"
#include "offline/explain_read.h"
#include "offline/random_execution.h"
#include "offline/refusal.h"
#include "suite.h"

static const char *const model_words[] = { "sc",  "tso",     "sra",  "ra",
					   "wra", "relaxed", "rc20", "rc11" };
/* What each model's axioms are called; a refusal may name several, "a, b and c". */
static const char *const axioms[MODEL_COUNT][5] = {
	[MODEL_SC] = { "acyclic(po u rf u mo u fr)", "atomicity" },
	[MODEL_TSO] = { "acyclic(ppo u rfe u mo u fr)", "sc per location", "atomicity" },
	[MODEL_SRA] = { "acyclic(hb u mo)", "read coherence", "write coherence", "atomicity" },
	[MODEL_RA] = { "write coherence", "read coherence", "atomicity" },
	[MODEL_WRA] = { "weak read coherence", "weak atomicity" },
	[MODEL_RELAXED] = { "write coherence", "read coherence", "atomicity" },
	[MODEL_RC20] = { "write coherence", "read coherence", "atomicity" },
	[MODEL_RC11] = { "write coherence", "read coherence", "atomicity", "acyclic(psc)" },
};

enum {
	PROGRAMS = 400, /* of each style, for each model */
	EXPLORED = 40,
	EXPLORED_MO = 160,
	GRAPHS = 40, /* of an exploration */
	TANGLES = 300,
};

struct asked {
	uint64_t may, may_not, judged;
	uint64_t tried; /* refusals in which writes had to be tried in both orders */
	uint64_t mo;    /* refusals that only the modification order of the graph makes */
};

static bool names_axiom(enum engine_model m, const char *name, size_t len)
{
	for (int i = 0; i < 5 && axioms[m][i]; i++)
		if (strlen(axioms[m][i]) == len && !strncmp(axioms[m][i], name, len))
			return true;
	return false;
}

static bool names_axioms(enum engine_model m, const char *name)
{
	for (;;) {
		const char *comma = strstr(name, ", "), *and = strstr(name, " and ");
		const char *end = comma && (!and || comma < and) ? comma : and;

		if (!names_axiom(m, name, end ? (size_t)(end - name) : strlen(name)))
			return false;
		if (!end)
			return true;
		name = end + (end == comma ? 2 : 5);
	}
}

/* ---- Random programs ---------------------------------------------------------------------- */

static void check_refusal(const struct explanation *e, enum engine_model m)
{
	char line[4000];
	size_t n = explanation_line(e, line, sizeof(line)), len = strlen(e->v.axiom);

	ck_assert_msg(names_axioms(m, e->v.axiom), "%s: not an axiom of %s", e->v.axiom,
		      model_words[m]);
	ck_assert(n > len + 2 && !strncmp(line, e->v.axiom, len) && line[len] == ':');
	ck_assert_msg(strstr(line, "-> "), "no cycle: %s", line);
	ck_assert_msg(!strchr(line, '\n'), "more than one line: %s", line);
}

/* What brute force says of the execution that the explanation is about. */
static void check_by_force(struct explanation *e, enum engine_model m, bool admitted,
			   struct asked *count)
{
	static struct ax_graph g;
	struct ax_result r;
	uint32_t at[AX_EVENTS];
	const char *wrong = NULL;

	if (e->x.n + e->x.nlocs > AX_EVENTS || e->x.nlocs > AX_LOCS)
		return;
	to_axioms(&e->x, &g, at);
	ax_judge(&g, 1u << m, false, &r);
	/* With mo given, others may do where that one does not. */
	count->mo += r.consistent && !admitted;
	if (e->rank && m != MODEL_WRA ? admitted && !r.consistent : r.consistent >> m != admitted)
		wrong = "brute force says otherwise";
	else if (!admitted)
		wrong = refute_refusal(&e->x, m, e->rank, &e->v);
	if (wrong)
		ck_abort_msg("%s: %s\n%s", model_words[m], wrong, to_text(&e->x));
	count->judged++;
}

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
			     model_words[m], admitted ? "yes" : "no", rmw ? "rmw" : "read", got,
			     to_text(&e.x));
	if (!admitted)
		check_refusal(&e, m);
	count->tried += !admitted && (e.v.ncases > 1 || e.v.searched);
	check_by_force(&e, m, admitted, count);
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

static uint64_t repeat(uint64_t n)
{
	const char *factor = getenv("HEDDLE_FUZZ");

	return factor ? n * strtoull(factor, NULL, 0) : n;
}

static void report(enum engine_model m, const struct asked *count)
{
	printf("# %s: %lu may, %lu may not (%lu by cases, %lu only in this mo), %lu judged by brute "
	       "force\n",
	       model_words[m], (unsigned long)count->may, (unsigned long)count->may_not,
	       (unsigned long)count->tried, (unsigned long)count->mo, (unsigned long)count->judged);
	fflush(stdout);
	ck_assert_uint_gt(count->may_not, 100);
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
	for (uint64_t i = 0; i < repeat(PROGRAMS) * STYLE_COUNT; i++) {
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
	for (uint64_t i = 0; i < repeat(programs) * STYLE_COUNT; i++) {
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
	ck_assert_uint_gt(count.mo, 100);
}
END_TEST

/* ---- Litmus tests: the line as people see it ------------------------------------------------ */

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
		check_refusal(&e, m);
	check_by_force(&e, m, admitted, &count);
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

	for (uint64_t i = 0; i < repeat(TANGLES); i++) {
		tangle(text, hard[_i] == MODEL_RC11 ? 's' : 'r', &random);
		tried += explain_sketch(hard[_i], text, line, sizeof(line));
	}
	printf("# %s: %u by cases\n", model_words[hard[_i]], tried);
	fflush(stdout);
	ck_assert_uint_gt(tried, TANGLES / 10);
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
	tcase_add_loop_test(tc, the_line_is, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_loop_test(tc, a_refusal_by_cases_is_explained, 0, 3);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
