/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * judged.c - see judged.h
 */
#include "engine/judged.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/run/checks.h"
#include "offline/explain_read.h"

jmp_buf judged_escape;
char judged_error[400];
static bool armed;

/* Overrides the weak one of base/must.c. */
void must_failed(const char *what, const char *file, int line)
{
	snprintf(judged_error, sizeof(judged_error), "%s does not hold (%s:%d)", what, file, line);
	if (armed) {
		armed = false;
		longjmp(judged_escape, 1);
	}
	fprintf(stderr, "%s\n", judged_error);
	abort();
}

#ifdef HEDDLE_CHECKS
static const char *judge(enum engine_model model, const struct graph *g, const uint32_t *cut,
			 bool given)
{
	static char line[300];
	struct explanation e;
	bool refused = explain_graph(&e, model, g, cut, given) == EXPLAIN_MAY_NOT;

	if (refused) {
		int n = snprintf(line, sizeof(line), "%s", given ? "with the mo at hand: " : "");

		explanation_line(&e, line + n, sizeof(line) - (size_t)n);
	}
	explanation_release(&e);
	return refused ? line : NULL;
}
#endif

void judged_begin(void)
{
#ifdef HEDDLE_CHECKS
	checks_judge = judge;
#endif
	armed = true;
}

void judged_end(void)
{
	armed = false;
}
