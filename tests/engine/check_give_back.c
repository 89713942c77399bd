/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_give_back.c - long random executions that give memory back (online.txt, G) tell their threads what those tell that keep all
 * that they have.
 *
 * Nobody could enumerate the executions of these programs. That those that keep everything are of the model, and all
 * of its, is check_online's.
 */
#include <check.h>
#include <string.h>

#include "engine/drawn.h"
#include "engine/runner.h"
#include "engine/script_json.h"
#include "suite.h"

enum {
	PROGRAMS = 3000, /* for each model */
	EACH = 2,
	MOST_LOCS = 3,
	MOST_THREADS = 4
};

/* What a program is made of: how often of ten its accesses are one thing or another. */
struct mix {
	unsigned release, sc, fence, rmw, write;
	bool sc_fences;
	bool in_turn; /* threads come to one location after the other, and leave those before alone */
};

static uint64_t state;

static unsigned below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((state >> 33) % n);
}

static bool of_ten(unsigned n)
{
	return below(10) < n;
}

static enum mem_order order(const struct mix *m, enum mem_order strong)
{
	if (of_ten(m->sc))
		return ORDER_SC;
	return of_ten(m->release) ? strong : ORDER_RLX;
}

/* Each write has a value of its own: else it would not show which one was read. */
static void add(struct script *s, int t, const struct mix *m, unsigned done, unsigned of)
{
	static const enum mem_order fences[] = { ORDER_ACQ, ORDER_REL, ORDER_ACQ_REL, ORDER_SC };
	const unsigned nlocs = (unsigned)s->nlocs, near = done * nlocs / of + below(2);
	const int loc = (int)(!m->in_turn ? below(nlocs) : near < nlocs ? near : nlocs - 1);
	const struct expr value = expr_const(SCRIPT_INSNS * t + s->thread[t].n + 1);

	if (of_ten(m->fence))
		script_fence(s, t, fences[below(m->sc_fences ? 4 : 3)]);
	else if (of_ten(m->rmw))
		script_rmw(s, t, below(2) ? I_XCHG : I_FAI, 0, loc, value, order(m, ORDER_ACQ_REL));
	else if (of_ten(m->write))
		script_write(s, t, loc, value, order(m, ORDER_REL));
	else
		script_read(s, t, 0, loc, order(m, ORDER_ACQ));
}

static void make(struct script *s, uint64_t seed, bool with_sc, bool in_turn)
{
	static const char *const names[] = { "x", "y", "z", "u", "v", "w" };
	const unsigned locs = in_turn ? 6 : MOST_LOCS;
	char name[SCRIPT_NAME];
	struct mix m;

	state = seed * 0x9e3779b97f4a7c15u + 1;
	m = (struct mix){ .release = below(8),
			  .sc = with_sc ? below(2) * below(6) : 0,
			  .sc_fences = with_sc,
			  .fence = below(4),
			  .rmw = below(2) * below(6),
			  .write = 2 + below(6),
			  .in_turn = in_turn };
	snprintf(name, sizeof(name), "long-%llu", (unsigned long long)seed);
	script_init(s, name);
	for (unsigned n = 1 + below(locs); n; n--)
		script_loc(s, LOC_MEM, names[n - 1], 0);
	for (unsigned n = 2 + below(MOST_THREADS - 1); n; n--) {
		int t = script_thread(s);

		script_reg(s, t, "r");
		for (unsigned i = 0, all = 6 + below(SCRIPT_INSNS - 6); i < all; i++)
			add(s, t, &m, i, all);
	}
	ck_assert(script_link(s));
}

/* Two ways to draw the same: memory is given back after so many events (0: these are too short for it). */
struct ways {
	struct runner *r;
	enum engine_model model;
	uint32_t after, other;
	bool everything; /* stays, in the other one */
	bool gone; /* locations are, behind the last access; in the other one as well, or not */
};

/* What all threads were told. */
static uint64_t trail(const struct ways *w, const struct script *s, bool other)
{
	struct runner_options ro = { .mode = ENGINE_ONLINE,
				     .model = w->model,
				     .seed = 1,
				     .max_executions = EACH,
				     .give_back_after = other ? w->other : w->after,
				     .everything = other && w->everything,
				     .gone = w->gone && (!other || w->after % 2),
				     .long_ones = true };

	ck_assert_msg(runner_run(w->r, s, &ro), "%s: %s", s->name, w->r->error);
	return w->r->trail;
}

static bool differs(const struct script *s, void *ctx)
{
	return trail(ctx, s, false) != trail(ctx, s, true);
}

static void compare(struct ways *w, bool with_sc)
{
	static struct script s;
	struct runner r;

	w->r = &r;
	runner_init(&r);
	for (uint64_t seed = 1; seed <= suite_times(PROGRAMS); seed++) {
		w->after = 1 + (uint32_t)seed % 9;
		w->other = w->everything ? w->after : 0;
		make(&s, seed, with_sc, w->gone);
		if (!differs(&s, w))
			continue;
		script_shrink(&s, differs, w);
		script_print(&s, stderr);
		ck_abort_msg("%s under %s: another execution, given back after %u", s.name,
			     model_names[w->model], w->after);
	}
	runner_release(&r);
}

/*
 * Among fewer writes or places something else is drawn. wra forgets writes that are hidden, and rc11 what is between two
 * sc events that nobody can tell apart.
 */
START_TEST(all_comes_as_if_nothing_were_given_back)
{
	const enum engine_model model = drawn_models[_i];

	if (model != MODEL_WRA)
		compare(&(struct ways){ .model = model }, model != MODEL_RC11);
}
END_TEST

START_TEST(all_comes_as_if_no_event_were_forgotten)
{
	compare(&(struct ways){ .model = drawn_models[_i], .everything = true }, true);
}
END_TEST

/* Of locations that threads come to in turn. What they are told of the later ones is the same. */
START_TEST(all_comes_as_if_no_memory_were_freed)
{
	compare(&(struct ways){ .model = drawn_models[_i], .everything = true, .gone = true },
		true);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("give_back");
	TCase *tc = tcase_create("compared");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, all_comes_as_if_nothing_were_given_back, 0, DRAWN_MODELS);
	tcase_add_loop_test(tc, all_comes_as_if_no_event_were_forgotten, 0, DRAWN_MODELS);
	tcase_add_loop_test(tc, all_comes_as_if_no_memory_were_freed, 0, DRAWN_MODELS);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
