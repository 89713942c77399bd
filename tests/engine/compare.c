/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare.c - see compare.h
 */
#include "engine/compare.h"

#include <string.h>

#include "engine/script_json.h"

enum {
	MAX_STATES = 30000,
	MAX_EXPLAINED = 3
};

void compare_init(struct compare *c)
{
	memset(c, 0, sizeof(*c));
	oracle_init(&c->oracle);
	runner_init(&c->runner);
}

void compare_release(struct compare *c)
{
	oracle_release(&c->oracle);
	runner_release(&c->runner);
}

static bool in_model(const struct compare *c, const struct class *cl)
{
	return cl && cl->models >> c->model & 1;
}

/* Of a class visited: the verdict on its awaits is not that of brute force. */
static bool wrongly_stuck(const struct compare *c, const struct class *visited)
{
	const struct class *cl = class_set_find(&c->oracle.classes, &visited->key);

	/* Without modification order no write is the latest: nothing to compare under wra. */
	return c->model != MODEL_WRA && in_model(c, cl) &&
	       (cl->stuck >> c->model & 1) != visited->stuck;
}

/* How often a class is to be visited. */
static unsigned due(const struct compare *c, const struct class *visited)
{
	const struct class *cl = class_set_find(&c->oracle.classes, &visited->key);

	return c->equivalence == EQUIV_MO && cl ? cl->orders[c->model] : 1;
}

static bool stops_at_await(const struct class_key *key)
{
	for (int i = 0; i + 1 < key->len; i += 2)
		if (key->b[i] == 0xff && key->b[i + 1] == 'S')
			return true;
	return false;
}

/* A class in which awaits are stuck for good: was one visited in which all threads end likewise? */
static bool found_stuck(const struct compare *c, const struct class *cl)
{
	for (int i = 0; i < c->runner.classes.n; i++)
		if (c->runner.classes.v[i].stuck && c->runner.classes.v[i].state == cl->state)
			return true;
	return false;
}

/*
 * Must the class be visited? One that ends with a thread at an await need not be, unless it
 * can be for good.
 */
static bool is_missing(const struct compare *c, const struct class *cl)
{
	if (!in_model(c, cl) || class_set_find(&c->runner.classes, &cl->key))
		return false;
	if (!stops_at_await(&cl->key))
		return true;
	/* Under wra no write is the latest, and nobody stuck for good. */
	return c->model != MODEL_WRA && (cl->stuck >> c->model & 1) && !found_stuck(c, cl);
}

static bool visited_wrongly(const struct compare *c, const struct class *visited)
{
	return stops_at_await(&visited->key) ? visited->visits > due(c, visited)
					     : visited->visits != due(c, visited);
}

static void count_differences(struct compare *c)
{
	const struct oracle *o = &c->oracle;
	const struct runner *r = &c->runner;

	for (int i = 0; i < o->classes.n; i++)
		c->missing += is_missing(c, &o->classes.v[i]);
	for (int i = 0; i < r->classes.n; i++) {
		const struct class *cl = &r->classes.v[i];
		c->extra += !in_model(c, class_set_find(&o->classes, &cl->key));
		c->repeated += visited_wrongly(c, cl);
		c->stuck_differs += wrongly_stuck(c, cl);
	}
}

static bool ask(struct compare *c, const struct script *s, unsigned models, bool rule)
{
	struct oracle_options oo = { .models = models,
				     .rule = rule,
				     .count_mo = c->equivalence == EQUIV_MO,
				     .max_states = MAX_STATES };

	oracle_run(&c->oracle, s, &oo);
	c->too_large += c->oracle.gave_up;
	return !c->oracle.gave_up;
}

bool compare_ask(struct compare *c, const struct script *s, unsigned models, bool rule)
{
	/* The rule takes rounds for another thing there. */
	if (rule)
		models &= ~(1u << MODEL_WRA);
	c->answered = ask(c, s, models, rule) ? models : 0;
	return c->answered;
}

enum compare_verdict compare_script(struct compare *c, const struct script *s,
				    enum engine_model model, bool rule)
{
	struct runner_options ro = {
		.mode = ENGINE_EXPLORE, .model = model, .equivalence = c->equivalence, .rule = rule
	};
	uint64_t visits = 0;

