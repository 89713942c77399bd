/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare.h - the engine against brute force on one script
 *
 *	struct compare c;
 *	compare_init(&c);
 *	if (compare_script(&c, &script, MODEL_RC11, false) == COMPARE_DIFFERS)
 *		compare_explain(&c, &script, stdout);
 *	compare_release(&c);
 */
#ifndef HEDDLE_TESTS_COMPARE_H
#define HEDDLE_TESTS_COMPARE_H

#include "engine/oracle.h"
#include "engine/runner.h"

enum compare_verdict {
	COMPARE_SAME,
	COMPARE_DIFFERS,
	COMPARE_TOO_LARGE
};

struct compare {
	struct oracle oracle;
	struct runner runner;
	enum engine_model model;
	enum engine_equivalence equivalence; /* the caller's; EQUIV_RF after compare_init() */
	unsigned answered; /* models of which brute force has been asked by compare_ask() */
	int missing, extra, repeated, stuck_differs;
	bool race_differs;
	/* summed over all calls */
	uint64_t scripts, too_large, classes, wasted;
};

void compare_init(struct compare *c);
void compare_release(struct compare *c);

/*
 * Explores s under the model and compares: each class once (with EQUIV_MO: once for each of its
 * modification orders), none missing, none too many; of a
 * script with a race or a failing assertion only that verdict. rule: the redundant-round rule.
 */
enum compare_verdict compare_script(struct compare *c, const struct script *s,
				    enum engine_model model, bool rule);

/*
 * Asks brute force about s under all of these models at once, which takes hardly longer than under one:
 * compare_script() for s, with the same rule, is next. False: s is too large.
 */
bool compare_ask(struct compare *c, const struct script *s, unsigned models, bool rule);

/* Says what differed, with the executions concerned, after COMPARE_DIFFERS. */
void compare_explain(const struct compare *c, const struct script *s, FILE *f);

/* Shrinks a script that differs, in place, and compares it once more. */
void compare_shrink(struct compare *c, struct script *s, bool rule);

#endif
