/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drawn.c - see drawn.h
 */
#include "engine/drawn.h"

#include "suite.h"

#include "engine/script_json.h"

const enum engine_model drawn_models[DRAWN_MODELS] = { MODEL_RC11,    MODEL_SC,  MODEL_TSO,
						       MODEL_SRA,     MODEL_RA,  MODEL_WRA,
						       MODEL_RELAXED, MODEL_RC20 };

enum {
	SMALL = 30,    /* executions of a program of which all have to be drawn */
	FEW = 64,      /* executions drawn at first, */
	MORE = 8,      /* so many times as many at a time, */
	MANY = 1000,   /* too many to be drawn twice more */
	MOST = 1 << 22 /* until these are all, or so many */
};

bool drawn_ask(struct oracle *o, const struct script *s, unsigned models)
{
	struct oracle_options oo = { .models = models, .rule = s->loops, .max_states = 30000 };

	oracle_run(o, s, &oo);
	return !o->gave_up;
}

/* Executions that give memory back, and those that only might: threads are told the same. */
static void comes_to_the_same(struct runner *r, const struct script *s,
			      const struct runner_options *ro)
{
	struct runner_options how = *ro;
	uint64_t trail;

	ck_assert_msg(runner_run(r, s, &how), "%s", r->error);
	trail = r->trail;
	how.everything = false;
	ck_assert_msg(runner_run(r, s, &how), "%s", r->error);
	if (r->trail != trail)
		script_print(s, stderr);
	ck_assert_msg(r->trail == trail,
		      "%s under %s, strategy %u, seed %llu: without memory it is another", s->name,
		      model_names[how.model], how.strategy, (unsigned long long)how.seed);
}

/*
 * Does a thread wait for a count without a look at it just before, or is an end opened again? No program does (hook_poll.c
 * looks, channel.c opens nothing twice). Such an operation may pass by what was there earlier, and brute force then says
 * that it does; here it waits where its thread has done something since.
 */
static bool waits_unlooked(const struct script *s)
{
	for (int t = 0; t < s->nthreads; t++)
		for (int i = 0; i < s->thread[t].n; i++) {
			const struct insn *in = &s->thread[t].code[i];

			if (in->kind == I_OPEN)
				return true;
			if (in->kind == I_READY &&
			    (!i || in[-1].kind != I_LOOK || in[-1].loc != in->loc))
				return true;
		}
	return false;
}

void drawn_are_of_model(const struct oracle *o, struct runner *r, const struct script *s,
			const struct runner_options *ro)
{
	struct runner_options how = *ro;

	how.mode = ENGINE_ONLINE;
	how.rule = s->loops;
	how.everything = how.give_back_after;
	if (how.give_back_after && how.max_executions < MANY)
		comes_to_the_same(r, s, &how);
	ck_assert_msg(runner_run(r, s, &how), "%s under %s, strategy %u, seed %llu: %s", s->name,
		      model_names[how.model], how.strategy, (unsigned long long)how.seed, r->error);
	if (o->racy >> how.model & 1)
		return;
	ck_assert_msg(!r->raced, "%s under %s: a race", s->name, model_names[how.model]);
	for (int i = 0; i < r->classes.n; i++) {
		const struct class *c = class_set_find(&o->classes, &r->classes.v[i].key);
		if (c && c->models >> how.model & 1)
			continue;
		if (key_kind(&r->classes.v[i].key) != CLASS_COMPLETE && waits_unlooked(s))
			continue;
		script_print(s, stderr);
		key_print(&r->classes.v[i].key, s, stderr);
		ck_abort_msg(
			"%s under %s, strategy %u, seed %llu: an execution the model does not have",
			s->name, model_names[how.model], how.strategy,
			(unsigned long long)how.seed);
	}
}

/* Of the executions that the model has, the first that was not drawn, or NULL. */
static const struct class *first_missing(const struct oracle *o, struct runner *r,
					 enum engine_model model)
{
	for (int i = 0; i < o->classes.n; i++)
		if ((o->classes.v[i].models >> model & 1) &&
		    !class_set_find(&r->classes, &o->classes.v[i].key))
			return &o->classes.v[i];
	return NULL;
}

void drawn_all(struct oracle *o, struct runner *r, const struct script *s,
	       const struct runner_options *ro)
{
	struct runner_options how = *ro;

	if (!drawn_ask(o, s, 1u << how.model) || (o->racy >> how.model & 1) ||
	    o->classes.n > (how.give_back_after ? SMALL / 4 : SMALL))
		return;
	for (how.max_executions = FEW; how.max_executions <= MOST; how.max_executions *= MORE) {
		drawn_are_of_model(o, r, s, &how);
		if (!first_missing(o, r, how.model))
			return;
	}
	script_print(s, stderr);
	key_print(&first_missing(o, r, how.model)->key, s, stderr);
	ck_abort_msg("%s under %s, strategy %u: this is not drawn", s->name, model_names[how.model],
		     how.strategy);
}