	c->model = model;
	c->missing = c->extra = c->repeated = c->stuck_differs = 0;
	c->race_differs = false;
	if (!(c->answered >> model & 1)) {
		c->answered = 0;
		if (!ask(c, s, 1u << model, rule))
			return COMPARE_TOO_LARGE;
	}
	for (int i = 0; i < c->oracle.classes.n; i++)
		visits += ro.equivalence == EQUIV_MO ? c->oracle.classes.v[i].orders[model] : 1;
	ro.max_executions = 20 * visits + 2000;
	bool ok = runner_run(&c->runner, s, &ro);
	bool race = c->oracle.racy >> model & 1;
	bool failure = c->oracle.count[CLASS_ERROR][model];
	c->scripts++;
	c->classes += c->runner.executions;
	c->wasted += c->runner.wasted;
	c->race_differs = ok && c->runner.raced != race;
	if (!ok || c->runner.endless || c->race_differs)
		return COMPARE_DIFFERS;
	if (race)
		return COMPARE_SAME;
	if (failure)
		return c->runner.endings[CLASS_ERROR] ? COMPARE_SAME : COMPARE_DIFFERS;
	count_differences(c);
	return c->missing || c->extra || c->repeated || c->stuck_differs ? COMPARE_DIFFERS
									 : COMPARE_SAME;
}

static void explain_set(const struct compare *c, const struct script *s, FILE *f, int what)
{
	static const char *const text[] = { "MISSING", "INCONSISTENT",
					    "VISITED TOO OFTEN OR TOO RARELY",
					    "WRONG VERDICT ON ITS AWAITS: " };
	const struct class_set *set = what == 0 ? &c->oracle.classes : &c->runner.classes;
	int shown = 0;

	for (int i = 0; i < set->n && shown < MAX_EXPLAINED; i++) {
		const struct class *cl = &set->v[i];
		bool bad = what == 0   ? is_missing(c, cl)
			   : what == 1 ? !in_model(c, class_set_find(&c->oracle.classes, &cl->key))
			   : what == 2 ? visited_wrongly(c, cl)
				       : wrongly_stuck(c, cl);
		if (!bad)
			continue;
		shown++;
		fprintf(f, "  %s", text[what]);
		if (what == 2)
			fprintf(f, " (%u times, not %u)", cl->visits, due(c, cl));
		if (what == 3)
			fprintf(f, "%s", cl->stuck ? "stuck" : "not stuck");
		fputc('\n', f);
		key_print(&cl->key, s, f);
	}
}

void compare_explain(const struct compare *c, const struct script *s, FILE *f)
{
	const uint64_t(*n)[AX_MODELS] = c->oracle.count;
	const int m = c->model;

	fprintf(f, "model %s\n", model_names[m]);
	script_print(s, f);
	fprintf(f, "expected %llu complete, %llu blocked, %llu deadlocks%s\n",
		(unsigned long long)n[CLASS_COMPLETE][m], (unsigned long long)n[CLASS_BLOCKED][m],
		(unsigned long long)n[CLASS_DEADLOCK][m],
		c->oracle.racy >> m & 1 ? ", a race" : "");
	fprintf(f, "visited  %llu complete, %llu blocked, %llu deadlocks%s; %llu wasted\n",
		(unsigned long long)c->runner.endings[CLASS_COMPLETE],
		(unsigned long long)c->runner.endings[CLASS_BLOCKED],
		(unsigned long long)c->runner.endings[CLASS_DEADLOCK],
		c->runner.raced ? ", a race" : "", (unsigned long long)c->runner.wasted);
	if (c->runner.error[0])
		fprintf(f, "ENGINE ERROR: %s\n", c->runner.error);
	if (c->runner.endless)
		fprintf(f, "GOES ON FOR EVER\n");
	if (c->race_differs)
		fprintf(f, "RACE VERDICT DIFFERS\n");
	fprintf(f,
		"%d missing, %d inconsistent, %d not visited as often as they exist, %d awaits misjudged\n",
		c->missing, c->extra, c->repeated, c->stuck_differs);
	for (int what = 0; what < 4; what++)
		explain_set(c, s, f, what);
}

struct shrinking {
	struct compare *c;
	enum engine_model model;
	bool rule;
};

static bool still_differs(const struct script *s, void *ctx)
{
	struct shrinking *sh = ctx;
	return compare_script(sh->c, s, sh->model, sh->rule) == COMPARE_DIFFERS;
}

void compare_shrink(struct compare *c, struct script *s, bool rule)
{
	struct shrinking sh = { .c = c, .model = c->model, .rule = rule };

	c->answered = 0;
	script_shrink(s, still_differs, &sh);
	compare_script(c, s, sh.model, rule);
}
